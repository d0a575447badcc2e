"""Proves ports: places the ported sources in a temporary tree, runs each script there as before, and compares the runs call by call."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..comparison.model import Comparison
from ..errors import TheanodiagError
from ..porting.model import FileReport, Ported, Proof
from ..porting.notebook import Notebook
from ..porting.python2 import is_python2
from ..porting.relative_imports import imported
from ..processes import interpreter
from ..processes.group import temporary
from ..requests import CompareRequest


@dataclass(frozen=True)
class Runs:
    """How the scripts of a proof are run and compared."""

    request: CompareRequest
    """The comparison made for each script; its paths and arguments are replaced for each script."""
    compare: Callable[[CompareRequest, str, str], Comparison]
    """Runs and compares what a request asks for; also gets the path of the script, and which of how many it is, as text."""
    arguments: Callable[[str], Sequence[str]] = lambda path: ()
    """The command-line arguments of a script, by its path as the user gave it."""


def prove(ported: Sequence[Ported], runs: Runs) -> Mapping[str, Proof]:
    """Proves ported files by running their scripts before and after the port. Returns the proof of each changed file, by its path.

    A script is a source that no other source imports; modules of pytest are not scripts. Files that import each other are proved together:
    every script among them must compute the same, and one of these scripts must run each changed file.
    """
    texts = {os.path.abspath(p.report.path): p for p in ported if p.report.failure is None and p.report.skipped is None}
    names = frozenset(texts)
    imports = {path: imported(_code(p.report), path, names) for path, p in texts.items()}
    used = frozenset(other for targets in imports.values() for other in targets)
    scripts = [p for p in texts if p not in used and os.path.basename(p) != "__init__.py" and not _is_of_tests(p, texts[p].report.before)]
    proofs: dict[str, Proof] = {}
    groups = [group for group in _groups(imports) if any(texts[path].report.changed for path in group)]
    ran = [path for group in groups for path in scripts if path in group]
    with temporary() as folder:
        for number, group in enumerate(groups):
            outcomes = {
                path: _outcome(path, texts, group, runs, folder / str(number), f"script {n} of {len(ran)}: ")
                for n, path in enumerate(ran, 1)
                if path in group
            }
            reached = {path: _closure(path, imports) for path in outcomes}
            for path in group:
                if texts[path].report.changed:
                    proofs[texts[path].report.path] = _proof(path, outcomes, reached)
    return proofs


def _is_of_tests(path: str, text: str) -> bool:
    """Whether a source is a module that pytest collects by its name, and that does not run itself."""
    return _TESTS.fullmatch(os.path.basename(path)) is not None and "__main__" not in text


_TESTS = re.compile(r"test_.*\.py|.*_test\.py|conftest\.py")
"""Names of pytest's modules (pytest 8, docs, "Conventions for Python test discovery")."""


def _code(report: FileReport) -> str:
    """The Python code of a source before it was ported: its text, or that of a notebook's cells."""
    return Notebook(report.before, report.path).source if report.path.endswith(".ipynb") else report.before


@dataclass(frozen=True)
class _Outcome:
    """The comparison of a script with its port."""

    why: str
    """Why the script and its port are not equal; empty if they are."""
    values: int = 0
    """Number of values compared."""
    lent: bool = False
    """Whether the port imports theanodiag although its interpreter lacks it, so that this program's own was made importable for the run."""


def _proof(path: str, outcomes: Mapping[str, _Outcome], reached: Mapping[str, frozenset[str]]) -> Proof:
    by = tuple(script for script in outcomes if path in reached[script])
    failed = [f"{os.path.basename(script)}: {outcome.why}" for script, outcome in outcomes.items() if outcome.why]
    values = sum(outcomes[script].values for script in by)
    if not by:
        of_tests = "pytest runs it, not Python: run these tests with the port"
        return Proof(False, by, 0, of_tests if _is_of_tests(path, "") else "no script among these files runs it")
    return Proof(not failed, by, values, failed[0] if failed else "", any(outcomes[script].lent for script in by))


def _groups(imports: Mapping[str, frozenset[str]]) -> list[frozenset[str]]:
    """Divides the files into groups so that no file imports one of another group."""
    near: dict[str, set[str]] = {path: set(others) for path, others in imports.items()}
    for path, others in imports.items():
        for other in others:
            near[other].add(path)
    groups, seen = [], set[str]()
    for path in imports:
        if path not in seen:
            group = _closure(path, near)
            seen |= group
            groups.append(group)
    return groups


def _closure(path: str, imports: Mapping[str, Iterable[str]]) -> frozenset[str]:
    """The set of `path` and of all files that it imports directly or indirectly."""
    reached, left = {path}, [path]
    while left:
        for other in imports[left.pop()]:
            if other not in reached:
                reached.add(other)
                left.append(other)
    return frozenset(reached)


def _outcome(path: str, texts: Mapping[str, Ported], group: frozenset[str], runs: Runs, tree: Path, step: str) -> _Outcome:
    """Compares a script with its port."""
    if not tree.exists():
        _lay_out(tree, texts, group)
    moved = _below(tree, path)
    try:
        request = dataclasses.replace(runs.request, path=path, other=moved, args=tuple(runs.arguments(texts[path].report.path)))
        comparison = runs.compare(request, texts[path].report.path, step)
    except TheanodiagError as error:
        return _Outcome(error.message + _python2_needed(_code(texts[path].report), str(runs.request.python)))
    why = _why(comparison)
    if comparison.old.ended:
        why += _python2_needed(_code(texts[path].report), str(runs.request.python))
    return _Outcome(why, sum(f.values for f in comparison.functions), comparison.new.lent)


def _python2_needed(before: str, python: str) -> str:
    """What to add to the reason why the old run ended: that its source needs another interpreter; empty if it does not."""
    if not is_python2(before) or interpreter.find(python, os.environ).version[0] == 2:
        return ""
    copy = "or prove the port of a copy in Python 3 (theanodiag port --to theano --python2to3 --into COPY)"
    return f"; it is a Python 2 source: name a Python 2.7 interpreter that has Theano with --python, {copy}"


def _why(comparison: Comparison) -> str:
    """The reason why a comparison does not prove the port of its script; empty where it does."""
    if comparison.equal:
        return ""
    if comparison.old.ended:
        return f"the original ends early: {comparison.old.ended}"
    if comparison.new.ended:
        return f"the port ends early: {comparison.new.ended}"
    if comparison.first is not None:
        pair, first = comparison.first
        return f"{pair.names[0]}, call {first.call + 1}, {first.value}: {first.why}"
    if comparison.old.functions != comparison.new.functions:
        return f"it compiled {comparison.old.functions} functions, the port {comparison.new.functions}"
    if not any(f.values for f in comparison.functions):
        return "it called no compiled function, so there is nothing to compare"
    return "its functions were not called the same number of times"


def _below(tree: Path, path: str) -> str:
    return os.path.join(tree, path.lstrip(os.sep))


def _lay_out(tree: Path, texts: Mapping[str, Ported], group: frozenset[str]) -> None:
    """Writes the ported files of a group into `tree`, with links to all other files of their folders."""
    top = os.path.commonpath([os.path.dirname(path) for path in group])
    folders = {top}
    for path in group:
        folder = os.path.dirname(path)
        while folder != top:
            folders.add(folder)
            folder = os.path.dirname(folder)
    for folder in sorted(folders):
        os.makedirs(_below(tree, folder), exist_ok=True)
    for folder in folders:
        for entry in os.scandir(folder):
            if entry.path not in folders and entry.name != "__pycache__":  # what Python writes of moved sources stays out of the old tree
                there = _below(tree, entry.path)
                if entry.path in texts:
                    Path(there).write_bytes(texts[entry.path].after)
                else:
                    os.symlink(entry.path, there)

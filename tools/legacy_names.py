"""Makes `theanodiag/compat/names/legacy/*.txt`: every public name of the last release of each series of Theano, of Aesara and of PyTensor.

    python tools/legacy_names.py --work DIR [--check]

The source packages (PyTensor's wheels) come from the package registry with the pip of this interpreter and are kept in DIR; nothing in
them is run. The rule:

- Modules: each `.py` file of the package, but tests (a folder `tests`, a file `test_*.py`), what a build writes (`version.py` beside a
  `generated_version.py`) and files whose name begins with `_`. A module is a name of the package that holds it.
- Names: what a module binds at its top level, within `if`, `try` and `with` too: functions, classes, what is assigned, and what is
  imported from the framework itself, star imports followed (`__all__` decides there, where there is one). A name that is deleted again,
  begins with `_`, is the variable of a loop, or comes from another package is none.

A line of the file is a module (`.` for the root), the series that have its names, and the names; `<` stands before the module from which
the names are imported, `name=other` where they have another name there. Of several sources the latest release's counts.

It takes a Python with lib2to3 or fissix (releases of Theano up to 0.7 are Python 2), of 3.12 or later for PyTensor 3.
"""

from __future__ import annotations

import argparse
import ast
import os
import subprocess
import sys
import tarfile
import warnings
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

RELEASES = {
    "theano": {"0.6": "0.6.0", "0.7": "0.7.0", "0.8": "0.8.2", "0.9": "0.9.0", "0.10": "0.10.0b4", "1.0": "1.0.5"},
    "aesara": {"2.9": "2.9.4"},
    "pytensor": {"2.18": "2.18.6", "2.31": "2.31.7", "2.38": "2.38.3", "3.0": "3.0.7", "3.3": "3.3.8"},
}
"""Framework -> its series, oldest first, and the last release of each."""
DISTRIBUTIONS = {"theano": "Theano", "aesara": "aesara", "pytensor": "pytensor"}
DATA = Path(__file__).resolve().parent.parent / "theanodiag" / "compat" / "names" / "legacy"
Sources = dict[str, str]
"""Name -> the full name that is imported under it, or nothing where the module defines it."""
_OLD_SETUPTOOLS = "setuptools<58"
"""Older releases ask in setup.py for use_2to3."""


def source(work: Path, root: str, version: str) -> Path:
    """The source package of a release below `work`, downloaded if it is not there."""
    distribution = DISTRIBUTIONS[root]
    folder = work / f"{distribution}-{version}"
    if not any(folder.glob("*")):
        folder.mkdir(parents=True, exist_ok=True)
        constraint = work / "constraint.txt"
        constraint.write_text(_OLD_SETUPTOOLS if root == "theano" else "")
        wanted = ["--only-binary", ":all:", "--ignore-requires-python"] if root == "pytensor" else ["--no-binary", distribution]
        options = ["-q", "--no-deps", *wanted, "-d", str(folder)]
        command = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", *options, f"{distribution}=={version}"]
        subprocess.run(command, check=True, env={**os.environ, "PIP_CONSTRAINT": str(constraint)}, stdout=subprocess.DEVNULL)
    return next(folder.glob("*"))


def files(package: Path, root: str) -> dict[str, bytes]:
    """The Python files of a source package, by their path from `root` on."""
    if package.suffix in (".zip", ".whl"):
        with zipfile.ZipFile(package) as archive:
            every = {name: archive.read(name) for name in archive.namelist() if name.endswith(".py")}
    else:
        with tarfile.open(package) as archive:
            members = [m for m in archive.getmembers() if m.isfile() and m.name.endswith(".py")]
            every = {m.name: archive.extractfile(m).read() for m in members}  # type: ignore[union-attr]
    inside = every if package.suffix == ".whl" else {name.partition("/")[2]: text for name, text in every.items()}
    return {name: text for name, text in inside.items() if name.startswith(root + "/")}


def module_name(path: str) -> str:
    """`theano/tensor/__init__.py` is `tensor`; the root is empty."""
    parts = path.removesuffix(".py").split("/")[1:]
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def counts(path: str) -> bool:
    """Whether the file is a module of the rule."""
    parts = module_name(path).split(".")
    no_test = not any(part == "tests" or part.startswith("test_") for part in parts)
    return no_test and parts[-1] != "generated_version" and not any(part.startswith("_") for part in parts)


def parsed(text: bytes, path: str) -> ast.Module:
    """The syntax tree; Python 2 is translated first."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except SyntaxError:
            return ast.parse(translated(text.decode("utf-8", "replace"), path))


def translated(text: str, path: str) -> str:
    """Python 2 as Python 3, as far as a parser cares."""
    try:
        from lib2to3 import refactor
    except ImportError:
        from fissix import refactor  # type: ignore[import-not-found, no-redef]
    package = refactor.__name__.partition(".")[0] + ".fixes.fix_"
    syntax = ("print", "except", "raise", "exec", "repr", "ne", "numliterals", "tuple_params", "unicode", "paren")
    wanted = [package + name for name in syntax]
    return str(refactor.RefactoringTool(wanted).refactor_string(text + "\n", path))


class Release:
    """The modules of one release, and the names that each binds."""

    def __init__(self, root: str, sources: Mapping[str, bytes]) -> None:
        self.root = root
        kept = {module_name(path): path for path in sources if counts(path)}
        self.packages = {name for name, path in kept.items() if path.endswith("/__init__.py")}
        self.trees = {name: parsed(sources[path], path) for name, path in kept.items()}
        self.found: dict[str, Sources] = {}

    def names(self) -> dict[str, Sources]:
        """The public names by module; a module is a name of its package."""
        found = {name: {n: origin for n, origin in self.bound(name).items() if not n.startswith("_")} for name in self.trees}
        for name in self.trees:
            parent, _, last = name.rpartition(".")
            if name and parent in found:
                found[parent].setdefault(last, "")
        return found

    def bound(self, module: str) -> Sources:
        """What the module binds; of a module that is being looked at already (imports in a circle), what is known by then."""
        if module not in self.found:
            self.found[module] = {}
            for statement in statements(self.trees[module].body):
                self._add(module, statement)
        return self.found[module]

    def _add(self, module: str, statement: ast.stmt) -> None:
        found = self.found[module]
        if isinstance(statement, (ast.FunctionDef, ast.ClassDef)):
            found[statement.name] = ""
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)):
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            found.update((node.id, "") for target in targets for node in stored(target))
        elif isinstance(statement, ast.Delete):
            for node in statement.targets:
                found.pop(getattr(node, "id", ""), None)
        elif isinstance(statement, ast.Import):
            for alias in statement.names:
                inside = self.inside(module, alias.name, 0)
                if inside is not None:
                    found[alias.asname or alias.name.partition(".")[0]] = inside if alias.asname else ""
        elif isinstance(statement, ast.ImportFrom):
            inside = self.inside(module, statement.module or "", statement.level)
            if inside is not None:
                pairs = [(alias.asname or alias.name, alias.name) for alias in statement.names if alias.name != "*"]
                pairs += [(name, name) for name in self.starred(inside)] if len(pairs) < len(statement.names) else []
                found.update((name, "" if (inside, old) == (module, name) else f"{inside}.{old}" if inside else old) for name, old in pairs)

    def inside(self, module: str, name: str, level: int) -> str | None:
        """The module of the framework that an import statement of `module` names; None where it is another package's."""
        package = module if module in self.packages else module.rpartition(".")[0]
        if level:
            parts = package.split(".") if package else []
            parts = parts[: len(parts) - level + 1]
            return ".".join([*parts, name] if name else parts)
        if name.partition(".")[0] == self.root:
            return name.partition(".")[2]
        beside = f"{package}.{name}" if package else name  # Python 2 looked beside the module first
        return beside if beside in self.trees and beside != module else None

    def starred(self, module: str) -> set[str]:
        """What `from module import *` brings."""
        if module not in self.trees:
            return set()
        bound = self.bound(module)
        listed = written_all(self.trees[module])
        return {n for n in bound if not n.startswith("_")} if listed is None else listed & set(bound)


def statements(body: Iterable[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements that a module runs at its top level; what a function or a class holds is left out."""
    for statement in body:
        yield statement
        if isinstance(statement, (ast.If, ast.For, ast.While, ast.With, ast.Try)):
            handlers = [inner for handler in getattr(statement, "handlers", []) for inner in handler.body]
            for part in (statement.body, handlers, getattr(statement, "orelse", []), getattr(statement, "finalbody", [])):
                yield from statements(part)


def stored(target: ast.expr) -> Iterator[ast.Name]:
    """The plain names that an assignment binds."""
    return (node for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))


def written_all(tree: ast.Module) -> set[str] | None:
    """`__all__`, where it is written as a plain list and no more is done to it."""
    for statement in tree.body:
        if isinstance(statement, ast.Assign) and [n.id for t in statement.targets for n in stored(t)] == ["__all__"]:
            try:
                return set(ast.literal_eval(statement.value))
            except ValueError:
                return None
    return None


def union(releases: Mapping[str, Mapping[str, Sources]]) -> dict[str, dict[str, tuple[tuple[str, ...], str]]]:
    """By module and name the series that have it, and where it comes from."""
    table: dict[str, dict[str, tuple[tuple[str, ...], str]]] = {}
    for series, modules in releases.items():
        for module, names in modules.items():
            for name, origin in names.items():
                held = table.setdefault(module, {})
                before, earlier = held.get(name, ((), ""))
                held[name] = ((*before, series), origin or earlier)
    return table


def span(series: tuple[str, ...], every: Sequence[str]) -> str:
    """`0.6-1.0` where none is left out between the two."""
    between = list(every).index(series[-1]) - list(every).index(series[0]) + 1
    return f"{series[0]}-{series[-1]}" if 2 < len(series) == between else ",".join(series)


def expanded(text: str, root: str) -> tuple[str, ...]:
    """The series that `span` wrote."""
    first, dash, last = text.partition("-")
    every = list(RELEASES[root])
    return tuple(every[every.index(first) : every.index(last) + 1]) if dash else tuple(text.split(","))


def written(table: Mapping[str, Mapping[str, tuple[tuple[str, ...], str]]], every: Sequence[str]) -> str:
    """The text of a data file."""
    lines = []
    for module in sorted(table):
        groups: dict[str, list[str]] = {}
        for name, (series, origin) in sorted(table[module].items()):
            place, _, other = origin.rpartition(".")
            start = f"{module or '.'} {span(series, every)}" + (f" <{place or '.'}" if origin else "")
            groups.setdefault(start, []).append(name if not origin or other == name else f"{name}={other}")
        lines += [start + " " + " ".join(names) for start, names in sorted(groups.items())]
    return "\n".join(lines) + "\n"


def made(work: Path, root: str) -> str:
    """The data file of a framework, from the releases below `work`."""
    series = RELEASES[root]
    found = {name: Release(root, files(source(work, root, version), root)).names() for name, version in series.items()}
    return written(union(found), list(series))


def main() -> int:
    """Writes the data files, or with --check says whether they are up to date."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--work", type=Path, required=True, help="folder in which the source packages are kept")
    parser.add_argument("--check", action="store_true", help="write nothing; exit status 1 where a file is another")
    options = parser.parse_args()
    other = 0
    for root in RELEASES:
        text, path = made(options.work, root), DATA / f"{root}.txt"
        if options.check:
            other |= int(text != path.read_text(encoding="utf-8"))
        else:
            path.write_text(text, encoding="utf-8")
    return other


if __name__ == "__main__":
    sys.exit(main())

"""Reads the requirements that a repository declares: requirements files, setup.py, setup.cfg, pyproject.toml, conda's environment.yml."""

from __future__ import annotations

import ast
import configparser
import os
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import InvalidRequirement, Requirement
from packaging.utils import canonicalize_name

from .. import files
from ..compat.libraries.distributions import DISTRIBUTIONS, SAME_NAME
from ..findings import Location

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_ON_PYPI = frozenset(canonicalize_name(name) for name in (*SAME_NAME, *DISTRIBUTIONS.values(), "theano", "pymc3", "keras", "lasagne"))
_CONDA = re.compile(r"^\s*-\s*['\"]?(?P<name>[A-Za-z][\w.-]*)\s*(?P<operator>[=<>!~]{1,2})?\s*(?P<version>[\w.*]+)?", re.MULTILINE)
_REQUIREMENTS = re.compile(r"(?!.*(doc|dev|test|lint))(requirements.*\.(txt|in|pip)|.*requirements\.txt)", re.IGNORECASE)


@dataclass(frozen=True)
class DeclaredRequirement:
    """A requirement that a file of the repository declares."""

    name: str
    """Name of the distribution, normalised as in PEP 503."""
    specifier: str
    """Its version condition, such as `==0.8.2`; empty if there is none."""
    location: Location


def declared_requirements(folder: str) -> tuple[DeclaredRequirement, ...]:
    """Returns the requirements that files in `folder` declare, each distribution once; lines that cannot be parsed are ignored."""
    by_name: dict[str, DeclaredRequirement] = {}
    for path in sorted(Path(folder).iterdir() if Path(folder).is_dir() else (), key=lambda path: path.name):
        read = _reader(path.name)
        if read is None or not path.is_file():
            continue
        try:
            text = files.read_plain(str(path), files.CONFIGURATION).decode("utf-8", "replace")
        except OSError:
            continue
        shown = os.path.relpath(path)
        for line, entry in read(text):
            one = _parsed(entry, Location(shown, line))
            if one is not None:
                by_name.setdefault(one.name, one)
    return tuple(by_name.values())


def _reader(name: str) -> Callable[[str], Iterator[tuple[int | None, str]]] | None:
    """The function that yields (line number or None, requirement) for a file of this name; None for other files."""
    if _REQUIREMENTS.fullmatch(name):
        return _from_requirements
    by_name = {"setup.py": _from_setup, "setup.cfg": _from_cfg, "pyproject.toml": _from_pyproject}
    return by_name.get(name) or (_from_conda if re.fullmatch(r"(environment|conda).*\.ya?ml", name) else None)


def _parsed(entry: str, location: Location) -> DeclaredRequirement | None:
    try:
        requirement = Requirement(entry)
    except InvalidRequirement:
        return None
    return DeclaredRequirement(canonicalize_name(requirement.name), str(requirement.specifier), location)


def _from_requirements(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.splitlines(), 1):
        entry = re.sub(r"(^|\s)#.*", "", line).strip()
        egg = re.search(r"[#&]egg=([\w.-]+)", line)
        if egg:
            yield number, egg[1]
        elif entry and not entry.startswith("-"):
            yield number, entry.partition(" --")[0]


def _from_setup(text: str) -> Iterator[tuple[int, str]]:
    """The strings in a list `install_requires` or `requirements`, as an argument or a variable."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError):
        return
    named = re.compile(r"(install_)?requires?|requirements|dependencies|install_reqs?")
    for node in ast.walk(tree):
        argument = isinstance(node, ast.keyword) and node.arg == "install_requires"
        target = node.targets[0] if isinstance(node, ast.Assign) else None
        if argument or (isinstance(target, ast.Name) and named.fullmatch(target.id.lower())):
            for part in getattr(node.value, "elts", ()):  # type: ignore[attr-defined]
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield part.lineno, part.value


def _from_cfg(text: str) -> Iterator[tuple[None, str]]:
    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    yield from ((None, entry.strip()) for entry in parser.get("options", "install_requires", fallback="").splitlines() if entry.strip())


def _from_pyproject(text: str) -> Iterator[tuple[None, str]]:
    try:
        document: dict[str, Any] = tomllib.loads(text)
        entries = [*document.get("project", {}).get("dependencies", ())]
        entries += document.get("tool", {}).get("poetry", {}).get("dependencies", ())
    except (TypeError, AttributeError, RecursionError, tomllib.TOMLDecodeError):
        return
    yield from ((None, str(entry)) for entry in entries if entry != "python")


def _from_conda(text: str) -> Iterator[tuple[int, str]]:
    """The entries of a conda environment that PyPI also has, with `=` as `==`: `- name`, `- name=1.2` or `- name>=1.2`."""
    start = text.find("dependencies:")
    for match in _CONDA.finditer(text, start) if start >= 0 else ():
        operator = {"=": "==", None: ""}.get(match["operator"], match["operator"])
        number = text.count("\n", 0, match.start("name")) + 1
        if canonicalize_name(match["name"]) in _ON_PYPI:
            yield number, f"{match['name']}{operator}{match['version']}" if operator and match["version"] else match["name"]

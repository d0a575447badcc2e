"""The fixed versions of what development needs are those that setup.py allows, for every Python that is supported."""

from __future__ import annotations

import ast
import re

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement

from ..interpreters import ROOT

LINES = [line for line in (ROOT / "tools" / "constraints.txt").read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
LOCKED = [Requirement(line) for line in LINES]


def wanted() -> list[Requirement]:
    """What setup.py names for the package itself, for development and for the documents."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    test = next(n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "TEST")
    call = next(
        n.value for n in tree.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) and ast.unparse(n.value.func) == "setup"
    )
    given = {k.arg: k.value for k in call.keywords}
    extras = given["extras_require"]
    assert isinstance(extras, ast.Dict)
    named = {ast.literal_eval(key): value for key, value in zip(extras.keys, extras.values) if key is not None}
    lists = (test, given["install_requires"], named["dev"], named["docs"])
    return [Requirement(n.value) for one in lists for n in ast.walk(one) if isinstance(n, ast.Constant) and isinstance(n.value, str)]


def normal(name: str) -> str:
    """As packages are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_line_is_one_version() -> None:
    """And nothing comes from an address."""
    assert len(LOCKED) > 50
    assert [r for r in LOCKED if not re.fullmatch(r"==[^*]+", str(r.specifier)) or r.url] == []


@pytest.mark.parametrize("version", ["3.9", "3.10", "3.11", "3.12", "3.13", "3.14"])
def test_each_requirement_has_one_that_is_allowed(version: str) -> None:
    """On each Python exactly one version, within what setup.py asks for."""
    around = {**default_environment(), "python_version": version, "python_full_version": f"{version}.1"}
    asked = [r for r in wanted() if r.marker is None or r.marker.evaluate(around)]
    assert {"rich", "pytest", "ruff", "mkdocs"} <= {normal(r.name) for r in asked}
    for requirement in asked:
        found = [r for r in LOCKED if normal(r.name) == normal(requirement.name) and (r.marker is None or r.marker.evaluate(around))]
        assert len(found) == 1, requirement
        (pin,) = found[0].specifier
        assert requirement.specifier.contains(pin.version), (requirement, pin)

"""Names of functions that were given none."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag.capture.hook.naming import name_of

SOURCE = """
train = function([x], y)
self.test = function(
    [x],
    y)
a, b = function(x), 1
def make():
    return function([x],
                    y)
function([x], y)
if x:
    inner = function()
"""


@pytest.mark.parametrize(
    ("line", "function", "name"),
    [(2, None, "train"), (3, None, "test"), (5, None, "test"), (6, None, None), (8, "make", "make"), (10, None, None), (12, None, "inner")],
)
def test_the_name_is_the_assigned_variables(tmp_path: Path, line: int, function: str | None, name: str | None) -> None:
    """The target of the assignment around the call, or the function that returns it."""
    path = tmp_path / "m.py"
    path.write_text(SOURCE)
    assert name_of({"path": str(path), "line": line, "function": function}) == name


def test_no_source_no_name(tmp_path: Path) -> None:
    """A place whose source cannot be read gives no name."""
    assert name_of(None) is None
    assert name_of({"path": "<stdin>", "line": 1, "function": None}) is None
    (tmp_path / "m.py").write_text("def (")
    assert name_of({"path": str(tmp_path / "m.py"), "line": 1, "function": None}) is None

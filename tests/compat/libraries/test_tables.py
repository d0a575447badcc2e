"""pandas and SciPy as scripts of 2016 to 2021 call them, with the releases of today; scikit-learn with a module in its place."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from tests import interpreters
from tests.compat.pymc3.test_models import answers
from theanodiag.compat.libraries.old_libraries import _renamed

EXPECTED = {
    "positions": [["b", "c"], [3, 6], [3, 1, 0], [3, 3], [True, True, True], ["a", "b", "c"], [2], [3, 3], ["x", "", "z"]],
    "filled": [[1.0, 1.0, 2.0], [1.0, 1.0, 2.0], [1.0, 5.0, 2.0]],
    "deviation": [pytest.approx(10 / 9), [pytest.approx(10 / 9)]],
    "indicators": ["uint8", ["-", "-", "z"], ["x", "y", "z"]],
    "read": [[2015, 2015], 2015, True],
    "by position": [1, 2, 4, 6, 3],
    "in the table": [[2, 7, 4], ["q", "y", "z"], [1.0, 0.0, 2.0], [1, 0, 3]],
    "in another table": [[8, 8, 8], [0, 0], [9, 7, 4], [9, 7, 4]],
    "durations": [[2, 2, 7], [1, "2020-01-01 02:00:00", True], [365.2425, 60.8738], True],
    "counted": [["index", "kind"], ["n"], ["kind"]],
    "moved": True,
    "coded": [1, 0],
    "scipy": [1.4826, [[1, 2], [2, 1]], 0.3438, 8.0, [1.0]],
}


@pytest.mark.parametrize("name", interpreters.first(("pymc",), ("pymc", "pymc5")))
def test_tables_as_before(name: str) -> None:
    """Arguments by position, removed names, and what a column is set to, which is in its table and in no other."""
    script = str(Path(__file__).parent / "tables.py")
    done = interpreters.python(name, script, env={"PYTHONPATH": str(interpreters.ROOT), "PYTHONWARNINGS": "ignore"}, timeout=600)
    assert answers(done.stdout, done.stderr) == EXPECTED


def test_an_argument_of_scikit_learn_under_its_earlier_name() -> None:
    """`sparse` is `sparse_output` since 1.2."""

    class Encoder:
        def __init__(self, *, categories: str = "auto", sparse_output: bool = True) -> None:
            self.sparse_output = sparse_output

    module: Any = ModuleType("sklearn.preprocessing")
    module.OneHotEncoder = Encoder
    _renamed(module)
    assert module.OneHotEncoder(categories="auto", sparse=False).sparse_output is False
    assert module.OneHotEncoder(sparse_output=False).sparse_output is False

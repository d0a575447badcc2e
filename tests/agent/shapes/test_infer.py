"""Predicted shapes and values against what the frameworks' own machines compute, node by node."""

from __future__ import annotations

import ast
from typing import Any

import pytest

from tests.interpreters import ROOT, first
from tests.loaded_by_path import FRAMEWORKS, answer

SCRIPTS = "capture/scripts"
QUICK = ("theano", "aesara", "pytensor")
NAMES = first(QUICK, FRAMEWORKS)


def families() -> list[str]:
    """Names of the families, read from the script without running it."""
    tree = ast.parse((ROOT / "tests" / SCRIPTS / "families.py").read_text(encoding="utf-8"))
    return [n.name for n in tree.body if isinstance(n, ast.FunctionDef) and n.decorator_list]


@pytest.mark.parametrize("family", families())
@pytest.mark.parametrize("name", NAMES)
def test_predicted_shapes_are_the_real_ones(name: str, family: str) -> None:
    """No difference, no bound that is too low, no wrong value, and nothing unknown in any family that the framework has."""
    result: Any = answer(name, f"{SCRIPTS}/live_check.py")[family]
    if "missing" in result:
        pytest.skip(result["missing"])
    assert "failed" not in result, result["failed"]
    assert result["wrong"] == []
    assert result["counts"][0] > 0


@pytest.mark.parametrize("name", NAMES)
def test_most_families_exist_everywhere(name: str) -> None:
    """A framework that lost half of the families would make the comparison empty."""
    results: Any = answer(name, f"{SCRIPTS}/live_check.py")
    assert sum("counts" in r for r in results.values()) >= 30


@pytest.mark.parametrize("name", NAMES)
def test_shape_arithmetic_is_followed_exactly(name: str) -> None:
    """A quarter and more of all compared Variables are small values that are known without running."""
    results: Any = answer(name, f"{SCRIPTS}/live_check.py")
    counts = [r["counts"] for r in results.values() if "counts" in r]
    assert sum(c[3] for c in counts) > sum(c[0] for c in counts) / 4


@pytest.mark.parametrize("name", NAMES)
def test_only_what_data_decides_is_bounded(name: str) -> None:
    """Bounds appear with masks, unique values, branches and while loops, and nowhere else."""
    results: Any = answer(name, f"{SCRIPTS}/live_check.py")
    bounded = {family for family, r in results.items() if r.get("counts", [0, 0])[1]}
    assert bounded <= {"masks", "boolean_masks", "uniques", "scan_while", "ifelse"}
    assert {"masks", "uniques"} <= bounded


def case(name: str, which: str, signature: int = 0) -> Any:
    """What the table of a special function says of its outputs: [shape, bounded, value, reason] each."""
    tables: Any = answer(name, f"{SCRIPTS}/live_cases.py")[which]
    return tables[signature]


@pytest.mark.parametrize("name", NAMES)
class TestSpecialCases:
    """What is open, bounded or computed from data is told apart."""

    def test_an_input_without_a_shape_is_named(self, name: str) -> None:
        """The reason names the input; the number of dimensions and scalars are known all the same."""
        double, row, total, _ = case(name, "open input")
        assert double[0] == [None, None]
        assert double[3] == row[3] == "the shape of input x is not known"
        assert total[0] == []

    def test_a_size_that_nobody_gave_is_named(self, name: str) -> None:
        """A dimension that an integer argument decides is unknown without it, and the others are known."""
        assert case(name, "half open")[1][0] == [5, None]
        assert "depends on the value of n" in case(name, "half open")[1][3]

    def test_an_open_slice_is_at_most_the_whole(self, name: str) -> None:
        """`x[:n]` without n is a bound; with n it is exact."""
        assert case(name, "half open")[0][:2] == [[5, 3], True]
        assert case(name, "half open", 1)[0][:2] == [[2, 3], False]

    def test_what_nonzero_finds_is_bounded_and_stays_so(self, name: str) -> None:
        """Slices and rows by number inherit the bound; a sum over it is a scalar."""
        found, part, rows, total = case(name, "mask")
        assert [found[:2], part[:2], rows[:2]] == [[[20], True]] * 3
        assert total[:2] == [[], False]

    def test_shape_arithmetic_gives_values(self, name: str) -> None:
        """Sums, stacks and sizes of shapes are numbers, for each signature anew."""
        assert [row[2] for row in case(name, "arithmetic")] == [17, [5, 4][::-1], 20]
        assert [row[2] for row in case(name, "arithmetic", 1)] == [11, [2, 5], 10]

    def test_a_length_computed_from_data_is_unknown(self, name: str) -> None:
        """A sum of data decides the length: no number is made up."""
        length, _ = case(name, "data")
        assert length[0] == [None]
        assert "depends on the value of x" in length[3] or "what" in length[3]

    def test_a_reshape_follows_the_value_that_was_passed(self, name: str) -> None:
        """-1 is what is left of the size."""
        assert case(name, "data", 1)[1][0] == [2, 5, 2]
        assert case(name, "data")[1][0] == [None, None, None]

"""How dimensions combine, unknown as each engine writes it: None in the user's interpreter, an Unknown with its reason here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.agent.shapes.dimensions import Bound, agreed, joint, larger, product, remaining_dim, sliced
from theanodiag.ir import Unknown
from theanodiag.ir.shape import Dim

Written = Optional[tuple[str, int]]
"""("exact", n), ("bound", n), or None for a dimension that is not known."""
WRITTEN = st.none() | st.tuples(st.sampled_from(["exact", "bound"]), st.integers(0, 3))


def live(dims: Sequence[Written]) -> list[int | None]:
    """As the live engine writes dimensions."""
    return [None if d is None else Bound(d[1]) if d[0] == "bound" else d[1] for d in dims]


def frozen(dims: Sequence[Written]) -> list[Dim]:
    """As the frozen engine writes them."""
    return [Unknown("?") if d is None else Bound(d[1]) if d[0] == "bound" else d[1] for d in dims]


def written(dim: object) -> Written:
    """A dimension of either."""
    if dim is None or isinstance(dim, Unknown):
        return None
    assert isinstance(dim, int)
    return ("bound" if isinstance(dim, Bound) else "exact", int(dim))


@pytest.mark.parametrize(
    ("dims", "made"),
    [
        ([("bound", 5), ("exact", 1)], ("bound", 5)),
        ([("exact", 1), ("bound", 5)], ("bound", 5)),
        ([("exact", 1), None], None),
        ([None, ("exact", 1)], None),
        ([None, ("exact", 4)], ("exact", 4)),
        ([("bound", 5), ("exact", 4), None], ("exact", 4)),
        ([("bound", 5), ("bound", 7)], ("bound", 7)),
        ([("exact", 1), ("exact", 1)], ("exact", 1)),
        ([], ("exact", 1)),
    ],
)
def test_elementwise(dims: list[Written], made: Written) -> None:
    """1 is stretched by what is not known or only bounded, whatever the order."""
    assert written(joint(live(dims))) == written(joint(frozen(dims))) == made


@pytest.mark.parametrize(
    ("dims", "made"),
    [
        ([("bound", 5), ("exact", 1)], ("exact", 1)),
        ([None, ("exact", 1)], ("exact", 1)),
        ([None, ("bound", 5), ("bound", 4)], ("bound", 4)),
        ([None, None], None),
    ],
)
def test_arrays_that_must_agree(dims: list[Written], made: Written) -> None:
    """Nothing is stretched in a Join: what is known of one holds for all."""
    assert written(agreed(live(dims))) == written(agreed(frozen(dims))) == made


@given(st.lists(WRITTEN, max_size=4))
def test_both_engines_combine_alike(dims: list[Written]) -> None:
    """Any dimensions, in any order."""
    for function in (joint, agreed, product):
        assert written(function(live(dims))) == written(function(frozen(dims)))


@given(WRITTEN, WRITTEN)
def test_both_branches(a: Written, b: Written) -> None:
    """What holds both branches of an IfElse is exact only where both are, and the same."""
    made = written(larger(*frozen([a, b])))
    assert written(larger(*live([a, b]))) == made
    assert made == (None if a is None or b is None else a if a == b and a[0] == "exact" else ("bound", max(a[1], b[1])))


NUMBERS = st.none() | st.integers(-5, 5)


@given(WRITTEN, NUMBERS, NUMBERS, st.sampled_from([None, 1, 2, -1]))
def test_slices(dim: Written, start: int | None, stop: int | None, step: int | None) -> None:
    """Exact as Python has it; of a bound never less than any length below it gives."""
    (mine,), (theirs,) = live([dim]), frozen([dim])
    made = written(sliced(theirs, start, stop, step, False))
    assert written(sliced(mine, start, stop, step, False)) == made
    lengths = range(12) if dim is None else range(dim[1] + 1) if dim[0] == "bound" else [dim[1]]
    longest = max(len(range(n)[start:stop:step]) for n in lengths)
    if dim is not None and dim[0] == "exact":
        assert made == ("exact", longest)
    elif made is not None:
        assert made[0] == "bound"
        assert made[1] >= longest


@given(st.lists(WRITTEN, max_size=3), st.lists(WRITTEN, max_size=3))
def test_what_minus_one_stands_for(dims: list[Written], others: list[Written]) -> None:
    """Alike in both; the lists that are given stay as they are."""
    mine, rest = live(dims), live(others)
    assert written(remaining_dim(mine, rest)) == written(remaining_dim(frozen(dims), frozen(others)))
    assert (mine, rest) == (live(dims), live(others))

"""How dimensions combine: the engine that runs in the user's interpreter and the one that runs here give the same."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Optional

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.capture.hook import live_inner, live_rules
from theanodiag.capture.hook.live_state import LiveBound as LiveBound
from theanodiag.ir import Unknown
from theanodiag.ir.shape import Dim
from theanodiag.shapes import bound, inner

Written = Optional[tuple[str, int]]
"""("exact", n), ("bound", n), or None for a dimension that is not known."""
WRITTEN = st.none() | st.tuples(st.sampled_from(["exact", "bound"]), st.integers(0, 3))


def live(dims: Sequence[Written]) -> list[int | None]:
    """As the live engine writes dimensions."""
    return [None if d is None else LiveBound(d[1]) if d[0] == "bound" else d[1] for d in dims]


def frozen(dims: Sequence[Written]) -> list[Dim]:
    """As the frozen engine writes them."""
    return [Unknown("?") if d is None else bound.Bound(d[1]) if d[0] == "bound" else d[1] for d in dims]


def written(dim: object) -> Written:
    """A dimension of either."""
    if dim is None or isinstance(dim, Unknown):
        return None
    assert isinstance(dim, int)
    return ("bound" if isinstance(dim, (LiveBound, bound.Bound)) else "exact", int(dim))


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
    assert written(live_rules.joint(live(dims))) == written(bound.joint(frozen(dims))) == made


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
    assert written(live_rules.agreed(live(dims))) == written(bound.agreed(frozen(dims))) == made


@given(st.lists(WRITTEN, max_size=4))
def test_both_engines_combine_alike(dims: list[Written]) -> None:
    """Any dimensions, in any order."""
    assert written(live_rules.joint(live(dims))) == written(bound.joint(frozen(dims)))
    if dims:
        assert written(live_rules.agreed(live(dims))) == written(bound.agreed(frozen(dims)))


@given(WRITTEN, WRITTEN)
def test_both_engines_hold_both_branches_alike(a: Written, b: Written) -> None:
    """An IfElse is exact only where both branches are, and the same."""
    (x, y), (v, w) = live([a, b]), frozen([a, b])
    (mine,), (theirs,) = live_inner.larger((x,), (y,)), _shape(inner.larger((v,), (w,)))
    assert written(mine) == written(theirs)


def _shape(shape: object) -> tuple[Dim, ...]:
    assert isinstance(shape, tuple)
    return shape

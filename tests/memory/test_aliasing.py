"""What may share memory."""

from __future__ import annotations

from theanodiag.memory.execution_plan import alias_sets, may_share_memory

from .graphs import INPLACE, PLAIN, VIEW, Sketch


def chain() -> tuple[Sketch, list[int]]:
    """A value, a view of it, the view overwritten, and something else."""
    s = Sketch()
    x = s.shared((2, 2))
    (a,) = s.apply(PLAIN, [x], (2, 2))
    (b,) = s.apply(VIEW, [a], (2, 2))
    (c,) = s.apply(INPLACE, [b], (2, 2))
    (d,) = s.apply(PLAIN, [c], (2, 2))
    return s, [x, a, b, c, d]


def test_views_and_overwritten_values_are_one_set() -> None:
    """All that is made from a value without new memory stands for it."""
    s, (_, a, b, c, d) = chain()
    assert alias_sets(s.graph([d])) == {b: a, c: a}


def test_sharing_goes_both_ways() -> None:
    """From a view to its base and from there to the other views."""
    s, (_, a, b, c, d) = chain()
    assert may_share_memory(s.graph([b]), [b]) == {a, b, c}
    assert may_share_memory(s.graph([d]), [d]) == {d}

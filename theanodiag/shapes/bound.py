"""Dimensions as the rules compute with them: exact, an upper bound, or Unknown; and how they combine."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from ..ir.shape import Dim, Shape, Unknown


class Bound(int):
    """An upper bound of a dimension whose real size depends on data."""


class NoShape(Exception):
    """A rule cannot say anything; its text is the reason."""


def lift(function: Callable[..., int], *dims: Dim) -> Dim:
    """`function` of dimensions, where a larger one never makes the result smaller: Unknown stays Unknown, a bound stays a bound."""
    unknown = next((d for d in dims if isinstance(d, Unknown)), None)
    if unknown is not None:
        return unknown
    result = function(*(int(d) for d in dims if not isinstance(d, Unknown)))
    return Bound(result) if any(isinstance(d, Bound) for d in dims) else result


def product(dims: Iterable[Dim]) -> Dim:
    """Product of dimensions; an exact 0 wins."""
    total: Dim = 1
    for d in dims:
        if not isinstance(d, (Unknown, Bound)) and d == 0:
            return 0
        total = lift(int.__mul__, total, d)
    return total


def total(dims: Iterable[Dim]) -> Dim:
    """Sum of dimensions."""
    result: Dim = 0
    for d in dims:
        result = lift(int.__add__, result, d)
    return result


def joint(dims: Sequence[Dim]) -> Dim:
    """The dimension that those of several operands of an elementwise operation make together.

    One that is known and not 1 is the result, whatever the others are: the program would be wrong otherwise. Otherwise 1 may be
    stretched by what is not known or only bounded: Aesara broadcasts whatever has the length 1 when it runs.
    """
    unknown, bound = None, None
    for d in dims:
        if isinstance(d, Unknown):
            unknown = unknown or d
        elif isinstance(d, Bound):
            bound = d if bound is None else max(bound, d)
        elif d != 1:
            return d
    return unknown or (1 if bound is None else bound)


def agreed(dims: Sequence[Dim]) -> Dim:
    """The dimension of several arrays that must have the same: what is known of any of them holds for all."""
    known = [d for d in dims if not isinstance(d, Unknown)]
    exact = next((d for d in known if not isinstance(d, Bound)), None)
    if exact is not None:
        return exact
    return min(known) if known else next(iter(dims), 1)


def broadcast(shapes: Sequence[Shape]) -> Shape:
    """The shape that operands make together, as numpy aligns them: at the right."""
    ndim = max((len(s) for s in shapes), default=0)
    padded = [(1,) * (ndim - len(s)) + tuple(s) for s in shapes]
    return tuple(joint(column) for column in zip(*padded))

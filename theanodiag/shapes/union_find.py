"""Dimensions that must have one length, put together, and what that length is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir import Shape, ShapeTable, Type, Unknown
from .state import sized


class Lengths:
    """The dimensions of the Variables of a graph. Each has a number; those of one length form a tree, whose root stands for them."""

    def __init__(self, types: Sequence[Type]) -> None:
        self._ranks = [kind.ndim if sized(kind) else 0 for kind in types]
        static = [d for kind, rank in zip(types, self._ranks) if rank for d in kind.shape]
        self._is_one = [d == 1 for d in static]
        self._above = list(range(len(static)))
        self._first, number = [], 0
        for rank in self._ranks:
            self._first.append(number)
            number += rank

    def join(self, a: int, i: int, b: int, k: int, count: int = 1) -> None:
        """From the i-th of Variable `a` and the k-th of `b` on, `count` dimensions have the same lengths, but for what is 1 by its type.
        Those that a Variable does not have are left out."""
        count = min(count, self._ranks[a] - i, self._ranks[b] - k) if min(i, k) >= 0 else 0
        p, q, is_one, above = self._first[a] + i, self._first[b] + k, self._is_one, self._above
        while count > 0:
            if not is_one[p] and not is_one[q]:
                one, other = self._root(p), self._root(q)
                if one < other:  # what was there first stands for all: the trees stay flat
                    above[other] = one
                else:
                    above[one] = other
            p, q, count = p + 1, q + 1, count - 1

    def alike(self, variables: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
        """Pairs of dimensions of `variables` that have one length: the place of a Variable and which of its dimensions, then the other."""
        first: dict[int, tuple[int, int]] = {}
        for at, v in enumerate(variables):
            for k in range(self._ranks[v]):
                known = first.setdefault(self._root(self._first[v] + k), (at, k))
                if known != (at, k):
                    yield (*known, at, k)

    def _root(self, number: int) -> int:
        above = self._above
        while (up := above[number]) != number:
            above[number] = number = above[up]
        return number

    def told(self, table: ShapeTable, variables: Sequence[int]) -> Iterator[tuple[int, Shape]]:
        """Those of `variables` of which a dimension follows that `table` does not have, with all that is known of them then.

        It follows where exactly one length is known of those that are the same. 1 says nothing: some versions stretch it.
        """
        rows = [(v, self._dims(table, v)) for v in variables]
        known: dict[int, set[int]] = {self._root(self._first[v] + k): set() for v, dims in rows for k in range(len(dims))}
        for v, shape in table.shapes.items() if known else ():
            if isinstance(shape, Unknown) or int not in map(type, shape) or len(shape) != self._ranks[v] or v in table.bounded:
                continue
            for number, d in enumerate(shape, self._first[v]):
                if isinstance(d, int) and (found := known.get(self._root(number))) is not None:
                    found.add(d)
        for v, dims in rows:
            lengths = [known[self._root(number)] for number in range(self._first[v], self._first[v] + len(dims))]
            new = {k: n for k, (d, n) in enumerate(zip(dims, lengths)) if isinstance(d, Unknown) and len(n) == 1 and 1 not in n}
            if new:
                yield v, tuple([next(iter(new[k])) if k in new else d for k, d in enumerate(dims)])

    def _dims(self, table: ShapeTable, variable: int) -> Shape:
        """What is known of a Variable, for each dimension of its type; nothing where its shape has others."""
        shape, rank = table.shape(variable), self._ranks[variable]
        if isinstance(shape, Unknown):
            return (shape,) * rank
        return shape if len(shape) == rank else ()

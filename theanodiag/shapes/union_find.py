"""Union-find over dimensions that must have equal lengths, and the lengths that follow."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..ir import Shape, ShapeTable, Type, Unknown
from .state import sized


class Lengths:
    """The dimensions of a graph's Variables in disjoint sets of equal length, kept as trees over dimension numbers."""

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
        """Unites `count` dimensions, from number `i` of Variable `a` and number `k` of `b` on, except those that a type fixes at 1.

        Dimensions that a Variable does not have are left out.
        """
        count = min(count, self._ranks[a] - i, self._ranks[b] - k) if min(i, k) >= 0 else 0
        p, q, is_one, above = self._first[a] + i, self._first[b] + k, self._is_one, self._above
        while count > 0:
            if not is_one[p] and not is_one[q]:
                one, other = self._root(p), self._root(q)
                if one < other:  # the lower number becomes the root, which keeps the trees flat
                    above[other] = one
                else:
                    above[one] = other
            p, q, count = p + 1, q + 1, count - 1

    def alike(self, variables: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
        """Pairs of dimensions of `variables` in one set: (index of a Variable, its dimension, index of another, its dimension)."""
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
        """New shapes of those of `variables` in which a dimension follows that is Unknown in `table`.

        It follows where exactly one length is known in its set. A length of 1 proves nothing: some versions broadcast it.
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
        """The known dimensions of a Variable, one for each of its type; empty where its shape has another number."""
        shape, rank = table.shape(variable), self._ranks[variable]
        if isinstance(shape, Unknown):
            return (shape,) * rank
        return shape if len(shape) == rank else ()

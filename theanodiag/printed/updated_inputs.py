"""Finds inputs of a printed function that may be shared variables which it updates; no text says so."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence

from ..ir import Constant, Type, Variable
from .overwritten import Plan
from .trained_values import adds


def updatable(plan: Plan) -> list[int]:
    """Inputs that may be updated, each by one of the last outputs, from the last output backwards."""
    leaves = _Leaves(plan.variables)
    for result in reversed(plan.arrays):
        made = plan.variables[result]
        if not leaves.take(made, _near(plan, made)):
            break
    return list(leaves.taken)


def _near(plan: Plan, made: Variable) -> Iterator[int]:
    """Yields the inputs of the node that makes an output, those to which it adds something first."""
    node = made.owner
    if node is not None:
        inputs, out = plan.inputs[node], list(plan.outputs[node]).index(made.id)
        yield from (v for at, v in enumerate(inputs) if adds(plan, node, out, at))
        yield from inputs


class _Leaves:
    """The inputs of a function by type, with fast access to the next one of each type."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.taken: dict[int, None] = {}
        self._variables = variables
        self._of_type: dict[Type, deque[int]] = {}
        self._kinds: dict[Type, list[Type]] = {}
        for v in variables:
            if v.owner is None and not isinstance(v, Constant):
                self._of_type.setdefault(v.type, deque()).append(v.id)

    def take(self, made: Variable, inputs: Iterator[int]) -> bool:
        """Takes the input whose new value `made` may be: the first suitable one of `inputs`, else the first at all. False for none."""
        kinds = self._that_could_be(made.type)
        if not kinds:
            return False
        near = (v for v in inputs if v not in self.taken and self._is_leaf(v) and self._variables[v].type in kinds)
        found = next(near, None)
        if found is None:
            found = min((first for kind in kinds if (first := self._first(self._of_type[kind])) is not None), default=None)
        if found is not None:
            self.taken[found] = None
        return found is not None

    def _that_could_be(self, made: Type) -> list[Type]:
        """The types of inputs that an output of type `made` can update."""
        kinds = self._kinds.get(made)
        if kinds is None:
            kinds = self._kinds[made] = [kind for kind in self._of_type if _could_be(kind, made)]
        return kinds

    def _is_leaf(self, v: int) -> bool:
        return self._variables[v].owner is None and not isinstance(self._variables[v], Constant)

    def _first(self, left: deque[int]) -> int | None:
        while left and left[0] in self.taken:
            left.popleft()
        return left[0] if left else None


def _could_be(leaf: Type, made: Type) -> bool:
    """Whether an output of type `made` can be the new value of an input of type `leaf`."""
    fits = leaf.dtype == made.dtype and leaf.ndim == made.ndim
    return leaf.dtype is not None and fits and all(x is None or y is None or x == y for x, y in zip(leaf.shape, made.shape))

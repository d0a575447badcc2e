"""Assertions in JAX: conditions are computed with the outputs and tested after each call; PyTensor leaves them out.

A condition that is known while JAX compiles is tested there; one inside a loop or a branch is not tested.
"""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
from pytensor.link.jax.dispatch import jax_funcify
from pytensor.raise_op import CheckAndRaise


class _Met:
    """Conditions collected while a function is traced: number -> (Op, values)."""

    def __init__(self) -> None:
        self.depth = 0
        self.conditions: dict[int, Any] = {}


_met = _Met()


def nested(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function`, made of a graph, counting how deeply it is nested in other graphs' loops."""

    def run(*values: Any) -> Any:
        _met.depth += 1
        try:
            return function(*values)
        finally:
            _met.depth -= 1

    return run


@jax_funcify.register(CheckAndRaise)
def _check(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def check(x: Any, *conditions: Any) -> Any:
        unknown = [c for c in conditions if isinstance(c, jax.core.Tracer)]
        if not all(np.all(c) for c in conditions if not isinstance(c, jax.core.Tracer)):
            raise op.exc_type(op.msg)
        if unknown and _met.depth == 1:
            _met.conditions[len(_met.conditions)] = (op, [c.all() for c in unknown])
        return x

    return check


class Checked:
    """Makes functions that also return their conditions, by number, and knows the Op that each belongs to."""

    def __init__(self) -> None:
        self.ops: dict[int, Any] = {}

    def returning(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """A function that returns (outputs of `function`, its conditions)."""

        def run(*values: Any) -> Any:
            _met.depth, _met.conditions = 0, {}
            try:
                outputs = function(*values)
                met = _met.conditions
            finally:
                _met.depth, _met.conditions = 0, {}
            self.ops.update((place, op) for place, (op, _) in met.items())
            return outputs, {place: conditions for place, (_, conditions) in met.items()}

        return run

    def outputs(self, returned: Any) -> Any:
        """Outputs out of what a function of `returning` returned; raises the Op's error where a condition does not hold."""
        outputs, conditions = returned
        for place, values in conditions.items():
            if not all(bool(v) for v in values):
                raise self.ops[place].exc_type(self.ops[place].msg)
        return outputs

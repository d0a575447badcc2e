"""Run-time conditions in JAX: a compiled function returns them with its outputs, and they are checked after each call.

XLA raises no errors: for an index out of range it reads the nearest element, and it drops writes to it. A condition in the step of a loop
becomes a check of `jax.experimental.checkify`, which carries it out of the loop.
"""

import functools
from collections.abc import Callable
from typing import Any, NamedTuple, Optional

import jax.numpy as jnp
import numpy as np
from jax.experimental import checkify
from pytensor.compile.builders import OpFromGraph
from pytensor.link.jax.dispatch import jax_funcify
from pytensor.raise_op import CheckAndRaise

from .base import known

_Make = Callable[..., Exception]


class _Met:
    """The conditions collected while a function is traced. Nothing is collected if nobody checks them."""

    def __init__(self, read: bool = False) -> None:
        self.read = read
        self.depth = 0
        self.step: Optional[int] = None
        """Nesting depth of the loop step whose conditions are being carried out of the loop."""
        self.conditions: dict[int, list[Any]] = {}
        """(whether it holds, values for its error) of each, by the `id` of what makes the error."""
        self.loops: list[Any] = []
        """What checkify carried out of each loop."""
        self.makers: dict[int, _Make] = {}


_met = _Met()


def required() -> bool:
    """Returns whether conditions are checked after the calls of the function that is traced. For exported functions they are not."""
    return _met.read


def nested(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps `function`, made from a graph, so that it counts how deeply it is nested in the loops of other graphs. Attributes such as
    `__source__` are kept.
    """

    @functools.wraps(function)
    def run(*values: Any) -> Any:
        _met.depth += 1
        try:
            return function(*values)
        finally:
            _met.depth -= 1

    return run


def require(holds: Any, error: _Make, *values: Any) -> None:
    """Raises `error(*values)` if `holds` is false: immediately if both are known, else after the call of the traced function.

    Functions that JAX itself traces, and functions that it maps over a batch, have no conditions; only the step of a loop has.
    """
    if not required() or type(holds).__name__ == "BatchTracer":
        return
    if known((holds, *values)):
        if not holds:
            raise error(*values)
        return
    if _met.depth == 1:
        _met.conditions.setdefault(id(error), []).append((holds, values))
    elif _met.depth == _met.step:
        checkify.check(holds, str(id(error)) + " {}" * len(values), *map(jnp.asarray, values))
    _met.makers[id(error)] = error


def carrying(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps `loop`, which runs the step of a Scan repeatedly, so that the conditions of its steps are passed out of it."""

    def run(*values: Any) -> Any:
        if not required():
            return loop(*values)
        outside, _met.step = _met.step, _met.depth + 1
        try:
            failed, outputs = checkify.checkify(lambda: loop(*values))()
        finally:
            _met.step = outside
        if _met.depth == 1:
            _met.loops.append(failed)
        elif _met.depth == outside:
            checkify.check_error(failed)
        return outputs

    return run


class Returned(NamedTuple):
    """The result of a function whose conditions are checked. `theanodiag check --confirm jax` recognises it by its attributes."""

    outputs: Any
    """Outputs of the graph."""
    conditions: dict[int, list[Any]]
    """`id` of the function that creates the error -> (whether the condition holds, values for the error) of each condition."""
    loops: list[Any]
    """The checkify errors carried out of loops."""


class Checked:
    """Wraps functions so that they return their conditions too. Raises the error of a condition that does not hold."""

    def __init__(self) -> None:
        self.makers: dict[int, _Make] = {}

    def returning(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """Returns a function that returns the outputs of `function` and its conditions as a `Returned`."""

        def run(*values: Any) -> Returned:
            global _met
            outside, _met = _met, _Met(read=True)
            try:
                outputs = function(*values)
                self.makers.update(_met.makers)
                return Returned(outputs, _met.conditions, _met.loops)
            finally:
                _met = outside

        return run

    def outputs(self, returned: Returned) -> Any:
        """Returns the outputs in the result of a function that `returning` made. Raises the error of a condition that does not hold."""
        for key, met in returned.conditions.items():
            for holds, values in met:
                if not holds:
                    raise self.makers[key](*values)
        for loop in returned.loops:
            failed = loop.get_exception()
            if failed is not None:
                raise self.makers[int(failed.fmt_string.partition(" ")[0])](*failed.args)
        return returned.outputs


_plain = jax_funcify.dispatch(OpFromGraph)


@jax_funcify.register(OpFromGraph)
def _of_graph(op: Any, node: Any = None, **kwargs: Any) -> Any:
    function = _plain(op, node=node, **kwargs)

    def of_graph(*values: Any) -> Any:
        _met.depth -= 1  # its nodes are traced with those of the graph that contains it
        try:
            return function(*values)
        finally:
            _met.depth += 1

    return of_graph


@jax_funcify.register(CheckAndRaise)
def _check(op: Any, node: Any = None, **kwargs: Any) -> Any:
    def error() -> Exception:
        raised: Exception = op.exc_type(op.msg)
        return raised

    def check(x: Any, *conditions: Any) -> Any:
        for condition in conditions:
            require(np.all(condition) if known(condition) else jnp.all(condition), error)
        return x

    return check

"""The mode that is chosen automatically (`theanodiag run --mode auto`): JAX, and C for a function that JAX cannot compute."""

import json
import os
from typing import Any, Callable, List

import pytensor
from pytensor.compile.executor import Function

fallen_back: List[str] = []
"""Names of the functions that run in C because JAX refused them."""


def automatic() -> bool:
    """Whether JAX was chosen for the user, who asked for no mode."""
    settings = os.environ.get("THEANODIAG_RUN")
    return bool(settings) and bool(json.loads(str(settings)).get("auto")) and pytensor.config.mode == "JAX"


def first_that_can(compiled: Callable[[Any], Any]) -> Any:
    """The function in JAX; in C where JAX has no such Op."""
    try:
        made = compiled(None)
    except NotImplementedError:
        made = compiled("CVM")
        fallen_back.append(str(made.name))
        return made
    made._in_c = lambda: compiled("CVM")
    return made


def call(function: Any, plain: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls a JAX function; where that fails and C does not, the function is C's from now on. State is as before a call that fails."""
    try:
        return plain(*args, **kwargs)
    except Exception as error:
        other = function._in_c()
        other._in_c = None
        function._in_c = None
        if any(given is not None and not shared for given, shared in _own_state(function)):
            raise
        try:
            out = Function.__call__(other, *args, **kwargs)
        except Exception:
            raise error from None
        fallen_back.append(str(function.name))
        for slot in Function.__slots__:
            setattr(function, slot, getattr(other, slot))
        return out


def _own_state(function: Any) -> Any:
    """For each input its default value, and whether that belongs to a shared variable."""
    return [(getattr(i, "value", None), getattr(i, "shared", False)) for i in function.maker.inputs]

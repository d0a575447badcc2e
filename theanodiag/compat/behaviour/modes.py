"""The mode chosen automatically (`theanodiag run --mode auto`): JAX, and C for what JAX cannot compute with the same result."""

import json
import os
import sys
from typing import Any, Callable, List

import pytensor
from pytensor.compile.executor import Function

fallen_back: List[str] = []
"""Names of the functions that run in C because JAX failed to compute them."""


def automatic() -> bool:
    """Returns whether JAX was chosen by `--mode auto`, not by the user."""
    settings = os.environ.get("THEANODIAG_RUN")
    return bool(settings) and bool(json.loads(str(settings)).get("auto")) and pytensor.config.mode == "JAX"


def first_that_can(compiled: Callable[[Any], Any]) -> Any:
    """Returns `compiled(None)`, a function in JAX, or `compiled("CVM")` if JAX lacks one of its Ops.

    If JAX computes other numbers than C on this machine, all later functions are compiled in C, and a message says so.
    """
    if not _same_numbers():
        pytensor.config.mode = "Mode"
        sys.stderr.write("theanodiag: JAX rounds denormal numbers to 0 on this machine: mode C\n")
        return compiled(None)
    try:
        fn = compiled(None)
    except NotImplementedError:
        fn = compiled("CVM")
        fallen_back.append(str(fn.name))
        return fn
    fn._in_c = lambda: compiled("CVM")
    return fn


def _same_numbers() -> bool:
    """Whether JAX gives the same numbers as C at both ends of the floating-point range on this machine."""
    from .. import backends  # registers with PyTensor, which is not set up yet when this module is imported

    with backends.streams_kept():
        backends.load("jax")
        from ..backends.jax.exact import works

        return works()


def call(function: Any, plain: Callable[..., Any], args: Any, kwargs: Any) -> Any:
    """Calls `function` in JAX. If that fails and the same call in C succeeds, the function runs in C from then on, with its state.

    The JAX error is raised if both fail.
    """
    try:
        return plain(*args, **kwargs)
    except Exception as error:
        other = function._in_c()
        other._in_c = None
        function._in_c = None
        for given, mine, its in zip(function.maker.inputs, function.input_storage, other.input_storage):
            if given.update is not None and not given.shared:
                its.storage[0] = mine.storage[0]
        other._take_from_jax()
        try:
            out = Function.__call__(other, *args, **kwargs)
        except Exception:
            raise error from None
        fallen_back.append(str(function.name))
        for slot in (*Function.__slots__, "_shared"):
            setattr(function, slot, getattr(other, slot))
        return out

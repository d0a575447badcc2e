"""`theanodiag.confirm(fn, inputs)`: runs a live function for real in a separate process and compares it with its prediction."""

from __future__ import annotations

import pickle
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ..confirmation import BEST
from ..devices import DeviceProfile
from ..errors import UnreadableError, UsageError
from ..processes.group import temporary
from ..report.model import Report
from ..requests import CheckRequest
from .check import check

CALLS = 3
"""Number of calls of the function; the memory that remains is measured after each."""
PROGRAM = """\
import importlib, os, pickle, sys
sys.setrecursionlimit(100000)
folder = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(folder, "function"), "rb") as file:
    root, name, specs, outputs, inputs = pickle.load(file)
lib = importlib.import_module(root)
state = [(v, lib.shared(value, name=v.name)) for v, update, value, known in specs if known]
updates = [(shared, update) for (v, update, value, known), (_, shared) in zip([s for s in specs if s[3]], state) if update is not None]
arguments = [v if value is None else lib.In(v, value=value) for v, update, value, known in specs if not known]
# Aesara and PyTensor keep the graph as it was rewritten, with operations in place.
fn = lib.function(arguments, outputs, updates=updates, givens=state, name=name, on_unused_input="ignore", accept_inplace=True)
for _ in range({calls}):
    fn(**inputs)
"""
"""The script that compiles the same expressions again and calls the function.

A compiled function that is pickled loses the information that its state was in shared variables.
"""
DEEP = 100000
"""Recursion limit for pickling graphs, which is recursive."""


def confirm(
    fn: object,
    inputs: Mapping[str, object] | None = None,
    device: str = BEST,
    *,
    gpu: str | DeviceProfile | None = None,
    repeat: int = 1,
    tight: bool = False,
    timeout: float | None = 600.0,
) -> Report:
    """Run the compiled function `fn` three times in a separate process and compare the measurement with the prediction.

    Args:
        fn: A compiled function of this interpreter.
        inputs: Name of an argument -> an array, or the shape of one (of zeros).
        device: `cuda`, `virtual`, `opencl`, `jax`, `torch`, `cpu`, or `best`: the best for this function's framework in this interpreter.
        gpu: The card ("k520"), size ("4 GiB") or profile that `virtual` simulates.
        repeat: Measured runs.
        tight: Also finds by trial the least device on which the function runs.
        timeout: Seconds for each run; None: no limit.

    Returns:
        The report; its field `confirmation` has the comparison, sizes in bytes.

    Raises:
        UnreadableError: The function cannot be pickled.
        UsageError: Inputs that the function does not have.
    """
    with temporary() as folder:
        script = _written(folder, fn, arguments(fn, inputs or {}))
        return check(CheckRequest(str(script), sys.executable, device=gpu, timeout=timeout, confirm=device, repeat=repeat, tight=tight))


def arguments(fn: object, inputs: Mapping[str, object]) -> dict[str, object]:
    """The arguments by name; an argument given by shape becomes zeros of the input's dtype. Raises UsageError for an unknown name."""
    import numpy

    variables = {spec.variable.name: spec.variable for spec in getattr(getattr(fn, "maker", None), "inputs", ())}
    values: dict[str, object] = {}
    for name, value in inputs.items():
        if name not in variables:
            known = ", ".join(sorted(str(n) for n in variables if n))
            raise UsageError(f"the function has no argument {name!r}", help=f"it has {known or 'none with a name'}")
        shape = isinstance(value, (tuple, list)) and all(isinstance(n, int) for n in value)
        values[name] = numpy.zeros(value, variables[name].type.dtype) if shape else value
    return values


def expressions(fn: Any) -> tuple[str, str | None, list[tuple[object, object, object, bool]], list[object]]:
    """What a compiled function was made from: framework, name, (variable, update, value, whether it is state) for each input, and
    outputs."""
    maker = getattr(fn, "maker", None)
    if maker is None:
        raise UnreadableError("this is not a compiled function of Theano, Aesara or PyTensor")
    specs = [(s.variable, s.update, _value(s), s.value is not None and bool(s.implicit)) for s in maker.inputs]
    outputs = [getattr(o, "variable", o) for o in (maker.outputs if isinstance(maker.outputs, (list, tuple)) else [maker.outputs])]
    return type(maker.fgraph).__module__.split(".")[0], getattr(fn, "name", None), specs, outputs


def _value(spec: Any) -> object:
    """The value of an input: a host array, or a random generator."""
    import numpy

    value = spec.value.storage[0] if hasattr(spec.value, "storage") else spec.value
    return numpy.asarray(value) if hasattr(type(value), "gpudata") else value


def _written(folder: Path, fn: object, given: Mapping[str, object]) -> Path:
    """Writes the script that compiles the function again and calls it; returns its path."""
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, DEEP))
    try:
        content = pickle.dumps((*expressions(fn), dict(given)), protocol=2)
    except (pickle.PicklingError, AttributeError, TypeError, RecursionError) as error:
        raise UnreadableError(f"the function cannot be pickled: {error}", help="confirm the script that makes it instead") from None
    finally:
        sys.setrecursionlimit(before)
    (folder / "function").write_bytes(content)
    script = folder / "function.py"
    script.write_text(PROGRAM.format(calls=CALLS), encoding="utf-8")
    return script

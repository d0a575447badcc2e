"""theanodiag.confirm on a live function of the framework in this interpreter."""

from __future__ import annotations

import importlib.util
import json
from typing import Any

import pytest

import theanodiag

NAME = next((n for n in ("theano", "aesara", "pytensor") if importlib.util.find_spec(n)), None)
if NAME is None:
    pytest.skip("needs theano, aesara or pytensor beside theanodiag", allow_module_level=True)


def made() -> Any:
    """A function with state that it changes."""
    import numpy

    lib: Any = importlib.import_module(str(NAME))
    tensor: Any = importlib.import_module(f"{NAME}.tensor")
    x, W = tensor.matrix("x", dtype="float32"), lib.shared(numpy.ones((64, 32), "float32"), "W")
    return lib.function([x], tensor.tanh(tensor.dot(x, W)).sum(), updates=[(W, W * 2)], name="f")


def test_a_live_function_runs_in_a_process_of_its_own() -> None:
    """Its state counts, and stays what it is here."""
    fn = made()
    report = theanodiag.confirm(fn, {"x": (128, 64)}, device="cpu")
    confirmation = report.confirmation
    assert confirmation is not None
    (found,) = confirmation.functions
    rows = [{v.name: v for v in row} for row in found.calls]
    assert [row["live_after_bytes"].measured for row in rows] == [64 * 32 * 4] * 3
    assert {v.error_bytes for row in found.calls for v in row} <= {0, None}
    assert float(fn.get_shared()[0].get_value()[0, 0]) == 1.0
    assert " ".join(str(confirmation).split()) in " ".join(str(report).split())
    assert json.loads(confirmation.to_json()) == json.loads(report.to_json())["confirmation"]


def test_an_argument_that_has_a_value_may_be_left_out() -> None:
    """As in a call of the function."""
    import numpy

    lib: Any = importlib.import_module(str(NAME))
    tensor: Any = importlib.import_module(f"{NAME}.tensor")
    x, rate = tensor.vector("x", dtype="float32"), tensor.scalar("rate", dtype="float32")
    try:
        given = lib.In(rate, value=numpy.float32(0.5))
    except ValueError:
        pytest.skip("arguments have no values in this version")
    fn = lib.function([x, given], (x * rate).sum(), name="f")
    confirmation = theanodiag.confirm(fn, {"x": (30,)}, device="cpu").confirmation
    assert confirmation is not None
    assert confirmation.notes == ()
    assert [len(f.calls) for f in confirmation.functions] == [3]


def test_wrong_inputs_and_wrong_functions() -> None:
    """Each with what to do."""
    with pytest.raises(theanodiag.UsageError, match="no argument 'z'"):
        theanodiag.confirm(made(), {"z": (1,)}, device="cpu")
    with pytest.raises(theanodiag.UnreadableError, match="not a compiled function"):
        theanodiag.confirm(object(), device="cpu")

"""Causes by the class of an exception and the file that raised it, whatever words it has."""

from __future__ import annotations

import pytest

from theanodiag.logs import Cause, explain_log

FRAME = (
    'Traceback (most recent call last):\n  File "m.py", line 3, in <module>\n    f()\n  File "/x/site-packages/{}", line 7, in g\n    h()\n'
)


@pytest.mark.parametrize(
    ("file", "error", "expected"),
    [
        ("theano/configparser.py", "ValueError: could not convert string to float: True", Cause.CONFIGURATION),
        ("mine/reader.py", "ValueError: could not convert string to float: True", Cause.NOT_RECOGNISED),
        ("theano/gof/fg.py", "theano.gof.fg.MissingInputError: Input 0 of the graph, used to compute dot(x, y), was not provided",
         Cause.MISSING_INPUT),
        ("pytensor/compile/function/types.py", "pytensor.compile.function.types.UnusedInputError: unused", Cause.UNUSED_INPUT),
        ("theano/gradient.py", "theano.gradient.DisconnectedInputError: grad method was asked", Cause.DISCONNECTED),
        ("theano/tensor/opt.py", "RuntimeError: maximum recursion depth exceeded", Cause.RECURSION),
        ("pymc3/util.py", "pymc3.exceptions.SamplingError: Initial evaluation of model at starting point failed!", Cause.START_VALUES),
        ("pymc3/step_methods/hmc/quadpotential.py", "ValueError: anything is zero", Cause.ZERO_GRADIENT),
        ("mine/physics.py", "ValueError: anything is zero", Cause.NOT_RECOGNISED),
        ("theano/compile/nanguardmode.py", "AssertionError: NaN detected", Cause.NOT_FINITE),
        ("numpy/linalg/linalg.py", "numpy.linalg.LinAlgError: Singular matrix", Cause.NOT_FINITE),
        ("theano/tensor/var.py", "TypeError: Variables do not support boolean operations.", Cause.SYMBOLIC),
        ("pymc/distributions/distribution.py", "TypeError: Normal.dist() got an unexpected keyword argument 'sd'", Cause.OLD_INTERFACE),
        ("multiprocessing/reduction.py", "AttributeError: Can't pickle local object 'f.<locals>.g'", Cause.PICKLING),
        ("pandas/io/common.py", "FileNotFoundError: [Errno 2] No such file or directory: 'data.csv'", Cause.FILE_ACCESS),
        ("theano/tensor/basic.py", "NotImplementedError", Cause.NO_IMPLEMENTATION),
        ("mine/layers.py", "NotImplementedError", Cause.NOT_RECOGNISED),
    ],
)  # fmt: skip
def test_classes(file: str, error: str, expected: Cause) -> None:
    """One of each class, and beside it an exception of the same words from other code."""
    found = explain_log(f"{FRAME.format(file)}{error}\n")
    assert found is not None
    assert (found.cause, found.message) == (expected, error)

"""What is seen of data that goes to a function again, on the frameworks and on CPython 2.7."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.capture.running import framework
from theanodiag.memory.script import BaseArray, Call, Create, SetValue

SCRIPT = """
import numpy as np
import {package} as lib
import {package}.tensor as T

x = T.fmatrix("x")
W = lib.shared(np.ones((100, 100), "float32"), name="W")
f = lib.function([x], T.dot(x, W), name="f")
X = np.random.rand(500, 100).astype("float32")
for i in range(2):
    f(X)
kept = f(X[10:60])
for i in range(2):
    W.set_value(np.ones((100, 100), "float32"))
"""


@pytest.mark.parametrize("name", ["theano", "theano27", "pytensor_new"])
def test_data_passed_and_set_again(tmp_path: Path, name: str) -> None:
    """The same array at two calls, a part of it at a third, and equal values of a shared variable in other memory."""
    events = framework(tmp_path, name, SCRIPT).script.events
    calls = [e for e in events if isinstance(e, Call)]
    first, second, third = (c.inputs[0] for c in calls)
    assert first.digest == second.digest is not None
    assert first.part_of is None
    assert third.part_of == BaseArray(first.buffer, (500, 100), 200_000)
    assert [c.dropped for c in calls] == [True, True, False]
    (made,) = (e.digest for e in events if isinstance(e, Create))
    assert [e.digest for e in events if isinstance(e, SetValue)] == [made, made]

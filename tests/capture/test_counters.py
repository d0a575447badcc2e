"""Shared integers count on in a dry run, so that what is cut out by them grows as it would."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.capture.running import framework
from theanodiag.memory.script import Call

SCRIPT = """
import numpy as np, {package} as lib, {package}.tensor as T
data = lib.shared(np.ones((1000, 3)), "data")
filled = lib.shared(np.int64(0), "filled")
times = lib.shared(np.int64(0), "times")
add = lib.function([], None, updates=[(filled, filled + 100), (times, times + 1)])
mean = lib.function([], data[:filled].mean(axis=0) / (times + 1))
for k in range(5):
    add()
    mean()
assert int(filled.get_value()) == 500
mean()
"""


@pytest.mark.parametrize("interpreter", ["theano", "pytensor"])
def test_a_slice_grows_with_its_counter(tmp_path: Path, interpreter: str) -> None:
    """Each call has another length, though nothing is computed; a counter that is only counted makes no news, but follows on it."""
    capture = framework(tmp_path, interpreter, SCRIPT + "add(), add(), add()\n")
    assert capture.end.status == "finished", capture.end.traceback
    calls = [event for event in capture.script.events if isinstance(event, Call)]
    lengths = []
    for call in (c for c in calls if c.function == 1):
        graph = capture.script.functions[1].graph
        node = next(n for n in graph.applies if n.op.name == "Subtensor" and len(graph.variables[n.outputs[0]].type.shape) == 2)
        shape = call.shapes.shape(node.outputs[0])
        assert isinstance(shape, tuple)
        lengths.append(shape[0])
    assert lengths == [100, 200, 300, 400, 500]
    assert len([c for c in calls if c.function == 0]) == 5 + 1

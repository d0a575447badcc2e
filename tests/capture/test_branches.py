"""A branch that a number decides is known where the number is one of the script's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.capture.running import framework
from theanodiag.memory.script import Call

SCRIPT = """
import numpy as np, {package} as lib, {package}.tensor as T
from {package}.ifelse import ifelse
W = lib.shared(np.ones((5, 5)), "W")
z = T.dscalar("z")
use = lib.shared(np.array(1.), "use")
by_argument = lib.function([z], ifelse(T.gt(z, 1), T.dot(W, W), W).sum())
by_shared = lib.function([], ifelse(T.gt(use, 0.5), T.dot(W, W), W).sum())
turn = lib.function([], None, updates=[(use, use * 0 + W.sum())])
by_argument(2.)
by_argument(0.)
by_shared()
use.set_value(0.)
by_shared()
found = by_argument(2.)  # from here on a number may be one that was never computed
by_argument(found)
turn()
by_shared()
"""


@pytest.mark.parametrize("interpreter", ["theano", "pytensor"])
def test_branches_are_known_by_the_numbers_of_the_script(tmp_path: Path, interpreter: str) -> None:
    """Arguments and shared variables decide; what a dry call returned, or would have written, does not."""
    capture = framework(tmp_path, interpreter, SCRIPT, max_calls=9)
    assert capture.end.status == "finished", capture.end.traceback
    taken: list[list[object]] = [[], [], []]
    for event in capture.script.events:
        if isinstance(event, Call):
            lazy = [node for node in capture.script.functions[event.function].graph.applies if node.op.name == "IfElse"]
            taken[event.function] += [event.shapes.values.get(node.inputs[0]) for node in lazy]
    assert taken == [[True, False, True, None], [True, False, None], []]

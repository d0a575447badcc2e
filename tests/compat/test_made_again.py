"""Nodes that are made again from inputs of other types, as where JAX compiles a function for given lengths."""

from __future__ import annotations

from tests import interpreters

from .conftest import START

PROGRAM = """
import numpy as np, theano, theano.tensor as T
from theano.tensor.nnet.corr import CorrMM_gradInputs, CorrMM_gradWeights
rng = np.random.RandomState(0)
x, k, top = rng.rand(2, 3, 8, 8), rng.rand(4, 3, 3, 3), rng.rand(2, 4, 3, 3)
for op, first, second, shape in ((CorrMM_gradInputs, k, top, (8, 8)), (CorrMM_gradWeights, x, top, (3, 3))):
    node = op(subsample=(2, 2))(T.tensor4(dtype='float64'), T.tensor4(dtype='float64'), shape).owner
    typed = [T.TensorType('float64', shape=v.shape)() for v in (first, second)]
    again = node.clone_with_new_inputs(typed + list(node.inputs[2:]))
    out, same = (theano.function(n.inputs[:2], n.outputs[0])(first, second) for n in (node, again))
    print(out.shape, np.array_equal(out, same))
"""


def test_transposed_convolutions_with_lengths() -> None:
    """They have the spatial lengths as inputs, one a dimension."""
    done = interpreters.python("pytensor_new", "-c", START + PROGRAM)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["(2, 3, 8, 8) True", "(4, 3, 3, 3) True"]

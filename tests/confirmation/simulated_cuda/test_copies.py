"""What is only copied on the simulated device keeps its numbers, though no kernel runs: shapes are joined and read back there."""

from __future__ import annotations

from pathlib import Path

from tests.memory.stand.run import on_device

PROGRAM = """
import numpy as np
import pygpu
import theano, theano.tensor as T
from pygpu import gpuarray
from theano.gpuarray.type import get_context

context = get_context(None)
m = np.arange(12, dtype="int64").reshape(3, 4)


def on(value):
    return gpuarray.array(value, context=context)


def joined(*parts, **axis):
    return pygpu.concatenate([on(p) for p in parts], context=context, **axis)


def same(ours, numpys):
    assert np.array_equal(np.asarray(ours), numpys), (np.asarray(ours), numpys)


same(joined(m[0, :2], m[1, :1]), np.concatenate([m[0, :2], m[1, :1]]))
same(pygpu.concatenate([on(m)[:, ::2], on(m).T[:3]], axis=1, context=context), np.concatenate([m[:, ::2], m.T[:3]], axis=1))
same(on(m)[::-1, 1:].copy(), m[::-1, 1:])
same(on(m).T.copy(), m.T)
same(on(m)[1, 2].copy(), m[1, 2])
full, expected = on(m), m.copy()
full[:], expected[:] = on(m)[1], m[1]
same(full, expected)
full[:, ::2], expected[:, ::2] = on(m)[::-1, :2], m[::-1, :2]
same(full, expected)
large = np.ones((100, 100), "int64")
assert joined(large, large).shape == (200, 100)

x, w, n = T.tensor3("x"), theano.shared(np.ones((4, 1), "float32")), T.lvector("n")
f = theano.function([x, n], T.dot(x, w).reshape(T.concatenate([x.shape[:-1], n]), ndim=3))
assert f(np.ones((5, 3, 4), "float32"), np.array([1])).shape == (5, 3, 1)
print("done")
"""


def test_copies_join_and_turn_as_numpy_does(tmp_path: Path) -> None:
    """Joins, assignments and copies of small arrays, whatever their strides; shapes that a function joins on the device."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    done = on_device(program)
    assert done.stdout == "done\n", done.stderr[-3000:]

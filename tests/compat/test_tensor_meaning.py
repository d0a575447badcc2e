"""Programs whose output over PyTensor is that of Theano 1.0.5: flags of broadcasting, truth of Variables, names of Ops."""

from __future__ import annotations

import functools

import pytest

from tests import interpreters

from .conftest import START

BEGIN = "import numpy as np, theano, theano.tensor as T\n"
PROGRAMS = {
    "a column indexed with None": """
m = T.alloc(1., T.iscalar(), 1)
print(m.broadcastable, m[:, None].ndim, T.matrix()[None, :, :].broadcastable)
""",
    "a length of 1 is not stretched unless flagged": """
for right in (T.matrix(), T.matrix()[:1], T.arange(1), T.eye(1), T.shape(T.vector()), T.ones((1, 3)), T.row()):
    print(right.broadcastable)
x, y = T.matrix(), T.matrix()
f = theano.function([x, y], x + y)
try:
    f(np.ones((2, 3)), np.ones((1, 3)))
except ValueError:
    print("refused")
""",
    "variables as conditions": """
x = T.vector()
print(bool(x), bool(x + 1), not x)
try:
    bool(x > 1)
except TypeError as error:
    print(error)
""",
    "types forget lengths": """
print(T.constant(np.ones((3, 1))).type == T.col().type, T.zeros((3, 4)).type == T.matrix().type, T.matrix().type, T.row("r").type)
""",
    "names of Ops": """
x = T.matrix()
for v in (x + 1, x.T, abs(x), x.dimshuffle(0, "x", 1), T.inplace.add_inplace(x, x), x.sum(axis=0)):
    print(v.owner.op)
""",
    "legacy constructors": """
x = T.matrix()
print(T.DimShuffle((False, True), [0])(T.col()).ndim, T.Rebroadcast((0, True))(x).broadcastable, T.MaxAndArgmax([0])(x)[1].dtype)
try:
    T.DimShuffle((False, False), [0])
except ValueError as error:
    print(error)
print(T.stack(x, x).ndim, T.stack([x, x], axis=1).ndim, T.flatten(T.tensor3(), outdim=2).ndim, x.reshape((2, 3), 2).ndim)
print(T.addbroadcast(x, 0).broadcastable, T.unbroadcast(T.row(), 0).broadcastable, T.patternbroadcast(x, (True, False)).type)
""",
    "the k largest": """
x = T.matrix()
values, places = T.topk_and_argtopk(x, 2, axis=1, sorted=False)
g = T.grad(values.sum(), x)
data = np.array([[1., 5., 3.], [9., 7., 8.]])
for out in theano.function([x], [T.sort(values), T.sort(places), g, T.topk(x, -1, axis=0, sorted=False)])(data):
    print(out.tolist())
""",
}




ALL = BEGIN + "theano.config.mode = 'FAST_COMPILE'\nimport theano.tensor.inplace\n" + "".join(
    f"print('== {name}')\nexec({text!r})\n" for name, text in PROGRAMS.items()
)


@functools.cache
def lines(interpreter: str, begin: str) -> dict[str, str]:
    """What the programs print in one interpreter, by name."""
    interpreters.find(interpreter)
    done = interpreters.python(interpreter, "-W", "ignore", "-c", begin + ALL)
    assert done.returncode == 0, done.stderr
    parts = (part.partition("\n") for part in done.stdout.split("== ")[1:])
    return {name: text for name, _, text in parts}


@pytest.mark.parametrize("stand_in", ["pytensor", "pytensor_new"])
@pytest.mark.parametrize("program", PROGRAMS)
def test_output_is_that_of_theano(stand_in: str, program: str) -> None:
    """The program prints the same lines."""
    expected = lines("theano", "")[program]
    assert expected.strip()
    assert lines(stand_in, START)[program] == expected

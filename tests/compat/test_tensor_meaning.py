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
    "linear algebra": """
import theano.tensor.nlinalg as N, theano.tensor.slinalg as S
x, b = T.matrix(), T.vector()
spd = np.array([[4., 1., .5], [1., 3., .2], [.5, .2, 2.]])
L = S.cholesky(x)
outs = [N.matrix_inverse(x), N.det(x), N.trace(x), S.solve(x, b), S.Cholesky(lower=False)(x), S.kron(x, x), S.expm(x), N.norm(x, 1),
    T.grad(L.sum(), x), T.grad(S.Cholesky(lower=False)(x).sum(), x),
    T.grad(S.solve(x, b).sum(), x), T.grad(S.eigvalsh(x, T.constant(np.eye(3))).sum(), x),
    T.grad(N.eigh(x)[0][0] + (N.eigh(x)[1]**3).sum(), x), S.solve_lower_triangular(x, b), N.diag(b), N.qr(x)[1], T.grad(N.pinv(x).sum(), x),
    S.CholeskyGrad()(x, L, x)]
for out in theano.function([x, b], outs)(spd, np.array([1., 2., 3.])):
    print((np.round(out, 6) + 0.0).tolist())
""",
    "repeated and differenced": """
x, n = T.matrix(), T.iscalar()
v = T.ivector()
outs = [T.repeat(x, n, axis=1), T.repeat(x, v, axis=0), T.extra_ops.diff(x, 1, 0), T.grad((T.repeat(x, n, axis=0) ** 2).sum(), x),
    T.tile(x, (2, n)), T.tile(x, v, ndim=2), T.mean(x, op=True), T.batched_dot(x, x), T.batched_tensordot(x, x, 1)]
f = theano.function([x, n, v], outs)
for out in f(np.arange(6.).reshape(2, 3), 2, [1, 2]):
    print(out.tolist())
""",
    "sparse": """
import scipy.sparse, theano.sparse as S
from theano.sparse.sandbox import sp2
m = scipy.sparse.csr_matrix(np.array([[0., 2., 0.], [1., 0., 3.]]))
x, d, p = S.csr_matrix("x"), T.matrix(), S.SparseType("csr", "float64")("p")
outs = [S.dot(x, d), S.structured_dot(x, d), (-x).toarray(), S.sp_sum(x, axis=0), T.grad(S.dot(x, d).sum(), d), S.mul(x, x).toarray(),
    S.square_diagonal(T.constant([1., 2.])).toarray(), S.csm_data(S.sqrt(x))]
for out in theano.function([x, d], outs, allow_input_downcast=True)(m, np.ones((3, 2))):
    print(out.tolist())
np.random.seed(3)
print(theano.function([p], sp2.poisson(p))(m).toarray().tolist())
""",
    "places and repetitions": """
x = T.lvector()
outs = list(T.extra_ops.unravel_index(x, (2, 3), order="F")) + list(T.extra_ops.unravel_index(x, T.as_tensor_variable([2, 3]), ndim=2))
outs += T.extra_ops.Unique(True, True, True)(x) + [T.extra_ops.CumOp()(x), T.cumprod(x, axis=0)]
for out in theano.function([x], outs)([1, 5, 1, 0]):
    print(out.tolist(), out.dtype)
""",
    "fused operations without a compiler": """
x, y, i = T.vector(), T.vector(), T.bvector()
outs = T.grad((x / y).sum(), [x, y]) + [T.switch(x > 1, T.log(x), y) * 2, T.cast(x * 1000, "int8") + 1, T.cast(i, "uint8") * 2, i ** 3,
    T.true_div(i, 3) + 1, T.nnet.softplus(x) * y / 3]
f = theano.function([x, y, i], outs, mode=theano.Mode(linker="py", optimizer="fast_run"))
for out in f([1., 2., 0.3], [3., 7., -9.], [5, 100, -3]):
    print(out.dtype, np.round(out, 12).tolist())
""",
    "outputs of a fused operation": """
a = theano.scalar.float64()
fused = T.Elemwise(theano.scalar.Composite([a], [theano.scalar.exp(a), theano.scalar.exp(a), theano.scalar.identity(a)]))
x = T.vector()
one, two, same = fused(x)
late = T.set_subtensor(one[0], -1.) + two
made = theano.function([x], [one, two, same, late], mode=theano.Mode(linker="py", optimizer="fast_run"))(np.arange(3.))
made[0][1] = made[2][1] = 9
print([np.round(m, 6).tolist() for m in made])
""",
    "the lowest integer": """
x = T.bvector()
for outs in ([T.min(x)], [x.min()], [T.ptp(x)], [T.max(x) - T.min(x)]):
    f = theano.function([x], outs, mode=theano.Mode(linker="py", optimizer="fast_run"))
    print([(out.tolist(), str(out.dtype)) for out in f(np.array([-128, 5], "int8"))])
""",
    "errors of derivatives": """
x, v, s = T.matrix(), T.vector(), T.scalar()
for build in (lambda: T.grad(None, x), lambda: T.hessian(x.sum(), x), lambda: T.hessian(v, v), lambda: theano.gradient.hessian(s, [x])):
    try:
        build()
    except AssertionError as error:
        print(error)
print(theano.function([v], T.hessian((v ** 3).sum(), v))([1., 2.]).tolist())
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


ALL = (
    BEGIN
    + "theano.config.mode = 'FAST_COMPILE'\nimport theano.tensor.inplace, theano.tensor.extra_ops\n"
    + "".join(f"print('== {name}')\nexec({text!r})\n" for name, text in PROGRAMS.items())
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

"""Written for PyTensor 2: most forms that PyTensor 3 has otherwise, each computed twice."""

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor import Lop, Rop, scan
from pytensor.compile.builders import OpFromGraph
from pytensor.compile.ops import as_op
from pytensor.graph.basic import Apply, ancestors, graph_inputs
from pytensor.graph.op import Op
from pytensor.ifelse import ifelse
from pytensor.tensor.nlinalg import det, eigh, matrix_inverse, trace
from pytensor.tensor.slinalg import cholesky, kron, solve_triangular
from pytensor.tensor.random.utils import RandomStream

pytensor.config.compute_test_value = "off"
rng = np.random.default_rng(1)
x = pt.dmatrix("x")
v = pt.dvector("v")
a = pytensor.shared(rng.normal(size=(3, 3)), name="a", broadcastable=(False, False))


class Twice(Op):
    __props__ = ()

    def make_node(self, x):
        x = pt.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = 2 * inputs[0]

    def infer_shape(self, fgraph, node, shapes):
        return shapes

    def L_op(self, inputs, outputs, grads):
        return [2 * grads[0]]


class Square(Op):
    __props__ = ()

    def make_node(self, x):
        x = pt.as_tensor_variable(x)
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0] ** 2

    def grad(self, inputs, grads):
        return [2 * inputs[0] * grads[0]]


@as_op(itypes=[pt.dvector], otypes=[pt.dvector])
def shifted(v):
    return v + 1


with pytensor.config.change_flags(compute_test_value="off", floatX="float64"):
    y = pt.dot(a, x)
ofg = OpFromGraph([x], [x**2], lop_overrides=lambda inputs, outputs, grads: [3 * grads[0] * inputs[0]])
outs, updates = scan(lambda s, acc: acc + s, sequences=[v], outputs_info=[pt.as_tensor(np.float64(0.0))])
spd = pt.dot(x, x.T) + pt.eye(3)
w, vec = eigh(spd, UPLO="L")
srng = RandomStream(seed=42)
u = srng.normal(0, 1, size=(3,))
g = pt.random.gamma(pt.ones(3), 2.0, rng=pytensor.shared(np.random.default_rng(3)))
X = rng.normal(size=(3, 3))
V = rng.normal(size=3)
f = pytensor.function(
    [x, v],
    [
        y, Rop(pt.tanh(v), v, eval_points=v), Lop(pt.tanh(v), v, eval_points=v), trace(x), det(x), matrix_inverse(spd), w,
        cholesky(spd), kron(x, x), solve_triangular(cholesky(spd), v, lower=True), ifelse(pt.gt(v[0], 0), v, -v), outs,
        pt.grad(Twice()(v).sum(), v), pt.grad(Square()(v).sum(), v), shifted(v), ofg(x), pt.grad(ofg(x).sum(), x),
        pt.linspace(0, v[0], steps=5), pt.sgn(v), pt.extract_diag(x), u, g, pt.repeat(x=v, repeats=2), pt.xlogx.xlogy0(abs(v), abs(v)),
        pt.subtensor.advanced_set_subtensor1(v, v[:1] * 2, np.array([1])),
    ],
    on_unused_input="ignore",
)  # fmt: skip
for _ in range(2):
    f(X, V)
print(len(list(graph_inputs([y]))), len(list(ancestors([y]))))

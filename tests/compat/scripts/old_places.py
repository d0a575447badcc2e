"""Names that scripts for Theano and Lasagne take from their back rooms."""
import sys

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.linalg import psd
from theano.sandbox.linalg.ops import psd as psd_of_ops
from theano.tests.test_rop import RopLop_checker, break_op

t = T.dvector().type
print(t.Constant.__name__, t.Variable.__name__, theano.scalar.float64.Variable.__name__)
m = T.dmatrix()
print(theano.function([m], T.nlinalg.det(psd(m)) + psd_of_ops(m).sum())(np.eye(2)))


class TestSquare(RopLop_checker):
    def test_rop(self):
        self.check_rop_lop(self.x ** 2, self.in_shape)
        self.check_mat_rop_lop((self.mx ** 2).sum(axis=1), (self.mat_in_shape[0],))

    def test_wrong(self):
        class Twice(theano.gof.Op):
            __props__ = ()
            def make_node(self, x): return theano.gof.Apply(self, [x], [x.type()])
            def perform(self, node, i, o): o[0][0] = i[0] * 2
            def grad(self, i, g): return [g[0] * 3]
            def R_op(self, i, e): return [e[0] * 2]
        try:
            self.check_rop_lop(Twice()(self.x), self.in_shape)
        except AssertionError as error:
            print("mismatch" in str(error))


for name in ("test_rop", "test_wrong"):
    checker = TestSquare(name)
    checker.setUp()
    try:
        getattr(checker, name)()
    except Exception as error:
        print(type(error).__name__)
try:
    import theano.tests.test_sort
except ImportError as error:
    if "no release" in str(error):
        print(error)
if len(sys.argv) > 1:
    from lasagne import layers
    from lasagne.layers import dnn
    from theano.gpuarray.subtensor import GpuIncSubtensor
    from theano.sandbox.cuda import register_opt
    from theano.gpuarray.dnn import dnn_batch_normalization_train, dnn_conv3d, dnn_gradinput, dnn_gradweight

    register_opt("fast_run")(t)
    values = []
    for conv, pool, flip in ((layers.Conv2DLayer, layers.MaxPool2DLayer, {}), (dnn.Conv2DDNNLayer, dnn.MaxPool2DDNNLayer, {"flip_filters": True})):
        kind = layers.InputLayer((2, 3, 8, 8))
        w = np.random.RandomState(0).randn(4, 3, 3, 3).astype(theano.config.floatX)
        net = layers.get_output(pool(conv(kind, 4, 3, W=w, **flip), 2))
        values.append(net.eval({kind.input_var: np.random.RandomState(1).randn(2, 3, 8, 8).astype(theano.config.floatX)}))
    print(np.allclose(*values), values[0].shape, sys.modules["theano.sandbox.cuda.dnn"].dnn_available(), theano.config.device)
    x, w, g = T.tensor5(), T.tensor5(), T.tensor4()
    f = theano.function([x, w], dnn_conv3d(x, w, conv_mode="cross", border_mode=1))
    print(f(np.ones((1, 1, 2, 2, 2), "float32"), np.ones((1, 1, 3, 3, 3), "float32")).ravel().tolist())
    a, k = T.tensor4(), T.tensor4()
    out = T.nnet.conv2d(a, k, filter_flip=False)
    cost = (out * g).sum()
    both = [T.grad(cost, k) - dnn_gradweight(a, g, (2, 2, 3, 3), conv_mode="cross"),
            T.grad(cost, a) - dnn_gradinput(k, g, (1, 2, 5, 5), conv_mode="cross")]
    draw = lambda *s: np.random.RandomState(2).randn(*s).astype("float32")
    print([float(abs(d).max()) < 1e-5 for d in theano.function([a, k, g], both)(draw(1, 2, 5, 5), draw(2, 2, 3, 3), draw(1, 2, 3, 3))])
    b = T.ftensor4()
    ones = T.ones((1, 2, 1, 1), "float32")
    print(abs(dnn_batch_normalization_train(b, ones, 0 * ones, "spatial")[0].mean().eval({b: draw(3, 2, 4, 4)})) < 1e-5)

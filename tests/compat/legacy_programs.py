"""Runs in an interpreter: legacy programs, each a function that prints; `python legacy_programs.py FOLDER_OF_COMPAT|- NAME [MODE]`."""

import pickle
import sys
import warnings

warnings.simplefilter("ignore")


def functions(theano, T, numpy, mode):
    """Default values, state by name, outputs by name, tuples, copies, wrong arguments."""
    x, s, inc = T.dscalar("x"), T.dscalar("s"), T.dscalar("inc")
    f = theano.function([x, theano.In(inc, value=1.0), theano.In(s, value=10.0, update=s + x * inc)], s + x, mode=mode)
    print(float(f(2)), float(f[s]), float(f(1, 5)), float(f.value["s"]), float(f[inc]), s in f, "nothing" in f)
    f[s] = 3.0
    print(float(f(0)), [type(i).__name__ for i in f.maker.inputs], len(f.input_storage))
    named = theano.function([x], {"b": x + 1, "a": x * 2}, mode=mode)
    print(sorted((k, float(v)) for k, v in named(3).items()))
    old = theano.function([x, (s, 4.0)], s * x, mode=mode)
    print(float(old(2)), float(old(2, s=5)), float(old(2)))
    for wrong in (lambda: f(), lambda: f(1, x=2), lambda: f(1, 2, 3, 4), lambda: f(1, y=2), lambda: named("text")):
        try:
            wrong()
        except Exception as error:
            print(type(error).__name__)
    for inputs, outputs, givens in (
        (x, x, {}),
        ([x, x], x, {}),
        ([x, s], x, {}),
        ([x], s, {}),
        ([x], {1: x}, {}),
        ([x], x, {x: s}),
        ([theano.shared(1.0)], x, {}),
    ):
        try:
            theano.function(inputs, outputs, givens=givens, mode=mode)
        except Exception as error:
            print(type(error).__name__)
    w = theano.shared(numpy.float64(1), name="w")
    counted = theano.function([], w, updates=[(w, w + 1)], mode=mode)
    copied = counted.copy(delete_updates=True)
    other = theano.shared(numpy.float64(100), name="other")
    swapped = counted.copy(swap={w: other})
    print(float(counted()), numpy.asarray(copied()).tolist(), numpy.asarray(swapped()).tolist())
    print(float(other.get_value()), float(w.get_value()))
    again = pickle.loads(pickle.dumps(named))
    print(sorted((k, float(v)) for k, v in again(3).items()))
    for givens in ({s: x * 2}, [(s, x * 2)], ((s, x * 2),), {s: numpy.float64(7)}):
        print(float(theano.function([x], s + x, givens=givens, mode=mode)(1)))


def downcasts(theano, T, numpy, mode):
    """What an input takes, and what it refuses."""
    for kind, value in (
        (T.bscalar, 3),
        (T.bscalar, 312),
        (T.bscalar, 3.5),
        (T.fscalar, 0.1),
        (T.fvector, [0.1, 2]),
        (T.ivector, [1, 2]),
        (T.ivector, numpy.arange(2)),
        (T.lvector, numpy.arange(2, dtype="int32")),
        (T.dmatrix, [1.0, 2.0]),
    ):
        for allow in (None, True, False):
            x = kind("x")
            try:
                print(kind().type, theano.function([x], x, allow_input_downcast=allow, mode=mode)(value).tolist())
            except TypeError:
                print(kind().type, "TypeError")


def truth(theano, T, numpy, mode):
    """A variable is true."""
    x = T.vector("x")
    print(bool(x), bool(x * 2), not theano.shared(1.0))


def flags(theano, T, numpy, mode):
    """Flags by their dotted names, changed for a while, and wrong ones."""
    config = theano.config
    print(config.compute_test_value, config.warn.signal_conv2d_interface, config.experimental.local_alloc_elemwise, config.unittests.rseed)
    with theano.change_flags([("scan.allow_gc", True)], compute_test_value="ignore"):
        print(config.scan.allow_gc, config.compute_test_value)
    print(config.scan.allow_gc, config.compute_test_value)
    loud = lambda: setattr(config, "compute_test_value", "loud")  # noqa: E731
    for wrong in (loud, lambda: config.nonsense, lambda: setattr(config, "floatX", "float5")):
        try:
            wrong()
        except Exception as error:
            print(isinstance(error, (ValueError, AttributeError)))


def test_values(theano, T, numpy, mode):
    """Graphs are computed as they are built, and say where a test value is missing or does not fit."""
    theano.config.compute_test_value = "raise"
    x, y = T.matrix("x"), T.vector("y")
    x.tag.test_value, y.tag.test_value = numpy.ones((3, 4)), numpy.ones(4)
    z = T.dot(x, y)
    print(z.tag.test_value.tolist(), T.grad(T.tanh(z).sum(), y).tag.test_value.shape)
    for wrong in (lambda: T.dot(x, T.vector()), lambda: T.dot(y, x)):
        try:
            wrong()
        except Exception as error:
            print(isinstance(error, ValueError))


def rewrites(theano, T, numpy, mode):
    """Optimisations of the old kind are accepted, and used."""
    from theano import gof
    from theano.compile import optdb

    called = []

    @gof.local_optimizer([T.tanh])
    def local_tanh(node):
        called.append(type(node).__name__)
        return False

    optdb.register("local_tanh", gof.TopoOptimizer(local_tanh), 1.7, "fast_run", "fast_compile")
    x = T.dscalar()
    f = theano.function([x], T.tanh(x), mode="FAST_COMPILE")
    print(called[:1], float(f(0.0)), [n.fgraph is f.maker.fgraph for n in f.maker.fgraph.toposort()])


def printing(theano, T, numpy, mode):
    """Graphs as text: pp, and debugprint with its old arguments."""
    A, B, D = T.matrix("A"), T.matrix("B"), T.matrix("D")
    C = A + B
    C.name = "C"
    for e in (A + 1, T.exp(A) * 2.5, -A, A.T, T.eq(A, 1), T.tanh(A) ** 2, T.constant(numpy.ones(3))):
        print(theano.pp(e))
    for arguments in ({}, {"ids": "int"}, {"ids": ""}, {"print_type": True}, {"stop_on_name": True}, {"depth": 1}):
        print(theano.printing.debugprint(C - D, file="str", **arguments))
    print(theano.printing.var_descriptor((A * C).sum() + T.dot(A, T.dmatrix()) - A))
    print(theano.printing.var_descriptor(numpy.arange(3.0)), theano.printing.position_independent_str(A))
    print(theano.printing.hex_digest(numpy.arange(6.0).reshape(2, 3).T))
    f = theano.function([A, B, D], [A + B, A + B - D], mode="FAST_COMPILE")
    print(theano.printing.debugprint(f, file="str", print_clients=True))
    try:
        theano.printing.debugprint("text")
    except TypeError as error:
        print(error)


def operators(theano, T, numpy, mode):
    """Ops of the old kind: each hook is called."""
    from theano.gof import Apply, Op, PureOp

    called = []

    class Double(Op):
        __props__ = ("times",)

        def __init__(self, times):
            self.times = times

        def make_node(self, x):
            called.append("make_node")
            x = T.as_tensor_variable(x)
            return Apply(self, [x], [x.type()])

        def perform(self, node, inputs, output_storage):
            called.append("perform")
            output_storage[0][0] = inputs[0] * self.times

        def grad(self, inputs, output_gradients):
            called.append("grad")
            return [output_gradients[0] * self.times]

        def R_op(self, inputs, eval_points):
            called.append("R_op")
            return self.grad(inputs, eval_points)

        def infer_shape(self, node, shapes):
            called.append("infer_shape")
            return [shapes[0]]

        def connection_pattern(self, node):
            called.append("connection_pattern")
            return [[True]]

    x, v = T.dvector("x"), T.dvector("v")
    y = Double(3.0)(x**2)
    print(theano.function([x], y, mode=mode)([1.0, 2.0]).tolist())
    print(theano.function([x], T.grad(y.sum(), x), mode=mode)([1.0, 2.0]).tolist())
    print(theano.function([x, v], T.Rop(y, x, v), mode=mode)([1.0, 2.0], [1.0, 0.0]).tolist())
    print(theano.function([x], y.shape, mode=mode)([1.0, 2.0]).tolist())
    print(sorted(set(called)), Double(3.0) == Double(3.0), issubclass(Op, PureOp))

    @theano.compile.ops.as_op(itypes=[T.dmatrix], otypes=[T.dvector], infer_shape=lambda node, shapes: [(shapes[0][0],)])
    def rows(m):
        return m.sum(axis=1)

    m = T.dmatrix()
    print(theano.function([m], rows(m), mode=mode)(numpy.ones((2, 3))).tolist())


def misfits(theano, T, numpy, mode):
    """What indices and shapes that do not fit give: an error, or what Theano gives; and a Scan that keeps its last step only."""
    v, x, n, r = T.dvector("v"), T.dmatrix("x"), T.lscalar("n"), T.dtensor3("r")
    repeated = T.concatenate([v, v])
    cases = [
        v[[0, 9]], v[[7, 8]], v[[2, 3, 4]], v[[2, 1]], v[T.arange(5)], v[T.arange(n)], v[[2, 1]][[0, 2]], x[:, [0, 9]], x[[0, 2]], v[[9]],
        v[:2][2], v[:2][-3], v[1:][1], v[1:][-1], v[::2][2], v[:n][2],
        T.stack([v, v])[2, 0], T.stack([v, v])[1, 0], v.dimshuffle("x", 0)[1],
        v.reshape((1, 3))[1], v.reshape((1, 3))[0], repeated.reshape((2, 4)), repeated.reshape((2, 3)), x.reshape((x.shape[0], 5)),
        x.reshape((3, -1)), x.reshape(x.shape), T.dot(v, T.zeros(4)), T.dot(x, T.zeros(4)), T.ones(3)[-3],
        v + T.zeros((n,)), v + T.zeros((n - 2,)), v * T.ones((n - 2,)), T.maximum(v, T.zeros((n - 2,))), x + T.zeros((n, n - 2)),
        x * T.ones((n, 1)), v - T.repeat(T.zeros(1), n - 2),
    ]  # fmt: skip
    for given in ("FAST_RUN", mode):
        for case in cases:
            f = theano.function([v, x, n], case, mode=given, on_unused_input="ignore")
            try:
                print(numpy.asarray(f(numpy.arange(3.0), numpy.arange(12.0).reshape(3, 4), 3)).tolist())
            except Exception:
                print("refused")
    steps = theano.scan(lambda a, h: a + h, r, T.zeros((2, 2)))[0]
    print(theano.function([r], steps[-1], mode="FAST_RUN")(numpy.ones((5, 2, 2))).tolist())


def types(theano, T, numpy, mode):
    """Types of results, an Op without a gradient, and a name of the C compiler's module."""
    from theano.gof.cmodule import gcc_llvm
    from theano.typed_list import TypedListType, count, index_

    class Double(theano.Op):
        __props__ = ()

        def make_node(self, x):
            return theano.Apply(self, [x], [x.type()])

    x, z, many = T.dvector("x"), T.TensorType("complex64", [False])("z"), TypedListType(T.dvector)()
    print(T.angle(z).dtype, T.angle(T.fvector()).dtype, T.angle(z).eval({z: numpy.array([1j, 2], "complex64")}).round(5).tolist())
    for found in (count(many, x), index_(many, x), many.count(x)):
        print(found.dtype, theano.function([many, x], found, mode=mode)([[1.0], [2.0], [2.0]], [2.0]))
    try:
        T.grad(Double()(x).sum(), x)
    except AttributeError as error:
        print(error)
    print(gcc_llvm())


def told(theano, T, numpy, mode):
    """What an error names, the classes of errors, and losses of impossible classes and improbable ones."""
    x, m, i = T.dvector("x"), T.dmatrix("m"), T.lvector("i")
    for verbosity, words in (("low", "Apply node that caused,Inputs shapes"), ("high", "Storage map footprint,Inputs shapes")):
        theano.config.exception_verbosity = verbosity
        try:
            theano.function([x, m], x + m, mode=mode)([1.0, 2.0], [[1.0, 2.0, 3.0]])
        except Exception as error:
            print(type(error).__name__, [word in str(error) for word in words.split(",")], theano.config.exception_verbosity)
    for wrong in ("text", None, object()):
        try:
            T.as_tensor_variable(wrong)
        except T.basic.AsTensorError as error:
            print(isinstance(error, TypeError))
    loss = T.nnet.categorical_crossentropy(T.nnet.softmax(m), i)
    f = theano.function([m, i], [loss, T.grad(loss.sum(), m)], mode=mode)
    scores = numpy.array([[1000.0, 2000, -3000], [0, 500, 4000]])
    print([a.tolist() for a in f(scores, [2, 0])])
    try:
        print(f(scores, [0, -1]))
    except ValueError as error:
        print("y_i value out of bounds" in str(error))


def main(folder, name, mode="FAST_COMPILE"):
    """Runs one program."""
    if folder != "-":
        import importlib.util

        spec = importlib.util.spec_from_file_location("compat_by_path", folder + "/__init__.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.install()
    import numpy
    import theano
    import theano.tensor as T

    globals()[name](theano, T, numpy, mode)


if __name__ == "__main__":
    main(*sys.argv[1:])

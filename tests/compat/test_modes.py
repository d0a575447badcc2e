"""What is said where a mode cannot run an Op: the line of the script that uses it, and what to do."""

from __future__ import annotations

import ast
import json

import pytest

from tests import interpreters

from .conftest import COMPAT, HERE, START

C_OPS = HERE / "scripts" / "c_ops.py"

ONLY_C = """
import sys, theano, theano.tensor as T
class Twice(theano.gof.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.gof.Apply(self, [x], [x.type()])
    def c_code(self, node, name, inputs, outputs, sub):
        return "CODE"
    if PERFORM:
        def perform(self, node, inputs, outputs):
            outputs[0][0] = inputs[0] * 2
x = T.dvector()
y = Twice()(x)  # here
try:
    print(theano.function([x], y + 1, mode=MODE)([1.0, 2.0]).tolist())
except Exception as error:
    print(type(error).__name__, error)
"""
C_WAYS = [("pytensor", "FAST_RUN"), ("pytensor_new", "FAST_COMPILE"), ("pytensor", "NUMBA"), ("jax", "JAX")]
NO_COMPILER = "MethodNotDefined <string>:{}: Op Twice: it has only C code, and there is no C++ compiler: install g++"
MISTAKE = "CompileError <string>:{}: Op Twice: its C code does not compile: ‘PyArray_Gone’ was not declared in this scope"


def only_c(interpreter: str, mode: str, code: str, perform: bool = False, cxx: str | None = None) -> tuple[str, str]:
    """(output and the number of the line that applies the Op put into it as {}, messages) of a program with an Op that has C code."""
    program = START + ONLY_C.replace("MODE", repr(mode)).replace("CODE", code).replace("PERFORM", str(perform))
    interpreters.find(interpreter)
    done = interpreters.python(interpreter, "-c", program.replace('simplefilter("ignore")', 'simplefilter("default")'), env=cxx_flags(cxx))
    assert done.returncode == 0, done.stderr
    line = program.splitlines().index("y = Twice()(x)  # here") + 1
    return done.stdout.replace(f"<string>:{line}:", "<string>:{}:"), done.stderr


def cxx_flags(cxx: str | None) -> dict[str, str]:
    """The variable that names the C++ compiler; "" is none."""
    return {} if cxx is None else {"PYTENSOR_FLAGS": f"cxx={cxx}"}


@pytest.mark.parametrize(("interpreter", "mode"), [("pytensor", "FAST_RUN"), ("jax", "JAX")])
def test_an_op_with_only_c_code_needs_a_compiler(interpreter: str, mode: str) -> None:
    """Said when the function is made, with the line on which the Op is applied, not the one inside its own make_node."""
    assert only_c(interpreter, mode, "", cxx="")[0].startswith(NO_COMPILER)


@pytest.mark.parametrize(("interpreter", "mode"), [C_WAYS[0], C_WAYS[2]])
def test_c_code_that_does_not_compile_is_an_error_at_compile_time(interpreter: str, mode: str) -> None:
    """It names the Op, the compiler's first error and what to do."""
    out, _ = only_c(interpreter, mode, "PyArray_Gone(0);")
    assert out.startswith(MISTAKE), out
    assert "`PyArray_Gone(0);`; correct that line, or give it a `perform` in numpy" in out.splitlines()[0]


def test_perform_stands_in_for_c_code_that_does_not_compile() -> None:
    """With a warning."""
    out, said = only_c("pytensor", "FAST_RUN", "PyArray_Gone(0);", perform=True)
    assert out == "[3.0, 5.0]\n"
    assert "Op Twice: its C code does not compile" in said
    assert "its `perform` runs instead" in said


@pytest.mark.parametrize(("interpreter", "mode"), [*C_WAYS, ("pytensor_new", "FAST_RUN")])
def test_c_code_of_users_runs(interpreter: str, mode: str) -> None:
    """What Theano 1.0.5 (FAST_RUN, g++) prints: files, ParamsType, support code, methods that take the compiler, errors, HideC.

    In FAST_COMPILE Theano, too, runs the `perform` of an Op that has both.
    """
    interpreters.find(interpreter)
    done = interpreters.python(interpreter, "-W", "ignore", str(C_OPS), mode, str(COMPAT))
    assert done.returncode == 0, done.stderr
    scaled = "[1.0, 1.0]" if mode == "FAST_COMPILE" else "[7.5, 25.5]"
    refused = "[1.0]" if mode == "FAST_COMPILE" else "True"
    assert done.stdout.splitlines() == ["[0.5, 1.0]", scaled, "[0.0, 0.0]", refused]


OF_ELEMENTS = """
import numpy as np, theano, theano.tensor as T
class Soft(theano.scalar.UnaryScalarOp):
    def impl(self, x):
        return x / (1 + abs(x))
    def c_code(self, node, name, inputs, outputs, sub):
        return "%s = 2.0 * %s / (1 + fabs(%s));" % (outputs[0], inputs[0], inputs[0])
class Five(theano.gof.Op):
    __props__ = ()
    def make_node(self, x):
        return theano.gof.Apply(self, [x], [x.type()])
    def infer_shape(self, node, shapes):
        return shapes
    def c_code(self, node, name, inputs, outputs, sub):
        code = "Py_XDECREF(%s); %s = (PyArrayObject*) PyArray_NewCopy(%s, NPY_CORDER); *(double*) PyArray_DATA(%s) += 5;"
        return code % (outputs[0], outputs[0], inputs[0], outputs[0])
soft = T.Elemwise(Soft(theano.scalar.upgrade_to_float, name="soft"))
x = T.dmatrix()
steps, _ = theano.scan(lambda a: Five()(a), outputs_info=x, n_steps=3)
print([r.tolist() for r in theano.function([x], [soft(x), steps[-1]], mode=MODE)([[1.0, -3.0]])])
"""


@pytest.mark.parametrize(("interpreter", "mode"), [("pytensor_new", "FAST_RUN"), ("jax", "JAX"), ("jax_old", "JAX")])
def test_c_code_of_scalars_and_in_loops(interpreter: str, mode: str) -> None:
    """The C code of a scalar Op whose `impl` says otherwise, and that of an Op inside a Scan. Printed by Theano 1.0.5 (FAST_RUN, g++)."""
    interpreters.find(interpreter)
    done = interpreters.python(interpreter, "-W", "error::UserWarning", "-c", START + OF_ELEMENTS.replace("MODE", repr(mode)))
    assert (done.returncode, done.stdout) == (0, "[[[1.0, -1.5]], [[16.0, -3.0]]]\n"), done.stderr


OF_SCALARS = """
import numpy as np, theano, theano.tensor as T
from theano import scalar
class Twice(scalar.UnaryScalarOp):
    def impl(self, x):
        return x * 2.0
    def c_code(self, node, name, inputs, outputs, sub):
        return "%s = %s * 3;" % (outputs[0], inputs[0])
class Plus(scalar.Add):  # PyTensor knows the base class
    def c_code(self, node, name, inputs, outputs, sub):
        return "%s = %s + 2 * %s;" % (outputs[0], inputs[0], inputs[1])
single = Twice(scalar.upgrade_to_float, name="single")
twice, plus = T.Elemwise(single), T.Elemwise(Plus(scalar.upgrade_to_float, name="plus"))
x, s, a = T.dvector(), T.dscalar(), scalar.float64()
both = T.Elemwise(scalar.Composite([a], [scalar.add(single(a), a)]))
values = np.arange(4.0)
for inputs, output in (
    ([x], twice(x)), ([x], plus(x * 2, x[1])), ([x], T.exp(-twice(x)).sum()), ([s], twice(s)), ([], twice(T.constant([1, 2]))),
    ([x], theano.scan(lambda a, b: twice(a) + b, sequences=x, outputs_info=T.zeros(()))[0]),
    ([s], T.tensor_from_scalar(single(T.scalar_from_tensor(s)))), ([x], T.elemwise.CAReduce(Plus(scalar.same_out))(x)), ([x], both(x)),
):
    given = [values if i is x else 2.0 for i in inputs]
    print(np.round(theano.function(inputs, output, mode=MODE)(*given), 6).tolist())
"""


EACH_WAY = [("pytensor_new", "FAST_RUN"), ("jax", "JAX"), ("jax_old", "JAX"), ("pytensor", "NUMBA"), ("pytensor_new", "NUMBA")]


@pytest.mark.parametrize(("interpreter", "mode"), EACH_WAY)
def test_c_code_of_scalars_wherever_it_stands(interpreter: str, mode: str) -> None:
    """Fused with others, in a loop, a reduction or a Composite, by itself, of constants, of a known base class: as Theano 1.0.5 prints."""
    interpreters.find(interpreter)
    done = interpreters.python(interpreter, "-W", "ignore", "-c", START + OF_SCALARS.replace("MODE", repr(mode)))
    expected = [
        "[0.0, 3.0, 6.0, 9.0]", "[2.0, 4.0, 6.0, 8.0]", "1.052389", "6.0", "[3.0, 6.0]", "[0.0, 3.0, 9.0, 18.0]", "6.0", "12.0",
        "[0.0, 4.0, 8.0, 12.0]",
    ]  # fmt: skip
    assert done.stdout.splitlines() == expected, done.stderr


OWN_TYPE = """
import numpy as np, theano, theano.tensor as T
from theano.gof import Apply, Constant, Op, Type
class Box(Type):
    def filter(self, value, strict=False, allow_downcast=None):
        return value
    def __eq__(self, other):
        return type(self) is type(other)
    def __hash__(self):
        return hash(type(self))
class Put(Op):
    __props__ = ()
    def make_node(self, x):
        return Apply(self, [x], [Box()()])
    def perform(self, node, inputs, outputs):
        outputs[0][0] = {"v": inputs[0] * 2}
class Take(Op):
    __props__ = ()
    def make_node(self, box, x):
        return Apply(self, [box, x], [T.dvector()])
    def perform(self, node, inputs, outputs):
        outputs[0][0] = inputs[0]["v"] + inputs[1]
x, b, W, v = T.dvector(), Box()("b"), theano.shared(np.ones(2)), np.arange(2.0)
loop = lambda: theano.scan(lambda a, c: Take()(Put()(a + c), c), sequences=T.stack([x, x]), outputs_info=x)[0]
for inputs, output, given in (
    ([x], lambda: Take()(Put()(x), x), [v]), ([b, x], lambda: Take()(b, x) * 2, [{"v": v}, v]), ([x], lambda: Put()(x), [v]),
    ([x], lambda: Take()(Constant(Box(), {"v": v}), x), [v]), ([x], loop, [v]),
):
    try:
        print(theano.function(inputs, output(), mode=MODE, updates=[(W, W + 1)])(*given), W.get_value()[0])
    except NotImplementedError as error:
        print("numba has" + str(error).partition("numba has")[2])
"""


@pytest.mark.parametrize(("interpreter", "mode"), EACH_WAY)
def test_types_of_users(interpreter: str, mode: str) -> None:
    """Values that are no numbers, between Ops, as inputs, outputs and constants, in a loop: as Theano 1.0.5 prints. Numba refuses them."""
    interpreters.find(interpreter)
    done = interpreters.python(interpreter, "-W", "ignore", "-c", START + OWN_TYPE.replace("MODE", repr(mode)))
    expected = ["[0. 3.] 2.0", "[0. 4.] 3.0", "{'v': array([0., 2.])} 4.0", "[0. 2.] 5.0", "[[ 0.  5.]", " [ 0. 17.]] 6.0"]
    if mode == "NUMBA":
        expected = ["numba has no Type Box; run this function with mode='FAST_RUN' (C) or mode='JAX'"] * 5
    assert done.stdout.splitlines() == expected, done.stderr


PYTORCH = """
import json, warnings, numpy as np, theano, theano.tensor as T
from theano.tensor.signal import pool
warnings.simplefilter("ignore")
rng = np.random.RandomState(0)
x, y, n = T.tensor4(), T.ivector(), T.lscalar()
w, v, b = theano.shared(rng.randn(3, 2, 3, 3)), theano.shared(rng.randn(12, 4)), theano.shared(np.zeros(4))
X, Y = rng.randn(5, 2, 6, 6), rng.randint(0, 4, 5).astype("int32")
h = pool.pool_2d(T.tanh(T.nnet.conv2d(x, w)), (2, 2), ignore_border=True).flatten(2)
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(h.dot(v) + b), y).mean()
doubled, _ = theano.scan(lambda a: a * 2, outputs_info=T.constant(1.0), n_steps=n)
strided = T.nnet.conv2d(x, w, border_mode="half", subsample=(2, 1), filter_dilation=(1, 2))
cases = dict(
    lenet=([x, y], [cost] + T.grad(cost, [w, v, b]), (X, Y)), scan=([n], [doubled], (4,)),
    convolution=([x], [strided, T.grad((strided ** 2).sum(), x), T.grad((strided ** 2).sum(), w)], (X,)),
)
same = {}
for name, (inputs, outputs, values) in cases.items():
    pair = [theano.function(inputs, outputs, mode=mode)(*values) for mode in ("FAST_COMPILE", "PYTORCH")]
    same[name] = [bool(a.dtype == b.dtype and a.shape == b.shape and np.allclose(a, b)) for a, b in zip(*pair)]
print(json.dumps(same))
"""


def test_a_convolutional_net_and_a_loop_in_pytorch() -> None:
    """What PyTorch has it computes, and what it lacks (loops, poolings) runs between."""
    interpreters.find("torch")
    done = interpreters.python("torch", "-W", "ignore", "-c", START + PYTORCH, timeout=600)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout.splitlines()[-1]) == {"lenet": [True] * 4, "scan": [True], "convolution": [True] * 3}


FAST_RUN = """
import theano, theano.tensor as T
x = T.vector()
for mode in ("FAST_RUN", theano.compile.get_mode("FAST_RUN").excluding("fusion")):
    print(theano.function([x], T.exp(x) + 1, mode=mode)([0.0]).tolist())
theano.config.linker = "vm"
print(theano.function([x], T.exp(x) + 2, mode="FAST_RUN")([0.0]).tolist())
"""


@pytest.mark.parametrize("linker", ["py", "vm_nogc"])
@pytest.mark.parametrize("interpreter", ["theano", "pytensor", "pytensor_new"])
def test_fast_run_stands_beside_every_linker(interpreter: str, linker: str) -> None:
    """A mode named in the script, and a linker of the flags for which PyTensor has no mode of that name."""
    begin = "import warnings\nwarnings.simplefilter('ignore')\n" if interpreter == "theano" else START
    done = interpreters.python(interpreter, "-c", begin + FAST_RUN, env={"THEANO_FLAGS": f"linker={linker},cxx="})
    assert done.stdout == "[2.0]\n[2.0]\n[3.0]\n", done.stderr


SHARED = """
import numpy as np, theano, theano.tensor as T
b, w = theano.shared(np.zeros(3, "float32")), theano.shared(np.ones((3, 2), "float32"))
x = T.fmatrix()
step = theano.function([], [], updates=[(b, b + 1), (w, w * 2)], mode="JAX")
cost = (x + b).sum() + T.zeros((2, b.shape[0])).sum() + w.sum()
read = [theano.function([x], cost, mode=mode) for mode in ("FAST_RUN", "FAST_COMPILE", "NUMBA", "JAX")]
write = theano.function([x], updates=[(b, b + x.sum(0)), (w, w * 2)], mode="FAST_RUN")
ones = np.ones((2, 3), "float32")
for _ in range(2):
    step()
    print([float(f(ones)) for f in read])
    write(ones)
    print([float(f(ones)) for f in read], b.get_value().tolist(), w.get_value()[0].tolist())
"""


@pytest.mark.parametrize("interpreter", ["jax", "jax_old"])
def test_functions_of_several_modes_share_variables(interpreter: str) -> None:
    """C code that does not check its inputs read the array of JAX as if it were numpy's."""
    done = interpreters.python(interpreter, "-c", START + SHARED)
    assert done.returncode == 0, done.stderr
    first, second, third, fourth = done.stdout.splitlines()
    assert (first, third) == (str([24.0] * 4), str([78.0] * 4))
    assert second == f"{[48.0] * 4} [3.0, 3.0, 3.0] [4.0, 4.0]"
    assert fourth == f"{[138.0] * 4} [6.0, 6.0, 6.0] [16.0, 16.0]"


def test_what_compiles_in_less_time() -> None:
    """JAX if it is installed, else C instead of numba; nothing instead of JAX."""
    program = (
        START
        + """import theano
from compat_by_path.behaviour.progress import advice
print([advice(of, jax, gxx) for of in ("numba", "g++", "JAX", "PyTensor") for jax in (True, False) for gxx in (True, False)])
"""
    )
    done = interpreters.python("pytensor", "-c", program)
    jax, without = "--mode jax takes less", "JAX takes less, if it is installed"
    numba = [jax, jax, "--mode c takes less", "g++ and JAX take less, if one of them is installed"]
    assert ast.literal_eval(done.stdout) == [*numba, jax, jax, without, without, *[""] * 8], done.stderr

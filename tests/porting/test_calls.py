"""Calls, flags, transfers and classes that need more than another name."""

from __future__ import annotations

import pytest

from theanodiag.porting.model import PortOptions, Safety, Style
from theanodiag.porting.source_port import port_text

from ..interpreters import python

HEAD = "import theano\nimport theano.tensor as T\n"
NEW = "import pytensor\nimport pytensor.tensor as T\n"
COMPAT = "import pytensor\nfrom theanodiag.legacy.tensor import nnet as legacy_nnet\nimport pytensor.tensor as T\n"


def moved(text: str, *, style: Style = Style.NATIVE, unsafe: bool = False) -> str:
    """The source as it is to be; moving it once more changes nothing."""
    options = PortOptions(style=style, unsafe=unsafe)
    after = port_text(text, "model.py", options).after
    assert port_text(after, "model.py", options).after == after
    return after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("T.stack(a, b, c)", "T.stack([a, b, c])"),
        ("T.Join()(0, a, b)", "T.join(0, a, b)"),
        ("j = T.Join()", "j = T.join"),
        ("theano.gof.MergeOptimizer().optimize(g)", "pytensor.graph.rewriting.basic.MergeOptimizer().rewrite(g)"),
        ("o = theano.compile.optdb.query(q)\no.optimize(g)", "o = pytensor.compile.optdb.query(q)\no.rewrite(g)"),
        ("T.stack([a, b], axis=1)", "T.stack([a, b], axis=1)"),
        ("T.stack((a, b), 1)", "T.stack((a, b), 1)"),
        ("T.nnet.hard_sigmoid(T.inv(x))", "T.clip(0.2 * (T.reciprocal(x)) + 0.5, 0, 1)"),
        ("T.flatten(x, outdim=2)", "T.flatten(x, ndim=2)"),
        ("T.patternbroadcast(x, (False, True))", "T.specify_broadcastable(x, 1)"),
        ("T.TensorType('float32', broadcastable=(True, False))", "T.TensorType('float32', shape=(True, False))"),
        ("T.tensor('float32', (False,) * 3)", "T.tensor(dtype='float32', shape=(False,) * 3)"),
        ("theano.shared(v, broadcastable=(True, False))", "pytensor.shared(v, shape=(True, False))"),
        ("theano.Param(x, name='x', borrow=True)", "pytensor.In(x, name='x', borrow=True)"),
        ("theano.In(x, borrow=True)", "pytensor.In(x, borrow=True)"),
        ("T.elemwise.DimShuffle((False,), ('x', 0))(x)", "T.elemwise.DimShuffle(input_ndim=len((False,)), new_order=('x', 0))(x)"),
        ("theano.compile.pfunc(params=[x], outputs=y)", "pytensor.function(inputs=[x], outputs=y)"),
        ("theano.gradient.Rop(y, x, eval_points=v)", "pytensor.pushforward(y, x, tangents=v)"),
        ("theano.clone(y, {x: z}, strict=False)", "pytensor.graph.replace.clone_replace(y, replace={x: z}, rebuild_strict=False)"),
        ("theano.sandbox.cuda.basic_ops.gpu_contiguous(T.inv(x))", "T.reciprocal(x)"),
        ("theano.sandbox.cuda.host_from_gpu(x + y)", "(x + y)"),
        ("for v in theano.gof.op.get_debug_values(T.inv(x)): pass", "for v in (): pass"),
        ("theano.config.floatX", "pytensor.config.floatX"),
        ("from theano import theano\ntheano.config.device", "import pytensor\n'cpu'"),
        ("theano.config.blas.ldflags", "pytensor.config.blas__ldflags"),
        ("theano.config.device.startswith('gpu')", "'cpu'.startswith('gpu')"),
        ("x if theano.config.lib.cnmem else y", "x if 0.0 else y"),
        ("theano.sandbox.cuda.use('gpu0')\nx", "x"),
        ("if x:\n    theano.sandbox.cuda.use('gpu0')", "if x:\n    pass"),
        ("theano.config.compute_test_value = 'warn'  # why\nx", "pass  # why\nx"),
        ("theano.config.nvcc.fastmath = True\nx", "x"),
        ("class A(theano.Op):\n    def c_code(self): pass", "class A(pytensor.link.c.op.COp):\n    def c_code(self): pass"),
        ("class A(theano.Op):\n    def perform(self): pass", "class A(pytensor.graph.Op):\n    def perform(self): pass"),
    ],
)
def test_safe_forms(before: str, after: str) -> None:
    """Written in both styles."""
    for style in Style:
        assert moved(f"{HEAD}{before}\ntheano.grad\n", style=style) == f"{NEW}{after}\npytensor.grad\n"


@pytest.mark.parametrize(
    ("before", "unsafe", "safe"),
    [
        ("T.nnet.softmax(x)", "T.special.softmax(x, axis=-1)", "legacy_nnet.softmax(x)"),
        ("T.nnet.relu(x)", "T.maximum(x, 0)", "legacy_nnet.relu(x)"),
        ("T.nnet.ultra_fast_sigmoid(x)", "T.sigmoid(x)", "legacy_nnet.ultra_fast_sigmoid(x)"),
        ("T.nnet.relu(T.nnet.softmax(x))", "T.maximum(T.special.softmax(x, axis=-1), 0)", "legacy_nnet.relu(legacy_nnet.softmax(x))"),
    ],
)
def test_unsafe_forms_are_asked_for(before: str, unsafe: str, safe: str) -> None:
    """Else, and in the style `compat`, the piece is written that computes what Theano did."""
    assert moved(f"{HEAD}{before}\n", unsafe=True) == f"{NEW}{unsafe}\n"
    assert moved(f"{HEAD}{before}\n") == f"{COMPAT}{safe}\n"
    assert moved(f"{HEAD}{before}\n", style=Style.COMPAT, unsafe=True) == f"{COMPAT}{safe}\n"


def test_a_form_with_other_arguments_is_left_to_the_piece() -> None:
    """The slope of a leaky rectifier; arguments that are spread; a function that is handed on."""
    for call in ("T.nnet.relu(x, 0.1)", "T.nnet.relu(*x)", "f(T.nnet.relu)"):
        assert moved(f"{HEAD}{call}\n", unsafe=True) == f"{COMPAT}{call.replace('T.nnet', 'legacy_nnet')}\n"


def test_imported_functions_keep_their_names() -> None:
    """Where all uses become one other function the import brings it; else each use says which."""
    text = "from theano.tensor.nnet import relu\ny = relu(relu(x))\n"
    assert moved(text, unsafe=True) == "from pytensor.tensor import maximum as relu\ny = relu(relu(x, 0), 0)\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("os.environ['THEANO_FLAGS'] = 'floatX=float32,device=gpu0'", "os.environ['PYTENSOR_FLAGS'] = 'floatX=float32'"),
        (
            "os.environ.setdefault('THEANO_FLAGS', \"blas.ldflags=-lblas\")",
            "os.environ.setdefault('PYTENSOR_FLAGS', \"blas__ldflags=-lblas\")",
        ),
        ("print(os.environ.get('THEANO_FLAGS', ''))", "print(os.environ.get('PYTENSOR_FLAGS', ''))"),
    ],
)
def test_the_variable_of_flags(before: str, after: str) -> None:
    """Its name, and flags that are written out."""
    assert moved(f"import os\n{before}\n") == f"import os\n{after}\n"


def test_flags_put_together_are_left_where_compat_is_not() -> None:
    """For Aesara they are told, with how to find out what they become."""
    report = port_text("import os\nos.environ['THEANO_FLAGS'] = 'device=' + gpu\n", "model.py", PortOptions("aesara"))
    assert [(c.safety, c.span.line) for c in report.changes] == [(Safety.BY_HAND, 2)]


@pytest.mark.parametrize("name", ["tensor.nlinalg.eigh", "tensor.nlinalg.norm", "tensor.raw_random.uniform", "tensor.sort.SortOp"])
def test_functions_whose_arguments_are_others_are_taken_from_compat(name: str) -> None:
    """PyTensor has the name too, and computes something else with the arguments that stand there."""
    module, _, last = name.rpartition(".")
    package, _, module = module.rpartition(".")
    after = moved(f"from theano.{package}.{module} import {last}\n{last}(x, y)\n")
    assert after == f"from theanodiag.legacy.{package}.{module} import {last}\n{last}(x, y)\n"


def test_names_in_a_module_that_a_function_hides() -> None:
    """`pytensor.scan` is the function, so what the module has is imported by name."""
    after = moved("import theano\ntheano.scan_module.until(x)\n")
    assert after == "from pytensor.scan import until as pytensor_until\npytensor_until(x)\n"
    assert moved("from theano.scan_module import until\nuntil(x)\n") == "from pytensor.scan import until\nuntil(x)\n"
    assert moved("from theano import scan_module\nf(scan_module)\n") == "from theanodiag.legacy import scan_module\nf(scan_module)\n"


def test_flags_for_a_while() -> None:
    """`change_flags` is a method of `config`; flags that are gone are not set, in a decorator neither."""
    before = "from theano.configparser import change_flags\n@change_flags(compute_test_value='off')\ndef f(): pass\n"
    config = "from pytensor import config as pytensor_config\n"
    assert moved(before) == f"{config}@pytensor_config.change_flags()\ndef f(): pass\n"
    after = moved("from theano.configparser import change_flags\nwith change_flags(compute_test_value='off', floatX='float32'): pass\n")
    assert after == f"{config}with pytensor_config.change_flags(floatX='float32'): pass\n"


@pytest.mark.parametrize("style", Style)
def test_a_variable_that_is_asked_whether_it_is_true(style: Style) -> None:
    """With --unsafe it is asked for None, where the branch makes a variable of it; elsewhere the question stays."""
    before = f"{HEAD}def f(W=None, n=None):\n    if not W:\n        W = theano.shared(3)\n    if not n:\n        n = 2\n"
    assert moved(before, style=style, unsafe=True).splitlines()[-4:-2] == ["    if W is None:", "        W = pytensor.shared(3)"]
    assert "if not n:" in moved(before, style=style, unsafe=True)
    assert "if not W:" in moved(before, style=style)
    asserted = f"{HEAD}def f(a, W=None, n=3):\n    assert W, 'none'\n    assert n\n    assert a\n"
    expected = asserted.replace("assert W", "assert W is not None").replace(HEAD, NEW)
    assert moved(asserted, style=style, unsafe=True) == expected
    assert moved(asserted, style=style) == asserted.replace(HEAD, NEW)
    method = f"{HEAD}class A:\n    def f(self, x=None):\n        self.x = x\n        if not x:\n            self.x = T.matrix()\n"
    assert "        if x is None:\n            self.x = T.matrix()\n" in moved(method, style=style, unsafe=True)


@pytest.mark.parametrize("unsafe", [True, False])
@pytest.mark.parametrize("test", ["if not W:\n        W = theano.shared(3)", "if not W:\n        W.a = T.matrix()", "assert W"])
def test_a_truth_test_that_may_stop_is_listed(test: str, unsafe: bool) -> None:
    """As a change to decide on: without --unsafe the test stays, and PyTensor raises an error for a variable."""
    before = f"{HEAD}def f(W=None):\n    {test.replace('W.a', 'self.W')}\n"
    report = port_text(before, "model.py", PortOptions(unsafe=unsafe))
    (change,) = (change for change in report.changes if change.safety is Safety.UNSAFE)
    assert change.span.line == 4


CHOICES = """import numpy
class Layer:
    def __init__(self, input=None, chain=None, n=None):
        self.x = input if input else T.vector("x")
        self.y = input or T.vector("y")
        self.n = n or 3
        self.chain = 0 if chain is None else 1
        if chain:
            self.chain += 1
        if n:
            self.n += 1
one, two = Layer(), Layer(T.exp(T.vector()), theano.shared(numpy.zeros(2)), 4)
print(one.x, one.y, one.n, one.chain, two.x is two.y, two.n, two.chain)
"""


@pytest.mark.parametrize("name", ["theano", "pytensor", "pytensor_new"])
def test_a_choice_by_the_truth_of_a_variable(name: str) -> None:
    """With --unsafe it is a comparison with None, where the other choice is a variable, or the function asks elsewhere whether it is None;
    other choices stay, and without the option all do. The ported program prints what Theano's does."""
    changed = [
        "x = input if input is not None else T.",
        "y = input if input is not None else T.",
        "if chain is not None:",
        "n or 3",
        "if n:",
    ]
    ported = moved(HEAD + CHOICES, unsafe=True)
    assert all(text in ported for text in changed)
    assert moved(HEAD + CHOICES) == (HEAD + CHOICES).replace("theano", "pytensor")
    done = python(name, "-c", HEAD + CHOICES if name == "theano" else ported)
    assert done.stdout == "x y 3 0 True 5 2\n", done.stderr


@pytest.mark.parametrize("call", ["theano.Param(x, default=3)", "theano.Param(x, 3)", "theano.In(x, value=3)"])
def test_an_input_with_a_value_of_its_own_comes_from_compat(call: str) -> None:
    """PyTensor refuses it, whatever it is called; so does the function around it, or each where it stands elsewhere."""
    piece = "legacy"
    for style in Style:
        after = moved(f"{HEAD}f = theano.function([{call}], x)\ng = theano.function([x], x)\n", style=style)
        assert f"f = {piece}.function([{piece}.In(x, value=3)], x)\ng = pytensor.function([x], x)\n" in after
        after = moved(f"{HEAD}given = [{call}]\ng = theano.function(given, x)\n", style=style)
        assert f"given = [{piece}.In(x, value=3)]\ng = {piece}.function(given, x)\n" in after


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("o = theano.gof.MergeOptimizer()\nself.o.optimize(g)", ".optimize"),
        ("T.Join(1)(0, a, b)", "theano.tensor.Join"),
    ],
)
def test_what_may_be_another_thing_is_left_to_do_by_hand(text: str, name: str) -> None:
    """A method of an object that is not known; a class with an argument that PyTensor's has not. Without optimisers no method is told."""
    report = port_text(f"{HEAD}{text}\n", "model.py", PortOptions())
    assert [c.name for c in report.changes if c.safety is Safety.BY_HAND] == [name]
    assert not [c for c in port_text(f"{HEAD}self.o.optimize(g)\n", "model.py", PortOptions()).changes if c.safety is Safety.BY_HAND]


@pytest.mark.parametrize("text", ["theano.In(x, value=3)", "f = theano.function([theano.In(x, value=3, update=x + 1)], x)"])
def test_an_input_that_keeps_its_value_is_left_to_do_by_hand(text: str) -> None:
    """Also one that no function of the source takes."""
    for style in Style:
        report = port_text(f"{HEAD}{text}\n", "model.py", PortOptions("pytensor", style))
        assert [c.safety for c in report.changes if c.span.line == 3 and c.name == "theano.In"] == [Safety.BY_HAND]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import theano\ntheano.sandbox.cuda.use('gpu0')\nx\n", "x\n"),
        ("import theano.tensor as T\nimport theano.tensor.signal.downsample\nT.sqr(1)\n", "import pytensor.tensor as T\nT.square(1)\n"),
        ("import theano\nimport theano.tensor.nnet\ntheano.config.device\n", "'cpu'\n"),
        ("import theano\nx\n", "import pytensor\nx\n"),
        ("import theano\n__all__ = ['theano']\ntheano.config.device\n", "import pytensor\n__all__ = ['theano']\n'cpu'\n"),
        ("import theano\ntheano.config.device\ntheano.grad\n", "import pytensor\n'cpu'\npytensor.grad\n"),
        (
            "try:\n    import theano\nexcept ImportError: pass\ntheano.config.device\n",
            "try:\n    import pytensor\nexcept ImportError: pass\n'cpu'\n",
        ),
        ("import theano\nimport theano.tensor as T\nT.sqr(theano)\n", "import pytensor\nimport pytensor.tensor as T\nT.square(pytensor)\n"),
    ],
)
def test_an_import_that_was_used_and_is_no_more_goes(before: str, after: str) -> None:
    """With one of a module that is served otherwise; what nothing used before stays, and what may be handed on."""
    assert moved(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("'x' + theano.config.base_compiledir", "'x' + str(pytensor.config.base_compiledir)"),
        ("theano.config.compiledir + os.sep", "str(pytensor.config.compiledir) + os.sep"),
        ("theano.config.compiledir.split('/')", "str(pytensor.config.compiledir).split('/')"),
        ("theano.config.compiledir[0]", "str(pytensor.config.compiledir)[0]"),
        ("p = theano.config.compiledir", "p = str(pytensor.config.compiledir)"),
        ("theano.config.compiledir == p", "str(pytensor.config.compiledir) == p"),
        ("f(theano.config.compiledir)", "f(str(pytensor.config.compiledir))"),
        ("f'{theano.config.compiledir:>9}'", "f'{str(pytensor.config.compiledir):>9}'"),
        ("os.path.join(theano.config.compiledir, 'x')", "os.path.join(pytensor.config.compiledir, 'x')"),
        ("open(theano.config.compiledir)", "open(pytensor.config.compiledir)"),
        ("'%s/x' % theano.config.compiledir", "'%s/x' % pytensor.config.compiledir"),
        ("theano.config.base_compiledir = p", "pytensor.config.base_compiledir = p"),
        ("theano.config.floatX + 'x'", "pytensor.config.floatX + 'x'"),
    ],
)
def test_folders_of_config_are_texts(before: str, after: str) -> None:
    """They are paths in PyTensor: a text is made of one wherever that makes a difference."""
    assert moved(f"import theano\n{before}\n") == f"import pytensor\n{after}\n"

"""Less usual scripts: early imports, test values, a device, the time running out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.capture.running import framework, write
from theanodiag.capture.runner import run_script
from theanodiag.memory.script import Call, Create, Delete, GetValue, SetValue
from theanodiag.processes import interpreter

TEST_VALUES = """
import numpy as np, theano, theano.tensor as T
theano.config.compute_test_value = "raise"
x = T.matrix("x")
x.tag.test_value = np.ones((3, 4))
y = T.tanh(T.dot(x, theano.shared(np.ones((4, 5)))))
assert abs(y.tag.test_value[0, 0] - np.tanh(4)) < 1e-6
s, _ = theano.scan(lambda r, a: a + r.sum(), sequences=[x], outputs_info=[T.zeros(())])
assert s.tag.test_value.tolist() == [4, 8, 12]
f = theano.function([x], [y, s], name="f")
assert [v.shape for v in f(np.ones((7, 4)))] == [(7, 5), (7,)]
assert f(np.ones((7, 4)), output_subset=[0])[0].shape == (7, 5)
"""


def test_test_values_are_computed(tmp_path: Path) -> None:
    """Test values are true values, also through Scan, and make no function of the script."""
    capture = framework(tmp_path, "theano", TEST_VALUES)
    assert capture.end.status == "finished", capture.end.traceback
    assert [f.name for f in capture.script.functions] == ["f"]


OTHER_BUILTINS = """
import builtins
import numpy as np, {package}, {package}.tensor as T
x = T.matrix("x")
f = {package}.function([x], T.exp(x).sum(), name="f")
f(np.ones((2, 3), x.dtype))
keep = dict(vars(builtins))
builtins.len = lambda x: 0
builtins.isinstance = lambda a, b: False
builtins.id = lambda x: 7
f.vm() if hasattr(f, "vm") else f.fn()
vars(builtins).update(keep)
f(np.ones((5, 3), x.dtype))
"""


@pytest.mark.parametrize("name", ["theano", "pytensor"])
def test_calls_are_told_though_the_script_replaced_builtins(tmp_path: Path, name: str) -> None:
    """Our code goes on with Python's own; the framework's, as in any run, with those of the script."""
    capture = framework(tmp_path, name, OTHER_BUILTINS)
    assert len([e for e in capture.script.events if isinstance(e, Call)]) == 3
    assert (capture.end.status, capture.end.exit_code, capture.skipped) == ("finished", 0, ())


def test_a_framework_that_was_imported_before_the_script(tmp_path: Path) -> None:
    """A sitecustomize that imports Theano does not hide it from us."""
    write(tmp_path, "import theano\n", "sitecustomize.py")
    text = "import theano, theano.tensor as T\nx = T.scalar('x')\nf = theano.function([x], x + 1)\nf(2)"
    capture = framework(tmp_path, "theano", text, env={"PYTHONPATH": str(tmp_path)})
    assert [type(e) for e in capture.script.events][-1] is Call


UNPICKLED = """
import pickle
import numpy as np, {package}, {package}.tensor as T
x = T.matrix("x")
W = {package}.shared(np.ones((3, 4)), name="W")
x, W, y = pickle.loads(pickle.dumps((x, W, T.dot(x, W)), -1))
f = {package}.function([x], y, updates=[(W, W * 2)], name="f")
f(np.ones((2, 3), x.dtype))
"""


@pytest.mark.parametrize("name", ["theano", "aesara", "pytensor_new"])
def test_shared_variables_out_of_a_pickle(tmp_path: Path, name: str) -> None:
    """PyTensor's are made without their constructor, which the hook would have seen; Theano's are not."""
    capture = framework(tmp_path, name, UNPICKLED)
    assert (capture.end.status, capture.skipped) == ("finished", ())
    (function,) = capture.script.functions
    (number,) = [entry.shared for entry in function.graph.inputs if entry.shared is not None]
    assert capture.script.shared[number].name == "W"
    assert [event.shape for event in capture.script.events if isinstance(event, Create) and event.shared == number] == [(3, 4)]


ON_DEVICE = """
import numpy as np, theano, theano.tensor as T
W = theano.shared(np.ones((10, 10), "float32"), "W")
grow = theano.function([], T.dot(W, W), updates=[(W, T.concatenate([W, W]))], name="grow")
assert grow().shape == (10, 10)
assert W.get_value().shape == (20, 10)
W.get_value(borrow=True, return_internal_type=True)
W.set_value(np.ones((3, 3), "float32"))
"""


def test_a_real_device(tmp_path: Path) -> None:
    """Where the framework has a device, shared variables live on it and grow there."""
    flags = {"THEANO_FLAGS": "device=opencl0:0,floatX=float32,blas.ldflags="}
    capture = framework(tmp_path, "gpu", ON_DEVICE, env=flags)
    assert capture.end.status == "finished", capture.end.traceback
    assert [v.type.kind.on_device for v in capture.script.shared.values()] == [True]
    seen = [e for e in capture.script.events if isinstance(e, (GetValue, SetValue))]
    assert [(e.internal if isinstance(e, GetValue) else e.shape) for e in seen] == [False, True, (3, 3)]


def test_shapes_are_inferred_though_the_time_ran_out(tmp_path: Path) -> None:
    """A script that is ended by the timeout is ended in an orderly way, and its functions are asked about."""
    text = "import theano, theano.tensor as T, time\nx = T.matrix('x')\nf = theano.function([x], x.sum())\ntime.sleep(600)"
    capture = framework(tmp_path, "theano", text, timeout=30, shapes=["f:x=2,3"])
    assert capture.end.status == "timeout"
    assert [e.assumed for e in capture.script.events if isinstance(e, Call)] == [True]


def test_every_interpreter_that_is_found_reads_the_hook(tmp_path: Path) -> None:
    """The hook's files are programs of whichever CPython is installed beside ours."""
    script = write(tmp_path, "import sys\nsys.exit(sys.version_info[1])\n")
    beside = sorted(Path(sys.base_prefix).parent.glob("*/bin/python")) + [Path(sys.executable)]
    for path in beside:
        version = interpreter.find(str(path), {}).version
        assert run_script(script, str(path)).end.exit_code == version[1]


NAMES = """
import numpy as np, {package}, {package}.tensor as T

def zeros(*shape):
    return {package}.shared(np.zeros(shape))

class Layer:
    def __init__(self, n):
        self.W, self.b = zeros(n, n), zeros(n)

A, B = zeros(4, 4), zeros(4)
net, layers = Layer(4), [Layer(4)]
x = T.vector("x")
h = x
for p in [A, B, net.W, net.b, layers[0].W, layers[0].b, zeros(4)]:
    h = T.dot(h, p) if p.ndim == 2 else h + p

def compiled():
    local = zeros(4)
    return {package}.function([x], h + local)

compiled()(np.ones(4))
"""


@pytest.mark.parametrize("name", ["theano", "theano27", "aesara", "pytensor"])
def test_shared_variables_have_the_script_s_own_names(tmp_path: Path, name: str) -> None:
    """Whatever creates them: a helper, a class; a variable of a loop, or of a function that runs, names its value if nothing else does."""
    capture = framework(tmp_path, name, NAMES)
    assert (capture.end.status, capture.skipped) == ("finished", ())
    names = [v.expression for _, v in sorted(capture.script.shared.items())]
    assert names == ["A", "B", "net.W", "net.b", "layers[0].W", "layers[0].b", "p", "local"]


DROPPED = """
import numpy as np, {package}, {package}.tensor as T

def run():
    W = {package}.shared(np.zeros((4, 4)), name="W")
    x = T.vector("x")
    f = {package}.function([x], T.dot(x, W))
    f(np.ones(4))
    del W, f
    other = {package}.shared(np.zeros(3), name="other")
    return other

run()
"""


@pytest.mark.parametrize("name", ["theano", "pytensor"])
def test_looking_for_names_keeps_nothing_alive(tmp_path: Path, name: str) -> None:
    """A variable that a function deletes is gone before the next is created."""
    events = framework(tmp_path, name, DROPPED).script.events
    kinds = [type(e).__name__ for e in events if isinstance(e, (Create, Delete))]
    assert "Delete" in kinds[: len(kinds) - 1 - kinds[::-1].index("Create")]

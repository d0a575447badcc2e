"""What is captured from each of the real frameworks."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.capture.running import MLP, PACKAGES, PORTABLE, framework
from tests.interpreters import python
from theanodiag.capture.model import Capture
from theanodiag.ir import Role
from theanodiag.memory.script import Call, Compile, CompiledFunction, Create, Delete, GetValue, SetValue

CALLS = (
    MLP
    + """
data, labels = np.zeros((6, 20), fx), np.zeros(6, "int32")
out = [train(data, labels) for i in range(2)]
assert out[0].shape == () and str(out[0].dtype) == fx, out
guess = predict(data[:4])
assert guess.shape == (4,) and str(guess.dtype) == "int64", guess
"""
)


def named(capture: Capture, name: str) -> CompiledFunction:
    """The function of that name."""
    return next(f for f in capture.script.functions if f.name == name)


def calls_of(capture: Capture, name: str) -> list[Call]:
    """The calls of the function of that name."""
    index = named(capture, name).index
    return [e for e in capture.script.events if isinstance(e, Call) and e.function == index]


@pytest.fixture(scope="module", params=PORTABLE)
def mlp(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Capture]:
    """The small model on each framework."""
    name = str(request.param)
    return name, framework(tmp_path_factory.mktemp(name), name, CALLS)


class TestMlp:
    """A small model, trained and asked."""

    def test_the_script_ran_to_its_end(self, mlp: tuple[str, Capture]) -> None:
        """Shapes and dtypes of what dry calls return satisfy the script's own checks."""
        assert mlp[1].end.status == "finished", mlp[1].end.traceback
        assert mlp[1].skipped == ()

    def test_the_framework_is_named(self, mlp: tuple[str, Capture]) -> None:
        """Name, version and flags are those of the interpreter."""
        name, info = mlp[0], mlp[1].framework
        assert info is not None
        assert (info.name, info.alias_of) == (PACKAGES[name], None)
        assert info.flags["floatX"] == "float64"
        said = python(name, "-c", "import json, numpy, sys; print(json.dumps([sys.version_info[:2], numpy.__version__]))").stdout
        assert [list(info.python or ()), info.numpy] == json.loads(said)

    def test_functions_in_the_order_of_compilation(self, mlp: tuple[str, Capture]) -> None:
        """Both functions are there, with the place that compiled them."""
        functions = mlp[1].script.functions
        assert [f.name for f in functions] == ["train", "predict"]
        assert [f.site.code for f in functions if f.site][1] == "predict = lib.function([x], T.argmax(p, axis=1))"

    def test_shared_variables(self, mlp: tuple[str, Capture]) -> None:
        """Each is known by the id that the graphs use, with its name and its place."""
        shared = mlp[1].script.shared
        assert [(v.name, v.type.ndim) for v in shared.values() if v.site and v.site.code] == [("W", 2), ("b", 1), ("V", 2)]
        used = {i.shared for f in mlp[1].script.functions for i in f.graph.inputs if i.role is Role.SHARED}
        assert used == set(shared)

    def test_updates_are_outputs_of_the_graph(self, mlp: tuple[str, Capture]) -> None:
        """The training function returns one value and updates three inputs."""
        graph = named(mlp[1], "train").graph
        assert graph.n_returned == 1
        assert sorted(i.update for i in graph.inputs if i.update is not None) == [1, 2, 3]

    def test_calls_have_arguments_and_shapes(self, mlp: tuple[str, Capture]) -> None:
        """A call tells its arguments by name, and the shapes of everything in the graph."""
        call = calls_of(mlp[1], "train")[0]
        assert [(i.name, i.dtype, i.shape) for i in call.inputs] == [("x", "float64", (6, 20)), ("y", "int32", (6,))]
        graph = named(mlp[1], "train").graph
        assert [call.shapes.shape(v) for v in graph.outputs[:1]] == [()]
        assert {call.shapes.shape(i.variable) for i in graph.inputs if i.role is Role.SHARED} == {(20, 8), (8,), (8, 3)}

    def test_the_same_memory_is_recognised(self, mlp: tuple[str, Capture]) -> None:
        """The same array passed twice has the same buffer; another one has another."""
        first, second = calls_of(mlp[1], "train")
        assert first.inputs[0].buffer == second.inputs[0].buffer
        assert first.inputs[0].buffer != first.inputs[1].buffer

    def test_events_are_in_the_order_of_the_script(self, mlp: tuple[str, Capture]) -> None:
        """Creations, compilations and calls follow each other as in the script."""
        kinds = [type(e) for e in mlp[1].script.events]
        assert kinds == [Create] * 3 + [Compile] * 2 + [Call] * 3

    def test_calls_have_places(self, mlp: tuple[str, Capture]) -> None:
        """A call's place is the script's line."""
        site = calls_of(mlp[1], "predict")[0].site
        assert site is not None
        assert site.code == "guess = predict(data[:4])"


SHARED = """
import numpy as np
import {package} as lib

v = lib.shared(np.ones((2, 3)), name="v", borrow=True)
v.set_value(np.ones((4, 3)))
v.get_value(borrow=True)
a = np.ones((4, 3))
v.set_value(a, borrow=True)
v.set_value(a, borrow=True)
w = lib.shared(np.ones(5))
f = lib.function([], v.sum())
f()
del w, f
import gc
gc.collect()
"""


@pytest.mark.parametrize("name", PORTABLE)
def test_life_of_shared_variables(tmp_path: Path, name: str) -> None:
    """Setting, reading and forgetting are recorded in order."""
    capture = framework(tmp_path, name, SHARED)
    first, second = capture.script.shared
    events = [e for e in capture.script.events if not isinstance(e, (Create, Compile, Call))]
    sets = [e for e in events if isinstance(e, SetValue)]
    assert [(e.shared, e.shape, e.borrow) for e in sets] == [(first, (4, 3), False), (first, (4, 3), True), (first, (4, 3), True)]
    assert sets[1].buffer == sets[2].buffer != sets[0].buffer
    assert [(e.shared, e.borrow, e.internal) for e in events if isinstance(e, GetValue)] == [(first, True, False)]
    assert {(e.shared, e.function) for e in events if isinstance(e, Delete)} == {(second, None), (None, 0)}


GARBAGE = """
import gc
import numpy as np
import {package} as lib

w = lib.shared(np.ones(5))
w.tag.itself = w
gc.disable()
gc.collect()
del w
gc.enable()
many = [[] for _ in range(2 * len(gc.get_objects()))]  # so many new objects bring a search about
"""


@pytest.mark.parametrize(("more", "collected"), [("", [True]), ("gc.collect()\n", [True]), (3 * "gc.collect()\n", [True, False])])
def test_what_a_search_for_garbage_finds_is_not_what_the_script_drops(tmp_path: Path, more: str, collected: list[bool]) -> None:
    """A shared variable that refers to itself waits for a search; only those that the script asks for end it for certain."""
    capture = framework(tmp_path, "theano", GARBAGE + more)
    assert [e.collected for e in capture.script.events if isinstance(e, Delete)] == collected


LIBRARY = """
import numpy as np
import {package} as lib
import {package}.tensor as T

x = T.matrix("x")
W = lib.shared(np.ones((3, 4)), name="W")
f = lib.function([x], x.dot(W), updates=[(W, W * 2)], name="f")
assert [v.name for v in f.get_shared()] == ["W"]
value = W.get_value(borrow=True)
f(np.ones((2, 3)))
assert W.get_value(borrow=True) is value, "an update of the same shape keeps the value"
for bad in (np.ones(3), "text", np.ones((2, 3), "complex128")):
    try:
        f(bad)
    except (TypeError, ValueError):
        pass
    else:
        raise AssertionError(bad)
try:
    f()
except TypeError:
    pass
g = f.copy(swap={W: lib.shared(np.ones((3, 7)))})
assert np.shape(g(np.ones((2, 3)))[-1] if isinstance(g(np.ones((2, 3))), list) else g(np.ones((2, 3)))) == (2, 7)
assert (x + 1).eval({x: np.ones((5, 2))}).shape == (5, 2)
h = lib.function([x], [x.shape[0], x.T, x.sum()])
assert [np.shape(v) for v in h(np.ones((5, 2)))] == [(), (2, 5), ()]
assert int(h(np.ones((5, 2)))[0]) == 5, "known values are given"
"""


@pytest.mark.parametrize("name", PORTABLE)
def test_functions_are_the_librarys_own(tmp_path: Path, name: str) -> None:
    """Argument checks, shared variables, copies, eval and several outputs work as without us."""
    end = framework(tmp_path, name, LIBRARY).end
    assert end.status == "finished", end.traceback


def test_a_function_made_by_the_framework_for_itself_is_computed(tmp_path: Path) -> None:
    """What Theano computes while a graph is built keeps its values, and is no function of the script."""
    text = """
    import numpy as np, theano, theano.tensor as T
    from theano.sandbox.rng_mrg import MRG_RandomStreams
    u = MRG_RandomStreams(1).uniform((3, 4))
    steps, _ = theano.scan(lambda c: c * 2, outputs_info=[T.ones(())], n_steps=5)
    f = theano.function([], [u, steps[-1]], name="f")
    assert [v.shape for v in f()] == [(3, 4), ()]
    """
    capture = framework(tmp_path, "theano", text)
    assert capture.end.status == "finished", capture.end.traceback
    assert [f.name for f in capture.script.functions] == ["f"]


def test_real_calls_compute(tmp_path: Path) -> None:
    """With calls="real" the script gets true values, and the same things are recorded."""
    text = """
    import numpy as np, theano, theano.tensor as T
    x = T.vector("x")
    f = theano.function([x], x.sum())
    assert f(np.ones(5)) == 5
    """
    capture = framework(tmp_path, "theano", text, calls="real")
    assert capture.end.status == "finished", capture.end.traceback
    assert [i.shape for i in calls_of(capture, "f")[0].inputs] == [(5,)]


def test_a_script_that_fails_on_zeros_is_told_what_to_do(tmp_path: Path) -> None:
    """After dry calls an exception may be due to their values."""
    text = "import theano, theano.tensor as T\nx = T.scalar('x')\nf = theano.function([x], x + 1)\n1 / float(f(2))"
    end = framework(tmp_path, "theano", text).end
    assert (end.status, end.exception) == ("raised", "ZeroDivisionError: float division by zero")
    assert end.reason == "calls returned zeros; if that caused the failure, retry with --calls real"


class TestFlagsVariable:
    """What advice has to keep: the text of the variable that the framework read."""

    @pytest.mark.parametrize("name", PORTABLE)
    def test_text_in_the_environment(self, name: str, tmp_path: Path) -> None:
        """As it was when the framework was imported, not as the script sets it later."""
        variable = f"{PACKAGES[name].upper()}_FLAGS"
        after = f"import os\nos.environ[{variable!r}] = 'allow_gc=False'\n"
        env = {variable: "exception_verbosity=high"}
        info = framework(tmp_path, name, f"import {PACKAGES[name]} as lib\n{after}", env=env).framework
        assert info is not None
        assert (info.flags_text, info.flags_by_script) == ("exception_verbosity=high", False)
        assert info.flags_variable.name == variable

    @pytest.mark.parametrize("name", PORTABLE)
    def test_text_that_the_script_sets(self, name: str, tmp_path: Path) -> None:
        """It stands in the script, so a shell's has no effect."""
        variable = f"{PACKAGES[name].upper()}_FLAGS"
        before = f"import os\nos.environ[{variable!r}] = 'exception_verbosity=high'\n"
        info = framework(tmp_path, name, f"{before}import {PACKAGES[name]}\n").framework
        assert info is not None
        assert (info.flags_text, info.flags_by_script) == ("exception_verbosity=high", True)

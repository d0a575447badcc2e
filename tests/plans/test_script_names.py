"""The names in code to paste are those that the script has, where the code is pasted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy
import pytest

import theanodiag
from tests.interpreters import find
from tests.rules.scripts import BY_CODE
from theanodiag.findings import Finding, Fix, Severity, identifier
from theanodiag.ir import Site
from theanodiag.memory.script import Call, SetValue
from theanodiag.memory.settings import MemorySettings
from theanodiag.plans.calling import Growing, written_growth
from theanodiag.plans.chunking import reallocation
from theanodiag.plans.chunking.code import code
from theanodiag.plans.chunking.plan import ChunkPlan, plan
from theanodiag.plans.resize import WhatIf
from theanodiag.plans.script_names import called_as, holders, keepers, maker_of, outside, with_imports
from theanodiag.plans.source_changes import statement_of
from theanodiag.plans.unused_state import searches
from theanodiag.rules.examples import data_script, device, larger_value_script, subject
from theanodiag.rules.impact import importing
from theanodiag.rules.memory.unused import FIX, _by_name, search
from theanodiag.rules.subject import ScriptSubject

CLASS = """
class Net(object):
    def __init__(self, n):
        self.W = theano.shared(zeros(n))
        self.fit = theano.function([], [], updates=ups)

    def run(self):
        self.fit()

class Deep(Net):
    pass
"""


@pytest.mark.parametrize(
    ("text", "expression", "wanted"),
    [
        (f"{CLASS}\nnet = Net(3)", "self.W", "net.W"),
        (f"{CLASS}\nnet = Deep(3)", "self.W", "net.W"),
        (f"{CLASS}\na = Net(3)\nb = Net(4)", "self.W", "self.W"),
        (f"{CLASS}\nclass All:\n    def __init__(self):\n        self.net = Net(3)\nwhole = All()", "self.W", "whole.net.W"),
        (f"{CLASS}\nnet = Net(3)", "self.other", "self.other"),
        (f"{CLASS}\nnet = Net(3)", "data.x", "data.x"),
        ("no python (", "self.W", "self.W"),
    ],
)
def test_an_attribute_outside_of_its_class(text: str, expression: str, wanted: str) -> None:
    """By the one object of the class, or the class itself where several have it."""
    assert outside(text, expression) == wanted


def test_what_a_function_is_called_as() -> None:
    """By the object, or by the name that what the script's function returned has."""
    assert called_as(f"{CLASS}\nnet = Net(3)\nnet.fit()", "fit") == "net.fit"
    assert called_as("def scorer(n):\n    return theano.function([x], y)\nf = scorer(500)\nf(data)", "scorer") == "f"
    assert called_as("train = theano.function([x], y)\ntrain(1)", "train") == "train"
    assert called_as("a.append(1)\nb.append(2)", "append") == "append"


def test_the_function_that_alone_has_a_name() -> None:
    """Another one's local variable cannot be deleted or read."""
    text = "def build():\n    A, B = shared(1), shared(2)\n    return function([], A + B)\nstep = build()\nC = 1"
    assert maker_of(text, "A") == "build"
    assert maker_of(text, "C") is None


def test_modules_are_named_as_the_script_names_them() -> None:
    """Those that it does not import are imported; nothing is added to a script that cannot be read."""
    text = "import numpy as np\nimport theano\n"
    assert with_imports("import theano.tensor as T", "theano.shared(1)", "theano") == "import theano\ntheano.shared(1)"
    assert with_imports(text, "x = numpy.zeros(3)  # in numpy alone", "theano") == "x = np.zeros(3)  # in numpy alone"
    assert with_imports(text, "theano.shared(1)\ngc.collect()", "theano") == "import gc\ntheano.shared(1)\ngc.collect()"
    assert with_imports("import aesara as ae", "aesara.shared(1)", "aesara") == "ae.shared(1)"
    assert with_imports(text, "THEANO_FLAGS=gpuarray.preallocate=-1", "theano") == "THEANO_FLAGS=gpuarray.preallocate=-1"
    assert with_imports("", "gc.collect()", "theano") == "gc.collect()"
    found = Finding(
        "TD331",
        Severity.INFO,
        next(iter(BY_CODE["TD331"].check(BY_CODE["TD331"].fires()))).confidence,
        "",
        subject(search(1, 10), device(10**9)).place(None),
        Fix("free it", code="gc.collect()"),
    )
    fix = importing(found, text, "theano").fix
    assert fix is not None
    assert fix.code == "import gc\ngc.collect()"


@pytest.mark.parametrize(
    ("text", "code", "wanted"),
    [
        ("import theano\nimport theano.tensor as T", "theano.tensor.dot(x, W)", "T.dot(x, W)"),
        ("import theano\nimport theano.tensor as T", "theano.grad(c, theano.tensor.exp(x))", "theano.grad(c, T.exp(x))"),
        ("import theano.tensor as tt", "theano.tensor.extra_ops.Unique()(x)", "tt.extra_ops.Unique()(x)"),
        ("from theano import tensor", "theano.tensor.dot(x, W)", "tensor.dot(x, W)"),
        ("from theano import tensor as T, shared", "theano.shared(theano.tensor.dot(x, W))", "shared(T.dot(x, W))"),
        ("from theano.tensor import dot, exp as e", "theano.tensor.dot(theano.tensor.exp(x), W)", "dot(e(x), W)"),
        ("import pytensor.tensor as pt", "pytensor.tensor.dot(x, W)", "pt.dot(x, W)"),
        ("import pytensor.tensor as pt", "pytensor.grad(c, x)", "import pytensor\npytensor.grad(c, x)"),
        ("import theano.tensor", "theano.tensor.dot(x, W)", "theano.tensor.dot(x, W)"),
        ("import theano.tensor as T\nT = 5", "theano.tensor.dot(x, W)", "import theano\ntheano.tensor.dot(x, W)"),
        ("from theano.tensor import dot\ndef f(dot): pass", "theano.tensor.dot(x)", "import theano\ntheano.tensor.dot(x)"),
        ("try:\n import theano.tensor as T\nexcept ImportError:\n import aesara.tensor as T", "theano.tensor.dot(x, W)", "T.dot(x, W)"),
        ("import theano.tensor as T\nimport torch as T", "theano.tensor.dot(x)", "import theano\ntheano.tensor.dot(x)"),
        ("from .ops import dot", "numpy.dot(x)", "import numpy\nnumpy.dot(x)"),
        ("import aesara.tensor as at", "x = y  # aesara.tensor.dot(a, b), aesara.grad", "x = y  # at.dot(a, b), aesara.grad"),
    ],
)
def test_code_has_the_names_of_the_script_s_imports(text: str, code: str, wanted: str) -> None:
    """The longest part that the script imports is replaced, unless the name means something else too."""
    library = next(name for name in ("pytensor", "aesara", "theano") if name in code or name == "theano")
    assert with_imports(text, code, library) == wanted


def test_models_of_a_class_are_deleted_by_their_object() -> None:
    """Not by `self`, which is not there; with the statement that keeps them."""
    script = search(4, 3000)
    shared = {k: replace(v, assigned="self.W") for k, v in script.shared.items()}
    graphs = [
        replace(f.graph, inputs=tuple(replace(i, update=None if i.shared is None else 0) for i in f.graph.inputs)) for f in script.functions
    ]
    functions = tuple(replace(f, name="fit", graph=g) for f, g in zip(script.functions, graphs))
    text = f"{CLASS}\nfor k in range(4):\n    net = Net(k)\n    kept.append((net.run(), net))"
    s = replace(subject(replace(script, shared=shared, functions=functions), device(1_000_000_000)), source=text)
    (models,) = searches(script)
    assert list(keepers(text, "net")) == ["kept.append((net.run(), net))"]
    code = str(_by_name(s, models[0], FIX).code)
    assert "self" not in code
    assert code.splitlines()[0] == "kept.append((net.run(), [p.get_value() for p in [net.W]]))  # line 15"
    assert code.splitlines()[1] == "del net  # after line 15"
    several = str(_by_name(replace(s, source=f"{text}\n    other.append(net)"), models[0], FIX).code).splitlines()
    assert several[:2] == [f"# without what is deleted here: {k}.append({v})" for k, v in (("kept", "(net.run(), net)"), ("other", "net"))]
    assert several[2:4] == ["results = []  # before the first model", "results.append([p.get_value() for p in [net.W]])"]
    assert "[net.W]" in code


def test_a_growing_variable_is_freed_in_the_script_s_statement() -> None:
    """What `set_value` is given is made before the old value goes."""
    adding = "self.W.set_value(stack([self.W.get_value(), rows]))"
    text = f"class Bank:\n    def __init__(self):\n        self.W = 0\n    def add(self, rows):\n        {adding}"
    script = larger_value_script(2000, 2500)
    events = tuple(replace(e, site=Site("a.py", 5)) if isinstance(e, SetValue) else e for e in script.events)
    s = replace(subject(replace(script, events=events), device(36_000_000)), source=text)
    (found,) = BY_CODE["TD306"].check(s)
    lines = str(found.fix and found.fix.code).splitlines()
    assert lines[-3].startswith("value = stack([self.W.get_value(), rows])")
    assert lines[-2].startswith("self.W.set_value(numpy.zeros((0, 0), ")
    assert lines[-1] == "self.W.set_value(value)  # line 5"


JOINED = """class Buffer(object):
    def __init__(self):
        self.past = theano.shared(start)
        rows = T.matrix()
        self.append = theano.function([rows], [], updates=[(self.past, T.concatenate([self.past, rows]))])
        self.remake = theano.function([n], [], updates=[(self.past, T.ones((n, 9)))])
b = Buffer()
b.append(read(k))
b.remake(7)
x = b.append(2)
"""


def test_a_variable_that_an_update_makes_larger_is_freed_before_the_script_s_call() -> None:
    """Rows that are joined to the old value are joined on the host; what does not read it is called as before."""
    joining, remaking = (
        Growing(Site("m.py", 8), "append", Site("m.py", 5), True),
        Growing(Site("m.py", 9), "remake", Site("m.py", 6), False),
    )
    assert written_growth(JOINED, [joining, remaking], "self.past", ".free()") == [
        "value = numpy.concatenate([b.past.get_value(), read(k)], axis=0)",
        "b.past.free()",
        "b.past.set_value(value)  # line 8",
        "b.past.free()",
        "b.remake(7)  # line 9",
    ]
    assert written_growth(JOINED, [replace(joining, site=Site("m.py", 10))], "self.past", ".free()") is None
    assert written_growth(JOINED, [replace(remaking, from_old=True)], "self.past", ".free()") is None
    assert written_growth(JOINED, [replace(joining, site=None)], "self.past", ".free()") is None


LOOP = """for k in sizes:
    layer = Layer(k)
    data = shared(rows)
    cost = layer.cost(x)
    rows = encode()
    updates = [(p, p - cost) for p in layer.params]
    shown = cost
    encode = function([], hidden)
    kept.append((layer, encode))
print(shown)
"""


def test_names_that_hold_a_model_go_with_it() -> None:
    """Expressions of its variables, not what its functions return, nor what is read after the loop."""
    assert holders(LOOP, 9, ["layer", "data", "encode"], ["encode"]) == ["cost", "updates"]
    assert holders("net = Net()", 1, ["net"], []) == []


def test_a_cache_does_not_give_the_old_value_back() -> None:
    """It is freed first without the cache; with its last size from the start, functions that read all rows then have other results."""
    found = reallocation.plan(larger_value_script(2000, 2500), MemorySettings(free_bytes=36_000_000))
    assert found is not None
    assert (found.way, found.no_cache) == (reallocation.GrowthKind.FREE_FIRST, True)


class Rows:
    """A shared variable of the numbers of rows, and a function that collects those of a batch."""

    def __init__(self) -> None:
        self.value = numpy.arange(0)
        self.seen: list[int] = []

    def set_value(self, value: numpy.ndarray, borrow: bool) -> None:
        """Takes a chunk."""
        self.value = value if borrow else value.copy()


def test_the_loop_in_numpy_reads_each_row_once() -> None:
    """The last chunk overlaps the one before, and its first batches were there already."""
    script = data_script(50_000, 500)
    found = plan(WhatIf(script), MemorySettings(preallocate=-1.0, free_bytes=8_000_000))
    assert isinstance(found, ChunkPlan)
    (c,) = found.chunks
    assert c.cut.rows % c.chunk
    text = code(script, found, "theano")
    loop = text[text.index("for start in") :]
    data = Rows()
    word = identifier(script.shared[c.cut.shared[0]].name, "shared")
    function = script.functions[0].name

    def called(*arguments: int) -> None:
        data.seen.extend(data.value[slice(*arguments) if len(arguments) == 2 else slice(arguments[0], arguments[0] + c.cut.step)])

    exec(loop, {word: data, f"host_{word}": numpy.arange(c.cut.rows), function: called})
    assert data.seen == list(range(c.cut.rows))


def with_object(name: str) -> ScriptSubject:
    """A script that is done with `net` before it compiles a function of another model."""
    script = search(2, 3000)
    shared = {k: replace(v, assigned="self.W" if k == 0 else "V") for k, v in script.shared.items()}
    functions = tuple(replace(f, name="fit" if k == 0 else "score", site=Site("a.py", k + 1)) for k, f in enumerate(script.functions))
    source = f"{CLASS}\n{name} = Net(3)\n{name}.run()\nscore = theano.function([], V)"
    return replace(subject(replace(script, shared=shared, functions=functions), device(1_000_000_000)), source=source)


def test_an_object_that_is_used_no_longer_is_deleted() -> None:
    """With its functions, before the next function is compiled; not an attribute of another object, whose name does not show."""
    s = with_object("net")
    (found,) = BY_CODE["TD331"].check(s)
    assert found.fix is not None
    assert str(found.fix.code).startswith("del net\ngc.collect()")
    alone = subject(search(1, 3000), device(1_000_000_000)).process
    assert found.after is not None
    assert found.after.reserved_bytes == alone.reserved_peak_bytes
    assert list(BY_CODE["TD331"].check(with_object("d['net']"))) == []
    calls = [e for e in s.script.events if isinstance(e, Call) and e.function == 0]
    again = replace(s.script, events=(*s.script.events, *calls))
    assert list(BY_CODE["TD331"].check(replace(s, script=again))) == []


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x = load(12000)", "x = load(8379)"),
        ("a = Net(12000)\nx = load(12000)", "# by hand, where 12000 is that length (lines 1, 2): 8379"),
        ("for k in range(12000): pass", None),
        ("x = load(n_hidden=12000)", None),
        ("x = load(path)", None),
    ],
)
def test_a_number_without_a_name_is_changed_in_its_line(text: str, wanted: str | None) -> None:
    """An assignment to a name that the script does not have would change nothing."""
    assert statement_of(text, 12000, 8379) == wanted


CELL = """import numpy as np
import theano
import theano.tensor as T
x = T.fmatrix("x")
W = theano.shared(np.zeros((300, 200), "float32"), name="W")
f = theano.function([x], (x.dimshuffle(0, 1, "x") * W.dimshuffle("x", 0, 1)).sum(axis=1))
f(np.zeros((500, 300), "float32"))
"""


def test_code_for_a_notebook_has_the_names_of_its_cells(tmp_path: Path) -> None:
    """The notebook is a JSON document; the names are those of the code in it."""
    cell = {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": CELL.splitlines(keepends=True)}
    notebook = tmp_path / "model.ipynb"
    notebook.write_text(json.dumps({"cells": [cell], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}), encoding="utf-8")
    report = theanodiag.check(str(notebook), python=find("theano"), device="64MiB")
    (product,) = (f for f in report.findings if f.code == "TD320")
    assert "T.dot(x, W)" in str(product.fix) + str(product.steps)

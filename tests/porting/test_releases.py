"""From PyTensor 2 to 3: names that warn, arguments, flags, methods of Ops and loops; and the numbers stay the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag import compare
from theanodiag.porting.model import PortOptions, Safety, Style
from theanodiag.porting.source_port import port_text

from ..interpreters import find

SCRIPT = Path(__file__).with_name("scripts") / "pytensor2.py"
HEAD = "import pytensor\nimport pytensor.tensor as pt\n"
OP = "from pytensor.graph.op import Op\nclass A(Op):\n    def "


def moved(text: str, *, unsafe: bool = False) -> str:
    """The source as it is to be; moving it once more changes nothing."""
    options = PortOptions(unsafe=unsafe)
    after = port_text(text, "model.py", options).after
    assert port_text(after, "model.py", options).after == after
    return after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("pytensor.gradient.Rop(f, x, eval_points=v)", "pytensor.pushforward(f, x, tangents=v)"),
        ("pytensor.Lop(f, x, v)", "pytensor.pullback(f, x, v)"),
        ("@pytensor.compile.ops.as_op(a, b)\ndef f(): pass", "@pytensor.compile.ops.wrap_py(a, b)\ndef f(): pass"),
        ("pt.linalg.trace(x)", "pt.trace(x)"),
        ("pt.nlinalg.trace(x)", "pt.trace(x)"),
        ("pt.extract_diag(x) + pt.sgn(y)", "pt.diagonal(x) + pt.sign(y)"),
        ("pt.xlogx.xlogy0(x, y)", "pt.special.xlogy(x, y)"),
        ("pytensor.sparse.sub(x, y)", "pytensor.sparse.subtract(x, y)"),
        ("pytensor.sparse.AddSD()", "pytensor.sparse.math.AddSparseDense()"),
        ("pt.subtensor.advanced_set_subtensor1(x, y, i)", "pt.subtensor.advanced_inc_subtensor(x, y, i, set_instead_of_inc=True)"),
        ("pytensor.shared(v, broadcastable=(True, False))", "pytensor.shared(v, shape=(True, False))"),
        ("pt.TensorType('float32', broadcastable=b)", "pt.TensorType('float32', shape=b)"),
        ("pt.linspace(0, end=1, steps=5)", "pt.linspace(0, stop=1, num=5)"),
        ("pt.linspace(0, end=1, stop=2)", "pt.linspace(0, end=1, stop=2)"),
        ("pt.random.gamma(a, b, rng=r)", "pt.random.gamma(a, scale=1.0 / (b), rng=r)"),
        ("pt.random.gamma(a, rate=b + c)", "pt.random.gamma(a, scale=1.0 / (b + c))"),
        ("pt.random.gamma(a, scale=b)", "pt.random.gamma(a, scale=b)"),
        ("pt.linalg.eigh(x, UPLO='U')", "pt.linalg.eigh(x, lower=False)"),
        ("pt.linalg.eigh(x, UPLO=letter)", "pt.linalg.eigh(x, UPLO=letter)"),
        ("pytensor.OpFromGraph([x], [y], lop_overrides=g)", "pytensor.OpFromGraph([x], [y], pullback=g)"),
        ("pytensor.config.compute_test_value = 'off'\nx", "x"),
        ("with pytensor.config.change_flags(floatX='x', compute_test_value='off'): x", "with pytensor.config.change_flags(floatX='x'): x"),
        ("with pytensor.config.change_flags(compute_test_value='off', floatX='x'): x", "with pytensor.config.change_flags(floatX='x'): x"),
    ],
)  # fmt: skip
def test_safe_forms(before: str, after: str) -> None:
    """What computes the same is written whatever is asked for."""
    assert moved(f"{HEAD}{before}\n") == f"{HEAD}{after}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("infer_shape(self, fgraph, node, shapes): return shapes", "infer_shape(self, node, shapes): return shapes"),
        ("infer_shape(self, node, shapes): return shapes", "infer_shape(self, node, shapes): return shapes"),
        ("L_op(self, inputs, outputs, grads): return grads", "pullback(self, inputs, outputs, grads): return grads"),
        ("grad(self, inputs, grads): return grads", "pullback(self, inputs, outputs, grads): return grads"),
        ("grad(self, inputs, grads): return outputs", "grad(self, inputs, grads): return outputs"),
        ("grad(self, inputs, grads): return self.grad(a, b)", "grad(self, inputs, grads): return self.grad(a, b)"),
        ("grad(self, i, g): return g\nclass B(A): pass", "grad(self, i, g): return g\nclass B(A): pass"),
    ],
)
def test_methods_of_ops(before: str, after: str) -> None:
    """Under their new names where nothing in the source asks for the old ones; a class that others derive from stays."""
    assert moved(f"{OP}{before}\n", unsafe=True) == f"{OP}{after}\n"
    assert moved(f"{OP}{before}\n") == f"{OP}{after if 'infer_shape' in before else before}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("o, u = pytensor.scan(f, s)", "o = pytensor.scan(f, s, return_updates=False)"),
        ("o, _ = pytensor.scan(f, s)\n_ = 1", "o = pytensor.scan(f, s, return_updates=False)\n_ = 1"),
        ("o, u = pytensor.scan(f, s)\nuse(u)", "o, u = pytensor.scan(f, s)\nuse(u)"),
        ("o, u = pytensor.scan(f, s, return_updates=True)", "o, u = pytensor.scan(f, s, return_updates=True)"),
        ("both = pytensor.scan(f, s)", "both = pytensor.scan(f, s)"),
    ],
)
def test_updates_of_a_loop_that_nothing_reads(before: str, after: str) -> None:
    """With --unsafe only: PyTensor refuses a loop that has updates after all."""
    assert moved(f"{HEAD}{before}\n", unsafe=True) == f"{HEAD}{after}\n"
    assert moved(f"{HEAD}{before}\n") == f"{HEAD}{before}\n"


def test_imported_names_and_what_stays_beside_them() -> None:
    """The new name is imported under the old one; the others of the statement stay."""
    before = "from pytensor import Rop, scan\nRop(f, x, v)\n"
    assert moved(before) == "from pytensor import scan, pushforward as Rop\nRop(f, x, v)\n"


def test_streams_are_told() -> None:
    """Nothing is written: the numbers would be others."""
    report = port_text(f"{HEAD}s = pt.random.RandomStream(1)\n", "model.py", PortOptions(unsafe=True))
    assert not report.changed
    assert [c.safety for c in report.changes] == [Safety.BY_HAND]


def test_flags_in_the_variable() -> None:
    """Those that PyTensor 3 lacks are taken out."""
    before = 'import os\nos.environ["PYTENSOR_FLAGS"] = "compute_test_value=off,floatX=float32"\nimport pytensor\n'
    assert moved(before) == before.replace("compute_test_value=off,", "")


@pytest.mark.parametrize("new", ["pytensor_new", "pytensor"])
def test_the_moved_script_computes_the_same(new: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTensor 2 beside PyTensor 3: twenty-five outputs of two calls."""
    monkeypatch.setenv("PYTENSOR_FLAGS", "mode=FAST_COMPILE,cxx=")
    report = port_text(SCRIPT.read_text(encoding="utf-8"), "pytensor2.py", PortOptions(style=Style.NATIVE, unsafe=True))
    (tmp_path / "pytensor2.py").write_text(report.after, encoding="utf-8")
    found = compare(SCRIPT, tmp_path / "pytensor2.py", python=find("pytensor2"), against=find(new), stdout=2)
    assert found.equal, found
    assert [f.calls for f in found.functions] == [(2, 2)]


def test_sources_of_aesara_need_one_port() -> None:
    """What PyTensor 3 changed is reported, or rewritten, in the first run: a second one finds no more."""
    before = (
        "import aesara\nimport aesara.tensor as at\nfrom aesara.graph.op import Op\nfrom aesara.tensor.random.utils import RandomStream\n"
        "class A(Op):\n    def infer_shape(self, fgraph, node, shapes):\n        return shapes\n"
        "rng = RandomStream(3)\ns = aesara.shared(1, broadcastable=(True,))\nu = at.linalg.eigh(s, UPLO='U')\n"
    )
    first = port_text(before, "model.py", PortOptions())
    second = port_text(first.after, "model.py", PortOptions())
    assert "infer_shape(self, node, shapes)" in first.after
    assert not second.changed
    assert [c.name for c in first.changes if c.safety is Safety.BY_HAND] == ["aesara.tensor.random.utils.RandomStream"]
    assert second.count(Safety.BY_HAND) == 1


@pytest.mark.parametrize(
    ("use", "by_hand"),
    [
        ("{0}.__version__ < '1.0'", 1),
        ("{0}.__version__.startswith('2.')", 1),
        ("LooseVersion({0}.__version__) > LooseVersion('0.8')", 1),
        ("print({0}.__version__)", 0),
        ("'%s' % {0}.__version__", 0),
    ],
)
@pytest.mark.parametrize("root", ["theano", "aesara"])
def test_version_numbers_that_decide_something(root: str, use: str, by_hand: int) -> None:
    """They are others in PyTensor; one that is only printed is right."""
    report = port_text(f"import {root}\n{use.format(root)}\n", "model.py", PortOptions())
    assert f"{use.format('pytensor')}\n" in report.after
    assert report.count(Safety.BY_HAND) == by_hand

"""Classes of Ops that a source derives, and stacks of variables."""

from __future__ import annotations

import pytest

from theanodiag.porting.model import PortOptions
from theanodiag.porting.source_port import port_text

from ..interpreters import ROOT, python

THUNK = """
    __props__ = ()
    def make_node(self, x):
        x = T.as_tensor_variable(x)
        return theano.gof.Apply(self, [x], [x.type()])
    def make_thunk(self, node, storage_map, compute_map, no_recycling{impl}):
        x, out = storage_map[node.inputs[0]], storage_map[node.outputs[0]]
        def thunk():
            out[0] = {times} * x[0]
            compute_map[node.outputs[0]][0] = True
        thunk.inputs, thunk.outputs, thunk.lazy = [x], [out], False
        return thunk
"""
HEAD = "import theano\nimport theano.tensor as T\n"


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
def test_an_op_that_only_makes_thunks_stays_one(name: str) -> None:
    """Run over PyTensor, whose own Op cannot be made without `perform`: of PureOp and Op, with and without `impl`, and a class between."""
    text = (
        f"{HEAD}class A(theano.gof.PureOp):{THUNK.format(impl=', impl=None', times=2)}"
        f"class B(theano.Op):{THUNK.format(impl='', times=3)}"
        f"class Base(theano.Op):\n    pass\nclass C(Base):{THUNK.format(impl='', times=5)}"
        "x = T.dvector('x')\nprint(theano.function([x], A()(x) + B()(x) + C()(x))([1.0, 2.0]))\n"
        "print(isinstance(T.add, theano.gof.PureOp))\n"
    )
    after = port_text(text, "x.py", PortOptions()).after
    done = python(name, "-c", after, env={"PYTHONPATH": str(ROOT), "PYTENSOR_FLAGS": "cxx="})
    assert done.stdout == "[10. 20.]\nTrue\n", done.stderr[-2000:]


@pytest.mark.parametrize("method", ["def perform(self, node, i, o): pass", "perform = f", "def c_code(self): pass"])
def test_an_op_that_computes_otherwise_keeps_its_base(method: str) -> None:
    """By `perform`, or in C."""
    text = f"{HEAD}class A(theano.Op):\n    def make_thunk(self, *a): pass\n    {method}\n"
    assert "ThunkOp" not in port_text(text, "x.py", PortOptions()).after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("a = pm.Normal('a')\nT.stack(a, b)", "T.stack([a, b])"),
        ("a = pm.Normal('a')\nT.stack(b, a[0])", "T.stack([b, a[0]])"),
        ("T.stack(T.exp(x), T.log(y))", "T.stack([T.exp(x), T.log(y)])"),
        ("a = T.vector()\na = T.exp(a)\nT.stack(a, i)", "T.stack([a, i])"),
        ("a = T.vector()\na = [a]\nT.stack(a, i)", "legacy_tensor.stack(a, i)"),
        ("a = T.vectors('x', 'y')\nT.stack(a, i)", "legacy_tensor.stack(a, i)"),
        ("a = T.grad(c, w)\nT.stack(a, i)", "legacy_tensor.stack(a, i)"),
        ("def f(a):\n    return T.stack(a, i)", "    return legacy_tensor.stack(a, i)"),
        ("a = pm.sample()\nT.stack(a, i)", "legacy_tensor.stack(a, i)"),
    ],
)
def test_two_variables_are_stacked_as_a_list(before: str, after: str) -> None:
    """PyMC's, and those of `tensor`; what may be a list and an axis is asked as it runs."""
    assert after in port_text(f"import pymc as pm\n{HEAD}{before}\n", "x.py", PortOptions()).after.split("\n")

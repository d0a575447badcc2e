"""Classes of Ops that a source derives, and stacks of variables."""

from __future__ import annotations

import pytest

from theanodiag.porting.model import PortOptions, Safety
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


C_CODE = """class A(theano.Op):
    __props__ = ()
    def make_node(self, x): return theano.gof.Apply(self, [x], [x.type()])
    def c_code_cache_version(self): return ()
    def c_code(self, node, name, inp, out, sub):
        return "Py_XDECREF(%s); %s = (PyArrayObject*) PyArray_NewCopy(%s, NPY_ANYORDER);" % (out[0], out[0], inp[0])
"""
PERFORM = "    def perform(self, node, i, o): o[0][0] = i[0] * 0\n"


@pytest.mark.parametrize("perform", [PERFORM, ""])
def test_an_op_with_c_code_is_named_since_the_default_mode_does_not_run_it(perform: str) -> None:
    """By hand, at the class: Theano ran the C code. `run` has its own C mode, and Aesara's default mode is C."""
    text = f"{HEAD}{C_CODE}{perform}"
    (found,) = [c for c in port_text(text, "x.py", PortOptions()).changes if c.safety is Safety.BY_HAND]
    assert (found.name, found.span.line) == ("A", HEAD.count("\n") + 1)
    assert ("runs its perform" in found.reason) == bool(perform)
    assert "linker='cvm'" in found.advice
    assert [c for c in port_text(text, "x.py", PortOptions(target="aesara")).changes if c.safety is Safety.BY_HAND] == []


MIXED = {
    "class InC(object):\n{c}class A(InC, theano.Op):\n{rest}": "A",
    "class Base(theano.Op):\n{rest}class A(Base):\n{c}": "A",
    "class Base(theano.Op):\n{rest}class Middle(Base): pass\nclass A(Middle):\n{c}class B(A): pass\n": "A",
}


@pytest.mark.parametrize(("classes", "expected"), MIXED.items())
def test_c_code_of_another_class_of_the_file(classes: str, expected: str) -> None:
    """A class gets it from a base class beside Op, or adds it to a class that derives from Op: COp is the base either way, and the class
    whose C code Theano ran is named once."""
    at = C_CODE.index("    def c_code(")
    rest = C_CODE[C_CODE.index("    __props__") : at] + PERFORM
    report = port_text(HEAD + classes.format(c=C_CODE[at:], rest=rest), "x.py", PortOptions())
    assert "COp" in report.after
    assert [c.name for c in report.changes if c.safety is Safety.BY_HAND] == [expected]
    text = report.after + "x = T.dvector('x')\n"
    text += "for linker in ('py', 'cvm'):\n    print(pytensor.function([x], A()(x), mode=pytensor.compile.mode.Mode(linker))([3.0, 4.0]))\n"
    done = python("pytensor", "-c", text)
    assert done.stdout == "[0. 0.]\n[3. 4.]\n", done.stderr[-2000:]


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
def test_what_is_said_of_c_code_holds(name: str) -> None:
    """In Python mode the ported Op gives what `perform` computes, in the mode that is named what its C code does; without `perform` there
    is no Op."""
    text = port_text(f"{HEAD}{C_CODE}{PERFORM}x = T.dvector('x')\n", "x.py", PortOptions()).after
    text += "for linker in ('py', 'cvm'):\n    print(pytensor.function([x], A()(x), mode=pytensor.compile.mode.Mode(linker))([3.0, 4.0]))\n"
    done = python(name, "-c", text)
    assert done.stdout == "[0. 0.]\n[3. 4.]\n", done.stderr[-2000:]
    alone = python(name, "-c", port_text(f"{HEAD}{C_CODE}A()\n", "x.py", PortOptions()).after)
    assert "without an implementation for abstract method" in alone.stderr or "with abstract method perform" in alone.stderr


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

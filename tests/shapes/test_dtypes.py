"""Dtypes that Ops make of those of their inputs: single rules, and all nodes of real functions, whose texts print types."""

from __future__ import annotations

import json

import pytest

from tests.interpreters import THOROUGH, python
from tests.loaded_by_path import answer
from theanodiag.ir import Apply, FunctionGraph, TypeKind
from theanodiag.ir.shape import is_dtype, upcast
from theanodiag.ops import op_info
from theanodiag.ops.dtypes import TypeQuery
from theanodiag.printed import read_debugprint
from theanodiag.printed.op_names import parse_op
from theanodiag.shapes.assumed import dtypes_of

FRAMEWORKS = ("theano", pytest.param("aesara", marks=THOROUGH), "pytensor", pytest.param("pytensor_new", marks=THOROUGH))
NAMES = (
    "bool", "int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float16", "float32", "float64", "complex64",
    "complex128",
)  # fmt: skip


def made(text: str, *inputs: str | None, outputs: int = 1, floatX: str = "float32") -> list[str | None]:
    """What the Op that is printed as `text` makes."""
    parsed = parse_op(text)
    return dtypes_of(TypeQuery(parsed.name, parsed.params, inputs, outputs, floatX))


@pytest.mark.parametrize(
    ("text", "inputs", "expected"),
    [
        ("Elemwise{add,no_inplace}", ("float32", "int8"), "float32"),
        ("Elemwise{add,no_inplace}", ("float32", "int64"), "float64"),
        ("Elemwise{lt,no_inplace}", ("float32", "float32"), "bool"),
        ("Elemwise{Cast{int32}}", ("float32",), "int32"),
        ("Elemwise{exp,no_inplace}", ("int64",), "float64"),
        ("Elemwise{exp,no_inplace}", ("int8",), "float32"),
        ("Elemwise{true_div,no_inplace}", ("int64", "int64"), "float32"),
        ("Elemwise{switch,no_inplace}", ("int64", "float32", "int8"), "float32"),
        ("Elemwise{second,no_inplace}", ("float64", "int8"), "int8"),
        ("Elemwise{Composite{Switch(LT(i0, i1), i2, tanh(i0))}}", ("float32", "int8", "int8"), "float32"),
        ("Elemwise{Composite{Cast{float32}(LT(i0, i1))}}[(0, 0)]", ("float64", "float64"), "float32"),
        ("Elemwise{Composite{(i0 - (0.1 * i1))}}", ("float32", "float32"), "float32"),
        ("Elemwise{abs_,no_inplace}", ("complex64",), "float32"),
        ("Sum{axis=[0], acc_dtype=float64}", ("float32",), "float32"),
        ("Sum{axis=[0], acc_dtype=int64}", ("int8",), "int64"),
        ("Reduce{maximum}{0}", ("int8",), "int8"),
        ("ARange{dtype='int64'}", ("int8", "int64", "int8"), "int64"),
        ("AllocEmpty{dtype='float64'}", ("int64",), "float64"),
        ("Alloc", ("float32", "int64"), "float32"),
        ("Alloc", ("int8", "int64"), "int64"),
        ("AdvancedSubtensor1", ("float32", "int64"), "float32"),
        ("Join", ("int8", "float32", "float64"), "float64"),
        ("Shape_i{0}", ("float32",), "int64"),
        ("MatrixInverse", ("int64",), "float64"),
        ("mrg_uniform{TensorType(float64, matrix),inplace}.1", ("int32", "int64"), "int32"),
        ("UnknownOp", ("float32", "int64"), "float32"),
    ],
)
def test_an_op_makes(text: str, inputs: tuple[str, ...], expected: str) -> None:
    """One rule."""
    assert made(text, *inputs) == [expected]


def test_several_outputs_have_dtypes_of_their_own() -> None:
    """Values and positions, likelihoods and classes, states and draws."""
    assert made("MaxAndArgmax{axis=(1,)}", "float32", outputs=2) == ["float32", "int64"]
    assert made("CrossentropySoftmaxArgmax1HotWithBias", "float32", "float32", "int32", outputs=3) == ["float32", "float32", "int32"]
    assert made("RandomFunction{normal}", None, "int64", outputs=2, floatX="float64") == [None, "float64"]
    assert made("RandomFunction{binomial}", None, "int64", outputs=2) == [None, "int64"]
    assert made("normal_rv{0, (0, 0), float32, False}", None, "int64", outputs=2, floatX="float64") == [None, "float32"]
    assert made('[categorical_rv{"(p)->()"}]', "int64", None, "int64", "float32", outputs=2) == [None, "int64"]


@pytest.mark.parametrize("name", ["theano", "pytensor"])
def test_upcasts_are_those_of_numpy(name: str) -> None:
    """Every pair."""
    code = f"import json, numpy; n = {NAMES!r}; print(json.dumps([[str(numpy.promote_types(a, b)) for b in n] for a in n]))"
    done = python(name, "-c", code)
    assert done.returncode == 0, done.stderr
    assert [[upcast(a, b) for b in NAMES] for a in NAMES] == json.loads(done.stdout)
    assert all(map(is_dtype, NAMES))


def nodes(name: str) -> list[tuple[FunctionGraph, Apply]]:
    """All nodes of the functions that a framework has, with their types; those that have no graph inside."""
    rows = [row["texts"]["types"] for row in answer(name, "printed/models/estimates.py").values() if "missing" not in row]  # type: ignore[index, operator]
    graphs = [read_debugprint(text).graph for text in rows]
    return [(g, n) for g in graphs for n in g.applies if n.op.inner is None]


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_rules_say_what_is_printed(name: str) -> None:
    """Of 98 in 100 nodes of real functions; and where a rule errs, it is hardly ever to the smaller side."""
    seen, wrong, low = 0, [], []
    for graph, node in nodes(name):
        ins = [graph.variables[v].type for v in node.inputs]
        scalar = bool(ins) and all(t.kind is TypeKind.SCALAR for t in ins) and op_info(node.op.name).shape is None
        found = dtypes_of(TypeQuery(node.op.name, node.op.params, [t.dtype for t in ins], len(node.outputs), "float64", scalar))
        for v, dtype in zip(node.outputs, found):
            expected = graph.variables[v].type.dtype
            if expected is not None and graph.variables[v].type.kind is not TypeKind.SPARSE:
                seen += 1
                if dtype != expected:
                    wrong.append((node.op.text, [t.dtype for t in ins], expected, dtype))
                    low += [wrong[-1]] * (dtype is None or upcast(dtype, expected) != dtype)
    assert seen > 1000
    assert len(wrong) <= 0.02 * seen, wrong
    assert len(low) <= 0.01 * seen, low

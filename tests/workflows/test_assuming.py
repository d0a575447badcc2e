"""Printed graphs without types: what is assumed of them, from floatX, and how the report says so."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

import theanodiag
from tests.workflows.test_printed_report import ALLOC, GPU, SCAN
from theanodiag.devices import HOST, by_name
from theanodiag.errors import TheanodiagError, UsageError
from theanodiag.findings import Confidence
from theanodiag.ir import TypeKind, Unknown
from theanodiag.memory.profile import Origin
from theanodiag.printed import DebugPrint, read_debugprint
from theanodiag.workflows import printed_report
from theanodiag.workflows.printed_report import Dtypes
from theanodiag.workflows.printed_report.execution_variants import PrintedOutcome, with_types

FLOAT32 = Dtypes("float32")
LAYER = """
Elemwise{Composite{tanh((i0 + i1))}}[(0, 0)] [id A] <TensorType(float32, matrix)> ''   2
 |Dot22 [id B] <TensorType(float32, matrix)> ''   1
 | |x [id C] <TensorType(float32, matrix)>
 | |W [id D] <TensorType(float32, matrix)>
 |InplaceDimShuffle{x,0} [id E] <TensorType(float32, row)> ''   0
   |b [id F] <TensorType(float32, vector)>
"""
SHAPES = {"x": (128, 784), "W": (784, 10), "b": (10,)}


def bare(text: str) -> str:
    """A text as it is printed without types."""
    return re.sub(r"(\[id [A-Z]+\]) <.*>(?=( '| ->| \d+$|$))", r"\1", text, flags=re.MULTILINE)


def types(text: str, dtypes: Dtypes = FLOAT32, **shapes: tuple[int, ...]) -> dict[str, str]:
    """The types that the inputs of a text get, by name."""
    graph = printed_report.outcome(read_debugprint(text), shapes, HOST, dtypes=dtypes).shaped.graph
    return {graph.variables[i.variable].name or "": graph.variables[i.variable].type.text for i in graph.inputs}


def kinds(found: DebugPrint) -> list[tuple[TypeKind, str | None, int]]:
    """Kind, dtype and number of dimensions of each Variable."""
    return [(v.type.kind, v.type.dtype, v.type.ndim) for v in found.graph.variables]


@pytest.mark.parametrize(("text", "shapes"), [(LAYER, SHAPES), (GPU, {"x": (128, 784), "W": (784, 10)})])
def test_what_is_assumed_is_what_is_printed(text: str, shapes: dict[str, tuple[int, ...]]) -> None:
    """Dtypes, places and dimensions, and so the peak."""
    typed, untyped = read_debugprint(text), read_debugprint(bare(text))
    found, n = with_types(untyped, FLOAT32, shapes, None)
    assert n == len(typed.graph.variables)
    assert kinds(found) == kinds(typed)
    peaks = [printed_report.outcome(t, shapes, HOST, dtypes=FLOAT32).peaks for t in (typed, untyped)]
    assert peaks[0] == peaks[1] > (0,)


def test_a_text_with_types_is_not_read_again() -> None:
    """There is nothing to assume."""
    text = read_debugprint(LAYER)
    assert with_types(text, FLOAT32, SHAPES, None) == (text, 0)
    assert with_types(text, FLOAT32, SHAPES, None)[0] is text
    assert printed_report.outcome(text, SHAPES, HOST, dtypes=FLOAT32).process.functions[0].origin is Origin.DERIVED


def test_the_older_back_end_is_told_by_its_transfers() -> None:
    """They name neither a context nor `gpuarray`."""
    old = bare(GPU).replace("HostFromGpu(gpuarray)", "HostFromGpu").replace("GpuFromHost<None>", "GpuFromHost")
    for text, kind in ((old, TypeKind.CUDANDARRAY), (bare(GPU), TypeKind.GPUARRAY)):
        graph = printed_report.outcome(read_debugprint(text), {"x": (2, 3), "W": (3, 4)}, HOST, dtypes=FLOAT32).shaped.graph
        found = {v.name or graph.applies[v.owner or 0].op.name: v.type.kind for v in graph.variables}
        host = {"x", "HostFromGpu"}
        assert found == {name: TypeKind.TENSOR if name in host else kind for name in ("x", "W", "GpuFromHost", "GpuDot22", "HostFromGpu")}


def test_the_report_says_what_is_assumed() -> None:
    """The figure is no bound, and no verdict is built on it."""
    made = printed_report.report(read_debugprint(bare(LAYER)), "paste.txt", SHAPES, by_name("4GiB"), dtypes=FLOAT32)
    profile = made.functions[0].profile
    assert profile is not None
    assert (profile.unknown, profile.origin) == ((), Origin.ASSUMED)
    said = {s.what: s.reason for s in made.skipped}
    assert said["types of 6 Variables"] == "not printed; assumed from --floatX float32"
    assert "exact figures" not in said
    assert made.process.fits == Unknown("the types of 6 Variables are not printed, but assumed")
    assert {f.confidence for f in made.findings} <= {Confidence.GUESSED}
    small = printed_report.report(read_debugprint(bare(LAYER)), "paste.txt", SHAPES, by_name("1MiB"), dtypes=FLOAT32)
    assert small.process.fits is False
    assert {f.confidence for f in small.findings} == {Confidence.GUESSED}


def test_without_floatx_the_way_to_it_is_shown() -> None:
    """With the float that an Op of the text names, if there is one."""
    said = {s.what: s.reason for s in printed_report.report(read_debugprint(bare(LAYER)), "paste.txt", SHAPES).skipped}
    assert said["exact figures"].endswith("--shape b=10 --floatX float32")
    empty = "AllocEmpty{dtype='float64'} [id A] ''   0\n |n [id B]\n"
    text = read_debugprint(f"Elemwise{{exp}} [id C] ''   1\n |{empty.replace(chr(10) + ' |', chr(10) + '   |')}")
    said = {s.what: s.reason for s in printed_report.report(text, "paste.txt", {}, values={"n": 5}).skipped}
    assert said["exact figures"].endswith("--value n=5 --floatX float64")
    said = {s.what: s.reason for s in printed_report.report(text, "paste.txt", {}, values={"n": 5}, dtypes=FLOAT32).skipped}
    assert said["floatX"].startswith("Ops of the text name float64")


def test_what_has_no_shape_has_no_type_and_leaves_a_bound() -> None:
    """Of x nothing tells how many dimensions it has."""
    text = read_debugprint("Elemwise{exp,no_inplace} [id A] ''   0\n |x [id B]\nElemwise{exp,no_inplace} [id C] ''   1\n |y [id D]\n")
    made = printed_report.report(text, "paste.txt", {"y": (3,)}, by_name("4GiB"), dtypes=FLOAT32)
    profile = made.functions[0].profile
    assert profile is not None
    assert profile.unknown
    assert isinstance(made.process.fits, Unknown)


def test_dimensions_follow_from_what_ops_demand() -> None:
    """So b need not be given: it has the columns of W."""
    found = printed_report.outcome(read_debugprint(bare(LAYER)), {"x": (128, 784), "W": (784, 10)}, HOST, dtypes=FLOAT32)
    assert found.shaped.needed == ()
    assert types(bare(LAYER)) == {
        "x": "TensorType(float32, (?, ?))", "W": "TensorType(float32, (?, ?))", "b": "TensorType(float32, (?))"
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "dtype"),
    [("AdvancedSubtensor1 [id A] ''   0\n |W [id B]\n |i [id C]\n", "int64"),
     ("AdvancedSubtensor1 [id A] ''   1\n |W [id B]\n |Elemwise{add,no_inplace} [id D] ''   0\n   |i [id C]\n   |i [id C]\n", "int64"),
     ("AdvancedSubtensor1 [id A] ''   1\n |W [id B]\n |Elemwise{Cast{int64}} [id D] ''   0\n   |i [id C]\n", "float32"),
     ("Elemwise{Cast{float32}} [id A] ''   0\n |i [id C]\n", "int64"),
     ("Elemwise{neq,no_inplace} [id A] ''   1\n |Argmax{axis=(1,)} [id D] ''   0\n | |x [id B]\n |i [id C]\n", "int64"),
     ("CrossentropySoftmaxArgmax1HotWithBias.0 [id A] ''   0\n |x [id B]\n |b [id D]\n |i [id C]\n", "int64"),
     ("IncSubtensor{Set;:int64:} [id A] ''   1\n |AllocEmpty{dtype='int32'} [id B] ''   0\n | |TensorConstant{5} [id D]\n"
      " |i [id C]\n |Constant{1} [id E]\n", "int32"),
     ("Elemwise{exp,no_inplace} [id A] ''   0\n |i [id C]\n", "float32")],
)  # fmt: skip
def test_inputs_are_what_they_are_used_for(text: str, dtype: str) -> None:
    """Positions, classes and what is cast to floatX are whole numbers; of several sizes the largest is taken."""
    assert types(text, i=(4,))["i"] == f"TensorType({dtype}, (?))"


def test_dtypes_that_are_said_come_first() -> None:
    """Whatever the input is used for; and all that follows."""
    text = "Elemwise{exp,no_inplace} [id A] ''   0\n |i [id C]\n"
    dtypes = Dtypes("float32", {"i": "int64"})
    assert types(text, dtypes, i=(4,)) == {"i": "TensorType(int64, (?))"}
    assert theanodiag.estimate(read_debugprint(text), {"i": (4,)}, floatX="float32", dtypes={"i": "int64"}).peak_bytes == 2 * 4 * 8
    assert theanodiag.estimate(read_debugprint(text), {"i": (4,)}, floatX="float64").peak_bytes == 2 * 4 * 8
    assert theanodiag.estimate(read_debugprint(text), {"i": (4,)}, floatX="float32").peak_bytes == 2 * 4 * 4


def test_a_scan_is_followed() -> None:
    """Which of its inputs are read step by step is tried out."""
    n = {"n": 5}
    typed, untyped = read_debugprint(SCAN), read_debugprint(bare(SCAN))
    expected = printed_report.outcome(typed, {"x": (5, 3)}, HOST, n)
    found = printed_report.outcome(untyped, {"x": (5, 3)}, HOST, n, dtypes=FLOAT32)
    assert (found.peaks, found.shaped.hidden) == (expected.peaks, ())
    without = printed_report.outcome(untyped, {"x": (5, 3)}, HOST, n)
    assert without.shaped.untyped


RNN = """
Scan{scan_fn, while_loop=False, inplace=[0]} [id A] <Matrix(float32, shape=(?, ?))> 3
 ├─ Shape_i{0} [id B] <Scalar(int64, shape=())> 2
 │  └─ x [id C] <Tensor3(float32, shape=(?, ?, ?))>
 ├─ x [id C] <Tensor3(float32, shape=(?, ?, ?))>
 ├─ Alloc [id D] <Matrix(float32, shape=(?, 7))> 1
 │  ├─ [[0.]] [id E] <Matrix(float32, shape=(1, 1))>
 │  ├─ Shape_i{1} [id F] <Scalar(int64, shape=())> 0
 │  │  └─ x [id C] <Tensor3(float32, shape=(?, ?, ?))>
 │  └─ 7 [id G] <Scalar(int8, shape=())>
 ├─ W [id H] <Matrix(float32, shape=(?, ?))>
 └─ U [id I] <Matrix(float32, shape=(?, ?))>

Inner graphs:

Scan{scan_fn, while_loop=False, inplace=[0]} [id A]
 ← Composite{tanh((i0 + i1))} [id J] <Matrix(float32, shape=(?, ?))>
    ├─ Dot [id K] <Matrix(float32, shape=(?, ?))>
    │  ├─ i0 [id L] <Matrix(float32, shape=(?, ?))> -> [id C]
    │  └─ i2 [id M] <Matrix(float32, shape=(?, ?))> -> [id H]
    └─ Dot [id N] <Matrix(float32, shape=(?, ?))>
       ├─ i1 [id O] <Matrix(float32, shape=(?, 7))> -> [id D]
       └─ i3 [id P] <Matrix(float32, shape=(?, ?))> -> [id I]

Composite{tanh((i0 + i1))} [id J]
 ← tanh [id Q] <float32>
    └─ add [id R] <float32>
       ├─ i0 [id S] <float32>
       └─ i1 [id T] <float32>
"""


def test_a_state_is_no_recurrence() -> None:
    """Here x is a sequence, and its step a matrix; the state before the first step is passed as it is. Both have a dimension more or less
    than would do for the product inside."""
    shapes = {"x": (9, 4, 5), "W": (5, 7), "U": (7, 7)}
    typed, untyped = (printed_report.outcome(read_debugprint(t), shapes, HOST, dtypes=FLOAT32) for t in (RNN, bare(RNN)))
    assert untyped.peaks == typed.peaks
    (inner,) = [n.op.inner for n in untyped.shaped.graph.applies if n.op.inner is not None]
    (expected,) = [n.op.inner for n in typed.shaped.graph.applies if n.op.inner is not None]
    assert [inner.info[k] for k in ("n_seqs", "n_sit_sot", "n_shared_outs")] == [1, 0, 1]
    assert [v.type for v in inner.variables if v.owner is None] != []
    assert [(v.type.dtype, v.type.ndim) for v in inner.variables] == [(v.type.dtype, v.type.ndim) for v in expected.variables]


PICKED = """
FusedElemwise{Mul} [id A] 0
 ├─ x [id B]
 ├─ y [id C]
 └─ i [id D]

Inner graphs:

FusedElemwise{Mul} [id A]
 ← Mul [id E]
    ├─ AdvancedSubtensor{idx_list=(0,)} [id F]
    │  ├─ i0 [id G]
    │  └─ i2 [id H]
    └─ i1 [id I]
"""


def test_positions_inside_of_a_loop_are_whole_numbers() -> None:
    """As they are outside of it."""
    found = types(PICKED, x=(20,), y=(5,), i=(5,))
    assert [found[name] for name in "xyi"] == ["TensorType(float32, (?))", "TensorType(float32, (?))", "TensorType(int64, (?))"]


def test_a_length_of_one_may_be_stretched() -> None:
    """Where no type says that it is always 1."""
    text = read_debugprint(bare(LAYER).replace("InplaceDimShuffle{x,0}", "Reshape{2}").replace("|b [id F]", "|b [id F]\n   |s [id G]"))
    assert printed_report.outcome(text, {"x": (128, 784), "W": (784, 10), "b": (10,)}, HOST, {"s": (1, 10)}, dtypes=FLOAT32).peaks[0] > 0


@pytest.mark.parametrize(
    ("floatX", "named", "message"),
    [("int64", {}, "floatX cannot be 'int64'"), ("float32", {"x": "float33"}, "there is none"), (None, {"x": "int8"}, "require floatX")],
)
def test_dtypes_that_say_nothing_are_refused(floatX: str | None, named: dict[str, str], message: str) -> None:
    """A name that is no dtype, or one without what all others have."""
    with pytest.raises(UsageError, match=message):
        theanodiag.estimate(read_debugprint(bare(LAYER)), SHAPES, floatX=floatX, dtypes=named)


def test_dtypes_of_what_is_not_there_are_refused() -> None:
    """A name of no input, and an input whose type is printed and another."""
    with pytest.raises(UsageError, match="no input 'q'"):
        with_types(read_debugprint(bare(LAYER)), Dtypes("float32", {"q": "int8"}), {}, None)
    with pytest.raises(UsageError, match="x is no int8: its type is printed, with float32"):
        with_types(read_debugprint(LAYER), Dtypes("float32", {"x": "int8"}), {}, None)


def test_numbers_on_which_sizes_depend_are_whole() -> None:
    """A value that is given, and a length."""
    assert types(bare(ALLOC)) == {"x": "?", "n": "TensorType(int64, ())"}
    found = printed_report.outcome(read_debugprint(bare(ALLOC)), {"x": ()}, HOST, {"n": 7}, dtypes=FLOAT32)
    assert found.peaks == (8 + 4 + 4 * 7,)


SIZES = st.sampled_from([(), (4,), (4, 4), (1, 4), (0, 2), (3, 4, 4)])


@given(st.sampled_from([LAYER, GPU, SCAN, RNN, PICKED, ALLOC]), st.data())
def test_whatever_is_left_of_a_text_is_no_crash(text: str, data: st.DataObject) -> None:
    """Lines that are cut out, and shapes that do not suit: a report, or an error that says what is wrong."""
    lines = bare(text).splitlines()
    gone = data.draw(st.sets(st.integers(0, len(lines) - 1), max_size=3))
    try:
        found = read_debugprint("\n".join(line for k, line in enumerate(lines) if k not in gone))
        names = {v.name for v in found.graph.variables if v.owner is None and v.name}
        shapes = {name: data.draw(SIZES) for name in sorted(names)}
        printed_report.report(found, "paste.txt", shapes, by_name("4GiB"), dtypes=FLOAT32)
    except TheanodiagError:
        pass


def test_a_scan_between_variables_without_types_is_not_taken_for_known() -> None:
    """Aesara names inner inputs by their types; those outside are not printed, and with them which is read step by step."""
    text = """
do_whileall_inplace,cpu,scan_fn} [id D] 1
 |TensorConstant{20} [id E]
 |IncSubtensor{InplaceSet;:int64:} [id F] 0
   |b [id G]
   |x [id K]
   |ScalarConstant{1} [id L]

Inner graphs:

do_whileall_inplace,cpu,scan_fn} [id D]
 >Elemwise{mul,no_inplace} [id M]
 > |TensorConstant{2.0} [id N]
 > |*0-<TensorType(float32, ())> [id O] -> [id F]
 >Elemwise{gt,no_inplace} [id P]
 > |*0-<TensorType(float32, ())> [id O] -> [id F]
 > |TensorConstant{5} [id Q]
"""
    found = read_debugprint(text)
    shapes = {"b": (21,), "x": (1,)}
    assert printed_report.outcome(found, shapes, HOST).shaped.hidden != ()
    known = printed_report.outcome(found, shapes, HOST, dtypes=FLOAT32).shaped
    assert known.hidden == ()
    (inner,) = [n.op.inner for n in known.graph.applies if n.op.inner is not None]
    assert (inner.info["n_seqs"], inner.info["n_sit_sot"], inner.info["as_while"]) == (0, 1, True)


def test_ends_of_a_range_that_print_the_same() -> None:
    """Are printed once."""
    outcome = object.__new__(PrintedOutcome)
    for peaks, text in (((526_175_437, 526_175_445), "501.8 MiB"), ((1 << 20, 1 << 21), "1.0 MiB to 2.0 MiB")):
        object.__setattr__(outcome, "peaks", peaks)
        assert outcome.range == f"{text} live at the peak"

"""Printed graphs as inputs: shapes, shared variables, the Script of one call, and `estimate`."""

from __future__ import annotations

import pytest

import theanodiag
from tests.printed.texts import MATRIX, VECTOR, mapped
from tests.report.conftest import render
from theanodiag.devices import HOST as HOST_DEVICE
from theanodiag.devices import UNSIZED, by_name
from theanodiag.errors import UsageError
from theanodiag.ir import Role, TypeKind, Unknown
from theanodiag.printed import DebugPrint, read_debugprint
from theanodiag.report import terminal
from theanodiag.workflows import printed_report

GPU = """
HostFromGpu(gpuarray) [id A] <TensorType(float32, matrix)> ''   2
 |GpuDot22 [id B] <GpuArrayType<None>(float32, matrix)> ''   1
   |GpuFromHost<None> [id C] <GpuArrayType<None>(float32, matrix)> ''   0
   | |x [id D] <TensorType(float32, matrix)>
   |W [id E] <GpuArrayType<None>(float32, matrix)>
"""
HOST = """
Dot22 [id A] <TensorType(float32, matrix)> ''   0
 |x [id B] <TensorType(float32, matrix)>
 |W [id C] <TensorType(float32, matrix)>
"""
UNTYPED = """
Dot22 [id A] ''   0
 |x [id B]
 |W [id C]
"""
SHAPES = {"x": (128, 784), "W": (784, 10)}


@pytest.fixture
def gpu() -> DebugPrint:
    """A product on the device."""
    return read_debugprint(GPU)


def test_what_lies_on_the_device_is_shared(gpu: DebugPrint) -> None:
    """A caller passes host arrays."""
    found = printed_report.shaped(gpu.graph, SHAPES)
    roles = {found.graph.variables[i.variable].name: i.role for i in found.graph.inputs}
    assert roles == {"x": Role.ARGUMENT, "W": Role.SHARED}


def test_the_names_that_are_still_needed(gpu: DebugPrint) -> None:
    """Those without a shape, in the order of the inputs."""
    assert printed_report.shaped(gpu.graph, {"x": (128, 784)}).needed == ("W",)
    assert printed_report.shaped(gpu.graph, SHAPES).needed == ()


CUT = """
Elemwise{mul,no_inplace} [id A] <TensorType(float64, matrix)> ''   1
 |TensorConstant{[[0.593932..49332875]]} [id B] <TensorType(float64, matrix)>
 |InplaceDimShuffle{x,0} [id C] <TensorType(float64, row)> ''   0
   |b [id D] <TensorType(float64, vector)>
"""


def test_a_shortened_constant_is_asked_for_by_its_id() -> None:
    """It has no other name; what is given of it says what is added to it."""
    text = read_debugprint(CUT)
    what = {s.what: s.reason for s in printed_report.report(text, "paste.txt", {"b": (3,)}).skipped}
    assert what["the shape of id B"].endswith("give --shape 'id B=N,3'")
    assert what["exact figures"] == "theanodiag graph paste.txt --shape b=3 --shape 'id B=N,3'"
    found = printed_report.shaped(text.graph, {"id B": (14, 3)})
    assert found.needed == ()
    assert {found.graph.variables[i.variable].name: found.table.shape(i.variable) for i in found.graph.inputs} == {"b": (3,)}


def test_nothing_follows_where_lengths_of_one_are_stretched() -> None:
    """As Aesara stretches them when it computes."""
    assert printed_report.shaped(read_debugprint(CUT).graph, {"id B": (14, 3)}, broadcasts=True).needed == ("b",)


TWO = """
Elemwise{mul,no_inplace} [id A] <TensorType(float32, matrix)> ''   1
 |t [id B] <TensorType(float32, matrix)>
 |InplaceDimShuffle{x,x} [id C] <TensorType(float32, (True, True))> ''   0
   |t [id D] <TensorType(float32, scalar)>
"""


def test_of_two_inputs_of_one_name_those_get_a_shape_that_can_have_it() -> None:
    """Targets and the counter of a rule are both called t; only what suits neither is refused."""
    graph = read_debugprint(TWO).graph
    found = printed_report.shaped(graph, {"t": (2, 3)})
    assert {graph.variables[i.variable].type.ndim: found.table.shape(i.variable) for i in graph.inputs} == {0: (), 2: (2, 3)}
    assert printed_report.shaped(graph, {"t": ()}, values={"t": 1}).needed == ("t#1",)
    with pytest.raises(UsageError, match="t cannot have the shape"):
        printed_report.shaped(graph, {"t": (2,)})


DRAWN = """
RandomFunction{normal}.0 [id A] <RandomStateType> ''   0
 |<RandomStateType> [id B] <RandomStateType>
 |TensorConstant{(1,) of 4} [id C] <TensorType(int64, vector)>
 |TensorConstant{0.0} [id D] <TensorType(float32, scalar)>
 |TensorConstant{1.0} [id E] <TensorType(float32, scalar)>
Elemwise{mul,no_inplace} [id F] <TensorType(float32, vector)> ''   1
 |RandomFunction{normal}.1 [id A] <TensorType(float32, vector)> ''   0
 |x [id G] <TensorType(float32, vector)>
"""


def test_what_is_only_set_is_counted() -> None:
    """Behind a generator's new state stand new values only: of x, if that is as long and no argument, else of what is not printed."""
    text = read_debugprint(DRAWN)
    assert printed_report.shaped(text.graph, {"x": (4,)}).unread == ()
    assert printed_report.shaped(text.graph, {}).unread == ()  # x is as long as what it is multiplied with
    joined = DRAWN.replace("Elemwise{mul,no_inplace} [id F]", "Join [id F]")
    axis = " |TensorConstant{0} [id H] <TensorType(int8, scalar)>\n"
    more = read_debugprint(joined.replace(" |RandomFunction{normal}.1", f"{axis} |RandomFunction{{normal}}.1"))
    assert [shape for _, shape in printed_report.shaped(more.graph, {"x": (3,)}).unread] == [(7,)]
    report = printed_report.report(more, "paste.txt", {"x": (3,)})
    assert "1 shared variable" in {s.what for s in report.skipped}
    without = printed_report.report(read_debugprint(DRAWN.split("Elemwise")[0]), "paste.txt", {})
    assert "1 shared variable" not in {s.what for s in without.skipped}


def test_an_unknown_name_is_refused_with_the_known_ones(gpu: DebugPrint) -> None:
    """So that the user sees what there is."""
    with pytest.raises(UsageError) as caught:
        printed_report.shaped(gpu.graph, {"y": (1,)})
    assert "W, x" in str(caught.value)


@pytest.mark.parametrize("shapes", [{"x": (128,)}, {"x": (128, 784), "W": (10, 784)}])
def test_shapes_that_do_not_fit_are_refused(gpu: DebugPrint, shapes: dict[str, tuple[int, ...]]) -> None:
    """Neither the type nor the product."""
    with pytest.raises(UsageError):
        printed_report.shaped(gpu.graph, shapes)


def test_a_printed_graph_is_estimated() -> None:
    """The inputs and the product are live at the peak."""
    found = theanodiag.estimate(read_debugprint(HOST).graph, SHAPES)
    assert found.peak_bytes == 4 * (128 * 784 + 784 * 10 + 128 * 10)
    assert not found.unknown


def test_a_whole_paste_is_estimated_for_a_device(gpu: DebugPrint) -> None:
    """What `read_debugprint` gives can be passed as it is."""
    found = theanodiag.estimate(gpu, SHAPES, "4 GiB")
    assert found.fits
    assert found.reserved_bytes >= found.peak_bytes > 0


def test_missing_shapes_make_a_lower_bound(gpu: DebugPrint) -> None:
    """And the estimate says so."""
    part, whole = theanodiag.estimate(gpu, {"x": (128, 784)}, "4 GiB"), theanodiag.estimate(gpu, SHAPES, "4 GiB")
    assert part.unknown
    assert part.fits is None
    assert part.peak_bytes < whole.peak_bytes


def test_what_is_printed_without_a_type_is_unknown_and_not_free() -> None:
    """Its dtype is nowhere, whatever its shape."""
    found = printed_report.shaped(read_debugprint(UNTYPED).graph, SHAPES)
    assert {v.type.kind for v in found.graph.variables} == {TypeKind.TENSOR}
    assert theanodiag.estimate(read_debugprint(UNTYPED), SHAPES).unknown


def test_an_old_graph_is_run_without_a_cache() -> None:
    """CudaNdarray's back-end asked the driver for each array."""
    text = HOST.replace("TensorType(", "CudaNdarrayType(").replace("Dot22", "GpuDot22")
    assert printed_report.flags_of(read_debugprint(text).graph)["device"] == "gpu"


def test_the_report_lists_what_the_text_leaves_open(gpu: DebugPrint) -> None:
    """A shape that is needed, and other graphs in the text."""
    two = read_debugprint(GPU + "\nand:\n" + HOST)
    found = printed_report.report(two, "paste.txt", {})
    what = " ".join(s.what for s in found.skipped)
    assert "the shape of x" in what
    assert "1 other printed graphs" in what


ALLOC = """
Alloc [id A] <TensorType(float32, vector)> ''   0
 |x [id B] <TensorType(float32, scalar)>
 |n [id C] <TensorType(int64, scalar)>
"""
SCAN = """
for{cpu,scan_fn} [id A] <TensorType(float32, matrix)> ''   0
 |n [id B] <TensorType(int64, scalar)>
 |x [id C] <TensorType(float32, matrix)>
 |n [id B] <TensorType(int64, scalar)>

Inner graphs of the scan ops:

for{cpu,scan_fn} [id A] <TensorType(float32, matrix)> ''
 >Elemwise{tanh,no_inplace} [id D] <TensorType(float32, vector)> ''
 > |x[t] [id E] <TensorType(float32, vector)> -> [id C]
"""


def test_what_a_scan_holds_inside_is_not_passed_over() -> None:
    """Where the text does not link it to the outer graph, the figures are lower bounds and say so."""
    found = theanodiag.estimate(read_debugprint(SCAN.replace(" -> [id C]", "")), {"x": (5, 3)}, values={"n": 5})
    assert any("inner graph" in u.reason for u in found.unknown)


def test_a_scan_whose_links_are_printed_is_followed() -> None:
    """The rows, the outputs, and one result of a step that the loop holds beside them."""
    found = theanodiag.estimate(read_debugprint(SCAN), {"x": (5, 3)}, values={"n": 5})
    assert not found.unknown
    assert found.peak_bytes >= 4 * (5 * 3 + 5 * 3 + 3)


def test_values_that_sizes_depend_on_are_asked_for() -> None:
    """With a command to copy."""
    text = read_debugprint(ALLOC)
    what = {s.what: s.reason for s in printed_report.report(text, "paste.txt", {}).skipped}
    assert what["the value of n"].endswith("--value n=N")
    assert what["exact figures"] == "theanodiag graph paste.txt --value n=N"
    assert theanodiag.estimate(text, values={"n": 7}).peak_bytes == 8 + 4 + 4 * 7


def test_a_value_of_no_input_is_refused() -> None:
    """As a shape is."""
    with pytest.raises(UsageError):
        theanodiag.estimate(read_debugprint(ALLOC), values={"m": 7})


def test_untyped_text_is_never_said_to_fit() -> None:
    """Without printed types nobody knows what lies on the device: the verdict is open, and the report says why."""
    text = read_debugprint("HostFromGpu(gpuarray) [id A] ''   1\n |GpuFromHost<None> [id B] ''   0\n   |x [id C]\n")
    made = printed_report.report(text, "paste", {"x": (10, 10)}, by_name("4GiB"))
    assert isinstance(made.process.fits, Unknown)
    assert made.functions[0].profile is not None
    assert made.functions[0].profile.unknown
    assert made.functions[0].fits is None


def test_a_transfer_that_was_cut_off_is_no_crash() -> None:
    """A copy to the device whose source is not printed has no argument to be named after."""
    text = "GpuElemwise{tanh,no_inplace} [id A] <GpuArrayType<None>(float32, (False,))> ''\n"
    text += " |GpuFromHost<None> [id B] <GpuArrayType<None>(float32, (False,))> ''\n"
    made = printed_report.report(read_debugprint(text), "paste", {}, by_name("4GiB"))
    assert made.functions[0].profile is not None
    assert made.functions[0].profile.unknown


SHORTER = """Alloc [id A] <TensorType(float32, (?,))> 1
 |TensorConstant{0.0} [id B] <TensorType(float32, ())>
 |Elemwise{scalar_minimum,no_inplace} [id C] <TensorType(int64, ())> 0
   |n [id D] <TensorType(int64, ())>
   |TensorConstant{9} [id E] <TensorType(int64, ())>
"""


def test_extrema_by_the_names_of_aesara_are_followed() -> None:
    """`scalar_minimum` is what Theano calls `minimum`."""
    found = printed_report.shaped(read_debugprint(SHORTER).graph, {}, values={"n": 5})
    assert found.table.shape(found.graph.outputs[0]) == (5,)


BOUND = """
Elemwise{Mul}[(0, 1)] [id A] <TensorType(float32, vector)> ''   5
 |Subtensor{:int64:} [id B] <TensorType(float32, vector)> ''   4
 | |w [id C] <TensorType(float32, vector)>
 | |ScalarFromTensor [id D] <int64> ''   3
 |   |Shape_i{1} [id E] <TensorType(int64, scalar)> ''   2
 |     |Nonzero [id F] <TensorType(int64, matrix)> ''   1
 |       |Elemwise{gt,no_inplace} [id G] <TensorType(bool, vector)> ''   0
 |         |v [id H] <TensorType(float32, vector)>
 |         |TensorConstant{(1,) of 0.5} [id I] <TensorType(float32, (True,))>
 |v [id H] <TensorType(float32, vector)>
"""
BROADCAST = """
Elemwise{add,no_inplace} [id A] <TensorType(float32, (?, ?))>{quotes} 0
 |x [id B] <TensorType(float32, (?, ?))>
 |y [id C] <TensorType(float32, (?, ?))>
"""


def test_a_length_that_depends_on_data_contradicts_no_other() -> None:
    """It is only known that a part of `w` is at most as long as `w`."""
    found = printed_report.shaped(read_debugprint(BOUND).graph, {"v": (8,), "w": (16,)})
    assert found.table.shape(found.graph.outputs[0]) == (8,)


def test_only_aesara_broadcasts_when_it_computes() -> None:
    """A length of 1 fits every other in a text of Aesara's form, whose nodes without a name have no empty name."""
    shapes = {"x": (1, 4), "y": (5, 4)}
    found = printed_report.outcome(read_debugprint(BROADCAST.replace("{quotes}", "")), shapes, HOST_DEVICE).shaped
    assert found.table.shape(found.graph.outputs[0]) == (5, 4)
    with pytest.raises(UsageError, match="incompatible"):
        printed_report.outcome(read_debugprint(BROADCAST.replace("{quotes}", " ''")), shapes, HOST_DEVICE)


def test_what_a_function_inside_of_a_step_holds_is_not_passed_over() -> None:
    """An OpFromGraph in a Scan hides what it takes, as one outside does."""
    step = f" ← OpFromGraph{{inline=False}} [id D] {VECTOR}\n    └─ i0 [id E] {VECTOR} -> [id C]\n"
    found = printed_report.outcome(read_debugprint(mapped(MATRIX, step)), {"x": (5, 3)}, HOST_DEVICE)
    assert found.shaped.hidden == ("OpFromGraph{inline=False}",)


def test_a_copy_may_be_a_new_value() -> None:
    """Of what, no text says if nothing reads it."""
    text = "DeepCopyOp [id A] <TensorType(float32, matrix)> ''   0\n |w [id B] <TensorType(float32, matrix)>\n"
    found = printed_report.outcome(read_debugprint(text), {"w": (4, 4)}, HOST_DEVICE)
    assert [row.variable for row in found.unsure] == ["shared variables that are set to another"]


@pytest.mark.parametrize(
    ("size", "rows"),
    [("MakeVector{dtype='int64'} [id D] <TensorType(int64, vector)> ''   1\n   |n [id E] <TensorType(int64, scalar)>", 15360),
     ("TensorConstant{[ 20 30]} [id D] <TensorType(int64, vector)>", 100),
     ("TensorConstant{(1,) of 5} [id D] <TensorType(int64, vector)>", 5)],
)  # fmt: skip
def test_the_state_of_a_generator_has_its_usual_shape(size: str, rows: int) -> None:
    """It has no name to give a shape by; that it may be another is said."""
    state = "<TensorType(int32, matrix)>"
    head = "mrg_uniform{TensorType(float32, matrix),inplace}.1 [id A] <TensorType(float32, matrix)> ''   2"
    text = f"{head}\n |{state} [id B] {state}\n |{size}\n"
    found = printed_report.outcome(read_debugprint(text), {}, HOST_DEVICE)
    (variable,) = [v.id for v in found.shaped.graph.variables if v.type.dtype == "int32" and v.owner is None]
    assert found.shaped.table.shape(variable) == (rows, 6)
    assert found.unsure[0].variable == "state of a random generator"


DRAW = """
normal_rv{0, (0, 0), floatX, True}.1 [id A] 0
 |rng [id B]
 |TensorConstant{(1,) of 4} [id C]
 |TensorConstant{11} [id D]
 |TensorConstant{0.0} [id E]
 |TensorConstant{1.0} [id F]
"""


@pytest.mark.parametrize("name", ["rng", "RandomGeneratorSharedVariable(<Generator(PCG64) at 0x7F>)", "RNG(<Generator(PCG64) at 0x7F>)"])
def test_the_state_of_a_generator_is_not_asked_for_a_shape(name: str) -> None:
    """It has none, whether or not its type is printed."""
    text = read_debugprint(DRAW.replace("rng", name))
    assert printed_report.shaped(text.graph, {}).needed == ()
    report = printed_report.report(text, "paste.txt", {})
    assert not [s for s in report.skipped if s.what.startswith("the shape of")]
    assert all("--shape" not in s.reason for s in report.skipped)


def test_the_state_that_goes_into_a_loop_is_known_by_its_name() -> None:
    """Nothing draws from it there."""
    text = "Scan{f} [id A] 0\n |n [id B]\n |RandomGeneratorSharedVariable(<Generator(PCG64) at 0x7F>) [id C]\n"
    graph = read_debugprint(text).graph
    assert [graph.variables[i.variable].type.kind for i in graph.inputs] == [TypeKind.OTHER, TypeKind.RANDOM]
    assert printed_report.shaped(graph, {}).needed == ("n",)


def test_of_what_could_not_be_read_no_shape_is_asked() -> None:
    """Nobody can tell what a text was cut off in: the place is listed, and the inputs that were read are asked for."""
    for cut in ("Dot22 [id A] ''   0\n |x [id B]\n |W [i", "Dot22 [id A] 0\n ├─ x [id B]\n └─ W"):
        text = read_debugprint(cut)
        assert text.damage
        assert text.main.lost
        report = printed_report.report(text, "paste.txt", {})
        assert [s.what for s in report.skipped if s.what.startswith("the shape of")] == ["the shape of x"]
        assert all("input" not in s.reason for s in report.skipped if "--shape" in s.reason)


def test_what_makes_figures_lower_bounds_is_named_to_people_too() -> None:
    """A size that is not known beside those of Variables stands in the terminal with its reason, as in JSON."""
    copied = "DeepCopyOp [id A] <TensorType(float32, vector)> ''   0\n |x [id B] <TensorType(float32, vector)>\n"
    report = printed_report.report(read_debugprint(copied), "paste.txt", {"x": (4,)})
    profile = report.functions[0].profile
    assert profile is not None
    (row,) = profile.unknown
    said = " ".join(render(report).split())
    assert f"(1 Variable unknown: {row.variable})" in said
    assert row.reason in said


def test_the_one_node_of_a_log_is_never_said_to_fit() -> None:
    """A log prints the node that failed and not what its inputs were computed from: its figure is a lower bound."""
    text = "Inputs types: [CudaNdarrayType(float32, matrix), CudaNdarrayType(float32, matrix)]\nInputs shapes: [(256, 128), (128, 91264)]\n"
    text = (
        f"Apply node that caused the error: GpuDot22(GpuElemwise{{mul}}.0, GpuDimShuffle{{1,0}}.0)\n{text}\nDebugprint of the apply node:\n"
    )
    text += "GpuDot22 [id A] <CudaNdarrayType(float32, matrix)> ''\n |GpuElemwise{mul} [id B] <CudaNdarrayType(float32, matrix)> ''\n"
    text += " |GpuDimShuffle{1,0} [id C] <CudaNdarrayType(float32, matrix)> ''\n"
    made = printed_report.report(read_debugprint(text), "job.log", {}, by_name("2GiB"))
    assert isinstance(made.process.fits, Unknown)
    assert made.process.fits.reason == "the text has a part of the graph: inputs of 2 nodes are not printed"
    assert terminal.verdict(made)[0][0].startswith("may fit on 2GiB: needs at least 89.2 MiB")
    assert printed_report.report(read_debugprint(text), "job.log", {}, by_name("350MiB")).process.fits is False


NAMELESS = """HostFromGpu(gpuarray) [id A] <TensorType(float32, matrix)> ''   2
 |GpuDot22 [id B] <GpuArrayType<None>(float32, matrix)> ''   1
   |{op} [id C] <GpuArrayType<None>(float32, matrix)> ''   0
   | |<GpuArrayType<None>(float32, matrix)> [id D] <GpuArrayType<None>(float32, matrix)>
   |<GpuArrayType<None>(float32, matrix)> [id E] <GpuArrayType<None>(float32, matrix)>
"""
"""A product of a named elementwise Op; neither of its shared variables has a name."""


@pytest.mark.parametrize(
    ("op", "beside"), [("Gpusigmoid", 1), ("Gpusoftplus", 1), ("Gpuxlogx", 1), ("Gpuours", 1), ("Gpusigmoid_inplace", 0)]
)
def test_elementwise_ops_with_names_and_inputs_without(op: str, beside: int) -> None:
    """Both shared variables, the output, and what the Op makes unless it overwrites: shapes are given by ids, or by positions."""
    d, e, out = 1000 * 850 * 4, 850 * 600 * 4, 1000 * 600 * 4
    for shapes in ({"id D": (1000, 850), "id E": (850, 600)}, {"input1": (1000, 850), "input3": (850, 600)}):
        found = read_debugprint(NAMELESS.format(op=op))
        names = {f"input{i.variable}": (1000, 850) if n == 0 else (850, 600) for n, i in enumerate(found.graph.inputs)}
        made = printed_report.report(found, "f.txt", names if "input1" in shapes else shapes, UNSIZED)
        assert not made.target.device.is_host
        assert abs(made.process.live_peak_bytes - (d + e + out + beside * d)) < 1024
        text = render(made)
        assert "from the driver of the GPU" in text
        assert "host memory" not in text

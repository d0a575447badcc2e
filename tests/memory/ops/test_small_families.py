"""Convolutions, cumulative sums, elementwise ops, reductions, branches, libraries and the generator."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.ir import Op, Type, Unknown
from theanodiag.memory.script import Call
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate

from ..graphs import DEVICE, HOST, PLAIN, Sketch
from .bench import EVERY_SECOND, INTEGERS, TURN, again, elements, figures_of, number, profile_of, seen_as, taken

IMAGES, FILTERS, MAPS = (8, 3, 9, 9), (4, 3, 2, 2), (8, 4, 8, 8)
COLUMNS = 3 * 2 * 2 * 8 * 8
"""Channels times the filter's area, for each position of a map."""


@pytest.mark.parametrize(
    ("name", "inputs", "result"),
    [
        ("GpuCorrMM", (IMAGES, FILTERS), MAPS),
        ("GpuCorrMM_gradWeights", (IMAGES, MAPS), FILTERS),
        ("GpuCorrMM_gradInputs", (FILTERS, MAPS), IMAGES),
        ("CorrMM", (IMAGES, FILTERS), MAPS),
    ],
)
def test_convolutions_and_their_gradients_take_the_same_columns(
    name: str, inputs: tuple[tuple[int, ...], ...], result: tuple[int, ...]
) -> None:
    """768 elements of one image beside the result."""
    size = result[0] * result[1] * result[2] * result[3]
    assert taken(Op(name, name), inputs, result) == size + COLUMNS


def test_the_columns_do_not_depend_on_the_batch() -> None:
    """Eight images or eighty."""
    assert taken(Op("GpuCorrMM", "c"), [(80, 3, 9, 9), FILTERS], (80, 4, 8, 8)) == 80 * 4 * 8 * 8 + COLUMNS


def test_without_the_images_shape_only_the_output_counts() -> None:
    """What is not known is not made up."""
    s = Sketch()
    x = s.shared(IMAGES)
    (out,) = s.apply(Op("GpuCorrMM", "c"), [x, s.shared(FILTERS)], MAPS)
    s.shapes[x] = (8, 3, Unknown("why"), 9)  # type: ignore[assignment]
    assert elements(s, out) == 8 * 4 * 8 * 8


@pytest.mark.parametrize(
    ("length", "sums"),
    [(1, 0), (2, 1), (2048, 1), (2049, 1), (2050, 2 + 1), (4096, 2 + 1), (5000, 3 + 1)],
)
def test_cumulative_sums_have_a_buffer_for_each_level(length: int, sums: int) -> None:
    """A block sums up to 2048 elements; one more than an even number is left to the thread before it."""
    assert taken(Op("GpuCumOp", "cum", params={"axis": 0}), [(length,)], (length,)) == length + sums


def test_cumulative_sums_along_the_second_axis() -> None:
    """One block for each of seven rows."""
    assert taken(Op("GpuCumOp", "cum", params={"axis": 1}), [(7, 100)], (7, 100)) == 700 + 7


def test_a_cumulative_sum_whose_axis_is_not_known() -> None:
    """Only the output counts."""
    assert taken(Op("GpuCumOp", "cum"), [(7, 100)], (7, 100)) == 700


class TestElemwise:
    """Elementwise ops."""

    def test_in_place_it_takes_nothing(self) -> None:
        """The result is the first input's memory."""
        assert taken(Op("GpuElemwise", "add", destroy_map={0: (0,)}), [(10, 4), (10, 4)], (10, 4)) == 0

    def test_each_output_has_memory_of_its_own(self) -> None:
        """A composite with two results, of which one is in place."""
        s = Sketch()
        x = s.shared((10, 4))
        _, new = s.apply(Op("GpuElemwise", "two", destroy_map={0: (0,)}), [x, x], (10, 4), (10, 4))
        assert elements(s, new) == 40

    @pytest.mark.parametrize("view", [TURN, EVERY_SECOND])
    def test_strided_inputs_are_not_copied(self, view: Op) -> None:
        """The kernel goes over strides."""
        whole = (4, 10) if view is TURN else (20, 4)
        assert seen_as(view, (10, 4), Op("GpuElemwise", "exp"), (10, 4), whole) == 40


class TestReductions:
    """Sums, maxima and the like."""

    @pytest.mark.parametrize(
        ("params", "expected"),
        [
            ({"acc_dtype": "float64", "redux": [True, False]}, 10 + 20),
            ({"acc_dtype": "float32", "redux": [True, False]}, 10),
            ({"acc_dtype": None, "redux": [True, False]}, 10),
            ({"acc_dtype": "float64"}, 10 + 20),
        ],
        ids=["wider", "same", "none", "all axes"],
    )
    def test_an_accumulator_of_another_dtype_is_beside_the_result(self, params: dict[str, object], expected: int) -> None:
        """Ten sums of float32 in float64: twenty elements of four bytes."""
        assert taken(Op("GpuCAReduceCPY", "sum", params=params), [(30, 10)], (10,)) == expected

    def test_a_reduction_over_nothing_is_a_copy(self) -> None:
        """Of a scalar there is nothing to sum."""
        assert taken(Op("GpuCAReduceCPY", "sum", params={"acc_dtype": "float64", "redux": [True]}), [()], ()) == 1

    def test_a_kernel_of_our_own_has_no_accumulator(self) -> None:
        """GpuCAReduceCuda sums in registers."""
        assert taken(Op("GpuCAReduceCuda", "sum", params={"acc_dtype": "float64"}), [(30, 10)], (10,)) == 10


class TestIfElse:
    """The branch that is taken."""

    def chosen(self, condition: int, kind: Type, in_place: bool = True, outputs: int = 1) -> int:
        """Elements taken by a choice between branches of 25 rows and 15 rows, each of that many values."""
        s = Sketch()
        c, x = number(s, condition), s.shared((1, 1))
        yes = [s.apply(PLAIN, [x], (25, 4))[0] for _ in range(outputs)]
        no = [s.apply(PLAIN, [x], (15, 4))[0] for _ in range(outputs)]
        maps = {k: (1 + k,) for k in range(outputs)} if in_place else {}
        found = s.apply(Op("IfElse", "if", view_map=maps), [c, *yes, *no], *[(25, 4)] * outputs, kind=kind)
        return elements(s, found[-1])

    @pytest.mark.parametrize(("condition", "in_place", "expected"), [(1, True, 100), (1, False, 200), (0, True, 120), (0, False, 120)])
    def test_only_the_first_branch_in_place_is_passed_on(self, condition: int, in_place: bool, expected: int) -> None:
        """Any other value is copied while its source is there."""
        assert self.chosen(condition, DEVICE, in_place) == expected

    def test_two_values_are_chosen_together(self) -> None:
        """Both of the first branch are made and passed on, none of the second."""
        assert self.chosen(1, DEVICE, outputs=2) == 200

    def test_a_choice_on_the_host_costs_only_its_branch(self) -> None:
        """The result is not followed."""
        assert self.chosen(1, HOST) == 100


LIBRARIES = """
    GpuDnnRNNOp GpuDnnRNNGradInputs GpuDnnRNNGradWeights GpuCusolverSolve GpuCublasTriangularSolve GpuCholesky GpuMagmaSVD
    GpuMagmaMatrixInverse GpuMagmaCholesky GpuMagmaQR GpuMagmaEigh CuRFFTOp CuIRFFTOp GpuConnectionistTemporalClassification
"""


class TestLibraries:
    """Ops whose workspace only a library knows."""

    @pytest.mark.parametrize("name", LIBRARIES.split())
    def test_the_output_counts_and_the_workspace_is_unknown(self, name: str) -> None:
        """A lower bound that says what is missing."""
        s = Sketch()
        (out,) = s.apply(Op(name, name), [s.shared((6, 6))], (6, 6))
        profile = profile_of(s, out)
        assert profile.figures.live_peak_bytes == 4 * (36 + 36)
        assert [u.reason.startswith("the workspace of") for u in profile.unknown] == [True]

    @pytest.mark.parametrize("name", ["GpuDnnConv", "GpuDnnConvGradW", "GpuDnnConvGradI"])
    @pytest.mark.parametrize(("algorithm", "known"), [("none", True), ("small", False), ("fft", False), (None, False)])
    def test_a_convolution_says_whether_its_algorithm_has_one(self, name: str, algorithm: str | None, known: bool) -> None:
        """The plain one has none; `small` takes some for its indices."""
        s = Sketch()
        (out,) = s.apply(Op(name, name, params={"algo": algorithm}), [s.shared((6, 6))], (6, 6))
        assert (profile_of(s, out).unknown == ()) is known


class TestRandom:
    """The generator, and choices with it."""

    @pytest.mark.parametrize(("in_place", "expected"), [(True, 100), (False, 160)])
    def test_the_state_is_in_place_or_copied(self, in_place: bool, expected: int) -> None:
        """60 elements of state, 100 of sample."""
        s = Sketch()
        op = Op("GPUA_mrg_uniform", "mrg", destroy_map={0: (0,)} if in_place else {})
        _, sample = s.apply(op, [s.shared((10, 6)), s.argument((2,), INTEGERS)], (10, 6), (100,))
        assert elements(s, sample) == expected

    @pytest.mark.parametrize(("replace", "expected"), [(True, 6), (False, 30 + 6)])
    def test_choices_without_replacement_copy_the_probabilities(self, replace: bool, expected: int) -> None:
        """Three rows of ten probabilities; two choices each."""
        op = Op("GPUAChoiceFromUniform", "choice", params={"replace": replace})
        assert taken(op, [(3, 10), (6,)], (3, 2)) == expected


@pytest.mark.parametrize(("source", "result", "words"), [((8, 8), (8,), 7), ((8,), (), 2), ((2, 3, 4, 5, 6), (2, 3, 4, 5), 21)])
def test_a_maximum_and_its_place_bring_strides_and_sizes_along(source: tuple[int, ...], result: tuple[int, ...], words: int) -> None:
    """Two rows of the input's dimensions, two of the output's, and of these at most three once more; an empty one is a byte."""
    s = Sketch()
    best, _ = s.apply(Op("GpuMaxAndArgmax", "max"), [s.shared(source)], result, result)
    figures = profile_of(s, best).figures
    size = 1
    for d in result:
        size *= d
    empty = 0 if result else 3
    assert figures.live_peak_bytes - figures.live_before_bytes == 2 * 4 * size + 8 * words + empty


def test_the_old_result_is_there_while_the_columns_are() -> None:
    """A second call with fewer images: new maps beside the old ones, and the columns beside both."""
    s = Sketch()
    images, filters = s.shared(IMAGES), s.shared(FILTERS)
    (out,) = s.apply(Op("GpuCorrMM", "c"), [images, filters], MAPS)
    (last,) = s.apply(Op("Plain", "Plain"), [out], (0, 1))
    old, new = 8 * 4 * 8 * 8, 5 * 4 * 8 * 8
    figures = figures_of(again(s.script([last]), out, (5, 4, 8, 8)))
    assert (figures[1].live_peak_bytes - figures[0].live_before_bytes) // 4 == old + new + COLUMNS


@pytest.mark.parametrize(("name", "extra"), [("GpuCrossentropySoftmaxArgmax1HotWithBias", 10 + 30), ("Plain", 30)])
def test_an_op_in_c_keeps_all_old_outputs_until_all_new_ones_are_there(name: str, extra: int) -> None:
    """A second call with twenty rows: one in C holds the ten elements and the ten rows of the first call beside both new results."""
    s = Sketch()
    parts = s.apply(Op(name, name), [s.shared((1, 1))], (10, 1), (10, 3))
    (out,) = s.apply(PLAIN, parts, (1, 1))
    script = s.script([out])
    call = script.events[-1]
    assert isinstance(call, Call)
    table = replace(call.shapes, shapes={**call.shapes.shapes, parts[0]: (20, 1), parts[1]: (20, 3)})
    made = replace(script, events=(*script.events, replace(call, shapes=table)))
    second = simulate(made, MemorySettings(preallocate=-1.0, allow_gc=False)).calls[0][1]
    assert second.live_peak_bytes == 4 * (1 + 20 + 60 + extra)

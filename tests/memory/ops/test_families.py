"""Op families one by one, by hand: what an op takes beside its output, and when it takes no output at all."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from theanodiag.ir import Constant, Op, Type, TypeKind
from theanodiag.memory.simulate import simulate

from ..graphs import EXACT, PLAIN, Sketch

BYTES = 4
INTEGER = Type(TypeKind.TENSOR, "int64", ())
INTEGERS = Type(TypeKind.TENSOR, "int32", (None,))
TURN = Op("GpuDimShuffle", "InplaceGpuDimShuffle{1,0}", params={"new_order": [1, 0]}, view_map={0: (0,)})
EVERY_SECOND = Op("GpuSubtensor", "GpuSubtensor{::2}", params={"idx_list": [{"slice": [None, None, 2]}]}, view_map={0: (0,)})


def extra(sketch: Sketch, output: int) -> int:
    """Elements that a call takes at its peak beside the shared variables."""
    figures = simulate(sketch.script([output]), EXACT).functions[0].figures
    return (figures.live_peak_bytes - figures.live_before_bytes) // BYTES


def one(op: Op, shapes: Sequence[tuple[int, ...]], result: tuple[int, ...]) -> int:
    """Elements that one op takes on fresh shared variables."""
    s = Sketch()
    (out,) = s.apply(op, [s.shared(shape) for shape in shapes], result)
    return extra(s, out)


def strided(op: Op, shapes: Sequence[tuple[int, ...]], result: tuple[int, ...], position: int) -> int:
    """The same, where one operand is every second row of something."""
    s = Sketch()
    inputs = [s.shared((2 * d[0], *d[1:]) if k == position else d) for k, d in enumerate(shapes)]
    (inputs[position],) = s.apply(EVERY_SECOND, [inputs[position]], shapes[position])
    (out,) = s.apply(op, inputs, result)
    return extra(s, out)


DOT = Op("GpuDot22", "GpuDot22")


def test_a_product_takes_its_result() -> None:
    """Operands in one piece are used as they are."""
    assert one(DOT, [(10, 20), (20, 30)], (10, 30)) == 300


def test_a_transposed_operand_is_not_copied() -> None:
    """cuBLAS takes it in Fortran order."""
    s = Sketch()
    (turned,) = s.apply(TURN, [s.shared((20, 10))], (10, 20))
    (out,) = s.apply(DOT, [turned, s.shared((20, 30))], (10, 30))
    assert extra(s, out) == 300


@pytest.mark.parametrize("position", [0, 1])
def test_a_strided_operand_is_copied(position: int) -> None:
    """Its copy is there beside the result."""
    sizes = (10 * 20, 20 * 30)
    assert strided(DOT, [(10, 20), (20, 30)], (10, 30), position) == 300 + sizes[position]


def test_gemm_in_place_takes_nothing() -> None:
    """The result is in C's memory."""
    gemm = Op("GpuGemm", "GpuGemm{inplace=True}", destroy_map={0: (0,)})
    assert one(gemm, [(10, 30), (), (10, 20), (20, 30), ()], (10, 30)) == 0


def test_gemm_beside_copies_c() -> None:
    """Not in place: a copy of C."""
    gemm = Op("GpuGemm", "GpuGemm{inplace=False}")
    assert one(gemm, [(10, 30), (), (10, 20), (20, 30), ()], (10, 30)) == 300


def test_gemm_into_something_strided_needs_a_copy_too() -> None:
    """In place is not possible there."""
    gemm = Op("GpuGemm", "GpuGemm{inplace=True}", destroy_map={0: (0,)})
    assert strided(gemm, [(10, 30), (), (10, 20), (20, 30), ()], (10, 30), 0) == 300


def test_gemv_copies_a_strided_matrix() -> None:
    """y + A.x with every second row of something as A."""
    gemv = Op("GpuGemv", "GpuGemv{inplace=True}", destroy_map={0: (0,)})
    assert strided(gemv, [(10,), (), (10, 20), (20,), ()], (10,), 2) == 200


def test_batched_products_look_at_the_last_two_dimensions() -> None:
    """Every second matrix is no reason for a copy."""
    batch = Op("GpuGemmBatch", "GpuGemmBatch{inplace=True}", destroy_map={0: (0,)})
    assert strided(batch, [(4, 10, 30), (), (4, 10, 20), (4, 20, 30), ()], (4, 10, 30), 2) == 0


def test_columns_of_one_image() -> None:
    """Channels times the filter's area, for each position of the map; beside the output."""
    columns = 3 * 5 * 5 * 24 * 24
    assert one(Op("GpuCorrMM", "GpuCorrMM"), [(32, 3, 28, 28), (20, 3, 5, 5)], (32, 20, 24, 24)) == 32 * 20 * 24 * 24 + columns
    weights = Op("GpuCorrMM_gradWeights", "GpuCorrMM_gradWeights")
    assert one(weights, [(32, 3, 28, 28), (32, 20, 24, 24)], (20, 3, 5, 5)) == 20 * 3 * 5 * 5 + columns


def test_volumes_have_columns_as_well() -> None:
    """Convolutions in three dimensions."""
    result, columns = 2 * 5 * 3 * 3 * 3, 3 * 2 * 2 * 2 * 3 * 3 * 3
    assert one(Op("GpuCorr3dMM", "GpuCorr3dMM"), [(2, 3, 4, 4, 4), (5, 3, 2, 2, 2)], (2, 5, 3, 3, 3)) == result + columns


def test_contiguous_is_a_copy_only_where_it_has_to_be() -> None:
    """An array in C order is passed on."""
    contiguous = Op("GpuContiguous", "GpuContiguous")
    assert one(contiguous, [(10, 20)], (10, 20)) == 0
    assert strided(contiguous, [(10, 20)], (10, 20), 0) == 200


def test_reshape_is_a_view_where_strides_allow() -> None:
    """Of a transposed matrix it is a copy."""
    reshape = Op("GpuReshape", "GpuReshape{1}", view_map={0: (0,)})
    assert one(reshape, [(10, 20)], (200,)) == 0
    s = Sketch()
    (turned,) = s.apply(TURN, [s.shared((20, 10))], (10, 20))
    (flat,) = s.apply(reshape, [turned], (200,))
    assert extra(s, flat) == 200


def test_a_strided_array_is_copied_before_it_is_read() -> None:
    """HostFromGpu needs one piece, though its result is on the host."""
    down = Op("HostFromGpu", "HostFromGpu(gpuarray)")
    s = Sketch()
    (half,) = s.apply(EVERY_SECOND, [s.shared((20, 30))], (10, 30))
    (out,) = s.apply(down, [half], (10, 30), kind=Type(TypeKind.TENSOR, "float32", (None, None)))
    assert extra(s, out) == 300


def test_increments_are_of_a_copy_unless_in_place() -> None:
    """`inc_subtensor` of a shared variable."""
    assert one(Op("GpuIncSubtensor", "GpuIncSubtensor{Inc;int64}"), [(50, 4), (4,)], (50, 4)) == 200
    assert one(Op("GpuIncSubtensor", "GpuIncSubtensor{InplaceInc;int64}", destroy_map={0: (0,)}), [(50, 4), (4,)], (50, 4)) == 0


def test_gathered_rows_need_positions_on_the_device() -> None:
    """Nine int32 positions beside nine numbers."""
    s = Sketch()
    matrix, i = s.shared((5, 5)), s.argument((9,), INTEGERS)
    (out,) = s.apply(Op("GpuAdvancedSubtensor", "GpuAdvancedSubtensor"), [matrix, i, i], (9,))
    assert extra(s, out) == 9 + 9


def test_join_takes_a_new_array() -> None:
    """Unless all others are empty and the op looks for that."""
    s = Sketch()
    s.variables.append(Constant(0, INTEGER, value=0))
    s.shapes[0] = ()
    (out,) = s.apply(Op("GpuJoin", "GpuJoin", params={"view": 0}), [0, s.shared((10, 4)), s.shared((0, 4))], (10, 4))
    assert extra(s, out) == 0
    assert one(Op("GpuJoin", "GpuJoin"), [(), (10, 4), (6, 4)], (16, 4)) == 64


def test_the_generator_s_state_is_in_place_or_copied() -> None:
    """Beside the sample."""
    for in_place, expected in ((True, 100), (False, 100 + 60)):
        s = Sketch()
        op = Op("GPUA_mrg_uniform", "GPUA_mrg_uniform", destroy_map={0: (0,)} if in_place else {})
        _, sample = s.apply(op, [s.shared((10, 6)), s.argument((2,), INTEGERS)], (10, 6), (100,))
        assert extra(s, sample) == expected


def test_sums_of_blocks() -> None:
    """A cumulative sum over 5000 elements: three blocks, then one."""
    assert one(Op("GpuCumOp", "GpuCumOp", params={"axis": 0}), [(5000, 7)], (5000, 7)) == 35000 + 3 * 7 + 1 * 7


def test_a_reduction_in_another_dtype_has_an_accumulator() -> None:
    """As large as the result, in the accumulator's dtype."""
    cpy = Op("GpuCAReduceCPY", "GpuCAReduceCPY", params={"acc_dtype": "float64", "redux": [True, False]})
    assert one(cpy, [(30, 10)], (10,)) == 10 + 2 * 10


def test_a_copy_is_a_copy() -> None:
    """DeepCopyOp, even of what it could pass on."""
    assert one(Op("DeepCopyOp", "DeepCopyOp"), [(10, 4)], (10, 4)) == 40


def test_pieces_of_a_split_are_views() -> None:
    """They hold the whole."""
    s = Sketch()
    (whole,) = s.apply(PLAIN, [s.shared((1, 1))], (10, 4))
    a, _ = s.apply(Op("GpuSplit", "GpuSplit", view_map={0: (0,), 1: (0,)}), [whole], (4, 4), (6, 4))
    assert extra(s, a) == 40


@pytest.mark.parametrize("condition", [1, 0])
def test_a_branch_costs_what_it_makes(condition: int) -> None:
    """The first branch is passed on, another one is copied."""
    s = Sketch()
    s.variables.append(Constant(0, INTEGER, value=condition))
    s.shapes[0] = ()
    x = s.shared((1, 1))
    (yes,), (no,) = s.apply(PLAIN, [x], (25, 4)), s.apply(PLAIN, [x], (15, 4))
    (out,) = s.apply(Op("IfElse", "if{inplace}", view_map={0: (1,)}), [0, yes, no], (25, 4))
    assert extra(s, out) == (100 if condition else 60 + 60)


@pytest.mark.parametrize(("algorithm", "unknown"), [("none", 0), ("small", 1), ("time_once", 1)])
def test_cudnn_s_workspace_is_known_only_where_there_is_none(algorithm: str, unknown: int) -> None:
    """Then the figures are lower bounds, and say so."""
    s = Sketch()
    op = Op("GpuDnnConv", "GpuDnnConv", params={"algo": algorithm})
    (out,) = s.apply(op, [s.shared((8, 3, 9, 9)), s.shared((4, 3, 2, 2))], (8, 4, 8, 8))
    assert len(simulate(s.script([out]), EXACT).functions[0].unknown) == unknown

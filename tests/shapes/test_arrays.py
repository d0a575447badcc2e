"""Reductions, joins, reshapes, creation and products against numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.ir import Op, Unknown

from .made import Known, Sized, is_bounded, reason_of, shape_of, shapes_of

X = np.empty((3, 4, 6))


@pytest.mark.parametrize("name", ["Sum", "CAReduce", "GpuCAReduceCuda", "Max", "Argmax", "Any"])
@pytest.mark.parametrize("axis", [None, [0], [1, 2], [-1]])
def test_reductions(name: str, axis: list[int] | None) -> None:
    """The reduced axes go; without any, all."""
    expected = X.sum(axis=None if axis is None else tuple(axis)).shape
    assert shape_of(name, [X.shape], len(expected), {"axis": axis}) == expected


def test_the_old_reduction_has_a_mask() -> None:
    """`GpuCAReduce{add}{1,0,1}` names for each dimension whether it goes."""
    assert shape_of("GpuCAReduce", [X.shape], 1, {"axis": [1, 0, 1]}) == X.sum(axis=(0, 2)).shape


@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), st.integers(0, 1))
def test_join(lengths: list[int], axis: int) -> None:
    """The axis is an input, or a parameter."""
    arrays = [np.empty((n, 2) if axis == 0 else (2, n)) for n in lengths]
    expected = np.concatenate(arrays, axis=axis).shape
    assert shape_of("Join", [Known(axis, "int8"), *(a.shape for a in arrays)], 2) == expected
    assert shape_of("Join", [a.shape for a in arrays], 2, {"axis": axis}) == expected


def test_split() -> None:
    """Parts by their sizes, along the axis."""
    parts = shapes_of(Op("Split", "Split{2}"), [(3, 5), Known(1, "int8"), Known((2, 3))], [2, 2])
    assert parts == [p.shape for p in np.split(np.empty((3, 5)), [2], axis=1)]


@pytest.mark.parametrize("wanted", [(12, 6), (-1,), (3, -1), (2, -1, 6)])
def test_reshape(wanted: tuple[int, ...]) -> None:
    """-1 is what is left."""
    assert shape_of("GpuReshape", [X.shape, Known(wanted)], len(wanted)) == X.reshape(wanted).shape


def test_reshape_by_data_is_unknown() -> None:
    """It names what it depends on."""
    assert "x1" in reason_of(shape_of("Reshape", [X.shape, Sized((2,), "int64")], 2))


@pytest.mark.parametrize("outdim", [1, 2, 3])
def test_flatten(outdim: int) -> None:
    """The first dimensions stay."""
    expected = X.reshape((*X.shape[: outdim - 1], -1)).shape
    assert shape_of("Flatten", [X.shape], outdim, {"outdim": outdim}) == expected


@pytest.mark.parametrize("times", [(2,), (2, 3), (2, 1, 3)])
def test_tile(times: tuple[int, ...]) -> None:
    """As numpy aligns the numbers."""
    expected = np.tile(np.empty((3, 4)), times).shape
    assert shape_of("Tile", [(3, 4), Known(times)], len(expected), {"ndim": len(expected)}) == expected


@pytest.mark.parametrize(("times", "axis"), [(3, 0), (2, 1), (2, None), ((1, 2, 3), 0)])
def test_repeat(times: Any, axis: int | None) -> None:
    """One number for all, or one for each."""
    expected = np.repeat(np.empty((3, 4)), times, axis=axis).shape
    assert shape_of("Repeat", [(3, 4), Known(times)], len(expected), {"axis": axis}) == expected


def test_allocations() -> None:
    """Alloc has a value first, AllocEmpty has not."""
    assert shape_of("GpuAlloc", [(), Known(3), Known(4)], 2) == (3, 4)
    assert shape_of("GpuAllocEmpty", [Known(3), Known(4)], 2) == (3, 4)
    assert "x1" in reason_of(shape_of("Alloc", [(), Sized((), "int64")], 1))


@given(st.integers(-9, 9), st.integers(-9, 9), st.integers(-3, 3).filter(bool))
def test_arange(start: int, stop: int, step: int) -> None:
    """As many numbers as steps fit."""
    assert shape_of("ARange", [Known(start), Known(stop), Known(step)], 1) == np.arange(start, stop, step).shape


@pytest.mark.parametrize("offset", [-2, 0, 1])
def test_diagonals(offset: int) -> None:
    """Out of a matrix, and into one."""
    assert shape_of("ExtractDiag", [(3, 4)], 1, {"offset": offset, "axis1": 0, "axis2": 1}) == np.diagonal(np.empty((3, 4)), offset).shape
    assert shape_of("AllocDiag", [(3,)], 2, {"offset": offset, "axis1": 0, "axis2": 1}) == np.diag(np.empty(3), offset).shape


def test_eye_and_shape() -> None:
    """Rows by columns; as many entries as dimensions."""
    assert shape_of("Eye", [Known(3), Known(4), Known(0)], 2) == np.eye(3, 4).shape
    assert shape_of("Shape", [X.shape], 1) == np.array(X.shape).shape


@pytest.mark.parametrize(("a", "b"), [((3,), (3,)), ((3,), (3, 4)), ((2, 3), (3,)), ((2, 3), (3, 4))])
def test_dot(a: tuple[int, ...], b: tuple[int, ...]) -> None:
    """Vectors and matrices."""
    expected = np.dot(np.empty(a), np.empty(b)).shape
    assert shape_of("Dot", [a, b], len(expected)) == expected


def test_blas() -> None:
    """Products of two matrices; what is added to keeps its shape; a product for each of a batch."""
    assert shape_of("GpuDot22", [(2, 3), (3, 4)], 2) == (np.ones((2, 3)) @ np.ones((3, 4))).shape
    assert shape_of("GpuGemm", [(2, 4), (), (2, 3), (3, 4), ()], 2) == (2, 4)
    assert shape_of("Gemm", [(Unknown("cut"), Unknown("cut")), (), (2, 3), (3, 4), ()], 2) == (2, 4)
    assert shape_of("Gemv", [(Unknown("cut"),), (), (2, 3), (3,), ()], 1) == (2,)
    assert shape_of("Ger", [(2, Unknown("cut")), (), (2,), (4,)], 2) == (2, 4)
    assert shape_of("BatchedDot", [(5, 2, 3), (5, 3, 4)], 3) == (np.ones((5, 2, 3)) @ np.ones((5, 3, 4))).shape


def test_blockwise_by_its_signature() -> None:
    """Leading dimensions are broadcast."""
    expected = (np.ones((5, 2, 3)) @ np.ones((1, 3, 4))).shape
    assert shape_of("Blockwise", [(5, 2, 3), (1, 3, 4)], 3, text="Blockwise{Dot, (m,k),(k,n)->(m,n)}") == expected
    assert isinstance(shape_of("Blockwise", [(2,)], 1, text="Blockwise{Svd, (m)->(k)}"), tuple)
    assert "k" in reason_of(shape_of("Blockwise", [(2,)], 1, text="Blockwise{Svd, (m)->(k)}"))


@pytest.mark.parametrize("full", [True, False])
def test_decompositions(full: bool) -> None:
    """Reduced and full."""
    u, s, v = np.linalg.svd(np.ones((3, 5)), full_matrices=full)
    found = shapes_of(Op("SVD", "SVD", params={"full_matrices": full}), [(3, 5)], [2, 1, 2])
    assert found == [u.shape, s.shape, v.shape]
    q, r = np.linalg.qr(np.ones((5, 3)), mode="complete" if full else "reduced")
    found = shapes_of(Op("QRFull", "QRFull", params={"mode": "complete" if full else "reduced"}), [(5, 3)], [2, 2])
    assert found == [q.shape, r.shape]


def test_what_qr_of_each_generation_makes() -> None:
    """R alone has all rows where Python computes it, fewer where Numba does; Magma's R stands before its Q."""
    alone = {"mode": "r", "overwrite_a": False, "pivoting": False}
    assert shape_of("QR", [(6, 4)], 2, alone) == (6, 4)
    assert is_bounded("QR", [(6, 4)], 2, alone)
    assert not is_bounded("QR", [(4, 6)], 2, alone)
    assert shape_of("QRIncomplete", [(6, 4)], 2, {"mode": "r"}) == np.linalg.qr(np.ones((6, 4)), mode="r").shape
    assert shapes_of(Op("GpuMagmaQR", "GpuMagmaQR{complete=True}", params={"complete": True}), [(3, 5)], [2, 2]) == [(3, 5), (3, 3)]


def test_batched_decompositions_have_the_lesser_dimension() -> None:
    """The `k` of a signature that no input names."""
    u, s, v = np.linalg.svd(np.ones((2, 5, 3)), full_matrices=False)
    op = Op("Blockwise", "Blockwise{SVD{full_matrices=False, compute_uv=True, overwrite_a=False}, (m,n)->(m,k),(k),(k,n)}")
    assert shapes_of(op, [(2, 5, 3)], [3, 2, 3]) == [u.shape, s.shape, v.shape]
    op = Op("Blockwise", "Blockwise{LUFactorTridiagonal{overwrite_dl=False}, (dl),(d),(dl)->(dl),(d),(dl),(du2),(d)}")
    assert shapes_of(op, [(2, 4), (2, 5), (2, 4)], [2] * 5)[3] == (2, 3)


def test_a_tensor_equation_with_axes_moved() -> None:
    """Texts say `axes`, which is read as `axis`."""
    a, b = np.eye(30).reshape(5, 6, 3, 10).transpose(2, 0, 3, 1), np.ones((5, 6))
    for key in ("axes", "axis"):
        assert shape_of("TensorSolve", [a.shape, b.shape], 2, {key: [0, 2]}) == np.linalg.tensorsolve(a, b, axes=(0, 2)).shape


def test_what_data_decides_is_bounded_by_all_elements() -> None:
    """Nonzero entries, and different ones."""
    rows = shapes_of(Op("Nonzero", "Nonzero"), [(3, 4)], [1, 1])
    assert rows == [r.shape for r in np.nonzero(np.ones((3, 4)))]
    assert shape_of("Unique", [(7,)], 1) == np.unique(np.arange(7)).shape


def test_an_op_without_a_rule_is_named() -> None:
    """Nobody guesses."""
    assert reason_of(shape_of("MyOwnOp", [(3,)], 1)) == "no size rule for MyOwnOp"

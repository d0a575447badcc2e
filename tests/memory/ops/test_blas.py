"""Products: which operands are copied, and into what the result goes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from theanodiag.ir import Op

from ..graphs import PLAIN, Sketch
from .bench import BACKWARD, EVERY_SECOND, TURN, elements, taken

IN_PLACE = {0: (0,)}


def with_view(op: Op, shapes: Sequence[tuple[int, ...]], result: tuple[int, ...], views: dict[int, Op]) -> int:
    """Elements that `op` takes, where the inputs at `views` are such views of something larger."""
    s = Sketch()
    inputs = []
    for k, shape in enumerate(shapes):
        view = views.get(k)
        whole = shape if view is None else shape[::-1] if view is TURN else (2 * shape[0], *shape[1:]) if view is EVERY_SECOND else shape
        source = s.shared(whole)
        inputs.append(source if view is None else s.apply(view, [source], shape)[0])
    (out,) = s.apply(op, inputs, result)
    return elements(s, out)


GEMV = [(10,), (), (10, 20), (20,), ()]
GER = [(10, 20), (), (10,), (20,)]
GEMM = [(10, 30), (), (10, 20), (20, 30), ()]


@pytest.mark.parametrize(
    ("views", "expected"),
    [
        ({}, 0),
        ({2: EVERY_SECOND}, 200),
        ({3: EVERY_SECOND}, 600),
        ({2: EVERY_SECOND, 3: EVERY_SECOND}, 800),
        ({2: TURN, 3: TURN}, 0),
        ({0: TURN}, 0),
        ({0: EVERY_SECOND}, 300),
        ({0: EVERY_SECOND, 2: EVERY_SECOND}, 500),
    ],
    ids=["whole", "A with holes", "B with holes", "both", "turned", "C turned", "C with holes", "C and A"],
)
def test_gemm_in_place(views: dict[int, Op], expected: int) -> None:
    """A is 200 elements, B 600, C 300: what has holes is copied, what is turned is not."""
    assert with_view(Op("GpuGemm", "gemm", destroy_map=IN_PLACE), GEMM, (10, 30), views) == expected


@pytest.mark.parametrize(
    ("views", "expected"), [({}, 300), ({0: EVERY_SECOND}, 300), ({2: EVERY_SECOND}, 500)], ids=["whole", "C with holes", "A with holes"]
)
def test_gemm_beside(views: dict[int, Op], expected: int) -> None:
    """Not in place: always one copy of C, and of what has holes."""
    assert with_view(Op("GpuGemm", "gemm"), GEMM, (10, 30), views) == expected


@pytest.mark.parametrize(
    ("views", "expected"),
    [({}, 0), ({2: EVERY_SECOND}, 200), ({3: BACKWARD}, 20), ({3: EVERY_SECOND}, 0), ({0: BACKWARD}, 10), ({0: EVERY_SECOND}, 0)],
    ids=["whole", "A with holes", "x backward", "x with holes", "y backward", "y with holes"],
)
def test_gemv(views: dict[int, Op], expected: int) -> None:
    """Vectors may have holes, since cuBLAS takes a stride, but they may not run backward."""
    assert with_view(Op("GpuGemv", "gemv", destroy_map=IN_PLACE), GEMV, (10,), views) == expected


def test_gemv_with_a_matrix_without_columns_copies_nothing() -> None:
    """There is no product to make, so x may run backward."""
    shapes = [(10,), (), (10, 0), (0,), ()]
    assert with_view(Op("GpuGemv", "gemv", destroy_map=IN_PLACE), shapes, (10,), {3: BACKWARD}) == 0


@pytest.mark.parametrize(
    ("views", "expected"),
    [({}, 0), ({2: BACKWARD}, 10), ({3: BACKWARD}, 20), ({2: BACKWARD, 3: BACKWARD}, 30), ({0: EVERY_SECOND}, 200), ({2: EVERY_SECOND}, 0)],
    ids=["whole", "x backward", "y backward", "both", "A with holes", "x with holes"],
)
def test_ger(views: dict[int, Op], expected: int) -> None:
    """A + x.y': the same of an outer product, whose copies are there together."""
    assert with_view(Op("GpuGer", "ger", destroy_map=IN_PLACE), GER, (10, 20), views) == expected


@pytest.mark.parametrize("name", ["GpuDot22", "GpuDot22Scalar"])
def test_products_without_a_sum_take_their_result(name: str) -> None:
    """10 by 30, and 200 more for A with holes."""
    shapes = [(10, 20), (20, 30)]
    assert with_view(Op(name, name), shapes, (10, 30), {}) == 300
    assert with_view(Op(name, name), shapes, (10, 30), {0: EVERY_SECOND}) == 500


def test_the_copies_of_a_product_are_gone_when_it_is_done() -> None:
    """What comes after it finds only the result of 300: 300 + 450 is above 300 + 200."""
    s = Sketch()
    (half,) = s.apply(EVERY_SECOND, [s.shared((20, 20))], (10, 20))
    (product,) = s.apply(Op("GpuDot22", "dot"), [half, s.shared((20, 30))], (10, 30))
    (out,) = s.apply(PLAIN, [product], (15, 30))
    assert elements(s, out) == 300 + 450


TRANSPOSED_LAST = Op("GpuDimShuffle", "turn", params={"new_order": [0, 2, 1]}, view_map={0: (0,)})
TURNED_ROUND = Op("GpuDimShuffle", "turn", params={"new_order": [1, 2, 0]}, view_map={0: (0,)})
EVERY_SECOND_ROW = Op(
    "GpuSubtensor", "rows", params={"idx_list": [{"slice": [None, None, None]}, {"slice": [None, None, 2]}]}, view_map={0: (0,)}
)
EVERY_SECOND_COLUMN = Op(
    "GpuSubtensor",
    "columns",
    params={"idx_list": [{"slice": [None, None, None]}, {"slice": [None, None, None]}, {"slice": [None, None, 2]}]},
    view_map={0: (0,)},
)


@pytest.mark.parametrize(
    ("view", "whole", "expected"),
    [
        (TRANSPOSED_LAST, (4, 20, 10), 0),
        (EVERY_SECOND_ROW, (4, 20, 20), 0),
        (EVERY_SECOND_COLUMN, (4, 10, 40), 800),
        (TURNED_ROUND, (20, 4, 10), 0),
    ],
    ids=["last two turned", "every second row", "every second column", "the batch between"],
)
def test_batches_need_one_dense_dimension_of_the_last_two(view: Op, whole: tuple[int, ...], expected: int) -> None:
    """A of 4 matrices of 10 by 20: it is copied only if neither rows nor columns are dense."""
    s = Sketch()
    (a,) = s.apply(view, [s.shared(whole)], (4, 10, 20))
    batch = Op("GpuGemmBatch", "batch", destroy_map=IN_PLACE)
    (out,) = s.apply(batch, [s.shared((4, 10, 30)), s.shared(()), a, s.shared((4, 20, 30)), s.shared(())], (4, 10, 30))
    assert elements(s, out) == expected


def test_batches_beside_copy_c() -> None:
    """4 matrices of 10 by 30."""
    assert taken(Op("GpuGemmBatch", "batch"), [(4, 10, 30), (), (4, 10, 20), (4, 20, 30), ()], (4, 10, 30)) == 1200


def test_a_sum_into_something_unknown_takes_nothing() -> None:
    """C is on the host, which cannot be: there is no size to copy."""
    s = Sketch()
    inputs = [s.argument((10, 30)), s.shared(()), s.shared((10, 20)), s.shared((20, 30)), s.shared(())]
    (out,) = s.apply(Op("GpuGemm", "gemm"), inputs, (10, 30))
    assert elements(s, out) == 0

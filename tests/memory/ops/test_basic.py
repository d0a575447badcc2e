"""Transfers, copies, views, and arrays made from nothing."""

from __future__ import annotations

import pytest

from theanodiag.ir import Op

from ..graphs import HOST, PLAIN, UPLOAD, Sketch
from .bench import BACKWARD, EVERY_SECOND, TURN, elements, figures_of, number, seen_as, taken

DOWN = Op("HostFromGpu", "HostFromGpu(gpuarray)")
CONTIGUOUS = Op("GpuContiguous", "GpuContiguous")
RESHAPE = Op("GpuReshape", "GpuReshape", view_map={0: (0,)})


class TestTransfers:
    """Between the host and the device."""

    def test_an_upload_takes_a_copy(self) -> None:
        """40 elements."""
        s = Sketch()
        (x,) = s.apply(UPLOAD, [s.argument((10, 4))], (10, 4))
        assert elements(s, x) == 40

    def test_a_second_upload_goes_into_the_first_one_s_memory(self) -> None:
        """Where nothing is collected and the shape is the same."""
        s = Sketch()
        (x,) = s.apply(UPLOAD, [s.argument((10, 4))], (10, 4))
        (y,) = s.apply(PLAIN, [x], (10, 4))
        first, second = figures_of(s.script([y], calls=2))
        assert (first.live_peak_bytes, second.live_peak_bytes) == (320, 320)

    @pytest.mark.parametrize(
        ("view", "whole", "expected"),
        [(TURN, (4, 10), 0), (EVERY_SECOND, (20, 4), 40), (BACKWARD, (10, 4), 40)],
        ids=["turned", "with holes", "backward"],
    )
    def test_a_download_copies_what_is_not_in_one_piece(self, view: Op, whole: tuple[int, int], expected: int) -> None:
        """A transposed matrix is in one piece; one with holes or backward is not."""
        s = Sketch()
        (seen,) = s.apply(view, [s.shared(whole)], (10, 4))
        (out,) = s.apply(DOWN, [seen], (10, 4), kind=HOST)
        assert elements(s, out) == expected


class TestContiguous:
    """GpuContiguous."""

    @pytest.mark.parametrize(
        ("view", "whole", "expected"),
        [(TURN, (4, 10), 40), (EVERY_SECOND, (20, 4), 40), (BACKWARD, (10, 4), 40)],
        ids=["turned", "with holes", "backward"],
    )
    def test_what_is_not_in_c_order_is_copied(self, view: Op, whole: tuple[int, int], expected: int) -> None:
        """Fortran order will not do either."""
        assert seen_as(view, (10, 4), CONTIGUOUS, (10, 4), whole) == expected

    def test_what_is_in_c_order_is_passed_on(self) -> None:
        """It is the same array."""
        assert taken(CONTIGUOUS, [(10, 4)], (10, 4)) == 0


class TestReshape:
    """Views where strides allow it."""

    @pytest.mark.parametrize(
        ("shape", "expected"), [((5, 2, 4), 0), ((10, 2, 2), 0), ((40,), 40), ((2, 20), 40)], ids=["split", "columns", "flat", "mixed"]
    )
    def test_of_rows_with_holes(self, shape: tuple[int, ...], expected: int) -> None:
        """Rows can be grouped and split, but not joined over a hole."""
        assert seen_as(EVERY_SECOND, (10, 4), RESHAPE, shape, (20, 4)) == expected

    def test_of_nothing_is_a_view(self) -> None:
        """An empty array has any shape."""
        assert seen_as(EVERY_SECOND, (0, 4), RESHAPE, (2, 0), (0, 4)) == 0

    def test_a_copy_never_goes_into_what_is_there(self) -> None:
        """A second call holds the old copy and the new one."""
        s = Sketch()
        (turned,) = s.apply(TURN, [s.shared((4, 10))], (10, 4))
        (flat,) = s.apply(RESHAPE, [turned], (40,))
        (out,) = s.apply(PLAIN, [flat], (0, 1))
        second = figures_of(s.script([out], calls=2))[1]
        assert second.live_peak_bytes // 4 == 40 + 40 + 40


class TestDimshuffle:
    """Permuted dimensions."""

    @pytest.mark.parametrize(
        ("order", "result"),
        [([1, 0], (4, 10)), (["x", 0, 1], (1, 10, 4)), ([0, "x", 1], (10, 1, 4)), ([0, 1], (10, 4))],
        ids=["turned", "new in front", "new between", "the same"],
    )
    def test_a_view_takes_nothing(self, order: list[object], result: tuple[int, ...]) -> None:
        """Whatever the order, and with new dimensions of one."""
        assert taken(Op("GpuDimShuffle", "d", params={"new_order": order}, view_map={0: (0,)}), [(10, 4)], result) == 0

    def test_not_in_place_is_a_copy(self) -> None:
        """40 elements in C order."""
        assert taken(Op("GpuDimShuffle", "d", params={"new_order": [1, 0]}), [(10, 4)], (4, 10)) == 40

    def test_without_its_order_it_is_a_view_in_c_order(self) -> None:
        """Printed graphs may not tell the order."""
        assert taken(Op("GpuDimShuffle", "d", view_map={0: (0,)}), [(10, 4)], (4, 10)) == 0

    def test_a_new_dimension_keeps_c_order(self) -> None:
        """`x, 0, 1` of something whole needs no copy afterwards."""
        front = Op("GpuDimShuffle", "d", params={"new_order": ["x", 0, 1]}, view_map={0: (0,)})
        assert seen_as(front, (1, 10, 4), CONTIGUOUS, (1, 10, 4), (10, 4)) == 0


class TestJoinAndSplit:
    """Arrays put together and taken apart."""

    @pytest.mark.parametrize(
        ("view", "empty", "expected"), [(0, 1, 0), (1, 0, 0), (0, 0, 40), (-1, 1, 40)], ids=["first", "second", "other", "never"]
    )
    def test_a_join_with_nothing_is_the_other_one(self, view: int, empty: int, expected: int) -> None:
        """Where the op looks for it, and the one it would pass on is the one that is not empty."""
        s = Sketch()
        parts = [s.shared((0, 4) if k == empty else (10, 4)) for k in range(2)]
        (out,) = s.apply(Op("GpuJoin", "join", params={"view": view}), [number(s, 0), *parts], (10, 4))
        assert elements(s, out) == expected

    def test_pieces_hold_the_whole_as_long_as_one_is_needed(self) -> None:
        """The first piece goes, the second of 24 keeps all 40; 12 more are made from it."""
        s = Sketch()
        (whole,) = s.apply(PLAIN, [s.shared((1, 1))], (10, 4))
        _, b = s.apply(Op("GpuSplit", "split", view_map={0: (0,), 1: (0,)}), [whole], (4, 4), (6, 4))
        (out,) = s.apply(PLAIN, [b], (3, 4))
        assert elements(s, out) == 40 + 12

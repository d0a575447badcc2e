"""Indexing: views with strides, gathered copies, increments."""

from __future__ import annotations

from math import prod

import pytest

from theanodiag.ir import Op, Type, TypeKind

from ..graphs import PLAIN, Sketch
from .bench import EVERY_SECOND, INTEGERS, TURN, elements, number, seen_as, taken

CONTIGUOUS = Op("GpuContiguous", "GpuContiguous")
BOOLEANS = Type(TypeKind.TENSOR, "bool", (None,))
SHORT = Type(TypeKind.TENSOR, "int16", (None,))
FULL = {"slice": [None, None, None]}
SLICE = Type(TypeKind.OTHER, None, (), "slice")
NEW_AXIS = Type(TypeKind.OTHER, None, (), "NoneTypeT")
NUMBER = Type(TypeKind.TENSOR, "int64", ())


def sub(*pattern: object) -> Op:
    """A view by this pattern."""
    return Op("GpuSubtensor", "sub", params={"idx_list": list(pattern)}, view_map={0: (0,)})


class TestSubtensor:
    """Views; whether they are in one piece shows in the copy that GpuContiguous makes of them."""

    @pytest.mark.parametrize(
        ("pattern", "shape", "copied"),
        [
            ((3,), (4, 5), 0),
            ((FULL, 2), (10, 5), 50),
            (({"slice": [2, 7, None]},), (5, 4, 5), 0),
            (({"slice": [None, None, 2]},), (5, 4, 5), 100),
            (({"slice": [None, None, 1]},), (10, 4, 5), 0),
            ((FULL, FULL, {"slice": [0, 5, None]}), (10, 4, 5), 0),
            ((FULL, FULL, {"slice": [0, 3, None]}), (10, 4, 3), 120),
            ((0, 0, {"slice": [0, 3, None]}), (3,), 0),
            ((0, 0, 0), (), 0),
            (({"slice": [None, None, -1]}, 0, 0), (10,), 10),
        ],
        ids=["row", "column", "rows", "every second", "step 1", "all", "part of rows", "in a row", "element", "backward"],
    )
    def test_a_view_is_in_one_piece_or_not(self, pattern: tuple[object, ...], shape: tuple[int, ...], copied: int) -> None:
        """Of an array of 10 by 4 by 5."""
        assert seen_as(sub(*pattern), shape, CONTIGUOUS, shape, (10, 4, 5)) == copied

    @pytest.mark.parametrize(("step", "copied"), [(1, 0), (2, 20), (-1, 40)])
    def test_a_step_that_is_an_input_counts_with_its_value(self, step: int, copied: int) -> None:
        """`x[::n]` with a constant n; the start is an input before it."""
        s = Sketch()
        shape = (10 // abs(step), 4)
        x, begin, n = s.shared((10, 4)), number(s, 0), number(s, step)
        (seen,) = s.apply(sub({"slice": ["i", None, "i"]}), [x, begin, n], shape)
        (out,) = s.apply(CONTIGUOUS, [seen], shape)
        assert elements(s, out) == copied

    def test_an_index_that_is_an_input_takes_its_place(self) -> None:
        """`x[i, ::n]`: the step is the second input behind x."""
        s = Sketch()
        x, i, n = s.shared((10, 4)), number(s, 3), number(s, 2)
        (seen,) = s.apply(sub("i", {"slice": [None, None, "i"]}), [x, i, n], (2,))
        (out,) = s.apply(CONTIGUOUS, [seen], (2,))
        assert elements(s, out) == 2

    def test_a_view_holds_its_base(self) -> None:
        """A row of 4 keeps 40."""
        s = Sketch()
        (whole,) = s.apply(PLAIN, [s.shared((1, 1))], (10, 4))
        (row,) = s.apply(sub(0), [whole], (4,))
        assert elements(s, row) == 40

    def test_of_a_scalar_it_is_a_new_one(self) -> None:
        """There is no dimension to take a view of."""
        assert taken(sub(), [()], ()) == 1

    def test_without_its_pattern_nothing_is_known(self) -> None:
        """A printed graph may not tell it: no memory is made up."""
        assert taken(Op("GpuSubtensor", "sub", view_map={0: (0,)}), [(10, 4)], (5, 4)) == 0


class TestIncrements:
    """`inc_subtensor` and its kin."""

    @pytest.mark.parametrize("name", ["GpuIncSubtensor", "GpuAdvancedIncSubtensor1", "GpuAdvancedIncSubtensor1_dev20"])
    @pytest.mark.parametrize(("in_place", "expected"), [(True, 0), (False, 200)])
    def test_in_place_or_into_a_copy(self, name: str, in_place: bool, expected: int) -> None:
        """A copy of all 50 rows, however few are written."""
        op = Op(name, name, destroy_map={0: (0,)} if in_place else {})
        assert taken(op, [(50, 4), (4,), (1,)], (50, 4)) == expected

    @pytest.mark.parametrize("added", [(3, 4), (4,)], ids=["rows", "one row"])
    def test_rows_by_number_are_added_to_a_copy_in_any_case(self, added: tuple[int, ...]) -> None:
        """Whether what is added has as many dimensions or not."""
        s = Sketch()
        op = Op("GpuAdvancedIncSubtensor1", "inc")
        (out,) = s.apply(op, [s.shared((50, 4)), s.shared(added), s.argument((3,), INTEGERS)], (50, 4))
        assert elements(s, out) == 200

    @pytest.mark.parametrize("name", ["GpuIncSubtensor", "GpuAdvancedIncSubtensor1"])
    def test_of_something_on_the_host_takes_nothing(self, name: str) -> None:
        """There is nothing to copy."""
        s = Sketch()
        (out,) = s.apply(Op(name, name), [s.argument((50, 4)), s.shared((4,))], (50, 4))
        assert elements(s, out) == 0


class TestGathering:
    """Rows by arrays of positions."""

    def gathered(self, kind: Type, *positions: tuple[int, ...], view: Op | None = None, result: tuple[int, ...] = (9, 6)) -> int:
        """Elements that are taken for rows of a matrix of 5 by 6 with these arrays of positions."""
        s = Sketch()
        x = s.shared((5, 6) if view is not TURN else (6, 5))
        if view is not None:
            (x,) = s.apply(view, [x], (5, 6))
        arrays = [s.argument(p, kind) for p in positions]
        (out,) = s.apply(Op("GpuAdvancedSubtensor", "take"), [x, *arrays], result)
        return elements(s, out)

    @pytest.mark.parametrize(
        ("kind", "index"), [(INTEGERS, 2 * 9), (BOOLEANS, 2 * 9), (SHORT, 9 // 2)], ids=["int64", "masks become int64", "int16"]
    )
    def test_positions_are_as_large_as_their_dtype(self, kind: Type, index: int) -> None:
        """Nine positions beside 54 gathered numbers, in elements of four bytes."""
        assert self.gathered(kind, (9,)) == 54 + index

    def test_positions_are_broadcast(self) -> None:
        """3 by 1 and 2: six positions of eight bytes beside six numbers."""
        assert self.gathered(INTEGERS, (3, 1), (2,), result=(3, 2)) == 6 + 12

    def test_no_positions_no_rows(self) -> None:
        """Both arrays are empty: one byte each where nothing is cached."""
        assert self.gathered(INTEGERS, (0,), result=(0, 6)) == 0

    def test_a_transposed_matrix_is_copied_before_two_indices_are_made_one(self) -> None:
        """Its 30 elements, 9 positions of eight bytes, 9 results."""
        assert self.gathered(INTEGERS, (9,), (9,), view=TURN, result=(9,)) == 30 + 18 + 9

    def test_a_transposed_matrix_with_one_index_is_not(self) -> None:
        """One dimension needs no flattening."""
        assert self.gathered(INTEGERS, (9,), view=TURN) == 54 + 18

    def test_more_indices_than_dimensions_copy_nothing(self) -> None:
        """Positions of a mask that was made of several dimensions."""
        assert self.gathered(INTEGERS, (9,), (9,), (9,), result=(9,)) == 9 + 18

    def test_without_arrays_there_are_only_the_rows(self) -> None:
        """A slice among the inputs has no positions."""
        assert self.gathered(INTEGERS, result=(5, 6)) == 30

    def test_by_number_alone_nothing_goes_beside_the_rows(self) -> None:
        """GpuAdvancedSubtensor1 takes its positions from the device."""
        s = Sketch()
        (out,) = s.apply(Op("GpuAdvancedSubtensor1", "take"), [s.shared((50, 6)), s.argument((9,), INTEGERS)], (9, 6))
        assert elements(s, out) == 54


class TestPlaces:
    """Where the dimensions that were gathered are in the result: in memory they are in front. A cube of 4 by 5 by 6, nine positions."""

    def taken(self, *pattern: Type, result: tuple[int, ...], then: Op | None = None) -> int:
        """Elements that are taken for the rows, and for `then` of them."""
        s = Sketch()
        entries = [s.argument((9,) if kind.ndim else (), kind) for kind in pattern]
        (out,) = s.apply(Op("GpuAdvancedSubtensor", "take"), [s.shared((4, 5, 6)), *entries], result)
        if then is not None:
            (out,) = s.apply(then, [out], result)
        return elements(s, out)

    @pytest.mark.parametrize(
        ("pattern", "result", "copied"),
        [
            ((SLICE, INTEGERS, INTEGERS), (4, 9), 36),
            ((INTEGERS, SLICE, INTEGERS), (9, 5), 0),
            ((INTEGERS, INTEGERS, SLICE), (9, 6), 0),
            ((SLICE, INTEGERS, SLICE), (4, 9, 6), 216),
            ((SLICE, NUMBER, INTEGERS), (4, 9), 36),
            ((NUMBER, SLICE, INTEGERS), (9, 5), 0),
            ((NEW_AXIS, INTEGERS, INTEGERS), (1, 9, 6), 0),
        ],
        ids=["after a slice", "parted by it", "before a slice", "between slices", "after a number", "parted from it", "new axis"],
    )  # fmt: skip
    def test_rows_are_in_one_piece_where_the_gathered_dimensions_come_first(
        self, pattern: tuple[Type, ...], result: tuple[int, ...], copied: int
    ) -> None:
        """GpuContiguous copies the others: the rows, then the copy, or the rows and the copy of what was indexed."""
        rows = self.taken(*pattern, result=result)
        assert self.taken(*pattern, result=result, then=CONTIGUOUS) == max(rows, prod(result) + copied)

    def test_dimensions_that_are_apart_are_copied_as_far_as_they_are_wanted(self) -> None:
        """Two of the five planes between them: a copy of 48 elements, nine positions of eight bytes, 18 rows."""
        assert self.taken(INTEGERS, SLICE, INTEGERS, result=(9, 2)) == 4 * 6 * 2 + 18 + 18

    def test_a_new_axis_is_no_dimension_of_what_is_indexed(self) -> None:
        """The first two dimensions are one without a copy."""
        assert self.taken(NEW_AXIS, INTEGERS, INTEGERS, result=(1, 9, 6)) == 18 + 54


class TestDiagonals:
    """GpuExtractDiag."""

    def test_a_view_takes_nothing(self) -> None:
        """It steps over a row and an element."""
        assert taken(Op("GpuExtractDiag", "diag", view_map={0: (0,)}), [(6, 6)], (6,)) == 0

    def test_its_elements_are_apart(self) -> None:
        """In one piece it is a copy of 6."""
        assert seen_as(Op("GpuExtractDiag", "diag", view_map={0: (0,)}), (6,), CONTIGUOUS, (6,), (6, 6)) == 6

    def test_not_a_view_it_is_new(self) -> None:
        """Six elements."""
        assert taken(Op("GpuExtractDiag", "diag"), [(6, 6)], (6,)) == 6


def test_what_is_gathered_from_rows_with_holes() -> None:
    """One index over rows with holes needs no copy."""
    s = Sketch()
    (half,) = s.apply(EVERY_SECOND, [s.shared((10, 6))], (5, 6))
    (out,) = s.apply(Op("GpuAdvancedSubtensor", "take"), [half, s.argument((9,), INTEGERS)], (9, 6))
    assert elements(s, out) == 54 + 18

"""What ops without a rule of their own do, and what a cell's old value is good for."""

from __future__ import annotations

import pytest

from theanodiag.ir import Op
from theanodiag.ops import op_info
from theanodiag.ops.memory_effects import by_maps

from ..graphs import HOST, INPLACE, PLAIN, VIEW, Sketch
from .bench import elements, figures_of, second_call, taken


class TestByMaps:
    """What view_map and destroy_map say."""

    @pytest.mark.parametrize(("op", "expected"), [(PLAIN, 40), (VIEW, 0), (INPLACE, 0)], ids=["new", "view", "in place"])
    def test_only_a_new_array_takes_memory(self, op: Op, expected: int) -> None:
        """Ten rows of four, or nothing."""
        assert taken(op, [(10, 4)], (10, 4)) == expected

    def test_overwriting_comes_before_viewing(self) -> None:
        """An output that is in both maps is the input that is overwritten."""
        s = Sketch()
        both = Op("Both", "Both", view_map={0: (0,)}, destroy_map={0: (1,)})
        (large,) = s.apply(PLAIN, [s.shared((1, 1))], (10, 4))
        (small,) = s.apply(PLAIN, [large], (5, 4))
        (out,) = s.apply(both, [large, small], (5, 4))
        (last,) = s.apply(PLAIN, [out], (15, 4))
        assert elements(s, last) == 20 + 60

    def test_each_output_goes_its_own_way(self) -> None:
        """The first is a view, the second is new."""
        s = Sketch()
        x = s.shared((10, 4))
        _, made = s.apply(Op("Two", "Two", view_map={0: (0,)}), [x], (10, 4), (7, 4))
        assert elements(s, made) == 28

    def test_a_view_of_what_is_on_the_host_takes_nothing(self) -> None:
        """What is not followed has no buffer to share."""
        s = Sketch()
        (out,) = s.apply(VIEW, [s.argument((10, 4))], (10, 4))
        assert elements(s, out) == 0

    def test_an_output_on_the_host_is_not_counted(self) -> None:
        """Only the device is followed."""
        s = Sketch()
        (out,) = s.apply(PLAIN, [s.shared((10, 4))], (10, 4), kind=HOST)
        assert elements(s, out) == 0

    def test_a_view_may_have_another_shape(self) -> None:
        """It is still the same memory."""
        s = Sketch()
        (a,) = s.apply(PLAIN, [s.shared((1, 1))], (10, 4))
        (b,) = s.apply(VIEW, [a], (40, 1))
        assert elements(s, b) == 40


class TestReuse:
    """What an earlier call left, where nothing is collected."""

    def test_the_same_shape_is_written_again(self) -> None:
        """Forty elements were there already."""
        assert second_call(PLAIN, (10, 4), (10, 4)) == 40

    @pytest.mark.parametrize("then", [(7, 4), (4, 10), (20, 4)])
    def test_another_shape_is_made_beside_the_old_one(self, then: tuple[int, int]) -> None:
        """Both are there until the op is done, even where they have as many elements."""
        assert second_call(PLAIN, (10, 4), then) == 40 + then[0] * then[1]

    @pytest.mark.parametrize("name", ["GpuToGpu", "DeepCopyOp", "GpuEye", "GpuTri", "GpuAllocDiag", "GpuAdvancedIncSubtensor"])
    def test_some_ops_always_make_a_new_array(self, name: str) -> None:
        """Beside what is there, of whatever shape."""
        assert second_call(Op(name, name), (10, 4), (10, 4), (10, 4)) == 80

    @pytest.mark.parametrize("name", ["GpuAlloc", "GpuAllocEmpty", "GpuElemwise", "GpuCAReduceCuda", "GpuDot22", "GpuAdvancedSubtensor1"])
    def test_others_write_into_what_is_there(self, name: str) -> None:
        """Where it has the right shape."""
        s = Sketch()
        sources = [s.shared((10, 10)), s.shared((10, 4))]
        (out,) = s.apply(Op(name, name), sources, (10, 4))
        (last,) = s.apply(PLAIN, [out], (1, 1))
        second = figures_of(s.script([last], calls=2))[1]
        assert second.live_peak_bytes == 4 * (140 + 40 + 1)


class TestTable:
    """One entry for both forms of an Op."""

    def test_an_op_without_a_rule_follows_its_maps(self) -> None:
        """New ops are no error."""
        assert op_info("SomethingNobodyKnows").memory is by_maps

    def test_a_form_of_the_device_has_a_rule_of_its_own(self) -> None:
        """Its host form follows its maps, as do names that are made up of its name."""
        names = ["GpuGemm", "Gemm", "GpuGpuGemm"]
        assert [op_info(name).memory is by_maps for name in names] == [False, True, True]

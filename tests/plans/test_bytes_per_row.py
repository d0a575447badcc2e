"""What of a peak is fixed and what each row takes, beside what follows by hand from the shapes."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.ir import Unknown
from theanodiag.memory.script import Call
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.plans import batch
from theanodiag.plans.batch import BatchPlan
from theanodiag.plans.bytes_per_row import BytesPerRow, at_peak, of_plan
from theanodiag.rules.examples import dot_script

SIZES = pytest.mark.parametrize(("rows", "columns"), [(4000, 1000), (512, 64), (64, 2000)])


@SIZES
def test_of_a_plan(rows: int, columns: int) -> None:
    """W of so many columns is fixed; a row of the argument and one of the product come with each row."""
    script, settings = dot_script(rows, columns), MemorySettings(free_bytes=4 * (columns * columns + rows * columns))
    plan = batch.plan(script, settings, simulate(script, settings))
    assert isinstance(plan, BatchPlan)
    assert of_plan(plan) == BytesPerRow(rows, 4 * columns * columns, 8 * columns, True)


@SIZES
def test_of_a_peak(rows: int, columns: int) -> None:
    """The same, counted from what is live."""
    script = dot_script(rows, columns)
    profile = simulate(script, MemorySettings()).functions[0]
    found = at_peak(script.functions[0], script.calls(0)[0], profile)
    assert found == BytesPerRow(rows, 4 * columns * columns, 8 * columns, False)
    assert found.fitting(found.fixed_bytes + 10 * found.row_bytes + 1) == 10
    assert found.fitting(found.fixed_bytes - 1) == 0


def test_nothing_is_told_where_no_length_is_known() -> None:
    """An argument of unknown length has no rows to count."""
    script = dot_script(Unknown("the length depends on data"), 100)
    assert at_peak(script.functions[0], script.calls(0)[0], simulate(script, MemorySettings()).functions[0]) is None


def test_lengths_of_weights_are_no_rows() -> None:
    """Where the arguments have no rows at all, what is as long as a shared variable is taken to be one of its like."""
    script = dot_script(100, 100)
    (call,) = (e for e in script.events if isinstance(e, Call))
    scalar = replace(call, shapes=replace(call.shapes, shapes={**call.shapes.shapes, 0: ()}))
    assert at_peak(script.functions[0], scalar, simulate(script, MemorySettings()).functions[0]) is None

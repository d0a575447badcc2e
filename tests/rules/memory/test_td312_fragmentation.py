"""TD312: what a preallocation saves since one block cannot be torn into blocks."""

from __future__ import annotations

from theanodiag.findings import Finding, Severity
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.rules.examples import device, more_rows_script, subject
from theanodiag.rules.memory.allocator import fragmentation

GROWING = (10_000, 15_000, 20_000)


def found(total: int, *rows: int) -> list[Finding]:
    """The findings on batches of so many rows."""
    return list(fragmentation.check(subject(more_rows_script(1000, *rows), device(total))))


def test_both_figures_are_those_of_the_simulation() -> None:
    """With and without the flag, and the difference."""
    (finding,) = found(1_000_000_000, *GROWING)
    script = more_rows_script(1000, *GROWING)
    without, with_ = (simulate(script, MemorySettings(preallocate=p, total_bytes=10**9)).reserved_peak_bytes for p in (0.0, 153.0))
    assert finding.after is not None
    assert finding.saves is not None
    assert (finding.after.reserved_bytes, finding.saves.bytes) == (with_, without - with_)
    assert finding.fix is not None
    assert finding.fix.code == "THEANO_FLAGS=gpuarray.preallocate=153"
    assert finding.notes[0] == "predict, step 3: 343.5 MiB free, the largest piece 76.3 MiB (78% scattered)"


def test_the_largest_batch_first_needs_nothing_more() -> None:
    """Later ones find their pieces."""
    assert found(1_000_000_000, *reversed(GROWING)) == []


def test_small_losses_are_not_named() -> None:
    """A few MiB."""
    assert found(1_000_000_000, 1000, 1100, 1200) == []


def test_where_it_decides_whether_the_script_fits_it_is_a_warning() -> None:
    """364 MB do not fit on 300 MB, one block of 153 MiB does."""
    (finding,) = found(300_000_000, *GROWING)
    assert finding.severity is Severity.WARNING


def test_where_not_even_one_block_fits_there_is_nothing_to_advise() -> None:
    """The script is too large for the device."""
    assert found(100_000_000, *GROWING) == []

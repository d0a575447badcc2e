"""Rules about settings of allocators."""

from __future__ import annotations

import pytest

from tests.rules.scripts import START, findings, only
from theanodiag.findings import Confidence, Figures, Finding, Severity
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.rules.examples import device, dot_script, more_rows_script, subject
from theanodiag.rules.memory.allocator import fragmentation
from theanodiag.units import MIB, format_bytes

# TD310: the least number of megabytes, worked out by hand, and when it is worth saying.

LARGE = device(1_000_000_000)
SIZES = [
    pytest.param(1000, 8000, id="arguments beside the weights"),
    pytest.param(2000, 5000, id="other sizes"),
    pytest.param(4000, 6000, id="nearly as large"),
]


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_least_number_holds_all_arrays(rows: int, columns: int) -> None:
    """W, x and their product, none of which fits into the first block, rounded up to megabytes."""
    product = rows * columns * 4
    live = columns * columns * 4 + 2 * product
    found = only("TD310", subject(dot_script(rows, columns), LARGE))
    assert found.fix
    assert found.fix.code == f"THEANO_FLAGS=gpuarray.preallocate={-(-live // MIB)}"


@pytest.mark.parametrize(("rows", "columns"), SIZES)
def test_both_reserves_are_named(rows: int, columns: int) -> None:
    """Without the flag: the first block and one for each array; with it: the first block and the reserve."""
    weights, product = columns * columns * 4, rows * columns * 4
    with_ = -(-(weights + 2 * product) // MIB) * MIB + START
    found = only("TD310", subject(dot_script(rows, columns), LARGE))
    assert f"{format_bytes(with_)} reserved, {format_bytes(START + weights + 2 * product)} without it" in found.message
    assert found.after == Figures(weights, weights + 2 * product, weights, with_)


def test_how_sure_and_where() -> None:
    """For information, about the script as a whole."""
    found = only("TD310", subject(dot_script(1000, 8000), LARGE))
    assert (found.severity, found.confidence, str(found.location)) == (Severity.INFO, Confidence.DERIVED, "model.py")


@pytest.mark.parametrize(("columns", "speaks"), [(3200, False), (3250, True)], ids=["62 MiB", "64.1 MiB"])
def test_small_caches_may_grow(columns: int, speaks: bool) -> None:
    """The first block, W, and two blocks that are too large for the first one."""
    assert (START + (columns + 2 * 800) * columns * 4 >= 64 * MIB) is speaks
    assert bool(findings("TD310", subject(dot_script(800, columns), LARGE))) is speaks


def test_what_it_takes_more_has_a_reason() -> None:
    """Rounded up to megabytes it is more than the blocks that grow; three requests, for W, x and the product, become one."""
    more = START + 306 * MIB - (START + (8000 + 2 * 1000) * 8000 * 4)
    assert more > 0
    found = only("TD310", subject(dot_script(1000, 8000), LARGE))
    assert f"it takes {format_bytes(more)} more, and spares 2 requests to the driver, each of which stops the device" in found.notes


def test_what_spares_nothing_is_not_advised() -> None:
    """W alone is one request with the flag and without it, and rounding takes more."""
    assert subject(dot_script(10, 4000), LARGE).preallocation is not None
    assert findings("TD310", subject(dot_script(10, 4000), LARGE)) == []


def test_reserve_has_to_fit() -> None:
    """Theano wants 50 MiB to stay free: the cache's 4 MiB, the block of 306 MiB and that are 360, one more is enough."""
    assert findings("TD310", subject(dot_script(1000, 8000), device(361 * MIB)))
    assert findings("TD310", subject(dot_script(1000, 8000), device(360 * MIB))) == []


@pytest.mark.parametrize("called", [True, False], ids=["on the host", "never called"])
def test_nothing_to_plan(called: bool) -> None:
    """No cache, or no figures."""
    s = subject(dot_script(1000, 8000)) if called else subject(dot_script(1000, 8000, called=False), LARGE)
    assert findings("TD310", s) == []


# TD312: what a preallocation saves since one block cannot be torn into blocks.

GROWING = (10_000, 15_000, 20_000)


def found(total: int, *rows: int) -> list[Finding]:
    """The findings on batches of so many rows."""
    return list(fragmentation.check(subject(more_rows_script(*rows), device(total))))


def test_both_figures_are_those_of_the_simulation() -> None:
    """With and without the flag, and the difference."""
    (finding,) = found(1_000_000_000, *GROWING)
    script = more_rows_script(*GROWING)
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

"""What one call does: hand-derived cases on graphs without the cache, so that every byte is exact."""

from __future__ import annotations

from theanodiag.findings import Figures
from theanodiag.memory.script import Script
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate

from .graphs import EXACT, INPLACE, PLAIN, UPLOAD, VIEW, Sketch

UNIT = 40 * 4
"""Bytes of a (10, 4) array of float32."""


def units(script: Script, settings: MemorySettings = EXACT) -> list[tuple[float, float, float]]:
    """Live before, peak and after of every call, in units."""
    rows: tuple[Figures, ...] = simulate(script, settings).calls[0]
    return [(f.live_before_bytes / UNIT, f.live_peak_bytes / UNIT, f.live_after_bytes / UNIT) for f in rows]


def shared_and(op: object, n: int = 1) -> tuple[Sketch, int]:
    """A shared variable of one unit that is an output's old value."""
    s = Sketch()
    return s, s.shared((10, 4), update=0)


def test_an_update_beside_the_old_value_holds_both() -> None:
    """Both are there until the call ends."""
    s, w = shared_and(PLAIN)
    (new,) = s.apply(PLAIN, [w], (10, 4))
    assert units(s.script([new], returned=0, calls=2)) == [(1, 2, 1), (1, 2, 1)]


def test_an_update_in_place_costs_nothing() -> None:
    """The shared variable's own memory is overwritten."""
    s, w = shared_and(INPLACE)
    (new,) = s.apply(INPLACE, [w], (10, 4))
    assert units(s.script([new], returned=0, calls=2)) == [(1, 1, 1), (1, 1, 1)]


def test_a_swap_copies_nothing() -> None:
    """Two shared variables exchange their values."""
    s = Sketch()
    v, w = s.shared((10, 4), update=0), s.shared((20, 4), update=1)
    assert units(s.script([w, v], returned=0, calls=2)) == [(3, 3, 3), (3, 3, 3)]


def test_a_view_as_the_new_value_keeps_its_base() -> None:
    """A small view of something large: the steady state begins with the second call."""
    s, w = shared_and(VIEW)
    (large,) = s.apply(PLAIN, [w], (50, 4))
    (last,) = s.apply(VIEW, [large], (10, 4))
    assert units(s.script([last], returned=0, calls=3)) == [(1, 6, 5), (5, 10, 5), (5, 10, 5)]


def test_an_intermediate_goes_after_its_last_use() -> None:
    """Three in a row: never more than two at once."""
    s = Sketch()
    last = s.shared((10, 4))
    for _ in range(3):
        (last,) = s.apply(PLAIN, [last], (10, 4))
    assert units(s.script([last])) == [(1, 3, 1)]


def test_without_gc_intermediates_stay_and_are_reused() -> None:
    """All three are there after the first call; the output's cell is emptied when the next one begins."""
    s = Sketch()
    last = s.shared((10, 4))
    for _ in range(3):
        (last,) = s.apply(PLAIN, [last], (10, 4))
    assert units(s.script([last], calls=2), MemorySettings(preallocate=-1.0, allow_gc=False)) == [(1, 4, 4), (4, 4, 4)]


def test_an_argument_is_copied_to_the_device() -> None:
    """And its copy goes after its last use."""
    s = Sketch()
    (x,) = s.apply(UPLOAD, [s.argument((10, 4))], (10, 4))
    (y,) = s.apply(PLAIN, [x], (30, 4))
    (z,) = s.apply(PLAIN, [y], (20, 4))
    assert units(s.script([z])) == [(0, 5, 0)]


def test_results_that_the_script_holds_stay() -> None:
    """A device array in the script's hands is memory of the device: `r = f()` drops the old one once it has the new one."""
    s = Sketch()
    (y,) = s.apply(PLAIN, [s.shared((10, 4))], (10, 4))
    assert units(s.script([y], calls=2, held=True)) == [(1, 2, 2), (2, 3, 3)]


def test_constants_are_there_from_compilation_on() -> None:
    """A constant on the device counts before the first call."""
    s = Sketch()
    (y,) = s.apply(PLAIN, [s.constant((10, 4))], (10, 4))
    assert units(s.script([y])) == [(1, 2, 1)]


def test_rounding_with_the_cache() -> None:
    """Every buffer counts as a multiple of 64 bytes, and the first block is 4 MiB."""
    s = Sketch()
    (y,) = s.apply(PLAIN, [s.shared((1, 1))], (17, 1))
    (row,) = simulate(s.script([y]), MemorySettings()).calls[0]
    assert (row.live_before_bytes, row.live_peak_bytes, row.reserved_bytes) == (64, 64 + 128, 4 << 20)

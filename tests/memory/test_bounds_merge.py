"""The higher of two simulations."""

from __future__ import annotations

from dataclasses import replace

from theanodiag.findings import Figures
from theanodiag.ir import Op, Type, TypeKind, Unknown
from theanodiag.memory.process_simulation import higher
from theanodiag.memory.profile import MemoryProfile, Origin, ProcessProfile
from theanodiag.memory.simulate import simulate

from .graphs import EXACT, PLAIN, Sketch


def call(peak: int, reserved: int, order: tuple[int, ...] = ()) -> MemoryProfile:
    """A call with these two figures."""
    return MemoryProfile(Figures(0, peak, 0, reserved), (), (), (), order=order)


def process(peak: int, reserved: int, fits: bool | Unknown = True, failure: str | None = None) -> ProcessProfile:
    """A process with one function of these figures."""
    return ProcessProfile({0: call(peak, reserved)}, peak, reserved, peak // 2, fits, failure, 0 if failure else None)


def test_equal_figures_stay_derived() -> None:
    """Where both branches cost the same nothing is bounded."""
    assert higher(process(10, 20), process(10, 20)).functions[0].origin is Origin.DERIVED


def test_the_higher_peak_is_a_bound() -> None:
    """Which of the two it will be is not known."""
    for first, second in ((process(10, 20), process(30, 40)), (process(30, 40), process(10, 20))):
        found = higher(first, second)
        assert (found.live_peak_bytes, found.reserved_peak_bytes, found.persistent_bytes) == (30, 40, 15)
        assert found.functions[0].origin is Origin.BOUNDED


def test_each_figure_is_the_higher_one() -> None:
    """One run may have the higher peak, the other the larger reserve."""
    figures = higher(process(30, 40), process(20, 90)).functions[0].figures
    assert (figures.live_peak_bytes, figures.reserved_bytes) == (30, 90)


def test_a_failure_of_either_is_a_failure() -> None:
    """The first one that is known is told, with its function."""
    for pair in ((process(1, 1, False, "too much"), process(1, 1)), (process(1, 1), process(1, 1, False, "too much"))):
        found = higher(*pair)
        assert (found.fits, found.failure, found.failed_function) == (False, "too much", 0)


def test_what_is_unknown_in_one_run_is_unknown() -> None:
    """`fits` of the second counts where the first one fits."""
    assert isinstance(higher(process(1, 1), process(1, 1, Unknown("data"))).fits, Unknown)


def branches() -> tuple[Sketch, int]:
    """An IfElse on a condition that nobody knows: 100 elements in one branch, 60 in the other."""
    s = Sketch()
    condition = s.argument((), Type(TypeKind.TENSOR, "int8", ()))
    x = s.shared((1, 1))
    (yes,), (no,) = s.apply(PLAIN, [x], (25, 4)), s.apply(PLAIN, [x], (15, 4))
    (out,) = s.apply(Op("IfElse", "if{inplace}", view_map={0: (1,)}), [condition, yes, no], (25, 4))
    return s, out


def test_a_condition_that_is_not_known_gives_the_higher_branch() -> None:
    """The shared element, and the copy of 60 beside its 60 is more than 100 in place."""
    s, out = branches()
    profile = simulate(s.script([out]), EXACT).functions[0]
    assert profile.figures.live_peak_bytes == 4 * (1 + 60 + 60)
    assert profile.origin is Origin.BOUNDED


def test_a_condition_that_a_call_knows_gives_its_branch() -> None:
    """The value of the argument decides, and the figures are derived."""
    s, out = branches()
    script = s.script([out])
    last = script.events[-1]
    known = replace(last, shapes=replace(s.table(), values={0: 1}))
    profile = simulate(replace(script, events=(*script.events[:-1], known)), EXACT).functions[0]
    assert (profile.figures.live_peak_bytes, profile.origin) == (4 * (1 + 100), Origin.DERIVED)
    assert profile.order == (0, 2)

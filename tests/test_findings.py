"""What a rule says: places, orders of badness and of certainty."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest

from theanodiag.errors import Span
from theanodiag.findings import Confidence, Disposition, Edit, Figures, Finding, Fix, Location, Severity, Skipped

TEXT = "[global]\ndevice = gpu\n"


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (Location("a.py"), "a.py"),
        (Location("a.py", 3), "a.py:3"),
        (Location("a.py", 3, 7), "a.py:3:7"),
        (Location("THEANO_FLAGS", None, 7), "THEANO_FLAGS:7"),
        (Location("a.py", 3, None, "train"), "a.py:3"),
        (Location("a.py", 0, 0), "a.py:0:0"),
    ],
    ids=str,
)
def test_a_place_is_written_with_what_is_known_of_it(place: Location, expected: str) -> None:
    """The detail is for programs."""
    assert str(place) == expected


@pytest.mark.parametrize(("start", "line", "column"), [(0, 1, 1), (9, 2, 1), (18, 2, 10), (len(TEXT), 3, 1)])
def test_the_place_of_a_span_is_its_start(start: int, line: int, column: int) -> None:
    """Lines and columns count from 1."""
    assert Location.of(Span(".theanorc", TEXT, start, start + 1)) == Location(".theanorc", line, column)


def test_badness_can_be_compared() -> None:
    """So that `--fail-on warning` is a threshold."""
    assert sorted([Severity.ERROR, Severity.INFO, Severity.WARNING]) == [Severity.INFO, Severity.WARNING, Severity.ERROR]


def test_certainty_can_be_compared() -> None:
    """What was measured is surest."""
    assert max(Confidence) is Confidence.MEASURED
    assert min(Confidence) is Confidence.GUESSED
    assert Confidence.BOUNDED < Confidence.DERIVED


def test_a_fix_is_not_written_without_being_asked_for() -> None:
    """Safe is what says so."""
    assert Fix("x").disposition is Disposition.UNSAFE
    assert Fix("x").edits == ()


@pytest.mark.parametrize(
    "thing",
    [Location("a"), Edit("a", 0, 1, ""), Fix("x"), Figures(1, 2, 3, 4), Skipped("a", "b")],
    ids=lambda t: type(t).__name__,
)
def test_findings_are_values(thing: object) -> None:
    """They can be compared and put in sets, and not be changed."""
    name = next(iter(vars(thing)))
    assert len({thing, thing}) == 1
    with pytest.raises(FrozenInstanceError):
        setattr(thing, name, None)


def test_equal_findings_are_equal() -> None:
    """Two runs over one text find the same."""
    first, second = (Finding("TD301", Severity.ERROR, Confidence.DERIVED, "m", Location("a.py", 3)) for _ in range(2))
    assert first == second
    assert first != Finding("TD302", Severity.ERROR, Confidence.DERIVED, "m", Location("a.py", 3))

"""Which findings are shown, in which order, and which are kept as ignored."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.errors import UsageError
from theanodiag.findings import Confidence, Cost, Finding, Location, Results, Saving, Severity
from theanodiag.porting.model import Ignore
from theanodiag.rules.selection import Selection, codes, ranked, sort_out


def finding(code: str, line: int | None = 3, severity: Severity = Severity.INFO, saves: Saving | None = None) -> Finding:
    """One of that code at a line of model.py."""
    return Finding(code, severity, Confidence.DERIVED, "x", Location("model.py", line), saves=saves)


@pytest.mark.parametrize(
    ("select", "ignore", "shown"),
    [
        ("", "", {"TD301", "TD501", "TD502"}),
        ("TD5", "", {"TD501", "TD502"}),
        ("", "TD5", {"TD301"}),
        ("TD5", "TD501", {"TD502"}),
        ("TD501,TD3", "TD5", {"TD301", "TD501"}),
        ("td301", "", {"TD301"}),
    ],
)
def test_select_and_ignore(select: str, ignore: str, shown: set[str]) -> None:
    """Beginnings of codes will do, and the longer one decides."""
    wanted = Selection(codes(select, "--select"), codes(ignore, "--ignore"))
    found = sort_out(map(finding, ("TD301", "TD501", "TD502")), wanted, {})
    assert {f.code for f in found.shown} == shown
    assert len(found.shown) + len(found.ignored) == 3


def test_an_unknown_code_is_refused_with_a_suggestion() -> None:
    """A slip of the keyboard names what was meant."""
    with pytest.raises(UsageError, match="TD51O") as error:
        codes("TD301,TD51O", "--select")
    assert "did you mean TD" in str(error.value)


def test_comments_silence_and_idle_ones_are_told() -> None:
    """The reason goes into the report; what silences nothing is kept apart."""
    hit, idle = Ignore(3, ("TD501",), "small", False, False), Ignore(9, ("TD5",), "", False, False)
    found = sort_out([finding("TD501"), finding("TD502")], Selection(), {"model.py": (hit, idle)})
    assert [f.code for f in found.shown] == ["TD502"]
    assert [(f.code, why) for f, why in found.ignored] == [("TD501", "model.py:3: small")]
    assert found.unused == (("model.py", idle),)


def test_a_comment_about_codes_that_are_left_out_is_not_judged() -> None:
    """It may be needed when they are asked for."""
    idle = Ignore(9, ("TD501",), "", False, False)
    assert sort_out([], Selection(ignore=("TD5",)), {"model.py": (idle,)}).unused == ()


def test_order_is_by_severity_then_bytes_then_seconds() -> None:
    """What saves nothing comes last among its equals."""
    rows = [
        finding("TD1"),
        finding("TD2", saves=Saving(0, 0.5)),
        finding("TD3", saves=Saving(10, 0.0)),
        finding("TD4", severity=Severity.ERROR),
        finding("TD5", saves=Saving(10, 0.1)),
    ]
    assert [f.code for f in sort_out(rows, Selection(), {}).shown] == ["TD4", "TD5", "TD3", "TD2", "TD1"]


def test_a_bounded_cure_is_a_remark_beside_an_exact_one() -> None:
    """It stays a warning where there is no exact one; what cures nothing keeps its place."""
    bounded = replace(finding("TD1", severity=Severity.WARNING, saves=Saving(20)), confidence=Confidence.BOUNDED, cures=True)
    exact = replace(finding("TD2", severity=Severity.WARNING, saves=Saving(10)), cures=True)
    other = finding("TD3", severity=Severity.WARNING, saves=Saving(5))
    assert [(f.code, f.severity) for f in ranked((bounded, exact, other))] == [
        ("TD2", Severity.WARNING), ("TD3", Severity.WARNING), ("TD1", Severity.INFO),
    ]  # fmt: skip
    assert [f.code for f in ranked((other, bounded))] == ["TD1", "TD3"]


def test_plans_with_the_same_results_come_before_those_that_change_them() -> None:
    """Another order of evaluation before a smaller batch, though it costs time; that before worse results. First of all float32: float64 is
    what a script has that does not set it.
    """
    less = Results.LESS_PRECISE
    costs = {"TD303": Results.TRAINED_OTHERWISE, "TD325": Results.SAME, "TD328": Results.APPROXIMATE, "TD308": less, "TD401": less}
    cures = [replace(finding(code, severity=Severity.WARNING), cures=True, cost=Cost(results)) for code, results in costs.items()]
    assert [f.code for f in ranked(cures)] == ["TD401", "TD325", "TD303", "TD328", "TD308"]

"""TD302: when the peak is worth a word, and what is live there."""

from __future__ import annotations

import pytest

from tests.rules.scripts import findings, only, placed
from theanodiag.findings import Confidence, Severity
from theanodiag.ir import Site
from theanodiag.rules.examples import device, dot_script, subject

SCRIPT = dot_script(100, 2000)
PEAK = 2000 * 2000 * 4 + 2 * (100 * 2000 * 4)
"""W, x and their product."""


def test_half_of_the_device_decides() -> None:
    """On the byte: a peak of just one half is named, below it nothing is."""
    assert len(findings("TD302", subject(SCRIPT, device(2 * PEAK)))) == 1
    assert findings("TD302", subject(SCRIPT, device(2 * PEAK + 1))) == []


def test_peak_and_its_parts() -> None:
    """16.8 MiB are W of 15.3 MiB and twice 781.2 KiB, largest first."""
    found = only("TD302", subject(SCRIPT, device(2 * PEAK)))
    head, _, parts = found.message.partition(": ")
    assert head == "at the peak of predict (16.8 MiB)"
    first, *others = parts.split("; ")
    assert first == "W float32 (2000, 2000) 15.3 MiB shared"
    assert sorted(others) == ["GpuDot22 float32 (100, 2000) 781.2 KiB intermediate", "x float32 (100, 2000) 781.2 KiB input"]


@pytest.mark.parametrize(("rows", "columns", "place"), [(10, 1000, 0), (100, 100, None), (3000, 100, 2)], ids=["weights", "equal", "rows"])
def test_largest_comes_first(rows: int, columns: int, place: int | None) -> None:
    """W stands where its size puts it: before two smaller arrays, or behind two larger ones."""
    found = only("TD302", subject(dot_script(rows, columns), device(100_000)))
    names = [part.split()[0] for part in found.message.partition(": ")[2].split("; ")]
    assert sorted(names) == ["GpuDot22", "W", "x"]
    assert place is None or names[place] == "W"


@pytest.mark.parametrize(
    ("shared", "function", "place"),
    [(Site("net.py", 3), Site("net.py", 9), "net.py:3"), (None, Site("net.py", 9), "net.py:9"), (None, None, "model.py")],
    ids=["the largest", "the function", "the script"],
)
def test_place_is_the_nearest_known(shared: Site | None, function: Site | None, place: str) -> None:
    """Line of the largest buffer, else of the function, else the script."""
    found = only("TD302", subject(placed(SCRIPT, shared=shared, function=function), device(2 * PEAK)))
    assert str(found.location) == place
    assert (found.severity, found.confidence) == (Severity.INFO, Confidence.DERIVED)


@pytest.mark.parametrize("called", [True, False], ids=["on the host", "never called"])
def test_no_device_or_no_call(called: bool) -> None:
    """The host has no half, and a function that was not called no peak."""
    s = subject(SCRIPT) if called else subject(dot_script(100, 2000, called=False), device(PEAK))
    assert findings("TD302", s) == []

"""A pytest marker: `@pytest.mark.memory("2GiB")` fails a test in which an estimate exceeds the budget.

    @pytest.mark.memory("2GiB")
    def test_model():
        theanodiag.estimate(make_model(), draws=2000, chains=4)

pytest loads it where theanodiag is installed; `-p no:theanodiag` leaves it out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from .jobs.estimate import ModelEstimate
    from .jobs.estimate_function import Estimate


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker with pytest."""
    config.addinivalue_line("markers", "memory(budget): fails where an estimate of theanodiag within the test needs more than the budget")


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a marked test and compares its estimates with the budget; leaves other tests to pytest."""
    marker = pyfuncitem.get_closest_marker("memory")
    return None if marker is None else _held(pyfuncitem, marker)


def _held(item: pytest.Function, marker: pytest.Mark) -> bool:
    import pytest

    from .jobs.estimate import watched
    from .units import format_bytes, parse_bytes

    if len(marker.args) != 1 or marker.kwargs:
        pytest.fail('the marker takes a budget: memory("2GiB")', pytrace=False)
    try:
        budget = parse_bytes(marker.args[0])
    except ValueError as error:
        pytest.fail(f"the marker's budget is {error}", pytrace=False)
    with watched() as estimates:
        item.obj(**{name: item.funcargs[name] for name in item._fixtureinfo.argnames})
    if not estimates:
        pytest.fail("the test has a memory budget, but made no estimate", pytrace=False)
    worst = max(estimates, key=lambda e: e.peak_bytes)
    if worst.peak_bytes > budget:
        message = f"{format_bytes(worst.peak_bytes)} are more than the budget of {format_bytes(budget)}"
        pytest.fail("\n".join((message, *_advice(worst), repr(worst))), pytrace=False)
    return True


def _advice(estimate: Estimate | ModelEstimate) -> Iterator[str]:
    """Yields lines with the changes that would lower the peak, each with the bytes that it leaves, and the findings' notes."""
    from .units import format_bytes

    for finding in estimate.report.findings:
        if finding.fix is not None and finding.after is not None:
            after = format_bytes(finding.after.live_peak_bytes)
            yield f"{finding.code}: {after} after this: {finding.fix.title} {finding.fix.code or ''}".rstrip()
        yield from (f"    {note}" for note in finding.notes)

"""A pytest marker: `@pytest.mark.memory("2GiB")` fails a test in which an estimate exceeds the budget.

    @pytest.mark.memory("2GiB")
    def test_model():
        theanodiag.estimate(make_model(), draws=2000, chains=4)

pytest loads it where theanodiag is installed; `-p no:theanodiag` leaves it out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest

    from .jobs.estimate import ModelEstimate
    from .jobs.estimate_function import Estimate


def pytest_configure(config: pytest.Config) -> None:
    """Registers the marker with pytest."""
    config.addinivalue_line("markers", "memory(budget): fails where an estimate of theanodiag within the test needs more than the budget")


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Makes a marked test of any kind (a function, a method of a `unittest.TestCase`) compare its estimates with the budget."""
    marker = item.get_closest_marker("memory")
    if marker is None:
        return
    run = item.runtest

    def runtest() -> None:
        item.runtest = run  # type: ignore[method-assign]  # a test that is run again is set up again
        _hold(run, marker)

    item.runtest = runtest  # type: ignore[method-assign]


def _hold(run: Callable[[], None], marker: pytest.Mark) -> None:
    """Runs a test; fails it if an estimate exceeds the budget, or is only a lower bound."""
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
        run()
    if not estimates:
        pytest.fail("the test has a memory budget, but made no estimate", pytrace=False)
    worst = max(estimates, key=lambda e: e.peak_bytes)
    if worst.peak_bytes > budget:
        message = f"{format_bytes(worst.peak_bytes)} are more than the budget of {format_bytes(budget)}"
        pytest.fail("\n".join((message, *_advice(worst), repr(worst))), pytrace=False)
    for estimate in estimates:
        if names := _unknown(estimate):
            message = f"it is not known whether the budget is enough: the size of {names} is unknown"
            pytest.fail(f"{message}\n{estimate!r}", pytrace=False)


def _unknown(estimate: Estimate | ModelEstimate) -> str:
    """The names of the sizes that an estimate could not determine, which make it a lower bound; empty if it has all."""
    from .jobs.estimate import ModelEstimate

    names = estimate.call.profile.unknown if isinstance(estimate, ModelEstimate) else [v.variable for v in estimate.unknown]
    return ", ".join(sorted(set(names)))


def _advice(estimate: Estimate | ModelEstimate) -> Iterator[str]:
    """Yields lines with the changes that would lower the peak, each with the bytes that it leaves, and the findings' notes."""
    from .units import format_bytes

    for finding in estimate.report.findings:
        if finding.fix is not None and finding.after is not None:
            after = format_bytes(finding.after.live_peak_bytes)
            yield f"{finding.code}: {after} after this: {finding.fix.title} {finding.fix.code or ''}".rstrip()
        yield from (f"    {note}" for note in finding.notes)

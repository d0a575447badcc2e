"""A marker for pytest: `@pytest.mark.memory("2GiB")` fails a test in which an estimate needs more.

    @pytest.mark.memory("2GiB")
    def test_model():
        theanodiag.estimate(make_model(), draws=2000, chains=4)

pytest loads it where theanodiag is installed; `-p no:theanodiag` leaves it out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pytest


def pytest_configure(config: pytest.Config) -> None:
    """Tells pytest of the marker."""
    config.addinivalue_line("markers", "memory(budget): fails where an estimate of theanodiag within the test needs more than the budget")


def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a marked test, and holds its estimates against the budget; leaves others to pytest."""
    marker = pyfuncitem.get_closest_marker("memory")
    return None if marker is None else _held(pyfuncitem, marker)


def _held(item: pytest.Function, marker: pytest.Mark) -> bool:
    import pytest

    from .jobs.estimate import watched
    from .units import format_bytes, parse_bytes

    if len(marker.args) != 1 or marker.kwargs:
        pytest.fail('the marker takes a budget: memory("2GiB")', pytrace=False)
    budget = parse_bytes(marker.args[0])
    with watched() as made:
        item.obj(**{name: item.funcargs[name] for name in item._fixtureinfo.argnames})
    if not made:
        pytest.fail("the test is marked with a budget of memory, and made no estimate", pytrace=False)
    worst = max(made, key=lambda e: e.peak_bytes)
    if worst.peak_bytes > budget:
        pytest.fail(f"{format_bytes(worst.peak_bytes)} are more than {format_bytes(budget)}\n{worst!r}", pytrace=False)
    return True

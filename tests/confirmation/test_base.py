"""Which device is taken, and how its absence is told."""

from __future__ import annotations

import pytest

from theanodiag.confirmation.available import Probe, choose
from theanodiag.confirmation.compiled import HostDevice
from theanodiag.confirmation.model import ConfirmDevice
from theanodiag.errors import UsageError

HOST = HostDevice()


def there_is(*kinds: str) -> Probe:
    """A probe that knows these kinds."""

    def probe(kind: str) -> ConfirmDevice | str:
        return HOST if kind in kinds else f"no {kind} here"

    return probe


def test_the_best_one_there_is() -> None:
    """Better ones that are not there are named with the reason."""
    found = choose(None, ("cuda", "virtual", "cpu"), there_is("virtual", "cpu"))
    assert found == (HOST, (("cuda", "no cuda here"),))


def test_the_one_asked_for_goes_first() -> None:
    """Also where it is not the best."""
    assert choose("opencl", ("cuda", "cpu"), there_is("cuda", "opencl")) == (HOST, ())


def test_the_next_best_stands_in_and_the_missing_one_is_named() -> None:
    """Never silently."""
    found = choose("cuda", ("cuda", "cpu"), there_is("cpu"))
    assert found[1] == (("cuda", "no cuda here"),)


def test_an_unknown_kind_is_a_usage_error() -> None:
    """The help names those there are."""
    with pytest.raises(UsageError, match="there is no device to confirm on named 'tpu'") as caught:
        choose("tpu", (), there_is())
    assert "virtual" in (caught.value.help or "")


def test_nothing_at_all() -> None:
    """All reasons are told."""
    with pytest.raises(UsageError, match="cuda: no cuda here; cpu: no cpu here"):
        choose(None, ("cuda", "cpu"), there_is())

"""Devices: named cards, sizes, and what is left of them for arrays."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.devices import CARDS, HOST, by_name, with_overhead
from theanodiag.devices.profile import condition
from theanodiag.errors import UsageError
from theanodiag.units import GIB, MIB


def test_k520_has_the_size_that_its_driver_reports() -> None:
    """The card of an AWS g2.2xlarge is known by the figure in its error messages."""
    assert by_name("K520").total_bytes == 4294770688


def test_every_card_is_found_by_its_name() -> None:
    """Names are case-blind, and spaces and underscores do as hyphens."""
    for name, card in CARDS.items():
        assert by_name(name.upper().replace("-", " ")) is card


def test_a_size_is_a_device() -> None:
    """`--gpu 4GiB` is a device of that many bytes with the default context."""
    device = by_name("4 GiB")
    assert device.total_bytes == 4 * GIB
    assert device.available_bytes == 4 * GIB - device.context.bytes


def test_a_pool_takes_no_more_than_the_context_leaves() -> None:
    """XLA asks for three quarters of the card, and for less where the driver has less beside the context."""
    small, large = by_name("512MiB"), by_name("8GiB")
    assert replace(small, pool_bytes=384 << 20).available_bytes == (512 << 20) - small.context.bytes
    assert replace(large, pool_bytes=6 * GIB).available_bytes == 6 * GIB
    assert replace(large, free_bytes=GIB, pool_bytes=6 * GIB).available_bytes == GIB


@pytest.mark.parametrize(("left", "said"), [(0, True), (150 * MIB - 1, True), (150 * MIB, False), (-1, False)])
def test_what_fits_only_beside_the_assumed_context(left: int, said: bool) -> None:
    """A context takes up to 150 MiB more than is assumed; one of known size is no condition."""
    device = by_name("4GiB")
    need = 4 * GIB - device.context.bytes - left
    assert (condition(device, need) is not None) is said
    assert condition(with_overhead(device, device.context.bytes), need) is None


def test_none_is_the_host() -> None:
    """`--gpu none` has no size, so everything fits."""
    assert by_name("none") is HOST
    assert HOST.available_bytes is None


def test_overhead_is_replaced_on_request() -> None:
    """`--device-overhead 0` leaves the whole card to the arrays."""
    device = with_overhead(by_name("k520"), 0)
    assert device.available_bytes == device.total_bytes
    assert device.context.origin == "derived"


@pytest.mark.parametrize("text", ["quadro", "", "0", "-4GiB"])
def test_what_is_no_device_is_refused_with_the_known_cards(text: str) -> None:
    """The help names the cards."""
    with pytest.raises(UsageError) as caught:
        by_name(text)
    assert "4GiB" in (caught.value.help or "")


@pytest.mark.parametrize("card", CARDS.values(), ids=lambda c: c.name)
def test_contexts_leave_most_of_each_card(card: object) -> None:
    """No default overhead takes more than a tenth of a card."""
    from theanodiag.devices import DeviceProfile

    assert isinstance(card, DeviceProfile)
    assert card.total_bytes is not None
    assert 0 < card.context.bytes < card.total_bytes / 10

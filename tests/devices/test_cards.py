"""The named cards, against what can be said of all of them."""

from __future__ import annotations

import pytest

from tests.interpreters import ROOT
from theanodiag.devices import CARDS, HOST, Context, DeviceProfile, by_name, with_overhead
from theanodiag.devices.profile import DEFAULT_CONTEXT
from theanodiag.errors import ExitCode, UsageError
from theanodiag.units import GIB, MIB

NAMES = sorted(CARDS)


@pytest.mark.parametrize("name", NAMES)
def test_every_card_says_where_its_figures_are_from(name: str) -> None:
    """And its context is a default as long as nobody measured it."""
    card = CARDS[name]
    assert card.source
    assert card.context.origin == "default"


@pytest.mark.parametrize("name", NAMES)
def test_the_bus_of_every_card_is_given_in_bytes(name: str) -> None:
    """A second, not in gigabytes."""
    card = CARDS[name]
    assert card.bus_bytes_per_second is not None
    assert 1e9 < card.bus_bytes_per_second < 1e12


@pytest.mark.parametrize("name", NAMES)
def test_every_card_runs_libgpuarray(name: str) -> None:
    """Compute capability 2.0 or later."""
    capability = CARDS[name].compute_capability
    assert capability is not None
    assert capability >= (2, 0)


@pytest.mark.parametrize("name", NAMES)
def test_names_are_written_as_on_the_command_line(name: str) -> None:
    """Small letters, digits and hyphens."""
    assert name.replace("-", "").isalnum()
    assert name == name.lower()


def test_no_two_cards_are_one() -> None:
    """Each has a name of its own for people too."""
    assert len({card.name for card in CARDS.values()}) == len(CARDS)


@pytest.mark.parametrize("text", ["  k520 ", "K520", "GTX 1080 Ti", "gtx_1080_ti", "Titan X"])
def test_names_may_be_written_as_people_do(text: str) -> None:
    """Case, spaces and underscores do not matter."""
    assert by_name(text) in CARDS.values()


@pytest.mark.parametrize(
    ("text", "total"),
    [("4GiB", 4 * GIB), ("512 MB", 512_000_000), ("4294770688", 4294770688), ("1.5g", 3 * GIB // 2), (" 2 GiB ", GIB * 2)],
)
def test_a_size_is_a_device_of_that_size(text: str, total: int) -> None:
    """With the default context, and called as the user called it."""
    device = by_name(text)
    assert (device.total_bytes, device.context, device.name) == (total, DEFAULT_CONTEXT, text.strip())


def test_a_device_without_a_byte_is_refused() -> None:
    """The user meant something else."""
    with pytest.raises(UsageError, match="a device of 0 bytes holds nothing") as caught:
        by_name("0 GiB")
    assert caught.value.exit_code == ExitCode.USAGE


class TestAvailable:
    """What the arrays can have."""

    @pytest.mark.parametrize(
        ("total", "context", "free", "expected"),
        [(1000, 300, None, 700), (1000, 300, 650, 650), (1000, 300, 0, 0), (100, 300, None, 0), (None, 0, None, None)],
        ids=["less the context", "free as measured", "nothing free", "too small", "host"],
    )
    def test_free_memory_comes_before_arithmetic(self, total: int | None, context: int, free: int | None, expected: int | None) -> None:
        """What the driver says is right; never below nothing."""
        assert DeviceProfile("d", total, Context(context, "default"), free).available_bytes == expected

    def test_an_overhead_leaves_all_else(self) -> None:
        """Only the context is another."""
        card = CARDS["k80"]
        other = with_overhead(card, 5 * MIB)
        assert other.context == Context(5 * MIB, "derived")
        assert (other.name, other.total_bytes, other.compute_capability) == (card.name, card.total_bytes, card.compute_capability)

    def test_only_the_host_is_the_host(self) -> None:
        """A device has a size."""
        assert HOST.is_host
        assert not any(card.is_host for card in CARDS.values())


def test_the_documents_list_every_card() -> None:
    """Where `--gpu` is explained."""
    text = (ROOT / "docs" / "check.md").read_text(encoding="utf-8")
    assert [name for name in NAMES if f"`{name}`" not in text] == []

"""What `--gpu` takes: cards however they are written, sizes with a unit, and a question where neither is sure."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.devices import CARDS, by_name, card_of, option_of
from theanodiag.errors import UsageError


@pytest.mark.parametrize(
    ("text", "card"),
    [("gtx1080", "gtx-1080"), ("GTX 1080 Ti", "gtx-1080-ti"), ("Tesla K80", "k80"), ("nvidia_geforce_gtx_980", "gtx-980"), ("T4", "t4")],
)
def test_a_card_in_other_words(text: str, card: str) -> None:
    """The maker's words, blanks, dashes and case do not matter."""
    assert by_name(text) == CARDS[card]


@pytest.mark.parametrize(
    ("text", "near"),
    [("1080", "gtx-1080 or gtx-1080-ti"), ("a100", "a100-40 or a100-80"), ("v100", "v100-16 or v100-32"), ("gtx 1080ti super", "gtx-1080")],
)
def test_what_is_not_sure_is_asked(text: str, near: str) -> None:
    """A number without a unit is no device of so many bytes, and an unknown card has neighbours."""
    with pytest.raises(UsageError) as caught:
        by_name(text)
    assert f"did you mean {near}" in (caught.value.help or "")


def test_sizes() -> None:
    """A bare letter is binary, as in 4GiB; GB is a power of ten; many bytes need no unit."""
    sizes = [by_name(text).total_bytes for text in ("4G", "4GiB", "4 gib", "4GB", "4294967296")]
    assert sizes == [1 << 32, 1 << 32, 1 << 32, 4_000_000_000, 1 << 32]


@pytest.mark.parametrize(
    ("text", "card"),
    [
        ("GeForce GTX 960", "gtx-960"),
        ("k20", "k20"),
        ("3090 ti rtx", None),
        ("TITAN RTX", "titan-rtx"),
        ("Quadro RTX 6000", "quadro-rtx-6000"),
        ("RTX 6000 Ada Generation", "rtx-6000-ada"),
        ("Quadro 6000", "quadro-6000"),
        ("Quadro M6000", "m6000"),
        ("Quadro M6000 24GB", "m6000-24"),
        ("v100-32gb", "v100-32"),
        ("Tesla V100S-PCIE-32GB", "v100s"),
        ("Tesla K20Xm", "k20x"),
        ("Tesla K10.G2.8GB", "k10"),
        ("NVIDIA GH200 480GB", "gh200"),
        ("NVIDIA H100 NVL", "h100-nvl"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", None),
        ("GeForce GTX 960 4GB", None),
        ("GeForce RTX 2070 with Max-Q Design", "rtx-2070"),
        ("NVIDIA GeForce RTX 3080 Laptop GPU", "rtx-3080-laptop"),
        ("GeForce 840M", "geforce-840m"),
    ],
)
def test_a_card_as_its_driver_calls_it(text: str, card: str | None) -> None:
    """A card whose name only begins as that of a known one is another one; a part of a card has less memory."""
    if card is None:
        with pytest.raises(UsageError, match="not a card or a size") as caught:
            by_name(text)
        assert "such as 4096MiB" in (caught.value.help or "")
    else:
        assert by_name(text) is CARDS[card]


def test_a_number_with_a_unit_is_a_size() -> None:
    """And no card of that name: there is a GeForce 840M."""
    assert by_name("840M").total_bytes == 840 << 20


def test_every_card_is_found_by_the_name_that_is_shown() -> None:
    """So what a report prints may be given to `--gpu`."""
    assert [key for key, card in CARDS.items() if card_of(card.name, None) is not card or by_name(option_of(card)) is not card] == []


def test_the_option_of_an_unknown_card_is_its_size() -> None:
    """What is told to be typed is accepted."""
    assert option_of(replace(by_name("3GiB"), name="GeForce GT 630")) == "3221225472B"

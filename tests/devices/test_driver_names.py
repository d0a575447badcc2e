"""The names that drivers give to cards."""

from __future__ import annotations

import pytest

from theanodiag.devices import CARDS, card_of


@pytest.mark.parametrize(
    ("name", "total", "card"),
    [
        ("GRID K520", None, "k520"),
        ("Tesla K80", None, "k80"),
        ("Tesla K40c", None, "k40"),
        ("Tesla K40m", 11995578368, "k40"),
        ("GeForce GTX TITAN X", None, "titan-x"),
        ("GeForce GTX TITAN", None, "titan"),
        ("TITAN X (Pascal)", None, "titan-x-pascal"),
        ("NVIDIA TITAN Xp", None, "titan-xp"),
        ("NVIDIA A100-SXM4-40GB", None, "a100-40"),
        ("NVIDIA A100 80GB PCIe", None, "a100-80"),
        ("NVIDIA A100", 84_900_000_000, "a100-80"),
        ("Tesla P100-PCIE-16GB", None, "p100"),
        ("Tesla V100-SXM2-32GB", None, "v100-32"),
        ("NVIDIA H100 80GB HBM3", None, "h100-80"),
        ("NVIDIA GeForce RTX 3090", None, "rtx-3090"),
        ("GeForce GTX 1060 6GB", None, "gtx-1060"),
        ("NVIDIA L4", 23_000_000_000, "l4"),
    ],
)
def test_a_card_is_known(name: str, total: int | None, card: str) -> None:
    """With the maker's words, the plug and the memory around its name."""
    assert card_of(name, total) is CARDS[card]


@pytest.mark.parametrize(
    ("name", "total"),
    [
        ("NVIDIA A100", None),
        ("GeForce GTX 980 Mini", None),
        ("GeForce GTX 960 4GB", None),
        ("NVIDIA TITAN Y", None),
        ("GeForce GTX 970", 6 << 30),
        ("4GiB", None),
        ("", None),
    ],
)
def test_a_card_that_is_like_a_known_one_is_another(name: str, total: int | None) -> None:
    """Another suffix, another memory, or one of two."""
    assert card_of(name, total) is None

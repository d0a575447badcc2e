"""Finds the device that `--gpu` names: a card, or a size."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import UsageError
from ..units import MIB, parse_bytes
from .cards import CARDS
from .profile import DEFAULT_CONTEXT, HOST, PCIE3_X16, DeviceProfile


def by_name(text: str) -> DeviceProfile:
    """The device that `--gpu TEXT` names: `none`, a card such as `k520` or `GTX 1080 Ti`, or a size such as `4GiB`.

    Raises `UsageError`, with the known cards, where it is neither.
    """
    key = text.strip().lower().replace(" ", "-").replace("_", "-")
    if key == "none":
        return HOST
    if key in CARDS:
        return CARDS[key]
    near = _near(key, tuple(CARDS))
    if len(near) == 1 and not key.isdecimal() and _plain(near[0]) == _plain(key):
        return CARDS[near[0]]
    meant = f"did you mean {' or '.join(near)}? " if near else ""
    try:
        total = parse_bytes(text)
    except ValueError:
        known = ", ".join(sorted(CARDS))
        advice = f"{meant}write a size such as 4GiB, none (the host), or a card: {known}"
        raise UsageError(f"not a card or a size: {text!r}", help=advice) from None
    if text.strip().isdecimal() and total < MIB:
        raise UsageError(f"a device of {total} bytes: {text!r} has no unit", help=f"{meant}write a size such as {total}MiB or 4GiB")
    if total <= 0:
        raise UsageError(f"a device of {total} bytes holds nothing", help="write a size such as 4GiB, or none for host memory")
    return DeviceProfile(text.strip(), total, DEFAULT_CONTEXT, bus_bytes_per_second=PCIE3_X16, source="size given by the user")


def option_of(device: DeviceProfile) -> str:
    """What `--gpu` takes for a device that `by_name` found."""
    return next((key for key, card in CARDS.items() if card.name == device.name), device.name)


_MAKERS = ("nvidia", "geforce", "tesla", "quadro")


def _near(key: str, cards: Sequence[str]) -> list[str]:
    """The cards that a name may mean: those with the same letters and digits except the maker's words, else all with the same number."""
    words = [w for w in re.findall(r"[a-z]+|\d+", key) if w not in _MAKERS]
    same = [c for c in cards if _plain(c) == _plain(key)]
    numbers = [w for w in words if w.isdigit() and len(w) > 1]
    if same or not numbers:
        return same
    if words[0].isalpha() and len(words[0]) == 1:  # k80, m2090: the letter is a part of the name
        return sorted(c for c in cards if c.split("-")[0] == "".join(words[:2])) or sorted(c for c in cards if c.startswith(words[0]))
    return sorted(c for c in cards if numbers[0] in re.findall(r"\d+", c))


def _plain(name: str) -> str:
    """A card's name without the maker's words, spaces and hyphens: `Tesla K80` and `k80` give the same."""
    return "".join(w for w in re.findall(r"[a-z]+|\d+", name) if w not in _MAKERS)

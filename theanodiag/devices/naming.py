"""Finds the device that `--gpu` names: a card, or a size."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ..errors import UsageError
from ..units import GIB, MIB, parse_bytes
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
    called = card_of(text, None)
    if called is not None:
        return called
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


def card_of(name: str, total: int | None) -> DeviceProfile | None:
    """The card that a driver calls `name`, such as `Tesla V100-SXM2-32GB`; None where it is not known for sure.

    Of two of one name that of `total` bytes, or as many as the name says.
    """
    words = set(_words(name))
    stated = re.search(r"(\d+) ?gb", name.lower())
    size = total or (int(stated[1]) * GIB if stated else None)
    aside = _ASIDE | set(filter(str.isdecimal, words)) | ({"c", "m"} if "tesla" in words else set())
    cores = {key: set(_words(key.removesuffix(f"-{(card.total_bytes or 0) // GIB}"))) for key, card in CARDS.items()}
    said = [key for key, core in cores.items() if core <= words and words - core <= aside]
    most = max((len(cores[key]) for key in said), default=0)
    found = [CARDS[key] for key in said if len(cores[key]) == most]
    if size is not None:
        found = [card for card in found if abs((card.total_bytes or 0) - size) <= NEAR * size]
    return found[0] if len(found) == 1 else None


def option_of(device: DeviceProfile) -> str:
    """What `--gpu` takes for a device that `by_name` found."""
    return next((key for key, card in CARDS.items() if card.name == device.name), device.name)


NEAR = 0.12
"""How far a card's memory may be from what is said of it: ECC takes a part, and names round."""
_MAKERS = ("nvidia", "geforce", "tesla", "quadro")
_ASIDE = frozenset((*_MAKERS, "grid", "rtx", "gtx", "gb", "pcie", "sxm", "hbm"))
"""What drivers add to the name of a card that is still the same one: makers, how it is plugged in, and its memory."""


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


def _words(name: str) -> list[str]:
    """The words and numbers of a card's name."""
    return re.findall(r"[a-z]+|\d+", name.lower())


def _plain(name: str) -> str:
    """A card's name without the maker's words, spaces and hyphens: `Tesla K80` and `k80` give the same."""
    return "".join(w for w in _words(name) if w not in _MAKERS)

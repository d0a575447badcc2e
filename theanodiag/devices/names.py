"""The names that `--gpu` accepts, and the names by which drivers call these cards."""

from __future__ import annotations

import difflib
import functools
import re

from ..errors import UsageError
from ..units import GIB, MIB, parse_bytes
from .cards import CARDS, PCIE3_X16
from .profile import DEFAULT_CONTEXT, HOST, DeviceProfile

NEAR = 0.12
"""Allowed relative deviation of a card's memory from its nominal size: ECC reserves a part, and names are rounded."""
MOST = 6
"""Maximum number of similar names listed in an error message."""
_MEMORY = re.compile(r"(?<![\d.])(\d+) ?gi?b\b")
_ASIDE = re.compile(
    r"\b(?:nvidia|corporation|geforce|tesla|grid|pcie|sxm\d?|hbm\d?e?|dgxs|mxm|fhhl|gpu|generation|with|design|max[ -]?q)\b|"
    r"\(one (?:half|quarter)\)"
)
"""What drivers add to the name of a card that is still the same one: the maker, how it is plugged in. A Max-Q card has the memory of the
card that it is named after."""
_OTHER_NAMES = {"k10 g1 8gb": "k10", "k10 g2 8gb": "k10", "k20xm": "k20x", "gh200 480gb": "gh200"}
"""Names that drivers print, without the maker -> the card, where the rules below do not lead to it."""


def by_name(text: str) -> DeviceProfile:
    """The device for `--gpu TEXT`: `none`, a size such as `4GiB`, or a card by its name in the table or in the driver.

    Raises `UsageError`, with similar names if there are any, where it is none of these.
    """
    key = text.strip().lower().replace(" ", "-").replace("_", "-")
    if key == "none":
        return HOST
    if key in CARDS:
        return CARDS[key]
    try:
        total = parse_bytes(text)
    except ValueError:
        card = card_of(text, None)
        if card is not None:
            return card
        near = _similar(key)
        suggestion = f"did you mean {' or '.join(near)}? " if near else ""
        names = "" if near else ", or the name of a known card, such as t4 or 'GeForce GTX 1080'"
        advice = f"{suggestion}give the memory that nvidia-smi prints for it, such as 4096MiB or 4GiB, none (the host){names}"
        raise UsageError(f"not a card or a size: {text!r}", help=advice) from None
    if text.strip().isdecimal() and total < MIB:
        near = _similar(key)
        suggestion = f"did you mean {' or '.join(near)}? " if near else ""
        raise UsageError(f"a device of {total} bytes: {text!r} has no unit", help=f"{suggestion}write a size such as {total}MiB or 4GiB")
    if total <= 0:
        raise UsageError(f"a device of {total} bytes holds nothing", help="write a size such as 4GiB, or none for host memory")
    return DeviceProfile(text.strip(), total, DEFAULT_CONTEXT, bus_bytes_per_second=PCIE3_X16, source="size given by the user")


def card_of(name: str, total: int | None) -> DeviceProfile | None:
    """The card that a driver calls `name`, such as `Tesla V100-SXM2-32GB`; None if it is not known with certainty.

    Of cards of one name the one with `total` bytes, or with as many as the name says; where neither is known, the one whose key says none.
    """
    lower = name.lower().replace("_", " ")
    other = _OTHER_NAMES.get(" ".join(re.findall(r"[a-z\d]+", _ASIDE.sub(" ", lower))))
    if other is not None:
        return CARDS[other]
    words = words_of(name)
    keys = _by_words().get(words) or _by_words().get(_without_cooling(words), [])
    stated = _MEMORY.search(lower)
    size = total or (int(stated[1]) * GIB if stated else None)
    if size is not None:
        keys = [key for key in keys if abs((CARDS[key].total_bytes or 0) - size) <= NEAR * size]
    if len(keys) > 1:
        keys = [key for key in keys if words[-len(_words(key)) :] == _words(key)]
    return CARDS[keys[0]] if len(keys) == 1 else None


def option_of(device: DeviceProfile) -> str:
    """The `--gpu` value for a device: the key of its card, else its size."""
    key = next((key for key, card in CARDS.items() if card.name == device.name), None)
    if key is not None or device.total_bytes is None:
        return key or device.name
    try:
        by_name(device.name)
    except UsageError:
        return f"{device.total_bytes}B"
    return device.name


def words_of(name: str) -> tuple[str, ...]:
    """The words and numbers of a card's name without manufacturer, connector and memory: `("v", "100")` for `Tesla V100-SXM2-32GB`."""
    return _words(_MEMORY.sub(" ", _ASIDE.sub(" ", name.lower().replace("_", " "))))


def _words(text: str) -> tuple[str, ...]:
    return tuple(re.findall(r"[a-z]+|\d+", text))


def _without_cooling(words: tuple[str, ...]) -> tuple[str, ...]:
    """`k40` of `k40c` and `k40m`: an actively or a passively cooled card. A laptop's card, such as `k1100m`, is another one."""
    return words[:-1] if len(words) == 3 and words[2] in ("c", "m") and len(words[1]) == 2 else words


@functools.cache
def _by_words() -> dict[tuple[str, ...], list[str]]:
    """Words of a card's key or of its name -> keys of the cards that are called so."""
    keys: dict[tuple[str, ...], list[str]] = {}
    for key, card in CARDS.items():
        for words in {_words(key), words_of(key), words_of(card.name)}:
            keys.setdefault(words, []).append(key)
    return keys


def _similar(key: str) -> list[str]:
    """Keys that were perhaps meant: those with all words of `key`, else with its longest number, after the same letter (`v100`) if any.

    None for a slice of a card (MIG): the whole card has more memory.
    """
    words = words_of(key)
    number = max(filter(str.isdecimal, words), key=len, default="")
    if "mig" in words:
        return []
    same = sorted(c for c in CARDS if words and set(words) <= set(_words(c)))
    if not number:
        return same[:MOST] or difflib.get_close_matches(key, CARDS, MOST, 0.75)
    at = words.index(number)
    part = words[at - 1 : at + 1] if at and len(words[at - 1]) == 1 else (number,)
    return (same or sorted(c for c in CARDS if len(number) > 1 and part in _runs(_words(c), len(part))))[:MOST]


def _runs(words: tuple[str, ...], length: int) -> list[tuple[str, ...]]:
    """All runs of `length` words."""
    return [words[k : k + length] for k in range(len(words) - length + 1)]

"""Names of flags: which flag an entry means to a library, and which one its writer may have meant."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from .model import Dialect, Flag, FlagTable
from .table import load_table, versions


def dotted_name(section: str, option: str) -> str:
    """The dotted name for `[section] option`: `blas.ldflags`; `device` for the section `global`."""
    return option if section in ("global", "") else f"{section}.{option}"


def rc_flag(table: FlagTable, section: str, option: str) -> Flag | None:
    """The flag that `[section] option` sets; the section counts letter by letter, the option in any case."""
    return _rc_index(table).get((section or "global", option.lower()))


def flag_in_default(table: FlagTable, option: str, sections: Mapping[str, int]) -> Flag | None:
    """The flag that an option of `[DEFAULT]` sets: it counts in each section that the file has; `sections` are their places."""
    found = [(sections[f.section], f) for f in elsewhere(table, option) if f.option.lower() == option.lower() and f.section in sections]
    return min(found, key=lambda pair: pair[0])[1] if found else None


def fold(name: str) -> str:
    """A name for comparison: dots, lower case, without the `config.` and `theano.` that people copy from Python."""
    plain = name.strip().replace("__", ".").lower()
    for prefix in ("theano.", "aesara.", "pytensor.", "config."):
        plain = plain[len(prefix) :] if plain.startswith(prefix) else plain
    return plain.replace("global.", "", 1) if plain.startswith("global.") else plain


def same_words(table: FlagTable, name: str) -> Flag | None:
    """The flag whose name consists of the same words as `name`, whatever its case, dots and prefix."""
    return _fold_index(table).get(fold(name))


def same_words_elsewhere(table: FlagTable, name: str) -> Flag | None:
    """As `same_words`, also where the section is named twice or does not belong: `magma.magma.enabled`, `global.x`."""
    return same_words(table, name) or (same_words(table, name.partition(".")[2]) if "." in name else None)


GPU_ONLY = ("gpuarray.", "dnn.", "magma.", "gpuelemwise.", "gpu.", "cuda.")
"""How the names of flags begin that only Theano's GPU back-ends have."""


def elsewhere(table: FlagTable, option: str) -> tuple[Flag, ...]:
    """The flags with this option name, in whatever section; the dotted option of `[dnn] conv.algo_fwd` may bring its own."""
    return _ends(table).get(fold(option), ())


COMMENTED = re.compile(r"(?:^|\.)(?://|/\*|--|<!--|%|!|rem )", re.IGNORECASE)
"""How an option begins that its writer took for a comment: the libraries know `#` and `;` alone."""


def homes(table: FlagTable, name: str) -> tuple[Flag, ...]:
    """The flags that an option in a section without it may be: of the same words, else those with this option's name elsewhere."""
    same = same_words_elsewhere(table, name)
    if same:
        return (same,)
    return elsewhere(table, name.partition(".")[2] or name)


@functools.cache
def nearest_ever(name: str) -> Flag | None:
    """The one flag of any dialect and version that differs from `name`, or by its option alone, by a slip of the keyboard."""
    near = {old for _, old in _within(_ever_by_length(), fold(name))}
    return _all_flags()[near.pop()][-1] if len(near) == 1 else None


def nearest(table: FlagTable, name: str) -> tuple[Flag, ...]:
    """The flags whose names differ from `name` by the fewest slips of the keyboard (at most two, and fewer than a third of it)."""
    return _nearest(table, fold(name))


@functools.cache
def _nearest(table: FlagTable, plain: str) -> tuple[Flag, ...]:
    found = sorted(_within(_by_length(table), plain), key=lambda t: (t[0], t[1].name))
    return tuple(f for d, f in found if d == found[0][0])


_Meant = TypeVar("_Meant")
_ByLength = dict[int, list[tuple[str, frozenset[str], _Meant]]]
"""Names, their letters and what they mean, by the length of the name."""


def _within(names: _ByLength[_Meant], plain: str) -> Iterator[tuple[int, _Meant]]:
    """What the names mean that are few enough slips away from `plain`, and how many."""
    limit = min(2, (len(plain) - 1) // 3)
    letters = frozenset(plain)
    for length in range(len(plain) - limit, len(plain) + limit + 1):
        for name, own, meant in names.get(length, ()):
            # A slip changes at most two letters of the sets: most names are put aside by that alone.
            slips = distance(plain, name, limit) if len(letters ^ own) <= 2 * limit else limit + 1
            if slips <= limit:
                yield slips, meant


def _listed(names: Iterable[tuple[str, _Meant]]) -> _ByLength[_Meant]:
    found: _ByLength[_Meant] = {}
    for name, meant in names:
        found.setdefault(len(name), []).append((name, frozenset(name), meant))
    return found


@functools.cache
def _by_length(table: FlagTable) -> _ByLength[Flag]:
    return _listed((fold(f.dotted), f) for f in table.flags)


@functools.cache
def _ever_by_length() -> _ByLength[str]:
    """The names of all dialects and versions, and their options alone."""
    return _listed((end, name) for name in _all_flags() for end in {name, name.rpartition(".")[2]})


@functools.cache
def _ends(table: FlagTable) -> dict[str, tuple[Flag, ...]]:
    """The flags by their options, and by what follows each dot of their names."""
    found: dict[str, tuple[Flag, ...]] = {}
    for f in table.flags:
        parts = f.dotted.lower().split(".")
        for end in dict.fromkeys([f.option.lower(), *(".".join(parts[n:]) for n in range(1, len(parts)))]):
            found[end] = (*found.get(end, ()), f)
    return found


def distance(a: str, b: str, limit: int) -> int:
    """Slips between two texts: a letter added, left out, changed, or swapped with the next; `limit + 1` if there are more.

    >>> distance("flaotx", "floatx", 2), distance("cat", "dogma", 2)
    (1, 3)
    """
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    before, row = [0] * (len(b) + 1), list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        older, before, row = before, row, [i] + [0] * len(b)
        for j, y in enumerate(b, 1):
            row[j] = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                row[j] = min(row[j], older[j - 2] + 1)
        if min(row) > limit and min(before) > limit:
            return limit + 1
    return min(row[-1], limit + 1)


@functools.cache
def _rc_index(table: FlagTable) -> dict[tuple[str, str], Flag]:
    return {(f.section, f.option.lower()): f for f in table.flags}


@functools.cache
def _fold_index(table: FlagTable) -> dict[str, Flag]:
    return {fold(f.dotted): f for f in table.flags}


@functools.cache
def history(folded: str) -> tuple[Flag, ...]:
    """Every flag of any dialect and version with this folded name, oldest dialect and version first."""
    return _all_flags().get(folded, ())


@functools.cache
def _all_flags() -> dict[str, tuple[Flag, ...]]:
    found: dict[str, tuple[Flag, ...]] = {}
    for dialect in Dialect:
        for version in versions(dialect):
            for flag in load_table(dialect, version).flags:
                if flag not in found.get(fold(flag.dotted), ()):
                    found[fold(flag.dotted)] = (*found.get(fold(flag.dotted), ()), flag)
    return found

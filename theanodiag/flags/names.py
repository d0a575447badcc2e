"""Matches names of flags: which flag a name sets in a library, and which flag a misspelled name may mean."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TypeVar

from .defaults import load_table, versions
from .model import Dialect, Flag, FlagTable


def dotted_name(section: str, option: str) -> str:
    """Returns the dotted name of `[section] option`, such as `blas.ldflags`; in the section `global` only the option, such as `device`."""
    return option if section in ("global", "") else f"{section}.{option}"


def rc_flag(table: FlagTable, section: str, option: str) -> Flag | None:
    """Returns the flag that `[section] option` sets, None if there is none. Upper and lower case matter in the section, but not in the
    option.
    """
    return _rc_index(table).get((section or "global", option.lower()))


def flag_in_default(table: FlagTable, option: str, sections: Mapping[str, int]) -> Flag | None:
    """Returns the flag that an option of `[DEFAULT]` sets, None if there is none. The option applies to every section that the file has.

    `sections` maps their names to their positions; the first section takes precedence.
    """
    pairs = [(sections[f.section], f) for f in elsewhere(table, option) if f.option.lower() == option.lower() and f.section in sections]
    return min(pairs, key=lambda pair: pair[0])[1] if pairs else None


def fold(name: str) -> str:
    """Normalises a name for comparison: dots, lower case, without the prefixes `config.` and `theano.` that people copy from Python."""
    plain = name.strip().replace("__", ".").lower()
    for prefix in ("theano.", "aesara.", "pytensor.", "config."):
        plain = plain[len(prefix) :] if plain.startswith(prefix) else plain
    return plain.replace("global.", "", 1) if plain.startswith("global.") else plain


def same_words(table: FlagTable, name: str) -> Flag | None:
    """Returns the flag whose name has the same words as `name`, whatever its case, separators and prefix; None if there is none."""
    return _fold_index(table).get(fold(name))


def same_words_elsewhere(table: FlagTable, name: str) -> Flag | None:
    """Returns the flag that `same_words` finds, also if `name` has a wrong or repeated section: `magma.magma.enabled`, `global.x`."""
    return same_words(table, name) or (same_words(table, name.partition(".")[2]) if "." in name else None)


GPU_ONLY = ("gpuarray.", "dnn.", "magma.", "gpuelemwise.", "gpu.", "cuda.")
"""Prefixes of flags that only Theano's GPU back-ends have."""


def elsewhere(table: FlagTable, option: str) -> tuple[Flag, ...]:
    """Returns the flags with this option name in any section. A dotted option, as in `[dnn] conv.algo_fwd`, may contain a section
    itself.
    """
    return _ends(table).get(fold(option), ())


COMMENTED = re.compile(r"(?:^|\.)(?://|/\*|--|<!--|%|!|rem )", re.IGNORECASE)
"""Matches an option that its writer meant as a comment: the libraries only know `#` and `;`."""


def homes(table: FlagTable, name: str) -> tuple[Flag, ...]:
    """Returns the flags that a name may mean if its section is wrong. If some flag's full name consists of the same words, in another
    section or with other separators, only that flag; otherwise all flags with this option name.
    """
    same = same_words_elsewhere(table, name)
    if same:
        return (same,)
    return elsewhere(table, name.partition(".")[2] or name)


@functools.cache
def nearest_ever(name: str) -> Flag | None:
    """Returns the only flag of any dialect and version that differs from `name`, or whose option differs from it, by a typing error.

    None if there is no such flag, or several.
    """
    near = {old for _, old in _within(_ever_by_length(), fold(name))}
    return _all_flags()[near.pop()][-1] if len(near) == 1 else None


def nearest(table: FlagTable, name: str) -> tuple[Flag, ...]:
    """Returns the flags whose names differ from `name` by the fewest typing errors, if these are at most two, and less than a third of its
    letters.
    """
    return _nearest(table, fold(name))


@functools.cache
def _nearest(table: FlagTable, plain: str) -> tuple[Flag, ...]:
    """As `nearest`, for a name that `fold` returned."""
    pairs = sorted(_within(_by_length(table), plain), key=lambda t: (t[0], t[1].name))
    return tuple(f for d, f in pairs if d == pairs[0][0])


_Meant = TypeVar("_Meant")
_ByLength = dict[int, list[tuple[str, frozenset[str], _Meant]]]
"""Length of a name -> (name, set of its letters, what it means)."""


def _within(names: _ByLength[_Meant], plain: str) -> Iterator[tuple[int, _Meant]]:
    """(distance, meaning) of the names within the allowed number of typing errors of `plain`."""
    limit = min(2, (len(plain) - 1) // 3)
    letters = frozenset(plain)
    for length in range(len(plain) - limit, len(plain) + limit + 1):
        for name, own, meaning in names.get(length, ()):
            # A slip changes at most two letters of the sets: most names are put aside by that alone.
            slips = distance(plain, name, limit) if len(letters ^ own) <= 2 * limit else limit + 1
            if slips <= limit:
                yield slips, meaning


def _listed(names: Iterable[tuple[str, _Meant]]) -> _ByLength[_Meant]:
    """(name, its letters, meaning) of each name, grouped by length of the name."""
    by_length: _ByLength[_Meant] = {}
    for name, meaning in names:
        by_length.setdefault(len(name), []).append((name, frozenset(name), meaning))
    return by_length


@functools.cache
def _by_length(table: FlagTable) -> _ByLength[Flag]:
    """The flags' folded names, grouped by length."""
    return _listed((fold(f.dotted), f) for f in table.flags)


@functools.cache
def _ever_by_length() -> _ByLength[str]:
    """The names of all dialects and versions, and their option names."""
    return _listed((end, name) for name in _all_flags() for end in {name, name.rpartition(".")[2]})


@functools.cache
def _ends(table: FlagTable) -> dict[str, tuple[Flag, ...]]:
    """Option name, and each suffix of a dotted name, in lower case -> the flags that have it."""
    by_end: dict[str, tuple[Flag, ...]] = {}
    for f in table.flags:
        parts = f.dotted.lower().split(".")
        for end in dict.fromkeys([f.option.lower(), *(".".join(parts[n:]) for n in range(1, len(parts)))]):
            by_end[end] = (*by_end.get(end, ()), f)
    return by_end


def distance(a: str, b: str, limit: int) -> int:
    """Returns the Damerau-Levenshtein distance (optimal string alignment) of two texts; `limit + 1` if it is larger than `limit`.

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
    """(section, option in lower case) -> flag."""
    return {(f.section, f.option.lower()): f for f in table.flags}


@functools.cache
def _fold_index(table: FlagTable) -> dict[str, Flag]:
    """Name as `fold` returns it -> flag."""
    return {fold(f.dotted): f for f in table.flags}


@functools.cache
def history(folded: str) -> tuple[Flag, ...]:
    """Returns every definition of the flag with this folded name, over all dialects and versions, oldest first."""
    return _all_flags().get(folded, ())


@functools.cache
def _all_flags() -> dict[str, tuple[Flag, ...]]:
    """Name as `fold` returns it -> every definition of the flag, over all dialects and versions, oldest first."""
    by_name: dict[str, tuple[Flag, ...]] = {}
    for dialect in Dialect:
        for version in versions(dialect):
            for flag in load_table(dialect, version).flags:
                if flag not in by_name.get(fold(flag.dotted), ()):
                    by_name[fold(flag.dotted)] = (*by_name.get(fold(flag.dotted), ()), flag)
    return by_name

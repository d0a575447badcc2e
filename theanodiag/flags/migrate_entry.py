"""Decides what happens to one entry in a migration: it stays unchanged (None), or a `Move` says what replaces it and why."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from .defaults import advice
from .model import Dialect, Flag, FlagKind, FlagNote, FlagTable
from .names import COMMENTED, GPU_ONLY, distance, fold, history, homes, nearest, nearest_ever, same_words_elsewhere
from .translations import Move, is_variable, special
from .values import accepts, correction, split_comment, valid_values

LABELS = {Dialect.THEANO: "Theano", Dialect.AESARA: "Aesara", Dialect.PYTENSOR: "PyTensor"}
"""Names of the libraries for messages."""

_WORD_LISTS = ("blas.ldflags", "gcc.cxxflags")
"""Flags whose text is split at blanks and given to the compiler, so that an inline comment in it breaks every compilation."""

_GPU = "Theano's GPU back-end was removed"
_GROUPS = (
    *((prefix, _GPU) for prefix in (*GPU_ONLY, "force_device", "contexts", "print_active_device")),
    ("nvcc.", "nvcc is not used"),
    ("lib.cnmem", _GPU),
    ("warn.", "the warnings about bugs of old versions were removed"),
    ("compute_test_value", "test values were taken out"),
    ("print_test_value", "test values were taken out"),
)
"""Prefixes of names, and the reason why all such flags are gone."""


def label(table: FlagTable) -> str:
    """Returns the library and version of a table for messages: `Theano 1.0.5`."""
    return f"{LABELS[table.dialect]} {table.version}"


NO_COMPILER = Move("it needs a C++ compiler, and cxx is empty")
"""The Move of a linker that the library refuses without a C++ compiler."""


def needs_compiler(flag: Flag, text: str) -> bool:
    """Returns whether the library accepts this value only if there is a C++ compiler."""
    return bool(flag.without_cxx) and accepts(flag, text) and text not in flag.without_cxx


def was_live(name: str, section: str | None, key: str) -> bool:
    """Returns whether an entry with this spelling set a flag in any version of any of the libraries."""
    if section is None:
        return any(f.name == key for f in history(fold(name)))
    place = (section or "global", key.lower())
    return any((f.section, f.option.lower()) == place for f in history(fold(name)))


def decide(flag: Flag | None, live: bool, name: str, text: str, target: FlagTable, shown: str) -> Move | None:
    """Returns the Move of an entry; None if the entry stays.

    `flag`: the flag that it sets in the target, if any; `live`: whether any version of a library ever read it; `text`: its value after
    interpolation; `shown`: its name for messages, such as `[dnn] conv.algo_fwd`.
    """
    value, comment = split_comment(text)
    move = special(name, value, target) if flag or live else None
    if move:
        return replace(move, comment=comment)
    if flag:
        return _checked(flag, text)
    return _removed(name, text, target) if live else _mistaken(name, text, target, shown)


def _checked(flag: Flag, text: str) -> Move | None:
    """The Move of an entry that sets `flag` of the target: None if the target accepts its text, else a correction or a removal."""
    value, comment = split_comment(text)
    if accepts(flag, text):
        if not comment or flag.dotted not in _WORD_LISTS:
            return None
        # `a ; b` is ambiguous: to Python 2 `; b` was a comment, to Python 3 it is part of the value.
        unsure = comment.startswith(";")
        reason = "a comment after the value would be passed to the compiler"
        return Move(reason, ((flag.dotted, value),), safe=not unsure, comment=comment, stays=unsure)
    message = f"{text!r} is not a value of {flag.dotted}"
    better = correction(flag, text)
    if better is not None:
        return Move(message, ((flag.dotted, better),), comment=comment)
    message = f"{message}, which takes {valid_values(flag)}"
    guess = _near_value(flag, text)
    return Move(message, ((flag.dotted, guess),), safe=False) if guess is not None else Move(message)


def _near_value(flag: Flag, text: str) -> str | None:
    """The only valid value within a typing error of `text`, or for a number flag the fraction that a percentage means; None if there is
    none.
    """
    if flag.kind is FlagKind.FLOAT and text.endswith("%"):
        try:
            return str(float(text[:-1]) / 100)
        except ValueError:
            return None
    near = [c for c in flag.choices if distance(c.lower(), text.lower(), 2) <= min(2, len(c) // 3)]
    return near[0] if flag.kind in (FlagKind.ENUM, FlagKind.MODE) and len(near) == 1 else None


def _removed(name: str, text: str, target: FlagTable) -> Move:
    """How to move a flag that the target does not have: to its successor, or, without one, the reason."""
    known = advice(name) or FlagNote(name)
    flag = target.dotted(name) or (target.dotted(known.successor) if known.successor else None)
    if flag:
        move = _checked(flag, text)
        spelled = f"{label(target)} spells it {flag.name}" if flag.dotted == name else f"{name} is {flag.dotted} in {label(target)}"
        return replace(move, reason=f"{spelled}; {move.reason}") if move else Move(spelled, ((flag.dotted, text),))
    group = next((words for prefix, words in _GROUPS if name.startswith(prefix)), "")
    note = (group if known.successor else "") or known.note or group  # the note is about a successor that the target lacks too
    return Move(f"{name} is not a flag of {label(target)}" + (f": {note}" if note else ""))


def _mistaken(name: str, text: str, target: FlagTable, shown: str) -> Move:
    """The Move of a name that no version knows: it had no effect, so a likely correction is only written with `--unsafe`."""
    if is_variable(name):
        return Move(f"{name} is an environment variable, which cannot be set in a file")
    if COMMENTED.search(name):
        return Move(f"{shown} is not a flag in any version; it seems to be a comment; comments begin with #")
    message = f"{shown} is not a flag in any version" if shown == shown.rstrip() else "the blank before the = is part of the name"
    matches = homes(target, name) if "." in name else ()
    if matches:
        message = f"{shown} is in the wrong section: {label(target)} reads {places(matches)}"
    flag = suggestion(name, target)
    if flag is None:
        old = None if matches else nearest_ever(name)
        return _mistaken_of_old(old, message, text, target) if old else Move(message)
    inner = special(flag.dotted, text, target) or _checked(flag, text)
    writes = inner.writes if inner else ((flag.dotted, text),)
    where = f"[{flag.section}] {flag.option}" if shown.startswith("[") and flag.section != "global" else flag.name
    hint = f"; did you mean {where} = {writes[0][1]}?" if writes else f"; did you mean {where}?"
    return Move(message + hint, writes, safe=False)


def _mistaken_of_old(old: Flag, message: str, text: str, target: FlagTable) -> Move:
    """The Move of a name that differs by a typing error from another version's flag: that flag's Move, written only with `--unsafe`."""
    inner = special(old.dotted, text, target) or _removed(old.dotted, text, target)
    return Move(f"{message}; did you mean {old.dotted}? {inner.reason}", inner.writes, safe=False)


def places(flags: Iterable[Flag]) -> str:
    """Returns section and option of at most three of the flags, as text for messages."""
    return " or ".join(f"[{f.section}] {f.option}" for f in list(flags)[:3])


def suggestion(name: str, table: FlagTable) -> Flag | None:
    """Returns the only flag that an unknown name may mean: one with the same words in another section, or one that differs by a typing
    error. None if there is none.
    """
    if COMMENTED.search(name):
        return None
    matches = homes(table, name) if "." in name else ()
    if len(matches) == 1:
        return matches[0]
    near = nearest(table, name)
    return near[0] if len(near) == 1 and not matches else same_words_elsewhere(table, name)

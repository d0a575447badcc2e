"""Whether a library accepts a text as the value of a flag, and what an invalid text was meant to be.

Theano 1.0.5, Aesara 2.9.4 and PyTensor 3.3.7, configparser.py (BoolParam, EnumStr, TypedParam) and configdefaults.py (the filters).
"""

from __future__ import annotations

import re

from .model import Flag, FlagKind
from .values import Refused, parse_value

_WORDS = {"yes": "True", "on": "True", "y": "True", "no": "False", "off": "False", "n": "False", "true": "True", "false": "False"}
_SIGN = re.compile(r"(?<=\s)[#;]")


def valid_values(flag: Flag) -> str:
    """The valid values of a flag, in words."""
    if flag.kind is FlagKind.DEVICE and not flag.choices:
        return repr(flag.default)
    words = {
        FlagKind.BOOL: "True or False",
        FlagKind.INT: f"a whole number {flag.check or ''}".strip(),
        FlagKind.FLOAT: f"a number {flag.check or ''}".strip(),
        FlagKind.LAZY: "True, False or None",
        FlagKind.DEVICE: f"{flag.default!r}, or beginning with {' or '.join(flag.choices)}",
        FlagKind.CONTEXTS: "name->device;name->device",
        FlagKind.RETIRED: "nothing: it was removed",
    }
    return words.get(flag.kind, ", ".join(flag.choices) if flag.choices else "any text")


def accepts(flag: Flag, text: str, choices: tuple[str, ...] | None = None) -> bool:
    """Whether the library accepts `text`, after interpolation, for this flag; `choices` replaces the flag's own."""
    try:
        parse_value(flag, text, choices)
    except Refused:
        return False
    return True


def split_comment(text: str) -> tuple[str, str]:
    """(value, inline comment); the libraries take such a comment as part of the value. The comment is `''` if there is none."""
    # A comment ends the text: of several lines only the last one can have it.
    end = len(text) - text.endswith("\n")
    match = _SIGN.search(text, text.rfind("\n", 0, end) + 1, end)
    return (text[: match.start()].rstrip(), text[match.start() : end]) if match else (text, "")


def unquoted(text: str) -> str:
    """`text` without one pair of enclosing quotes."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def meant(flag: Flag, text: str) -> str | None:
    """The valid text that an invalid one surely means: without quotes, comment, final comma or semicolon; `yes` for True; other case.

    None where unsure.
    """
    plain = unquoted(split_comment(text)[0].strip().rstrip(",;").strip()).strip()
    if plain != text and accepts(flag, plain) and plain:
        return plain
    if flag.kind in (FlagKind.BOOL, FlagKind.LAZY) and plain.lower() in _WORDS:
        return _WORDS[plain.lower()]
    same = [c for c in flag.choices if c.lower() == plain.lower()] if flag.kind in (FlagKind.ENUM, FlagKind.MODE) else []
    if flag.kind is FlagKind.DEVICE:
        name = "cpu" if re.fullmatch(r"cpu[\d:*]*", plain.lower()) else plain.lower()
        same = [name] if accepts(flag, name) else []
    return same[0] if len(same) == 1 else None


def is_text(flag: Flag) -> bool:
    """Whether the flag accepts any text, so that a mistake in it goes unnoticed."""
    return flag.kind in (FlagKind.STR, FlagKind.PATH, FlagKind.COMPILEDIR, FlagKind.ANY, FlagKind.CONTEXTS)

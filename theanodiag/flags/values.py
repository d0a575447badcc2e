"""Converts the text of a flag to its value, or says why the library refuses it.

Rules: the filters of Theano 1.0.5, Theano-PyMC 1.1.2, Aesara 2.9.4 and PyTensor 3.3.7 (configparser.py, configdefaults.py). Case counts
everywhere: `True`, `true` and `1` are true, `yes` and `TRUE` are refused; a choice must match exactly, quotes and comments included;
numbers are what Python's `int` and `float` accept.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from .model import Dialect, FailureKind, Flag, FlagKind, FlagTable, FlagValue

TRUE, FALSE = ("True", "true", "1"), ("False", "false", "0")

CHECKS: dict[str, Callable[[float], bool]] = {
    "> 0": lambda n: n > 0,
    ">= 0": lambda n: n >= 0,
    "in (0, 1, 2)": lambda n: n in (0, 1, 2),
    "true": lambda n: n == 1,
}
"""Name of a condition in the table -> the condition on the number or bool."""


class Refused(Exception):
    """Raised if the library raises an error for this value; `exception` is the error's class name."""

    def __init__(self, message: str, exception: str = "ValueError", kind: FailureKind = FailureKind.INVALID_VALUE) -> None:
        super().__init__(message)
        self.exception = exception
        self.kind = kind


def parse_value(flag: Flag, text: str, choices: tuple[str, ...] | None = None) -> FlagValue:
    """Converts `text` to the value of `flag`; `choices` replaces the flag's own. Raises `Refused`.

    Paths are returned as written; `paths.py` expands them.
    """
    return PARSERS[flag.kind](flag, text, flag.choices if choices is None else choices)


def _invalid(flag: Flag, text: str, valid: str) -> Refused:
    """The error of the library for an invalid text; `valid` says what is accepted."""
    return Refused(f"Invalid value ({text!r}) for configuration variable '{flag.name}': {valid}")


def _bool(flag: Flag, text: str, choices: tuple[str, ...]) -> bool:
    if text in TRUE:
        return True
    if text in FALSE and flag.check != "true":
        return False
    raise _invalid(flag, text, "only True can be given" if flag.check == "true" else "write True or False")


def _lazy(flag: Flag, text: str, choices: tuple[str, ...]) -> bool | None:
    values = {"True": True, "False": False, "None": None}
    if text not in values:
        raise _invalid(flag, text, "write None, True or False")
    return values[text]


def _number(flag: Flag, text: str, convert: Callable[[str], float], what: str) -> float:
    """The text as a number. Raises `Refused` if `convert` fails or the flag's check does."""
    try:
        value = convert(text)
    except ValueError:
        raise _invalid(flag, text, f"it is not {what}") from None
    if flag.check and not CHECKS[flag.check](value):
        raise _invalid(flag, text, f"it must be {flag.check}")
    return value


def _text(flag: Flag, text: str, choices: tuple[str, ...]) -> str:
    if flag.check == "joined by :" and any(part not in choices for part in text.split(":")):
        raise _invalid(flag, text, f"join some of these with a colon: {', '.join(filter(None, choices))}")
    if flag.check == "random or a whole number" and text != "random" and not is_int(text):
        raise _invalid(flag, text, "write `random` or a whole number")
    if flag.check == "words that begin with -":
        return _options(flag, text)
    return text


def _options(flag: Flag, text: str) -> str:
    """Compiler options with values attached, separated by blanks (Theano 0.9.0, sandbox/cuda/nvcc_compiler.py, filter_nvcc_flags)."""
    words = [word for word in text.split(" ") if word]
    if not all(word.startswith("-") for word in words):
        raise _invalid(flag, text, "each word must begin with `-`: write --machine=64, not --machine 64")
    return " ".join(words)


def is_int(text: str) -> bool:
    """Returns whether Python's `int` accepts the text."""
    try:
        int(text)
    except ValueError:
        return False
    return True


def _choice(flag: Flag, text: str, choices: tuple[str, ...]) -> str:
    text = dict(flag.aliases).get(text, text)
    if text not in choices:
        raise _invalid(flag, text, f"valid options are {', '.join(choices)}")
    return text


def _device(flag: Flag, text: str, choices: tuple[str, ...]) -> str:
    if text == flag.default or text.startswith(choices or ("\0",)):
        return text
    if text.startswith(("gpu", "cuda", "opencl")):
        now = " Use device=cuda* now." if "cuda" in choices else ""
        library = {Dialect.THEANO: "Theano", Dialect.AESARA: "Aesara", Dialect.PYTENSOR: "PyTensor"}[flag.dialect]
        message = f"You are trying to use the old GPU back-end. It was removed from {library}.{now}"
        raise Refused(message, kind=FailureKind.REMOVED)
    raise _invalid(flag, text, f"it must be {flag.default!r} or begin with one of {', '.join(choices)}" if choices else "it must be cpu")


def _contexts(flag: Flag, text: str, choices: tuple[str, ...]) -> str:
    for pair in text.split(";") if text else ():
        name, *device = pair.split("->")
        if len(device) != 1:
            raise Refused(f"Malformed context map: {pair}")
        if name == "cpu" or name.startswith(("cuda", "opencl")):
            raise Refused(f"Cannot use {name} as context name")
    return text


def _retired(flag: Flag, text: str, choices: tuple[str, ...]) -> FlagValue:
    if text:
        raise Refused(f"The option `{flag.name}` has been removed and should not be used anymore.", "RuntimeError", FailureKind.REMOVED)
    return flag.default if not hasattr(flag.default, "how") else None


def _any(flag: Flag, text: str, choices: tuple[str, ...]) -> str:
    return text


PARSERS: dict[FlagKind, Callable[[Flag, str, tuple[str, ...]], FlagValue]] = {
    FlagKind.BOOL: _bool,
    FlagKind.INT: lambda flag, text, choices: _number(flag, text, int, "a whole number"),
    FlagKind.FLOAT: lambda flag, text, choices: _number(flag, text, float, "a number"),
    FlagKind.STR: _text,
    FlagKind.ENUM: _choice,
    FlagKind.MODE: _choice,
    FlagKind.DEVICE: _device,
    FlagKind.CONTEXTS: _contexts,
    FlagKind.LAZY: _lazy,
    FlagKind.PATH: _any,
    FlagKind.COMPILEDIR: _any,
    FlagKind.RETIRED: _retired,
    FlagKind.ANY: _any,
}
"""Kind of flag -> parser of its text."""


_WORDS = {"yes": "True", "on": "True", "y": "True", "no": "False", "off": "False", "n": "False", "true": "True", "false": "False"}
_SIGN = re.compile(r"(?<=\s)[#;]")


def valid_values(flag: Flag) -> str:
    """Returns the valid values of a flag, in words."""
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


def accepts(flag: Flag, text: str) -> bool:
    """Returns whether the library accepts `text`, after interpolation, for this flag."""
    try:
        parse_value(flag, text)
    except Refused:
        return False
    return True


def split_comment(text: str) -> tuple[str, str]:
    """Returns (value, inline comment). The libraries read such a comment as part of the value. The comment is `''` if there is none."""
    # A comment ends the text: of several lines only the last one can have it.
    end = len(text) - text.endswith("\n")
    match = _SIGN.search(text, text.rfind("\n", 0, end) + 1, end)
    return (text[: match.start()].rstrip(), text[match.start() : end]) if match else (text, "")


def unquoted(text: str) -> str:
    """Returns `text` without one pair of enclosing quotes."""
    return text[1:-1] if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"" else text


def correction(flag: Flag, text: str) -> str | None:
    """Returns the valid text that an invalid one certainly means: without quotes, comment, final comma or semicolon; True for `yes`; with
    different case.

    None if that is not certain.
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


def assigned(table: FlagTable, word: str) -> str | None:
    """Returns the assignment that a word without `=` means: `floatX=float32` for `float32` or `floatX:float32`, `profile=True` for
    `profile`.

    None if the word is neither a flag nor a value that only `device`, `floatX`, `mode`, `linker` or `optimizer` has.
    """
    name, colon, value = word.partition(":")
    flag = table.dotted(name.strip())
    if flag is not None:
        if colon and accepts(flag, value.strip()):
            return f"{flag.dotted}={value.strip()}"
        return f"{flag.dotted}={'True' if flag.kind is FlagKind.BOOL else 'VALUE'}"
    flags = (table.dotted(dotted) for dotted in ("device", "floatX", "mode", "linker", "optimizer"))
    return next((f"{flag.dotted}={word}" for flag in flags if flag is not None and accepts(flag, word)), None)


def is_text(flag: Flag) -> bool:
    """Returns whether the flag accepts any text, so that a mistake in it goes unnoticed."""
    return flag.kind in (FlagKind.STR, FlagKind.PATH, FlagKind.COMPILEDIR, FlagKind.ANY, FlagKind.CONTEXTS)

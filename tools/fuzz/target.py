"""What a target is, and the two things that most of them do: run the command line, and damage a text."""

from __future__ import annotations

import contextlib
import copy
import io
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, Protocol

from theanodiag.cli.main import main
from theanodiag.errors import ExitCode

FORBIDDEN = (int(ExitCode.BUG),)
EXTREME = (
    "0", "1", "-1", "7", "64", "65", "4294967296", "100000000000", "9223372036854775807", "9223372036854775808", "1" + "0" * 30, "9" * 5000,
    "1e308", "-1e308", "1e-320", "nan", "inf", "0x10", "1_000", "٣", "",
)  # fmt: skip
"""Numbers that nobody meant."""
PIECES = (
    "'", '"', "(", ")", "[", "]", "{", "}", "<", ">", ",", "=", ":", ";", "#", "%", "%(", "\\", "|", "\n", "\r\n", "\t", " ", "  ", "\x00",
    "\x1b[2J", "\u202e", "\ufeff", "\u2028", "é", "´", "…", "..", "None", "True",
)  # fmt: skip


class Failure(Exception):
    """What a case must not do."""


class Target(Protocol):
    """A module of this folder."""

    def case(self, chance: random.Random) -> object:
        """Input that can be written as JSON."""

    def run(self, case: object) -> None:
        """Feed it to theanodiag; raises whatever must not happen."""


def command(arguments: Sequence[str], stdin: bytes = b"") -> int:
    """The exit code of a command that runs in this process; raises Failure for one that users must not get."""
    out, err = (io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True) for _ in range(2))
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), _stdin(stdin):
        try:
            code = main(list(arguments))
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0
    if code in FORBIDDEN:
        raise Failure(f"exit code {code}: {err.buffer.getvalue().decode('utf-8', 'replace')[:500]}")  # type: ignore[attr-defined]
    return code


@contextlib.contextmanager
def _stdin(data: bytes):  # type: ignore[no-untyped-def]
    import sys

    old, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(data), "utf-8")
    try:
        yield
    finally:
        sys.stdin = old


def damaged(chance: random.Random, text: str, others: Sequence[str], pieces: Sequence[str] = ()) -> str:
    """The text with lines moved, cut out and taken from others, with pieces put in, and with numbers that nobody meant."""
    for _ in range(chance.choice((0, 1, 1, 2, 3, 6))):
        text = chance.choice((_piece, _number, _cut, _line, _from_another, _moved))(chance, text, others, pieces)
    return text[:200_000]


def _piece(chance: random.Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    at = chance.randint(0, len(text))
    return text[:at] + chance.choice((*PIECES, *pieces)) * chance.choice((1, 1, 1, 2, 50)) + text[at + chance.choice((0, 0, 1, 5)) :]


def _number(chance: random.Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    places = [i for i, c in enumerate(text) if c.isdigit()]
    if not places:
        return text
    at = chance.choice(places)
    end = at
    while end < len(text) and text[end].isdigit():
        end += 1
    return text[:at] + chance.choice(EXTREME) + text[end:]


def _cut(chance: random.Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    a, b = sorted(chance.randint(0, len(text)) for _ in range(2))
    return chance.choice((text[:a], text[a:], text[:a] + text[min(b, a + 80) :]))


def _line(chance: random.Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    lines = text.split("\n")
    at = chance.randrange(len(lines))
    del lines[at : at + chance.choice((1, 1, 2, 10))]
    return "\n".join(lines)


def _from_another(chance: random.Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    lines, more = text.split("\n"), chance.choice(others).split("\n")
    at, first = chance.randrange(len(lines) + 1), chance.randrange(len(more))
    lines[at:at] = more[first : first + chance.choice((1, 1, 3, 20))]
    return "\n".join(lines)


def _moved(chance: random.Random, text: str, others: Sequence[str], pieces: Sequence[str]) -> str:
    lines = text.split("\n")
    line = lines.pop(chance.randrange(len(lines)))
    lines.insert(chance.randint(0, len(lines)), chance.choice(("", " ", "  ")) + line)
    return "\n".join(lines)


JUNK: tuple[object, ...] = (
    None, True, False, -1, 0, 1, 3, 1.5, 1e308, float("inf"), float("nan"), 1 << 40, 1 << 62, 1 << 63, 1 << 70, 10**30, "", "x",
    "\x1b[2J\n", "\udcff", "9" * 5000, [], [0], [-1], [[0]], [[0, 1]], [1 << 62] * 3, {}, {"0": [1]}, {"0": None}, {"event": "call"},
)  # fmt: skip
"""Values that nobody meant."""
DEPTHS = (50, 300, 900, 100_000)
"""Of lists in lists."""
DEEP = "something deep"
"""Stands for lists in lists until the document is written."""


def replaced(chance: random.Random, document: Any, kinds: Sequence[object] = ()) -> None:
    """Changes one value in a JSON document, in place: for junk, for one of `kinds` or for another of its values, or away with it."""
    ways = list(_ways(document))
    if not ways:
        return
    owner, key = chance.choice(ways)
    how = chance.random()
    if how < 0.15:
        del owner[key]
    elif how < 0.25:
        owner[key] = _other(chance.choice(ways))
    elif how < 0.3:
        owner[key] = DEEP
    elif how < 0.4 and isinstance(owner[key], int):
        owner[key] += chance.choice((-1, 1, 2, 1 << 32))
    elif how < 0.5 and isinstance(owner, list):
        owner.insert(chance.randint(0, len(owner)), copy.deepcopy(owner[key]))
    else:
        owner[key] = copy.deepcopy(chance.choice((*JUNK, *kinds)))


def written(chance: random.Random, document: object) -> str:
    """The document as JSON."""
    depth = chance.choice(DEPTHS)
    opening, closing = chance.choice((("[", "]"), ('{"0": ', "}")))
    return json.dumps(document).replace(json.dumps(DEEP), opening * depth + "1" + closing * depth)


def _ways(document: Any) -> Iterator[tuple[Any, Any]]:
    """Every container in a document with each of its keys."""
    left = [document]
    while left:
        owner = left.pop()
        for key, value in list(owner.items() if isinstance(owner, dict) else enumerate(owner) if isinstance(owner, list) else ()):
            yield owner, key
            left.append(value)


def _other(way: tuple[Any, Any]) -> object:
    owner, key = way
    return copy.deepcopy(owner[key])

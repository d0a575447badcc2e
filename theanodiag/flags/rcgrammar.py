"""The grammar of a line of an rc file in CPython 3's `configparser` (Lib/configparser.py, RawConfigParser, 3.6 to 3.13).

Two parsers use it: `rcfile` fails as the library's parser does; `document` refuses nothing: it skips a byte order mark, behind which the
parser sees no header, and treats a line without a name as junk, after which the previous option may go on.
"""

from __future__ import annotations

import re

DEFAULT_SECTION = "DEFAULT"
"""The section whose options count in every section that the file has."""
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""Matches a physical line with its end-of-line characters."""


def option(content: str) -> tuple[str, str] | None:
    """Splits a stripped line at its first `=` or `:` into name and value; None where it has neither.

    The name may be empty. `configparser` uses the expression `(?P<option>.*?)\\s*[=:]\\s*(?P<value>.*)$`, whose time is quadratic in the
    number of blanks.

    >>> option("ldflags = -L/opt:/usr"), option("floatX"), option(": a")
    (('ldflags', '-L/opt:/usr'), None, ('', 'a'))
    """
    at = min((place for place in (content.find("="), content.find(":")) if place >= 0), default=None)
    return None if at is None else (content[:at].rstrip(), content[at + 1 :].lstrip())


def header(python: tuple[int, int]) -> re.Pattern[str]:
    """The pattern of a section header in a stripped line; until Python 3.10 the name ends at the first bracket."""
    return re.compile(r"\[(?P<header>.+)\]" if python >= (3, 10) else r"\[(?P<header>[^]]+)\]")

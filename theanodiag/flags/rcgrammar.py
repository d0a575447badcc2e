"""What a line of an rc file can look like to CPython 3's `configparser` (Lib/configparser.py, RawConfigParser, 3.6 to 3.13).

Two readers stand on it. `rcfile` does what the library's parser does, the first refusal included. `document` refuses nothing: it skips
a byte order mark, where the parser sees no header, and takes a line without a name as junk, after which the option before goes on.
"""

from __future__ import annotations

import re

DEFAULT_SECTION = "DEFAULT"
"""Its options count as options of every section that the file has."""
LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+\Z")
"""A physical line with its end."""


def option(content: str) -> tuple[str, str] | None:
    """Name and value in a line without the blanks around it: what stands around the first `=` or `:`. None where there is neither.

    The name may be missing. `configparser` has the expression `(?P<option>.*?)\\s*[=:]\\s*(?P<value>.*)$` for it, which takes time with
    the square of the blanks.

    >>> option("ldflags = -L/opt:/usr"), option("floatX"), option(": a")
    (('ldflags', '-L/opt:/usr'), None, ('', 'a'))
    """
    at = min((place for place in (content.find("="), content.find(":")) if place >= 0), default=None)
    return None if at is None else (content[:at].rstrip(), content[at + 1 :].lstrip())


def header(python: tuple[int, int]) -> re.Pattern[str]:
    """A line without the blanks around it, where it is a header; until Python 3.10 a name ends at its first bracket."""
    return re.compile(r"\[(?P<header>.+)\]" if python >= (3, 10) else r"\[(?P<header>[^]]+)\]")

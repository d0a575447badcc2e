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
OPTION = re.compile(r"(?P<option>.*?)\s*[=:]\s*(?P<value>.*)$")
"""A line without the blanks around it, where it is an option; its name may be missing."""


def header(python: tuple[int, int]) -> re.Pattern[str]:
    """A line without the blanks around it, where it is a header; until Python 3.10 a name ends at its first bracket."""
    return re.compile(r"\[(?P<header>.+)\]" if python >= (3, 10) else r"\[(?P<header>[^]]+)\]")

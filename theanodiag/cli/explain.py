"""`theanodiag explain TD301`: prints the page of a rule."""

from __future__ import annotations

import itertools
import re
import textwrap

from ..errors import ExitCode, UsageError
from ..rules.registry import all_rules
from . import output
from .parameters import Argument, Arguments

PROSE = 100
"""Lines of at least this many characters are joined with the next one into a paragraph."""
MENTIONED = 12
"""Maximum number of rules named for a word that is no rule; more say nothing of the word."""


PARAMETERS = (
    Argument("code", metavar="CODE", help="code or name of a rule, such as TD301"),
)  # fmt: skip


def run(args: Arguments) -> ExitCode:
    """Prints the page; raises `UsageError` for an unknown code."""
    wanted = args.code.strip().lower()
    for rule in all_rules():
        if wanted in (rule.code.lower(), rule.name):
            page = rule.page.strip()
            output.show((fitted(page, output.width()) if output.is_terminal() else page) + "\n")
            return ExitCode.CLEAN
    about = [rule.code for rule in all_rules() if wanted and re.search(rf"\b{re.escape(wanted)}\b", rule.page.lower())]
    help = f"{', '.join(about)} say something about it" if 0 < len(about) <= MENTIONED else "theanodiag rules lists them"
    raise UsageError(f"no rule is called {args.code!r}", help=help)


def fitted(page: str, width: int) -> str:
    """A page with paragraphs wrapped to the terminal's width; code and tables are unchanged."""
    lines: list[str] = []
    for depth, group in itertools.groupby(page.splitlines(), key=_depth):
        rows = list(group)
        prose = all(len(row) >= PROSE for row in rows[:-1]) and (len(rows) > 1 or depth in (0, 4))
        if depth < 0 or not prose or max(map(len, rows)) <= width:
            lines += rows
        else:
            margin = " " * depth
            text = " ".join(row.strip() for row in rows)
            lines += textwrap.wrap(
                text, width, initial_indent=margin, subsequent_indent=margin, break_long_words=False, break_on_hyphens=False
            )
    return "\n".join(lines)


def _depth(line: str) -> int:
    """Blanks before the text; -1 for an empty line, which ends a paragraph."""
    return len(line) - len(line.lstrip()) if line.strip() else -1

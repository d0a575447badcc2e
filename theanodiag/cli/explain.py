"""`theanodiag explain TD301`: prints the page of a rule."""

from __future__ import annotations

import itertools
import textwrap

from ..errors import ExitCode, UsageError
from ..rules.registry import all_rules
from . import output
from .parameters import Argument, Arguments

PROSE = 100
"""Lines of at least this many characters are joined with the next one into a paragraph."""


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
    raise UsageError(f"no rule is called {args.code!r}", help="theanodiag rules lists them")


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

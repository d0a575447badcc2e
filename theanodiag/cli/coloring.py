"""The colours of all commands: one table of patterns, applied to the finished text."""

from __future__ import annotations

import io

from rich.console import Console
from rich.highlighter import RegexHighlighter
from rich.text import Text
from rich.theme import Theme

STYLES = {
    "look.program": "bold",
    "look.error": "bold red",
    "look.warning": "yellow",
    "look.info": "cyan",
    "look.help": "bold green",
    "look.place": "bold",
    "look.caret": "bold red",
    "look.heading": "bold",
    "look.added": "green",
    "look.removed": "red",
    "look.hunk": "cyan",
    "look.remark": "dim",
    "look.yes": "green",
    "look.no": "red",
}


class LineHighlighter(RegexHighlighter):
    """A rich highlighter for theanodiag's own output: places, codes and severities, carets, headings, and the lines of a diff."""

    base_style = "look."
    highlights = [
        r"^(?P<program>theanodiag):",
        r"^(?:theanodiag: )?(?P<place>[^\s:][^\n:]*:\d+(?::\d+)?):",
        r"\b(?P<error>TD\d{3} error|error)\b(?=:|$)",
        r"\b(?P<warning>TD\d{3} warning)\b",
        r"\b(?P<info>TD\d{3}(?! error| warning)(?: info)?)\b",
        r"^ *(?P<help>help|next|do):? ",
        r"^(?P<caret> *\^+)$",
        r"^(?P<heading>[A-Z][\w ,()-]{2,60})$",
        r"^(?P<added>\+.*)$",
        r"^(?P<removed>-.*)$",
        r"^(?P<hunk>@@.*)$",
        r"(?:^|  +)(?P<remark># .*)$",
        r"^  \w+ +(?P<yes>yes)  ",
        r"^  \w+ +(?P<no>no)  ",
    ]


def colored(text: str) -> str:
    """Returns the text with ANSI colours. Each line is coloured separately, because the patterns match within lines."""
    out = io.StringIO()
    console = Console(file=out, force_terminal=True, color_system="standard", theme=Theme(STYLES), width=1_000_000, no_color=False)
    look = LineHighlighter()
    for line in text.splitlines(keepends=True):
        styled_line = Text(line.rstrip("\n"))
        look.highlight(styled_line)
        console.print(styled_line, end="\n" if line.endswith("\n") else "", soft_wrap=True)
    return out.getvalue()

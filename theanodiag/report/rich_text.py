"""Rich console and text for the terminal report, with invisible characters of outside text escaped."""

from __future__ import annotations

import io
from typing import Any

from rich.console import Console
from rich.text import Text as RichText

from ..escaping import visible

HEIGHT = 25
"""Height of the terminal; it has no effect, but without it rich queries the terminal size for each line."""


class Text(RichText):
    """A piece of one terminal line, escaped so that it neither moves the cursor nor breaks the line."""

    def __init__(self, text: str = "", style: str = "", **options: Any) -> None:
        super().__init__(visible(text), style, **options)

    @classmethod
    def assemble(cls, *parts: Any, **options: Any) -> Text:
        """Joins pieces, each plain or with its style, into one text."""
        text = cls(**options)
        for part in parts:
            text.append(*((part,) if isinstance(part, str) else part))
        return text

    def append(self, text: RichText | str, style: Any = None) -> Text:
        """Appends a piece, escaped, and returns this text."""
        super().append(visible(text) if isinstance(text, str) else text, style)
        return self


class Page(Console):
    """A console without markup: brackets are printed literally."""

    def __init__(self, out: io.StringIO, color: bool, width: int) -> None:
        plain: dict[str, Any] = {"highlight": False, "emoji": False, "markup": False}
        super().__init__(file=out, width=width, height=HEIGHT, force_terminal=color, color_system="standard" if color else None, **plain)

    def render_str(self, text: str, **options: Any) -> RichText:
        """Converts plain text to rich's type, escaped and without markup."""
        return super().render_str(visible(text), **options)

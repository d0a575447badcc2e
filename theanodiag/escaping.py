"""Text from outside (names, paths, messages, values), made safe to show on a terminal.

A control character, a bidirectional override or a line break in a name could move the cursor, reorder a line, or forge one. What is not
visible is therefore written as an escape sequence, such as `\\x1b` or `\\u202e`. JSON needs none of this: it has its own escapes.
"""

from __future__ import annotations

MAX_SHOWN = 10_000
"""Characters of one line that are shown; the middle of a longer one is left out."""


def visible(text: str) -> str:
    """`text` as a piece of one line: every character that is not visible, line breaks and tabs among them, is escaped.

    Visible is what `str.isprintable` says (Unicode's categories Other and Separator are not, but for the space).
    """
    if len(text) > MAX_SHOWN:
        half = MAX_SHOWN // 2
        text = f"{text[:half]} [{len(text) - 2 * half} characters left out] {text[-half:]}"
    return text if text.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in text)


def visible_lines(text: str) -> str:
    """`text` as lines: its line feeds and tabs stay, everything else that is not visible is escaped."""
    lines = text.split("\n")
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in lines)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that could not be decoded ("surrogateescape")
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")

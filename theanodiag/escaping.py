r"""Escapes text from outside (names, paths, messages, values) so that it is safe to show on a terminal.

A control character, a bidirectional override or a line break in a name could move the cursor, reorder a line, or forge one. Invisible
characters are therefore written as escape sequences, such as `\x1b` or `\u202e`. JSON needs none of this: it has its own escapes.
"""

from __future__ import annotations

MAX_SHOWN = 10_000
"""Longest line shown, in characters; the middle of a longer one is left out."""


def visible(text: str) -> str:
    """`text` as part of one line: every invisible character, line breaks and tabs included, is escaped.

    Visible characters are those of `str.isprintable` (the space, and all outside of Unicode's categories Other and Separator).
    """
    if len(text) > MAX_SHOWN:
        half = MAX_SHOWN // 2
        text = f"{text[:half]} [{len(text) - 2 * half} characters left out] {text[-half:]}"
    return text if text.isprintable() else "".join(c if c.isprintable() else _escape(c) for c in text)


def visible_lines(text: str) -> str:
    """`text` as lines: line feeds and tabs stay, every other invisible character is escaped."""
    lines = text.split("\n")
    return "\n".join("\t".join(map(visible, line.split("\t"))) for line in lines)


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that could not be decoded ("surrogateescape")
        return f"\\x{code - 0xDC00:02x}"
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")

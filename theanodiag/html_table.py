"""A table in HTML, for notebooks: everything in it is escaped text."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from .escaping import visible


def html_table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]], more: str = "") -> str:
    """A title, a table with numbers at the right, and a line below it where there is `more` to say."""
    heads = "".join(f'<th scope="col" style="text-align:left">{_text(h)}</th>' for h in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    below = f"<p>{_text(more)}</p>" if more else ""
    return f"<p><b>{_text(title)}</b></p><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{below}"


def _cell(value: object) -> str:
    side = "right" if isinstance(value, int) else "left"
    return f'<td style="text-align:{side}">{_text(str(value))}</td>'


def _text(text: str) -> str:
    return escape(visible(text))

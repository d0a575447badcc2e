"""What the results of the Python API have in common: text, an HTML table for notebooks, and conversion to values and to JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from html import escape

from .escaping import visible, visible_json


class Shown:
    """A result that can be displayed. `str(result)` is the text that the command prints; `to_dict` and `to_json` contain everything."""

    def to_dict(self) -> dict[str, object]:
        """Returns all values of the result as dicts, lists, numbers (bytes, seconds) and strings; unknown values are None."""
        raise NotImplementedError

    def to_json(self) -> str:
        """Returns the values of `to_dict()` as one JSON document, which ends with a newline."""
        return visible_json(json.dumps(self.to_dict(), indent=2)) + "\n"


def html_table(title: str, head: Sequence[str], rows: Iterable[Sequence[object]], more: str = "") -> str:
    """Returns an HTML table with a title and right-aligned numbers, followed by the line `more` if it is not empty."""
    heads = "".join(f'<th scope="col" style="text-align:left">{_text(h)}</th>' for h in head)
    body = "".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in rows)
    below = f"<p>{_text(more)}</p>" if more else ""
    return f"<p><b>{_text(title)}</b></p><table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>{below}"


def _cell(value: object) -> str:
    side = "right" if isinstance(value, int) else "left"
    return f'<td style="text-align:{side}">{_text(str(value))}</td>'


def _text(text: str) -> str:
    return escape(visible(text))

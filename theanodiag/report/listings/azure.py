"""Logging commands of Azure Pipelines. Source: Microsoft's "Logging commands": `;`, CR, LF, `]` and `%` escaped."""

from __future__ import annotations

from ...escaping import visible
from .model import Listing, is_file, level, line_of


def show(listing: Listing) -> str:
    """A command each; what is information is a warning there."""
    lines = []
    for f in listing.findings:
        places = {"sourcepath": listing.path(f.location), "linenumber": f.location.line, "columnnumber": f.location.column}
        named = {"type": level(f, ("warning", "warning", "error")), **(places if is_file(f.location) else {}), "code": f.code}
        properties = "".join(f"{k}={_escaped(str(v))};" for k, v in named.items() if v is not None)
        lines.append(f"##vso[task.logissue {properties}]{_message(f'{f.location}: {line_of(f)}')}\n")
    return "".join(lines)


def _message(text: str) -> str:
    return visible(text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A"))


def _escaped(text: str) -> str:
    return _message(text).replace(";", "%3B").replace("]", "%5D")

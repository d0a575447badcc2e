"""Commands that GitHub Actions shows as annotations.

Source: GitHub's workflow commands: `%`, CR and LF are escaped, in properties `:` and `,` too.
"""

from __future__ import annotations

from ...escaping import visible
from .model import TOOL, Listing, is_file, level, lines_of


def show(listing: Listing) -> str:
    """A command each."""
    lines = []
    for f in listing.findings:
        place = {"line": f.location.line, "col": f.location.column} if is_file(f.location) else {}
        named = {"title": f"{TOOL} ({f.code})", **({"file": listing.path(f.location)} if is_file(f.location) else {}), **place}
        properties = ",".join(f"{k}={_property(str(v))}" for k, v in named.items() if v is not None)
        told = "\n".join((f"{f.location}: {f.code} {f.message}", *lines_of(f)[1:]))
        lines.append(f"::{level(f, ('notice', 'warning', 'error'))} {properties}::{_data(told)}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

"""Commands that GitHub Actions shows as annotations.

Source: GitHub's workflow commands: `%`, CR and LF are escaped, in properties `:` and `,` too.
"""

from __future__ import annotations

from .model import TOOL, Listing, help_of, is_file, level


def show(listing: Listing) -> str:
    """A command each."""
    lines = []
    for f in listing.findings:
        place = {"line": f.location.line, "col": f.location.column} if is_file(f.location) else {}
        named = {"title": f"{TOOL} ({f.code})", **({"file": listing.path(f.location)} if is_file(f.location) else {}), **place}
        properties = ",".join(f"{k}={_property(str(v))}" for k, v in named.items() if v is not None)
        advice = f"\nhelp: {help_of(f)}" if help_of(f) else ""
        lines.append(f"::{level(f, ('notice', 'warning', 'error'))} {properties}::{_data(f'{f.location}: {f.code} {f.message}{advice}')}\n")
    return "".join(lines)


def _data(text: str) -> str:
    escaped = text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    return "".join(c if c.isprintable() else f"\\x{ord(c):02x}" for c in escaped)


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")

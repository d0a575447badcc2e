"""How pages are rendered: escaping templates, embedded styles and scripts, and a Content-Security-Policy that blocks everything else."""

from __future__ import annotations

import base64
import hashlib
import json
from datetime import datetime, timezone
from functools import cache
from pathlib import Path

import jinja2
from markupsafe import Markup

from ...escaping import visible, visible_json
from ...ir.shape import shape_text
from ...units import format_bytes
from ...version import VERSION

HERE = Path(__file__).parent
PLOTTING = ("uplot/uPlot.iife.min.js",)
"""Scripts of the library that draws the timeline."""


@cache
def asset(name: str) -> str:
    """The text of a style sheet or script in this folder."""
    return (HERE / "static" / name).read_text(encoding="utf-8")


def policy(scripts: tuple[str, ...]) -> str:
    """The Content-Security-Policy that allows only these scripts to run and nothing to be loaded."""
    allowed = " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'" for s in scripts) or "'none'"
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src {allowed}; base-uri 'none'; form-action 'none'"


def escaped(value: object) -> object:
    """A value for output on a page: invisible characters of text from outside become escape sequences."""
    return value if hasattr(value, "__html__") else visible(str(value))


def lines(text: str) -> Markup:
    """Text of several lines, with invisible characters escaped in each."""
    return Markup("\n").join(Markup.escape(visible(line)) for line in text.split("\n"))


def grouped(n: int) -> Markup:
    """`n` with grouped digits, `1 234 567`, separated by non-breaking spaces."""
    return Markup(f"{n:,}".replace(",", "\u202f"))


def as_data(value: object) -> Markup:
    """JSON for use inside a script element: it contains nothing that could end the element."""
    text = visible_json(json.dumps(value, separators=(",", ":"), allow_nan=False))
    return Markup(text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026"))


@cache
def _environment() -> jinja2.Environment:
    loader = jinja2.FileSystemLoader(str(HERE / "templates"))
    environment = jinja2.Environment(
        loader=loader, autoescape=True, finalize=escaped, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters.update(size=format_bytes, shape=shape_text, data=as_data, lines=lines, bytes=grouped)
    environment.globals["VERSION"] = VERSION
    return environment


def page(template: str, scripts: tuple[str, ...], command: str = "", **context: object) -> str:
    """Renders a whole page; `scripts` are the names of the assets that run in it, `command` is the command line that asked for it."""
    texts = tuple(asset(name) for name in scripts)
    styles = [asset("uplot/uPlot.min.css")] * bool(set(PLOTTING) & set(scripts)) + [asset("report.css")]
    inside = {"scripts": [Markup(t) for t in texts], "styles": [Markup(t) for t in styles], "policy": policy(texts)}
    now = f"{datetime.now(timezone.utc):%Y-%m-%d %H:%M} UTC"
    return part(template, now=now, command=command, **inside, **context)


def part(template: str, **context: object) -> str:
    """Renders a template as part of a page; the result ends with a newline."""
    return _environment().get_template(template).render(**context).rstrip("\n") + "\n"

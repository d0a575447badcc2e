"""The page of `theanodiag doctor`: what a prediction can be confirmed on here, and what to do for what is missing."""

from __future__ import annotations

from ...doctor.recipe import abilities, advise
from ...probe.model import ProbeResult
from .page import page


def render(found: ProbeResult) -> str:
    """The whole page."""
    rows = abilities(found)
    ready = [a.kind for a in rows if a.ready]
    told = f"a prediction can be confirmed on {', '.join(ready)}" if ready else "no prediction can be confirmed here"
    look = "good" if ready else "open"
    return page("doctor.html", ("report.js",), found=found, abilities=rows, told=told, look=look, legacy=advise(found))

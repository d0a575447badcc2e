"""What is live at the peak as collapsed stacks, for flamegraph.pl, inferno and speedscope: their bytes add up to the live peak."""

from __future__ import annotations

from collections import Counter

from ..escaping import visible
from ..ir.shape import shape_text
from ..memory.timeline import Allocation, Timeline
from .formats import View
from .model import Report
from .over_time import timeline_of, title


def show(report: Report, view: View) -> str:
    """The lines; the same for every view."""
    timeline = timeline_of(report)
    stacks: Counter[str] = Counter()
    for a in timeline.at(timeline.peak_clock):
        stacks[";".join(map(_frame, (report.target.model, *stack(timeline, a))))] += a.held
    return "".join(f"{stack} {size}\n" for stack, size in stacks.most_common())


def stack(timeline: Timeline, a: Allocation) -> tuple[str, ...]:
    """Event of the script, kind of memory, source line where it is known, Variable."""
    at = timeline.title(timeline.spans[a.span]) if a.span >= 0 else "the start of the back-end"
    site = (f"{a.tag.site.path}:{a.tag.site.line}",) if a.tag.site else ()
    return at, a.tag.kind.value, *site, f"{title(a.tag)} {a.tag.dtype or ''} {shape_text(a.tag.shape)}"


def _frame(text: str) -> str:
    """A frame: a semicolon would begin the next one."""
    return visible(text).replace(";", ",")

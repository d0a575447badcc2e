"""The memory that is live at the peak, as collapsed stacks for flamegraph.pl, inferno and speedscope; the bytes add up to the live peak."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ..escaping import visible
from ..ir.shape import shape_text
from ..memory.timeline import Allocation, Timeline
from .event_timeline import timeline_of, title
from .formats import View
from .model import Report


class StackFrame(NamedTuple):
    """One frame of a call stack in a flame graph: a name, and the source line where there is one."""

    name: str
    path: str = ""
    """Path of the source file; empty if there is none."""
    line: int = 0
    """Line number in the source file, 1-based; 0 if there is none."""


def show(report: Report, view: View) -> str:
    """Returns the collapsed stacks as text; `view` has no effect."""
    timeline = timeline_of(report)
    stacks: Counter[str] = Counter()
    for a in timeline.at(timeline.peak_clock):
        # a semicolon would begin the next frame
        stacks[";".join(frame.name.replace(";", ",") for frame in stack(report, timeline, a))] += a.held
    return "".join(f"{stack} {size}\n" for stack, size in stacks.most_common())


def stack(report: Report, timeline: Timeline, a: Allocation) -> tuple[StackFrame, ...]:
    """Returns the stack of one allocation, outermost frame first: script, event of the script, kind of memory, source line if known, and
    Variable. All names are escaped for terminals.
    """
    at = timeline.title(timeline.spans[a.span]) if a.span >= 0 else "the start of the back-end"
    site = (StackFrame(visible(str(a.tag.site)), visible(a.tag.site.path), a.tag.site.line),) if a.tag.site else ()
    variable = f"{title(a.tag)} {a.tag.dtype or ''} {shape_text(a.tag.shape)}"
    return (
        StackFrame(visible(report.target.model)),
        StackFrame(visible(at)),
        StackFrame(a.tag.kind.value),
        *site,
        StackFrame(visible(variable)),
    )

"""The simulation as a trace for ui.perfetto.dev and chrome://tracing: calls and nodes as slices, live and reserved bytes as counters.

Its time is no time: a microsecond is one change of memory, a request or a release.
Source: the Trace Event Format, which Perfetto documents among its importers ("JSON trace format").
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from ..escaping import visible, visible_json
from ..memory.timeline import Timeline
from .event_timeline import timeline_of
from .formats import View
from .model import Report

PROCESS = 1
EVENTS, NODES = 1, 2
"""Track numbers: one for the events of the script, one for the nodes of its calls."""


def show(report: Report, view: View) -> str:
    """Returns the trace as one JSON document; `view` has no effect."""
    timeline = timeline_of(report)
    events = [*_names(report.target.model), *_slices(timeline), *_counters(timeline)]
    metadata = {"clock": "one microsecond stands for one change of memory, not for time", "model": report.target.model}
    document = {"traceEvents": events, "displayTimeUnit": "ms", "otherData": metadata}
    return visible_json(json.dumps(document, separators=(",", ":"))) + "\n"


def _names(model: str) -> Iterator[dict[str, object]]:
    rows = [("process_name", visible(model), 0), ("thread_name", "script", EVENTS), ("thread_name", "nodes", NODES)]
    for what, name, track in rows:
        yield {"ph": "M", "pid": PROCESS, "tid": track, "name": what, "args": {"name": name}}


def _slices(timeline: Timeline) -> Iterator[dict[str, object]]:
    """Yields a slice for each event of the script that changes memory, and below each call its nodes; a node that changes no memory has
    length 0.
    """
    graphs = {f.index: f.graph for f in timeline.script.functions}
    for span in timeline.spans:
        if span.end > span.start:
            yield _slice(EVENTS, visible(timeline.title(span)), span.start, span.end, {"live_after_bytes": timeline.live[span.end]})
        start = span.start
        for step in span.steps:
            if step.node is not None and span.function is not None:
                args = {"node": step.node, "live_after_bytes": timeline.live[step.clock]}
                yield _slice(NODES, visible(graphs[span.function].applies[step.node].op.text), start, step.clock, args)
            start = step.clock


def _slice(track: int, name: str, start: int, end: int, args: dict[str, int]) -> dict[str, object]:
    return {"ph": "X", "pid": PROCESS, "tid": track, "name": name, "ts": start, "dur": end - start, "args": args}


def _counters(timeline: Timeline) -> Iterator[dict[str, object]]:
    """Yields the values of the counters `live bytes` and `reserved bytes`, wherever they change."""
    for name, values in (("live bytes", timeline.live), ("reserved bytes", timeline.reserved)):
        before = None
        for clock, value in enumerate(values):
            if value != before:
                yield {"ph": "C", "pid": PROCESS, "name": name, "ts": clock, "args": {"bytes": value}}
            before = value

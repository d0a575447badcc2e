"""The HTML page of a Report, and the part of it that a notebook shows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import gcd

from markupsafe import Markup

from ...confirmation.model import PEAK, RESERVED
from ...escaping import visible
from ...findings import Finding
from ...ir import Unknown
from ...ir.shape import shape_text
from ...memory.profile import Verdict
from ...memory.settings import AllocatorKind
from ...memory.timeline import Allocation, Simulated, Timeline, TimelineSpan
from ...ops.arrays import ItemKind, Tag
from ...rules.registry import all_rules
from ...units import format_bytes
from ..confirmed import NAMES, Confirmation
from ..event_timeline import timeline as replayed
from ..event_timeline import timeline_of
from ..model import FunctionReport, Report
from ..next_step import FitPlan, after_bytes, plan_of
from ..terminal import saved, verdict
from ..user_source import marked_line
from ..verdict import needed
from .command_pages import PLOTTING, as_data, escaped, page

# The timeline as columns of numbers, from which the page's script draws it.

KINDS = tuple(k for k in ItemKind if k not in (ItemKind.ROUNDING, ItemKind.FRAGMENTATION, ItemKind.CONTEXT))
"""The kinds of memory, in the order in which they are stacked in the chart."""
LONGEST = 160
"""Maximum length of a Variable's name on the page, in characters."""
HIGHEST = 1 << 62
"""Maximum number of bytes that can be drawn; only invalid shapes lead to larger values."""
CURVE_POINTS = 1500
Columns = dict[str, object]


def columns(timeline: Timeline, limit: int | None, confirmation: Confirmation | None, after: Mapping[str, Timeline]) -> Columns:
    """Returns the data that the page's script draws as a chart; `limit` is the device's memory in bytes, `after` maps a rule code to the
    timeline with the advice of that rule applied.
    """
    tags: dict[tuple[object, ...], int] = {}
    rows = timeline.allocations
    lowest = min((b.address for b in timeline.blocks), default=0)
    numbers = [tags.setdefault(_tag(a.tag), len(tags)) for a in rows]
    unit = max(1, gcd(*(n for a in rows for n in (a.held, a.address - lowest))))
    steps: dict[tuple[int, ...], int] = {}
    spans = [[*_span(timeline, s), steps.setdefault(_steps(s), len(steps))] for s in timeline.spans]
    return {
        "end": timeline.end,
        "peak": timeline.peak_clock,
        "kinds": [k.value for k in KINDS],
        "pooled": timeline.allocator is AllocatorKind.XLA,
        "limit": None if limit is None else _cut(limit),
        "tags": [list(t) for t in tags],
        "unit": unit,
        "address": [_cut(a.address - lowest) // unit for a in rows],
        "held": [_cut(a.held) // unit for a in rows],
        "rounding": [_cut(a.held - a.requested) for a in rows],
        "born": [a.born - before for a, before in zip(rows, (0, *(a.born for a in rows)))],
        "lasts": [0 if a.died is None else a.died - a.born for a in rows],
        "tag": numbers,
        "span": [a.span for a in rows],
        "blocks": [[_cut(b.address - lowest), _cut(b.size), b.taken, b.returned or 0] for b in timeline.blocks],
        "spans": spans,
        "steps": list(map(list, steps)),
        "ops": {f.index: [_short(n.op.text) for n in f.graph.applies] for f in timeline.script.functions},
        "measured": list(_measured_curve(timeline, confirmation)) if confirmation is not None else [],
        "after": [{"title": title, "points": curve(other, timeline)} for title, other in after.items()],
    }


def _tag(tag: Tag) -> tuple[object, ...]:
    site = (visible(f"{tag.site.path}:{tag.site.line}"), _short(tag.site.code or "")) if tag.site else ("", "")
    return KINDS.index(tag.kind), _short(tag.variable), _short(tag.op or ""), _short(tag.dtype or ""), shape_text(tag.shape), *site


def _span(timeline: Timeline, span: TimelineSpan) -> list[object]:
    function = -1 if span.function is None else span.function
    return [_short(timeline.title(span)), span.start, span.end, function, -1 if span.call is None else span.call]


def _steps(span: TimelineSpan) -> tuple[int, ...]:
    """Clock (relative to the start of `span`) and node of each step of a call, in one flat tuple; -1 for a step without a node. Equal for
    calls with the same shapes.
    """
    return tuple(n for step in span.steps for n in (step.clock - span.start, -1 if step.node is None else step.node))


def _measured_curve(timeline: Timeline, confirmation: Confirmation) -> list[list[int | None]]:
    """For each call that was measured: its position among the spans, and its measured live peak and reserved bytes."""
    calls = {(f.index, k): {v.name: v.measured for v in row} for f in confirmation.functions for k, row in enumerate(f.calls)}
    measured: list[list[int | None]] = []
    for position, span in enumerate(timeline.spans):
        row = calls.get((span.function, span.call)) if span.function is not None and span.call is not None else None
        if row:
            values = [row.get(PEAK), row.get(RESERVED)]
            measured.append([position, *(v if isinstance(v, int) else None for v in values)])
    return measured


def curve(other: Timeline, beside: Timeline) -> list[list[float]]:
    """Returns the points (clock, live bytes, reserved bytes) of the timeline `other`, stretched so that each event has the same clock times
    as the same event of `beside`.
    """
    pairs = zip(other.spans, beside.spans) if len(other.spans) == len(beside.spans) else [(_whole(other), _whole(beside))]
    points: list[list[float]] = []
    for theirs, ours in pairs:
        clocks = range(theirs.start, theirs.end + 1)
        scale = (ours.end - ours.start) / max(1, theirs.end - theirs.start)
        most = max(8, CURVE_POINTS * len(clocks) // (other.end + 1))
        for bucket in buckets(clocks, most):
            top = max(bucket, key=lambda c: other.live[c])
            points.append([round(ours.start + (top - theirs.start) * scale, 2), _cut(other.live[top]), _cut(other.reserved[top])])
    return points


def _whole(timeline: Timeline) -> TimelineSpan:
    return TimelineSpan(timeline.spans[0].event, 0, timeline.end)


def buckets(clocks: Sequence[int], most: int) -> list[Sequence[int]]:
    """Splits `clocks`, in order, into at most `most` pieces of nearly equal length."""
    n = min(most, len(clocks))
    return [clocks[k * len(clocks) // n : (k + 1) * len(clocks) // n] for k in range(n)]


def _short(text: str) -> str:
    text = visible(text)
    return text if len(text) <= LONGEST else text[: LONGEST - 1] + "…"


def _cut(n: int) -> int:
    return min(n, HIGHEST)


MOST_CHANGES = 200_000
"""Maximum number of memory changes drawn, around the peak; a browser could not handle a larger page."""
ROWS = 500
"""Maximum number of allocations listed at the peak; the page says how many more there are."""
WITH_CODE = 10
"""Number of the largest allocations at the peak whose source line is shown in the table."""
SOURCE_WIDTH = 120
"""Maximum number of characters of a source line shown below a finding."""
CURVES = 6
"""Maximum number of findings whose timeline after the fix is drawn."""


def render(report: Report, command: str = "") -> str:
    """Renders the whole HTML page of a report; `command` is the command line that made the report."""
    drawn = DrawnReport(report)
    scripts = (*PLOTTING, "report.js") if drawn.timeline is not None else ("report.js",)
    return page("report.html", scripts, command, r=report, d=drawn)


def framed(report: Report) -> str:
    """Returns an iframe element that contains the whole page, for notebooks: isolated from the styles and scripts of the notebook."""
    style = "width:100%;height:42rem;border:1px solid #8888;border-radius:6px"
    title = Markup.escape(escaped(f"memory of {report.target.model}"))
    return f'<iframe sandbox="allow-scripts" title="{title}" style="{style}" srcdoc="{Markup.escape(render(report))}"></iframe>'


@dataclass(frozen=True)
class DrawnReport:
    """A report, prepared for the template of the page."""

    report: Report

    @cached_property
    def verdict(self) -> tuple[tuple[str, str], ...]:
        """The lines of the verdict, each with the name of a CSS class: `good`, `bad`, `open` or none."""
        words = {"green": "good", "red": "bad", "yellow": "open"}
        return tuple((text, words.get(style.rpartition(" ")[2], "")) for text, style in verdict(self.report))

    @cached_property
    def plan(self) -> FitPlan | None:
        """The changes that make the script fit; None if it fits already or no known change suffices."""
        return plan_of(self.report)

    @cached_property
    def timeline(self) -> Timeline | None:
        """The timeline of memory, cut to `MOST_CHANGES` changes around the peak; None if nothing was simulated or nothing was ever live."""
        return self._whole.around_peak(MOST_CHANGES) if self._whole.allocations else None

    @cached_property
    def _whole(self) -> Timeline:
        return timeline_of(self.report)

    @property
    def notes(self) -> Iterator[str]:
        """Sentences about what the chart omits, and where it differs from the verdict."""
        process, drawn = self.report.process, self.timeline
        if drawn is not None and drawn is not self._whole:
            yield f"Of {self._whole.end} changes these {drawn.end} around the peak are drawn."
        if (self._whole.live_peak_bytes, self._whole.reserved_peak_bytes) != (process.live_peak_bytes, process.reserved_peak_bytes):
            yield (
                "The script may run in several ways, or its compiler has figures of its own: this is one way, as simulated; "
                "the verdict takes the highest figures."
            )

    @cached_property
    def after(self) -> Mapping[str, Timeline]:
        """Rule code -> timeline with the advice of that rule applied; the advice that saves most comes first, at most `CURVES`."""
        rows = [f for f in self.report.findings if f.saves is not None and f.saves.bytes > 0 and isinstance(f.saves.simulated, Simulated)]
        best = sorted(rows, key=lambda f: -(f.saves.bytes if f.saves else 0))
        first = {f.code: f for f in reversed(best)}
        timelines = {}
        for f in [f for f in best if first[f.code] is f][:CURVES]:
            if f.saves is not None and isinstance(f.saves.simulated, Simulated):
                timelines[f.code] = replayed(f.saves.simulated)
        return timelines

    @cached_property
    def limit(self) -> int | None:
        """Bytes that the device has available for arrays; None if its size is unknown."""
        return self.report.target.device.available_bytes

    @cached_property
    def chart(self) -> Chart | None:
        """The timeline as an SVG chart; None if no timeline was recorded."""
        return None if self.timeline is None else chart(self.timeline, self.limit, self.after)

    @cached_property
    def data(self) -> str:
        """The data of the chart as JSON for the page's script; `null` if no timeline was recorded."""
        ran = self.report.confirmation
        beside = ran if ran is not None and ran.on_target else None  # what another device took has no place on this timeline
        return as_data(None if self.timeline is None else columns(self.timeline, self.limit, beside, self.after))

    @cached_property
    def peak(self) -> tuple[Allocation, ...]:
        """The allocations that are live at the peak of the script, largest first."""
        return () if self.timeline is None else self.timeline.at(self.timeline.peak_clock)

    @property
    def rows(self) -> tuple[Allocation, ...]:
        """The allocations listed in the table of the peak: the first `ROWS` of `peak`."""
        return self.peak[:ROWS]

    @staticmethod
    def code(place: int, a: Allocation) -> str:
        """Returns the source line of an allocation whose rank `place` is at most `WITH_CODE`; empty for others and if it is unknown."""
        return a.tag.site.code or "" if place <= WITH_CODE and a.tag.site is not None else ""

    @property
    def alternatives(self) -> tuple[tuple[Finding, int], ...]:
        """Findings whose fix alone makes the script fit, other than the plan, each with the bytes needed after it."""
        others = self.plan.others if self.plan is not None else ()
        return tuple((f, after_bytes(self.report, f)) for f in others if f.cures)

    @property
    def settings(self) -> tuple[tuple[str, str, str], ...]:
        """Flags of the framework and settings of the engine in effect, as rows of name, value and remark."""
        framework, engine = self.report.target.framework, self.report.engine
        flags = framework.flags if framework is not None else {}
        rows = [(name, str(value), "") for name, value in sorted(flags.items())]
        return (*rows, *((s.name, s.value, f"{s.origin}: {s.effect}") for s in (engine.settings if engine is not None else ())))

    @property
    def left_out(self) -> int:
        """Total bytes of the allocations at the peak that are not listed."""
        return sum(a.held for a in self.peak[ROWS:])

    @cached_property
    def peak_title(self) -> str:
        """Title of the event of the script during which the peak occurs, such as `train, call 2`; empty if there is no timeline."""
        if self.timeline is None:
            return ""
        at = self.timeline.peak_clock
        return next((self.timeline.title(s) for s in self.timeline.spans if s.start < at <= s.end), "the start")

    @property
    def need(self) -> int:
        """Returns the bytes that are compared with the device's memory: the peak of reserved bytes on a GPU, of live bytes on the host."""
        return needed(self.report)

    @property
    def functions(self) -> tuple[FunctionReport, ...]:
        """The compiled functions of the script, those with the highest peak of live bytes first."""
        return tuple(sorted(self.report.functions, key=lambda f: -(f.profile.figures.live_peak_bytes if f.profile else 0)))

    @cached_property
    def temporaries(self) -> tuple[tuple[str, str, str, int, str], ...]:
        """The contents of XLA's blocks of temporaries, as rows of function name, label, dtype and shape, bytes, and source line; functions
        with the highest peak first, at most `ROWS`.
        """
        rows: list[tuple[str, str, str, int, str]] = []
        for f in self.functions:
            held = f.temporaries
            for row in held.rows if held is not None else ():
                rows.append((f.name, row.label, f"{row.dtype}{shape_text(row.shape)}", row.bytes, str(row.site or "")))
            if held is not None and held.rest:
                rows.append((f.name, "gaps and tables", "", held.rest, ""))
        return tuple(rows[:ROWS])

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The findings, the most severe first."""
        return tuple(sorted(self.report.findings, key=lambda f: -f.severity))

    @staticmethod
    def source(f: Finding) -> str:
        """Returns the source line of a finding, with carets on a second line; empty if it cannot be read."""
        return "\n".join(marked_line(f.location, SOURCE_WIDTH))

    @staticmethod
    def saved(f: Finding) -> str:
        """Returns what the fix of a finding saves, as text such as `1.2 GiB and 12.5 ms`; empty if it saves nothing."""
        return saved(f.saves) if f.saves is not None and (f.saves.bytes > 0 or f.saves.seconds > 0) else ""

    @cached_property
    def pages(self) -> Mapping[str, str]:
        """Rule code -> documentation of the rule (Markdown)."""
        return {rule.code: rule.page.strip() for rule in all_rules()}

    @cached_property
    def measured(self) -> tuple[tuple[str, str, Verdict], ...]:
        """Rows for the table of measured figures: function and call, name of the figure, and its predicted and measured value. Equal calls
        appear once.
        """
        return () if self.report.confirmation is None else tuple(_measured(self.report.confirmation))

    @staticmethod
    def unknown(value: object) -> str:
        """Returns the reason why a value is unknown; empty if it is known."""
        return value.reason if isinstance(value, Unknown) else ""


def _measured(confirmation: Confirmation) -> Iterator[tuple[str, str, Verdict]]:
    for f in confirmation.functions:
        shown = None
        for k, row in enumerate(f.calls):
            if row != shown:
                yield from ((f"{f.name}, call {k + 1}", NAMES.get(v.name, v.name), v) for v in row)
            shown = row
    yield from (("the script", NAMES.get(v.name, v.name), v) for v in confirmation.process)


WIDTH, HEIGHT = 960, 300
LEFT, RIGHT, TOP, BOTTOM = 74, 12, 14, 34
"""Margins of the chart, in SVG units."""
POINTS = 480
"""Number of columns of the chart; each shows the highest value within its interval."""
NEAR = 1.35
"""The device's memory is drawn as a line only if it is at most this many times the need; a line further up would flatten the curve."""


@dataclass(frozen=True)
class Chart:
    """Coordinates of the parts of the SVG chart, in SVG units."""

    areas: tuple[tuple[str, str], ...]
    """Kind of memory and SVG path of each area, from bottom to top."""
    reserved: str
    limit: float | None
    """Vertical position of the device's limit; None if it is far above."""
    after: tuple[str, ...]
    """Live and reserved bytes with the best advice applied; empty if there is no advice."""
    ticks: tuple[tuple[float, str], ...]
    """Vertical position and label of each tick."""
    calls: tuple[tuple[float, str], ...]
    """Horizontal position and label of each call; empty if there is no room for labels."""
    peak: tuple[float, float]
    width: int = WIDTH
    height: int = HEIGHT
    left: int = LEFT
    right: int = WIDTH - RIGHT
    top: int = TOP
    bottom: int = HEIGHT - BOTTOM


def chart(timeline: Timeline, limit: int | None, after: Mapping[str, Timeline]) -> Chart:
    """Computes the SVG chart of a timeline. `limit` is the device's memory in bytes; `after` holds timelines with advice applied, of which
    the first is drawn too.
    """
    clocks = [max(bucket, key=timeline.live.__getitem__) for bucket in buckets(range(timeline.end + 1), POINTS)]
    other = next(iter(after.values()), None)
    drawn = curve(other, timeline) if other is not None else []
    highest = max([timeline.live_peak_bytes, timeline.reserved_peak_bytes, 1, *(int(n) for row in drawn for n in row[1:])])
    close = limit is not None and limit <= NEAR * highest
    step = _step(max(highest, limit or 0) if close else highest)
    top = step * math.ceil((max(highest, limit or 0) if close else highest) * 1.02 / step)

    def x(clock: float) -> float:
        return round(LEFT + (WIDTH - LEFT - RIGHT) * clock / max(1, timeline.end), 1)

    def y(n: float) -> float:
        return round(HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * n / top, 1)

    sums = [(0,) * len(KINDS), *by_kind(timeline, clocks)][1:]
    edges = [[sum(row[: k + 1]) for row in sums] for k in range(len(KINDS))]
    areas = []
    below: Sequence[int] = [0] * len(clocks)
    for kind, edge in zip(KINDS, edges):
        if any(a != b for a, b in zip(edge, below)):
            there = _stairs([(x(c), y(n)) for c, n in zip(clocks, edge)], x(timeline.end))
            back = _stairs([(x(c), y(n)) for c, n in zip(clocks, below)], x(timeline.end))
            areas.append((kind.value, "M" + "L".join(there) + "L" + "L".join(reversed(back)) + "Z"))
        below = edge
    reserved = "M" + "L".join(_stairs([(x(c), y(timeline.reserved[c])) for c in clocks], x(timeline.end)))
    lines = tuple("M" + "L".join(f"{x(row[0])},{y(row[k])}" for row in drawn) for k in (1, 2)) if drawn else ()
    ticks = tuple((y(n), format_bytes(n)) for n in range(0, top + 1, step))
    peak = x(timeline.peak_clock), y(timeline.live_peak_bytes)
    return Chart(tuple(areas), reserved, y(limit) if close and limit is not None else None, lines, ticks, tuple(_calls(timeline, x)), peak)


def by_kind(timeline: Timeline, clocks: Sequence[int]) -> list[tuple[int, ...]]:
    """Returns the live bytes by kind of memory at each of `clocks`, which must be in ascending order."""
    changes: list[list[tuple[int, int]]] = [[] for _ in range(timeline.end + 1)]
    for a in timeline.allocations:
        kind = KINDS.index(a.tag.kind)
        changes[a.born].append((kind, a.held))
        if a.died is not None:
            changes[a.died].append((kind, -a.held))
    live, at, by_clock = [0] * len(KINDS), 0, []
    for clock in clocks:
        for k in range(at, clock + 1):
            for kind, size in changes[k]:
                live[kind] += size
        at = clock + 1
        by_clock.append(tuple(live))
    return by_clock


def _stairs(points: Sequence[tuple[float, float]], end: float) -> list[str]:
    """Corners "x,y" of a step line: it keeps the height of each point up to the next one, and that of the last up to `end`."""
    corners = []
    for (x, y), (following, _) in zip(points, [*points[1:], (end, 0.0)]):
        corners += [f"{x},{y}", f"{following},{y}"]
    return corners


def _step(highest: int) -> int:
    """The distance of grid lines in bytes, for four to eight lines up to `highest`: a round number in units of a power of 1024."""
    unit = 1 << (10 * max(0, (highest.bit_length() - 1) // 10))
    for factor in (1 / 1024 * 64, 1 / 1024 * 128, 0.25, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000):
        step = max(1, int(unit * factor))
        if highest / step <= 6:
            return step
    return max(1, highest // 4)


def _calls(timeline: Timeline, x: object) -> Iterator[tuple[float, str]]:
    """Yields (x position, name) of calls to label in the picture, at least a seventh of its width apart."""
    assert callable(x)
    last = -math.inf
    for span in timeline.spans:
        if span.function is not None and x(span.start) - last > WIDTH / 7:
            last = x(span.start)
            yield last, timeline.title(span)

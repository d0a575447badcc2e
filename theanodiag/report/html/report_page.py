"""The page of a Report, and its part that a notebook shows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from markupsafe import Markup

from ...findings import Finding
from ...ir import Unknown
from ...ir.shape import shape_text
from ...memory.replay import timeline as replayed
from ...memory.timeline import Allocation, Simulated, Timeline
from ...memory.verdict import Verdict
from ...rules.registry import all_rules
from ..confirmed import NAMES, Confirmation
from ..model import FunctionReport, Report
from ..over_time import timeline_of
from ..plan import Plan, plan_of
from ..terminal import saved, verdict
from ..user_source import marked_line
from .chart import Chart, chart
from .columns import columns
from .page import PLOTTING, as_data, page, shown

MOST_CHANGES = 200_000
"""Changes of memory that are drawn, around the peak: more would make a page that no browser likes."""
ROWS = 500
"""Allocations of the peak that are listed; the page says how many more there are."""
SOURCE_WIDTH = 120
"""Characters of a source line below a finding."""
CURVES = 6
"""Advice whose curve is drawn."""


def render(report: Report) -> str:
    """The whole page."""
    drawn = Drawn(report)
    scripts = (*PLOTTING, "report.js") if drawn.timeline is not None else ("report.js",)
    return page("report.html", scripts, r=report, d=drawn)


def framed(report: Report) -> str:
    """The page in a frame of a notebook, apart from its styles and scripts."""
    style = "width:100%;height:42rem;border:1px solid #8888;border-radius:6px"
    title = Markup.escape(shown(f"memory of {report.target.model}"))
    return f'<iframe sandbox="allow-scripts" title="{title}" style="{style}" srcdoc="{Markup.escape(render(report))}"></iframe>'


@dataclass(frozen=True)
class Drawn:
    """What the page shows of a report, in the form in which it shows it."""

    report: Report

    @cached_property
    def verdict(self) -> tuple[tuple[str, str], ...]:
        """Lines, each with `good`, `bad`, `open` or nothing."""
        words = {"green": "good", "red": "bad", "yellow": "open"}
        return tuple((text, words.get(style.rpartition(" ")[2], "")) for text, style in verdict(self.report))

    @cached_property
    def plan(self) -> Plan | None:
        """What makes the script fit, where something does."""
        return plan_of(self.report)

    @cached_property
    def timeline(self) -> Timeline | None:
        """None where nothing was simulated, or nothing was ever live."""
        return self._whole.around_peak(MOST_CHANGES) if self._whole.allocations else None

    @cached_property
    def _whole(self) -> Timeline:
        return timeline_of(self.report)

    @property
    def notes(self) -> Iterator[str]:
        """What the timeline leaves out, or has otherwise than the verdict."""
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
        """The timelines once an advice is followed, those that save most first, by code."""
        rows = [f for f in self.report.findings if f.saves is not None and f.saves.bytes > 0 and isinstance(f.saves.simulated, Simulated)]
        best = sorted(rows, key=lambda f: -(f.saves.bytes if f.saves else 0))
        first = {f.code: f for f in reversed(best)}
        found = {}
        for f in [f for f in best if first[f.code] is f][:CURVES]:
            if f.saves is not None and isinstance(f.saves.simulated, Simulated):
                found[f.code] = replayed(f.saves.simulated)
        return found

    @cached_property
    def limit(self) -> int | None:
        """Bytes that the device has for arrays."""
        return self.report.target.device.available_bytes

    @cached_property
    def chart(self) -> Chart | None:
        """The timeline as a picture."""
        return None if self.timeline is None else chart(self.timeline, self.limit, self.after)

    @cached_property
    def data(self) -> str:
        """The timeline as the script reads it."""
        ran = self.report.confirmation
        beside = ran if ran is not None and ran.on_target else None  # what another device took has no place on this timeline
        return as_data(None if self.timeline is None else columns(self.timeline, self.limit, beside, self.after))

    @cached_property
    def peak(self) -> tuple[Allocation, ...]:
        """What is live at the peak of the script, largest first."""
        return () if self.timeline is None else self.timeline.at(self.timeline.peak_clock)

    @property
    def rows(self) -> tuple[Allocation, ...]:
        """Those that are listed."""
        return self.peak[:ROWS]

    @property
    def left_out(self) -> int:
        """Bytes of those that are not."""
        return sum(a.held for a in self.peak[ROWS:])

    @cached_property
    def peak_title(self) -> str:
        """In which event of the script the peak is."""
        if self.timeline is None:
            return ""
        at = self.timeline.peak_clock
        return next((self.timeline.title(s) for s in self.timeline.spans if s.start < at <= s.end), "the start")

    @property
    def need(self) -> int:
        """Bytes that decide whether it fits: reserved on a device, live on the host."""
        process = self.report.process
        return process.live_peak_bytes if self.report.target.device.is_host else process.reserved_peak_bytes

    @property
    def functions(self) -> tuple[FunctionReport, ...]:
        """The functions, largest first."""
        return tuple(sorted(self.report.functions, key=lambda f: -(f.profile.figures.live_peak_bytes if f.profile else 0)))

    @cached_property
    def temporaries(self) -> tuple[tuple[str, str, str, int, str], ...]:
        """Function, what lies there, dtype and shape, bytes and line of each of XLA's temporaries, the largest functions first."""
        found: list[tuple[str, str, str, int, str]] = []
        for f in self.functions:
            held = f.temporaries
            for row in held.rows if held is not None else ():
                found.append((f.name, row.label, f"{row.dtype}{shape_text(row.shape)}", row.bytes, str(row.site or "")))
            if held is not None and held.rest:
                found.append((f.name, "gaps and tables", "", held.rest, ""))
        return tuple(found[:ROWS])

    @property
    def findings(self) -> tuple[Finding, ...]:
        """The worst first."""
        return tuple(sorted(self.report.findings, key=lambda f: -f.severity))

    @staticmethod
    def source(f: Finding) -> str:
        """The line of the script that a finding is about, with carets on a second line; empty where it cannot be read."""
        return "\n".join(marked_line(f.location, SOURCE_WIDTH))

    @staticmethod
    def saved(f: Finding) -> str:
        """What following the advice saves, in words; empty where that is nothing."""
        return saved(f.saves) if f.saves is not None and (f.saves.bytes > 0 or f.saves.seconds > 0) else ""

    @cached_property
    def pages(self) -> Mapping[str, str]:
        """The pages of the rules, by code."""
        return {rule.code: rule.page.strip() for rule in all_rules()}

    @cached_property
    def measured(self) -> tuple[tuple[str, str, Verdict], ...]:
        """Function and call, what the figure is called, and the figure; equal calls once."""
        return () if self.report.confirmation is None else tuple(_measured(self.report.confirmation))

    @staticmethod
    def unknown(value: object) -> str:
        """Why a value is not known; empty where it is."""
        return value.reason if isinstance(value, Unknown) else ""


def _measured(confirmation: Confirmation) -> Iterator[tuple[str, str, Verdict]]:
    for f in confirmation.functions:
        shown = None
        for k, row in enumerate(f.calls):
            if row != shown:
                yield from ((f"{f.name}, call {k + 1}", NAMES.get(v.name, v.name), v) for v in row)
            shown = row
    yield from (("the script", NAMES.get(v.name, v.name), v) for v in confirmation.process)

"""The difference between two reports of one script: functions and peak buffers that grew."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Optional

from ..errors import UnreadableError
from ..escaping import visible
from ..units import format_bytes
from .v1 import common
from .v1.report import ReportV1

SHOWN = 10
"""Number of buffers listed for each function in the text."""
WHEN = ("before", "after")
"""Words for the two reports: the older and the newer."""


@dataclass(frozen=True)
class SizeChange:
    """The size of a function, a sampler's call, a buffer or another part in two reports; 0 bytes in a report that does not contain it."""

    name: str
    before: int
    after: int
    kind: str = ""
    """Kind of a buffer: `shared`, `intermediate` ...; stage of a sampler's part, or `process`; empty for a function."""
    site: str = ""
    """The line of the script that makes the buffer, from the later report if it contains the buffer; empty if unknown."""

    @property
    def bytes(self) -> int:
        """Growth in bytes from the first report to the second; negative if it shrank."""
        return self.after - self.before


@dataclass(frozen=True)
class FunctionChange:
    """The peak of a compiled function or of a sampler's call, and the buffers or parts at that peak."""

    peak: SizeChange
    buffers: tuple[SizeChange, ...]
    """Buffers whose size changed, largest change first."""


@dataclass(frozen=True)
class Growth:
    """The differences between two reports."""

    models: tuple[str, str]
    """Paths of the two reported scripts."""
    devices: tuple[str, str]
    verdicts: tuple[str, str]
    peak: SizeChange
    """The script's peak: reserved bytes on a device, live bytes on the host."""
    functions: tuple[FunctionChange, ...]
    """Functions whose peak, or the buffers at it, changed; largest change first."""
    notes: tuple[str, ...] = ()
    """What is missing from the figures of one of the reports: a script that failed, functions of unknown size."""


MADE_WITH = "make it with theanodiag check MODEL.py --format json -o FILE"


def read(data: bytes, path: str) -> ReportV1:
    """Parses a JSON report of the format `theanodiag/report/v1`. Raises `UnreadableError` for anything else."""
    try:
        return common.read(data, ReportV1)
    except ValueError:
        raise UnreadableError("this is not a report (theanodiag/report/v1) in JSON", path=path, help=MADE_WITH) from None


def growth(before: ReportV1, after: ReportV1) -> Growth:
    """Compares two reports of a script; growth is from `before` to `after`."""
    old, new = ({**dict(_functions(report)), **dict(_sampling_calls(report))} for report in (before, after))
    peak = SizeChange(f"{'live' if _on_host(after) else 'reserved'} peak", _peak(before), _peak(after))
    least = abs(peak.bytes) // 100 if before.sampling or after.sampling else 0  # the functions of a sampler are parts of its call
    changes = []
    unsized = [[key for key, (peak, *_) in side.items() if peak is None] for side in (old, new)]
    for key in dict.fromkeys((*new, *old)):
        if key in (*unsized[0], *unsized[1]):
            continue
        was, buffers = old.get(key, (0, Counter[tuple[str, str]](), {}))[:2]
        now, later = new.get(key, (0, Counter[tuple[str, str]](), {}))[:2]
        sites = {**old.get(key, (0, 0, {}))[2], **new.get(key, (0, 0, {}))[2]}
        name = _name(key)
        rows = [SizeChange(b[0], buffers[b], later[b], b[1], sites.get(b, "")) for b in dict.fromkeys((*later, *buffers))]
        other = sorted((row for row in rows if row.bytes), key=lambda row: -abs(row.bytes))
        if (
            was is not None
            and now is not None
            and (was != now or other)
            and max(abs(now - was), *(abs(r.bytes) for r in other), 0) >= least
        ):
            changes.append(FunctionChange(SizeChange(name, was, now), tuple(other)))
    return Growth(
        (before.target.model, after.target.model),
        (before.target.device.name, after.target.device.name),
        (before.process.verdict, after.process.verdict),
        peak,
        tuple(sorted(changes, key=lambda c: -abs(c.peak.bytes))),
        tuple(note for when, report, names in zip(WHEN, (before, after), unsized) for note in _missing(when, report, map(_name, names))),
    )


def _missing(when: str, report: ReportV1, unsized: Iterable[str]) -> Iterator[str]:
    """Yields sentences on what the figures of a report leave out."""
    script = report.script
    if script.outcome != "ran":
        reason = script.message or script.status
        yield f"{when + ':':<8}the script did not run to its end ({reason}): the figures are of what it did until then"
    yield from (f"{when + ':':<8}{name} was never called: its peak is not known" for name in unsized)


def _name(key: tuple[str, int]) -> str:
    """The name of a function; with a number if it is not the first of that name."""
    return f"{key[0]} ({key[1] + 1})" if key[1] else key[0]


def _on_host(report: ReportV1) -> bool:
    return report.target.device.total_bytes is None


def _peak(report: ReportV1) -> int:
    return report.process.live_peak_bytes if _on_host(report) else report.process.reserved_peak_bytes


_Function = tuple[Optional[int], "Counter[tuple[str, str]]", dict[tuple[str, str], str]]


def _functions(report: ReportV1) -> Iterator[tuple[tuple[str, int], _Function]]:
    """Yields for each function (name, number among those of that name) and its figures: peak (None if unknown), bytes by buffer and kind,
    and source lines.
    """
    seen: dict[str, int] = defaultdict(int)
    for one in report.functions:
        name, profile = one.name, one.profile
        buffers: Counter[tuple[str, str]] = Counter()
        sites: dict[tuple[str, str], str] = {}
        for row in profile.at_peak if profile else ():
            key = row.variable, row.kind.value
            buffers[key] += row.nbytes
            sites.setdefault(key, row.site or "")
        peak = None if profile is None else profile.live_peak_bytes if _on_host(report) else profile.reserved_bytes
        yield (name, seen[name]), (peak, buffers, sites)
        seen[name] += 1


def _sampling_calls(report: ReportV1) -> Iterator[tuple[tuple[str, int], _Function]]:
    """Yields for each call of a sampler (function, number among its calls) and its figures: the highest memory of the process, or of the
    call where that is not known, and the bytes of its parts.
    """
    seen: dict[str, int] = defaultdict(int)
    for call in report.sampling or ():
        name = call.function or call.kind
        parts: Counter[tuple[str, str]] = Counter()
        for row in call.process.parts if call.process else ():
            parts[row.what, "process"] += row.bytes
        for item in next((stage.items for stage in call.stages if stage.name == call.peak_stage), ()):
            parts[item.what.partition(", by ")[0], call.peak_stage] += item.bytes  # without the draws by which it was measured
        parts.pop((call.peak_stage, "process"), None)  # the sum of the items
        bytes_ = call.process.bytes if call.process else call.peak_bytes
        yield (name, seen[name]), (bytes_, parts, dict.fromkeys(parts, call.site or ""))
        seen[name] += 1


def signed(n: int) -> str:
    """Returns a difference in bytes with its sign, such as `+1.5 MiB`, `-200.0 KiB` or `0 B`."""
    return f"{'+' if n > 0 else '-' if n < 0 else ''}{format_bytes(abs(n))}"


def text(growth: Growth) -> str:
    """Returns the comparison as text for the terminal."""
    return "".join(f"{visible(line)}\n" for line in _lines(growth))


def _lines(growth: Growth) -> Iterator[str]:
    peak = growth.peak
    yield f"{growth.models[1]}: {peak.name} {format_bytes(peak.before)} -> {format_bytes(peak.after)} ({signed(peak.bytes)})"
    for when, verdict in zip(WHEN, growth.verdicts):
        yield f"  {when + ':':<8}{verdict}"
    yield from (f"  {note}" for note in growth.notes)
    if growth.models[0] != growth.models[1]:
        yield f"  the report before is about another script: {growth.models[0]}"
    if growth.devices[0] != growth.devices[1]:
        yield f"  the reports are about two devices: {growth.devices[0]} and {growth.devices[1]}"
    if not growth.functions:
        yield "  no function changed its peak or the buffers live at it"
    for function in growth.functions:
        yield ""
        yield f"{_row(function.peak)}  peak of {function.peak.name}"
        for row in function.buffers[:SHOWN]:
            yield f"{_row(row)}    {'  '.join(filter(None, (row.name, row.kind, row.site)))}"
        if function.buffers[SHOWN:]:
            yield f"{signed(sum(row.bytes for row in function.buffers[SHOWN:])):>12}    {len(function.buffers) - SHOWN} more"


def _row(change: SizeChange) -> str:
    how = "new" if not change.before else "gone" if not change.after else f"{format_bytes(change.before)} -> {format_bytes(change.after)}"
    return f"{signed(change.bytes):>12}  {how:<24}"

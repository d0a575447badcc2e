"""The text report, readable at 80 columns: whether it fits, what to do, where the bytes are, findings, then how the result was found.

Behind these stand what was measured, the device and the engine, the functions by size and details of the largest.
"""

from __future__ import annotations

import io
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rich import box
from rich.console import Console
from rich.padding import Padding
from rich.table import Table

from ..devices import DeviceProfile
from ..findings import EXACT_FIGURES, Finding, Saving, Severity
from ..ir.shape import shape_text
from ..memory.profile import ESTIMATED, LiveVariable, MemoryProfile, Origin, Step, most_scattered, worst_gap
from ..ops.arrays import ItemKind
from ..units import column_format, format_bytes
from . import confirmed
from .formats import View
from .model import FunctionReport, Report
from .next_step import FitPlan, after_bytes, next_step, plan_of
from .rich_text import Page, Text
from .sampling import print_sampling
from .user_source import marked_line, shortened_traceback
from .verdict import conclusion, needed

WIDTH = 56
"""Width of the timeline in columns; with its labels it fits into 80."""
NEARLY_NOTHING = 0.005
"""Fragmentation below this value would be printed as 0.00 and is left out."""
LEVELS = " ▁▂▃▄▅▆▇█"


def line(profile: MemoryProfile) -> str | None:
    """Returns one line with the most bytes that are reserved but not live, and the worst fragmentation; None if all reserved memory is
    always live.
    """
    kept = [step for step in profile.timeline if step.reserved_bytes > step.live_bytes]
    gap, scattered = worst_gap(kept), most_scattered(profile.timeline if kept else ())
    if gap is None or scattered is None:
        return None
    text = f"reserved but not live: up to {format_bytes(gap.reserved_bytes - gap.live_bytes)} (step {gap.step})"
    if scattered.fragmentation < NEARLY_NOTHING:
        return f"{text}, {'nearly all ' if scattered.scattered_bytes else ''}in one piece"
    free, largest = format_bytes(scattered.free_bytes), format_bytes(scattered.largest_free_bytes)
    return f"{text}; fragmentation {scattered.fragmentation:.2f} at step {scattered.step}: {free} free, the largest piece {largest}"


def timeline(profile: MemoryProfile, width: int = WIDTH) -> Iterator[str]:
    """Yields three rows over the steps of a call: reserved bytes, live bytes, and the share of free bytes outside the largest free
    block.
    """
    steps = profile.timeline
    # What is live is the highest point during a step, what is reserved is that of its end: on the host memory is given back at once.
    top = max((max(s.reserved_bytes, s.live_bytes) for s in steps), default=0)
    if not top:
        return
    groups = list(_groups(steps, width))
    rows = (
        ("reserved", [max(s.reserved_bytes for s in g) / top for g in groups], format_bytes(top)),
        ("live", [max(s.live_bytes for s in g) / top for g in groups], format_bytes(max(s.live_bytes for s in steps))),
        ("scattered", [max(s.fragmentation for s in g) for g in groups], f"{max(s.fragmentation for s in steps):.0%}"),
    )
    for name, shares, most in rows:
        yield f"{name:9} {''.join(map(_fragmentation_bar, shares))} {most}"


def _groups(steps: Sequence[Step], width: int) -> Iterator[Sequence[Step]]:
    """Splits the steps, in order, into at most `width` runs."""
    count = min(width, len(steps))
    edges = [k * len(steps) // count for k in range(count + 1)]
    return (steps[a:b] for a, b in zip(edges, edges[1:]))


def _fragmentation_bar(share: float) -> str:
    """A block character whose height shows a share of 0 to 1; the lowest visible one for anything above 0."""
    level = round(share * (len(LEVELS) - 1))
    return LEVELS[max(level, 1) if share > 0 else 0]


AT_PEAK_SHOWN = 10
DETAILED = 3
"""Number of functions shown in detail if none is named."""
LISTED = 30
BAR = 30
"""Width of the bar of needed memory, in characters."""
LONGEST_EXCEPTION = 160
"""Maximum number of characters of an exception that is repeated below its traceback."""
MARGIN = 8
"""Columns of margin beside a source line."""
ALTERNATIVES_SHOWN = 4
"""Maximum number of alternatives listed after the plan, one line each."""
LEAST_SHARE = 0.01
"""Buffers smaller than this share of the peak are summed up, and functions that need less of the whole are counted."""
LEAST_LABEL = 20
"""Minimum number of characters shown of a buffer's name."""
LABEL_BESIDE = 17
"""Columns of the peak table beside names, shapes, sizes and kinds: the share and the separators."""
ARGUMENTS_SHOWN = 12
UNKNOWN_SHOWN = 3
_STYLE = {Severity.ERROR: "bold red", Severity.WARNING: "yellow", Severity.INFO: "cyan"}


def show(report: Report, view: View) -> str:
    """Returns the report as text, with details of the functions named in `view`, or of the largest function. `view.verbose` adds all
    functions and, step by step, the memory that is reserved but not live; with `view.quiet` only verdict and findings are shown.
    """
    out = io.StringIO()
    console = Page(out, view.color, view.width)
    _heading(console, report)
    _verdict(console, report)
    plan = plan_of(report)
    if plan is not None:
        _plan(console, report, plan, view.verbose)
    chosen = [] if view.quiet else _chosen(report, view)
    sampled = max(report.sampling, key=lambda call: call.profile.peak.bytes, default=None)
    if sampled is not None:
        print_sampling(console, (sampled,), view.verbose)
    elif chosen and (first := chosen[0].profile) is not None:
        _where(console, chosen[0].name, first, view.verbose)
    _findings(console, report, plan, view.verbose)
    _confirmation(console, report)
    if not view.quiet and report.functions:
        _target(console, report)
    print_sampling(console, tuple(call for call in report.sampling if call is not sampled), view.verbose)
    if not view.quiet:
        _functions(console, report, view.verbose, chosen)
        _process(console, report)
        _skipped(console, report)
    return "\n".join(line.rstrip() for line in out.getvalue().split("\n"))


def _heading(console: Console, report: Report) -> None:
    target = report.target
    lacks = "no framework" if target.interpreter else ""  # a live function was not looked for in an interpreter
    framework = f"{target.framework.name} {target.framework.version}" if target.framework else lacks
    framework = framework.replace(" ?", ", of unknown version")
    if target.framework and target.framework.alias_of:
        framework += f", imported as {target.framework.alias_of}"
    console.print(Text.assemble((target.model, "bold"), f"  {framework}"))


def _target(console: Console, report: Report) -> None:
    target, device = report.target, report.target.device
    console.print()
    if device.is_host:
        console.print("device: none; figures are host memory")
    elif device.total_bytes is None:
        console.print("device: a GPU of unknown size; figures are its memory, without the CUDA context")
    else:
        context = f"context {format_bytes(device.context.bytes)} ({device.context.origin})"
        console.print(Text(f"device: {device.name}, {device.total_bytes} bytes ({format_bytes(device.total_bytes)}), {context}"))
    if report.engine is not None:
        console.print(Text(f"engine: {report.engine.line}"))
        for note in report.engine.notes:
            console.print(Padding(Text(note), (0, 0, 0, 2)))
        for s in report.engine.settings:
            console.print(Padding(Text(f"{s.name}={s.value} ({s.origin}): {s.effect}"), (0, 0, 0, 2)))
    if target.framework and target.framework.stand_in:
        cudnn = target.framework.stand_in.cudnn
        console.print(
            f"graph: {target.framework.name}'s GPU optimiser, {f'with cuDNN {cudnn}' if cudnn else 'without cuDNN'}; no GPU was used"
        )


def _largest(report: Report) -> list[FunctionReport]:
    """The functions, sorted by memory, largest first."""
    return sorted(report.functions, key=lambda f: -_need(f, report.target.device))


def _chosen(report: Report, view: View) -> list[FunctionReport]:
    """The functions whose details are shown: those that the user named, else the largest."""
    largest = _largest(report)
    if view.functions:
        return [f for f in largest if f.name in view.functions]
    return largest if view.verbose else _that_matter(report, largest)[:DETAILED]


def _that_matter(report: Report, functions: Sequence[FunctionReport]) -> list[FunctionReport]:
    """The functions whose share of the script's memory is at least `LEAST_SHARE`, and those without figures."""
    least = LEAST_SHARE * needed(report)
    return [f for f in functions if f.profile is None or _need(f, report.target.device) >= least]


def _functions(console: Console, report: Report, verbose: bool, chosen: Sequence[FunctionReport]) -> None:
    """Prints a line for each function, largest first; then the details of the `chosen` ones, the first without the table that `_where` has
    printed.
    """
    device, largest = report.target.device, _largest(report)
    listed = largest if verbose else _that_matter(report, largest)[:LISTED]
    if len(largest) > 1 and listed:
        _overview(console, listed, device, len(largest) - len(listed))
    elif largest and not listed:
        console.print()
        less = f"{_count(len(largest), 'function')}, each with less than {LEAST_SHARE:.0%} of that memory"
        console.print(less if chosen else f"{less}: --verbose, or --function NAME")
    for function in chosen:
        _function(console, function, device, verbose, at_peak=function is not chosen[0] or bool(report.sampling))
    if chosen and len(chosen) < len(largest):
        console.print()
        console.print(f"details of {_count(len(largest) - len(chosen), 'more function')}: --verbose, or --function NAME")


def _where(console: Console, name: str, p: MemoryProfile, verbose: bool) -> None:
    """Prints what is live at the peak of the largest function, or of the one that the user named."""
    if p.at_peak:
        console.print()
        console.print(Text(f"where the bytes are, at the peak of {name}:", style="bold"))
        _at_peak(console, p, verbose)


def _need(f: FunctionReport, device: DeviceProfile) -> int:
    """Bytes that a function takes at its peak: live on the host, reserved on a device."""
    if f.profile is None:
        return 0
    return f.profile.figures.deciding_bytes(device.is_host)


def _overview(console: Console, functions: Sequence[FunctionReport], device: DeviceProfile, more: int) -> None:
    """Prints a table with a row for each function, and the number of functions left out."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title=None, show_edge=False, expand=False)
    table.add_column("function", overflow="ellipsis", no_wrap=True, max_width=32)
    for heading in ("live peak", "nodes", "calls") if device.is_host else ("live peak", "reserved", "share", "nodes", "calls"):
        table.add_column(heading, justify="right", no_wrap=True)
    for f in functions:
        figures, mark = (f.profile.figures, "≥ " if f.profile.unknown else "") if f.profile else (None, "")
        sizes = [f"{mark}{format_bytes(figures.live_peak_bytes)}" if figures else "?"]
        if not device.is_host:
            sizes += [
                f"{mark}{format_bytes(figures.reserved_bytes)}" if figures else "?",
                _share(_need(f, device), device) if figures else "?",
            ]
        table.add_row(Text(f.name), *sizes, str(len(f.graph.applies)), str(len(f.calls)))
    if more:
        table.add_row(f"{more} more")
    console.print()
    console.print(table)


def _share(need: int, device: DeviceProfile) -> str:
    """`need` as a percentage of the device's memory for arrays, such as `12.5 %`; empty if that memory is unknown."""
    there_is = device.available_bytes
    return f"{100 * need / there_is:.1f} %" if there_is else ""


def _function(console: Console, f: FunctionReport, device: DeviceProfile, verbose: bool, *, at_peak: bool) -> None:
    console.print()
    head = Text.assemble((f.name, "bold"), f"  {_count(len(f.graph.applies), 'node')}, {_count(len(f.calls), 'call')}")
    console.print(head)
    shown = f.profile.call if f.profile else 0
    for call in f.calls[shown : shown + 1] or f.calls[:1]:
        arguments = ", ".join(f"{i.name or '?'} {i.dtype or ''}{shape_text(i.shape)}" for i in call.inputs[:ARGUMENTS_SHOWN])
        if len(call.inputs) > ARGUMENTS_SHOWN:
            arguments += f", {len(call.inputs) - ARGUMENTS_SHOWN} more"
        console.print(_indented(f"called with {arguments or 'no arguments'}{' (assumed)' if call.assumed else ''}"))
    if f.profile is None:
        console.print("  no figures: never called, and the shapes of its inputs are not known")
        return
    _figures(console, f, device, verbose)
    if verbose:
        _fragmentation(console, f.profile)
    if at_peak:
        _at_peak(console, f.profile, verbose)
    _temporaries(console, f, verbose)


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'' if n == 1 else 's'}"


def _note(f: FunctionReport, p: MemoryProfile, device: DeviceProfile) -> str:
    """A remark on why the figures of a function are not exact; empty if they are."""
    note = ""
    if p.origin is Origin.BOUNDED:
        placed = not device.is_host and not f.graph.on_device
        why = "placed as the GPU optimiser would" if placed else "for sizes that depend on data, the largest case is counted"
        why = "made without XLA" if f.engine == "xla" else why
        note = f" (bounded: {why})"
    elif p.origin is Origin.ESTIMATE:
        note = f": {'estimate (node by node; torch may fuse or keep more)' if f.engine == 'torch' else ESTIMATED}"
    elif p.origin is Origin.ASSUMED:
        note = " (assumed: types that the text does not print)"
    return note + (f" ({_count(len(p.unknown), 'Variable')} unknown: {_names(p)})" if p.unknown else "")


def _names(p: MemoryProfile) -> str:
    """Names of the first Variables whose sizes are unknown, each once."""
    names = tuple(dict.fromkeys(u.variable for u in p.unknown))
    left = len(names) - UNKNOWN_SHOWN
    return ", ".join(names[:UNKNOWN_SHOWN]) + (f" and {left} more" if left > 0 else "")


def _figures(console: Console, of: FunctionReport, device: DeviceProfile, verbose: bool) -> None:
    p, on_host = of.profile, device.is_host
    if p is None:
        return
    f, mark = p.figures, "≥ " if p.unknown else ""
    note = _note(of, p, device)
    before, peak, after = (format_bytes(n) for n in (f.live_before_bytes, f.live_peak_bytes, f.live_after_bytes))
    console.print(_indented(f"live before {before}, peak {mark}{peak}, after {after}{note if on_host else ''}"))
    if not on_host:
        taken = "XLA's pool at its fullest:" if of.engine == "xla" else "taken from the driver"
        console.print(_indented(f"{taken} {mark}{format_bytes(f.reserved_bytes)}{note}"))
    if of.xla is not None:
        x = of.xla
        sizes = f"arguments {x.argument_bytes}, results {x.output_bytes}, temporaries {x.temporary_bytes} bytes"
        console.print(_indented(f"XLA for {x.card or 'the CPU of this host'}: {sizes}"))
        if len(of.compile_seconds) > 1:
            each = ", ".join(f"{s:.2g}" for s in of.compile_seconds)
            console.print(
                _indented(f"JAX compiles it again for each of {len(of.compile_seconds)} kinds of calls: {each} s on this machine")
            )
        if x.refused:
            console.print(_indented(f"JAX does not compile it unchanged: {x.refused}; the figures are for constant lengths"))
    least = {ItemKind.ROUNDING: LEAST_SHARE * f.live_peak_bytes, ItemKind.FRAGMENTATION: math.inf}
    shown = [i for i in p.items if i.bytes and (verbose or i.bytes >= least.get(i.kind, 0))]
    whole = " (blocks of XLA's allocator)" if of.engine == "xla" and not on_host else ""
    items = ", ".join(f"{i.kind.value} {format_bytes(i.bytes)}{whole if i.kind is ItemKind.ROUNDING else ''}" for i in shown)
    if items:
        console.print(_indented(f"of which {items}"))


def _indented(text: str) -> Padding:
    """A paragraph, indented by two columns where it is wrapped too."""
    return Padding(Text(text), (0, 0, 0, 2))


def _fragmentation(console: Console, p: MemoryProfile) -> None:
    summary = line(p)
    if summary is not None:
        console.print(_indented(summary))
    for row in timeline(p):
        console.print(Text(f"  {row}"), no_wrap=True, crop=False)


def _at_peak(console: Console, p: MemoryProfile, verbose: bool) -> None:
    rows = [_HeldRow(label(v), f"{v.dtype} {shape_text(v.shape)}" if v.dtype else "", v.nbytes, v.kind.value) for v in p.at_peak]
    if rows:
        whole = sum(row.bytes for row in rows)
        _print_parts(console, "live at the peak", rows, whole, verbose)
        rounding = sum(i.bytes for i in p.items if i.kind is ItemKind.ROUNDING)
        if rounding and (verbose or rounding >= LEAST_SHARE * whole):
            console.print(_indented(f"the sizes include the allocator's rounding, {format_bytes(rounding)} in all"))


def _temporaries(console: Console, f: FunctionReport, verbose: bool) -> None:
    """Prints what XLA's block of temporaries holds at its fullest, if XLA itself reported that."""
    temporaries = f.temporaries
    if temporaries is None or not temporaries.rows:
        return
    rows = []
    for r in temporaries.rows:
        name = f"{r.label}  {r.site.path.rsplit('/', 1)[-1]}:{r.site.line}" if r.site else r.label
        rows.append(_HeldRow(name, f"{r.dtype}{shape_text(r.shape)}", r.bytes))
    _print_parts(console, "XLA's temporaries", rows, temporaries.bytes, verbose, gaps=temporaries.rest)


class _HeldRow(NamedTuple):
    """A row of a table that lists the contents of a block of memory."""

    name: str
    shape: str
    bytes: int
    kind: str = ""


def _print_parts(console: Console, heading: str, rows: Sequence[_HeldRow], whole: int, verbose: bool, gaps: int | None = None) -> None:
    """Prints the largest parts of a block of `whole` bytes with their shares, and the sum of the smaller ones; with `verbose` all of
    them.
    """
    shown = [r for r in rows[: None if verbose else AT_PEAK_SHOWN] if verbose or r.bytes >= LEAST_SHARE * whole] or rows[:1]
    size_heading, size_text = column_format(rows[0].bytes, exact=verbose)
    sizes = [size_text(n) for n in (*(r.bytes for r in rows), *(() if gaps is None else (whole, gaps)))]
    others = max(len(r.shape) for r in shown) + max(map(len, sizes)) + max(len(r.kind) for r in shown) + LABEL_BESIDE
    room = max(LEAST_LABEL, console.width - others)
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), title=None, show_edge=False, expand=False)
    table.add_column(heading, no_wrap=True)
    table.add_column("dtype and shape", overflow="fold")
    table.add_column(size_heading, justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    if shown[0].kind:
        table.add_column("kind", no_wrap=True)
    for r in shown:
        kind = [r.kind] if r.kind else []
        table.add_row(Text(shortened(r.name, room)), Text(r.shape), size_text(r.bytes), _percent(r.bytes, whole), *kind)
    more = rows[len(shown) :]
    for name, size in ((f"{len(more)} more" if more else "", sum(r.bytes for r in more)), ("gaps and tables" if gaps else "", gaps or 0)):
        if name:
            table.add_row(name, "", size_text(size), _percent(size, whole))
    console.print(table)


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f} %" if whole else ""


def shortened(text: str, room: int) -> str:
    """Shortens a buffer's label to `room` characters: keeps the source line at its end, or its beginning if there is no source line."""
    if len(text) <= room:
        return text
    kept = room * 2 // 3 if "  " in text else 0
    return f"{text[: room - kept - 1]}…{text[len(text) - kept :]}"


def beginning(text: str) -> str:
    """Returns the first `LONGEST_EXCEPTION` characters of a message, with `…` if it is longer."""
    return text if len(text) <= LONGEST_EXCEPTION else f"{text[: LONGEST_EXCEPTION - 1]}…"


def label(v: LiveVariable) -> str:
    """Returns the label of a buffer: its name, else its Op, with the source line if known."""
    return f"{v.variable}  {v.site.path.rsplit('/', 1)[-1]}:{v.site.line}" if v.site else v.variable


def _process(console: Console, report: Report) -> None:
    p = report.process
    if len(report.functions) > 1:
        console.print()
        driver = "" if report.target.device.is_host else f", taken from the driver {format_bytes(p.reserved_peak_bytes)}"
        kept = f", kept at its end {format_bytes(p.persistent_bytes)}"
        console.print(f"the script as a whole: live peak {format_bytes(p.live_peak_bytes)}{driver}{kept}")
    if report.reserved_range:
        low, high = map(format_bytes, report.reserved_range)
        console.print(f"between {low} and {high} are taken from the driver, depending on the addresses of its blocks")


def _confirmation(console: Console, report: Report) -> None:
    if report.confirmation is not None:
        console.print()
        for text, style in confirmed.lines(report.confirmation, report.target.device.place):
            console.print(Text(text, style=style), soft_wrap=len(text) <= 80)


def _plan(console: Console, report: Report, plan: FitPlan, verbose: bool) -> None:
    """Prints the steps of a plan with the bytes after each, their costs and code; then the alternatives, one line each."""
    console.print()
    console.print(Text(f"to make it fit ({plan.code}):", style="bold"))
    most = "at most " * plan.bounded
    for number, step in enumerate(plan.steps, 1):
        row = Table.grid(padding=(0, 1, 0, 0))
        row.add_row(f"  {number}.", Text(step.description))
        need = f"needs {most}{format_bytes(step.after_bytes)} then; " if plan.steps[1:] else ""
        row.add_row("", Text(f"{need}{step.cost}"))
        console.print(row)
        for line in step.code.split("\n"):
            console.print(Text(f"       {line}"), soft_wrap=True)
    console.print(Text(f"  {plan.conclusion}", style="bold green"))
    if plan.condition:
        console.print(Padding(Text(plan.condition), (0, 0, 0, 2)))
    instead = [f for f in plan.others if f.cures and not verbose]
    helps = [f for f in plan.others if not f.cures and f.severity >= Severity.WARNING and not f.minor and not verbose]
    for f in (*instead[:ALTERNATIVES_SHOWN], *helps[:ALTERNATIVES_SHOWN]):
        title = f.fix.title if f.fix is not None else f.message
        alone = "" if f.cures else "; not enough alone"
        console.print(Padding(Text(f"or {title} ({f.code}): {format_bytes(after_bytes(report, f))}; {f.cost}{alone}"), (0, 0, 0, 2)))
    if not verbose:
        console.print("  all advice with code and figures: --verbose")


def _findings(console: Console, report: Report, plan: FitPlan | None, verbose: bool) -> None:
    in_plan = () if plan is None or verbose else (plan.finding, *plan.others)
    findings = [f for f in report.findings if not any(f is other for other in in_plan)]
    shown = [f for f in findings if verbose or not f.minor]
    verdict_line = conclusion(report)[0]
    for f in sorted(shown, key=lambda f: -f.severity):
        console.print()
        print_finding(console, f, verdict_line)
    if len(shown) < len(findings):
        codes = ", ".join(dict.fromkeys(f.code for f in findings if f not in shown))
        console.print()
        console.print(f"{_count(len(findings) - len(shown), 'more finding')} with little effect ({codes}): --verbose")
    if report.ignored:
        counts = sorted(Counter(f.code for f, _ in report.ignored).items())
        console.print()
        console.print(f"ignored: {_count(len(report.ignored), 'finding')} ({', '.join(f'{n} {code}' for code, n in counts)})")


def print_finding(console: Console, f: Finding, verdict_line: str = "") -> None:
    """Prints a finding with its source line, saving, notes and fix. Leaves out notes that are part of `verdict_line`."""
    console.print(Text.assemble((str(f.location), "bold"), ": ", (f.kind, _STYLE[f.severity]), f": {f.message}"))
    for line in marked_line(f.location, console.width - MARGIN):
        console.print(Text(f"    {line}"), soft_wrap=True)
    if f.saves is not None and (f.saves.bytes > 0 or f.saves.seconds > 0):
        console.print(f"  saves {saved(f.saves)}")
    for line in f.notes:
        if line not in verdict_line:
            console.print(Padding(Text(line), (0, 0, 0, 2)))
    if f.fix:
        _fix(console, f.fix.title, f.fix.code.split("\n") if f.fix.code else [])


def saved(saves: Saving) -> str:
    """Returns the saving as text: `1.2 GiB and 12.5 ms`."""
    parts = [format_bytes(saves.bytes)] if saves.bytes > 0 else []
    if saves.seconds > 0:
        parts.append(f"{saves.seconds:.3g} s" if saves.seconds >= 1 else f"{1000 * saves.seconds:.3g} ms")
    return " and ".join(parts)


def _fix(console: Console, title: str, lines: list[str]) -> None:
    """Prints advice and its code: a single line after the title if it fits there, other lines below it, unwrapped."""
    beside = f" {lines[0]}" if len(lines) == 1 and len(title) + len(lines[0]) + 10 <= console.width else ""
    console.print(Padding(Text.assemble(("help: ", "bold green"), f"{title}:{beside}" if lines else title), (0, 0, 0, 2)))
    for line in () if beside else lines:
        console.print(Text(f"    {line}"), soft_wrap=True)


def _skipped(console: Console, report: Report) -> None:
    step = next_step(report)
    shown = [s for s in report.skipped if s.what != EXACT_FIGURES or s.reason != step]
    if shown:
        console.print()
    for s in shown:
        exact = s.what == EXACT_FIGURES
        console.print(Text(f"For exact figures run: {s.reason}" if exact else f"not checked: {s.what}: {s.reason}"))


def _verdict(console: Console, report: Report) -> None:
    console.print()
    if report.script.traceback and report.script.failed:
        for row in shortened_traceback(report.script.traceback):
            console.print(Text(row), soft_wrap=True)
        console.print(Text(f"the script itself failed: {beginning(report.script.message or '')}", style="bold red"))
        if report.script.reason:
            console.print(Text(report.script.reason))
    elif report.script.status in ("stopped", "timeout"):
        console.print(Text(f"the script was stopped: {report.script.message}"))
    elif report.script.failed:
        console.print(Text(f"the script ended with {report.script.message}", style="bold red"))
    if report.script.unverified:
        console.print(Text(f"unverified: {report.script.unverified}; the report covers what came before", style="bold yellow"))
    lines = verdict(report)
    for line, style in lines[:1]:
        console.print(Text(line, style=style))
    _bar(console, report, lines[0][1])
    for line, style in lines[1:]:
        console.print(Text(line, style=style))


def _bar(console: Console, report: Report, style: str) -> None:
    """Prints the bar of needed and available memory; nothing if either is unknown."""
    device = report.target.device
    there_is = device.available_bytes
    if not report.functions or not there_is:
        return
    need = needed(report)
    console.print(Text(f"[{bar(need, there_is)}] {_share(need, device)}, {need} of {there_is} bytes", style=style))


def bar(need: int, there_is: int) -> str:
    """Returns a bar of `BAR` characters that shows needed and available memory: `####....` if it fits; `####|####` if not, with the limit
    at `|`.
    """
    if need <= there_is:
        full = round(BAR * need / there_is)
        return "#" * full + "." * (BAR - full)
    within = max(1, min(BAR - 2, round((BAR - 1) * there_is / need)))
    return f"{'#' * within}|{'#' * (BAR - 1 - within)}"


def verdict(report: Report) -> list[tuple[str, str]]:
    """Returns the verdict and, if there is one, the next step: lines of text, each with its style."""
    step = next_step(report)
    return [conclusion(report), *([(f"next: {step}", "")] if step else [])]

"""Sampler calls in the text report: a table of stages, and the parts of the highest stage."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich import box
from rich.console import Console, RenderableType
from rich.table import Table

from ..memory.profile import Origin
from ..rules.sampling import SampledCall
from ..samplers.extrapolation import SamplingTrial
from ..samplers.model import SamplingCall, SamplingProfile
from ..samplers.process_memory import FIRST, Whole
from ..units import column_format, format_bytes
from .rich_text import Text

LEAST_SHARE = 0.01
"""Parts of less than this share of the highest stage's memory are summed up in one line."""
BAR = 12
"""Width of the bar of the highest stage, in characters."""


def print_sampling(console: Console, calls: tuple[SampledCall, ...], verbose: bool = False) -> None:
    """Prints a table for each sampler call; nothing if there are no calls. With `verbose` the small parts of the highest stage are listed
    too.
    """
    for call in calls:
        console.print()
        for part in _parts(call, verbose):
            console.print(part)


def _parts(called: SampledCall, verbose: bool) -> Iterator[RenderableType]:
    profile = called.profile
    yield Text.assemble(("sampling", "bold"), f"  {describe(profile.call)}")
    yield Text("  host memory above that of the compiled model, stage by stage")
    if profile.call.sampler in ("numpyro", "blackjax"):
        yield Text(
            "  JAX's arrays and temporaries lie in the memory of JAX's device; the figures are XLA's for this host's CPU, not for a GPU"
        )
    if profile.call.refused:
        yield Text(f"  without the temporaries of the sampler, which XLA did not report: {profile.call.refused}", style="yellow")
    if profile.call.uncounted:
        yield Text("  only its result: the memory that it needs while it runs is not simulated or counted", style="yellow")
    if profile.call.failed:
        yield Text(
            f"  PyMC itself failed before the first draw: {profile.call.failed}; the figures below are derived from the types alone",
            style="yellow",
        )
    if profile.call.start:
        line = f"  at the model's initial point the log-density is not finite: {profile.call.start}; "
        yield Text(line + "PyMC tries other points near it, and fails if those are not finite either", style="yellow")
    yield _stages(profile)
    yield _lines(profile, verbose)
    if called.whole is not None:
        yield Text(f"  the whole process at that moment: {_whole(called.whole)}")
    if called.trial is not None:
        yield from _trial(called.trial, profile)
    if profile.unknown:
        yield Text(f"  at least: the size of {', '.join(profile.unknown)} is not known")


def stages_text(called: SampledCall) -> str:
    """Returns a sampler call with its stages as text, as in the report but without colours."""
    out = io.StringIO()
    console = Console(file=out, width=100)
    print_sampling(console, (called,))
    return "\n".join(line.rstrip() for line in out.getvalue().strip("\n").split("\n"))


def describe(call: SamplingCall) -> str:
    """Returns one line about a sampler call: `pm.sample with pymc at model.py:11: 4 chains of 1000 draws and 1000 of tuning, in 2
    processes`.
    """
    place = f" at {call.site.path}:{call.site.line}" if call.site else ""
    how = f" in {min(call.cores, call.chains)} processes" if call.parallel else ""
    chains = f"{call.chains} chain{'' if call.chains == 1 else 's'}"
    if call.kind == "fit":
        return f"pymc.fit, {call.sampler}{place}: {call.draws} iterations"
    if call.kind == "sample_smc":
        return f"{call.name} with {call.sampler}{place}: {chains} of {call.draws} particles{how}"
    if call.kind == "find_MAP":
        return f"pymc.find_MAP by {call.sampler}{place}"
    if call.kind != "sample":
        return f"{call.name}{place}: {chains} of {call.draws} draws"
    if call.uncounted:
        return f"{call.name}{place}: {chains} of {call.draws} draws"
    return f"{call.name} with {call.sampler}{place}: {chains} of {call.draws} draws and {call.tune} of tuning{how}"


def _stages(profile: SamplingProfile) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
    parallel = any(stage.worker_bytes for stage in profile.stages)
    for heading, justify in (("stage", "left"), ("bytes", "right"), ("in workers" if parallel else "", "right"), ("", "left")):
        table.add_column(heading, justify=justify, no_wrap=True)  # type: ignore[arg-type]
    highest = max(1, profile.peak.bytes)
    for stage in profile.stages:
        mark = " peak" if stage is profile.peak else ""
        workers = format_bytes(stage.worker_bytes) if stage.worker_bytes else ""
        table.add_row(stage.name, format_bytes(stage.bytes), workers, "#" * round(BAR * stage.bytes / highest) + mark)
    return table


def _lines(profile: SamplingProfile, verbose: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
    table.add_column(f"at the peak, {profile.peak.name}", overflow="ellipsis", no_wrap=True)
    amounts = sorted(profile.peak.amounts, key=lambda a: -a.bytes)
    heading, size = column_format(amounts[0].bytes if amounts else 0, exact=verbose)
    table.add_column(heading, justify="right", no_wrap=True)
    count = len([a for a in amounts if verbose or a.bytes >= LEAST_SHARE * profile.peak.bytes])
    shown = amounts if count >= len(amounts) - 1 else amounts[:count]  # "1 more" would take as much room
    for amount in shown:
        origin = "" if amount.origin is Origin.DERIVED else f" ({amount.origin.value})"
        table.add_row(Text(amount.what + origin), size(amount.bytes))
    if more := amounts[len(shown) :]:
        table.add_row(f"{len(more)} more", size(sum(a.bytes for a in more)))
    return table


def _whole(whole: Whole) -> str:
    """One line: the bytes of the whole process, and their parts."""
    text = f"{format_bytes(whole.bytes)}: " + "; ".join(f"{part.what} {format_bytes(part.bytes)}" for part in whole.parts)
    if any(part.what == FIRST for part in whole.parts):
        text += "; later runs take these functions from PyTensor's cache on disk"
    return text


def _trial(trial: SamplingTrial, profile: SamplingProfile) -> Iterator[RenderableType]:
    """Yields a table of short real runs with predicted and measured bytes, and the extrapolation to the whole call."""
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1), show_edge=False)
    for heading in ("draws, run for real", "and tuning", "predicted", "measured"):
        table.add_column(heading, justify="right", no_wrap=True)
    for run in trial.runs:
        table.add_row(str(run.draws), str(run.tune), format_bytes(run.predicted_bytes), format_bytes(run.measured_bytes))
    if trial.extrapolated_bytes is not None:
        peak, line = format_bytes(profile.call_peak.bytes - profile.before_bytes), format_bytes(trial.extrapolated_bytes)
        table.add_row(str(profile.call.draws), str(profile.call.tune), peak, f"{line} extrapolated")
    yield table
    if trial.residual_bytes is not None:
        yield Text(f"  largest deviation of a run from the straight line through all runs: {format_bytes(trial.residual_bytes)}")
    if trial.failure is not None:
        yield Text(f"  not every run finished: {trial.failure}", style="yellow")

"""TD340: calls of PyMC's samplers: the intercepted calls, the memory they need, and the memory with other arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from ..devices import HOST
from ..findings import Confidence, Figures, Finding, Fix, Location, Saving, Severity
from ..ir import Unknown
from ..samplers.combined_plans import SHARE, Caught, SamplingChange, peak_bytes, steps, worth_bytes
from ..samplers.extrapolation import SamplingTrial
from ..samplers.model import OWN_CODE, DrawArray, DrawStatistic, SamplingCall, SamplingPlan, SamplingProfile
from ..samplers.plans import plans
from ..samplers.process_memory import Whole
from ..samplers.simulate import profile
from ..units import format_bytes
from .base import rule


@dataclass(frozen=True)
class SampledCall:
    """One sampler call with its plans."""

    name: str
    """The variable to which the script assigns the result, else the name of the called function."""
    profile: SamplingProfile
    plans: tuple[SamplingPlan, ...] = ()
    """The plans that lower the peak, the most effective first."""
    functions: Mapping[str, int] = field(default_factory=dict)
    """Bytes that each of its functions needs while it runs."""
    whole: Whole | None = None
    """The whole process at its highest stage; None where the system does not report its memory."""
    trial: SamplingTrial | None = None
    """Results of short real runs (`--confirm pymc`)."""

    @property
    def beside_bytes(self) -> int:
        """Returns the bytes that the process holds in addition to the stages of the call; 0 if unknown."""
        return 0 if self.whole is None else self.whole.beside_bytes


@dataclass(frozen=True)
class SamplingSubject:
    """A script that calls samplers."""

    model: str
    """Path of the script."""
    calls: tuple[SampledCall, ...]
    available_bytes: int | None = None
    """Available host memory; None if unknown."""
    card_bytes: int | None = None
    """Bytes that the card on which JAX runs has for arrays; None if JAX runs on the host, or this is unknown."""


SHOWN = 5


@rule(
    "TD340",
    "sampling",
    fires=lambda: _example(20_000),
    silent=lambda: _example(100),
)
def sampling(s: SamplingSubject) -> Iterator[Finding]:
    """TD340: the draws of a sampler need much host memory

    What it finds
        Finds a sampler call that does not fit in the host's memory, or for which another argument would save a tenth of the peak of the
        whole process and at least 64 MiB. The rule also checks calls of functions that compute something for each draw, such as
        predictions. With numpyro and blackjax on a card, the rule also finds a call whose JAX arrays do not fit on the card.

    Why it matters
        Every chain keeps each draw of each variable in arrays of the calling process: on the original and on the transformed scale, and
        including the tuning draws. At the end nearly all of these arrays are copied into the result before they are freed. A run that does
        not fit is therefore killed after hours, at its last draw.

    Example
        Four chains of 2000 draws and 1000 tuning steps, with a `Deterministic` of 20 000 float64 values, hold 1.8 GiB while sampling, and
        3.0 GiB while the result is created.

    What to do
        Several changes reduce the memory. Leave variables that you can recompute out of the trace (`var_names`,
        `pymc.compute_deterministics`). Do not compute the log-likelihood in the same call. Discard the tuning draws. Sample in batches that
        you write to disk. For predictions and the log-likelihood, process the draws in parts (`idata.isel(draw=...)`).

        The notes state the call's peak after each change, and the script's peak after all of them. A change to one call may save little if
        another call needs nearly as much memory.

    Limits
        The figures of a call do not include what the process holds after the model is compiled. The report has separate lines for libraries
        and worker processes, with measured values. For what the script itself computes from the draws, theanodiag measures a few draws and
        extrapolates.
    """
    calls = [Caught(c.profile, c.functions, c.beside_bytes, c.plans) for c in s.calls]
    peak, changes = peak_bytes(calls), steps(calls, s.available_bytes)
    combined_notes = _together(s, peak, changes)
    for position, call in enumerate(s.calls):
        if s.card_bytes is not None and call.profile.device_bytes > s.card_bytes:
            yield _on_card(s, call, s.card_bytes)
        fits = s.available_bytes is None or call.profile.peak.bytes + call.beside_bytes <= s.available_bytes
        if not fits or any(step.position == position for step in changes):
            yield _finding(s, position, fits, peak, changes, combined_notes)
            combined_notes = ()


def _together(s: SamplingSubject, peak: int, changes: Sequence[SamplingChange]) -> tuple[str, ...]:
    """A note on the script's peak after all changes together; empty for fewer than two."""
    if len(changes) < 2:
        return ()
    change = "; ".join(_in_words(s.calls[step.position], step.plan.change) for step in changes)
    return (f"{format_bytes(changes[-1].peak_bytes)} instead of {format_bytes(peak)} for the whole process after all of these: {change}",)


def _finding(
    s: SamplingSubject, position: int, fits: bool, peak: int, changes: Sequence[SamplingChange], combined_notes: tuple[str, ...]
) -> Finding:
    call, own = s.calls[position], [step for step in changes if step.position == position]
    profile, site = call.profile, call.profile.call.site
    at_least = "at least " if profile.unknown else ""
    message = f"{call.name} needs {at_least}{format_bytes(profile.peak.bytes)} of host memory at its peak ({profile.peak.name})"
    if not fits and s.available_bytes is not None:
        beside = (
            f", in addition to {format_bytes(call.beside_bytes)} for libraries, model and compiled functions" if call.beside_bytes else ""
        )
        message += f"{beside}; {format_bytes(s.available_bytes)} are available"
        missing = profile.peak.bytes + call.beside_bytes - s.available_bytes
        message += f": {format_bytes(missing)} too few"
    largest = None if profile.peak.name == OWN_CODE else _largest(profile.call)
    if largest is not None:
        message += f"; the largest variable of a draw is {largest.name}, {largest.dtype}{_shape(largest)}"
    least = worth_bytes(profile.peak.bytes + call.beside_bytes, fits)
    worth = [p for p in call.plans if profile.peak.bytes - p.after.peak.bytes >= least]
    notes = tuple(f"{format_bytes(p.after.peak.bytes)} with {p.change}: {p.note}" for p in worth[:SHOWN])
    reached = s.available_bytes is None or (changes[-1].peak_bytes if changes else peak) <= s.available_bytes
    advised = own if reached else []
    saved = [before - step.peak_bytes for before, step in zip((peak, *(step.peak_bytes for step in changes)), changes) if step in own]
    last = advised[-1].plan.after if advised else None
    return Finding(
        "TD340",
        Severity.INFO if fits else Severity.ERROR,
        Confidence.BOUNDED if profile.unknown or profile.call.failed else Confidence.DERIVED,
        message,
        Location(site.path, site.line, detail=call.name) if site else Location(s.model, detail=call.name),
        None
        if not advised
        else Fix(_before(call, [step.plan for step in advised]), code=_code(profile.call, [step.plan.change for step in advised])),
        # of the whole process, as for every finding: a call's own stages are in its message
        None if last is None else Figures(profile.before_bytes, peak - sum(saved), last.kept_bytes, peak - sum(saved)),
        None if last is None else Saving(sum(saved)),
        (*notes, *combined_notes),
        cures=not fits and last is not None,
    )


AFTERWARDS = "before your own computations with the draws"
_PART = re.compile(r"\.isel\(draw=slice\(start, start \+ (?P<draws>\d+)\)\)")
"""The change of a plan that gives a call a part of the draws (`samplers/plans.py`)."""


def _in_words(call: SampledCall, change: str) -> str:
    return f"{change} {AFTERWARDS}" if change.startswith("idata.") else f"{call.name} with {change}"


def _code(call: SamplingCall, changes: Sequence[str]) -> str:
    """The arguments of the call in one line, or the call in a loop over parts of the draws, and each statement in a line of its own: before
    the call, or after it with a comment."""
    before = [change for change in changes if change.startswith("pytensor.")]
    after = [change for change in changes if change.startswith("idata.")]
    arguments = ", ".join(change for change in changes if change not in (*before, *after))
    part = _PART.search(arguments)
    if part is not None:
        arguments = (
            f"for start in range(0, {call.draws}, {part['draws']}):\n"
            f"    part = {call.name}({arguments})  # and your other arguments\n"
            "    # reduce part, or write it to disk: the next one takes its place"
        )
    later = [f"idata = {change}" + f"  # {AFTERWARDS}" * bool(arguments) for change in after]
    return "\n".join(filter(None, (*before, arguments, *later)))


def _before(call: SampledCall, plans: Sequence[SamplingPlan]) -> str:
    """The words in front of the code of `plans`, which say where it belongs."""
    plan = next((plan for plan in plans if not plan.change.startswith("idata.")), None)
    if plan is None:
        return AFTERWARDS
    if any(_PART.search(plan.change) for plan in plans):
        return f"{call.name} for parts of the draws, one after the other"
    # the result is put into the part of the draws, which is a copy
    return f"keep what {call.name} returns, with" if ".isel(draw=" in plan.change else f"{call.name} with"


def _on_card(s: SamplingSubject, call: SampledCall, available: int) -> Finding:
    """The finding that JAX's arrays alone need more than the card's `available` bytes."""
    profile, site = call.profile, call.profile.call.site
    need, stage = profile.device_bytes, max(profile.stages, key=lambda stage: stage.device_bytes)
    message = f"{call.name}: JAX's arrays need at least {format_bytes(need)} on the card at their peak, {stage.name}"
    message += f"; {format_bytes(available)} are available"
    worth = sorted((p for p in call.plans if need - p.after.device_bytes >= SHARE * need), key=lambda p: p.after.device_bytes)
    notes = tuple(f"at least {format_bytes(p.after.device_bytes)} on the card with {p.change}: {p.note}" for p in worth[:SHOWN])
    best = next((p for p in worth if p.after.device_bytes <= available), None)
    return Finding(
        "TD340",
        Severity.ERROR,
        Confidence.BOUNDED,
        message,
        Location(site.path, site.line, detail=call.name) if site else Location(s.model, detail=call.name),
        None if best is None else Fix(f"{call.name} with", code=best.change),
        notes=(*notes, "XLA's additional memory on this card is not counted"),
    )


def _largest(call: SamplingCall) -> DrawArray | None:
    sized = [(v.bytes, v) for v in (call.made or call.variables) if isinstance(v.bytes, int)]
    return max(sized, key=lambda pair: pair[0])[1] if sized else None


def _shape(v: DrawArray) -> str:
    return f"({', '.join('?' if isinstance(d, Unknown) else str(d) for d in v.shape)})"


def _example(width: int) -> SamplingSubject:
    """Four chains with a deterministic variable of `width` float64 values."""
    variables = DrawArray("a", "free", "float64", ()), DrawArray("mu", "deterministic", "float64", (width,))
    call = SamplingCall(
        0, "sample", "pymc", "6.4.0", 2000, 1000, 4, variables=variables, statistics=(DrawStatistic("lp", "float64", 8),)
    )  # fmt: skip
    call_profile = profile(call)
    return SamplingSubject("model.py", (SampledCall("pymc.sample", call_profile, plans(call_profile, {})),), HOST.available_bytes)

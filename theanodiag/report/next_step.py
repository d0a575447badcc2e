"""What to do after a report: the plan that makes the script fit (the best advice that does so, as steps simulated together), and the next
command to run or change to make.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..compat.running.failures import floats_advice
from ..devices.profile import condition
from ..findings import EXACT_FIGURES, Confidence, Finding, Location, PlanStep, Severity
from ..flags.flags_variable import FlagsVariable
from ..ir import Unknown
from ..memory.profile import AT_MOST
from ..rules.not_checked import UncheckedSubject, not_checked
from ..units import format_bytes
from .model import Report
from .user_source import raising_line
from .verdict import conclusion


@dataclass(frozen=True)
class FitPlan:
    """Changes that make a script fit, and alternatives to them."""

    finding: Finding
    """The finding whose steps form the plan."""
    steps: tuple[PlanStep, ...]
    """At least one step; the bytes of the last step are those of the script with all of them."""
    available_bytes: int
    """Bytes of the device's memory that are available for arrays."""
    condition: str | None
    """What else must hold for the script to fit with the plan, besides the figures; None if nothing."""
    others: tuple[Finding, ...]
    """Findings with other advice, each simulated on its own and not needed here; those that suffice alone come first."""

    @property
    def code(self) -> str:
        """Code of the rule whose finding forms the plan."""
        return self.finding.code

    @property
    def bounded(self) -> bool:
        """Whether the bytes of the plan are upper bounds."""
        return self.finding.confidence < Confidence.DERIVED

    @property
    def conclusion(self) -> str:
        """The last line of the plan, such as `then it fits: 38582912 of 40097152 bytes`."""
        return f"then it fits: {'at most ' * self.bounded}{self.steps[-1].after_bytes} of {self.available_bytes} bytes"


def plan_of(report: Report) -> FitPlan | None:
    """Returns the changes that make the script fit; None if it fits already or no known change suffices."""
    available = report.target.device.available_bytes
    advice = [f for f in report.findings if f.cost is not None and f.after is not None and f.fix is not None]
    cures = [f for f in advice if f.cures and f.severity >= Severity.WARNING]
    if available is None or report.process.fits is not False or not cures:
        return None
    first = cures[0]
    others = sorted((f for f in advice if f is not first), key=lambda f: not f.cures)
    steps = first.steps or tuple(_alone(report, first))
    return FitPlan(first, steps, available, condition(report.target.device, steps[-1].after_bytes), tuple(others))


def _alone(report: Report, f: Finding) -> Iterator[PlanStep]:
    """The advice of a finding as a plan of one step; nothing if the finding has no fix or cost."""
    if f.fix is not None and f.cost is not None:
        yield PlanStep(f"{f.fix.title}: {f.message}", f.fix.code or f.fix.title, after_bytes(report, f), f.cost, f.fix.changes)


def after_bytes(report: Report, f: Finding) -> int:
    """Returns the peak that decides whether the script fits, with the fix of `f` applied: reserved bytes on a device, live bytes on the
    host.

    Raises ValueError for a finding without figures.
    """
    if f.after is None:
        raise ValueError(f"{f.code} has no figures")
    return f.after.deciding_bytes(report.target.device.is_host)


MODULE = "No module named "
INSTALLED_WITH_FRAMEWORKS = ("numpy", "scipy")
"""Packages that are installed with every framework: a script that cannot import one of them lacks the framework too."""


KILL = "signal 9"
"""How a report describes a script that the kernel killed."""
SMALLER = "give the script smaller data, or check it on a machine with more memory"
_CORRECT = "correct the error in the script (see above), then repeat the command"
GENERAL = ("own-code", "not-recognised")
"""Causes in a log about which the advice adds nothing to the place where the error was raised."""


def next_step(report: Report) -> str | None:
    """Returns the next command to run or change to make after a report; None if there is nothing to do."""
    if not report.functions:
        return _without_functions(report)
    process, device = report.process, report.target.device
    cure = cure_of(report)
    if device.available_bytes is not None and (process.fits is False or _exceeds(report)):
        if cure:
            return _follow(report, cure)
        if device.available_bytes == 0 and device.context.bytes and device.free_bytes is None:
            context = f"{format_bytes(device.context.bytes)}{' (assumed)' if device.context.origin == 'default' else ''}"
            return f"the CUDA context alone, {context}, is as large as the device: give its size with --device-overhead, such as 0"
        draws = any(f.code == "TD340" and f.severity is Severity.ERROR for f in report.findings)
        explain = f"theanodiag explain {'TD340' if draws else 'TD301'}"
        return f"{explain}; none of the changes below is enough" if any(f.after is not None for f in report.findings) else explain
    if report.script.status == "timeout":
        return "the same command with a longer --timeout"
    if report.script.failed:
        return after_failure(report) or _CORRECT
    exact = next((s.reason for s in report.skipped if s.what == EXACT_FIGURES), None)
    if exact is not None:
        return exact
    if device.available_bytes is None:
        return f"the same command with {'--host-memory' if device.is_host else '--gpu'} 4GiB"
    if isinstance(process.fits, Unknown):
        return _open(report)
    if report.preallocation and any(f.code == "TD310" for f in report.findings):
        framework = report.target.framework
        variable = framework.flags_variable if framework else FlagsVariable()
        return f"{variable.line(f'gpuarray.preallocate={report.preallocation.value:g}')} (see theanodiag explain TD310)"
    return None


def _follow(report: Report, cure: Finding) -> str:
    """The advice that makes the script fit: the plan, or a finding; of the samplers' calls, every one whose change is needed for that."""
    plan = plan_of(report)
    if plan is not None and plan.code == cure.code:
        return "follow the plan below: with it the script fits"
    together = [f for f in report.findings if f is cure or (f.code == cure.code == "TD340" and f.fix is not None and f.after is not None)]
    lines = sorted({f.location.line for f in together if f.location.line})
    where = f" ({_lines(lines)})" if lines else ""
    changes = {1: "it", 2: "both changes"}.get(len(together), f"all {len(together)} changes")
    return f"follow {cure.code}{where} below: with {changes} the script fits"


def _lines(lines: Sequence[int]) -> str:
    """`line 3`, or `lines 3, 5 and 9`."""
    *before, last = map(str, lines)
    return f"lines {', '.join(before)} and {last}" if before else f"line {last}"


def cure_of(report: Report) -> Finding | None:
    """Returns the first finding whose fix makes the script fit; None if there is none."""
    return next((f for f in report.findings if f.cures and f.severity >= Severity.WARNING), None)


def _exceeds(report: Report) -> bool:
    """Whether it is unknown if the script fits because only an upper bound exceeds the device's memory."""
    return isinstance(report.process.fits, Unknown) and report.process.fits.reason == AT_MOST


def _open(report: Report) -> str | None:
    """The command that would show whether the script fits; None if there is none."""
    code = next((f.code for f in report.findings if f.code in ("TD003", "TD001")), None)
    if code is not None:
        return f"theanodiag explain {code}"
    uncalled = next((f for f in report.functions if f.profile is None), None)
    if uncalled is not None:
        return f"the same command with --shape {shlex.quote(f'{uncalled.name}:NAME=N,N')} for each input of {uncalled.name}"
    return None


def after_failure(report: Report) -> str | None:
    """Returns what to do about a script that raised an exception or could not be imported; None if its traceback is sufficient."""
    message = report.script.exception or ""
    if report.script.outcome == "out-of-memory":
        return f"the memory of this machine, not of the device, ran out while the script was run: {SMALLER}"
    if report.script.reason == KILL:
        return f"the kernel ends a process with signal 9 if the memory of the machine runs out: {SMALLER}"
    if report.script.name_gone:
        return "change that line as described above, or name an interpreter with the original Theano with --python"
    if message.split(":")[0] in ("ModuleNotFoundError", "ImportError"):
        module = message.partition(MODULE)[2].strip("'\" ").partition(".")[0] if MODULE in message else ""
        if module in INSTALLED_WITH_FRAMEWORKS and report.target.framework is None:
            missing = f"the framework that the script imports, which brings {module}"
            return f"install {missing}, for {report.target.interpreter}, or name the interpreter that has both with --python"
        if module == "pymc3":  # none that today's interpreters can have: it needs Python 3.9 and NumPy 1.21 at most
            script = report.target.argument
            ways = f"theanodiag port --to pymc {script} moves it to the PyMC of today, theanodiag run {script} runs it on that unchanged"
            return f"{ways}; or name the interpreter that has PyMC3 with --python"
        what = f"the module {module}" if module else "what the script imports"
        return f"install {what} for {report.target.interpreter}, or name the interpreter that has it with --python"
    framework = report.target.framework
    if framework is not None and framework.flags.get("floatX") == "float64" and message.startswith("TypeError"):
        advice = floats_advice(framework.flags_variable.line("floatX=float32"), message)
        if advice:
            return advice
    from ..logs import explain_log  # only for a script that failed: it is a quarter of what a check loads

    diagnosis = explain_log(report.script.traceback or "")
    if diagnosis is not None and diagnosis.advice and not diagnosis.cause.is_memory and diagnosis.cause.value not in GENERAL:
        return diagnosis.advice[0]
    return None


def unchecked(report: Report) -> tuple[Finding, ...]:
    """Returns a finding TD006 for formats that show no verdict, if the script did not run to its end or compiled no function;
    else empty.
    """
    end, reason = report.script, None
    if end.failed:
        reason = f"the script failed: {end.message}"
    elif end.status == "timeout":
        reason = f"the script was stopped: {end.message}"
    elif not report.functions:
        reason = conclusion(report)[0]
    path, step = report.target.model, next_step(report)
    advice = None if step == _CORRECT else step
    return tuple(not_checked.check(UncheckedSubject(Location(path, raising_line(end.traceback or "", path)), reason, advice)))


def _without_functions(report: Report) -> str:
    """What to do about a script in which no compiled function was seen."""
    if any(f.code.startswith("TD2") and f.severity is Severity.ERROR for f in report.findings):
        return "theanodiag config check"
    if report.script.failed:
        return after_failure(report) or _CORRECT
    if report.script.status == "timeout":
        return "the same command with a longer --timeout"
    if report.target.framework is None:
        return "name a script that imports theano, aesara or pytensor: this one imports none of them"
    return "let the script compile a function at its top level, or under __main__"

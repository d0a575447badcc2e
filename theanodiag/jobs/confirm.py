"""Runs a script for real on the best available device and compares the measurement with the prediction for the requested device."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..capture.model import Capture, GpuRequest, InstrumentRequest, ScriptEnd, visible_gpu
from ..capture.runner import run_script
from ..confirmation import BEST
from ..confirmation.agreement import compiler_notes, differences, functions, highest_estimate, judged, process_figures, same_figures
from ..confirmation.available import Circumstances, best_first, choose, probe
from ..confirmation.host_memory import memory_bytes, this_host
from ..confirmation.model import ConfirmDevice, DeviceSpec, Measured, OutOfMemory, Tight
from ..confirmation.pygpu import in_force, with_flags
from ..devices import Context, DeviceProfile, with_overhead
from ..engines import has_device_graph
from ..errors import UnreadableError, UsageError
from ..ir import Unknown
from ..processes import interpreter as interpreters
from ..processes.group import run, temporary
from ..processes.interpreter import AGENT
from ..report.confirmed import Confirmation
from ..report.model import Report
from ..requests import CheckRequest
from ..samplers.extrapolation import lengths, trial
from ..units import MIB
from ..workflows import compose

if TYPE_CHECKING:
    from .check import Prediction

COMPILERS = ("jax", "torch")
"""Device kinds whose compiler does not support every graph."""


def confirm(request: CheckRequest, prediction: Prediction, *, stderr: int | None = None) -> Report:
    """Adds a confirmation to the report of `prediction`. The report is otherwise unchanged. Nothing is added if the script compiled nothing
    that could be run.

    The measurement is compared with a separate prediction, for the device that runs the script.
    """
    report, first = prediction.report, prediction.capture
    if first.framework is None or not first.script.functions:
        return report
    with temporary() as folder:
        device, missing = _device(request, first, folder)
        target, spec = report.target.device, device.spec
        same = is_same(target, spec)
        profile = target if same else _profile_of(spec)
        env = with_flags(os.environ, first.framework.name, device.flags)
        gpu = visible_gpu(profile, request.device_overhead if same else None, request.cudnn if same else None)
        usable = request.calls == "dry" and prediction.gpu == gpu and in_force(first.framework.flags, device.flags)
        captured = first if usable else _captured(request, env, gpu)
        running = Running(request, device, env, captured, profile, report.target.device if same else None, stderr)
        return running.report(report, missing)


def is_same(target: DeviceProfile, spec: DeviceSpec) -> bool:
    """Returns whether the device used is the requested one: both are this host, or GPUs of the same size."""
    if on_host(spec):
        return target.is_host and target.available_bytes == this_host().available_bytes
    return not target.is_host and spec.kind != "opencl" and target.total_bytes == spec.total_bytes


def on_host(spec: DeviceSpec) -> bool:
    """Returns whether a device uses host memory. Compilers use it if they find no GPU; the device then has no size."""
    return spec.kind == "cpu" or (spec.kind in COMPILERS and spec.total_bytes is None)


def _profile_of(spec: DeviceSpec) -> DeviceProfile:
    """The DeviceProfile that describes the device of the confirmation, to predict for it."""
    if on_host(spec):
        return this_host()
    total = spec.total_bytes or memory_bytes() or 0
    return DeviceProfile(spec.kind, total, Context(0, "derived"), free_bytes=spec.free_bytes, source=spec.line)


def _captured(request: CheckRequest, env: Mapping[str, str], gpu: GpuRequest | None) -> Capture:
    """The script recorded with the flags of the device that runs it; its output is discarded."""
    with open(os.devnull, "wb") as nowhere:
        return run_script(
            request.path, request.python, request.args, max_calls=request.max_calls, timeout=request.timeout, env=env,
            shapes=request.shapes, stdout=nowhere.fileno(), stderr=nowhere.fileno(), gpu=gpu,
        )  # fmt: skip


def _device(request: CheckRequest, seen: Capture, folder: Path) -> tuple[ConfirmDevice, tuple[tuple[str, str], ...]]:
    """The device to confirm on, and (kind, reason) of each better kind that is not available."""
    framework = seen.framework
    assert framework is not None
    linkers = frozenset(f.linker for f in seen.script.functions)
    profile = request.profile
    if profile is not None and request.device_overhead is not None and not profile.is_host:
        profile = with_overhead(profile, request.device_overhead)
    c = Circumstances(seen.interpreter, framework.name, framework.flags, linkers, profile, os.environ, folder)
    return choose(None if request.confirm == BEST else request.confirm, best_first(c), lambda kind: probe(c, kind))


@dataclass(frozen=True)
class Running:
    """One confirmation: the device chosen for the real run, and the data to compare the run with the prediction."""

    request: CheckRequest
    device: ConfirmDevice
    """The device that runs the script."""
    env: Mapping[str, str]
    """Environment variables with the flags that the graph depends on."""
    prediction: Capture
    """The capture from which the prediction for this device is made."""
    profile: DeviceProfile
    """The DeviceProfile of that device."""
    target: DeviceProfile | None
    """The requested device, if it is the one used."""
    stderr: int | None
    """File descriptor for the script's error output in the first measured run."""

    def report(self, report: Report, missing: tuple[tuple[str, str], ...]) -> Report:
        """Runs the script, compares the run with the prediction for the device used, and adds the result to `report`."""
        spec = dataclasses.replace(self.device.spec, instead_of=missing)
        same = self.target is not None
        ran = self.run(self.device, nodes=True)
        if isinstance(ran, Unknown):
            why = f"nothing was measured: {ran.reason}"
            return dataclasses.replace(report, confirmation=Confirmation(spec, (), notes=(why,), failure=why, on_target=same))
        predicted = self.predicted()
        measured = self.device.read(ran.measured)
        again = tuple(self.again())
        rows = functions(self.prediction.script, predicted.process, measured, again)
        out = _out_of_memory(measured, ran)
        notes = tuple(self.notes(ran, measured, again))
        limit = None
        if self.request.tight and out is None:
            limit = self.tight(highest_estimate(measured) or predicted.process.reserved_peak_bytes)
        by_compiler = judged(predicted.process, measured, predicted.target.device.available_bytes)
        process = process_figures(by_compiler or predicted.process, measured.process) if not ran.end.failed else ()
        need = None if by_compiler is None else by_compiler.live_peak_bytes
        confirmation = Confirmation(spec, rows, process, out, limit, notes, failure(ran.end), need, same)
        return compose.confirmed(report, confirmation, predicted)

    def predicted(self) -> Report:
        """Returns the report predicted for the device used."""
        overhead = None if self.target is None else self.request.device_overhead
        return compose.report(self.prediction, self.profile, overhead, self.device.settings)

    def run(self, device: ConfirmDevice, *, nodes: bool) -> Capture | Unknown:
        """Runs the script once on `device`. With `nodes`, measures each node and shows the script's error output.

        Returns Unknown, with the reason, if the process ended before the script began.
        """
        instrument, request = device.instrument, self.request
        with temporary() as folder, open(os.devnull, "wb") as nowhere:
            instrument_request = InstrumentRequest(instrument.path, {**instrument.options, "nodes": nodes})
            env = device.environment(self.env, folder)
            try:
                return run_script(
                    request.path, request.python, request.args, max_calls=request.max_calls, timeout=request.timeout, calls="real",
                    env=env, stdout=nowhere.fileno(), instrument=instrument_request,
                    stderr=self.stderr if nodes else nowhere.fileno(),
                )  # fmt: skip
            except UnreadableError as error:
                return Unknown(error.message)

    def again(self) -> Iterator[Measured]:
        """Yields the measurements of the additional runs, in which nodes are not measured."""
        for _ in range(self.request.repeat - 1):
            ran = self.run(self.device, nodes=False)
            if not isinstance(ran, Unknown):
                yield self.device.read(ran.measured)

    def notes(self, ran: Capture, measured: Measured, again: Sequence[Measured]) -> Iterator[str]:
        """Yields remarks on how the run ended, and how it differed from the prediction."""
        end, failed = ran.end, failure(ran.end)
        if failed is not None:
            yield failed
        if ran.script.functions and not self.opened(ran):
            yield "the device was not used: the script ran on the CPU"
        if end.status == "raised" and self.device.spec.kind in COMPILERS and measured.out_of_memory is None:
            yield f"if {self.device.spec.kind} cannot compile a function, --confirm cpu runs it on the host"
        if end.status == "raised" and not self.device.spec.computes and measured.out_of_memory is None:
            yield NOT_COMPUTED
        yield from compiler_notes(self.prediction.script, measured)
        yield from differences(self.prediction.script, ran.script)
        yield from measured.notes
        parts = (same_figures(measured, other) for other in again)
        yield from (f"observing the nodes changed a figure: {text}" for text in parts if text is not None)

    def tight(self, need: int) -> Tight | Unknown:
        """Finds by trial runs the smallest memory with which the script runs; `need` is the predicted need in bytes. Unknown if the device
        cannot be limited.
        """
        smaller = self.device.limited(need)
        if isinstance(smaller, Unknown):
            return smaller
        return tight(need, self.attempt)

    def attempt(self, nbytes: int) -> bool:
        """Returns whether the script runs with `nbytes` bytes of memory."""
        device = self.device.limited(nbytes)
        ran = Unknown("no such device") if isinstance(device, Unknown) else self.run(device, nodes=False)
        return not isinstance(ran, Unknown) and not ran.end.failed and ran.end.status != "timeout" and self.opened(ran)

    def opened(self, ran: Capture) -> bool:
        """Returns whether the script really ran on the device. Theano falls back to the CPU if the device has too little memory
        to start.
        """
        return has_device_graph(ran.script) or not has_device_graph(self.prediction.script)


NOT_COMPUTED = (
    "the simulated device computes no numbers: if computed numbers decide a shape, an index or whether the script goes on, use "
    "--confirm cuda or --confirm opencl"
)
"""Note for a script that fails on the simulated device, which computes nothing."""


def failure(end: ScriptEnd) -> str | None:
    """Returns a sentence on how a measured run ended too early; None if it finished."""
    if end.failed or end.status == "timeout":
        return f"the measured run {'ended with' if end.failed else 'was ended:'} {end.message}"
    return None


def _out_of_memory(measured: Measured, ran: Capture) -> OutOfMemory | None:
    """The refused request of a run that failed because of it; None for a run that did not fail."""
    out = measured.out_of_memory
    if out is None or not ran.end.failed:
        return None
    return out if out.message else dataclasses.replace(out, message=ran.end.message or "")


INSTRUMENT = AGENT / "measure" / "pymc_memory.py"


def confirm_sampling(request: CheckRequest, report: Report) -> Report:
    """Adds to `report`, on the script of `request`, the results of short real runs for each call of `pymc.sample`.

    Raises UsageError if there is no such call, or if the system does not report the memory of a process (it has no /proc).
    """
    if not Path("/proc/self/smaps_rollup").exists():
        raise UsageError("--confirm pymc reads the memory of processes from /proc, which this system does not have", help="run it on Linux")
    calls = [c for c in report.sampling if c.profile.call.kind == "sample"]
    if not calls:
        raise UsageError(
            "--confirm pymc needs calls of pymc.sample, but the script made none",
            help="--confirm without pymc runs the functions",
            option="confirm",
        )
    sizes = [lengths(c.profile.call, c.functions) for c in calls]
    measured: list[list[tuple[int, int]]] = [[] for _ in calls]
    failures: list[str] = []
    for k in range(max(map(len, sizes))):
        chosen = [row[min(k, len(row) - 1)] for row in sizes]
        rows, failure = _measured(request, report.target.interpreter, chosen)
        failures += [failure] if failure else []
        for n, row in enumerate(rows[: len(calls)]):
            peak = row.get("peak")
            if "failed" not in row and isinstance(peak, int) and len(measured[n]) == k:
                measured[n].append((chosen[n][0], peak))
    why = failures[0] if failures else None
    tried_calls = [replace(c, trial=trial(c.profile.call, c.functions, m, why)) for c, m in zip(calls, measured)]
    by_number = {c.profile.call.number: c for c in tried_calls}
    return replace(report, sampling=tuple(by_number.get(c.profile.call.number, c) for c in report.sampling))


def _measured(request: CheckRequest, interpreter: str, sizes: Sequence[tuple[int, int]]) -> tuple[list[dict[str, object]], str | None]:
    """Runs the script once with the sampling instrument; returns the rows of its calls of `pymc.sample`, and how the run ended, None if it
    ended well.
    """
    with temporary() as folder, open(os.devnull, "wb") as nowhere:
        python = interpreters.find(interpreter, os.environ)
        out = folder / "rows"
        command = [python.path, str(INSTRUMENT), str(out), json.dumps(sizes), request.path, *request.args]
        outcome = run(command, {**os.environ, "TMPDIR": str(folder)}, request.timeout, nowhere.fileno(), nowhere.fileno())
        text = out.read_text() if out.exists() else ""
    rows = [row for row in map(json.loads, text.splitlines()) if row.get("kind") == "sample"]
    if outcome.timed_out:
        return rows, f"a run was ended after {request.timeout:g} s: --timeout gives it more"
    return rows, f"a run ended with status {outcome.returncode}" if outcome.returncode else None


STEPS = (0, 4 * MIB, 16 * MIB, 64 * MIB)
"""Distances in bytes from the predicted need at which the script is tried: upwards until it runs, downwards until it fails. libgpuarray
allocates at least 4 MiB."""

Attempt = Callable[[int], bool]
"""Runs the script with a memory limit in bytes; returns whether it finished."""


def tight(predicted: int, attempt: Attempt) -> Tight:
    """Finds the lowest limit at which the script runs and the highest at which it fails, among the limits tried."""
    if not predicted:
        return Tight(0, 0, Unknown("it needs nothing"))
    runs: int | Unknown = Unknown(f"it did not run with {STEPS[-1]} bytes more than predicted either")
    fails: int | Unknown = Unknown(f"it ran with {STEPS[-1] + 1} bytes less than predicted too")
    for step in STEPS:
        if attempt(predicted + step):
            runs = predicted + step
            break
        fails = predicted + step
    if runs != predicted:
        return Tight(predicted, runs, fails)
    for step in STEPS:
        limit = predicted - 1 - step
        if limit <= 0:
            break
        if not attempt(limit):
            return Tight(predicted, runs, limit)
        runs = limit
    return Tight(predicted, runs, fails)

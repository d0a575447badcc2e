"""`check --confirm`: runs the script for real on the best device available, and compares the prediction with what was measured."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from ..capture.model import Capture, GpuAsked, InstrumentAsked, ScriptEnd
from ..capture.runner import run_script
from ..confirmation.available import Circumstances, best_first, probe
from ..confirmation.base import ConfirmDevice, choose
from ..confirmation.compare import differences, estimated, functions, judged, process_figures, same_figures, taken
from ..confirmation.flags import in_force, with_flags
from ..confirmation.kinds import BEST
from ..confirmation.memory import memory_bytes, this_host
from ..confirmation.model import Confirmation, DeviceSpec, Measured, OutOfMemory, Tight
from ..confirmation.tight import tight
from ..devices import Context, DeviceProfile, with_overhead
from ..engines import has_device_graph
from ..errors import UnreadableError
from ..ir import Unknown
from ..memory.profile import ProcessProfile
from ..processes.guard import temporary
from ..report.model import Report
from . import compose

COMPILERS = ("jax", "torch")
"""Devices whose compiler does not support every graph."""


@dataclass(frozen=True)
class Trial:
    """What is to be confirmed, and how."""

    path: str
    """Path of the script."""
    device: str = BEST
    """A kind of device, or `BEST`."""
    python: str | None = None
    """The interpreter that runs the script."""
    args: tuple[str, ...] = ()
    """Arguments of the script."""
    profile: DeviceProfile | None = None
    """The device that the prediction is for (`--gpu`)."""
    overhead: int | None = None
    """Bytes of the CUDA context and its libraries (None: those of the profile)."""
    shapes: tuple[str, ...] = ()
    """Shapes of arguments, as for --shape."""
    max_calls: int = 3
    """Number of calls of each function that are recorded."""
    timeout: float | None = 600.0
    """Seconds until a run is ended; None: no limit."""
    stdout: int | None = None
    """File descriptor for the script's output."""
    repeat: int = 1
    """Number of runs; nodes are measured in the first one only."""
    tight: bool = False
    """Whether to find the smallest sufficient device by trial."""
    cudnn: int | None = None
    """cuDNN version that the device is assumed to have."""
    env: Mapping[str, str] = field(default_factory=lambda: os.environ)
    """Environment of the script."""
    stderr: int | None = None
    """File descriptor for the script's warnings and errors."""


def confirmed(trial: Trial) -> Report:
    """The report on a script, with a confirmation unless the script compiled nothing that could be run."""
    with temporary() as folder:
        first = _dry(trial, trial.env, trial.profile)
        if first.framework is None or not first.script.functions:
            return compose.report(first, trial.profile, trial.overhead)
        found, missing = _device(trial, first, folder)
        profile = _profile(trial, found.spec)
        env = with_flags(trial.env, first.framework.name, found.flags)
        prediction = first if in_force(first.framework.flags, found.flags) else _again(trial, env, profile)
        device = Running(trial, found, env, prediction, profile)
        return device.report(missing)


def _dry(trial: Trial, env: Mapping[str, str], profile: DeviceProfile | None) -> Capture:
    """Captures the script without computing anything."""
    gpu = None if profile is None or profile.is_host else asked(profile, trial.overhead, trial.cudnn)
    return run_script(
        trial.path, trial.python, trial.args, max_calls=trial.max_calls, timeout=trial.timeout, env=env, shapes=trial.shapes,
        stdout=trial.stdout, gpu=gpu, stderr=trial.stderr,
    )  # fmt: skip


def _again(trial: Trial, env: Mapping[str, str], profile: DeviceProfile) -> Capture:
    """Captures the script again with the flags of the device, discarding its output."""
    with open(os.devnull, "wb") as nowhere:
        return _dry(dataclasses.replace(trial, stdout=nowhere.fileno(), stderr=nowhere.fileno()), env, profile)


def asked(device: DeviceProfile, overhead: int | None, cudnn: int | None = None) -> GpuAsked | None:
    """The device as the framework is to see it while it rewrites graphs; None for one of unknown size."""
    known = device if overhead is None else with_overhead(device, overhead)
    if known.total_bytes is None:
        return None
    return GpuAsked(known.total_bytes, known.available_bytes, known.name, known.compute_capability, cudnn)


def _device(trial: Trial, seen: Capture, folder: Path) -> tuple[ConfirmDevice, tuple[tuple[str, str], ...]]:
    """The device to run on, and better kinds that are not available, with the reasons."""
    framework = seen.framework
    assert framework is not None
    linkers = frozenset(f.linker for f in seen.script.functions)
    profile = trial.profile
    if profile is not None and trial.overhead is not None and not profile.is_host:
        profile = with_overhead(profile, trial.overhead)
    c = Circumstances(seen.interpreter, framework.name, framework.flags, linkers, profile, trial.env, folder)
    return choose(None if trial.device == BEST else trial.device, best_first(c), lambda kind: probe(c, kind))


def _profile(trial: Trial, spec: DeviceSpec) -> DeviceProfile:
    """The device that the prediction is made for: the one asked for if the run can be on that, else the one that runs."""
    if spec.kind == "cpu" or (spec.kind in ("jax", "torch") and spec.total_bytes is None):
        return this_host()
    if trial.profile is not None and not trial.profile.is_host:
        return trial.profile
    total = spec.total_bytes or memory_bytes() or 0
    return DeviceProfile(spec.kind, total, Context(0, "derived"), free_bytes=spec.free_bytes, source=spec.line)


@dataclass(frozen=True)
class Running:
    """A chosen device, and the capture for its prediction."""

    trial: Trial
    """What is to be confirmed."""
    device: ConfirmDevice
    """The device that runs the script."""
    env: Mapping[str, str]
    """Environment with the flags that the graph depends on."""
    prediction: Capture
    """The capture for which the prediction is made."""
    profile: DeviceProfile
    """The device that the prediction is for."""

    def report(self, missing: tuple[tuple[str, str], ...]) -> Report:
        """Runs the script, compares, and reports."""
        plain = self.predicted()
        spec = dataclasses.replace(self.device.spec, instead_of=missing)
        ran = self.run(self.device, nodes=True)
        if isinstance(ran, Unknown):
            why = f"nothing was measured: {ran.reason}"
            return dataclasses.replace(plain, confirmation=Confirmation(spec, (), notes=(why,), failure=why))
        measured = self.device.read(ran.measured)
        again = tuple(self.again())
        rows = functions(self.prediction.script, plain.process, measured, again)
        out = _out_of_memory(measured, ran)
        notes = tuple(self.notes(ran, measured, again))
        limit = self.tight(estimated(measured) or plain.process.reserved_peak_bytes) if self.trial.tight and out is None else None
        by_compiler = judged(plain.process, measured, plain.target.device.available_bytes)
        plain = plain if by_compiler is None else self.predicted(by_compiler)
        process = process_figures(plain.process, measured.process) if not ran.end.failed else ()
        need = None if by_compiler is None else by_compiler.live_peak_bytes
        return compose.confirmed(plain, Confirmation(spec, rows, process, out, limit, notes, failure(ran.end), need))

    def predicted(self, process: ProcessProfile | None = None) -> Report:
        """The report without the run; `process` is what a compiler reported instead of the simulation."""
        return compose.report(self.prediction, self.profile, self.trial.overhead, self.device.settings, process=process)

    def run(self, device: ConfirmDevice, *, nodes: bool) -> Capture | Unknown:
        """One run on `device`; with `nodes`, its nodes are measured and its complaints shown.

        Unknown, with the reason, where the process ended before the script began.
        """
        instrument, trial = device.instrument, self.trial
        with temporary() as folder, open(os.devnull, "wb") as nowhere:
            asked = InstrumentAsked(instrument.path, {**instrument.options, "nodes": nodes})
            env = device.environment(self.env, folder)
            try:
                return run_script(
                    trial.path, trial.python, trial.args, max_calls=trial.max_calls, timeout=trial.timeout, calls="real",
                    env=env, stdout=nowhere.fileno(), instrument=asked,
                    stderr=trial.stderr if nodes else nowhere.fileno(),
                )  # fmt: skip
            except UnreadableError as error:
                return Unknown(error.message)

    def again(self) -> Iterator[Measured]:
        """The further runs, without measuring nodes."""
        for _ in range(self.trial.repeat - 1):
            ran = self.run(self.device, nodes=False)
            if not isinstance(ran, Unknown):
                yield self.device.read(ran.measured)

    def notes(self, ran: Capture, measured: Measured, again: Sequence[Measured]) -> Iterator[str]:
        """How the run ended, and what differed from the prediction."""
        end, failed = ran.end, failure(ran.end)
        if failed is not None:
            yield failed
        if ran.script.functions and not self.opened(ran):
            yield "the device was not used: the script ran on the CPU"
        if end.status == "raised" and self.device.spec.kind in COMPILERS and measured.out_of_memory is None:
            yield f"if {self.device.spec.kind} cannot compile a function, --confirm cpu runs it on the host"
        if end.status == "raised" and not self.device.spec.computes and measured.out_of_memory is None:
            yield NOT_COMPUTED
        yield from taken(self.prediction.script, measured)
        yield from differences(self.prediction.script, ran.script)
        yield from measured.notes
        parts = (same_figures(measured, other) for other in again)
        yield from (f"observing the nodes changed a figure: {text}" for text in parts if text is not None)

    def tight(self, need: int) -> Tight | Unknown:
        """The smallest device on which the script runs, found by trial; `need` is the predicted need in bytes."""
        smaller = self.device.limited(need)
        if isinstance(smaller, Unknown):
            return smaller
        return tight(need, self.attempt)

    def attempt(self, nbytes: int) -> bool:
        """Whether the script runs with `nbytes` of memory."""
        device = self.device.limited(nbytes)
        ran = Unknown("no such device") if isinstance(device, Unknown) else self.run(device, nodes=False)
        return not isinstance(ran, Unknown) and not ran.end.failed and ran.end.status != "timeout" and self.opened(ran)

    def opened(self, ran: Capture) -> bool:
        """Whether the script ran on the device: Theano falls back to the CPU where the device has too little memory for its start."""
        return has_device_graph(ran.script) or not has_device_graph(self.prediction.script)


NOT_COMPUTED = (
    "the simulated device computes no numbers: if computed numbers decide a shape, an index or whether the script goes on, use "
    "--confirm cuda or --confirm opencl"
)
"""Note for a script that fails on the simulated device, which computes nothing."""


def failure(end: ScriptEnd) -> str | None:
    """How a measured run ended early; None where it did not."""
    if end.failed or end.status == "timeout":
        return f"the measured run {'ended with' if end.failed else 'was ended:'} {end.message or f'status {end.exit_code}'}"
    return None


def _out_of_memory(measured: Measured, ran: Capture) -> OutOfMemory | None:
    """The refused request of a run that failed because of it; None for a run that did not fail."""
    out = measured.out_of_memory
    if out is None or not ran.end.failed:
        return None
    return out if out.message else dataclasses.replace(out, message=ran.end.message or "")

"""Predicts the memory that a script needs: runs it without computing anything, simulates its memory and, on request, measures a real
run."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from .. import engines
from ..capture.model import Capture, GpuRequest, visible_gpu
from ..capture.runner import run_script, unsaid
from ..confirmation import SAMPLING, xla_estimates
from ..confirmation.host_memory import this_host
from ..findings import Skipped
from ..report.model import Report
from ..requests import CheckRequest
from ..workflows import compose


def check(request: CheckRequest, *, stdout: int | None = None, stderr: int | None = None, doing: Callable[[str], None] = unsaid) -> Report:
    """Checks the script of `request` and returns the report. With `confirm` it also contains a measurement, which does not change the
    prediction.

    `stdout` and `stderr` are the descriptors to which the script prints; None: ours. `doing` is called with a description of each step of
    the run that may take long, before it begins. Raises `UnreadableError` for a script or an interpreter that cannot be read, `UsageError`
    for a request that does not suit the script.
    """
    prediction = predict(request, stdout=stdout, stderr=stderr, doing=doing)
    if request.confirm is None:
        return prediction.report
    from . import confirm

    if request.confirm == SAMPLING:
        return confirm.confirm_sampling(request, prediction.report)
    return confirm.confirm(request, prediction, stderr=stderr)


@dataclass(frozen=True)
class Prediction:
    """The prediction for the requested device, and the data from which it was made."""

    capture: Capture
    """The recorded run of the script, without a compiler's figures."""
    gpu: GpuRequest | None
    """The GPU for which the script's graphs were rewritten; None if they were rewritten for no GPU."""
    report: Report


def predict(
    request: CheckRequest,
    *,
    stdout: int | None = None,
    stderr: int | None = None,
    source: bytes | None = None,
    env: Mapping[str, str] | None = None,
    doing: Callable[[str], None] = unsaid,
) -> Prediction:
    """Makes the prediction without a measurement; `request.confirm` is ignored.

    `source`: the text to use as the content of the script's file; None: its own. `env`: variables added to the environment.
    `doing`: as for `check`.
    """
    profile = request.profile
    engine = engines.engine_named(request.engine, profile)
    if engine is not None and engine.name == "host" and not (profile and profile.is_host):
        profile = this_host()
    dry = request.calls == "dry"
    gpu = visible_gpu(profile, request.device_overhead, request.cudnn) if dry else None
    compiler = xla_estimates.instrument_for(profile, engine) if dry and request.engine != "gpuarray" else None
    capture = run_script(
        request.path, request.python, request.args, max_calls=request.max_calls, timeout=request.timeout, calls=request.calls,
        shapes=request.shapes, stdout=stdout, stderr=stderr, gpu=gpu, instrument=compiler, source=source, env=env,
        doing=doing,
    )  # fmt: skip
    known = xla_estimates.attached(dataclasses.replace(capture, skipped=(*capture.skipped, *_unused_cudnn(capture, request.cudnn))))
    device = profile or compose.opened_device(capture) or this_host()
    name = None if engine is None else engine.name
    report = compose.report(known, device, request.device_overhead, batch=request.batch_dim, engine=name)
    return Prediction(dataclasses.replace(capture, measured=()), gpu, report)


def _unused_cudnn(capture: Capture, version: int | None) -> tuple[Skipped, ...]:
    """A note with the reason if the user gave a cuDNN version and no graph of this capture depends on it; else empty."""
    framework = capture.framework
    if version is None or framework is None or (framework.stand_in and framework.stand_in.cudnn):
        return ()
    what = f"cuDNN {version}"
    if framework.stand_in:
        return (Skipped(what, "the script's flags say dnn.enabled=False"),)
    return (Skipped(what, f"no graph is for a device on which {framework.name} {framework.version} reaches cuDNN"),)

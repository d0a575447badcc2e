"""Predicts the memory that a script needs: runs it without computing anything and simulates its memory."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass

from .. import engines
from ..capture.model import Capture, GpuRequest
from ..capture.runner import run_script
from ..confirmation import xla_estimates
from ..confirmation.host_memory import this_host
from ..devices import DeviceProfile, with_overhead
from ..findings import Skipped
from ..report.model import Report
from ..requests import CheckRequest
from ..workflows import compose


@dataclass(frozen=True)
class Prediction:
    """The prediction for the requested device, and the data behind it."""

    capture: Capture
    """The recorded script, without a compiler's figures."""
    gpu: GpuRequest | None
    """The GPU for which its graphs were rewritten; None if they were not."""
    report: Report


def predict(
    request: CheckRequest,
    *,
    stdout: int | None = None,
    stderr: int | None = None,
    source: bytes | None = None,
    env: Mapping[str, str] | None = None,
) -> Prediction:
    """The prediction alone; `request.confirm` is ignored.

    `source`: what the script's file is taken to hold; None: what it holds. `env`: variables added to the environment.
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


def visible_gpu(device: DeviceProfile | None, overhead: int | None = None, cudnn: int | None = None) -> GpuRequest | None:
    """The GPU that the framework should see while it rewrites graphs; None for the host, and for a device of unknown size."""
    if device is None or device.is_host:
        return None
    known = device if overhead is None else with_overhead(device, overhead)
    if known.total_bytes is None:
        return None
    return GpuRequest(known.total_bytes, known.available_bytes, known.name, known.compute_capability, cudnn)

"""The Python API for scripts: `check` runs one and reports."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from os import PathLike

from . import engines
from .capture.cudnn import cudnn_version, not_used
from .capture.runner import run_script
from .confirmation import xla_estimates
from .confirmation.calibration import named, stored
from .confirmation.memory import this_host
from .devices import DeviceProfile, overhead_bytes
from .errors import UsageError
from .plans.batch_axes import parts
from .probe.nvml import find_gpu
from .report.model import Report
from .workflows import compose
from .workflows.confirm_script import Trial, asked, confirmed


def check(
    path: str | PathLike[str],
    *,
    python: str | None = None,
    args: Sequence[str] = (),
    device: str | DeviceProfile | None = None,
    device_overhead: str | int | None = None,
    cudnn: str | int | None = None,
    shapes: Sequence[str] = (),
    calls: str = "dry",
    max_calls: int = 3,
    timeout: float | None = 600.0,
    stdout: int | None = None,
    engine: str | None = None,
    confirm: str | None = None,
    repeat: int = 1,
    tight: bool = False,
    batch_dim: Sequence[str] = (),
) -> Report:
    """Run the script `path` without computing anything and report what its functions need.

    `device` is a size ("4GiB"), a card ("k520"), "none", or a profile; None takes the device that the script opens, else the GPU
    that NVML finds, else host memory. `cudnn` is the version that the device shall have (7605 or "7.6.5"; None: none, unless the flags
    insist); what its algorithms take while they run is unknown, but for `none`. `shapes` are texts such as "train:x=128,784", for
    functions that are not called. `timeout` is in seconds. The script's own output goes to `stdout` (a file descriptor; None: where ours
    goes).

    `engine` is what runs the functions: "gpuarray" (Theano's GPU, for Aesara and PyTensor a what-if), "xla" (JAX), "torch" or "host";
    None: what the framework, the functions' modes and the device say.

    `confirm`: the script also runs for real, on a device of that kind ("best": the best there is), `repeat` times, and the report has
    the measurement beside the prediction; `tight` also finds by trial the least device on which it runs.

    `batch_dim` are the axes of the batch, such as ("x:0", "y:0"): a finding then says what other batches need. By default they are found,
    and only looked at where the script does not fit.

    Raises `UnreadableError` where the script or the interpreter cannot be read, `UsageError` for arguments that make no sense. An
    exception of the script itself is part of the report.

    >>> report = check("examples/mlp_sgd.py", device="none", stdout=2)
    >>> report.process.fits, [f.name for f in report.functions]
    (True, ['train', 'predict'])
    """
    if timeout is not None and not timeout > 0:  # nor nan
        raise UsageError(f"a timeout of {timeout:g} s leaves the script no time", help="give a number of seconds above 0")
    profile = named(device, os.environ) if isinstance(device, str) else device or find_gpu(0, stored(os.environ))
    overhead, version = overhead_bytes(device_overhead), cudnn_version(cudnn)
    if version and (calls != "dry" or profile is None or profile.is_host):
        raise UsageError("--cudnn is about graphs for a GPU, which are made where nothing is computed", help="name one with --gpu")
    if confirm is None and (tight or repeat != 1):
        raise UsageError("--repeat and --tight are about a run that is measured", help="ask for one with --confirm")
    if repeat < 1:
        raise UsageError(f"--repeat {repeat}: no run is measured", help="give a number of runs, 1 or more")
    for text in batch_dim:
        parts(text)
    if confirm is not None:
        return confirmed(Trial(
            str(path), confirm, python, tuple(args), profile, overhead, tuple(shapes), max_calls, timeout, stdout, repeat, tight, version,
        ))  # fmt: skip
    runs = engines.ask(engine, profile)
    if runs is not None and runs.name == "host":
        profile = this_host()
    on_gpu = profile is not None and not profile.is_host
    gpu = asked(profile, overhead, version) if profile is not None and on_gpu and calls == "dry" else None
    compiler = xla_estimates.asked(profile, runs) if calls == "dry" and engine != "gpuarray" else None
    capture = run_script(
        path, python, args, max_calls=max_calls, timeout=timeout, calls=calls, shapes=shapes, stdout=stdout, gpu=gpu, instrument=compiler
    )
    capture = xla_estimates.attached(dataclasses.replace(capture, skipped=(*capture.skipped, *not_used(capture, version))))
    device = profile or compose.opened_device(capture) or this_host()
    return compose.report(capture, device, overhead, batch=batch_dim, engine=None if runs is None else runs.name)

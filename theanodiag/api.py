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
from .confirmation.kinds import SAMPLING
from .confirmation.memory import this_host
from .devices import DeviceProfile, overhead_bytes
from .errors import UsageError
from .plans.batch_axes import parts
from .probe.nvml import find_gpu
from .report.model import Report
from .workflows import compose
from .workflows.confirm_sampling import ShortRuns, confirmed_sampling
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
    stderr: int | None = None,
    engine: str | None = None,
    confirm: str | None = None,
    repeat: int = 1,
    tight: bool = False,
    batch_dim: Sequence[str] = (),
) -> Report:
    """Run the script `path` without computing anything and report what its functions need.

    An exception of the script itself is part of the report.

    Args:
        path: The script.
        python: Path or name of the interpreter that has the framework; None: this one.
        args: The script's own arguments.
        device: A size ("4GiB"), a card ("k520"), "none" (the host), or a profile; None: the device that the script opens, else the GPU that
            NVML finds, else the host.
        device_overhead: Size of the CUDA context and its libraries, in bytes or as a text ("300 MiB"); None: as measured by
            `theanodiag doctor --calibrate`, else 300 MiB.
        cudnn: The version of cuDNN that the device is to have (7605 or "7.6.5"); None: none, unless the flags insist. What its algorithms
            take while they run is unknown, but for "none".
        shapes: Shapes of arguments of functions that are not called, such as "train:x=128,784".
        calls: "dry": nothing is computed, calls return zeros; "real": calls compute.
        max_calls: Calls of each function that are recorded, at least.
        timeout: Seconds for the script; None: no limit.
        stdout: The file descriptor for the script's own output; None: our standard output.
        stderr: The file descriptor for its warnings and errors; None: our standard error.
        engine: What runs the functions: "gpuarray" (Theano's GPU; for Aesara and PyTensor a what-if), "xla" (JAX), "torch" or "host";
            None: what the framework, the functions' modes and the device say.
        confirm: The kind of device on which the script also runs for real, with the measurement beside the prediction ("best": the best
            there is); None: it does not.
        repeat: Measured runs, with `confirm`.
        tight: With `confirm`: also finds by trial the least device on which the script runs.
        batch_dim: The axes of the batch, such as ("x:0", "y:0"): a finding then says what other batches need. Empty: they are found, and
            only looked at where the script does not fit.

    Returns:
        The report: `fits`, `functions`, `process`, `findings`; sizes in bytes.

    Raises:
        UnreadableError: The script or the interpreter cannot be read.
        UsageError: Arguments that make no sense, alone or together.

    >>> report = check("examples/mlp_sgd.py", device="none", stdout=2)
    >>> report.process.fits, [f.name for f in report.functions]
    (True, ['train', 'predict'])
    """
    if timeout is not None and not timeout > 0:  # nor nan
        raise UsageError(f"a timeout of {timeout:g} s leaves the script no time", help="give a number of seconds above 0")
    profile = named(device, os.environ) if isinstance(device, str) else device or find_gpu(0, stored(os.environ))
    overhead, version = overhead_bytes(device_overhead), cudnn_version(cudnn)
    if version and (calls != "dry" or profile is None or profile.is_host):
        raise UsageError("--cudnn needs a GPU, and calls that compute nothing (--calls dry)", help="name a GPU with --gpu")
    if confirm is None and (tight or repeat != 1):
        raise UsageError("--repeat and --tight need a measured run", help="add --confirm")
    if repeat < 1:
        raise UsageError(f"--repeat {repeat}: nothing would be measured", help="give a number of runs, 1 or more")
    for text in batch_dim:
        parts(text)
    if confirm == SAMPLING and (tight or repeat != 1):
        raise UsageError("--repeat and --tight are about a device, and --confirm pymc uses none", help="leave them out")
    if confirm == SAMPLING:
        known = {"device": device, "shapes": shapes, "max_calls": max_calls, "timeout": timeout, "stdout": stdout, "stderr": stderr}
        predicted = check(path, python=python, args=args, **known)  # type: ignore[arg-type]
        return confirmed_sampling(predicted, ShortRuns(str(path), predicted.target.interpreter, tuple(args), timeout))
    if confirm is not None:
        return confirmed(Trial(
            str(path), confirm, python, tuple(args), profile, overhead, tuple(shapes), max_calls, timeout, stdout, repeat, tight, version,
            stderr=stderr,
        ))  # fmt: skip
    runs = engines.ask(engine, profile)
    if runs is not None and runs.name == "host":
        profile = this_host()
    on_gpu = profile is not None and not profile.is_host
    gpu = asked(profile, overhead, version) if profile is not None and on_gpu and calls == "dry" else None
    compiler = xla_estimates.asked(profile, runs) if calls == "dry" and engine != "gpuarray" else None
    capture = run_script(
        path, python, args, max_calls=max_calls, timeout=timeout, calls=calls, shapes=shapes, stdout=stdout, stderr=stderr, gpu=gpu,
        instrument=compiler,
    )  # fmt: skip
    capture = xla_estimates.attached(dataclasses.replace(capture, skipped=(*capture.skipped, *not_used(capture, version))))
    device = profile or compose.opened_device(capture) or this_host()
    return compose.report(capture, device, overhead, batch=batch_dim, engine=None if runs is None else runs.name)

"""The Python API for scripts: `check` runs one and reports."""

from __future__ import annotations

from collections.abc import Sequence
from os import PathLike

from . import pipeline
from .capture.model import GpuAsked
from .capture.runner import run_script
from .confirm.nvml import find_gpu
from .devices import DeviceProfile, by_name, overhead_bytes, with_overhead
from .errors import UsageError
from .report.model import Report


def check(
    path: str | PathLike[str],
    *,
    python: str | None = None,
    args: Sequence[str] = (),
    device: str | DeviceProfile | None = None,
    device_overhead: str | int | None = None,
    shapes: Sequence[str] = (),
    calls: str = "dry",
    max_calls: int = 3,
    timeout: float | None = 600.0,
    stdout: int | None = None,
) -> Report:
    """Run the script `path` without computing anything and report what its functions need.

    `device` is a size ("4GiB"), a card ("k520"), "none", or a profile; None takes the device that the script opens, else the GPU
    that NVML finds, else host memory. `shapes` are texts such as "train:x=128,784", for functions that are not called. `timeout` is in
    seconds. The script's own output goes to `stdout` (a file descriptor; None: where ours goes).

    Raises `UnreadableError` where the script or the interpreter cannot be read, `UsageError` for arguments that make no sense. An
    exception of the script itself is part of the report.

    >>> report = check("examples/mlp_sgd.py", device="4 GiB", stdout=2)
    >>> report.process.fits, [f.name for f in report.functions]
    (True, ['train', 'predict'])
    """
    if timeout is not None and timeout <= 0:
        raise UsageError(f"a timeout of {timeout:g} s leaves the script no time", help="give a number of seconds above 0")
    profile = by_name(device) if isinstance(device, str) else device or find_gpu()
    overhead = overhead_bytes(device_overhead)
    gpu = None if profile is None or profile.is_host or calls != "dry" else _asked(profile, overhead)
    capture = run_script(path, python, args, max_calls=max_calls, timeout=timeout, calls=calls, shapes=shapes, stdout=stdout, gpu=gpu)
    return pipeline.report(capture, profile, overhead)


def _asked(device: DeviceProfile, overhead: int | None) -> GpuAsked | None:
    """The device as the framework shall see it while it rewrites graphs."""
    known = device if overhead is None else with_overhead(device, overhead)
    if known.total_bytes is None:
        return None
    return GpuAsked(known.total_bytes, known.available_bytes, known.name, known.compute_capability)

"""The Python API for scripts: `check` predicts the memory of one script, and `compare` compares two runs."""

from __future__ import annotations

import os
from collections.abc import Sequence
from os import PathLike

from .comparison.model import Comparison
from .devices import DeviceProfile
from .jobs import check as checking
from .jobs import compare as comparing
from .report.model import Report
from .requests import CheckRequest, CompareRequest
from .settings import TIMEOUT


def check(
    path: str | PathLike[str],
    *,
    python: str | None = None,
    args: Sequence[str] = (),
    device: str | DeviceProfile | None = None,
    device_overhead: str | int | None = None,
    host_memory: str | int | None = None,
    cudnn: str | int | None = None,
    shapes: Sequence[str] = (),
    calls: str = "dry",
    max_calls: int = 3,
    timeout: float | None = TIMEOUT,
    stdout: int | None = None,
    stderr: int | None = None,
    engine: str | None = None,
    confirm: str | None = None,
    repeat: int = 1,
    tight: bool = False,
    batch_dim: Sequence[str] = (),
) -> Report:
    """Run the script `path` without computing anything and report the memory that its functions need.

    If the script itself raises an exception, the report contains it.

    Args:
        path: The script.
        python: Path or name of the interpreter that has the framework. None: the present one.
        args: The script's own arguments.
        device: The memory of a device ("4GiB"), a card ("k520"), "none" (the host), or a profile. None: the device that the script opens,
            else the GPU that NVML finds, else the host.
        device_overhead: Memory of the CUDA context and its libraries, in bytes or as a text ("300 MiB"). None: as measured by
            `theanodiag doctor --calibrate`, else 300 MiB.
        host_memory: Host memory that the job can use, in bytes or as a text ("4 GiB"). None: physical memory, or the limit of the
            control group, SLURM or ulimit if that is lower.
        cudnn: The version of cuDNN on the device (7605 or "7.6.5"). None: the device has no cuDNN, unless the flags require it. The
            workspace of cuDNN's algorithms is unknown, except that of the algorithm "none".
        shapes: Shapes of arguments of functions that the script does not call, such as "train:x=128,784".
        calls: "dry": nothing is computed, and calls return zeros. "real": calls are computed.
        max_calls: Number of calls of each function after which the script may be stopped.
        timeout: Time limit for the script in seconds. None: no limit.
        stdout: File descriptor for the script's output. None: standard output.
        stderr: File descriptor for the script's warnings and errors. None: standard error.
        engine: What runs the functions: "gpuarray" (Theano's GPU back-end; hypothetical for Aesara and PyTensor), "xla" or "jax" (JAX's
            compiler), "torch", "numba" or "host". None: depends on the framework, the functions' modes and the device.
        confirm: Also run the script for real on this kind of device, and compare the measurement with the prediction. "best": the best
            available kind. None: predict only.
        repeat: Number of measured runs, with `confirm`.
        tight: With `confirm`: also find, by trial runs, the smallest device on which the script runs.
        batch_dim: Axes of the batch, such as ("x:0", "y:0"); a finding then says how much memory other batch sizes need. Empty:
            theanodiag detects the axes, and tries other batch sizes only if the script does not fit.

    Returns:
        The report, with `fits`, `functions`, `process` and `findings`; sizes in bytes.

    Raises:
        UnreadableError: The script or the interpreter cannot be read.
        UsageError: An argument is invalid, or arguments contradict each other.

    >>> report = check("examples/mlp_sgd.py", device="none", stdout=2)
    >>> report.process.fits, [f.name for f in report.functions]
    (True, ['train', 'predict'])
    """
    request = CheckRequest(
        os.fspath(path), python, tuple(args), device, device_overhead, cudnn, tuple(shapes), calls, max_calls, timeout, engine,  # type: ignore[arg-type]
        tuple(batch_dim), confirm, repeat, tight, host_memory,  # type: ignore[arg-type]
    )  # fmt: skip
    return checking.check(request, stdout=stdout, stderr=stderr)


def compare(
    path: str | PathLike[str],
    other: str | PathLike[str] | None = None,
    *,
    python: str,
    against: str,
    args: Sequence[str] = (),
    calls: int = 10,
    rtol: float | None = None,
    atol: float = 0.0,
    seed: int | None = 1234,
    timeout: float | None = TIMEOUT,
    stdout: int | tuple[int, int] | None = None,
    find_node: bool = True,
    same_draws: bool = False,
    stop_after: int | None = None,
) -> Comparison:
    """Run a script in two interpreters (or two scripts, one in each), and compare what their functions compute.

    Functions are paired in the order in which they are compiled, and the calls of a function in the order in which they are made.

    Args:
        path: The script of the first run.
        other: The script of the second run. None: the same script.
        python: Interpreter of the first run.
        against: Interpreter of the second run.
        args: The script's own arguments, in both runs.
        calls: Number of calls of each function that are compared, beginning with the first.
        rtol: Allowed difference, relative to the largest magnitude in an array. None: depends on the dtype.
        atol: Allowed absolute difference.
        seed: Seed of `random` and `numpy.random` in both runs. None: they are not seeded.
        timeout: Time limit for each run in seconds. None: no limit.
        stdout: File descriptor for the output of the scripts. A pair of descriptors: one for the output and the errors of the first run,
            one for those of the second. None: standard output.
        find_node: If a call differs, run both scripts again up to that call, to find the first node whose results differ.
        same_draws: Give the second run the random numbers that the first run drew, if both draw the same shapes in the same order.
        stop_after: Total number of calls after which a run is ended; it then counts as successful. None: a run is ended once further
            calls bring nothing new.

    Returns:
        The comparison, function by function.

    Raises:
        UnreadableError: A script or an interpreter cannot be read.
        UsageError: An argument is invalid, arguments contradict each other, or neither interpreter is Python 3.
    """
    second = None if other is None else os.fspath(other)
    request = CompareRequest(
        os.fspath(path), python, against, second, tuple(args), calls, rtol, atol, seed, timeout, find_node, same_draws, stop_after
    )
    return comparing.compare(request, stdout=stdout)

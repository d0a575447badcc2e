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
    timeout: float | None = 600.0,
    stdout: int | None = None,
    stderr: int | None = None,
    engine: str | None = None,
    confirm: str | None = None,
    repeat: int = 1,
    tight: bool = False,
    batch_dim: Sequence[str] = (),
) -> Report:
    """Run the script `path` without computing anything and report the memory that its functions need.

    An exception of the script itself is part of the report.

    Args:
        path: The script.
        python: Path or name of the interpreter that has the framework; None: this one.
        args: The script's own arguments.
        device: A size ("4GiB"), a card ("k520"), "none" (the host), or a profile; None: the device that the script opens, else the GPU that
            NVML finds, else the host.
        device_overhead: Size of the CUDA context and its libraries, in bytes or as a text ("300 MiB"); None: as measured by
            `theanodiag doctor --calibrate`, else 300 MiB.
        host_memory: Memory that a job can have on the host asked about, in bytes or as a text ("4 GiB"); None: as much as one can
            have here, by physical memory, control group, SLURM and ulimit.
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
            only searched if the script does not fit.

    Returns:
        The report: `fits`, `functions`, `process`, `findings`; sizes in bytes.

    Raises:
        UnreadableError: The script or the interpreter cannot be read.
        UsageError: Arguments that make no sense, alone or together.

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
    timeout: float | None = 600.0,
    stdout: int | tuple[int, int] | None = None,
    find_node: bool = True,
    same_draws: bool = False,
    stop_after: int | None = None,
) -> Comparison:
    """Run `path` with the interpreter `python` and `other` (None: the same script) with the interpreter `against`, and compare the
    results.

    Functions are paired by the order in which they are compiled, calls by their number.

    Args:
        path: The script.
        other: The script for the second run; None: the same one.
        python: The interpreter of the first run.
        against: The interpreter of the second run.
        args: The script's own arguments.
        calls: Calls of each function that are compared, from the first one.
        rtol: Tolerance relative to the largest magnitude of an array; None: by dtype.
        atol: Absolute tolerance.
        seed: The seed of `random` and `numpy.random` in both runs; None: they are not seeded.
        timeout: Seconds for each run; None: no limit.
        stdout: The file descriptor for the scripts' own output; two: one for all that the first run prints, errors too, and one for the
            second; None: our standard output.
        find_node: Where a call differs, run both scripts once more, up to that call, to find the first node that differs.
        same_draws: Give the new run the numbers that the old one drew from its random streams, where both ask for as many in the same
            order and with the same shapes.
        stop_after: Calls of all functions after which each run is ended, and has ended well; None: once calls bring nothing new.

    Returns:
        The comparison, function by function.

    Raises:
        UnreadableError: A script or an interpreter cannot be read.
        UsageError: Arguments that make no sense, or neither interpreter is Python 3.
    """
    second = None if other is None else os.fspath(other)
    request = CompareRequest(
        os.fspath(path), python, against, second, tuple(args), calls, rtol, atol, seed, timeout, find_node, same_draws, stop_after
    )
    return comparing.compare(request, stdout=stdout)

"""`--calibrate`: measures a device's context overhead and keeps it, for every later prediction."""

from __future__ import annotations

import os
import sys

from .. import files
from ..confirmation import calibration
from ..confirmation.simulated_cuda import VirtualDevice, build
from ..confirmation.user_folders import cache
from ..devices.measured import Calibration, edited
from ..errors import UsageError
from ..processes.guard import temporary
from .atomic import write_atomically

MEASURED = ("cuda", "virtual")


def calibrate(kind: str, python: str | None) -> Calibration:
    """Measures the first CUDA device (or the simulated one) in the interpreter that has pygpu, and writes the entry."""
    if kind not in MEASURED:
        raise UsageError(f"the overhead of {kind!r} cannot be measured", help=f"one of {', '.join(MEASURED)}")
    env = dict(os.environ)
    with temporary() as scratch:
        if kind == "virtual":
            env = VirtualDevice().environment(build(cache(env)), env)
        found = calibration.measured(python or sys.executable, "cuda0", env, scratch)
    keep(found)
    return found


def keep(new: Calibration) -> None:
    """Writes the entry into the file, which may be new; other entries stay."""
    file = calibration.path(os.environ)
    calibration.stored(os.environ)  # a file that is none of ours is not written to
    file.parent.mkdir(parents=True, exist_ok=True)
    before = files.read(str(file), files.CONFIGURATION) if file.exists() else None
    after = edited((before or b"").decode("utf-8"), new)
    write_atomically(str(file), after.encode("utf-8"), before=before)


def told(c: Calibration) -> str:
    """The entry for people."""
    parts = [f"{c.context_bytes} before the first allocation", f"{c.blas_bytes} more for BLAS"]
    parts += [f"{c.cudnn_bytes} more for cuDNN"] if c.cudnn_bytes is not None else []
    return f"theanodiag: {c.name}: {c.context.bytes} bytes ({', '.join(parts)}); kept in {calibration.path(os.environ)}"

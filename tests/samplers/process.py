"""Predicted beside measured peak of the whole process, a row a script: `python -m tests.samplers.process INTERPRETER SCRIPT...`.

Measured is the resident memory of the process at its highest (`ru_maxrss` of wait4), without worker processes: scripts with `cores=1`. It
compiles into an empty folder, which is the first run of a model on a machine.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import theanodiag

MIB = 1 << 20


def row(interpreter: str, script: str) -> str:
    """A row of the table: stage, MiB predicted and measured, their ratio."""
    report = theanodiag.check(script, python=interpreter, device="none", stdout=2)
    highest = max(report.sampling, key=lambda c: c.profile.peak.bytes + c.beside_bytes)
    predicted = report.process.live_peak_bytes / MIB
    measured, status = measured_peak(interpreter, script)
    version = f"PyMC {highest.profile.call.version}, {highest.profile.call.sampler}"
    ended = "" if status == 0 else f" (ended with {status})"
    stage = highest.profile.peak.name
    return f"| {Path(script).stem} | {version} | {stage} | {predicted:.1f} | {measured:.1f}{ended} | {predicted / measured:.3f} |"


def measured_peak(interpreter: str, script: str) -> tuple[float, int]:
    """MiB of the process at its highest, and its status as wait4 tells it."""
    with tempfile.TemporaryDirectory() as empty, open(os.devnull, "w") as nowhere:
        environment = {**os.environ, "PYTENSOR_FLAGS": f"base_compiledir={empty}"}
        process = subprocess.Popen([interpreter, "-W", "ignore", script], stdout=nowhere, stderr=nowhere, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
    return usage.ru_maxrss / 1024, status


if __name__ == "__main__":
    for name in sys.argv[2:]:
        print(row(sys.argv[1], name), flush=True)

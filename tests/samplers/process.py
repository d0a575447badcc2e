"""Predicted beside measured peak of the whole process, a row a script: `python -m tests.samplers.process INTERPRETER SCRIPT...`.

Measured is the resident memory of the process at its highest (`ru_maxrss` of wait4), without worker processes: scripts with `cores=1`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import theanodiag

MIB = 1 << 20


def row(interpreter: str, script: str) -> str:
    """A row of the table: stage, MiB predicted and measured, their ratio."""
    report = theanodiag.check(script, python=interpreter, device="none", stdout=2)
    highest = max(report.sampling, key=lambda c: c.profile.peak.bytes + c.beside_bytes)
    predicted = report.process.live_peak_bytes / MIB
    with open(os.devnull, "w") as nowhere:
        process = subprocess.Popen([interpreter, "-W", "ignore", script], stdout=nowhere, stderr=nowhere)
        _, status, usage = os.wait4(process.pid, 0)
    measured = usage.ru_maxrss / 1024
    version = f"PyMC {highest.profile.call.version}, {highest.profile.call.sampler}"
    ended = "" if status == 0 else f" (ended with {status})"
    stage = highest.profile.peak.name
    return f"| {Path(script).stem} | {version} | {stage} | {predicted:.1f} | {measured:.1f}{ended} | {predicted / measured:.3f} |"


if __name__ == "__main__":
    for name in sys.argv[2:]:
        print(row(sys.argv[1], name), flush=True)

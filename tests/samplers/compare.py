"""Predicted beside measured host memory of samplers, a line a call: `python -m tests.samplers.compare ENVIRONMENT [SCRIPT...]`."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import theanodiag
from tests.interpreters import find, python

HERE = Path(__file__).parent
SCRIPTS = tuple(sorted(p.stem for p in (HERE / "scripts").glob("*.py")))


@dataclass(frozen=True)
class Compared:
    """One call: bytes above what the compiled model holds."""

    script: str
    stage: str
    """Where the prediction is highest."""
    predicted: int
    measured: int
    sampling_predicted: int
    sampling_measured: int
    check_seconds: float
    run_seconds: float


def compared(environment: str, script: str) -> Iterator[Compared]:
    """The calls of one script, predicted and run."""
    path = HERE / "scripts" / f"{script}.py"
    started = time.monotonic()
    report = theanodiag.check(path, python=find(environment), device="none", stdout=2)
    checked = time.monotonic()
    done = python(environment, str(HERE / "measured.py"), str(path), timeout=900)
    ran = time.monotonic()
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout.splitlines()[-1])
    assert len(rows) == len(report.sampling) > 0, (report.script, report.skipped)
    for call, row in zip(report.sampling, rows):
        p = call.profile
        before = p.before_bytes
        yield Compared(
            script, p.peak.name, p.peak.bytes - before, row["peak"], p.stages[0].bytes - before, row["sampling"],
            checked - started, ran - checked,
        )  # fmt: skip


def main(argv: list[str]) -> None:
    """Prints the table."""
    print("| script | peak at | predicted MiB | measured MiB | ratio | sampling: predicted | measured | check s | run s |", flush=True)
    for script in argv[1:] or SCRIPTS:
        try:
            for c in compared(argv[0], script):
                sizes = [n / 2**20 for n in (c.predicted, c.measured, c.sampling_predicted, c.sampling_measured)]
                print(
                    f"| {c.script} | {c.stage} | {sizes[0]:.1f} | {sizes[1]:.1f} | {sizes[0] / sizes[1]:.3f} "
                    f"| {sizes[2]:.1f} | {sizes[3]:.1f} | {c.check_seconds:.1f} | {c.run_seconds:.1f} |", flush=True,
                )  # fmt: skip
        except (AssertionError, subprocess.TimeoutExpired) as error:
            print(f"| {script} | failed: {str(error)[-300:]} |", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])

"""Predicted beside measured host memory of samplers, a line a call: `python -m tests.samplers.compare ENVIRONMENT [SCRIPT[@SAMPLER]...]`.

The scripts are those of `scripts`, on some of which constants were measured, and of `held_out`, on which none was. `@numpyro` has NUTS of
another package do the same, `@numpyro+vectorized` all chains in one program, `+scan` and `+cpu` the post-processing so.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import theanodiag
from tests.interpreters import find, python
from theanodiag.jobs.confirm import INSTRUMENT
from theanodiag.samplers.model import Stage
from theanodiag.samplers.simulate import EARLIER

HERE = Path(__file__).parent
SCRIPTS = tuple(sorted(p.stem for p in (HERE / "scripts").glob("*.py")))
HELD_OUT = tuple(sorted(p.stem for p in (HERE / "held_out").glob("*.py")))

OPTIONS = {"vectorized": "chain_method", "scan": "postprocessing_vectorize", "cpu": "postprocessing_backend"}
"""What stands behind `+` -> the option that has this value."""


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
    with tempfile.TemporaryDirectory() as folder:
        yield from _compared(environment, script, written(script, Path(folder)))


def written(script: str, folder: Path) -> Path:
    """The script, with the sampler that is asked for behind `@`."""
    name, _, sampler = script.partition("@")
    path = HERE / ("held_out" if name in HELD_OUT else "scripts") / f"{name}.py"
    if sampler:
        sampler, _, way = sampler.partition("+")
        option = f", nuts={{{OPTIONS[way]!r}: {way!r}}}" if way else ""
        text = re.sub(r"nuts=\{[^}]*\}", f"nuts_sampler={sampler!r}{option}", path.read_text())
        path = folder / path.name
        path.write_text(text)
    return path


def _compared(environment: str, script: str, path: Path) -> Iterator[Compared]:
    started = time.monotonic()
    report = theanodiag.check(path, python=find(environment), device="none", stdout=2)
    checked = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "rows")
        done = python(environment, str(INSTRUMENT), str(out), "[]", str(path), timeout=900)
        rows = [json.loads(line) for line in out.read_text().splitlines()]
    ran = time.monotonic()
    assert done.returncode == 0, done.stderr
    assert len(rows) == len(report.sampling) > 0, (report.script, report.skipped)
    for call, row in zip(report.sampling, rows):
        p = call.profile
        yield Compared(
            script, p.call_peak.name, run_time(p.call_peak), row["peak"], run_time(p.stages[0]), row["sampling"],
            checked - started, ran - checked,
        )  # fmt: skip


def run_time(stage: Stage) -> int:
    """Bytes of the stage without what was there before."""
    return sum(a.bytes for a in stage.amounts if a.what != EARLIER)


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

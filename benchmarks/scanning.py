"""The static pass of `theanodiag scan`: lines a second of one core beside `ruff check`, and two worker processes beside one."""

from __future__ import annotations

import os
import resource
import shutil
import subprocess
import tempfile
import time
from pathlib import Path

from theanodiag.workflows.scan_repository import scan
from theanodiag.workflows.scan_workers import Workers

ROOT = Path(__file__).resolve().parents[1]
COPIES = 8


def main() -> None:
    """Prints lines a second and ratios. Seconds are those of the processor, but for the two workers: these want a quiet machine."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        _sources(folder)
        began, lines, files = time.process_time(), 0, 0
        for one in scan([name]):
            lines, files = lines + one.lines, files + 1
        ours = time.process_time() - began
        print(f"   {files} files, {lines} lines: {lines / ours:.0f} lines a second; the mark is 20000")
        ruff = shutil.which("ruff")
        if ruff is None:
            print("   no ruff to put beside it")
        else:
            theirs = _seconds(ruff, "check", "--isolated", "--no-cache", "--exit-zero", "--quiet", "--output-format", "concise", name)
            print(f"   {ours / theirs:.0f} x the processor time of ruff check ({theirs:.2f} s)")
        one, two = (_wall(name, jobs) for jobs in (1, 2))
        load = os.getloadavg()[0]
        print(f"   two worker processes: {one / two:.2f} x one, on {os.cpu_count()} cores with a load of {load:.1f}; the mark is 1.7")


def _sources(folder: Path) -> None:
    """Sources that use Theano, PyTensor and PyMC: this repository's examples and scripts, many times, no two the same."""
    found = [*ROOT.glob("examples/**/*.py"), *ROOT.glob("tests/**/scripts/*.py"), *ROOT.glob("benchmarks/scripts/*.py")]
    for k in range(COPIES):
        for n, path in enumerate(found):
            place = folder / f"copy{k}" / f"{n}_{path.name}"
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(path.read_bytes() + b"# %d\n" % k)


def _wall(name: str, jobs: int) -> float:
    began = time.perf_counter()
    for _ in scan([name], workers=Workers(jobs)):
        pass
    return time.perf_counter() - began


def _seconds(*command: str) -> float:
    """Processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

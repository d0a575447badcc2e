"""The static pass of `theanodiag scan`: lines a second of one core beside `ruff check`, two worker processes beside one, and how time and
memory grow with the number of files."""

from __future__ import annotations

import itertools
import math
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
LIBRARIES = ("theano/lib/*/site-packages/theano", "libraries/lib/*/site-packages/lasagne", "pymc/lib/*/site-packages/pymc")
"""Below `.envs/`: sources full of frameworks, where `make test` has made the environments."""
MANY = (100, 1_000, 10_000)
"""Numbers of files between which growth is measured."""


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
        (one, busy_one), (two, busy_two) = (_worked(name, jobs) for jobs in (1, 2))
        load = os.getloadavg()[0]
        print(f"   two worker processes: {one / two:.2f} x one, on {os.cpu_count()} cores with a load of {load:.1f}; the mark is 1.7")
        most = 2 * busy_one / busy_two
        print(f"   they take {busy_two / busy_one:.2f} x the processor time of one: at most {most:.2f} x its work on two idle cores")
        _growth(folder)


def _growth(sources: Path) -> None:
    """Prints how processor time grows with the number of files, and the memory of this process after the most of them."""
    small = [p.read_bytes() for p in sorted(sources.rglob("*.py")) if p.stat().st_size < 6000]
    times = []
    for number in MANY:
        with tempfile.TemporaryDirectory() as name:
            for k, text in zip(range(number), itertools.cycle(small)):
                place = Path(name, f"d{k // 500}", f"m{k}.py")
                place.parent.mkdir(exist_ok=True)
                place.write_bytes(text + b"# %d\n" % k)
            began = time.process_time()
            found = sum(1 for _ in scan([name]))
            times.append(time.process_time() - began)
            assert found == number
    exponent = math.log(times[-1] / times[0]) / math.log(MANY[-1] / MANY[0])
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"   from {MANY[0]} to {MANY[-1]} files time grows with the exponent {exponent:.2f}, the mark is 1.05; {peak} MB, the mark is 300"
    )


def _sources(folder: Path) -> None:
    """Sources that use Theano, Lasagne, PyTensor and PyMC: the libraries themselves where they are here; else, many times and no two the
    same, this repository's examples and scripts."""
    for pattern in LIBRARIES:
        for library in (ROOT / ".envs").glob(pattern):
            shutil.copytree(
                library, folder / library.name, ignore=lambda at, names: [n for n in names if Path(n).suffix not in ("", ".py")]
            )
    if any(folder.iterdir()):
        return
    found = [*ROOT.glob("examples/**/*.py"), *ROOT.glob("tests/**/scripts/*.py"), *ROOT.glob("benchmarks/scripts/*.py")]
    for k in range(COPIES):
        for n, path in enumerate(found):
            place = folder / f"copy{k}" / f"{n}_{path.name}"
            place.parent.mkdir(exist_ok=True)
            place.write_bytes(path.read_bytes() + b"# %d\n" % k)


def _worked(name: str, jobs: int) -> tuple[float, float]:
    """Seconds by the clock, and of the processor in all processes together."""
    began, busy = time.perf_counter(), _busy()
    for _ in scan([name], workers=Workers(jobs)):
        pass
    return time.perf_counter() - began, _busy() - busy


def _busy() -> float:
    """Processor time of this process and those of its children that have ended."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, kinds))


def _seconds(*command: str) -> float:
    """Processor time of a command."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, stdout=subprocess.DEVNULL, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

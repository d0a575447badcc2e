"""Timing of commands, best of several runs (machines are noisy: the best is the least disturbed)."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence


def best(run: Callable[[], object], repeat: int = 5, clock: Callable[[], float] = time.perf_counter) -> float:
    """Seconds of the fastest of `repeat` runs."""
    seconds = []
    for _ in range(repeat):
        start = clock()
        run()
        seconds.append(clock() - start)
    return min(seconds)


def processor(run: Callable[[], object], repeat: int) -> float:
    """Processor seconds of the fastest of `repeat` runs."""
    return best(run, repeat, time.process_time)


def command(*args: str, env: Mapping[str, str] | None = None, ok: Sequence[int] = (0,)) -> Callable[[], object]:
    """Something that runs a command and insists on its exit code."""

    def run() -> None:
        done = subprocess.run(args, env={**os.environ, **(env or {})}, capture_output=True, text=True, check=False)
        if done.returncode not in ok:
            raise RuntimeError(f"{' '.join(args)} exited with {done.returncode}:\n{done.stderr[-2000:]}")

    return run


def interpreter(name: str) -> str | None:
    """The interpreter of a test environment, if it is there; says so if not."""
    path = os.environ.get(f"THEANODIAG_PY_{name.upper()}")
    if not path:
        print(f"   skipped: needs THEANODIAG_PY_{name.upper()}", file=sys.stderr)
    return path

"""python -m tools.fuzz [--seconds N] [--seed N] [--case FILE] [TARGET...]: all targets for N seconds each, or one case again."""

from __future__ import annotations

import argparse
import hashlib
import importlib
import json
import os
import pkgutil
import random
import resource
import signal
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import cast

from . import __path__ as folder
from .target import Target

KEPT = Path(".fuzz")
NO_TARGETS = ("__main__", "recorder", "target")
LONGEST = 20
"""Seconds of processor time that one case may take."""
MEMORY = 4 << 30
"""Bytes of address space for all."""


class TooSlow(Exception):
    """A case took too long."""


def names() -> list[str]:
    """The targets there are."""
    return sorted(m.name for m in pkgutil.iter_modules(folder) if m.name not in NO_TARGETS)


def load(name: str) -> Target:
    """A target."""
    return cast(Target, importlib.import_module(f"{__package__}.{name}"))


def _too_slow(number: int, frame: object) -> None:
    raise TooSlow(f"more than {LONGEST} seconds")


def tried(target: Target, case: object) -> str:
    """What went wrong with a case; nothing where it went well."""
    signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
    try:
        target.run(case)
    except Exception:
        return traceback.format_exc()
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return ""


def place(failure: str) -> str:
    """What tells failures apart: where ours was raised, and what."""
    lines = failure.rstrip().splitlines()
    ours = [line.strip() for line in lines if 'File "' in line and "theanodiag" in line]
    return (ours[-1] if ours else "") + lines[-1].partition(":")[0]


def fuzz(name: str, seconds: float, seed: int, keep: Path | None = KEPT) -> tuple[int, dict[str, str]]:
    """How many cases were tried, and the failures, one for each place."""
    target, chance, found, count = load(name), random.Random(f"{name} {seed}"), {}, 0
    end = time.monotonic() + seconds
    while not count or time.monotonic() < end:
        case = target.case(chance)
        count += 1
        failure = tried(target, case)
        if failure and place(failure) not in found:
            found[place(failure)] = failure
            if keep is not None:
                where = keep / name
                where.mkdir(parents=True, exist_ok=True)
                text = json.dumps({"target": name, "case": case}, indent=1)
                path = where / f"{hashlib.sha256(text.encode()).hexdigest()[:12]}.json"
                path.write_text(text, encoding="utf-8")
                print(f"{failure}\n{name}: python -m tools.fuzz --case {path}", file=sys.stderr, flush=True)
    return count, found


def limited() -> None:
    """Bounds time and memory of this process."""
    signal.signal(signal.SIGVTALRM, _too_slow)
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    os.environ["THEANODIAG_DEBUG"] = "1"  # so that a traceback comes out
    os.environ["HOME"] = tempfile.mkdtemp(prefix="theanodiag-fuzz-")


def main() -> int:
    """Runs targets, or one case."""
    parser = argparse.ArgumentParser(prog="python -m tools.fuzz", description=__doc__)
    parser.add_argument("targets", nargs="*", metavar="TARGET", help=f"of {', '.join(names())} (default: all)")
    parser.add_argument("--seconds", type=float, default=600, help="for each target (default: 600)")
    parser.add_argument("--seed", type=int, default=int(time.time()), help="of chance (default: the time)")
    parser.add_argument("--case", type=Path, help="a case that was written down, to run it again")
    args = parser.parse_args()
    limited()
    if args.case:
        row = json.loads(args.case.read_text(encoding="utf-8"))
        load(row["target"]).run(row["case"])
        return 0
    bad = 0
    for name in args.targets or names():
        count, found = fuzz(name, args.seconds, args.seed)
        print(f"{name}: {count} cases with seed {args.seed}, {len(found)} failures", flush=True)
        bad += len(found)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())

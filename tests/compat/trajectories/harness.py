"""Runs named scripts on Theano 1.0.5 and over PyTensor and compares what their training functions return, call by call.

    python -m tests.compat.trajectories.harness CHECKOUTS [NAME...] [--mode c] [--side pytensor_new]

`CHECKOUTS` holds the repositories as `<owner>+<name>`; in `CHECKOUTS/packages/{py27,py38,py311,py313}` there may be packages that scripts
import (matplotlib, pandas). Each script runs unmodified in a copy of its repository. The losses of each side stay in `CHECKOUTS/results`.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from tests import interpreters

from .named import HERE, Script, read

PACKAGES = {"theano27": "py27", "theano": "py38", "suite": "py311", "pytensor_new": "py313"}
SIDES = ("reference", "suite", "pytensor_new")
"""Theano 1.0.5, and the interpreters with PyTensor 3.0.7 and the newest one."""
LIMIT = int(os.environ.get("TRAJECTORY_LIMIT", "1500"))
"""Seconds that one side may take."""


@dataclass
class Side:
    """What a script did on one side."""

    losses: list[tuple[int, float]]
    first: float
    """Seconds until the first loss: compilation and the first call."""
    step: float
    """Seconds that a call takes, the middle one of those after the first."""
    error: str


@dataclass
class Outcome:
    """What the two sides say of a script."""

    reference: Side
    over: Side
    difference: float
    """The largest relative difference between the losses of a step."""
    moved: float
    """How far the losses of a function went from its first one, relatively."""
    steps: int

    @property
    def same(self) -> bool:
        """At least 20 steps, each the same to 1e-4, and something learnt."""
        return self.steps >= 20 and self.difference <= 1e-4 and self.moved > 0.01


def checkout(root: Path, repository: str) -> Path:
    """Where a repository lies."""
    return root / repository.replace("/", "+", 1)


def prepare(script: Script, root: Path, scratch: Path) -> Path:
    """A copy of the repository with generated data in it; gives the folder where the script starts."""
    shutil.copytree(checkout(root, script.repository), scratch / (script.package or "repository"), symlinks=True)
    copy = scratch / (script.package or "repository")
    for item in script.data:
        function, _, path = item.partition(":")
        kept = root / "generated" / script.name / path
        if not kept.exists():
            done = interpreters.python("theano", str(HERE / "data.py"), function, str(kept))
            assert done.returncode == 0, done.stderr
    if script.data:
        shutil.copytree(root / "generated" / script.name, copy, dirs_exist_ok=True)
    for other in script.beside:  # by its own name, where the folder itself is the package
        (scratch / "beside").mkdir(exist_ok=True)
        (scratch / "beside" / other.partition("/")[2]).symlink_to(checkout(root, other).resolve())
    folder = copy / (script.folder or Path(script.path).parent)
    if script.driver:
        shutil.copy(script.driver, (copy / script.path).parent / "trajectory_driver.py")
    return folder


def command(script: Script, side: str, mode: str, python2: bool) -> list[str]:
    """What starts the script on a side (`reference`, or an interpreter with PyTensor), but for its path."""
    if side == "reference" and not python2:
        return [interpreters.find("theano27" if script.python2 else "theano")]
    there = ["--python", interpreters.find("theano")] if side == "reference" else ["--python", interpreters.find(side), "--fix-numpy"]
    said = ["--python2"] if script.python2 else []
    return [sys.executable, "-m", "theanodiag", "run", *there, *said, *(["--mode", mode] if mode != "FAST_COMPILE" else [])]


def run(script: Script, root: Path, side: str, mode: str, reference: str) -> Side:
    """What the script does on a side: `reference` is Theano, any other the interpreter of that name, with PyTensor."""
    translated = side == "reference" and script.reference == "translated"
    name = side if side != "reference" else "theano27" if script.python2 and not translated else "theano"
    with tempfile.TemporaryDirectory(prefix="trajectory-") as temporary:
        scratch = Path(temporary)
        folder = prepare(script, root, scratch)
        copy = scratch / (script.package or "repository")
        log = scratch / "log"
        path = copy / script.path
        paths = [HERE / "recorder", scratch, scratch / "beside", copy, *(checkout(root, other) for other in script.beside)]
        paths += [root / "packages" / PACKAGES[name], interpreters.ROOT]
        env = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, paths)),
            "PYTHONHASHSEED": "0",
            "MPLBACKEND": "Agg",
            "OPENBLAS_NUM_THREADS": "1",
            "OMP_NUM_THREADS": "1",
            "THEANO_FLAGS": f"device=cpu,base_compiledir={root / 'compiled' / name},{script.flags}"
            + (",optimizer_excluding=fusion" if side == "reference" and reference == "mixed" else ""),
            "PYTENSOR_FLAGS": f"base_compiledir={root / 'compiled' / name}" + (",mode=FAST_COMPILE" if mode == "FAST_COMPILE" else ""),
            "TRAJECTORY_LOG": str(log),
            "TRAJECTORY_STEPS": str(script.steps),
            "TRAJECTORY_ALL": "1" if script.record == "all" else "",
            "TRAJECTORY_REFERENCE": reference if side == "reference" else "",
            "TRAJECTORY_ROOTS": json.dumps({there: str(copy / Path(there).name) for there in script.roots}),
        }
        started = time.time()
        target = path.parent / "trajectory_driver.py" if script.driver else path
        words = [*command(script, side, mode, translated), str(target), *script.arguments]
        try:
            done = subprocess.run(words, cwd=folder, env=env, capture_output=True, timeout=LIMIT, check=False)
            error = done.stderr.decode("utf-8", "replace")[-3000:] if done.returncode else ""
        except subprocess.TimeoutExpired:
            error = f"took more than {LIMIT} s"
        rows = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    losses = [row for row in rows if "loss" in row]
    seconds = sorted(row["seconds"] for row in losses[1:])
    first = losses[0]["at"] - started if losses else 0.0
    return Side([(row["function"], row["loss"]) for row in losses], first, seconds[len(seconds) // 2] if seconds else 0.0, error)


def compare(reference: Side, over: Side) -> Outcome:
    """The two sides, call by call. Functions that are each compiled for one call are taken as one."""
    once = len({f for f, _ in reference.losses}) == len(reference.losses)
    steps = min(len(reference.losses), len(over.losses))
    difference, moved = 0.0, 0.0
    first: dict[int, float] = {}
    for (f, a), (g, b) in zip(reference.losses, over.losses):
        difference = max(difference, abs(a - b) / max(abs(a), 1e-12) if f == g and a == a and b == b else float("inf"))
        start = first.setdefault(0 if once else f, a)
        moved = max(moved, abs(a - start) / max(abs(start), 1e-12))
    return Outcome(reference, over, difference if steps else float("inf"), moved, steps)


def results(root: Path, script: Script, side: str) -> Path:
    """Where the result of a side is kept."""
    return root / "results" / f"{script.name}.{side}.json"


def keep(root: Path, script: Script, side: str, found: Side) -> None:
    """Writes down what a script did on a side."""
    path = results(root, script, side)
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(vars(found)), encoding="utf-8")


def kept(root: Path, script: Script, side: str) -> Side | None:
    """What `keep` wrote down; None where the script was not run on that side."""
    path = results(root, script, side)
    return Side(**json.loads(path.read_text(encoding="utf-8"))) if path.exists() else None


def row(script: Script, outcome: Outcome) -> str:
    """What came out, in one line."""
    word = "same" if outcome.same else "OTHER"
    there, here = outcome.reference, outcome.over
    figures = f"steps {outcome.steps} difference {outcome.difference:.1e} moved {outcome.moved:.1%}"
    times = f"first {there.first:.1f}/{here.first:.1f} s step {there.step * 1e3:.1f}/{here.step * 1e3:.1f} ms"
    return f"{script.name:24} {word:6} {figures} {times}"


def main() -> None:
    """Runs the scripts named, or all, and prints a row each."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkouts", type=Path)
    parser.add_argument("names", nargs="*")
    parser.add_argument("--mode", default="FAST_COMPILE")
    parser.add_argument("--reference", choices=("mixed", "C"), default="mixed", help="Theano's C code where it matters, or everywhere")
    parser.add_argument("--side", action="append", choices=SIDES, help="run these sides only; what the others left is compared")
    args = parser.parse_args()
    for script in read():
        if (args.names and script.name not in args.names) or not checkout(args.checkouts, script.repository).is_dir():
            continue
        for side in args.side or SIDES[:2]:
            found = run(script, args.checkouts, side, args.mode, args.reference)
            keep(args.checkouts, script, side, found)
            sys.stderr.write(f"{script.name} {side}: {len(found.losses)} steps, first {found.first:.1f} s\n{found.error}\n")
        first, *others = ((side, found) for side in SIDES for found in [kept(args.checkouts, script, side)] if found)
        for side, found in others:
            print(row(script, compare(first[1], found)), first[0], side, flush=True)


if __name__ == "__main__":
    main()

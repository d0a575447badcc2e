"""Theano's own tests over the layer, file by file: `python -m tests.compat.suite [--mode MODE] [--sample] [--update] [FILE...]`.

Needs THEANODIAG_PY_SUITE (PyTensor and pytest; for the mode JAX THEANODIAG_PY_SUITE_JAX, for the target Aesara _AESARA) and
THEANODIAG_PY_THEANO (whose wheel has the test files); `make suite` makes them. Prints, for each file, how many of the tests that the real
Theano passes do so over the layer, and which of them fail that are not listed. Modes are those of PyTensor, and C. `--sample` runs those of
sample.txt only; `--update` writes the list of those that fail (failing.txt, or failing_MODE.txt) anew. FILE is a part of a name, such as
`tests/test_pool`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .running import HERE, Suite, listed, reference
from .sample import sample

USUAL = "FAST_COMPILE"
LIMIT = {USUAL: 120.0}
"""Seconds for one test by mode; of the others, which compile for long, see SLOW."""
SLOW = 300.0


def failing(mode: str = USUAL) -> Path:
    """The list of what fails in a mode."""
    return HERE / ("failing.txt" if mode == USUAL else f"failing_{mode.lower()}.txt")


def internals(mode: str = USUAL) -> dict[str, str]:
    """What no script can see, and what the back-end of a mode cannot do, with its reason, by id."""
    path = HERE / f"limits_{mode.lower()}.txt"
    return {**listed(HERE / "internals.txt"), **(listed(path) if path.exists() else {})}


def interpreter(mode: str, target: str) -> str:
    """The variable that names the interpreter for a mode."""
    other = "_JAX" if mode == "JAX" else "_AESARA" if target == "aesara" else ""
    return "THEANODIAG_PY_SUITE" + other


@dataclass(frozen=True)
class Row:
    """What became of one file's tests that the real Theano passes."""

    file: str
    names: tuple[str, ...]
    passed: frozenset[str]
    seconds: float


def run_file(suite: Suite, file: str, names: tuple[str, ...], some: bool) -> Row:
    """Runs one file, or `some` of its tests, in a process of its own."""
    started = time.monotonic()
    found = suite.run([file], only=names if some else ())
    return Row(file, names, frozenset(n for n in names if found.get(n) == "passed"), time.monotonic() - started)


def by_file(names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Ids by their file."""
    found: dict[str, list[str]] = {}
    for name in names:
        found.setdefault(name.partition("::")[0], []).append(name)
    return {file: tuple(of_file) for file, of_file in found.items()}


def arguments() -> argparse.Namespace:
    """What the user asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE", nargs="*")
    parser.add_argument("--mode", default=USUAL)
    parser.add_argument("--sample", action="store_true")
    parser.add_argument("--target", default="pytensor", choices=("pytensor", "aesara"), help="what stands in for Theano")
    parser.add_argument("--timeout", type=float, help="seconds for one test")
    parser.add_argument("--jobs", type=int, default=2, help="files at a time")
    parser.add_argument("--why", metavar="TO", default="", help="file to which the tracebacks of what fails are appended")
    parser.add_argument("--update", action="store_true")
    return parser.parse_args()


def main() -> int:
    """Runs what was asked for; 1 where a test fails that is not listed, or one of the internals passes."""
    args = arguments()
    timeout = args.timeout or LIMIT.get(args.mode, SLOW)
    why = str(Path(args.why).resolve()) if args.why else ""
    wheel = wheel_of(os.environ["THEANODIAG_PY_THEANO"])
    suite = Suite(os.environ[interpreter(args.mode, args.target)], wheel, args.mode, timeout, target=args.target, why=why)
    every = [f"{file}::{name}" for file, names in reference().items() for name in names]
    chosen = by_file(sample() if args.sample else every)
    wanted = {f: names for f, names in chosen.items() if not args.files or any(part in f for part in args.files)}
    left_out, known = set(internals(args.mode)), set(listed(failing(args.mode))) if failing(args.mode).exists() else set()
    wrongs: set[str] = set()
    passed, counted, bad = 0, 0, 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for row in pool.map(lambda item: run_file(suite, *item, args.sample), wanted.items()):
            inside = left_out.intersection(row.names)
            wrong = [name for name in row.names if name not in row.passed and name not in inside]
            new, odd = [name for name in wrong if name not in known], sorted(inside & row.passed)
            wrongs.update(wrong)
            bad += len(new) + len(odd)
            n, ok = len(row.names) - len(inside), len(row.passed - inside)
            passed, counted = passed + ok, counted + n
            print(f"{row.file:<60} {ok:>5} of {n:>5}  {100 * ok / max(1, n):5.1f} %  {row.seconds:5.0f} s", flush=True)
            for text, which in (("fails, not listed", new), ("is listed as internal, and passes", odd)):
                print("".join(f"    {text}: {name}\n" for name in which), end="", flush=True)
    every = [name for names in chosen.values() for name in names]
    out = len(left_out.intersection(every))
    print(f"{passed} of {counted} ({100 * passed / max(1, counted):.1f} %); {out} left out ({100 * out / len(every):.1f} %)")
    if args.update:
        ran = {name for names in wanted.values() for name in names}
        kept = {name for name in known if name not in ran}
        head = f"# Tests that the real Theano 1.0.5 passes and that fail over the layer ({args.mode}), to be mended.\n"
        failing(args.mode).write_text(head + "".join(f"{name}\n" for name in sorted(wrongs | kept)), encoding="utf-8")
    return 1 if bad and not args.update else 0


def wheel_of(python: str) -> Path:
    """The folder in which an interpreter's Theano lies."""
    program = "import importlib.util as u; print(u.find_spec('theano').submodule_search_locations[0])"
    return Path(subprocess.check_output([python, "-c", program], text=True).strip()).parent


if __name__ == "__main__":
    sys.exit(main())

"""Theano's own tests over the layer, file by file: `python -m tests.compat.suite [--mode MODE] [--update] [FILE...]`.

Needs THEANODIAG_PY_SUITE (PyTensor and pytest) and THEANODIAG_PY_THEANO (whose wheel has the test files); `make suite` makes both.
Prints, for each file, how many of the tests that the real Theano passes do so over the layer, and which of them fail that are not
listed. `--update` writes the list of those that fail (failing.txt) anew. FILE is a part of a name, such as `tests/test_pool`.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from .running import HERE, Suite, listed, reference

FAILING, INTERNALS = HERE / "failing.txt", HERE / "internals.txt"
HEAD = "# Tests that the real Theano 1.0.5 passes and that fail over the layer (FAST_COMPILE), to be mended.\n"


@dataclass(frozen=True)
class Row:
    """What became of one file's tests that the real Theano passes."""

    file: str
    names: tuple[str, ...]
    passed: frozenset[str]
    seconds: float


def run_file(suite: Suite, file: str, ids: tuple[str, ...]) -> Row:
    """Runs one file in a process of its own."""
    started = time.monotonic()
    found = suite.run([file])
    names = tuple(f"{file}::{name}" for name in ids)
    return Row(file, names, frozenset(n for n in names if found.get(n) == "passed"), time.monotonic() - started)


def main() -> int:
    """Runs what was asked for; 1 where a test fails that is not listed, or one of the internals passes."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", metavar="FILE", nargs="*")
    parser.add_argument("--mode", default="FAST_COMPILE")
    parser.add_argument("--timeout", type=float, default=120.0, help="seconds for one test")
    parser.add_argument("--jobs", type=int, default=2, help="files at a time")
    parser.add_argument("--update", action="store_true")
    args = parser.parse_args()
    suite = Suite(os.environ["THEANODIAG_PY_SUITE"], wheel_of(os.environ["THEANODIAG_PY_THEANO"]), args.mode, args.timeout)
    wanted = {f: ids for f, ids in reference().items() if not args.files or any(part in f for part in args.files)}
    internals, known = set(listed(INTERNALS)), set(listed(FAILING))
    failing: set[str] = set()
    passed, counted, bad = 0, 0, 0
    with ThreadPoolExecutor(args.jobs) as pool:
        for row in pool.map(lambda item: run_file(suite, *item), wanted.items()):
            inside = internals.intersection(row.names)
            wrong = [name for name in row.names if name not in row.passed and name not in inside]
            new, odd = [name for name in wrong if name not in known], sorted(inside & row.passed)
            failing.update(wrong)
            bad += len(new) + len(odd)
            n, ok = len(row.names) - len(inside), len(row.passed - inside)
            passed, counted = passed + ok, counted + n
            print(f"{row.file:<60} {ok:>5} of {n:>5}  {100 * ok / max(1, n):5.1f} %  {row.seconds:5.0f} s", flush=True)
            for text, which in (("fails, not listed", new), ("is listed as internal, and passes", odd)):
                print("".join(f"    {text}: {name}\n" for name in which), end="", flush=True)
    share = 100 * len(internals) / sum(map(len, reference().values()))
    print(f"{passed} of {counted} ({100 * passed / max(1, counted):.1f} %); {len(internals)} internals ({share:.1f} %) left out")
    if args.update:
        kept = {name for name in known if name.partition("::")[0] not in wanted}
        FAILING.write_text(HEAD + "".join(f"{name}\n" for name in sorted(failing | kept)), encoding="utf-8")
    return 1 if bad and not args.update else 0


def wheel_of(python: str) -> Path:
    """The folder in which an interpreter's Theano lies."""
    program = "import importlib.util as u; print(u.find_spec('theano').submodule_search_locations[0])"
    return Path(subprocess.check_output([python, "-c", program], text=True).strip()).parent


if __name__ == "__main__":
    sys.exit(main())

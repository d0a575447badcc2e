"""python -m tests.golden [NAME...]: replays the recordings and prints what is not as it was; exit code 1 if anything is.

--accept     keeps what is found now as the figures that later changes are held against
--record     records anew, with the interpreters of the tests in the environment, before it accepts
"""

from __future__ import annotations

import argparse
import gc
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from .compare import FIGURES, differences, kept, name_of, parse, replayed, write
from .recordings import RECORDED, record

SHOWN = 40
"""Of so many differences of a recording each is printed."""


def differs(file: Path, accept: bool) -> list[str]:
    """What is not as it was of one recording. A rule that fails ends the run."""
    os.environ["THEANODIAG_DEBUG"] = "1"
    gc.disable()
    now, name = replayed(file), name_of(file)
    if accept:
        kept(name).write_text(write(now))
        return []
    return list(differences(parse(kept(name).read_text()) if kept(name).exists() else {}, now))


def main(argv: list[str]) -> int:
    """Compares, accepts or records; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m tests.golden")
    parser.add_argument("names", nargs="*", help="only these recordings")
    parser.add_argument("--accept", action="store_true", help="keep the figures of today")
    parser.add_argument("--record", action="store_true", help="run the scripts anew, with the real frameworks")
    parser.add_argument("--jobs", type=int, default=2)
    args = parser.parse_args(argv)
    failed = record(args.names) if args.record else 0
    FIGURES.mkdir(exist_ok=True)
    files = [f for f in sorted(RECORDED.iterdir(), key=lambda f: -f.stat().st_size) if not args.names or name_of(f) in args.names]
    wrong = 0
    with ProcessPoolExecutor(args.jobs) as pool:
        for file, found in zip(files, pool.map(differs, files, [args.accept or args.record] * len(files))):
            wrong += len(found)
            for line in found[:SHOWN]:
                print(f"{name_of(file)}: {line}")
            if len(found) > SHOWN:
                print(f"{name_of(file)}: and {len(found) - SHOWN} further rows")
    print(f"{len(files)} recordings, {wrong} rows are not as they were" if wrong else f"{len(files)} recordings: nothing changed")
    return int(wrong > 0 or failed > 0 or not files)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""Takes all advice on scripts literally, on the simulated device, and prints a table: `python -m tests.plans [NAME ...]`.

Each plan of a script is followed by itself: batches and chunks in its constants, flags in the environment. It has to run on the card, and
the driver has to give as many bytes as were predicted; one row more than the largest batch must not run. Plans whose code is no constant of
the script are counted and not run.
"""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from theanodiag.findings import Confidence, Finding

from .judge import applied, ran, reported
from .test_judged import BOUNDED, CASES, MORE

APPLIED = ("TD303", "TD305", "TD307", "TD308", "TD310", "TD311", "TD314", "TD320", "TD325", "TD326", "TD328", "TD329", "TD334")
"""Rules whose code `judge.applied` follows."""


def rows(name: str, folder: Path) -> Iterator[tuple[str, ...]]:
    """The rows of the table about one script: script, rule, predicted and measured bytes, verdict."""
    flags, share = {**CASES, **BOUNDED, **MORE}[name]
    available = int(reported(name, flags, None).process.reserved_peak_bytes * share)
    for number, found in enumerate(reported(name, flags, available).findings):
        if found.code not in APPLIED or found.after is None or found.fix is None:
            continue
        try:
            script, with_flags = applied(folder / f"{name}-{number}", name, flags, found)
        except (IndexError, ValueError):
            continue
        if (
            script.read_text(encoding="utf-8") == (Path(__file__).parent / "judged" / f"{name}.py").read_text("utf-8")
            and with_flags == flags
        ):
            yield name, found.code, str(found.after.reserved_bytes), "", "not applied: its code is for the reader to place"
            continue
        size = available if found.cures else 8 << 30
        done = ran(folder, script, with_flags, size)
        same = done.reserved == found.after.reserved_bytes
        bound = found.confidence < Confidence.DERIVED and done.reserved <= found.after.reserved_bytes
        verdict = "as predicted" if done.fits and same else "at most that" if done.fits and bound else "WRONG"
        yield name, found.code, str(found.after.reserved_bytes), str(done.reserved), verdict
        yield from _one_more(name, flags, found, folder / f"{name}-{number}-more", available)


def _one_more(name: str, flags: str, found: Finding, folder: Path, available: int) -> Iterator[tuple[str, ...]]:
    """The row about one row more than the largest batch, which must not fit."""
    batch = re.findall(r" = (\d+)  # was ", str(found.fix and found.fix.code)) if found.code == "TD303" else []
    if "largest batch that fits" not in found.message or not batch or found.fix is None:
        return
    code = str(found.fix.code).replace(f" = {batch[0]} ", f" = {int(batch[0]) + 1} ")
    script, with_flags = applied(folder, name, flags, replace(found, fix=replace(found.fix, code=code)))
    done = ran(folder, script, with_flags, available)
    yield name, f"{found.code} + 1 row", f"> {available}", str(done.reserved), "WRONG" if done.fits else "does not fit"


def main(names: list[str]) -> int:
    """Prints the table; 1 if anything is wrong."""
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for name in names or [*CASES, *BOUNDED, *MORE]:
            for row in rows(name, Path(folder)):
                wrong += row[-1] == "WRONG"
                print("  ".join(f"{cell:>{width}}" for cell, width in zip(row, (20, 14, 12, 12, 0))), flush=True)
    print(f"{wrong} wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

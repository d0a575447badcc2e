"""Runs every model under every set of flags and writes docs/accuracy/truth.md: `python -m tools.truth [--quick] [SCRIPT...]`.

Runs on the simulated device are kept beside the compiled modules; predictions are always made anew. Each row is added to those that
are there, so that a call may do a part only.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from tests import compiler
from tests.memory.stand.catalogue import BATTERIES, FLAG_SETS, LARGE, MODELS, Model

from .measure import ScriptRow, measure
from .rows import alone, load, merged, save
from .table import page

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "accuracy" / "truth.md"
NOTES = Path(__file__).with_name("notes.md")


def row_of(model: Model, flags: str, smallest: bool) -> ScriptRow | None:
    """Measured; None, and said so, where the script or its interpreter fails."""
    try:
        found = measure(model, flags, smallest)
    except BaseException as error:  # a skip of pytest is no Exception
        if isinstance(error, KeyboardInterrupt):
            raise
        print(f"{model.title} {flags}: not measured: {str(error)[-500:]}", file=sys.stderr, flush=True)
        return None
    exact = sum(f.exact for f in found.functions)
    print(f"{model.title} {flags or 'default'}: {exact} of {len(found.functions)} exact, smallest device {found.smallest}", flush=True)
    return found


def write(row: ScriptRow | None) -> None:
    """Adds a row to those that are kept, and makes the page of all of them."""
    with alone():
        rows = load()
        if row is not None:
            rows = merged(rows, row, MODELS, FLAG_SETS)
            save(rows)
        PAGE.write_text(page(rows, NOTES.read_text().strip()))


def asked(names: list[str], flags: list[str] | None) -> Iterator[tuple[Model, str]]:
    """The models of that name or title under those flags; all where none are given."""
    for model in MODELS:
        if not names or model.script in names or model.title in names:
            for flag in FLAG_SETS if flags is None else flags:
                yield model, flag


def main(argv: list[str]) -> int:
    """Measures what is asked for, and writes the page anew after each script."""
    parser = argparse.ArgumentParser(prog="python -m tools.truth")
    parser.add_argument("scripts", nargs="*", help="only these")
    parser.add_argument("--flags", action="append", help="only this set of flags")
    parser.add_argument("--quick", action="store_true", help="the smallest device is not sought")
    parser.add_argument("--page", action="store_true", help="nothing is measured: the page is made of the rows that there are")
    args = parser.parse_args(argv)
    compiler.come_first()
    for model, flags in () if args.page else asked(args.scripts, args.flags):
        write(row_of(model, flags, smallest=not args.quick and model not in (*BATTERIES, *LARGE)))
    if args.page:
        write(None)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

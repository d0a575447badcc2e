"""Runs every model under every set of flags and writes docs/truth.md: `python -m tools.truth [--quick] [SCRIPT...]`.

Runs on the simulated device are kept beside the compiled modules; predictions are always made anew.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.memory.stand.catalogue import BATTERIES, FLAG_SETS, LARGE, MODELS, Model

from .measure import ScriptRow, measure
from .table import page

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "truth.md"
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


def main(argv: list[str]) -> int:
    """Writes the page; with names of scripts or flags only of those, and only if it is told to."""
    parser = argparse.ArgumentParser(prog="python -m tools.truth")
    parser.add_argument("scripts", nargs="*", help="only these")
    parser.add_argument("--flags", action="append", help="only this set of flags")
    parser.add_argument("--quick", action="store_true", help="the smallest device is not sought")
    parser.add_argument("--write", action="store_true", help="write the page although it does not have everything")
    args = parser.parse_args(argv)
    rows = []
    for model in MODELS:
        if args.scripts and model.script not in args.scripts:
            continue
        for flags in args.flags if args.flags is not None else FLAG_SETS:
            row = row_of(model, flags, smallest=not args.quick and model not in (*BATTERIES, *LARGE))
            rows += [row] if row else []
    if args.write or (not args.scripts and args.flags is None):
        PAGE.parent.mkdir(exist_ok=True)
        PAGE.write_text(page(rows, NOTES.read_text().strip()))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

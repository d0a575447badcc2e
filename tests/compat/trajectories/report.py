"""Writes docs/accuracy/trajectories.md from the results that harness.py left: `python -m tests.compat.trajectories.report CHECKOUTS`.

A script that has no results on both sides there keeps the row that it has.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from tests.interpreters import ROOT

from .harness import Outcome, Side, compare
from .named import Script, read

DOC = ROOT / "docs" / "accuracy" / "trajectories.md"
HEADINGS = "| script | what it trains | kind | steps | difference | moved | first, s | step, ms |"
HEAD = """# Scripts of public repositories learn the same

The scripts below were selected before any of them was tried. Each runs unmodified, on Theano 1.0.5 and over PyTensor 3.0.7 (`theanodiag
run --fix-numpy`, FAST_COMPILE), from one seed, with generated data of the shapes and dtypes that it asks for, and what its training
functions return is compared call by call (`tests/compat/trajectories`). Python 2 scripts run on CPython 2.7 with Theano, and translated
in memory with PyTensor (*: translated on both sides, because `random.shuffle` or the dictionary order of CPython 2.7 gives other
results). On Theano, random numbers, convolutions and pooling run as C code, and everything else as Python code without fused loops,
because compiling all of it takes minutes for each script.

*Difference*: the largest relative difference of any step. *Moved*: how far the loss moved from its first value. *First*: seconds to the
first loss, compilation included; *step*: the middle one of the later calls; Theano / PyTensor, on two cores that other work shared: rough
figures. A script whose driver is named in `drivers/` has no main part, or one that asks for a corpus, a machine or a time that cannot be
had: its net and its data may be smaller there. That of Newmu's net runs it in float64 on brighter pictures: in float32 its rounding
errors grow tenfold a step, and it learns nothing in 21.
"""


def kept(root: Path, script: Script) -> Outcome | None:
    """What the harness left of a script."""
    sides = []
    for side in ("reference", "over"):
        path = root / "results" / f"{script.name}.{side}.json"
        if not path.exists():
            return None
        sides.append(Side(**json.loads(path.read_text(encoding="utf-8"))))
    return compare(*sides)


def row(script: Script, where: str, found: Outcome) -> str:
    """What came out of a script whose sides are the same."""
    kind = " ".join([*(tag for tag in script.tags if tag != "python2"), "py2" if script.python2 else ""]).strip()
    kind += "*" if script.reference == "translated" else ""
    figures = f"{found.steps} | {found.difference:.0e} | {found.moved:.0%}"
    times = f"{found.reference.first:.0f} / {found.over.first:.0f} | {found.reference.step * 1e3:.0f} / {found.over.step * 1e3:.0f}"
    return f"| {where} | {script.trains} | {kind} | {figures} | {times} |"


def main() -> None:
    """Writes the table, a second one with what is not measured to the end, and a third with what is left out."""
    parser = argparse.ArgumentParser()
    parser.add_argument("checkouts", type=Path)
    root = parser.parse_args().checkouts
    before = DOC.read_text(encoding="utf-8").splitlines()
    rows, out, missed = [], [], []
    for script in read():
        where = f"{script.repository} `{script.commit[:10]}` {script.path}"
        earlier = [line for line in before if line.startswith(f"| {where} |")]
        found = kept(root, script)
        if script.left_out:
            out.append(f"| {where} | {script.trains} | {script.left_out} |")
        elif found is None and earlier and earlier[0].count("|") == HEADINGS.count("|"):
            rows += earlier
        elif found is not None and found.same:
            rows.append(row(script, where, found))
        else:
            figures = f"{found.steps} | {found.difference:.1e} | {found.moved:.1%}" if found and found.steps else "0 | |"
            missed.append(f"| {where} | {script.trains} | {figures} |")
    text = [
        HEAD,
        HEADINGS,
        "|---|---|---|---|---|---|---|---|",
        *rows,
    ]
    if missed:
        text += [
            "",
            "## Not yet measured on both sides to the end, or not the same",
            "",
            "| script | what it trains | steps | difference | moved |",
            "|---|---|---|---|---|",
            *missed,
        ]
    text += ["", "## Named, and left out", "", "| script | what it trains | why |", "|---|---|---|", *out, ""]
    DOC.write_text("\n".join(text), encoding="utf-8")
    print(len(rows), "the same,", len(missed), "not,", len(out), "left out")


if __name__ == "__main__":
    main()

"""Writes docs/accuracy/trajectories.md from the results that harness.py left: `python -m tests.compat.trajectories.report CHECKOUTS`.

A script that has no results on both sides there keeps the row that it has.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tests.interpreters import ROOT

from .harness import Outcome, compare, kept
from .named import Script, read

DOC = ROOT / "docs" / "accuracy" / "trajectories.md"
HEADINGS = "| script | what it trains | kind | steps | difference | moved | first, s | step, ms | 3.3.8 |"
HEAD = """# Scripts of public repositories learn the same

The scripts below were selected before any of them was tried. Each runs unmodified on Theano 1.0.5, and on PyTensor 3.0.7 with `theanodiag
run --fix-numpy` in mode FAST_COMPILE. Both runs use the same seed, and generated data of the shapes and dtypes that the script expects.
`tests/compat/trajectories` compares the results of the script's training functions call by call.

- *kind*: whether the script uses convolutions (*conv*) or loops (*scan*), or was written before 2015 (*early*). *py2*: the script is
  written in Python 2; it runs on CPython 2.7 with Theano, and with PyTensor it is translated in memory. *py2\\**: it is translated on both
  sides, because the dictionary order of CPython 2.7 gives other results, or `random.shuffle`, for which `run` has CPython 2.7's since.
- *difference*: the largest relative difference of any step.
- *moved*: how far the loss moved from its first value.
- *first*: seconds to the first loss, including compilation. *step*: the median of the later calls. Both columns have Theano's time, then
  PyTensor's. The times are rough, because the machine (two cores) had other load.
- *3.3.8*: the largest relative difference of any step between Theano and PyTensor 3.3.8 (CPython 3.13, NumPy 2.5.5). A figure in
  parentheses is the difference between PyTensor 3.0.7 and 3.3.8. An empty cell means that the script was not run to its end.

On Theano, random numbers, convolutions and pooling ran as C code, and everything else as Python code without fused loops, because compiling
everything takes minutes for each script. The rows below the first row of jaberg/MonteTheano were measured differently: PyTensor ran with
CPython 3.12 in the mode that `run` chooses itself (JAX 0.12.0.1, and C for what JAX cannot compile), and Theano's C code was compiled with
-O1.

Five scripts were also run with `--mode jax` (PyTensor 3.3.7, JAX 0.12.0.1, CPython 3.13), namely Ignotus/theano-word2vec, glorotxa/SME,
shenxudeu/gp_theano, bbc/theano-bpr and takerum/vat. The first 21 losses of each script equal those of Theano to 1e-7. With `--mode numba`,
two of the five scripts compiled within 75 seconds, gp_theano and theano-bpr, and their losses equal those of Theano to 1e-7.

Eight more scripts were run with `--mode jax` (PyTensor 3.3.7): the hidden Markov model, the layers of sklearn-theano, the sine wave of
pycog, the GAN of Keras 1, DQN_theano_only, pdnn, the photons of CMS and DeepSequence. The first 21 losses of each of the eight scripts
equal those of Theano to 4e-7. With `--mode numba`, two of the eight scripts (the layers and the photons) compiled within 200 seconds on a
loaded machine; their losses equal those of Theano to 4e-7.

Some scripts have no main part, or need a corpus, a machine or more time than was available. For each such script, `drivers/` has a program
that runs it, sometimes with a smaller net and less data. The program for Newmu's net uses float64 and brighter pictures: in float32 the
net's rounding errors grow tenfold at each step, and it learns nothing in 21 steps.
"""


def outcome(root: Path, script: Script) -> Outcome | None:
    """Theano beside PyTensor 3.0.7; None where one of them was not run."""
    reference, over = kept(root, script, "reference"), kept(root, script, "suite")
    return compare(reference, over) if reference and over else None


def newest(root: Path, script: Script) -> str | None:
    """The cell of the newest PyTensor; None where it was not run."""
    over, reference, older = (kept(root, script, side) for side in ("pytensor_new", "reference", "suite"))
    other = reference or older
    if over is None or other is None:
        return None
    found = compare(other, over)
    figure = f"{found.difference:.0e}" if found.same else f"differs, {found.difference:.0e}" if found.steps >= 20 else ""
    return figure if reference or not figure else f"({figure})"


def row(script: Script, where: str, found: Outcome) -> str:
    """What came out of a script whose sides are the same."""
    kind = " ".join([*(tag for tag in script.tags if tag != "python2"), "py2" if script.python2 else ""]).strip()
    kind += "*" if script.reference == "translated" else ""
    figures = f"{found.steps} | {found.difference:.0e} | {found.moved:.0%}"
    times = f"{found.reference.first:.0f} / {found.over.first:.0f} | {found.reference.step * 1e3:.0f} / {found.over.step * 1e3:.0f}"
    return f"| {where} | {script.trains} | {kind} | {figures} | {times} |  |"


def with_newest(line: str, cell: str | None) -> str:
    """A row of the table with `cell` as its last one, or as it is where there is none to write."""
    return line if cell is None else line[:-1].rpartition("|")[0] + f"| {cell} |"


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
        found, cell = outcome(root, script), newest(root, script)
        if script.left_out:
            out.append(f"| {where} | {script.trains} | {script.left_out} |")
        elif found is None and earlier and earlier[0].count("|") == HEADINGS.count("|"):
            rows.append(with_newest(earlier[0], cell))
        elif found is not None and found.same:
            rows.append(with_newest(row(script, where, found), cell))
        else:
            figures = f"{found.steps} | {found.difference:.1e} | {found.moved:.1%}" if found and found.steps else "0 | |"
            missed.append(f"| {where} | {script.trains} | {figures} |")
    text = [
        HEAD,
        HEADINGS,
        "|---|---|---|---|---|---|---|---|---|",
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

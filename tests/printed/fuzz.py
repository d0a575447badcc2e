"""python -m tests.readers.debugprint.fuzz FOLDER [LIBFUZZER_OPTIONS]: texts made by a fuzzer that watches which lines of the reader run.

Needs `atheris`. What is read must be sound graphs, whose report can be made, or an error with advice; FOLDER keeps the texts found.
"""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path

import atheris  # type: ignore[import-not-found,unused-ignore]

with atheris.instrument_imports(include=["theanodiag.printed", "theanodiag.shapes", "theanodiag.workflows.printed_report"]):
    from theanodiag.errors import TheanodiagError
    from theanodiag.printed import read_debugprint
    from theanodiag.workflows import printed_report

from .test_fuzz import SEEDS, read_soundly


def one(data: bytes) -> None:
    """One text."""
    text = data.decode("utf-8", errors="replace")
    read_soundly(text)
    with contextlib.suppress(TheanodiagError):
        found = read_debugprint(text)
        printed_report.report(found, "fuzz", {})
        inputs = (found.graph.variables[i.variable] for i in found.graph.inputs)
        shapes = {v.name: (3,) * (v.type.ndim if v.type.is_printed else 2) for v in inputs if v.name}
        printed_report.report(found, "fuzz", shapes, dtypes=printed_report.Dtypes("float32"))


def main(folder: str, *options: str) -> None:
    """Fuzzes until the options say stop."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS):
        (Path(folder) / f"seed{number}").write_text(seed, encoding="utf-8")
    atheris.Setup([sys.argv[0], folder, *options], one)
    atheris.Fuzz()


if __name__ == "__main__":
    main(*sys.argv[1:])

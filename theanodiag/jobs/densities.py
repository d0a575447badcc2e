"""Runs a script of PyMC3 and its port without sampling, and compares the log-densities of their models."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..capture.model import Capture, InstrumentRequest
from ..capture.runner import run_script
from ..comparison.densities import DensityComparison, ModelsRun, pairs, unpaired
from ..compat.running import notebook
from ..errors import UnreadableError
from ..processes.group import temporary
from ..requests import DensityRequest
from ..workflows.reruns import RECORD
from ..workflows.script_sources import notebook_text
from .compare import unsaid

POINTS = 20
"""Number of points in addition to the start."""


def compare_densities(
    request: DensityRequest, *, stdout: int | tuple[int, int] | None = None, doing: Callable[[str], None] = unsaid
) -> DensityComparison:
    """The models of both runs, paired by the names of their variables and evaluated at the same points. Nothing is sampled.

    `stdout` is the descriptor to which the scripts print; two: one for all that the first run prints, errors too, and one for the second;
    None: ours. `doing` is called with a description of each run before it begins. Raises `UnreadableError` for a script or an
    interpreter that cannot be read.
    """
    outputs = [(descriptor, descriptor) for descriptor in stdout] if isinstance(stdout, tuple) else [(stdout, None)] * 2
    with temporary() as folder:
        files = [folder / "old.json", folder / "new.json"]
        doing(f"the models of {os.path.basename(request.path)} with {request.python}")
        old = _run(request.path, request.python, request, files[0], None, outputs[0])
        doing(f"the models of {os.path.basename(request.other or request.path)} with {request.against}")
        new = _run(request.other or request.path, request.against, request, files[1], files[0], outputs[1])
    left, right = old[1]["models"], new[1]["models"]
    partners = [row["partner"] for row in right]
    lonely = [unpaired(left, partners), unpaired(right, [n for n, partner in enumerate(partners) if partner is not None])]
    return DensityComparison(_side(*old, lonely[0]), _side(*new, lonely[1]), pairs(left, right, request.rtol, request.atol))


def _run(
    path: str, python: str, request: DensityRequest, file: Path, points: Path | None, outputs: tuple[int | None, int | None]
) -> tuple[Capture, Any]:
    options = {"file": str(file), "points": None if points is None else str(points), "count": POINTS, "seed": request.seed}
    instrument = InstrumentRequest(RECORD / "densities.py", options)
    text = notebook_text(path) if path.endswith(".ipynb") else None
    source, env = (None, None) if text is None else (notebook.program(text).encode(), notebook.settings(text))
    capture = run_script(
        path, python, request.args, calls="dry", timeout=request.timeout, stdout=outputs[0], stderr=outputs[1], instrument=instrument,
        source=source, env=env,
    )  # fmt: skip
    try:
        return capture, json.loads(file.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        help = "the script must end by itself within --timeout"
        raise UnreadableError(f"its models were not seen: {capture.end.message or capture.end.status}", path=path, help=help) from None


def _side(capture: Capture, document: Any, lonely: tuple[str, ...]) -> ModelsRun:
    end = capture.end
    ended = "" if not end.failed and end.status != "timeout" else end.exception or end.message or end.status
    places = _places(capture.path)
    failed = tuple(f"{places(line)}: {exception}" for line, exception in document["failed"])
    return ModelsRun(capture.path, capture.interpreter, document["library"] or "", len(document["models"]), ended, failed, lonely)


def _places(path: str) -> Callable[[int], str]:
    """The words for a line of a script, or of the program that a notebook's cells are."""
    if not path.endswith(".ipynb"):
        return "line {}".format
    ends, end = list[tuple[int, int, int]](), 0
    for cell in notebook.cells(notebook_text(path)):
        begin, end = end, end + cell.code.count("\n") + 1
        ends.append((end, cell.number, begin))

    def place(line: int) -> str:
        number, begin = next(((number, begin) for end, number, begin in ends if line <= end), (0, 0))
        return f"cell {number}, line {line - begin}"

    return place

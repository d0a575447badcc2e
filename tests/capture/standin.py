"""Graphs captured over the stand-in, and the same graphs of the real libraries, in a form in which they can be compared."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

import theanodiag
from tests.interpreters import find
from theanodiag.capture.model import Capture, GpuAsked
from theanodiag.capture.runner import run_script
from theanodiag.ir.graph import FunctionGraph
from theanodiag.readers.fgraph import read_graph

SCRIPTS = Path(__file__).parent / "scripts"
PACKAGE = Path(theanodiag.__file__).parent
CARD = GpuAsked(4 << 30)
FLAGS = {"THEANO_FLAGS": "floatX=float32,blas.ldflags="}
"""Theano on a machine without a BLAS to link."""
INCIDENTAL = ("site", "shared", "gpu_hash")
"""What two runs of one script in different processes need not share."""


def captured(interpreter: str, *names: str, gpu: GpuAsked = CARD, env: Mapping[str, str] | None = None, **options: object) -> Capture:
    """The functions of `gpu_functions.py` over the stand-in."""
    script = SCRIPTS / "gpu_functions.py"
    return run_script(script, find(interpreter), names, gpu=gpu, env={**FLAGS, **(env or {})}, **options)  # type: ignore[arg-type]


def graphs(capture: Capture) -> dict[str, object]:
    """The graphs of a capture by the names of the functions, ready to be compared."""
    return {f.name: comparable(f.graph) for f in capture.script.functions}


def reference(folder: Path, env: Mapping[str, str], *names: str) -> dict[str, object]:
    """The same of the real pygpu in the interpreter `gpu`, without any part of ours but the walker."""
    out = folder / "graphs.json"
    command = [find("gpu"), str(SCRIPTS / "gpu_reference.py"), str(PACKAGE), str(out), *names]
    done = subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True, timeout=1500, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return {name: comparable(read_graph(document)) for name, document in json.loads(out.read_text()).items()}


def comparable(graph: FunctionGraph) -> object:
    """Everything that a graph says but the incidental, values rounded: float32 differs in the last digit between C and numpy."""
    return _plain(dataclasses.asdict(graph))


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        rows = {str(k): _plain(v) for k, v in value.items() if k not in INCIDENTAL}
        kept = rows.get("kept_constants")
        return rows if not isinstance(kept, list) else {**rows, "kept_constants": sorted(str(_shape(row)) for row in kept)}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _shape(constant: object) -> object:
    """Of a constant that only its function keeps: type and shape. A device that computes nothing gives it other values."""
    assert isinstance(constant, Mapping)
    return [constant["type"], constant["constant"]["shape"]]


def differing(ours: Mapping[str, object], real: Mapping[str, object]) -> list[str]:
    """Names of the functions whose graphs differ."""
    return sorted(name for name in {*ours, *real} if ours.get(name) != real.get(name))

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
from theanodiag.capture.model import Capture, GpuRequest
from theanodiag.capture.runner import run_script
from theanodiag.ir.graph import FunctionGraph
from theanodiag.readers import graph_from_document

SCRIPTS = Path(__file__).parent / "scripts"
PACKAGE = Path(theanodiag.__file__).parent
CARD = GpuRequest(4 << 30)
FLAGS = {"THEANO_FLAGS": "floatX=float32,blas.ldflags="}
"""Theano on a machine without a BLAS to link."""
INCIDENTAL = ("site", "shared", "gpu_hash")
"""What two runs of one script in different processes need not share."""


def captured(interpreter: str, *names: str, gpu: GpuRequest = CARD, env: Mapping[str, str] | None = None, **options: object) -> Capture:
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
    return {name: comparable(graph_from_document(document)) for name, document in json.loads(out.read_text()).items()}


def comparable(graph: FunctionGraph) -> object:
    """Everything that a graph says but the incidental, values rounded: float32 differs in the last digit between C and numpy."""
    return _plain(dataclasses.asdict(graph), {})


def without_device_values(graph: object) -> object:
    """The same without the values of constants on the device: where kernels do nothing, those computed there are garbage."""
    if isinstance(graph, Mapping):
        held = "value" in graph and str(graph["type"]["text"]).startswith("GpuArrayType")
        return {k: without_device_values(v) for k, v in graph.items() if not (held and k == "value")}
    return [without_device_values(v) for v in graph] if isinstance(graph, list) else graph


def _plain(value: object, memories: dict[object, int]) -> object:
    """Without the incidental; `memories` has new numbers for the memory of constants, which a script counts over all its functions."""
    if isinstance(value, Mapping):
        kept = value.get("kept_constants")
        rows = {str(k): _plain(v, memories) for k, v in value.items() if k not in (*INCIDENTAL, "kept_constants")}
        if rows.get("memory") is not None:
            rows["memory"] = memories.setdefault(rows["memory"], len(memories))
        return rows if kept is None else {**rows, "kept_constants": sorted(json.dumps(_shape(row), sort_keys=True) for row in kept)}
    if isinstance(value, (list, tuple)):
        return [_plain(v, memories) for v in value]
    return float(f"{value:.5g}") if isinstance(value, float) else value


def _shape(constant: object) -> object:
    """Of a constant that only its function keeps: type and shape."""
    assert isinstance(constant, Mapping)
    return [_plain(constant["type"], {}), constant["constant"]["shape"]]


def differing(ours: Mapping[str, object], real: Mapping[str, object], kernels_run: bool = False) -> list[str]:
    """Names of the functions whose graphs differ; values on the device count where its kernels run."""
    seen = (lambda g: g) if kernels_run else without_device_values
    return sorted(name for name in {*ours, *real} if seen(ours.get(name)) != seen(real.get(name)))

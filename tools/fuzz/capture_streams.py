"""What the hook tells `theanodiag check` of a script: true streams (recorder.py) with lines cut, moved and left out, and with values that
nobody meant."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import Any

from theanodiag.capture.model import Capture, ScriptEnd
from theanodiag.capture.protocol import read_stream
from theanodiag.devices import HOST, by_name
from theanodiag.errors import TheanodiagError
from theanodiag.report.formats import FORMATS, View, render
from theanodiag.workflows.compose import report

from .target import damaged, replaced, written

SAMPLES = tuple(p.read_text(encoding="utf-8") for p in sorted((Path(__file__).parent / "samples").glob("*.stream")))
KINDS = (
    "framework", "shared", "set_value", "get_value", "result", "release", "delete", "function", "shapes", "call", "refused", "fork", "stop",
    "skipped", "measured", "end", "float16", "complex128", "float0", "Elemwise", "Scan", "Reshape", "Alloc", "IfElse", "HostFromGpu",
    "Dot22", "jax", "pytorch", "numba", "theano", "aesara", "pytensor", "raised", "exited", "syntax", "cuda0", "opencl0:0", "gpu0",
)  # fmt: skip
"""Words of the stream in the place of others."""
DEVICES = ("host", "64MiB", "11GiB", "own")


def case(chance: random.Random) -> object:
    """A stream, and what it is reported for."""
    sample = chance.choice(SAMPLES)
    text = damaged(chance, sample, SAMPLES) if chance.random() < 0.15 else _events(chance, sample)
    return {"text": text, "device": chance.choice(DEVICES)}


def _events(chance: random.Random, sample: str) -> str:
    """The stream with values of its events replaced, events said twice, left out, or before what they are about."""
    events = [json.loads(line) for line in sample.splitlines()]
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        at = chance.randrange(len(events))
        how = chance.random()
        if how < 0.1:
            events.insert(chance.randint(1, len(events)), copy.deepcopy(events[at]))
        elif how < 0.2 and len(events) > 2:
            events.insert(chance.randint(1, len(events) - 1), events.pop(max(1, at)))
        elif how < 0.25 and len(events) > 2:
            del events[max(1, at)]
        else:
            replaced(chance, events[at], KINDS)
    return "".join(written(chance, e) + "\n" for e in events)


def run(case: Any) -> None:
    """Reads the stream, and makes the report in all formats."""
    try:
        found = read_stream(case["text"].encode("utf-8", "surrogatepass"))
        if found is None:
            return
        end = found.end or ScriptEnd("killed")
        capture = Capture("m.py", "python", found.python, found.script, end, found.framework, found.skipped, 0.0, found.measured)
        device = {"host": HOST, "own": None}[case["device"]] if case["device"] in ("host", "own") else by_name(case["device"])
        made = report(capture, device)
        for name in FORMATS:
            content = render(made, name, View(width=80, verbose=True))
            if isinstance(content, str):
                content.encode("utf-8")
    except TheanodiagError:
        return

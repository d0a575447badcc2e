"""An instrument beside the hook: it is loaded by its path, told of functions and calls, and its events are passed on as they are."""

from __future__ import annotations

import json
from pathlib import Path

from theanodiag.capture.model import InstrumentRequest
from theanodiag.capture.protocol import read_stream, renumbered
from theanodiag.processes.interpreter import PACKAGE, Interpreter, beside

from .running import FLAGS, framework, plain, write

TELLING = """
from .beside import NAME

class Instrument(object):
    def __init__(self, emit, options, shared):
        self.emit, self.shared = emit, shared
        emit(what="hello", name=NAME, options=options)

    def actions(self):
        return {"json": lambda module: self.emit(what="imported", name=module.__name__)}

    def making(self, fgraph):
        self.graph = fgraph

    def made(self, index, function, vm, fgraph):
        self.emit(what="made", function=index, same=fgraph is self.graph, shared=len(self.shared()))
        self.number = id(vm)

    def entered(self, vm, recorded):
        self.emit(what="entered", same=id(vm) == self.number, recorded=recorded)

    def finish(self):
        self.emit(what="bye")
"""
PROGRAM = """
import numpy
import {package} as lib
import {package}.tensor as T
x, W = T.vector("x"), lib.shared(numpy.ones(3), "W")
f = lib.function([x], (x * W).sum(), name="f")
for n in range(3):
    f(numpy.ones(3))
"""


def telling(folder: Path) -> InstrumentRequest:
    """An instrument of two files."""
    write(folder, 'NAME = "beside"\n', "beside.py")
    return InstrumentRequest(write(folder, TELLING, "telling.py"), {"a": [1]})


def test_events_are_passed_on_as_they_are(tmp_path: Path) -> None:
    """Also where the script has no framework; a module that was imported is told once."""
    found = plain(tmp_path, "import json\n", instrument=telling(tmp_path), calls="real").measured
    assert [dict(e, event=None) for e in found] == [
        {"event": None, "what": "hello", "name": "beside", "options": {"a": [1]}},
        {"event": None, "what": "imported", "name": "json"},
        {"event": None, "what": "bye"},
    ]


def test_functions_and_calls_are_told(tmp_path: Path) -> None:
    """Which ones, and whether the capture recorded the call."""
    options = {"instrument": telling(tmp_path), "calls": "real", "max_calls": 2, "env": {**FLAGS, "THEANO_FLAGS": "cxx="}}
    capture = framework(tmp_path, "theano", PROGRAM, **options)
    told = [{k: v for k, v in e.items() if k not in ("event", "what")} for e in capture.measured if e["what"] in ("made", "entered")]
    assert told == [{"function": 0, "same": True, "shared": 1}, *({"same": True, "recorded": r} for r in (True, True, False))]


def test_without_an_instrument_nothing_is_measured(tmp_path: Path) -> None:
    """As ever."""
    assert plain(tmp_path, "import json\n", calls="real").measured == ()


def test_functions_are_renumbered_like_the_scripts() -> None:
    """One whose graph was not read has no number; an event about none keeps what it says."""
    assert renumbered({"what": "call", "function": 2}, {2: 1}) == {"what": "call", "function": 1}
    assert renumbered({"what": "call", "function": 3}, {2: 1}) == {"what": "call", "function": None}
    assert renumbered({"what": "note"}, {}) == {"what": "note"}
    lines = [{"event": "header", "schema": "theanodiag/capture/v1", "python": "3.8"}, {"event": "measured", "what": "note", "note": "n"}]
    recording = read_stream("".join(json.dumps(line) + "\n" for line in lines).encode())
    assert recording is not None
    assert recording.measured == ({"event": "measured", "what": "note", "note": "n"},)


def test_the_instrument_lies_with_the_hook(tmp_path: Path) -> None:
    """For CPython 2.7 with the hook's copy; one of somebody else's stays where it is."""
    ours, copy = PACKAGE / "agent" / "measure" / "calls.py", tmp_path / "agent" / "hook" / "hook.py"
    assert beside(copy, ours) == tmp_path / "agent" / "measure" / "calls.py"
    assert beside(Interpreter("python", (3, 9, 0)).hook, ours) == ours
    assert beside(copy, Path("/elsewhere/mine.py")) == Path("/elsewhere/mine.py")

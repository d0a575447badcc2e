"""Reading the stream of events."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from theanodiag.capture.protocol import ProcessRecording, choose, lines, read_stream
from theanodiag.errors import UnreadableError
from theanodiag.ir import Unknown
from theanodiag.memory.script import Call, Compile, Create, Delete, DropConstant, GetValue, SetValue

TYPE = {"kind": "tensor", "dtype": "float32", "shape": [None], "text": "vector"}
SITE = {"path": "m.py", "line": 3, "function": None, "code": "f()"}
GRAPH = {
    "schema": "theanodiag/graph/v1", "name": "f", "variables": [{"id": 0, "name": "x", "type": TYPE}], "applies": [],
    "inputs": [{"variable": 0, "role": "argument"}], "outputs": [0], "returned": 1,
}  # fmt: skip
HEADER = {"event": "header", "schema": "theanodiag/capture/v1", "python": "3.8.18"}
FRAMEWORK = {"event": "framework", "name": "theano", "version": "1.0.5", "path": "/t", "flags": {"floatX": "float32"}}
SHARED = {"event": "shared", "id": 4, "name": "W", "type": TYPE, "shape": [9], "site": SITE}
FUNCTION = {"event": "function", "index": 0, "name": "f", "linker": "cvm", "allow_gc": None, "mode": None, "site": SITE, "graph": GRAPH}
SHAPES = {"event": "shapes", "function": 0, "signature": 0, "table": {"shapes": {"0": [5]}}}
ARGUMENT = {"variable": 0, "name": "x", "dtype": "float32", "shape": [5], "value": None, "buffer": "0x7f", "on_device": False}
CALL = {"event": "call", "function": 0, "signature": 0, "site": SITE, "inputs": [ARGUMENT]}
FINISHED = {"event": "end", "status": "finished", "exit_code": 0}


def read(folder: Path, *events: object, tail: str = "") -> ProcessRecording:
    """The recording of a stream of these events."""
    path = folder / "stream"
    path.write_text("".join(json.dumps(e) + "\n" for e in (HEADER, *events)) + tail)
    found = read_stream(path.read_bytes())
    assert found is not None
    return found


def test_a_whole_run(tmp_path: Path) -> None:
    """Events become the script's, in their order."""
    deletes = [{"event": "delete", "shared": 4}, {"event": "delete", "function": 0}]
    deletes += [{"event": "delete", "constant": 2, "collected": True}, {"event": "delete", "constant": 2}]
    value = [{"event": "set_value", "id": 4, "shape": [9], "borrow": True}, {"event": "get_value", "id": 4, "internal": True}]
    found = read(tmp_path, FRAMEWORK, SHARED, FUNCTION, SHAPES, CALL, *value, *deletes, FINISHED)
    assert [type(e) for e in found.script.events] == [Create, Compile, Call, SetValue, GetValue, Delete, Delete, DropConstant]
    assert found.script.flags == {"floatX": "float32"}
    assert found.calls == 1
    assert found.end is not None
    assert found.end.status == "finished"


def test_a_call_has_its_shapes(tmp_path: Path) -> None:
    """The table of the call's signature is its own."""
    call = read(tmp_path, FUNCTION, SHAPES, CALL).script.events[-1]
    assert isinstance(call, Call)
    assert (call.shapes.shape(0), call.inputs[0].shape, call.inputs[0].buffer) == ((5,), (5,), "0x7f")


def test_what_was_cut_off_is_dropped(tmp_path: Path) -> None:
    """A script that was killed leaves a valid prefix."""
    assert len(read(tmp_path, FUNCTION, SHAPES, tail=json.dumps(CALL)[:30]).script.events) == 1
    assert [e.value for e in lines(b'{"a": 1}\n{"b": 2')] == [{"a": 1}]


def test_a_file_without_a_header_is_no_stream(tmp_path: Path) -> None:
    """An empty file, or one of another schema, is not read."""
    for text in ("", '{"event": "header"}\n', '{"event": "header", "schema": "other/v1"}\n'):
        (tmp_path / "stream").write_text(text)
        assert read_stream((tmp_path / "stream").read_bytes()) is None


def test_a_malformed_event_is_named(tmp_path: Path) -> None:
    """An event that lacks something says which line it is."""
    with pytest.raises(UnreadableError, match=r"line 2 of the stream: has no 'id'"):
        read(tmp_path, {"event": "set_value"})


def test_functions_whose_graph_was_not_read_are_left_out(tmp_path: Path) -> None:
    """The others are numbered anew, and so are their calls."""
    lost = {**FUNCTION, "graph": None}
    found = read(tmp_path, lost, {**FUNCTION, "index": 1}, CALL, {**CALL, "function": 1}, {"event": "delete", "function": 0})
    assert [(type(e), getattr(e, "function", None)) for e in found.script.events] == [(Compile, 0), (Call, 0)]


def test_unknown_lengths_stay_unknown(tmp_path: Path) -> None:
    """A missing shape or length is no zero."""
    call = read(tmp_path, FUNCTION, {**CALL, "inputs": [{**ARGUMENT, "shape": None}, {**ARGUMENT, "shape": [None]}]}).script.events[-1]
    assert isinstance(call, Call)
    assert isinstance(call.inputs[0].shape, Unknown)
    assert isinstance(call.inputs[1].shape, tuple)
    assert isinstance(call.inputs[1].shape[0], Unknown)


def test_later_events_of_unknown_kinds_are_no_trouble(tmp_path: Path) -> None:
    """Kinds of events may be added."""
    assert read(tmp_path, {"event": "something new", "x": 1}, FINISHED).end is not None


def test_the_same_thing_is_skipped_once(tmp_path: Path) -> None:
    """What was told twice is one thing."""
    skipped = {"event": "skipped", "what": "w", "reason": "r"}
    assert len(read(tmp_path, skipped, skipped, {**skipped, "what": "v"}).skipped) == 2


@pytest.mark.parametrize(("module", "missing"), [("theano.tensor", "theano"), ("pytensor", "pytensor"), ("keras", None), (None, None)])
def test_a_missing_framework(tmp_path: Path, module: str | None, missing: str | None) -> None:
    """Only the name of a framework means that the interpreter is the wrong one."""
    end = {"event": "end", "status": "raised", "missing": module}
    assert read(tmp_path, end).missing_framework == missing
    assert read(tmp_path, FRAMEWORK, end).missing_framework is None


class TestChoose:
    """Which of several processes is looked at."""

    def test_the_first_if_it_calls_anything(self, tmp_path: Path) -> None:
        """The calls of children are told as left out."""
        first = read(tmp_path, FUNCTION, CALL)
        child = read(tmp_path, FUNCTION, CALL, {"event": "fork", "pid": 2}, CALL, CALL)
        best, skipped = choose([first, child])
        assert best is first
        assert [s.reason for s in skipped] == ["2 calls in forked child processes are not part of this report"]

    def test_the_child_that_calls_most_where_the_first_calls_nothing(self, tmp_path: Path) -> None:
        """Of several children the busiest one counts."""
        first, fork = read(tmp_path, FUNCTION), {"event": "fork", "pid": 2}
        children = [read(tmp_path, FUNCTION, fork, *[CALL] * n) for n in (1, 3)]
        assert choose([first, *children])[0] is children[1]

    def test_nothing_to_choose_from(self) -> None:
        """Streams without a header are no processes."""
        assert choose([None]) == (None, ())

"""Streams that are damaged: what is whole is read, what is not is refused with its line, and no other error ever comes out."""

from __future__ import annotations

import copy
import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from theanodiag.capture.protocol import NotPython, ProcessRecording, Reader, argument, lines, read_stream, recording, shape, site
from theanodiag.errors import UnreadableError
from theanodiag.ir import Unknown
from theanodiag.ir.serial import DEEPEST, Cursor, value_from_json
from theanodiag.memory.script import Call, Delete, Release

TYPE = {"kind": "gpuarray", "dtype": "float32", "shape": [None], "text": "vector"}
SITE = {"path": "m.py", "line": 3, "function": None, "code": "f()"}
GRAPH: dict[str, Any] = {
    "schema": "theanodiag/graph/v1", "name": "f", "variables": [{"id": 0, "name": "x", "type": TYPE}], "applies": [],
    "inputs": [{"variable": 0, "role": "argument"}], "outputs": [0], "returned": 1,
}  # fmt: skip
HEADER = {"event": "header", "schema": "theanodiag/capture/v1", "python": "3.8.18"}
FRAMEWORK = {
    "event": "framework", "name": "theano", "version": "1.0.5", "path": "/t", "flags": {"floatX": "float32"},
    "device": {"name": "K80", "total_bytes": 100, "free_bytes": 90}, "assumed": {"flags": {"device": "cpu", "n": None}, "cudnn": 7605},
}  # fmt: skip
SHARED = {"event": "shared", "id": 4, "name": "W", "type": TYPE, "shape": [9], "site": SITE}
FUNCTION = {"event": "function", "index": 0, "name": "f", "linker": "cvm", "allow_gc": False, "mode": None, "site": SITE, "graph": GRAPH}
SHAPES = {"event": "shapes", "function": 0, "signature": 0, "table": {"shapes": {"0": [5]}}}
ARGUMENT = {"variable": 0, "name": "x", "dtype": "float32", "shape": [5], "value": [1, 2], "buffer": "0x7f", "on_device": True}
CALL = {"event": "call", "function": 0, "signature": 0, "site": SITE, "inputs": [ARGUMENT]}
RESULT = {"event": "result", "function": 0, "outputs": [[0, 7]]}
RELEASE = {"event": "release", "result": 7}
SET, GET = {"event": "set_value", "id": 4, "shape": [9]}, {"event": "get_value", "id": 4, "internal": True}
DELETE, SKIPPED = {"event": "delete", "shared": 4}, {"event": "skipped", "what": "w", "reason": "r"}
REFUSED, FORK = {"event": "refused", "request": [None, "x"], "reason": "no such argument"}, {"event": "fork", "pid": 9}
END = {"event": "end", "status": "finished", "exit_code": 0}
WHOLE: list[Any] = [
    HEADER, FRAMEWORK, SHARED, FUNCTION, SHAPES, CALL, RESULT, RELEASE, SET, GET, DELETE, SKIPPED, REFUSED, FORK, END,
]  # fmt: skip


def encoded(*events: object) -> bytes:
    """The events as the hook writes them."""
    return b"".join(json.dumps(e).encode() + b"\n" for e in events)


def read(*events: object) -> ProcessRecording:
    """What a stream of these events says."""
    return recording(list(lines(encoded(HEADER, *events))))


def complaint(*events: object) -> str:
    """What is said of a stream that ends with something damaged."""
    with pytest.raises(UnreadableError) as caught:
        read(*events)
    return caught.value.message


def without(event: dict[str, Any], *names: str) -> dict[str, Any]:
    """The event without these keys."""
    return {k: v for k, v in event.items() if k not in names}


class TestMissingKeys:
    """Every key that an event must have."""

    @pytest.mark.parametrize(
        ("event", "key"),
        [
            (FRAMEWORK, "name"), (FRAMEWORK, "version"), (FRAMEWORK, "path"), (SHARED, "id"), (SHARED, "type"), (SET, "id"), (GET, "id"),
            (FUNCTION, "index"), (FUNCTION, "name"), (FUNCTION, "linker"), (SHAPES, "function"), (SHAPES, "signature"), (SHAPES, "table"),
            (CALL, "function"), (CALL, "signature"), (RELEASE, "result"), (SKIPPED, "what"), (SKIPPED, "reason"), (REFUSED, "reason"),
            (END, "status"),
        ],
        ids=lambda v: v if isinstance(v, str) else v["event"],
    )  # fmt: skip
    def test_the_line_and_the_key_are_named(self, event: dict[str, Any], key: str) -> None:
        """The header is line 1, so that it is line 2."""
        assert complaint(without(event, key)) == f"line 2 of the stream: has no {key!r}"

    def test_an_event_must_say_what_it_is(self) -> None:
        """Without that it cannot be read."""
        assert complaint({"x": 1}) == "line 2 of the stream: has no 'event'"

    def test_a_syntax_error_has_its_place(self) -> None:
        """Else it is no use."""
        end = {"event": "end", "status": "syntax", "message": "bad", "line": 3, "column": 7}
        assert read(end).syntax == NotPython("bad", 3, 7)
        assert complaint(without(end, "line")) == "line 2 of the stream: has no 'line'"

    @pytest.mark.parametrize("key", ["name", "total_bytes", "free_bytes"])
    def test_a_device_is_whole_or_not_there(self, key: str) -> None:
        """A size that is missing is not zero."""
        damaged = {**FRAMEWORK, "device": without(FRAMEWORK["device"], key)}  # type: ignore[arg-type]
        assert complaint(damaged) == f"line 2 of the stream.device: has no {key!r}"


class TestWrongKinds:
    """Values of another kind than they should be."""

    @pytest.mark.parametrize(
        ("event", "message"),
        [
            ({"event": 3}, "line 2 of the stream.event: expected a string, found 3"),
            ({**SHARED, "id": "4"}, "line 2 of the stream.id: expected an integer, found a string"),
            ({**SHARED, "shape": [2, "x"]}, "line 2 of the stream.shape[1]: expected an integer, found a string"),
            ({**SHARED, "shape": 9}, "line 2 of the stream.shape: expected a list, found 9"),
            ({**FRAMEWORK, "flags": []}, "line 2 of the stream.flags: expected an object, found a list"),
            ({**FRAMEWORK, "assumed": {"flags": 1}}, "line 2 of the stream.assumed.flags: expected an object, found 1"),
            ({**RELEASE, "result": None}, "line 2 of the stream: has no 'result'"),
            ({**END, "exit_code": "0"}, "line 2 of the stream.exit_code: expected an integer, found a string"),
            ({**FUNCTION, "graph": {"variables": 1}}, "graph.variables: expected a list, found 1"),
            ({**SHAPES, "table": {"shapes": [1]}}, "shapes.shapes: expected an object, found a list"),
        ],
        ids=lambda v: "" if isinstance(v, str) else str(v["event"]),
    )
    def test_the_place_is_named(self, event: dict[str, Any], message: str) -> None:
        """With what was expected and what there is."""
        assert complaint(event) == message

    @pytest.mark.parametrize(("given", "expected"), [(True, True), (False, False), (None, None), (1, None), ("yes", None)])
    def test_collection_is_true_false_or_unsaid(self, given: object, expected: bool | None) -> None:
        """What is neither leaves it to the flag."""
        assert read({**FUNCTION, "allow_gc": given}).script.functions[0].allow_gc is expected


class TestAlien:
    """Numbers of what the stream did not tell before."""

    @pytest.mark.parametrize(
        ("events", "message"),
        [
            ([SET], "line 2 of the stream.id: there is no shared variable 4"),
            ([GET], "line 2 of the stream.id: there is no shared variable 4"),
            ([FUNCTION, FUNCTION], "line 3 of the stream: function 0 is reported twice"),
            (
                [{**FUNCTION, "graph": {**GRAPH, "inputs": [{"variable": 0, "role": "shared", "shared": 4}]}}],
                "line 2 of the stream.graph: there is no shared variable 4",
            ),
            ([FUNCTION, {**SHAPES, "table": {"shapes": {"7": [5]}}}], "line 3 of the stream.table: f has no Variable 7"),
            ([FUNCTION, {**SHAPES, "table": {"values": {"7": 5}}}], "line 3 of the stream.table: f has no Variable 7"),
            ([FUNCTION, {**SHAPES, "table": {"bounded": [-1]}}], "line 3 of the stream.table: f has no Variable -1"),
            ([FUNCTION, {**SHAPES, "table": {"inner": {"0": {}}}}], "line 3 of the stream.table: f has no inner graph in Apply 0"),
            (
                [FUNCTION, SHAPES, {**CALL, "inputs": [{**ARGUMENT, "variable": 1}]}],
                "line 4 of the stream.inputs: an argument is not an input of the function",
            ),
            (
                [FUNCTION, SHAPES, {**CALL, "inputs": [{**ARGUMENT, "shape": [-5]}]}],
                "line 4 of the stream.inputs[0].shape: no array can have this shape",
            ),
        ],
    )
    def test_are_refused(self, events: list[dict[str, Any]], message: str) -> None:
        """What follows would look for it."""
        assert complaint(*events) == message

    def test_a_slice_has_three_parts(self) -> None:
        """In the patterns of indices that Ops have."""
        op = {"name": "Subtensor", "params": {"idx_list": ["i", {"slice": [None, None]}]}}
        graph = {**GRAPH, "applies": [{"op": op, "inputs": [0], "outputs": []}]}
        assert complaint({**FUNCTION, "graph": graph}) == "graph.applies[0].op.params.idx_list[1]: a slice has start, stop, step"


class TestDepth:
    """What nests deeper than anything real does."""

    def test_values(self) -> None:
        """An array has no more dimensions."""
        value: Any = 1
        for _ in range(65):
            value = [value]
        call = {**CALL, "inputs": [{**ARGUMENT, "value": value}]}
        assert complaint(FUNCTION, SHAPES, call).endswith("an array has at most 64 dimensions")
        read(FUNCTION, SHAPES, {**CALL, "inputs": [{**ARGUMENT, "value": value[0]}]})

    def test_graphs_and_their_shapes(self) -> None:
        """One more than is read."""
        graph, table = GRAPH, {"shapes": {"0": [5]}}
        for _ in range(DEEPEST + 1):
            graph = {**GRAPH, "applies": [{"op": {"name": "Scan", "inner": graph}, "inputs": [], "outputs": []}]}
            table = {"inner": {"0": table}}
        assert complaint({**FUNCTION, "graph": graph}).endswith(f"more than {DEEPEST} graphs in one another")
        assert complaint({**SHAPES, "table": table}).endswith(f"more than {DEEPEST} shape tables in one another")
        less = graph["applies"][0]["op"]["inner"]
        assert read({**FUNCTION, "graph": less}, {**SHAPES, "table": table["inner"]["0"]}).script.functions

    def test_numbers_that_are_keys(self) -> None:
        """More digits than an integer is read from."""
        assert "expected a number as the key" in complaint({**SHAPES, "table": {"shapes": {"9" * 5000: [5]}}})


class TestCutOff:
    """Streams that end in the middle."""

    @pytest.mark.parametrize("at", range(0, len(encoded(*WHOLE)), 97))
    def test_every_prefix_is_read_as_far_as_it_is_whole(self, at: int) -> None:
        """As many events as there are whole lines."""
        text = encoded(*WHOLE)[:at]
        assert len(list(lines(text))) == text.count(b"\n")

    def test_what_follows_a_line_that_is_no_json_is_dropped(self) -> None:
        """Two processes may have written into each other; what was before still counts."""
        assert [c.key("a").integer() for c in lines(b'{"a": 1}\n{"a": 2\n{"a": 3}\n')] == [1]

    @pytest.mark.parametrize("text", [b"", b"\n", b"{}", b"{}\n", b"\xff\xfe\n", b'{"event": "header", "schema": null}\n'])
    def test_without_a_header_there_is_no_stream(self, text: bytes) -> None:
        """An interpreter that died before it wrote anything."""
        assert read_stream(text) is None

    def test_what_nests_without_end_is_dropped(self) -> None:
        """As if it were no JSON."""
        assert len(list(lines(encoded(HEADER) + b"[" * 1_000_000 + b"\n"))) == 1

    def test_without_an_end_nothing_is_said_of_it(self) -> None:
        """The process was killed: its parent knows more."""
        found = read(FUNCTION)
        assert (found.end, found.syntax, found.missing_framework) == (None, None, None)


class TestResults:
    """Device arrays that a call handed out."""

    def results(self, *events: object) -> list[tuple[tuple[int, int], ...]]:
        """The results of every call that was read."""
        return [e.device_results for e in read(FUNCTION, *events).script.events if isinstance(e, Call)]

    def test_they_belong_to_the_call_before(self) -> None:
        """And a release has the same number."""
        found = read(FUNCTION, CALL, RESULT, RELEASE)
        assert self.results(CALL, RESULT) == [((0, 7),)]
        assert found.script.events[-1] == Release(7)

    def test_only_the_first_word_counts(self) -> None:
        """A second one for the same call is not its own."""
        assert self.results(CALL, RESULT, {**RESULT, "outputs": [[1, 8]]}) == [((0, 7),)]

    def test_of_another_function_they_are_not_its_own(self) -> None:
        """That call was not recorded."""
        assert self.results(CALL, {**RESULT, "function": 5}) == [()]

    def test_without_a_call_they_are_nobody_s(self) -> None:
        """A call that was not recorded leaves its results behind."""
        assert read(RESULT).script.events == ()

    def test_pairs_that_are_none_are_left_out(self) -> None:
        """A position without a number says nothing."""
        assert self.results(CALL, {**RESULT, "outputs": [[0], [1, 2, 3], [0, 7]]}) == [((0, 7),)]


class TestParts:
    """The small readers."""

    def test_an_argument_has_all_that_was_written(self) -> None:
        """Small values are tuples."""
        found = argument(Cursor(ARGUMENT))
        assert (found.variable, found.name, found.shape, found.value, found.buffer, found.on_device) == (0, "x", (5,), (1, 2), "0x7f", True)

    def test_an_argument_of_which_only_the_variable_is_known(self) -> None:
        """All else is missing, not made up."""
        found = argument(Cursor({"variable": 2}))
        assert (found.name, found.dtype, found.value, found.buffer, found.on_device) == (None, None, None, None, False)
        assert found.shape == Unknown("the value has no shape")

    @pytest.mark.parametrize(
        ("given", "expected"),
        [([], ()), ([2, 3], (2, 3)), ([None], (Unknown("its length is not known"),)), (None, Unknown("the value has no shape"))],
        ids=["scalar", "known", "length", "nothing"],
    )
    def test_shapes(self, given: object, expected: object) -> None:
        """A null is no zero."""
        assert shape(Cursor({"shape": given}).maybe("shape")) == expected

    @pytest.mark.parametrize(("given", "expected"), [(3, 3), (2.5, 2.5), (True, True), ([1, [2, 3]], (1, (2, 3))), ([], ())])
    def test_values(self, given: object, expected: object) -> None:
        """Lists become tuples, all the way down."""
        assert value_from_json(Cursor(given)) == expected

    def test_a_place_may_be_missing(self) -> None:
        """A null is as good."""
        assert site(Cursor({})) is site(Cursor({"site": None})) is None
        assert str(site(Cursor({"site": SITE}))) == "m.py:3"

    def test_a_function_that_was_never_read_cannot_be_deleted(self) -> None:
        """Nor can nothing at all."""
        reader = Reader()
        for event in ({"event": "delete", "function": 3}, {"event": "delete"}, {"event": "delete", "shared": 4}):
            reader.read(Cursor(event))
        assert reader.script({}).events == (Delete(shared=4),)


def test_a_framework_that_was_stood_in_for() -> None:
    """The flags that were replaced, with what the user had set."""
    found = read(FRAMEWORK).framework
    assert found is not None
    assert found.stand_in is not None
    assert (dict(found.stand_in.replaced_flags), found.stand_in.cudnn) == ({"device": "cpu", "n": None}, 7605)
    assert found.device is not None
    assert found.device.free_bytes == 90


def test_of_several_frameworks_the_last_word_counts() -> None:
    """It is told again once its device is open."""
    found = read({**FRAMEWORK, "device": None}, FRAMEWORK).framework
    assert found is not None
    assert found.device is not None


def places(document: Any, way: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The ways to every value."""
    entries = document.items() if isinstance(document, dict) else enumerate(document) if isinstance(document, list) else ()
    return [here for key, found in entries for here in [(*way, key), *places(found, (*way, key))]]


def damaged(events: list[Any], way: tuple[str | int, ...], junk: object) -> list[Any]:
    """The events with junk there."""
    new = copy.deepcopy(events)
    here: Any = new
    for step in way[:-1]:
        here = here[step]
    here[way[-1]] = junk
    return new


JUNK = st.sampled_from([None, True, -1, 0, 3, 1.5, "", "x", [], [0], [[0]], [[0, 1]], {}, {"0": [1]}, {"event": "call"}])


def outcome(events: list[Any]) -> str:
    """Whether the stream is read or refused; any other error comes out."""
    try:
        recording([Cursor(e, None, "line") for e in events])
    except UnreadableError:
        return "refused"
    return "read"


@settings(deadline=None, max_examples=300)
@given(st.data())
def test_random_damage_never_gives_another_error(data: st.DataObject) -> None:
    """One or two values of a whole stream are replaced by junk: it is read or refused."""
    events = WHOLE
    for _ in range(data.draw(st.integers(1, 2))):
        ways = places(events)
        events = damaged(events, data.draw(st.sampled_from(ways)), data.draw(JUNK))
    assert outcome(events) in ("read", "refused")


@settings(deadline=None, max_examples=100)
@given(st.binary(max_size=60))
def test_any_bytes_are_lines_or_none(noise: bytes) -> None:
    """A stream that something else wrote into is read up to there."""
    good = encoded(HEADER, END)
    assert len(list(lines(good + noise))) >= 2

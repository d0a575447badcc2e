"""The stream of events, from the hook's end to the runner's."""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Iterator

import pytest

from theanodiag.agent.hook import stream as hook_s_end
from theanodiag.agent.hook.stream import HIGH, Stream, clean
from theanodiag.capture import runner
from theanodiag.capture.runner import Channel


@pytest.fixture
def channel() -> Iterator[Channel]:
    """The runner's end."""
    with Channel() as made:
        yield made


def opened(channel: Channel) -> Stream:
    """The hook's end, on a descriptor of its own."""
    return Stream(**{**channel.options, "fd": os.dup(channel.writer)})  # type: ignore[arg-type]


def events(channel: Channel, number: int = 0) -> list[dict[str, object]]:
    """What the runner hears of one process."""
    channel.finish()
    return [json.loads(line) for line in channel.streams()[number].splitlines()]


def in_a_child(*steps: object) -> int:
    """Runs the steps in a forked child; its process number."""
    child = os.fork()
    if child == 0:
        for step in steps:
            assert callable(step)
            step()
        os._exit(0)
    os.waitpid(child, 0)
    return child


class Scalar:
    """A number as numpy has them."""

    ndim = 0

    def item(self) -> int:
        """The number itself."""
        return 7


def test_each_event_is_readable_at_once(channel: Channel) -> None:
    """Nothing waits in a buffer."""
    opened(channel).emit("one", a=1)
    assert events(channel) == [{"event": "one", "a": 1}]


def test_steps_are_told_while_the_script_runs() -> None:
    """What it does next, without waiting for its end."""
    told: list[str] = []
    with Channel(doing=told.append) as channel:
        stream = opened(channel)
        stream.emit("one")
        for step in ({"of": "call"}, {"of": "trial", "draws": 50}, {"of": "own code", "draws": 200}):
            stream.step(**step)
        channel.read()
        assert told == [
            "preparing a sampler's call",
            "trying its own code after sampling, 50 draws of each chain",
            "running its own code after sampling, 200 draws of each chain",
        ]
        assert len(events(channel)) == 4


def test_values_that_json_does_not_know(channel: Channel) -> None:
    """Numbers of numpy, sets and bytes are written as what they are, other things as they print, if they do."""

    class Shy:
        def __repr__(self) -> str:
            raise ValueError

    opened(channel).emit("e", n=Scalar(), s={1}, b=b"\xff", o=Ellipsis, y=Shy())
    assert events(channel)[0] == {"event": "e", "n": 7, "s": [1], "b": "\ufffd", "o": "Ellipsis", "y": "<Shy>"}


def test_both_ends_speak_alike() -> None:
    """The runner cannot import the hook's files where it runs; the two say the same."""
    assert runner.HEAD.format == hook_s_end.HEAD.format
    for name in ("PART", "LINE", "MARK"):
        assert getattr(runner, name) == getattr(hook_s_end, name)


def test_long_events_come_whole(channel: Channel) -> None:
    """In pieces, between which another process may send its own."""
    stream = opened(channel)
    stream.emit("long", text="x" * 30_000)
    child = in_a_child(lambda: stream.emit("inside", text="y" * 30_000))
    assert [e["event"] for e in events(channel)] == ["long"]
    assert [(e["event"], len(str(e.get("text", "")))) for e in events(channel, 1)] == [("long", 30_000), ("fork", 0), ("inside", 30_000)]
    assert events(channel, 1)[1]["pid"] == child


def test_nothing_is_written_after_the_end(channel: Channel) -> None:
    """A closed stream stays as it is."""
    stream = opened(channel)
    stream.emit("one")
    stream.closed = True
    stream.emit("two")
    assert len(events(channel)) == 1


@pytest.mark.skipif(not os.path.isdir("/proc/self/fd"), reason="needs /proc")
@pytest.mark.parametrize("replaced", [False, True])
def test_closed_descriptors_do_no_harm(channel: Channel, replaced: bool) -> None:
    """A script may close what it did not open, and open files of its own at that number."""
    stream = opened(channel)
    stream.emit("one")
    (os.dup2(0, stream.fd) if replaced else os.close(stream.fd))
    stream.emit("two")
    assert [e["event"] for e in events(channel)] == ["one", "two"]
    assert channel.doubt is None


def test_the_descriptor_is_out_of_the_way(channel: Channel) -> None:
    """Scripts close the low ones, and programs that they start get none."""
    stream = opened(channel)
    assert stream.fd >= HIGH
    assert not os.get_inheritable(stream.fd)


def test_bytes_anywhere_become_text() -> None:
    """Names and sources in CPython 2.7 are bytes."""
    assert clean({b"k": [b"v", (b"\xe9",)]}) == {"k": ["v", ["\ufffd"]]}


def test_a_forked_child_has_a_stream_of_its_own(channel: Channel) -> None:
    """It begins with what its parent had told until then; so does that of the child's child."""
    stream = opened(channel)
    stream.emit("before")
    in_a_child(
        lambda: stream.emit("inside"),
        lambda: in_a_child(lambda: stream.emit("deep inside")),
        lambda: stream.emit("not for that one"),
        lambda: stream.mark("stop"),
    )
    assert not channel.enough
    stream.emit("after")
    assert [e["event"] for e in events(channel)] == ["before", "after"]
    others = sorted([[str(e["event"]) for e in events(channel, n)] for n in (1, 2)], key=lambda names: "stop" in names)
    assert others[0] == ["before", "fork", "inside", "fork", "deep inside"]
    assert others[1] == ["before", "fork", "inside", "not for that one", "stop"]
    assert channel.enough


def test_where_nobody_listens_the_script_goes_on() -> None:
    """An error in telling is none of the script's."""
    reader, writer = os.pipe()
    stream = Stream(writer)
    os.close(reader)
    stream.emit("one")
    assert stream.closed


class TestForged:
    """What did not come from the hook."""

    LINE = b'{"event": "end", "status": "finished"}\n'

    def test_a_line_without_the_seal(self, channel: Channel) -> None:
        """It is not taken, nor anything behind it."""
        stream = opened(channel)
        stream.emit("one")
        data = self.LINE + b"s" * 32
        os.write(channel.writer, hook_s_end.HEAD.pack(os.getpid(), len(data), 1) + data)
        stream.emit("two")
        assert [e["event"] for e in events(channel)] == ["one"]
        assert channel.doubt == "another program wrote into the stream of events"

    def test_a_line_that_was_sealed_before(self, channel: Channel) -> None:
        """It has its place."""
        stream = opened(channel)
        with_seal: list[bytes] = []
        stream._write = with_seal.append  # type: ignore[method-assign]
        stream.emit("one")
        for _ in range(2):
            os.write(channel.writer, with_seal[0])
        assert [e["event"] for e in events(channel)] == ["one"]
        assert channel.doubt is not None

    @pytest.mark.parametrize("noise", [b"\xff" * 100, b'{"event": "end"}\n' * 50])
    def test_noise(self, channel: Channel, noise: bytes) -> None:
        """What was told before counts."""
        opened(channel).emit("one")
        os.write(channel.writer, noise)
        assert [e["event"] for e in events(channel)] == ["one"]
        assert channel.doubt is not None

    def test_too_much(self) -> None:
        """Memory has a bound, whatever the pieces claim."""
        with Channel(most_bytes=100_000) as channel:
            stream = opened(channel)
            stream.emit("one")
            for pid in range(30):
                os.write(channel.writer, struct.pack(">IHB", pid, 4000, 0) + b"x" * 4000)
                channel.read()
            assert [e["event"] for e in events(channel)] == ["one"]
            assert channel.doubt == "more than 100000 bytes were recorded"

"""The stream of events."""

from __future__ import annotations

import json
import os
from pathlib import Path

from theanodiag.capture.inside.stream import Stream, clean


def events(path: Path) -> list[dict[str, object]]:
    """What a stream holds."""
    return [json.loads(line) for line in path.read_text().splitlines()]


class Scalar:
    """A number as numpy has them."""

    ndim = 0

    def item(self) -> int:
        """The number itself."""
        return 7


def test_each_event_is_readable_at_once(tmp_path: Path) -> None:
    """Nothing waits in a buffer."""
    stream = Stream(str(tmp_path / "s"))
    stream.emit("one", a=1)
    assert events(tmp_path / "s") == [{"event": "one", "a": 1}]


def test_values_that_json_does_not_know(tmp_path: Path) -> None:
    """Numbers of numpy, sets and bytes are written as what they are, other things as they print."""
    Stream(str(tmp_path / "s")).emit("e", n=Scalar(), s={1}, b=b"\xff", o=Ellipsis)
    assert events(tmp_path / "s")[0] == {"event": "e", "n": 7, "s": [1], "b": "\ufffd", "o": "Ellipsis"}


def test_nothing_is_written_after_the_end(tmp_path: Path) -> None:
    """A closed stream stays as it is."""
    stream = Stream(str(tmp_path / "s"))
    stream.emit("one")
    stream.closed = True
    stream.emit("two")
    assert len(events(tmp_path / "s")) == 1


def test_closed_descriptors_do_no_harm(tmp_path: Path) -> None:
    """The stream keeps no descriptor that a script could close."""
    before = set(os.listdir("/dev/fd"))
    Stream(str(tmp_path / "s")).emit("one")
    assert set(os.listdir("/dev/fd")) == before


def test_bytes_anywhere_become_text() -> None:
    """Names and sources in CPython 2.7 are bytes."""
    assert clean({b"k": [b"v", (b"\xe9",)]}) == {"k": ["v", ["\ufffd"]]}


def test_a_forked_child_continues_in_a_file_of_its_own(tmp_path: Path) -> None:
    """The child's stream begins with what its parent had written until then."""
    stream = Stream(str(tmp_path / "s"))
    stream.emit("before")
    child = os.fork()
    if child == 0:
        stream.emit("inside")
        stream.mark("stop")
        os._exit(0)
    os.waitpid(child, 0)
    stream.emit("after")
    assert [e["event"] for e in events(tmp_path / "s")] == ["before", "after"]
    assert [e["event"] for e in events(tmp_path / f"s.{child}")] == ["before", "fork", "inside"]
    assert (tmp_path / "s-stop").exists()


def test_a_full_disk_does_not_reach_the_script(tmp_path: Path) -> None:
    """Where nothing can be written the script goes on."""
    stream = Stream(str(tmp_path / "missing" / "s"))
    stream.emit("one")
    assert stream.closed

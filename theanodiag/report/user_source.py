"""The user's source in a report: the line of a finding, tracebacks without the frames of packages in between, and the name that the user
knows in place of a temporary file's path.
"""

from __future__ import annotations

import io
import os
import pickle
import re
from collections.abc import Iterator
from typing import TypeVar

from ..errors import Span, line_starts
from ..files import read_plain
from ..findings import Location

T = TypeVar("T")


def renamed(value: T, path: str, name: str) -> T:
    """Returns a deep copy of `value`, made by pickling, in which each text has `name` in place of `path`."""
    stream = io.BytesIO()
    _EditingPickler(stream, path, name).dump(value)
    stream.seek(0)
    copy: T = _EditingUnpickler(stream).load()
    return copy


class _EditingPickler(pickle.Pickler):
    """Replaces `path` in each text by `name` while it pickles."""

    def __init__(self, stream: io.BytesIO, path: str, name: str) -> None:
        super().__init__(stream, pickle.HIGHEST_PROTOCOL)
        self.path, self.name = path, name

    def persistent_id(self, obj: object) -> str | None:
        """Returns the text with `path` replaced, which is stored in place of `obj`; None for any other object, which is pickled
        as usual.
        """
        return obj.replace(self.path, self.name) if type(obj) is str and self.path in obj else None


class _EditingUnpickler(pickle.Unpickler):
    def persistent_load(self, pid: str) -> str:
        """Returns the text that `_EditingPickler` stored."""
        return pid


MAX_SOURCE_BYTES = 1024 * 1024
"""Maximum size in bytes of a source file that is read to show one of its lines."""
ENDS = 2
"""Number of frames shown at each end of a run of frames in installed packages."""
_REMARK = re.compile(r"\s+#.*$")
_FRAME = re.compile(r'  File "(?P<path>[^"]*)", line (?P<line>\d+)')
_INSTALLED = re.compile(r"[/\\](?:site|dist)-packages[/\\]|[/\\]lib[/\\]python\d")


def marked_line(place: Location, width: int) -> list[str]:
    """Returns the source line at `place` with a line of carets below it, cut to `width` characters. The carets begin at `place.column`, or
    mark the whole line if there is no column.

    Returns nothing if the place has no line, or if its file cannot be read now or has no such line or only an empty one.
    """
    if place.line is None:
        return []
    try:
        text = read_plain(place.path, MAX_SOURCE_BYTES).decode("utf-8", "replace").replace("\r\n", "\n")
    except (OSError, ValueError):
        return []
    starts = line_starts(text)
    if not 0 < place.line <= len(starts):
        return []
    line = text[starts[place.line - 1] :].partition("\n")[0].rstrip()
    indent = len(line) - len(line.lstrip())
    begin = place.column - 1 - indent if place.column else 0
    shown = line.strip()
    if len(shown) > width:
        shown, begin = f"{shown[begin : begin + width - 1]}…", 0
    if not shown:
        return []
    end = len(_REMARK.sub("", shown))
    return Span(place.path, shown, begin, max(end, begin + 1)).caret().split("\n")


def shortened_traceback(text: str) -> Iterator[str]:
    """Yields the lines of a traceback. Of consecutive frames in installed packages only the first and last `ENDS` are shown, with the
    number of frames left out.
    """
    frames: list[list[str]] = []
    for line in text.rstrip().split("\n"):
        frame = _FRAME.match(line)
        if frame and _INSTALLED.search(frame["path"]):
            frames.append([line])
        elif frames and not frame and line.startswith("    "):
            frames[-1].append(line)
        else:
            yield from _ends(frames)
            frames = []
            yield line
    yield from _ends(frames)


def raising_place(traceback: str) -> str | None:
    """Returns file name and line of the innermost frame outside of installed packages, `model.py:7`; None if there is no such frame."""
    frames = [frame for frame in map(_FRAME.match, traceback.split("\n")) if frame and not _INSTALLED.search(frame["path"])]
    return f"{os.path.basename(frames[-1]['path'])}:{frames[-1]['line']}" if frames else None


def raising_line(traceback: str, path: str) -> int | None:
    """Returns the line number (from 1) of the innermost frame in the file `path`; None if the traceback has no frame there."""
    frames = [frame for frame in map(_FRAME.match, traceback.split("\n")) if frame and frame["path"] == path]
    return int(frames[-1]["line"]) if frames else None


def _ends(frames: list[list[str]]) -> Iterator[str]:
    """Yields the lines of the first and last `ENDS` of some frames, and between them how many are omitted."""
    left = len(frames) - 2 * ENDS
    for k, frame in enumerate(frames):
        if left <= 1 or not ENDS <= k < ENDS + left:
            yield from frame
        elif k == ENDS:
            yield f"  ... {left} more frames of installed packages"

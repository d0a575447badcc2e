"""The frames of a traceback in a log."""

from __future__ import annotations

from . import patterns


def frames(before: str) -> list[str]:
    """The frames in a text, outermost first: each is the line that names the file, with the lines of source below it."""
    lines = before.splitlines()
    starts = [number for number, line in enumerate(lines) if patterns.FRAME.match(line)]
    return ["\n".join(lines[at:end]) for at, end in zip(starts, (*starts[1:], len(lines)))]


def place(frame: str) -> str:
    """The line that names the file."""
    return frame.partition("\n")[0]


def package(frame: str) -> str | None:
    """The installed package whose code a frame is; None for the user's."""
    match = patterns.PACKAGE_FOLDER.search(place(frame)) or patterns.COMPILED.search(frame)
    return match["package"] if match else None

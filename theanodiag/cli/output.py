"""Standard output and standard error of the command line: writing, colours, the differences between texts, and errors while writing."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TextIO

from ..errors import ExitCode, TheanodiagError, UsageError
from ..escaping import visible

MOST = 4_000_000
"""Maximum number of line pairs to compare; larger files would take minutes, and are shown as one replaced piece."""
CONTEXT = 3


def difference(before: str, after: str, source: str, what: str) -> Iterator[str]:
    """Returns the lines of the difference; `what` says what was done, and is shown after the name of the new text."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    head = next((n for n, (a, b) in enumerate(zip(old, new)) if a != b), min(len(old), len(new)))
    most = min(len(old), len(new)) - head
    tail = next((n for n, (a, b) in enumerate(zip(reversed(old), reversed(new))) if a != b or n >= most), most)
    if (len(old) - head - tail) * (len(new) - head - tail) <= MOST:
        import difflib  # here, since all commands import this file

        lines: Iterator[str] = difflib.unified_diff(old, new, source, f"{source} ({what})", n=CONTEXT)
    else:
        lines = _one_piece(old, new, head, tail, source, what)
    for line in lines:
        yield line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"


def _one_piece(old: list[str], new: list[str], head: int, tail: int, source: str, what: str) -> Iterator[str]:
    """All from the first to the last line that differs, taken out and put in."""
    first, last = max(0, head - CONTEXT), min(tail, CONTEXT)
    counts = (len(old) - first - tail + last, len(new) - first - tail + last)
    yield from (f"--- {source}\n", f"+++ {source} ({what})\n", f"@@ -{first + 1},{counts[0]} +{first + 1},{counts[1]} @@\n")
    yield from (f" {line}" for line in old[first:head])
    yield from (f"-{line}" for line in old[head : len(old) - tail])
    yield from (f"+{line}" for line in new[head : len(new) - tail])
    yield from (f" {line}" for line in old[len(old) - tail : len(old) - tail + last])


FORMATS = ("text", "json")
"""The output formats that most commands share; commands that print a plain list have none."""
COLORS = ("auto", "always", "never")
WIDTHS = (60, 200)
"""Minimum and maximum width in columns."""


class OutputError(TheanodiagError):
    """Raised if standard output could not be written."""

    exit_code = ExitCode.UNREADABLE


@dataclass
class Display:
    """The display options of the user; set once, from the command line."""

    color: str = "auto"
    quiet: bool = False
    command: str = ""
    """The command line, as a shell takes it."""


LOOK = Display()


def prepare(arguments: Sequence[str] = ()) -> None:
    """Makes both output streams escape characters that their encoding lacks. Reads `--color` even from an invalid command line."""
    words = [word for k, word in enumerate(arguments) if word.startswith("--color=") or arguments[k - 1 : k] == ["--color"]]
    color = words[-1].removeprefix("--color=") if words else "auto"
    LOOK.color, LOOK.quiet = color if color in COLORS else "auto", False
    LOOK.command = shlex.join(["theanodiag", *arguments])
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Callable[..., None] | None = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def has_color(stream: TextIO | None) -> bool:
    """Returns whether to use colours on a stream. `--color` decides; else NO_COLOR and FORCE_COLOR; else colours are used if the stream is
    a terminal.

    Source: https://no-color.org and https://force-color.org: a variable counts if it is not empty.
    """
    if stream is None or LOOK.color != "auto":
        return LOOK.color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def width() -> int:
    """Returns the width of the terminal, from COLUMNS or the terminal itself; 80 if neither gives it."""
    least, most = WIDTHS
    return max(least, min(shutil.get_terminal_size((80, 24)).columns, most))


def write(text: str) -> None:
    """Writes `text`, which the caller has escaped, to standard output unchanged.

    If the reader has closed the pipe, or there is no standard output, the rest is dropped, and the command continues to its exit code.
    Raises `OutputError` if the disk is full or the device rejects the data.
    """
    _written(lambda: sys.stdout.write(text))


def write_bytes(data: bytes) -> None:
    """Writes `data` to standard output, as `write` does for text."""
    _written(lambda: sys.stdout.buffer.write(data))


def _written(action: Callable[[], object]) -> None:
    if sys.stdout is None:
        return
    try:
        action()
        sys.stdout.flush()
    except BrokenPipeError:
        _drop(sys.stdout)
    except OSError as error:
        _drop(sys.stdout)
        raise OutputError(f"standard output cannot be written: {error.strerror or error}", help="make room, or write elsewhere") from None


def deliver(content: str | bytes, path: str | None, result: str = "") -> None:
    """Writes a whole report atomically to the file `path`, or to standard output. If it goes to a file, the one line `result` goes to
    standard error.

    Raises `OutputError` if standard output cannot be written, `UnreadableError` if the file cannot, and `UsageError` for bytes that would
    go to a terminal.
    """
    data = content.encode("utf-8", "backslashreplace") if isinstance(content, str) else content
    if path not in (None, "-"):
        from .atomic_write import replace_whole

        replace_whole(str(path), (data,))
        _note_result(result, str(path))
    elif isinstance(content, str):
        write(content)
    elif is_terminal(sys.stdout):
        raise UsageError("this format is binary, and standard output is a terminal", help="name a file with -o FILE")
    else:
        write_bytes(content)


def deliver_pieces(pieces: Iterable[str], path: str | None, result: str = "") -> None:
    """Writes a text as `deliver` does, but without holding all of it in memory."""
    if path is None or path == "-":
        for piece in pieces:
            write(piece)
    else:
        from .atomic_write import replace_whole

        replace_whole(path, (piece.encode("utf-8", "backslashreplace") for piece in pieces))
        _note_result(result, path)


def _note_result(result: str, path: str) -> None:
    from .atomic_write import is_stream

    if result and not is_stream(path):
        note(f"{result.rstrip('.')}; report in {path}")


def show(text: str) -> None:
    """Writes text for people, with colours if wanted. Raises the same errors as `write`."""
    write(_colored(text) if has_color(sys.stdout) else text)


def _colored(text: str) -> str:
    from .coloring import colored

    return colored(text)


def note(text: str) -> None:
    """Writes a one-line remark to standard error, after the program's name; writes nothing with `--quiet`."""
    if not LOOK.quiet:
        tell(text)


def tell(text: str) -> None:
    """Writes a one-line result to standard error, after the program's name, also with `--quiet`."""
    complain(f"theanodiag: {visible(text)}\n")


def complain(text: str) -> None:
    """Writes `text` to standard error, with colours if wanted; does nothing if standard error is closed or full."""
    put(_colored(text) if has_color(sys.stderr) else text)


def put(text: str) -> None:
    """Writes `text` to standard error unchanged; does nothing if standard error is closed or full."""
    if sys.stderr is None:
        return
    try:
        sys.stderr.write(text)
        sys.stderr.flush()
    except OSError:
        _drop(sys.stderr)


def is_terminal(stream: TextIO | None) -> bool:
    """Returns whether a standard stream is a terminal; False if it is closed (None)."""
    return stream is not None and stream.isatty()


def _drop(stream: TextIO) -> None:
    """Sends what is left in the stream's buffer, and all that follows, nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)

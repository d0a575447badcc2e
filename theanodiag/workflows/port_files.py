"""Ports the sources below given paths, one file after the other."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence

from .. import files
from ..errors import TheanodiagError, UnreadableError, UsageError
from ..porting import edits, source_port
from ..porting.edits import NOWHERE, Around
from ..porting.model import FRAMEWORKS, FileReport, PortOptions, Style
from ..processes import git
from ..processes.time_limit import time_limit

SECONDS = 60.0
"""Default time limit for one file in seconds; public sources take a second at most."""


def port(
    source: str, *, to: str = "pytensor", style: str = "native", unsafe: bool = False, python2to3: bool = False, path: str = "<source>"
) -> FileReport:
    """Ports a source text to PyTensor, PyMC or Aesara.

    Args:
        source: The text of a Python file.
        to: "pytensor", "aesara", or "pymc", which is the same as "pytensor": sources of PyMC3 are moved to PyMC by both.
        style: "native": names of the new framework; "compat": legacy names over theanodiag's compat layer.
        unsafe: Also makes changes that may compute something else.
        python2to3: First turns a Python 2 source into Python 3.
        path: What the source is called in messages.

    Returns:
        The report; its field `after` is the new text.

    Raises:
        UnreadableError: The text is neither Python 2 nor 3.

    >>> port("import theano.tensor as T\\ny = T.sqr(T.vector())\\n").after
    'import pytensor.tensor as T\\ny = T.square(T.vector())\\n'
    """
    return source_port.port_text(source, path, PortOptions(FRAMEWORKS[to], Style(style), unsafe, python2to3))


def port_file(path: str, options: PortOptions, around: Around = NOWHERE, seconds: float = SECONDS) -> tuple[FileReport, bytes, bytes]:
    """The report on one file, its bytes, and the bytes that replace them.

    A file that cannot be read or parsed, or not within `seconds`, is reported as failed; so is one at which theanodiag itself fails, so
    that the others are done.
    """
    text = ""
    try:
        with time_limit(seconds, path, "leave the file out, or allow more by --file-timeout"):
            data = files.read(path, files.TEXT, help="name a source of Python")
            source = edits.read(data, path)
            text = source.text
            move = source_port.port_notebook if path.endswith(".ipynb") else source_port.port_text
            report = move(text, path, options, around)
            return report, data, source.encoded(report.after) if report.changed else data
    except TheanodiagError as error:
        return source_port.failed(path, text, error), b"", b""
    except MemoryError:
        return (
            source_port.failed(path, text, UnreadableError("there is not enough memory for it", path=path, help="leave it out")),
            b"",
            b"",
        )
    except Exception as error:
        return source_port.failed(path, text, source_port.bug(path, f"{type(error).__name__}: {error}")), b"", b""


def require_committed(paths: Sequence[str], sources: Iterable[str]) -> None:
    """Raises `UsageError` where git has uncommitted changes at one of `paths`, or in a repository below them that one of `sources` is in.

    Links are followed. What git ignores (`.gitignore`) does not count. Where there is a repository and git does not answer, it is an
    error too.
    """
    by_repository: dict[str, set[str]] = {}
    for path in paths:
        real = os.path.realpath(path)
        if (top := git.repository(real if os.path.isdir(real) else os.path.dirname(real))) is not None:
            by_repository.setdefault(top, set()).add(os.path.relpath(real, top))
    for source in sources:
        top = git.repository(os.path.dirname(os.path.realpath(source)))
        if top is not None and top not in by_repository:
            by_repository[top] = {"."}
    for top, within in by_repository.items():
        line = _uncommitted(top, sorted(within))
        if line is not None:
            raise UsageError(f"{_shown(top)}: git has changes here that are not committed: {line}", help="commit them, or use --force")


def _uncommitted(top: str, within: Sequence[str]) -> str | None:
    """The first line of what git reports as not committed at these paths of a repository; None where everything is."""
    problem = "git cannot tell whether everything here is committed"
    try:
        words = ("status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=all", "--no-renames", "--", *within)
        done = git.ask(top, *words, seconds=60)
    except OSError as error:
        raise UsageError(f"{_shown(top)}: {problem}: {error.strerror}", help="use --force if it is") from None
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or [f"it ended with {done.returncode}"])[0]
        raise UsageError(f"{_shown(top)}: {problem}: {reason}", help="use --force if it is")
    return next((line.strip() for line in done.stdout.splitlines()), None)


def _shown(folder: str) -> str:
    """A folder as seen from the working folder, where it is in that."""
    inside = os.path.relpath(folder)
    return folder if inside.startswith(os.pardir) else inside

"""Ports the sources below given paths, one file after the other."""

from __future__ import annotations

import os
import subprocess

from .. import files
from ..errors import TheanodiagError, UnreadableError
from ..porting import edits, moving
from ..porting.edits import NOWHERE, Around
from ..porting.model import FRAMEWORKS, FileReport, PortOptions, Style
from ..processes.time_limit import time_limit

SECONDS = 60.0
"""For one file; public sources take a second at most."""


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
    return moving.port_text(source, path, PortOptions(FRAMEWORKS[to], Style(style), unsafe, python2to3))


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
            move = moving.port_notebook if path.endswith(".ipynb") else moving.port_text
            report = move(text, path, options, around)
            return report, data, source.encoded(report.after) if report.changed else data
    except TheanodiagError as error:
        return moving.failed(path, text, error), b"", b""
    except MemoryError:
        return moving.failed(path, text, UnreadableError("there is not memory enough for it", path=path, help="leave it out")), b"", b""
    except Exception as error:
        return moving.failed(path, text, moving.bug(path, f"{type(error).__name__}: {error}")), b"", b""


def uncommitted(path: str) -> str | None:
    """First line of what git reports as not committed at `path`, links followed; None where everything is, or there is no git."""
    path = os.path.realpath(path)
    folder, name = (path, ".") if os.path.isdir(path) else (os.path.dirname(path) or ".", os.path.basename(path))
    command = ["git", "-c", "core.fsmonitor=false", "-C", folder, "status", "--porcelain", "--", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return next(iter(done.stdout.splitlines()), None) if done.returncode == 0 else None

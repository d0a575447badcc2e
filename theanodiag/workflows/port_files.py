"""Ports the sources below given paths, one file after the other."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator, Sequence

from .. import files
from ..errors import TheanodiagError, UnreadableError
from ..porting import moving, source_text
from ..porting.model import FileReport, Style, Wish

SUFFIXES = (".py", ".ipynb")
"""Endings of the files that are ported in folders; a file that is named itself is ported whatever its ending."""
_LEFT_OUT = frozenset(("__pycache__", "node_modules", "site-packages"))


def port(
    source: str, *, to: str = "pytensor", style: str = "native", unsafe: bool = False, python2to3: bool = False, path: str = "<source>"
) -> FileReport:
    """Ports a source text to PyTensor or Aesara.

    Args:
        source: The text of a Python file.
        to: "pytensor" or "aesara".
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
    return moving.port_text(source, path, Wish(to, Style(style), unsafe, python2to3))


def found(paths: Sequence[str]) -> Iterator[str | UnreadableError]:
    """Yields the files to port: those that are named, and the sources in folders, in order of their names.

    Folders whose name begins with a dot are skipped, symbolic links to folders are not followed, and each file comes once.
    """
    seen: set[str] = set()
    for path in paths:
        for file in _below(path) if os.path.isdir(path) else (path,):
            real = file if isinstance(file, UnreadableError) else os.path.realpath(file)
            if isinstance(real, str) and real in seen:
                continue
            if isinstance(real, str):
                seen.add(real)
            yield file


def _below(folder: str) -> Iterator[str | UnreadableError]:
    refused: list[OSError] = []
    for here, folders, names in os.walk(folder, onerror=refused.append):
        while refused:
            yield _unreadable(refused.pop())
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _LEFT_OUT)
        yield from (os.path.join(here, name) for name in sorted(names) if name.endswith(SUFFIXES))
    while refused:
        yield _unreadable(refused.pop())


def _unreadable(error: OSError) -> UnreadableError:
    return UnreadableError(f"cannot be read: {error.strerror}", path=str(error.filename), help="change its permissions, or leave it out")


def port_file(path: str, wish: Wish) -> tuple[FileReport, bytes, bytes]:
    """The report on one file, its bytes, and the bytes that replace them; a file that cannot be read or parsed is reported as failed."""
    text = ""
    try:
        data = files.read(path, files.TEXT, help="name a source of Python")
        source = source_text.read(data, path)
        text = source.text
        move = moving.port_notebook if path.endswith(".ipynb") else moving.port_text
        report = move(text, path, wish)
        return report, data, source.encoded(report.after) if report.changed else data
    except TheanodiagError as error:
        return moving.failed(path, text, error), b"", b""


def uncommitted(path: str) -> str | None:
    """First line of what git reports as not committed at `path`; None where everything is, or there is no git."""
    folder, name = (path, ".") if os.path.isdir(path) else (os.path.dirname(path) or ".", os.path.basename(path))
    command = ["git", "-c", "core.fsmonitor=false", "-C", folder, "status", "--porcelain", "--", name]
    try:
        done = subprocess.run(command, capture_output=True, text=True, errors="replace", timeout=60, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return next(iter(done.stdout.splitlines()), None) if done.returncode == 0 else None

"""`theanodiag doctor --recipe DIR`: the files that make an environment with Theano 1.0.5, and the commands for this machine."""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Sequence
from pathlib import Path

from ..doctor import recipe
from ..errors import ExitCode, UnreadableError
from ..escaping import visible
from ..processes.group import run
from . import output
from .atomic import write_atomically


def make(folder: Path, pythons: Sequence[str]) -> ExitCode:
    """Writes the files, none over another one, and says what to run; `pythons` are tried before the one on PATH."""
    texts = recipe.files()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        there = {name: (folder / name).read_bytes() for name in texts if os.path.lexists(folder / name)}
    except OSError as error:
        raise UnreadableError(f"cannot be made: {error.strerror}", path=str(folder), help="name another folder") from None
    for name, content in there.items():
        if content != texts[name].encode():
            raise UnreadableError("there is another file of this name", path=str(folder / name), help="name an empty folder")
    for name, text in texts.items():
        if name not in there:
            write_atomically(str(folder / name), text.encode(), before=None)
    python = next(filter(_works, (*pythons, f"python{recipe.PYTHON}")), None)
    if python is None:
        output.note(f"no CPython {recipe.PYTHON} was found on PATH or named with --python: the container brings its own")
    for line in recipe.commands(shlex.quote(str(folder)), shlex.quote(python) if python else None, shutil.which("g++") is not None):
        output.write(visible(line) + "\n")
    return ExitCode.CLEAN


def _works(python: str) -> bool:
    """Whether this is an interpreter of that release, and starts (a shim that leads nowhere does not)."""
    if shutil.which(python) is None:
        return False
    program = f"import sys, venv, ensurepip; sys.exit('%d.%d' % sys.version_info[:2] != '{recipe.PYTHON}')"
    with open(os.devnull, "wb") as nowhere:
        return run([python, "-c", program], dict(os.environ), 60, nowhere.fileno(), nowhere.fileno()).returncode == 0

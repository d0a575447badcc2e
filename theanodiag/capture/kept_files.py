"""Puts back the files that a run of the script changed, of which `agent/hook/kept_files.py` made copies, and names those it created."""

from __future__ import annotations

import contextlib
import filecmp
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..agent.hook.kept_files import MANIFEST
from ..findings import Skipped
from ..processes.group import own_python

WHAT = "what the script saves"
_NAME = re.compile(r"\d+-\d+", re.ASCII)
"""Name of a copy: the process and its number there."""
NAMED = 3
"""Maximum number of files named in a message."""


@contextlib.contextmanager
def kept_files() -> Iterator[Path]:
    """Context manager: creates a folder for the copies. The folder is not in the run's own temporary folder: that one is removed if
    theanodiag is killed, but the copies are still needed then (`restoring_command`).
    """
    folder = Path(tempfile.mkdtemp(prefix="theanodiag-kept-"))
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def restoring_command(folder: Path) -> list[str]:
    """Returns the command that restores the files and removes the folder, for the case that this process is killed."""
    root = str(Path(__file__).parents[2])
    program = f"import sys; sys.path.insert(0, {root!r}); from theanodiag.capture.kept_files import restore; restore(sys.argv[1])"
    return [own_python(), "-I", "-c", program, str(folder)]


def restore(folder: str) -> None:
    """Restores the files and removes the folder. If a file cannot be restored, its copy is moved elsewhere first."""
    list(put_back(Path(folder)))
    shutil.rmtree(folder, ignore_errors=True)


def put_back(folder: Path) -> Iterator[Skipped]:
    """Restores the files that a run changed from the copies in `folder`.

    Yields a text for each: the name of a restored file; for a file that cannot be written, where its old content is now; and the name of a
    new file.
    """
    changed, created = list[str](), list[str]()
    for name, path in _listed(folder):
        if not name:
            created += [os.path.basename(path)] if os.path.isfile(path) else []
            continue
        if os.path.isfile(path) and filecmp.cmp(folder / name, path, shallow=False):
            continue
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy2(folder / name, path)
        except OSError as error:
            kept = _elsewhere(folder / name, path)
            yield Skipped(WHAT, f"{path} was changed and cannot be restored ({error.strerror}): its old content is in {kept}")
        else:
            changed.append(os.path.basename(path))
    if changed:
        yield Skipped(WHAT, f"{_some(changed)} {'was' if len(changed) == 1 else 'were'} restored to the state before this run")
    if created:
        this = "the new file" if len(created) == 1 else "the new files"
        yield Skipped(WHAT, f"{this} {_some(created)} may hold placeholders of this run, not results")


def _some(names: list[str]) -> str:
    """The first names, and how many more there are."""
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def _elsewhere(copy: Path, path: str) -> str:
    """Keeps the copy of a file that cannot be restored, beside it or else in a new temporary folder; gives its path."""
    try:
        return shutil.copy2(copy, f"{path}.before-check")
    except OSError:
        return shutil.copy2(copy, os.path.join(tempfile.mkdtemp(prefix="theanodiag-"), os.path.basename(path)))


def _listed(folder: Path) -> Iterator[tuple[str, str]]:
    """Yields (name of the copy, path) as far as the manifest, which the script may have changed, names copies that are there; the name is
    empty for a new file.
    """
    try:
        lines = (folder / MANIFEST).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            name, path = json.loads(line)
        except (ValueError, TypeError):
            continue
        if isinstance(name, str) and isinstance(path, str) and (not name or (_NAME.fullmatch(name) and (folder / name).is_file())):
            yield name, path

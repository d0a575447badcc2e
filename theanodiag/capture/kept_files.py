"""Puts back the files that a run of the script changed, of which `agent/hook/kept_files.py` made copies."""

from __future__ import annotations

import filecmp
import json
import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from ..agent.hook.kept_files import MANIFEST
from ..findings import Skipped

WHAT = "what the script saves"
NAMED = 3
"""Maximum number of files named in a message."""


def put_back(folder: Path) -> Iterator[Skipped]:
    """Restores the files that a run changed from the copies in `folder`.

    Yields the names of those files; and for each file that cannot be written, where its old content is now.
    """
    names = []
    for name, path in _copies(folder):
        if os.path.isfile(path) and filecmp.cmp(folder / name, path, shallow=False):
            continue
        try:
            os.makedirs(os.path.dirname(path), exist_ok=True)
            shutil.copy2(folder / name, path)
        except OSError as error:
            kept = _elsewhere(folder / name, path)
            yield Skipped(WHAT, f"{path} was changed and cannot be put back ({error.strerror}): its old content is in {kept}")
        else:
            names.append(os.path.basename(path))
    if names:
        more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
        verb = "was" if len(names) == 1 else "were"
        yield Skipped(WHAT, f"{', '.join(names[:NAMED])}{more} {verb} put back as before this run")


def _elsewhere(copy: Path, path: str) -> str:
    """Keeps the copy of a file that cannot be put back, beside it or else in a new temporary folder; gives its path."""
    try:
        return shutil.copy2(copy, f"{path}.before-check")
    except OSError:
        return shutil.copy2(copy, os.path.join(tempfile.mkdtemp(prefix="theanodiag-"), os.path.basename(path)))


def _copies(folder: Path) -> Iterator[tuple[str, str]]:
    """Yields (name of the copy, path) as far as the manifest, which the script may have changed, names copies that are there."""
    try:
        lines = (folder / MANIFEST).read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return
    for line in lines:
        try:
            name, path = json.loads(line)
        except (ValueError, TypeError):
            continue
        if isinstance(name, str) and isinstance(path, str) and name.isdigit() and (folder / name).is_file():
            yield name, path

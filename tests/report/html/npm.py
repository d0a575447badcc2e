"""Packages of npm that tests use, fetched once by npm itself; a test that needs one is skipped where that cannot be."""

from __future__ import annotations

import functools
import shutil
import subprocess
import tarfile
import tempfile
from pathlib import Path

import pytest

VERSIONS = {"speedscope": "1.25.0", "axe-core": "4.14.1"}


@functools.cache
def _fetched(name: str) -> Path | str:
    """The folder of the package, or why it cannot be had."""
    npm = shutil.which("npm")
    if npm is None:
        return "needs npm"
    folder = Path(tempfile.gettempdir()) / f"theanodiag-npm-{name}-{VERSIONS[name]}"
    if not (folder / "package").exists():
        folder.mkdir(exist_ok=True)
        command = [npm, "pack", "--silent", f"{name}@{VERSIONS[name]}"]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=120, check=False)
        if done.returncode:
            return f"npm cannot fetch {name}: {done.stderr[-200:]}"
        with tarfile.open(folder / done.stdout.split()[-1]) as archive:
            archive.extractall(folder)
    return folder / "package"


def package(name: str) -> Path:
    """The folder of a package; skips the test where it cannot be had."""
    found = _fetched(name)
    if isinstance(found, str):
        pytest.skip(found)
    return found

"""Builds the libraries of the simulated device with the machine's C compiler."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
import subprocess
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from ...errors import TheanodiagError

SOURCES = Path(__file__).parent / "src"
"""The folder of the C sources."""
FLAGS = ("-O2", "-fPIC", "-shared", "-Wall", "-Wextra")
"""Flags of the C compiler for every library."""
MANIFEST = "sha256.json"
"""File in a folder of built libraries with the SHA-256 of each; written last, so that a folder with it is complete."""
BUILDING = "building-"
"""Prefix of the temporary folders in which libraries are built."""
_OWN = "remove it, or set XDG_CACHE_HOME to a folder that only you may write to"
ABANDONED = 3600.0
"""Age in seconds from which a temporary folder is taken for the rest of a build that was killed."""
HIDDEN = ("-fvisibility=hidden",)
"""Flags that keep internal names from colliding with those of other libraries."""
PARTS = {
    "libcuda.so.1": (("settings.c", "memory.c", "device.c"), (*HIDDEN, "-Wl,-soname,libcuda.so.1", "-lpthread")),
    "libnvrtc.so": (("nvrtc.c",), HIDDEN),
    "libcublas.so": (("cublas.c",), HIDDEN),
    "libclient.so": (("client.c", "copies.c"), ("-ldl", "-lpthread")),
}
"""Library -> (its sources, further compiler flags)."""


class CannotBuild(TheanodiagError):
    """There is no C compiler, the compiler failed, or the folder is not safe to load code from."""


@dataclass(frozen=True)
class Libraries:
    """A folder with the built libraries."""

    folder: Path

    @property
    def client(self) -> Path:
        """The library that is preloaded before libgpuarray and counts its clients' buffers."""
        return self.folder / "libclient.so"


def build(folder: Path) -> Libraries:
    """The libraries in a folder below `folder`; they are built unless the same sources were built there before. Raises `CannotBuild`.

    The script's process loads code from this folder, so it must belong to this user alone and its files must have the digests noted when
    they were built.
    """
    target = folder / _fingerprint()
    folder.mkdir(parents=True, exist_ok=True)
    if os.path.lexists(target):
        _require_own(target)
        if _whole(target):
            return Libraries(target)
    _tidy(folder)
    compiler = _compiler()
    with tempfile.TemporaryDirectory(prefix=BUILDING, dir=folder) as name:
        made = Path(name, target.name)
        made.mkdir(mode=0o700)
        for library, (sources, flags) in PARTS.items():
            _compile(compiler, made / library, sources, flags)
            (made / library).chmod(0o600)
        (made / "libcuda.so").symlink_to("libcuda.so.1")
        (made / MANIFEST).write_text(json.dumps(_digests(made)), encoding="utf-8")
        _move(made, target, Path(name, "old"))
    return Libraries(target)


def _require_own(path: Path) -> None:
    """Raises CannotBuild where another user could have put code into `path`."""
    found = path.lstat()
    if not stat.S_ISDIR(found.st_mode):
        reason = "is no folder"
    elif found.st_uid != os.geteuid():
        reason = "belongs to another user"
    elif found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        reason = "may be written by others"
    else:
        return
    raise CannotBuild(f"the cache {path} {reason}, and code would be loaded from it", help=_OWN)


def _digests(folder: Path) -> dict[str, str]:
    return {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in PARTS}


def _whole(folder: Path) -> bool:
    """Whether all libraries are there with the digests of the manifest."""
    try:
        own = all(stat.S_ISREG((at := (folder / name).lstat()).st_mode) and at.st_uid == os.geteuid() for name in PARTS)
        linked = os.readlink(folder / "libcuda.so") == "libcuda.so.1"
        return own and linked and json.loads((folder / MANIFEST).read_text(encoding="utf-8")) == _digests(folder)
    except (OSError, ValueError):
        return False


def _tidy(folder: Path) -> None:
    """Removes temporary folders of builds that were killed."""
    for path in folder.glob(f"{BUILDING}*"):
        with contextlib.suppress(OSError):
            if time.time() - path.lstat().st_mtime > ABANDONED:
                shutil.rmtree(path)


def _move(made: Path, target: Path, old: Path) -> None:
    """Renames the new folder to `target`, which replaces an incomplete one; if another process was faster, its libraries are kept."""
    try:
        if os.path.lexists(target) and not _whole(target):
            target.rename(old)
        made.rename(target)
    except OSError:
        if not _whole(target):
            raise


def _fingerprint() -> str:
    digest = hashlib.sha256()
    for path in sorted(SOURCES.glob("*.[ch]")):
        digest.update(path.read_bytes())
    return f"virtual-device-{digest.hexdigest()[:16]}"


def _compiler() -> str:
    for name in (os.environ.get("CC", ""), "cc", "gcc", "clang"):
        found = shutil.which(name) if name else None
        if found:
            return found
    raise CannotBuild("no C compiler was found", help="install gcc or clang, or set CC")


def _compile(compiler: str, library: Path, sources: tuple[str, ...], flags: tuple[str, ...]) -> None:
    command = [compiler, *FLAGS, "-o", str(library), *(str(SOURCES / s) for s in sources), *flags]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise CannotBuild(f"{library.name} of the simulated device could not be built:\n{done.stderr.strip()[-2000:]}")

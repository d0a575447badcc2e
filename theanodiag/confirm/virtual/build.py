"""Builds the libraries of the simulated device with the machine's C compiler."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from ...errors import TheanodiagError

SOURCES = Path(__file__).parent / "src"
FLAGS = ("-O2", "-fPIC", "-shared", "-Wall", "-Wextra")
HIDDEN = ("-fvisibility=hidden",)
PARTS = {
    "libcuda.so.1": (("settings.c", "memory.c", "device.c"), (*HIDDEN, "-Wl,-soname,libcuda.so.1", "-lpthread")),
    "libnvrtc.so": (("nvrtc.c",), HIDDEN),
    "libcublas.so": (("cublas.c",), HIDDEN),
    "libclient.so": (("client.c",), ("-ldl", "-lpthread")),
}
"""Library -> its sources, and flags of its own."""


class CannotBuild(TheanodiagError):
    """There is no C compiler, or it does not take the sources."""


@dataclass(frozen=True)
class Libraries:
    """A folder with the built libraries."""

    folder: Path

    @property
    def client(self) -> Path:
        """The library that stands before libgpuarray."""
        return self.folder / "libclient.so"


def build(folder: Path) -> Libraries:
    """The libraries below `folder`, built unless these very sources were; raises `CannotBuild`."""
    target = folder / _fingerprint()
    if not target.is_dir():
        compiler = _compiler()
        unfinished = Path(f"{target}.{os.getpid()}")
        unfinished.mkdir(parents=True)
        for name, (sources, flags) in PARTS.items():
            _compile(compiler, unfinished / name, sources, flags)
        (unfinished / "libcuda.so").symlink_to("libcuda.so.1")
        _move(unfinished, target)
    return Libraries(target)


def _move(unfinished: Path, target: Path) -> None:
    """All at once; where another process was faster, its libraries are as good."""
    try:
        unfinished.rename(target)
    except OSError:
        shutil.rmtree(unfinished)


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

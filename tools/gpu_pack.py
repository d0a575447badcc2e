"""Packs what a GPU machine without a network needs for `gpu_trial.py --bring FOLDER`.

    python tools/gpu_pack.py FOLDER [--modern 3.12 [--modern-only]] [--has PACKAGE]...     (needs apt-get of Debian 12, and pip)

ours/: what theanodiag imports; debs/: CPython 3.11, pygpu, libgpuarray, headers; legacy/: wheels of Theano 1.0.5 and numpy (it runs
without SciPy); modern/: PyTensor for the machine's own Python, which has torch or JAX already. The driver, libnvrtc and libcublas are the
machine's own.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

DEBS = (
    "python3.11-minimal", "libpython3.11-minimal", "libpython3.11-stdlib", "python3.11", "libpython3.11", "libpython3.11-dev",
    "python3-distutils", "python3-pygpu", "python3-mako", "python3-markupsafe", "libgpuarray3", "libgpuarray-dev", "libexpat1", "libssl3",
    "libffi8", "zlib1g",
)  # fmt: skip
OWN = "3.12"
"""The machine's own Python, where --modern does not say it."""
LEGACY = ("numpy==1.23.5", "six", "setuptools==69.5.1")
MODERN = (
    "pytensor", "numba", "llvmlite", "cons", "etuples", "logical-unification", "minikanren", "multipledispatch", "toolz", "filelock",
    "setuptools",
)  # fmt: skip
OURS = ("click", "msgspec", "rich", "sortedcontainers", "markdown-it-py", "mdurl", "pygments", "nvidia-ml-py")


def download(folder: Path, version: str, packages: tuple[str, ...], how: tuple[str, str] = ("download", "-d")) -> None:
    """Wheels for CPython `version` on Linux, without what they need in turn."""
    command, into = how
    where = ["--python-version", version, "--implementation", "cp", "--only-binary=:all:", "--no-deps", into, str(folder)]
    platforms = [f"--platform=manylinux_2_{n}_x86_64" for n in (17, 24, 27, 28)] + ["--platform=manylinux2014_x86_64"]
    subprocess.run([sys.executable, "-m", "pip", "-q", command, *where, *platforms, *packages], check=True)


def main(argv: list[str]) -> int:
    """Packs, and says how large it is."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("--modern", metavar="VERSION", help="the machine's own Python, such as 3.12")
    parser.add_argument("--modern-only", action="store_true", help="without Debian's part, where both are too large together")
    parser.add_argument("--has", metavar="PACKAGE", action="append", default=[], help="one that the machine's own Python has already")
    args = parser.parse_args(argv)
    folder = Path(args.folder).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    download(folder / "ours", args.modern or OWN, ("--no-compile", *OURS), ("install", "--target"))
    if not args.modern_only:
        (folder / "debs").mkdir(exist_ok=True)
        subprocess.run(["apt-get", "-qq", "download", *DEBS], cwd=folder / "debs", check=True)
        download(folder / "legacy", "3.11", LEGACY)
        subprocess.run([sys.executable, "-m", "pip", "-q", "wheel", "--no-deps", "-w", str(folder / "legacy"), "Theano==1.0.5"], check=True)
    if args.modern:
        download(folder / "modern", args.modern, tuple(name for name in MODERN if name not in args.has))
    print(f"{folder}: {sum(p.stat().st_size for p in folder.rglob('*') if p.is_file()) / 2**20:.0f} MiB")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

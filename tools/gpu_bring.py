"""Brings up interpreters out of a folder that `gpu_pack.py` made, without a network and without installing anything."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WRAPPER = """#!/bin/sh
# CPython out of Debian's packages, wherever they were unpacked.
P={prefix}
L=$P/usr/lib/x86_64-linux-gnu:$P/usr/lib
export PYTHONHOME=$P/usr PYTHONPATH={site}:$P/usr/lib/python3/dist-packages${{PYTHONPATH:+:$PYTHONPATH}}
export LD_LIBRARY_PATH=$L${{LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}} LIBRARY_PATH=$L CPATH=$P/usr/include:$P/usr/include/python3.11
exec $P/usr/bin/python3.11 "$@"
"""
SCAN_IN_PYTHON = "import sys; sys.modules.setdefault('theano.scan_module.scan_perform_ext', None)\n"
"""Theano's own scan_perform.c does not compile on CPython 3.11: Scan then runs its loop in Python, with the same allocations."""


def bring_up(folder: Path, where: Path) -> list[str]:
    """Unpacks below `where`; the interpreters: one with Theano and pygpu, and this machine's own with PyTensor beside it."""
    made = []
    if list(folder.glob("debs/*.deb")):
        made.append(legacy(folder, where / "legacy"))
    if list(folder.glob("modern/*.whl")):
        made.append(modern(folder, where / "modern"))
    return made


def legacy(folder: Path, where: Path) -> str:
    """Debian's CPython 3.11 with pygpu, and Theano 1.0.5 out of wheels."""
    prefix, site = where / "root", where / "site"
    prefix.mkdir(parents=True)
    for deb in sorted(folder.glob("debs/*.deb")):
        subprocess.run(["dpkg-deb", "-x", str(deb), str(prefix)], check=True)
    unpack(sorted(folder.glob("legacy/*.whl")), site)
    (site / "sitecustomize.py").write_text(SCAN_IN_PYTHON)
    config = site / "numpy" / "distutils" / "__config__.py"
    config.write_text(config.read_text() + "\nif 'blas_opt_info' not in globals():\n    blas_opt_info = {}\n")
    return wrapper(where / "python", WRAPPER.format(prefix=prefix, site=site))


def modern(folder: Path, where: Path) -> str:
    """The interpreter that runs us, with what it lacks out of wheels; what it has (torch, JAX, numpy) stays in front."""
    unpack(sorted(folder.glob("modern/*.whl")), where / "site")
    add = f"import sys; sys.path.append({str(where / 'site')!r})\n"
    hook = where / "hook"
    hook.mkdir()
    (hook / "sitecustomize.py").write_text(add)
    text = f'#!/bin/sh\nexport PYTHONPATH={hook}${{PYTHONPATH:+:$PYTHONPATH}}\nexec {sys.executable} "$@"\n'
    return wrapper(where / "python", text)


def unpack(wheels: list[Path], site: Path) -> None:
    """A wheel is a zip file of what goes beside the other packages."""
    site.mkdir(parents=True)
    for wheel in wheels:
        subprocess.run([sys.executable, "-m", "zipfile", "-e", str(wheel), str(site)], check=True)


def wrapper(path: Path, text: str) -> str:
    """A program that starts an interpreter."""
    path.write_text(text)
    os.chmod(path, 0o755)
    return str(path)

"""Runs short programs of ours in other interpreters without importing anything from the current folder.

A file `json.py` or `platform.py` there would replace the standard library's: a program given with `-c` has the current folder first on its
path, and so has an empty or relative entry of PYTHONPATH. `-I` would keep both out, but also the user's site-packages and the absolute
entries of PYTHONPATH, which contain frameworks, and CPython 2.7 has no such option. Therefore such programs run in the root folder,
relative entries are removed from PYTHONPATH, and each program first cleans its path.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

FOLDER = os.path.abspath(os.sep)
"""The current folder of these programs."""
CLEAN = "import sys; sys.path[:] = [p for p in sys.path if p]\n"
"""First line of these programs: removes the current folder from the path. `sys` is built in, so its import is safe."""
_LEFT_OUT = ("PYTHONSTARTUP", "PYTHONINSPECT")


def command(python: str, program: str, env: Mapping[str, str]) -> list[str]:
    """The command that runs the program text `program` in the interpreter `python`, a path or a name on PATH."""
    return [located(python, env), "-c", CLEAN + program]


def located(python: str, env: Mapping[str, str]) -> str:
    """The absolute path of an interpreter; `python` unchanged where it is not found."""
    found = shutil.which(python, path=env.get("PATH"))
    return os.path.abspath(found) if found else python


def surroundings(env: Mapping[str, str]) -> dict[str, str]:
    """`env` without the settings that make Python import from the current folder."""
    kept = {k: v for k, v in env.items() if k not in _LEFT_OUT}
    if "PYTHONPATH" in kept:
        kept["PYTHONPATH"] = os.pathsep.join(p for p in kept["PYTHONPATH"].split(os.pathsep) if os.path.isabs(p))
    return kept

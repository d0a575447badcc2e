"""Asks interpreters questions of ours in such a way that nothing in the folder where the user stands is imported.

A file `json.py` or `platform.py` there would run in place of the standard library's: a program given with `-c` has the working folder
first on its path, and so has an empty or relative entry of PYTHONPATH. `-I` would keep both out, but also the user's own site-packages and
the absolute entries of PYTHONPATH, in which frameworks lie, and CPython 2.7 has no such option. So the working folder is the root, relative
entries are taken out of PYTHONPATH, and the first thing that a program does is to clean its path.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping

FOLDER = os.path.abspath(os.sep)
"""The working folder of every question."""
CLEAN = "import sys; sys.path[:] = [p for p in sys.path if p]\n"
"""Takes the working folder off the path: `sys` is built in, so that nothing is imported from it before."""
_LEFT_OUT = ("PYTHONSTARTUP", "PYTHONINSPECT")


def command(python: str, program: str, env: Mapping[str, str]) -> list[str]:
    """The command that runs the text `program` in the interpreter `python`, a path or a name on PATH."""
    return [located(python, env), "-c", CLEAN + program]


def located(python: str, env: Mapping[str, str]) -> str:
    """The absolute path of an interpreter, valid in any folder; its name as it is where there is none."""
    found = shutil.which(python, path=env.get("PATH"))
    return os.path.abspath(found) if found else python


def surroundings(env: Mapping[str, str]) -> dict[str, str]:
    """`env` without what makes Python import from the working folder."""
    kept = {k: v for k, v in env.items() if k not in _LEFT_OUT}
    if "PYTHONPATH" in kept:
        kept["PYTHONPATH"] = os.pathsep.join(p for p in kept["PYTHONPATH"].split(os.pathsep) if os.path.isabs(p))
    return kept

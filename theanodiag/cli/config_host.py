"""The machine, in the form that `flags` needs: disk, home folder, compiler."""

from __future__ import annotations

import json
import os
import shutil
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import files
from ..errors import UnreadableError
from ..flags.model import Host

KERNEL_FOLDERS = ("proc", "sys")
"""Folders in which nobody can create a folder, whatever their permissions say."""


@dataclass(frozen=True)
class RealDisk:
    """The file system, seen from one folder."""

    cwd: str

    def read(self, path: str) -> bytes | None:
        """The bytes of a file, or None if the libraries would find nothing to open. Raises `UnreadableError` if it is far too long."""
        full = os.path.join(self.cwd, path)
        there = os.path.isfile(full) and os.access(full, os.R_OK)
        return files.read(full, files.CONFIGURATION, help="name the right file") if there else None

    def exists(self, path: str) -> bool:
        """Whether there is a file or folder."""
        return os.path.exists(Path(self.cwd, path))

    def realpath(self, path: str) -> str:
        """The absolute path with links followed."""
        return os.path.realpath(Path(self.cwd, path))

    def program(self, name: str, search: str) -> bool:
        """Whether there is a program `name` that can be started, given the folders of `PATH`."""
        return shutil.which(name, path=search) is not None

    def unusable(self, path: str) -> str | None:
        """Why `path` cannot be the compiledir; None if it can. Source: Theano 1.0.5, configdefaults.py, filter_compiledir."""
        full = self.realpath(path)
        if os.access(full, os.F_OK):
            usable = os.path.isdir(full) and os.access(full, os.R_OK | os.W_OK | os.X_OK)
            return None if usable else f"compiledir '{full}' exists but you don't have read, write or listing permissions."
        above = next(p for p in Path(full).parents if os.path.exists(p))
        makeable = above.is_dir() and os.access(above, os.W_OK | os.X_OK) and full.split("/")[1] not in KERNEL_FOLDERS
        return None if makeable else f"Unable to create the compiledir directory '{full}'. Check the permissions."


def this_host(python: tuple[int, int]) -> Host:
    """This machine, for an interpreter of that version."""
    mac = sys.platform == "darwin"
    cxx = shutil.which("g++") or (shutil.which("clang++") if mac else None)
    home, disk = os.path.expanduser("~"), RealDisk(os.getcwd())
    return Host(platform=sys.platform, python=python, home=home, user_homes=accounts(), cxx=cxx or "", disk=disk)


def accounts() -> tuple[tuple[str, str], ...]:
    """The accounts of this machine and their homes; none on Windows."""
    try:
        import pwd
    except ImportError:
        return ()
    return tuple((entry.pw_name, entry.pw_dir) for entry in pwd.getpwall())


QUESTION = """
import json, os, platform, struct, sys
import numpy
print(json.dumps({"python": sys.version_info[:2], "platform": sys.platform, "home": os.path.expanduser("~"), "numpy": numpy.__version__,
  "facts": {"platform": platform.platform(), "processor": platform.processor(), "python_version": platform.python_version(),
  "release": platform.release(), "hostname": platform.node(), "numpy_version": numpy.__version__,
  "python_bitwidth": struct.calcsize("P") * 8, "python_int_bitwidth": struct.calcsize("l") * 8}}))
"""


def answer(path: str, question: str) -> Any:
    """The JSON that the interpreter at `path` prints in its last line when asked `question`. Raises `UnreadableError` if there is no
    such answer."""
    from ..processes import group  # only where an interpreter is named

    env = group.surroundings(os.environ)
    try:
        done = group.ask(group.command(path, question, env), env, 60)
    except OSError as error:
        message = f"the interpreter cannot be started: {error.strerror or error}"
        raise UnreadableError(message, path=path, help="name a Python interpreter that can be run") from error
    if done.returncode:
        reason = (done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no message"])[-1]
        raise UnreadableError(f"the interpreter does not answer: {reason}", path=path, help="it needs numpy, like the libraries themselves")
    try:
        return json.loads((done.stdout.strip().splitlines() or [b""])[-1])
    except ValueError:
        raise UnreadableError("this is not a Python interpreter", path=path, help="name a Python interpreter that can be run") from None


def ask_interpreter(path: str) -> Host:
    """The machine as the interpreter at `path` sees it. Raises `UnreadableError` where it cannot be started or has no numpy."""
    reply = answer(path, QUESTION)
    facts = {name: str(value) for name, value in reply["facts"].items()}
    facts["short_platform"] = short_platform(facts.pop("release"), facts["platform"])
    python = (int(reply["python"][0]), int(reply["python"][1]))
    return replace(this_host(python), platform=reply["platform"], home=reply["home"], facts=tuple(facts.items()))


def short_platform(release: str, platform: str) -> str:
    """The platform without what changes at each kernel update: `Linux-6.1-cloud-x86_64` (Theano 1.0.5, configdefaults.py, short_platform).

    >>> short_platform("6.1.0-13-amd64", "Linux-6.1.0-13-amd64-x86_64-with-glibc2.36")
    'Linux-6.1--amd64-x86_64-with-glibc2.36'
    """
    kernel, *rest = release.split("-")
    numbers = kernel.split(".")
    if not rest or len(numbers) < 3:
        return platform
    words = rest[0].split(".")
    while words and words[0].isdigit():
        words.pop(0)
    return platform.replace(release, "-".join([".".join(numbers[:2]), ".".join(words), *rest[1:]]))

"""Asks git about a repository that may be a stranger's: nothing that its configuration or its hooks name is started, nothing is written or
fetched."""

from __future__ import annotations

import functools
import os
import subprocess

from . import group

_SETTINGS = ("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.untrackedCache=false")
_ENVIRONMENT = {
    "GIT_ALLOW_PROTOCOL": "none",  # objects that a partial clone lacks are fetched by a program that its configuration names
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_TERMINAL_PROMPT": "0",
}
_KEPT = ("GIT_CONFIG", "GIT_EXEC_PATH")
"""Prefixes of the git variables of the user, which are kept; others, such as GIT_DIR in a hook, apply to one repository, which may be
another one.
"""


def run_git(folder: str, *words: str, seconds: float) -> subprocess.CompletedProcess[str]:
    """Runs `git WORDS` in a folder. Returns the completed process with its output.

    Filters (`filter.NAME.clean`) are disabled, so that files are compared unchanged. Raises OSError if git is not installed, does not
    answer within `seconds`, or a filter has a name with which it cannot be disabled.
    """
    listed = _run(folder, ("config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$"), (), seconds)
    keys = sorted({key for key in listed.stdout.split("\0") if key})
    for key in keys:
        if "=" in key:  # `-c` takes what follows for the value
            raise OSError(0, f"the filter {key} of its configuration cannot be left out")
    left_out = [f"{key}=" for key in keys] + [f"{key.rpartition('.')[0]}.required=false" for key in keys]
    return _run(folder, words, left_out, seconds)


def _run(folder: str, words: tuple[str, ...], settings: list[str] | tuple[()], seconds: float) -> subprocess.CompletedProcess[str]:
    options = [word for setting in (*_SETTINGS, *settings) for word in ("-c", setting)]
    env = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name.startswith(_KEPT)}
    command = ["git", *options, "-C", os.path.abspath(folder), *words]
    done = group.query(command, {**env, **_ENVIRONMENT}, seconds)
    return subprocess.CompletedProcess(command, done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))


def keeps(path: str) -> bool:
    """Returns whether git tracks the file `path` and would report its changes: the file is neither ignored nor marked as "assume
    unchanged".
    """
    real = os.path.realpath(path)
    top = repository(os.path.dirname(real))
    return top is not None and os.path.relpath(real, top) in _kept_files(top)


@functools.cache
def _kept_files(top: str) -> frozenset[str]:
    """The paths below the top of a repository that git lists as `H` (tracked, and not marked as unchanged); empty if git fails. Cached,
    because a port has many files.
    """
    try:
        rows = run_git(top, "ls-files", "-v", "-z", seconds=60).stdout.split("\0")
    except OSError:
        return frozenset()
    return frozenset(row[2:] for row in rows if row.startswith("H "))


@functools.cache
def repository(folder: str) -> str | None:
    """Returns the top folder of the innermost git repository (with a working tree) that contains `folder`, a real path; None if there is
    none.
    """
    if os.path.lexists(os.path.join(folder, ".git")):
        return folder
    above = os.path.dirname(folder)
    return None if above == folder else repository(above)

"""Runs one script of a scan through `check`, in a process of its own with limits, and says what came of it on each card."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from .. import files
from ..devices.naming import by_name
from ..errors import ExitCode
from ..inventory.model import CardRun, ScriptRun
from ..inventory.serial import run_json
from ..processes.group import run
from ..processes.guard import temporary
from ..processes.interpreter import find
from . import result_store

_LIMITED = 'ulimit -v "$1" && cd "$2" && shift 2 && exec "$@"'
_PACKAGE = Path(__file__).resolve().parents[2]
_TAIL = 4000
"""Characters of what a script said that are looked at for the reason of its failure."""


@dataclass(frozen=True)
class RunWish:
    """How scripts are run."""

    cards: tuple[str, ...] = ("none",)
    """Devices as `check --gpu` takes them, one column each."""
    python: str | None = None
    """The interpreter that runs the scripts; None: the one that runs theanodiag."""
    timeout: float = 120.0
    """Seconds for a script on one card."""
    memory_bytes: int = 8 << 30
    """Address space that a script's processes may have, each."""
    config: str | None = None
    """The configuration for these checks; None: none, since one beside a script is its author's, and can name a program to start."""
    arguments: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Command lines by pattern of the path (`train*.py`); the first pattern that matches counts."""

    def arguments_of(self, path: str) -> tuple[str, ...]:
        """The command line of a script."""
        return command_line(self.arguments, path)


def command_line(arguments: Mapping[str, tuple[str, ...]], path: str) -> tuple[str, ...]:
    """The words of the first pattern that the script's path matches; none where no pattern does."""
    return next((words for pattern, words in arguments.items() if fnmatch(path, pattern)), ())


def require(wish: RunWish, *, here: bool) -> None:
    """Raises, before any script is run, the error that each of them would end with; `here`: whether they run on this machine.

    That is `UsageError` for what is no card, `UnreadableError` for what is no interpreter.
    """
    for card in wish.cards:
        by_name(card)
    if here and wish.python is not None:
        find(wish.python, os.environ)


def sources_key(folder: Path) -> str:
    """A name for the texts of all sources in a folder."""
    near = sorted(folder.glob("*.py"))
    return result_store.key(*(files.read_plain(str(p), files.TEXT) for p in near if p.is_file() and p.stat().st_size <= files.TEXT))


def run_key(path: str, wish: RunWish, sources: str) -> str:
    """A name for all that decides how a script goes: the texts in its folder (`sources`, their name), interpreter, flags, and the wish."""
    flags = [f"{k}={v}" for k, v in sorted(os.environ.items()) if k.endswith(("_FLAGS", "THEANORC", "AESARARC", "PYTENSORRC"))]
    python = shutil.which(wish.python) if wish.python else sys.executable
    made = os.stat(python).st_mtime_ns if python and os.path.exists(python) else 0
    settings = files.read_plain(wish.config, files.TEXT) if wish.config else b""
    words = (path, *wish.cards, str(wish.timeout), str(wish.memory_bytes), *wish.arguments_of(path), str(python), str(made), *flags)
    return result_store.key("run", *words, sources, settings)


def run_script(path: str, wish: RunWish) -> dict[str, Any]:
    """The `ScriptRun` of one script as JSON values. Its folder for work is an empty one that goes away; where the system lets us, it has no
    network and sees no process but its own."""
    started, cards, outcome, reason = time.monotonic(), dict[str, CardRun](), "ran", ""
    for card in wish.cards:
        outcome, reason, found = _on(path, card, wish)
        if found is not None:
            cards[card] = found
        if outcome != "ran":
            break
    return run_json(ScriptRun(outcome, reason, round(time.monotonic() - started, 2), cards if outcome == "ran" else {}))


def _on(path: str, card: str, wish: RunWish) -> tuple[str, str, CardRun | None]:
    """The outcome on one card, the reason where it is not "ran", and the figures where there are any."""
    ours = [sys.executable, "-m", "theanodiag", "check", os.path.abspath(path), "--gpu", card, "--format", "json"]
    ours += ["--config", os.path.abspath(wish.config)] if wish.config else ["--isolated"]
    ours += ["--timeout", f"{wish.timeout:g}", *(["--python", shutil.which(wish.python) or wish.python] if wish.python else [])]
    words = wish.arguments_of(path)
    with temporary() as folder:
        work, said, told = folder / "work", folder / "out", folder / "err"
        work.mkdir()
        limited = ["/bin/sh", "-c", _LIMITED, "sh", str(wish.memory_bytes >> 10), str(work), *ours, *(["--", *words] if words else [])]
        env = {
            **os.environ,
            "TMPDIR": str(folder),
            "PYTHONPATH": os.pathsep.join([str(_PACKAGE), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
        }
        with said.open("wb") as out, told.open("wb") as err:
            ended = run([*_apart(), *limited], env, wish.timeout + 60, out.fileno(), err.fileno())
        text = files.read_plain(str(said), files.TEXT) if said.stat().st_size <= files.TEXT else b""
        last = _last_line(told)
    if ended.timed_out:
        return "timed out", f"after {wish.timeout:g} s", None
    try:
        document = json.loads(text)
        return _read(document, last)
    except (ValueError, KeyError, TypeError):
        if ended.returncode in (int(ExitCode.CLEAN), int(ExitCode.FINDINGS)):
            return "failed", "its report could not be read", None
        return "failed", last or f"ended with {ended.returncode}", None


def _read(document: dict[str, Any], last: str) -> tuple[str, str, CardRun | None]:
    """A report, or the error that stands in its place."""
    if "process" not in document:
        message = str(document["error"]["message"])
        return ("no framework" if "has no" in message and "imports" in message else "failed"), message, None
    end, process = document["script"], document["process"]
    reason = str(end["message"] or end["reason"] or last)
    if end["status"] == "timeout":
        return "timed out", reason, None
    if end["status"] in ("raised", "killed") or (end["status"] == "exited" and end["exit_code"]):
        return ("out of memory" if "MemoryError" in reason else "failed"), reason, None
    return "ran", "", CardRun(process["fits"], process["reserved_peak_bytes"] if document["functions"] else None)


def _last_line(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        lines = file.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1][:300] if lines else ""


_NAMESPACES = (("--net", "--pid", "--fork", "--kill-child", "--mount-proc"), ("--net",))
"""What a script gets of its own, best first: with its own process ids it can neither see nor end the processes of others."""


@functools.cache
def _apart() -> tuple[str, ...]:
    """The command in front that takes network and other processes away, as far as the system's user namespaces allow; empty elsewhere."""
    for kinds in _NAMESPACES:
        command = ("unshare", "--user", "--map-current-user", *kinds, "--")
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if subprocess.run([*command, "true"], capture_output=True, timeout=10, check=False).returncode == 0:
                return command
    return ()

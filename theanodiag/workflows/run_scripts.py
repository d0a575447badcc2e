"""Runs one script of a scan under `check`, in its own process with limits, and reports the result for each card."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from .. import files
from ..errors import ExitCode
from ..findings import Finding
from ..inventory.model import CardRun, ScriptRun
from ..processes.group import command as program
from ..processes.group import run, temporary
from ..processes.interpreter import find
from ..report.v1.common import builtins, convert
from ..report.v1.scan import RunV1
from ..report.v1.short import ErrorV1
from ..requests import RunRequest
from . import result_store

_LIMITED = 'ulimit -v "$1" && cd "$2" && shift 2 && exec "$@"'
_PACKAGE = str(Path(__file__).resolve().parents[2])
_OURS = f"""if {_PACKAGE!r} not in sys.path:
    sys.path.insert(0, {_PACKAGE!r})
from theanodiag.cli.start import main
sys.exit(main())
"""
"""The command line from anywhere. No variable says where it is: the script's interpreter would import all that is installed beside us."""
_TAIL = 4000
"""Number of characters of a script's output searched for the reason of its failure."""


def require(request: RunRequest, *, here: bool) -> None:
    """Checks, before any script is run, that the interpreter exists; raises `UnreadableError` if not. `here`: whether scripts run on
    this machine."""
    if here and request.check.python is not None:
        find(request.check.python, os.environ)


def sources_key(folder: Path) -> str:
    """A hash of all sources in a folder."""
    near = sorted(folder.glob("*.py"))
    return result_store.key(*(files.read_plain(str(p), files.TEXT) for p in near if p.is_file() and p.stat().st_size <= files.TEXT))


def run_key(path: str, request: RunRequest, sources: str) -> str:
    """A hash of everything that decides the result of running a script: sources in its folder (`sources`, their hash), interpreter,
    flags, request."""
    flags = [f"{k}={v}" for k, v in sorted(os.environ.items()) if k.endswith(("_FLAGS", "THEANORC", "AESARARC", "PYTENSORRC"))]
    name = request.check.python
    python = shutil.which(name) if name else sys.executable
    modified = os.stat(python).st_mtime_ns if python and os.path.exists(python) else 0
    settings = files.read_plain(request.config, files.TEXT) if request.config else b""
    return result_store.key("run", *request.key(path), str(python), str(modified), *flags, sources, settings)


def run_script(path: str, request: RunRequest) -> dict[str, Any]:
    """The `ScriptRun` of one script as JSON values. It runs in an empty temporary folder; where the system allows, it has no network
    access and sees no other processes."""
    started, cards, outcome, reason = time.monotonic(), dict[str, CardRun](), "ran", ""
    findings: tuple[Finding, ...] = ()
    for card in request.cards:
        outcome, reason, answer = _on(path, card, request)
        if answer is not None:
            cards[card] = answer.card
            findings = tuple(dict.fromkeys((*findings, *answer.findings)))
        if outcome != "ran":
            break
    known = cards if outcome == "ran" else {}
    return builtins(RunV1.of(ScriptRun(outcome, reason, round(time.monotonic() - started, 2), known, findings)))


@dataclass(frozen=True)
class _Answer:
    """The result of a report for one script on one card."""

    card: CardRun
    findings: tuple[Finding, ...]


def _on(path: str, card: str, request: RunRequest) -> tuple[str, str, _Answer | None]:
    """(outcome on one card, the reason unless it is "ran", facts from the report if there is one)."""
    check = request.of(path, card)
    if check.python is not None:
        check = dataclasses.replace(check, python=shutil.which(check.python) or check.python)
    of_file = ("--config", os.path.abspath(request.config)) if request.config else ("--isolated",)
    ours = [*program(sys.executable, _OURS, os.environ), "check", "--format", "json", *of_file, *check.words()]
    with temporary() as folder:
        work, out_path, err_path = folder / "work", folder / "out", folder / "err"
        work.mkdir()
        where = str(work) if request.sandboxed else os.getcwd()
        limit = "unlimited" if request.memory_bytes is None else str(request.memory_bytes >> 10)
        command = ["/bin/sh", "-c", _LIMITED, "sh", limit, where, *ours]
        env = {**os.environ, "TMPDIR": str(folder)}
        with out_path.open("wb") as out, err_path.open("wb") as err:
            most = None if check.timeout is None else check.timeout + 60
            ended = run([*(_apart() if request.sandboxed else ()), *command], env, most, out.fileno(), err.fileno())
        text = files.read_plain(str(out_path), files.TEXT) if out_path.stat().st_size <= files.TEXT else b""
        last = _last_line(err_path)
    if ended.timed_out:
        return "timed out", f"after {check.timeout:g} s", None
    try:
        return _read(json.loads(text), last, (check.path, path))
    except ValueError:
        if ended.returncode in (int(ExitCode.CLEAN), int(ExitCode.FINDINGS)):
            return "failed", "its report could not be read", None
        return "failed", last or f"ended with {ended.returncode}", None


ERRORS = {"framework-missing": "no framework"}
"""Error code -> outcome of a script whose check ended with this error; any other code means "failed"."""
ENDS = {"ran": "ran", "failed": "failed", "out-of-memory": "out of memory", "timeout": "timed out"}
"""Outcome of a script in a report -> its outcome in a scan."""


def _read(document: dict[str, Any], last: str, names: tuple[str, str]) -> tuple[str, str, _Answer | None]:
    """(outcome, message, answer) from a JSON document, a report or an error; `names` are the given path and the path to show."""
    if "process" not in document:
        error = convert(document, ErrorV1).error
        return ERRORS.get(error.code, "failed"), error.message, None
    from ..report.v1.report import ReportV1  # all that a report may have: only for scripts that are run

    report = convert(document, ReportV1)
    end, process = report.script, report.process
    outcome = ENDS[end.outcome]
    if outcome != "ran":
        return outcome, end.message or end.reason or last, None
    card = CardRun(process.fits, process.reserved_peak_bytes if report.functions else None, process.verdict)
    return "ran", "", _Answer(card, tuple(_shown(row.finding(row.notes), *names) for row in report.findings))


def _shown(finding: Finding, script: str, shown: str) -> Finding:
    """A finding about the script with its path as it is to be shown."""
    return replace(finding, location=replace(finding.location, path=shown)) if finding.location.path == script else finding


def _last_line(path: Path) -> str:
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - _TAIL))
        lines = file.read().decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("  |").strip()[:300] if lines else ""


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

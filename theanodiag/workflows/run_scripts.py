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
from ..confirmation import calibration
from ..confirmation.host_memory import memory_bytes
from ..errors import ExitCode
from ..findings import Finding
from ..flags.model import Dialect
from ..processes.group import command as program
from ..processes.group import query, run, surroundings, temporary
from ..processes.interpreter import find
from ..report.v1.common import builtins, convert
from ..report.v1.scan import RunV1
from ..report.v1.short import ErrorV1
from ..requests import RunRequest
from ..scanned_files.model import CardRun, ScriptRun
from . import result_store
from .source_files import LEFT_OUT

_LIMITED = 'ulimit -v "$1" && cd "$2" && shift 2 && exec "$@"'
_PACKAGE = str(Path(__file__).resolve().parents[2])
_OURS = f"""if {_PACKAGE!r} not in sys.path:
    sys.path.insert(0, {_PACKAGE!r})
from theanodiag.cli.start import main
sys.exit(main())
"""
"""Program that starts our command line wherever it runs. No variable says where the package is: the script's interpreter would import all
that is installed beside us.
"""
_TAIL = 4000
"""Number of characters of a script's output searched for the reason of its failure."""


def require(request: RunRequest, *, here: bool) -> None:
    """Checks that the interpreter exists, before any script is run. Raises `UnreadableError` if not. `here`: whether scripts run on this
    machine.
    """
    if here and request.check.python is not None:
        find(request.check.python, os.environ, request.check.timeout)


MOST = 5_000
"""Maximum number of sources, and of folders, that are read to decide whether a stored result may be used."""


def sources_key(folder: Path) -> str:
    """Returns a hash of the names and contents of all sources in and below a folder, which its scripts may import. With more than `MOST`
    sources or folders, returns a value that never occurs again, so that no stored result is used.
    """
    parts: list[str | bytes] = []
    seen: set[str] = set()
    for here, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(here)
        folders[:] = () if real in seen else sorted(name for name in folders if name not in LEFT_OUT)
        seen.add(real)
        if max(len(seen), len(parts) // 2) > MOST:
            return result_store.key(os.urandom(16))
        for path in (os.path.join(here, name) for name in sorted(names) if name.endswith((".py", ".ipynb"))):
            parts.append(os.path.relpath(path, folder))
            with contextlib.suppress(OSError, ValueError):  # one that cannot be read is not imported either
                parts.append(files.read_plain(path, files.TEXT))
    return result_store.key(*parts)


_VARIABLES = ("PYTHON", "THEANO", "AESARA", "PYTENSOR", "XLA_", "JAX_", "CUDA_", "NVIDIA_", "PYTORCH_", "LD_", "HOME", "XDG_CONFIG_HOME")
"""Prefixes of the names of environment variables that affect a framework, or where it looks for files."""
_INSTALLED = """import json, os, sys
rows = [[path, sorted(name for name in os.listdir(path) if name != "__pycache__")] for path in sys.path if os.path.isdir(path)]
print(json.dumps(rows))
"""


def machine_key(request: RunRequest) -> str:
    """Returns a hash of what affects the results of all scripts besides their sources: the interpreter with the names of the packages
    installed in it, environment variables, the user's rc files and measured devices, and the memory of this machine.
    """
    variables = [f"{k}={v}" for k, v in sorted(os.environ.items()) if k.startswith(_VARIABLES) or k.endswith("_FLAGS")]
    name = request.check.python
    python = shutil.which(name) if name else sys.executable
    modified = os.stat(python).st_mtime_ns if python and os.path.exists(python) else 0
    named = [os.environ.get(d.rc_variable, f"~/.{d.value}rc").split(os.pathsep) for d in Dialect]
    read = [os.path.expanduser(path) for paths in named for path in paths if path] + [str(calibration.path(os.environ))]
    contents = [part for path in (*read, *filter(None, (request.config,))) for part in (path, _content(path))]
    return result_store.key("machine", str(python), str(modified), _installed(python), *variables, str(memory_bytes()), *contents)


def _installed(python: str | None) -> bytes:
    """The names of the installed packages in the folders from which an interpreter imports; they differ after a package is installed
    anew.
    """
    if python is None:
        return b""
    env = surroundings(os.environ)
    try:
        return query(program(python, _INSTALLED, env), env, 60).stdout
    except OSError:
        return b""


def _content(path: str) -> bytes:
    try:
        return files.read_plain(path, files.TEXT)
    except (OSError, ValueError):
        return b""


def run_key(path: str, request: RunRequest, sources: str, machine: str) -> str:
    """Returns a hash of everything that decides the result of running a script: the request, and the hashes `sources_key` and
    `machine_key`.
    """
    return result_store.key("run", *request.key(path), sources, machine)


def run_script(path: str, request: RunRequest) -> dict[str, Any]:
    """Runs one script under `check`. Returns its `ScriptRun` as JSON values. The script runs in an empty temporary folder; if the system
    allows, it has no network access and sees no other processes.
    """
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
        python = shutil.which(check.python)
        check = dataclasses.replace(check, python=os.path.abspath(python) if python else check.python)  # it runs in another folder
    of_file = ("--config", os.path.abspath(request.config)) if request.config else ("--isolated",)
    ours = [*program(sys.executable, _OURS, os.environ), "check", "--format", "json", *of_file, *check.as_arguments()]
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


ENDS = {"ran": "ran", "failed": "failed", "out-of-memory": "out of memory", "timeout": "timed out"}
"""Outcome of a script in a report -> its outcome in a scan."""


def _read(document: dict[str, Any], last: str, names: tuple[str, str]) -> tuple[str, str, _Answer | None]:
    """(outcome, message, answer) from a JSON document, a report or an error; `names` are the given path and the path to show."""
    if "process" not in document:
        error = convert(document, ErrorV1).error
        of_source = error.line is not None  # such as Python 2: the help says what to do about it
        reason = f"line {error.line}: {error.message}; {error.help}" if of_source and error.help else error.message
        return "no framework" if error.code == "framework-missing" else "failed", reason, None
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
    """The command prefix that isolates a process from the network and from other processes, as far as the system's user namespaces allow;
    empty where they do not.
    """
    for kinds in _NAMESPACES:
        command = ("unshare", "--user", "--map-current-user", *kinds, "--")
        with contextlib.suppress(OSError, subprocess.TimeoutExpired):
            if subprocess.run([*command, "true"], capture_output=True, timeout=10, check=False).returncode == 0:
                return command
    return ()

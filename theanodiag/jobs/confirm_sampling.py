"""`check --confirm pymc`: samples for real, but few draws, three times, and extrapolates by draws beside the prediction."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from ..errors import UsageError
from ..processes import interpreter as interpreters
from ..processes.group import run
from ..processes.guard import temporary
from ..processes.interpreter import AGENT
from ..report.model import Report
from ..requests import CheckRequest
from ..samplers.trial import lengths, trial

INSTRUMENT = AGENT / "measure" / "pymc_memory.py"


def confirm(request: CheckRequest, report: Report) -> Report:
    """The report on the script of `request` with what short runs say of each call of `pymc.sample`.

    Raises UsageError where there is no such call, or the system does not tell what a process holds (it has no /proc).
    """
    if not Path("/proc/self/smaps_rollup").exists():
        raise UsageError("--confirm pymc reads what processes hold from /proc, which this system lacks", help="run it on Linux")
    asked = [c for c in report.sampling if c.profile.call.kind == "sample"]
    if not asked:
        raise UsageError(
            "--confirm pymc is about calls of pymc.sample, and the script made none",
            help="--confirm alone runs functions",
            option="confirm",
        )
    sizes = [lengths(c.profile.call, c.functions) for c in asked]
    measured: list[list[tuple[int, int]]] = [[] for _ in asked]
    failures: list[str] = []
    for k in range(max(map(len, sizes))):
        chosen = [row[min(k, len(row) - 1)] for row in sizes]
        rows, failure = _measured(request, report.target.interpreter, chosen)
        failures += [failure] if failure else []
        for n, row in enumerate(rows[: len(asked)]):
            peak = row.get("peak")
            if "failed" not in row and isinstance(peak, int) and len(measured[n]) == k:
                measured[n].append((chosen[n][0], peak))
    why = failures[0] if failures else None
    told = [replace(c, trial=trial(c.profile.call, c.functions, m, why)) for c, m in zip(asked, measured)]
    by_number = {c.profile.call.number: c for c in told}
    return replace(report, sampling=tuple(by_number.get(c.profile.call.number, c) for c in report.sampling))


def _measured(request: CheckRequest, interpreter: str, sizes: Sequence[tuple[int, int]]) -> tuple[list[dict[str, object]], str | None]:
    """The rows of the calls of `pymc.sample` in one run, and how it ended if not well."""
    with temporary() as folder, open(os.devnull, "wb") as nowhere:
        python = interpreters.find(interpreter, os.environ)
        out = folder / "rows"
        command = [python.path, str(INSTRUMENT), str(out), json.dumps(sizes), request.path, *request.args]
        outcome = run(command, {**os.environ, "TMPDIR": str(folder)}, request.timeout, nowhere.fileno(), nowhere.fileno())
        text = out.read_text() if out.exists() else ""
    rows = [row for row in map(json.loads, text.splitlines()) if row.get("kind") == "sample"]
    if outcome.timed_out:
        return rows, f"a run was ended after {request.timeout:g} s: --timeout gives it more"
    return rows, f"a run ended with status {outcome.returncode}" if outcome.returncode else None

"""FileFacts as JSON values and back: for the report `scan/v1`, and for the store of earlier results."""

from __future__ import annotations

from typing import Any

from ..findings import Confidence, Disposition, Finding, Fix, Location, Severity
from .model import CardRun, FileFacts, Kind, NameCounts, ScriptRun, State


def facts_json(f: FileFacts) -> dict[str, Any]:
    """One file of `scan/v1`."""
    return {
        "path": f.path,
        "kind": f.kind.value,
        "state": f.state.value,
        "reason": f.reason,
        "lines": f.lines,
        "python": f.python,
        "frameworks": list(f.frameworks),
        "releases": f.releases,
        "gpu": f.gpu,
        "names": {"safe": f.names.safe, "unsafe": f.names.unsafe, "by_hand": f.names.by_hand},
        "findings": list(map(finding_json, f.findings)),
        "run": None if f.run is None else run_json(f.run),
    }


def run_json(r: ScriptRun) -> dict[str, Any]:
    """How a script went."""
    cards = {name: {"fits": c.fits, "peak_bytes": c.peak_bytes, "verdict": c.verdict} for name, c in r.cards.items()}
    return {"outcome": r.outcome, "reason": r.reason, "seconds": r.seconds, "cards": cards, "findings": list(map(finding_json, r.findings))}


def facts_from(d: dict[str, Any]) -> FileFacts:
    """What `facts_json` wrote. Raises KeyError, TypeError or ValueError for anything else."""
    run = d["run"]
    return FileFacts(
        str(d["path"]), Kind(d["kind"]), State(d["state"]), str(d["reason"]), int(d["lines"]),
        None if d["python"] is None else int(d["python"]), tuple(map(str, d["frameworks"])), str(d["releases"]), bool(d["gpu"]),
        NameCounts(int(d["names"]["safe"]), int(d["names"]["unsafe"]), int(d["names"]["by_hand"])),
        tuple(finding_from(x) for x in d["findings"]), None if run is None else run_from(run),
    )  # fmt: skip


def run_from(d: dict[str, Any]) -> ScriptRun:
    """What `run_json` wrote; raises as `facts_from`."""
    cards = {str(name): CardRun(c["fits"], c["peak_bytes"], str(c["verdict"])) for name, c in d["cards"].items()}
    return ScriptRun(str(d["outcome"]), str(d["reason"]), float(d["seconds"]), cards, tuple(map(finding_from, d["findings"])))


def finding_json(x: Finding) -> dict[str, Any]:
    """A finding, as reports have it."""
    return {**x.described(), "notes": list(x.notes)}


def finding_from(d: dict[str, Any]) -> Finding:
    """What `finding_json` wrote; raises as `facts_from`."""
    place, fix = d["location"], d["fix"]
    return Finding(
        str(d["code"]), Severity[d["severity"].upper()], Confidence[d["confidence"].upper()], str(d["message"]),
        Location(str(place["path"]), place["line"], place["column"], place["detail"]),
        fix and Fix(str(fix["title"]), Disposition(fix["disposition"]), fix["code"]), notes=tuple(map(str, d["notes"])),
    )  # fmt: skip

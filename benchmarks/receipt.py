"""Receipts: what a real run measured beside what was predicted, kept as JSON below `receipts/`."""

from __future__ import annotations

import json
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCHEMA = "theanodiag/receipt/v1"
FOLDER = Path(__file__).parent / "receipts"
MEMORY = (
    "live_before_bytes", "live_peak_bytes", "live_after_bytes", "reserved_bytes",
    "arguments_bytes", "outputs_bytes", "xla_arguments_bytes", "xla_outputs_bytes",
)  # fmt: skip
"""Figures of a call that are predicted and compared."""


@dataclass(frozen=True)
class Run:
    """One script on one device."""

    model: str
    """Path below the project's folder."""
    seconds: float
    confirmation: Mapping[str, Any] | None
    """As in the JSON report; None where nothing was confirmed."""
    reason: str | None = None
    """Why nothing was, or how the script ended."""

    def errors(self) -> Iterator[tuple[str, int, float | None]]:
        """(figure, bytes predicted less measured, per cent) of each figure of each call that is known on both sides."""
        for function in (self.confirmation or {}).get("functions", ()):
            for call in function["calls"]:
                for v in call:
                    if v["name"] in MEMORY and v["error_bytes"] is not None:
                        yield v["name"], v["error_bytes"], v["error_percent"]

    @property
    def nodes(self) -> tuple[int, int]:
        """(nodes compared, those whose live bytes are exact)."""
        rows = [f["nodes"] for f in (self.confirmation or {}).get("functions", ()) if "compared" in f["nodes"]]
        return sum(r["compared"] for r in rows), sum(r["equal"] for r in rows)


@dataclass(frozen=True)
class Receipt:
    """All runs on one device."""

    date: str
    """YYYY-MM-DD."""
    kind: str
    """`cuda`, `virtual`, `opencl`, `jax`, `torch` or `cpu`."""
    real_gpu: bool
    """Whether a GPU computed."""
    device: Mapping[str, Any]
    """As in the JSON report."""
    driver: Mapping[str, Any] | None
    versions: Mapping[str, str]
    """Of theanodiag, of the framework and what it runs on."""
    overhead: Mapping[str, Any] | None
    """What the driver takes for itself, where it was measured."""
    runs: tuple[Run, ...]

    @property
    def median_percent(self) -> float | None:
        """The median of the errors in per cent, without their signs; None where nothing was compared."""
        rates = [abs(percent) for run in self.runs for _, _, percent in run.errors() if percent is not None]
        return statistics.median(rates) if rates else None

    @property
    def under(self) -> tuple[tuple[str, str, int], ...]:
        """Under-estimates: (model, figure, bytes)."""
        return tuple((run.model, name, -error) for run in self.runs for name, error, _ in run.errors() if error < 0)


def document(r: Receipt) -> dict[str, Any]:
    """The JSON object."""
    runs = [{"model": x.model, "seconds": round(x.seconds, 2), "confirmation": x.confirmation, "reason": x.reason} for x in r.runs]
    return {
        "schema": SCHEMA, "date": r.date, "kind": r.kind, "real_gpu": r.real_gpu, "device": r.device, "driver": r.driver,
        "versions": dict(r.versions), "overhead": r.overhead, "runs": runs,
    }  # fmt: skip


def parse(text: str) -> Receipt:
    """A receipt; raises ValueError where it is none of this schema."""
    data = json.loads(text)
    if not isinstance(data, dict) or data.get("schema") != SCHEMA:
        raise ValueError(f"not a receipt of the schema {SCHEMA}")
    try:
        runs = tuple(Run(x["model"], float(x["seconds"]), x["confirmation"], x["reason"]) for x in data["runs"])
        return Receipt(
            data["date"], data["kind"], data["real_gpu"], data["device"], data["driver"], data["versions"], data["overhead"], runs
        )
    except (KeyError, TypeError) as error:
        raise ValueError(f"a receipt without {error}") from error


def read_all(folder: Path = FOLDER) -> tuple[tuple[str, Receipt], ...]:
    """All receipts with their files' names, in the order of the names."""
    return tuple((p.name, parse(p.read_text(encoding="utf-8"))) for p in sorted(folder.glob("*.json")))


def write(r: Receipt, folder: Path, name: str) -> Path:
    """Writes one."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(document(r), indent=1) + "\n", encoding="utf-8")
    return path


def summary(runs: Sequence[Run]) -> str:
    """One line about some runs."""
    compared = [error for run in runs for _, error, _ in run.errors()]
    return f"{len(compared)} figures compared, {sum(not e for e in compared)} exact, {sum(e < 0 for e in compared)} too low"

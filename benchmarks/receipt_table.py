"""The page of all receipts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from .receipt import Receipt, Run

HEAD = """# Receipts

A *receipt* is a file with predicted and measured bytes of scripts on one device; `python tools/gpu_trial.py` writes it to
`benchmarks/receipts/`. This page has a table for each receipt. Its columns:

- *figures*: the number of figures compared. A figure is a function's live bytes before a call, at its peak or after it, or the bytes taken
  from the driver. For JAX and torch the figures are the arguments and results, and for JAX also XLA's own analysis of them.
- *exact*: the figures that are equal to the byte. *Too low*: the figures whose prediction was lower than the measurement.
- *nodes exact*: the nodes of the graph after which the predicted and the measured bytes are equal.
"""
MEANINGS = {
    "cuda": "Live bytes are libgpuarray's own figures; reserved bytes are its requests to the driver.",
    "virtual": "Array sizes are real, but kernels compute no numbers.",
    "opencl": "On OpenCL kernels compute numbers. libgpuarray has no cache there, so reserved bytes are equal to live bytes.",
    "jax": "The predictions are XLA's own assignment of buffers, made before the run.",
    "torch": "Only arguments and results are compared: `--confirm torch` predicts no temporaries.",
}
NO_GPU = """**No receipt is from a GPU yet.** Those below are from the simulated CUDA driver (true sizes, no numbers), from OpenCL on the
CPU (real kernels) and from compilers on the CPU. On a machine with an NVIDIA GPU one call adds `cuda` (Theano through pygpu), `jax` and
`torch`: `python tools/gpu_trial.py`; what it needs can be brought along in one folder, made by `python tools/gpu_pack.py FOLDER`.
"""


def page(receipts: Sequence[tuple[str, Receipt]]) -> str:
    """All of it, as Markdown."""
    parts = [HEAD] + ([] if any(r.real_gpu for _, r in receipts) else [NO_GPU])
    for name, receipt in receipts:
        parts.append("\n".join(_section(name, receipt)) + "\n")
    return "\n".join(parts)


def _section(name: str, r: Receipt) -> Iterator[str]:
    device = str(r.device.get("line", "")).partition(": ")[0]
    yield f"## {r.kind}: {device}"
    yield ""
    versions = ", ".join(f"{k} {v}" for k, v in r.versions.items())
    driver = "" if r.driver is None else f"; driver {r.driver['version']}, CUDA {r.driver['cuda'][0]}.{r.driver['cuda'][1]}"
    where = "on a GPU" if r.real_gpu else "without a GPU"
    yield f"This table is made from `benchmarks/receipts/{name}`, measured on {r.date} {where} ({versions}{driver})."
    yield ""
    if r.kind in MEANINGS:
        yield MEANINGS[r.kind]
        yield ""
    if r.overhead is not None:
        yield f"The driver takes {r.overhead['context_bytes']} bytes for its context, and {r.overhead['blas_bytes']} more for cuBLAS."
        yield ""
    own = _driver(r)
    if own is not None:
        yield own
        yield ""
    yield "| script | figures | exact | too low | largest error | nodes exact | |"
    yield "|---|---:|---:|---:|---:|---:|---|"
    yield from (_row(run) for run in r.runs)
    yield ""
    median = "Nothing was compared" if r.median_percent is None else f"The median error is {r.median_percent:.2f} %"
    yield f"{median}; {len(r.under) or 'no'} prediction{'s were' if len(r.under) > 1 else ' was'} too low."


def _driver(r: Receipt) -> str | None:
    """What the driver took for itself in the runs; None if it was not measured."""
    rows = [{f["name"]: f["measured"] for f in (run.confirmation or {}).get("process", ())} for run in r.runs]  # type: ignore[attr-defined]
    opened = sorted({row["context_bytes"] for row in rows if row.get("context_bytes")})
    more = sorted({row["driver_bytes"] for row in rows if row.get("driver_bytes") is not None})
    if not opened or not more:
        return None
    return f"The driver takes {_from_to(opened)} bytes when the device is opened, and {_from_to(more)} more for kernels and cuBLAS."


def _from_to(values: Sequence[int]) -> str:
    return str(values[0]) if values[0] == values[-1] else f"{values[0]} to {values[-1]}"


def _row(run: Run) -> str:
    errors = [error for _, error, _ in run.errors()]
    largest = max(errors, key=abs, default=None)
    compared, equal = run.nodes
    cells = [
        run.model, str(len(errors)), str(sum(not e for e in errors)), str(sum(e < 0 for e in errors)),
        "" if largest is None else f"{largest:+d}" if largest else "0", f"{equal} of {compared}" if compared else "", _reason(run),
    ]  # fmt: skip
    return f"| {' | '.join(cells)} |"


def _reason(run: Run) -> str:
    text = (run.reason or "").replace("|", "/")
    return text if len(text) < 120 else f"{text[:117]}..."

"""Live peaks and reserved bytes of whole training functions: the prediction beside the real Theano on the simulated device."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest

from theanodiag.confirmation.simulated_cuda import VirtualDevice
from theanodiag.units import GIB

from ..interpreters import THOROUGH
from .stand.predict import predicted
from .stand.run import MODELS, real_calls

SMALL = VirtualDevice()
FIRST = 3
"""So many calls of a function are recorded in any case (`--max-calls`)."""
FLAGS = ("", "allow_gc=False", "gpuarray.preallocate=-1")
PEAKS = {
    "mlp": (2509376, 2522944, 2509092),
    "conv": (5909952, 7167168, 5909084),
    "lstm": (1720064, 2631424, 1718994),
    "embed": (1397696, 1500480, 1397524),
    "embed_dense": (2677760, 2780544, 2677528),
}
"""Live peaks for each of FLAGS, as they were first measured."""


Row = tuple[int, int, int]
"""Live before, live peak and reserved bytes of a call."""


def by_function(rows: Iterable[tuple[int, Row]]) -> dict[int, list[Row]]:
    """The calls of each function."""
    found: dict[int, list[Row]] = {}
    for function, row in rows:
        found.setdefault(function, []).append(row)
    return found


def both(name: str, flags: str, folder: Path, device: VirtualDevice = SMALL) -> tuple[dict[int, list[Row]], dict[int, list[Row]]]:
    """The calls of a model as predicted, and as they were, and the highest figures of all calls of each function."""
    real = by_function((r.function, (r.before, r.peak, r.reserved)) for r in real_calls(MODELS / f"{name}.py", folder, flags, device))
    calls = predicted(MODELS / f"{name}.py", flags, device).calls
    mine = {k: [(f.live_before_bytes, f.live_peak_bytes, f.reserved_bytes) for f in rows] for k, rows in calls.items()}
    seen = {k: _seen(mine.get(k, []), rows) for k, rows in real.items()}
    return {k: [*rows, _highest(rows)] for k, rows in mine.items()}, {k: [*rows, _highest(real[k])] for k, rows in seen.items()}


def _seen(mine: list[Row], real: list[Row]) -> list[Row]:
    """The real calls that are predicted: the first ones, then those later ones, in their order, that the prediction tells of."""
    rest = iter(real[FIRST:])
    return [*real[:FIRST], *(row for row in mine[FIRST:] if row in rest)]


def _highest(rows: list[Row]) -> Row:
    return max(r[0] for r in rows), max(r[1] for r in rows), max(r[2] for r in rows)


QUICK = ("mlp", "conv")
PAIRS = [pytest.param(n, f, marks=() if n in QUICK or not f else THOROUGH) for n in PEAKS for f in FLAGS]


@pytest.mark.parametrize(("name", "flags"), PAIRS)
def test_every_call_is_exact(name: str, flags: str, tmp_path: Path) -> None:
    """Live bytes before, the live peak, and what the driver gave: no byte of difference in any call."""
    mine, real = both(name, flags, tmp_path)
    assert mine == real
    assert max(peak for rows in real.values() for _, peak, _ in rows) == PEAKS[name][FLAGS.index(flags)]


MORE_FLAGS = ["", *(pytest.param(f, marks=THOROUGH) for f in ("allow_gc=False", "gpuarray.preallocate=0.25"))]
LARGER = (
    "gru",
    "dropout_adam",
    "rbm",
    "norm_conv",
    "branches",
    "autoencoder",
    "gan",
    "bilstm",
    "lenet",
    "updates",
    "hmm",
    "factor",
    "vae",
    "word2vec",
    "attention",
    "batchnorm",
)
SCRIPTS = ["held", "dropped", *(pytest.param(n, marks=THOROUGH) for n in LARGER)]


@pytest.mark.parametrize("flags", MORE_FLAGS)
@pytest.mark.parametrize("name", SCRIPTS)
def test_whole_scripts_are_exact(name: str, flags: str, tmp_path: Path) -> None:
    """Several functions on one allocator, in the order of the script."""
    mine, real = both(name, flags, tmp_path)
    assert mine == real


@THOROUGH
@pytest.mark.parametrize("name", ["sda", "logistic", "life", "images", "kinds", "transformer", "indexing"])
def test_peaks_are_exact_where_some_calls_bring_no_news(name: str, tmp_path: Path) -> None:
    """Minibatches of which the last is smaller, and functions that are copied: the highest figures of each function."""
    real = by_function((r.function, (r.before, r.peak, r.reserved)) for r in real_calls(MODELS / f"{name}.py", tmp_path, "", SMALL))
    calls = predicted(MODELS / f"{name}.py", "", SMALL).calls
    mine = {k: (max(f.live_peak_bytes for f in rows), max(f.reserved_bytes for f in rows)) for k, rows in calls.items()}
    assert mine == {k: (max(row[1] for row in rows), max(row[2] for row in rows)) for k, rows in real.items()}


@THOROUGH
def test_vgg16_is_exact(tmp_path: Path) -> None:
    """360 nodes, 138 million weights, sixteen images: a second call that takes one block more."""
    mine, real = both("vgg16", "", tmp_path, VirtualDevice(16 * GIB, keep_contents=False))
    assert mine == real

"""Live peaks and reserved bytes of whole training functions: the prediction beside the real Theano on the simulated device."""

from __future__ import annotations

from pathlib import Path

import pytest

from .stand.predict import figures, predicted
from .stand.run import MODELS, real_calls

FLAGS = ("", "allow_gc=False", "gpuarray.preallocate=-1")
PEAKS = {
    "mlp": (2509376, 2522944, 2509092),
    "conv": (5909952, 7167168, 5909084),
    "lstm": (1720064, 2631424, 1718994),
    "embed": (1397696, 1500480, 1397524),
    "embed_dense": (2677760, 2780544, 2677528),
}
"""Live peaks for each of FLAGS, as they were first measured."""


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("name", PEAKS)
def test_every_call_is_exact(name: str, flags: str, tmp_path: Path) -> None:
    """Live bytes before, the live peak, and what the driver gave: no byte of difference in any call."""
    real = real_calls(MODELS / f"{name}.py", tmp_path, flags)
    mine = figures(predicted(MODELS / f"{name}.py", flags))
    assert [(f.live_before_bytes, f.live_peak_bytes, f.reserved_bytes) for f in mine] == [(r.before, r.peak, r.reserved) for r in real]
    assert max(r.peak for r in real) == PEAKS[name][FLAGS.index(flags)]

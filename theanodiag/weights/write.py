"""Writes arrays in formats that hold nothing but arrays."""

from __future__ import annotations

import io
from collections.abc import Sequence

from .collect import Weight
from .unpickler import needed

FORMATS = ("npz", "safetensors")
"""What `--to` takes; the name is the suffix too."""


def encoded(weights: Sequence[Weight], to: str) -> bytes:
    """A file of the format `to` with the arrays under their names."""
    numpy = needed("numpy")
    arrays = {w.name: numpy.ascontiguousarray(w.array).reshape(w.array.shape) for w in weights}
    if to == "safetensors":
        return bytes(needed("safetensors.numpy").save(arrays))
    file = io.BytesIO()
    numpy.savez(file, **{name.replace("/", "|"): array for name, array in arrays.items()})
    return file.getvalue()

"""The shape rules of all families of Ops, in one registry."""

from __future__ import annotations

from . import (
    conv,
    conv3d_legacy,
    creation,
    elementwise,
    fourier,
    indexing,
    inner,
    linalg,
    nnet,
    products,
    randoms,
    selecting,
    sparse,
    transfers,
)
from .registry import Registry

FAMILIES = (
    elementwise, products, indexing, creation, nnet, conv, randoms, selecting, linalg, inner, transfers, fourier, sparse,
    conv3d_legacy,
)  # fmt: skip
"""The modules with shape rules, one for each family of Ops; each has a `RULES`."""


def _filled() -> Registry:
    registry = Registry()
    for family in FAMILIES:
        registry.add(family.RULES)
    registry.add_ending("RV", randoms.random_variable)
    registry.add_none(transfers.NO_ARRAYS, "their outputs are no arrays")
    return registry


REGISTRY = _filled()
"""The registry of shape rules, by the class names of Ops."""

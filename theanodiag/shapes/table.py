"""The registry with all families in it."""

from __future__ import annotations

from . import (
    advanced,
    conv,
    creation,
    elemwise,
    indexing,
    inner,
    joining,
    linalg,
    nnet,
    pool,
    products,
    randoms,
    reductions,
    selecting,
    transfers,
)  # fmt: skip
from .registry import Registry

FAMILIES = (
    elemwise, reductions, products, indexing, advanced, joining, creation, nnet, conv, pool, randoms, selecting, linalg, inner, transfers,
)  # fmt: skip


def _filled() -> Registry:
    registry = Registry()
    for family in FAMILIES:
        registry.add(family.RULES)
    registry.add_ending("RV", randoms.random_variable)
    registry.add_none(transfers.NO_ARRAYS, "their outputs are no arrays")
    return registry


REGISTRY = _filled()

"""The registry with all families in it."""

from __future__ import annotations

from . import (
    advanced,
    conv,
    counting,
    creation,
    elemwise,
    fourier,
    indexing,
    inner,
    joining,
    linalg,
    nnet,
    pool,
    products,
    randoms,
    recurrent,
    reductions,
    selecting,
    solvers,
    sparse,
    transfers,
    video,
)  # fmt: skip
from .registry import Registry

FAMILIES = (
    elemwise, reductions, products, indexing, advanced, joining, creation, nnet, conv, pool, randoms, selecting, linalg, inner, transfers,
    counting, fourier, recurrent, solvers, sparse, video,
)  # fmt: skip


def _filled() -> Registry:
    registry = Registry()
    for family in FAMILIES:
        registry.add(family.RULES)
    registry.add_ending("RV", randoms.random_variable)
    registry.add_none(transfers.NO_ARRAYS, "their outputs are no arrays")
    return registry


REGISTRY = _filled()

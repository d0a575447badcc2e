"""All entries by name. An Op without an entry has the facts that most have."""

from __future__ import annotations

from . import control, creation, elementwise, indexing, linalg, nnet, products, randoms, sparse, transfers
from .model import OpInfo

FAMILIES = (control, creation, elementwise, indexing, linalg, nnet, products, randoms, sparse, transfers)
UNKNOWN = OpInfo("")


def by_name() -> dict[str, OpInfo]:
    """The entries of all families; raises ValueError where a name has two."""
    found: dict[str, OpInfo] = {}
    for family in FAMILIES:
        for op in family.OPS:
            if op.name in found:
                raise ValueError(f"{op.name} has an entry already")
            found[op.name] = op
    return found


class _Entries(dict[str, OpInfo]):
    """The entries by every name that they were asked for: a name with `Gpu` in front has an entry of its own, or that without."""

    def __missing__(self, name: str) -> OpInfo:
        found = self.get(name.removeprefix("Gpu"))
        if found is None:
            return UNKNOWN  # not kept: names come from texts without end
        self[name] = found
        return found


op_info = _Entries(by_name()).__getitem__
"""The facts of the Ops of a class, by its name."""

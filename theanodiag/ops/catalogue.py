"""All entries of the catalogue by class name; Ops without an entry get the defaults of `OpInfo`."""

from __future__ import annotations

from . import control, creation, elementwise, indexing, linalg, nnet, products, randoms, sparse, transfers
from .model import OpInfo

FAMILIES = (control, creation, elementwise, indexing, linalg, nnet, products, randoms, sparse, transfers)
"""The modules with entries, one for each family of Ops; each has an `OPS`."""
UNKNOWN = OpInfo("")
"""The entry of Ops that the catalogue does not list: the defaults."""


def by_name() -> dict[str, OpInfo]:
    """The entries of all families by class name; raises ValueError where a name has two."""
    found: dict[str, OpInfo] = {}
    for family in FAMILIES:
        for op in family.OPS:
            if op.name in found:
                raise ValueError(f"{op.name} has an entry already")
            found[op.name] = op
    return found


class _Entries(dict[str, OpInfo]):
    """Entries by name; a name that starts with `Gpu` and has no entry of its own gets that of the name without it."""

    def __missing__(self, name: str) -> OpInfo:
        found = self.get(name.removeprefix("Gpu"))
        if found is None:
            return UNKNOWN  # not cached: texts may contain any number of names
        self[name] = found
        return found


op_info = _Entries(by_name()).__getitem__
"""The facts of an Op class, by its class name."""

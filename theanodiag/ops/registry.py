"""All entries of the catalogue by class name; Ops without an entry get the defaults of `OpSpec`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from . import control, conv, creation, elementwise, fourier, indexing, linalg, nnet, products, randoms, sorting_cumsum, sparse, transfers
from .parameters import Params
from .spec import OpSpec

FAMILIES = (control, conv, creation, elementwise, fourier, indexing, linalg, nnet, products, randoms, sorting_cumsum, sparse, transfers)
"""The modules with entries, one for each family of Ops; each has an `OPS`."""
UNKNOWN = OpSpec("")
"""The entry for Ops that the catalogue does not list: the defaults."""
ENDING = "RV"
"""The ending of the names that the entry `*RV` stands for: PyTensor has a class for each distribution."""


def by_name() -> dict[str, OpSpec]:
    """Returns the entries of all families by class name. Raises ValueError if two have the same name."""
    entries: dict[str, OpSpec] = {}
    for family in FAMILIES:
        for op in family.OPS:
            if op.name in entries:
                raise ValueError(f"{op.name} has an entry already")
            entries[op.name] = op
    return entries


_OWN = by_name()


class _Entries(dict[str, OpSpec]):
    """Entries by class name; a name that starts with `Gpu` and has no entry of its own gets that of the name without it."""

    def __missing__(self, name: str) -> OpSpec:
        entry = _OWN.get(name.removeprefix("Gpu"))
        if entry is None:  # not cached: texts may contain any number of names
            return _OWN[f"*{ENDING}"] if name.endswith(ENDING) else UNKNOWN
        self[name] = entry.on_gpu
        return self[name]


op_info = _Entries(_OWN).__getitem__
"""The catalogue's entry for a class of Ops, by class name; for an unknown class the default entry."""
PRINTED_AS: dict[str, tuple[str, Params]] = {word: (op.name, params) for op in _OWN.values() for word, params in op.printed_as.items()}
"""Name of an Op as printed, if that is not its class name -> (class name, parameters that the printed name implies)."""


def is_buffer(variable: int, maker: Callable[[int], tuple[str, Sequence[int]] | None]) -> bool:
    """Returns whether a Variable is a buffer that was made for a Scan to write into, or a subtensor of such a buffer.

    `maker` is a function of a Variable: it returns the pair (class of the Op that computes the Variable, inputs of that Op), or None for a
    Variable without an owner.
    """
    for _ in range(3):
        owner = maker(variable)
        if owner is None or not op_info(owner[0]).part_of_input or not owner[1]:
            return owner is not None and op_info(owner[0]).fills_scan_buffer
        variable = owner[1][0]
    return False


def with_shape_rule() -> tuple[str, ...]:
    """Returns the names of all classes with a shape rule, sorted. A name also covers the GPU version of the class (prefix `Gpu`); `*RV`
    covers all classes whose name ends in `RV`.
    """
    own = {name: op for name, op in _OWN.items() if not name.startswith("Gpu") and name.endswith(ENDING) == name.startswith("*")}
    return tuple(sorted(name for name, op in own.items() if op.shape is not None))

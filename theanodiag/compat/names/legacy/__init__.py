"""The public names of all releases of Theano from 0.6 to 1.0.5, of Aesara 2.9.4 and of PyTensor 2.18, 2.31, 2.38, 3.0 and 3.3.

Made by tools/legacy_names.py, which says what counts as public.
"""

import os
from typing import Dict, List, NamedTuple, Optional, Set, Tuple

_FOLDER = os.path.dirname(os.path.abspath(__file__))


class LegacyName(NamedTuple):
    """In which releases a name exists, and where it comes from."""

    series: str
    """Release series that have it: `0.6-1.0`, or `0.6,0.7`."""
    origin: str
    """Full name, without the root, under which its module imported it; empty where the module defines it."""


LAST = {"theano": "1.0", "aesara": "2.9", "pytensor": "3.3"}
"""Framework -> its last release series."""
Table = Dict[str, Dict[str, LegacyName]]
"""Module -> name -> LegacyName."""
_read: Dict[str, Table] = {}


def table(root: str) -> Table:
    """Module (without the root) -> name -> LegacyName for `theano`, `aesara` or `pytensor`; the file is read once."""
    if root not in _read:
        with open(os.path.join(_FOLDER, root + ".txt"), encoding="utf-8") as file:
            _read[root] = _parsed(file.read().splitlines())
    return _read[root]


def _parsed(lines: List[str]) -> Table:
    table: Table = {}
    for line in lines:
        module, series, *names = line.split()
        place = names.pop(0)[1:] if names[0].startswith("<") else None
        held = table.setdefault("" if module == "." else module, {})
        for name in names:
            name, _, other = name.partition("=")
            held[name] = LegacyName(series, "" if place is None else (other or name) if place == "." else place + "." + (other or name))
    return table


def known(root: str, name: str) -> Optional[LegacyName]:
    """LegacyName of `name` (dotted, without the root); None where no release has it."""
    module, _, last = name.rpartition(".")
    return table(root).get(module, {}).get(last)


def of_last_release(root: str, module: str) -> Set[str]:
    """Names that `module` has in the last release of `root`."""
    return {name for name, row in table(root).get(module, {}).items() if row.series.endswith(LAST[root])}


def origin(root: str, name: str) -> Tuple[str, ...]:
    """Names through which `name` was imported, from module to module, the one that defines it last."""
    origins: List[str] = []
    while True:
        row = known(root, origins[-1] if origins else name)
        if row is None or not row.origin or row.origin in origins or row.origin == name:
            return tuple(origins)
        origins.append(row.origin)

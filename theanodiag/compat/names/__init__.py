"""The API table: the names in Aesara and in PyTensor for names of Theano or Aesara, and what to write if there is none.

Names have no root package: `tensor.inv` stands for `theano.tensor.inv` and `aesara.tensor.inv`. A name that is not listed has the same name
in the target. This package has only data and pure functions, which the rest of theanodiag uses too. Sources: Theano 1.0.5; Aesara 2.9.4;
PyTensor 2.8.11, 2.18.6, 2.38.3, 3.0.7 and 3.3.7 (their public names, compared).
"""

from typing import Dict, List, Optional, Tuple

from .counterparts import ROWS, Row
from .modules import MODULES, Module

ROOTS = ("theano", "aesara", "pytensor")
"""The frameworks, by the packages that hold them."""
ORIGINS = ROOTS[:2]
"""Frameworks that a script may import though they are not installed."""
TARGETS = ROOTS[1:]
"""Frameworks that may be installed in their place, closest first."""
_MODULES = {module.old: module for module in MODULES}


def version_key(version: str) -> Tuple[int, ...]:
    """Returns the leading numbers of a version as a tuple, for comparison."""
    key: List[int] = []
    for part in version.split("."):
        if not part.isdigit():
            break
        key.append(int(part))
    return tuple(key)


def holds(versions: str, version: Optional[str]) -> bool:
    """Returns whether `version` is within the range `versions` (`>=a`, `<b`, or both with a comma); None counts as the newest version."""
    if not versions or version is None:
        return not versions or ">=" in versions
    key = version_key(version)
    parts = [part.strip() for part in versions.split(",")]
    return all(key >= version_key(p[2:]) if p.startswith(">=") else key < version_key(p[1:]) for p in parts)


def _index() -> Dict[str, List[Row]]:
    """Old name -> its rows."""
    table: Dict[str, List[Row]] = {}
    for row in ROWS:
        table.setdefault(row.old, []).append(row)
    return table


_ROWS = _index()


def module(old: str) -> Optional[Module]:
    """Returns the row of the module `old` (without the root), or None."""
    return _MODULES.get(old)


def canonical(old: str) -> str:
    """Returns the dotted name under which `old` is listed: `tensor.nnet.nnet.softmax` is listed as `tensor.nnet.softmax`."""
    parent, _, name = old.rpartition(".")
    row = _MODULES.get(parent)
    where = row.names if row and row.names else parent
    return where + "." + name if where else name


def lookup(old: str, target: str, version: Optional[str] = None, origin: str = "theano") -> Optional[Row]:
    """Returns the row of `old` (without the root) for `target`; None if the name is the same there."""
    for name in (old, canonical(old)):
        for row in _ROWS.get(name, ()):
            if row.target in ("*", target) and row.origin in ("", origin) and holds(row.versions, version):
                return row
    return None


def removed(old: str, target: str) -> Optional[Module]:
    """Returns the row of the module that is or contains `old`, if `target` has no part of that module; else None."""
    parts = old.split(".")
    for end in range(len(parts), 0, -1):
        row = _MODULES.get(".".join(parts[:end]))
        if row:
            return row if not row.places[target] else None
    return None


def advice(row: Row, target: str) -> str:
    """Returns what to write in `target` instead of the old name of `row`."""
    same = row.old if row.new[:1] in ("=", "+") else row.new
    return row.help.replace("{}", target) if row.help else target + "." + same

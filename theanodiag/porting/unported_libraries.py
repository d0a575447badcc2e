"""Libraries on top of Theano whose names are not ported: importing one next to ported names would mix two frameworks in one file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from ..compat.names import ROOTS
from .model import NOWHERE, Around, Safety
from .session import PortSession
from .syntax import Node, dotted, listed, statements, symbols

_PYMC3 = "PyMC3 computes with Theano: move its calls to PyMC 5 or newer, which computes with PyTensor"
_KERAS = "Keras up to 2.3 computes with Theano, later ones do not: `theanodiag run` runs the script as it is; or write it for one of today"
_MOVE = "{0} computes with Theano: move its own sources first (theanodiag port .../{0}); `theanodiag run` runs the script as it is"
_OVER_PYMC3 = "{0} computes with PyMC3: move to its release for PyMC 5 first"

ADVICE: Mapping[str, str] = {
    "pymc3": _PYMC3,
    "keras": _KERAS,
    **{
        name: _MOVE.format(name)
        for name in (
            "lasagne", "blocks", "pylearn2", "nolearn", "theanets", "parmesan", "agentnet", "treeano", "deepy", "passage", "breze",
            "sklearn_theano", "theano_lstm", "theanolm", "neupy", "downhill", "opendeep", "seya", "keras_contrib", "mozi", "dagbldr",
            "cle", "platoon", "smartlearner", "lasagnekit", "groundhog", "recurrentshop", "crino", "morb", "nntools",
        )
    },
    **{name: _OVER_PYMC3.format(name) for name in ("exoplanet", "pymc3_ext", "pymc3_models", "gelato", "pymc_learn", "pmlearn")},
}  # fmt: skip
"""Package -> what to port or install first."""
TEXT = re.compile(rf"^[ \t]*(?:from|import)[ \t]+(?:{'|'.join(n for n in ADVICE if n != 'keras')})\b", re.M)
"""Matches an import of such a library in a source without a framework of its own; Keras alone may use another back-end."""


def note(session: PortSession, around: Around = NOWHERE) -> None:
    """Reports the first import of each such library, to be ported by hand, unless its source is in the folder of this source or a parent
    folder.
    """
    noted: set[str] = set()
    for place, name in _imported(session):
        moved = name == "pymc3" and session.options.target == "pytensor"
        if name in ADVICE and name not in noted and name not in around.above and not moved:
            noted.add(name)
            why = f"it stays, and {name} does not compute with {session.options.target}"
            session.note(place, None, name, Safety.BY_HAND, why, ADVICE[name])


def _imported(session: PortSession) -> Iterator[tuple[Node, str]]:
    """Yields (node that names it, top-level package) for each import."""
    sym = symbols()
    for statement in statements(session.tree.root):
        if statement.type == sym.import_from:
            parts = [statement.children[1]]
        else:
            parts = listed(statement.children[1], sym.dotted_as_names)
        for part in parts:
            whole = part.children[0] if part.children and part.type == sym.dotted_as_name else part
            root = dotted(whole).partition(".")[0]
            if root and root not in ROOTS:
                yield whole, root

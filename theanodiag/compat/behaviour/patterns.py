"""Makes rewrites that match a pattern of nested operations work where the package `packaging` is not installed.

PyTensor before 3.3 matches patterns with etuples, which imports `packaging` without requiring it, and without it leaves out, in silence,
what matches a pattern inside another one (etuples 0.3.10, etuples/dispatch.py). No stabilising rewrite then applies: `log(sigmoid(-1000))`
is -inf.
"""

import importlib
import sys
from types import ModuleType


def apply(origin: str) -> None:
    """Loads the matching rules of etuples again, with a stand-in for `packaging`, if they could not be loaded the first time because
    `packaging` is missing.
    """
    dispatch = sys.modules.get("etuples.dispatch")
    if dispatch is None or hasattr(dispatch, "_unify_ExpressionTuple"):
        return
    packaging = ModuleType("packaging")
    packaging.version = ModuleType("packaging.version")  # type: ignore[attr-defined]
    packaging.version.parse = lambda text: tuple(int(part) for part in text.split(".")[:2])  # type: ignore[attr-defined]
    sys.modules["packaging"] = packaging
    try:
        importlib.reload(dispatch)
    finally:
        del sys.modules["packaging"]

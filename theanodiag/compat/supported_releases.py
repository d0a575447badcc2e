"""The releases of PyTensor that can replace Theano. The tests run with the oldest and the newest of them."""

import sys
from importlib.machinery import ModuleSpec
from typing import Any, Iterable, Optional, Tuple

OLDEST = (3, 0)
"""Before it Ops have other methods for gradients, and a quarter of the modules that are needed have other names."""
NEWEST = (3, 3)
"""The newest minor release that the tests run on."""


def installed_release(package: str) -> Tuple[int, ...]:
    """Returns the version of an installed package as integers, such as (3, 0, 7), without importing it; () if unknown."""
    try:
        from importlib.metadata import PackageNotFoundError, version
    except ImportError:  # CPython 3.7
        return ()
    try:
        parts = version(package).split(".")[:3]
    except PackageNotFoundError:
        return ()
    return tuple(int(part) for part in parts if part.isdigit())


def refusal(target: str) -> str:
    """Returns why the framework `target` cannot replace Theano, as `what|what to do`; "" if it can."""
    release = installed_release("pytensor") if target == "pytensor" else ()
    if not release or release[:2] >= OLDEST:
        return ""
    what = "PyTensor {} is too old to replace Theano: {} or newer is needed".format(_dotted(release), _dotted(OLDEST))
    if sys.version_info >= (3, 11):
        return what + "|pip install 'pytensor>={}' there, or name another interpreter with --python".format(_dotted(OLDEST))
    here = _dotted(sys.version_info[:2])
    return what + "|there is none for Python {}: name an interpreter of Python 3.11 or newer with --python, or install aesara there".format(
        here
    )


def untried(target: str) -> str:
    """Returns the message that the framework `target` is newer than all tested releases; "" if it is not."""
    release = installed_release("pytensor") if target == "pytensor" else ()
    return "not tested with anything newer than {}".format(_dotted(NEWEST)) if release[:2] > NEWEST else ""


def names_alone(target: str) -> str:
    """Returns the message that the framework `target` is so old that only names are mapped, which is enough for PyMC3's models; "" if it is
    not.
    """
    return "its names only: enough for PyMC3 models, but not for Theano's functions" if refusal(target) else ""


def _dotted(release: Iterable[int]) -> str:
    return ".".join(map(str, release))


class RefusingFinder:
    """An import finder that reports why `names` cannot be imported, instead of their merely being missing."""

    def __init__(self, names: Iterable[str], why: str) -> None:
        self.names = frozenset(names)
        self.why = why

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        """Raises ImportError for the names; None for all others."""
        if name in self.names:
            raise ImportError(self.why.replace("|", "; "), name=name)
        return None

"""Serves `theano.gof.utils` from pytensor.graph.utils and pytensor.utils, and functions that PyTensor removed."""

import os
from functools import wraps
from typing import Any, Callable, Dict, Iterable, List
from warnings import warn

from pytensor.graph.utils import MetaObject as object2
from pytensor.graph.utils import MetaType as MetaObject
from pytensor.graph.utils import MethodNotDefined, Scratchpad, add_tag_trace
from pytensor.utils import difference, flatten, from_return_values, hash_from_code, to_return_values, uniq

scratchpad = Scratchpad
undef = object()


def hashtype(self: Any) -> int:
    """Returns the hash of the name and module of the class of `self`."""
    return hash(type(self).__name__) ^ hash(type(self).__module__)


class D:
    """A record with the given attributes."""

    def __init__(self, **d: Any) -> None:
        self.__dict__.update(d)


def memoize(f: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a decorator that caches the results of `f` for each set of arguments."""
    known: Dict[Any, Any] = {}

    @wraps(f)
    def remembered(*args: Any, **kwargs: Any) -> Any:
        key = (args, tuple(kwargs.items()))
        if key not in known:
            known[key] = f(*args, **kwargs)
        return known[key]

    return remembered


def deprecated(filename: str, msg: str = "") -> Callable[..., Any]:
    """Returns a decorator that warns, at the first call only, that a function of `filename` is deprecated."""

    def decorate(f: Callable[..., Any]) -> Callable[..., Any]:
        warned: List[bool] = []

        @wraps(f)
        def g(*args: Any, **kwargs: Any) -> Any:
            if not warned:
                warned.append(True)
                warn("WARNING %s.%s deprecated. %s" % (filename, f.__name__, msg), stacklevel=2)
            return f(*args, **kwargs)

        return g

    return decorate


def unique(x: Any) -> bool:
    """Returns whether all elements of `x` are different."""
    return len(set(x)) == len(x)


def hist(coll: Iterable[Any]) -> Dict[Any, int]:
    """Returns a mapping: element -> number of its occurrences."""
    counts: Dict[Any, int] = {}
    for element in coll:
        counts[element] = counts.get(element, 0) + 1
    return counts


def remove(predicate: Callable[[Any], Any], coll: Iterable[Any]) -> List[Any]:
    """Elements for which `predicate` is false."""
    return [x for x in coll if not predicate(x)]


def give_variables_names(variables: Any) -> Any:
    """Gives a unique name to each Variable that has none or shares one. Returns `variables`.

    Raises ValueError if names still coincide.
    """
    names = hist([v.name for v in variables])
    nameless = [v for v in variables if not v.name or names[v.name] > 1]
    for i, variable in enumerate(nameless):
        variable.name = (variable.name or "") + "_%d" % i
    if not unique([str(v) for v in variables]):
        raise ValueError("Not all variables have unique names. Maybe you've named some of the variables identically")
    return variables


def toposort(prereqs_d: Dict[Any, Any]) -> List[Any]:
    """Returns the keys and prerequisites of `prereqs_d` (key -> its prerequisites) in topological order."""
    from graphlib import TopologicalSorter

    return list(TopologicalSorter(prereqs_d).static_order())


def hash_from_file(file_path: str) -> str:
    """Returns the hash of the content of a file."""
    with open(file_path, "rb") as file:
        return str(hash_from_code(file.read()))


def cpuCount() -> int:
    """Returns the number of logical processors; -1 if unknown."""
    return os.cpu_count() or -1

"""Serves `theano.compat`: names that Python 2 and 3 spell differently, in their Python 3 form."""

import configparser
import os
from collections import OrderedDict, deque
from collections.abc import Callable, Iterable, Mapping, ValuesView
from collections.abc import MutableMapping as DictMixin
from functools import cmp_to_key, partial, reduce
from importlib import reload
from io import BytesIO, StringIO
from itertools import combinations, product
from operator import truediv as operator_div
from sys import maxsize
from typing import Any, Iterator

__all__ = ["configparser"]
PY3 = True
PY2 = False
izip = zip
imap = map
ifilter = filter
next = next
all = all
any = any
defaultdict = __import__("collections").defaultdict
Counter = __import__("collections").Counter


def b(s: str) -> bytes:
    """Returns the bytes of the literal `s`, in Latin-1."""
    return s.encode("latin-1")


def maybe_add_to_os_environ_pathlist(var: str, newpath: str) -> None:
    """Prepends the absolute path `newpath` to the environment variable `var`, a list of folders, unless it is already listed."""
    if os.path.isabs(newpath):
        folders = os.environ.get(var, "").split(os.pathsep)
        if newpath not in folders:
            os.environ[var] = os.pathsep.join([newpath, *filter(None, folders)])


def exc_message(e: BaseException) -> Any:
    """Returns the message of an exception; of the innermost one if exceptions are nested as arguments."""
    message = e.args[0]
    return exc_message(message) if isinstance(message, Exception) else message


def cmp(x: Any, y: Any) -> int:
    """Returns -1, 0 or 1 if `x` is less than, equal to or greater than `y`."""
    return (x > y) - (x < y)


def get_unbound_function(unbound: Any) -> Any:
    """Returns the plain function of a method."""
    return getattr(unbound, "__func__", unbound)


def decode(x: Any) -> str:
    """Decodes the bytes `x`."""
    return str(x.decode())


def decode_with(x: Any, encoding: str) -> str:
    """Decodes the bytes `x` with `encoding`."""
    return str(x.decode(encoding))


def decode_iter(itr: Iterable[Any]) -> Iterator[str]:
    """Returns an iterator over the elements of `itr`, decoded from bytes."""
    return (x.decode() for x in itr)


class DefaultOrderedDict(OrderedDict):
    """An OrderedDict with a default factory for missing keys, like collections.defaultdict."""

    def __init__(self, default_factory: Any = None, *a: Any, **kw: Any) -> None:
        if default_factory is not None and not callable(default_factory):
            raise TypeError("first argument must be callable")
        super().__init__(*a, **kw)
        self.default_factory = default_factory

    def __missing__(self, key: Any) -> Any:
        if self.default_factory is None:
            raise KeyError(key)
        self[key] = value = self.default_factory()
        return value

    def __reduce__(self) -> Any:
        return type(self), (() if self.default_factory is None else (self.default_factory,)), None, None, iter(self.items())

    def copy(self) -> "DefaultOrderedDict":
        """Returns a shallow copy."""
        return self.__copy__()

    def __copy__(self) -> "DefaultOrderedDict":
        return type(self)(self.default_factory, self)

"""Serves `theano.compat.six` of Theano 0.6 and 0.7: the library six if it is installed, else the names that legacy scripts use."""

import functools
import io
import operator
import sys
import types
from typing import Any, Callable, Iterator

from . import moves

try:
    from six import *
except ImportError:
    PY2, PY3 = False, True
    string_types: Any = (str,)
    integer_types: Any = (int,)
    class_types: Any = (type,)
    text_type: Any = str
    binary_type: Any = bytes
    MAXSIZE = sys.maxsize
    StringIO, BytesIO = io.StringIO, io.BytesIO

    def iteritems(d: Any, **kw: Any) -> Iterator[Any]:
        """Returns an iterator over the items of the mapping `d`."""
        return iter(d.items(**kw))

    def iterkeys(d: Any, **kw: Any) -> Iterator[Any]:
        """Returns an iterator over the keys of the mapping `d`."""
        return iter(d.keys(**kw))

    def itervalues(d: Any, **kw: Any) -> Iterator[Any]:
        """Returns an iterator over the values of the mapping `d`."""
        return iter(d.values(**kw))

    def b(s: str) -> bytes:
        """Returns the bytes of the literal `s`, in Latin-1."""
        return s.encode("latin-1")

    def u(s: str) -> str:
        """Returns the literal `s` unchanged."""
        return s

    def reraise(tp: Any, value: Any, tb: Any = None) -> None:
        """Raises `value`, or a new `tp`, with the traceback `tb`."""
        raise (tp() if value is None else value).with_traceback(tb)

    def with_metaclass(meta: Any, *bases: Any) -> Any:
        """Returns a base class with the metaclass `meta`."""
        return meta("temporary_class", bases, {})

    def add_metaclass(metaclass: Any) -> Callable[[Any], Any]:
        """A class decorator that recreates the class with the metaclass `metaclass`."""

        def decorate(cls: Any) -> Any:
            kept = {name: value for name, value in vars(cls).items() if name not in ("__dict__", "__weakref__")}
            return metaclass(cls.__name__, cls.__bases__, kept)

        return decorate

    def int2byte(i: int) -> bytes:
        """Returns the byte with the value `i`."""
        return bytes((i,))

    def iterlists(d: Any, **kw: Any) -> Iterator[Any]:
        """Returns an iterator over the value lists of a multi-value mapping."""
        return iter(d.lists(**kw))

    def get_unbound_function(unbound: Any) -> Any:
        """Returns `unbound` unchanged: Python 3 has no unbound methods."""
        return unbound

    def create_bound_method(func: Any, obj: Any) -> Any:
        """Returns `func` as a method bound to `obj`."""
        return types.MethodType(func, obj)

    def raise_from(value: BaseException, from_value: Any) -> None:
        """`raise value from from_value`."""
        raise value from from_value

    def python_2_unicode_compatible(cls: Any) -> Any:
        """Returns `cls` unchanged: in Python 3 `__str__` returns text."""
        return cls

    assertCountEqual, assertRaisesRegex, assertRegex = (
        lambda self, *args, _name=name, **kwargs: getattr(self, _name)(*args, **kwargs)
        for name in ("assertCountEqual", "assertRaisesRegex", "assertRegex")
    )
    exec_, print_ = exec, print
    callable = callable
    next = advance_iterator = next
    wraps = functools.wraps
    unichr = chr
    byte2int = operator.itemgetter(0)
    indexbytes = operator.getitem
    iterbytes = iter
    viewkeys, viewvalues, viewitems = (operator.methodcaller(name) for name in ("keys", "values", "items"))
    get_method_function, get_method_self = operator.attrgetter("__func__"), operator.attrgetter("__self__")
    get_function_code, get_function_defaults = operator.attrgetter("__code__"), operator.attrgetter("__defaults__")
    get_function_closure, get_function_globals = operator.attrgetter("__closure__"), operator.attrgetter("__globals__")

__all__ = ["moves"]

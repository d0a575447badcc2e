"""`theano.compat.six` of Theano 0.6 and 0.7: six itself where it is installed, else the part of it that legacy scripts use."""

import builtins
import io
import operator
import sys
import types
from typing import Any, Iterator

try:
    from six import *
    from six import moves
except ImportError:
    PY2, PY3 = False, True
    string_types: Any = (str,)
    integer_types: Any = (int,)
    class_types: Any = (type,)
    text_type: Any = str
    binary_type: Any = bytes
    MAXSIZE = sys.maxsize
    StringIO, BytesIO = io.StringIO, io.BytesIO
    moves = types.SimpleNamespace(
        xrange=range, range=range, zip=zip, map=map, filter=filter, input=input, cPickle=__import__("pickle"), builtins=builtins,
        reduce=__import__("functools").reduce, StringIO=io.StringIO, reload_module=__import__("importlib").reload,
        configparser=__import__("configparser"), urllib=__import__("urllib"), zip_longest=__import__("itertools").zip_longest,
    )  # fmt: skip

    def iteritems(d: Any, **kw: Any) -> Iterator[Any]:
        """The items of a mapping."""
        return iter(d.items(**kw))

    def iterkeys(d: Any, **kw: Any) -> Iterator[Any]:
        """The keys of a mapping."""
        return iter(d.keys(**kw))

    def itervalues(d: Any, **kw: Any) -> Iterator[Any]:
        """The values of a mapping."""
        return iter(d.values(**kw))

    def b(s: str) -> bytes:
        """The bytes of a literal."""
        return s.encode("latin-1")

    def u(s: str) -> str:
        """The text of a literal."""
        return s

    def reraise(tp: Any, value: Any, tb: Any = None) -> None:
        """Raises `value` again with its traceback."""
        raise (tp() if value is None else value).with_traceback(tb)

    def with_metaclass(meta: Any, *bases: Any) -> Any:
        """A base class with the metaclass."""
        return meta("temporary_class", bases, {})

    get_method_function = operator.attrgetter("__func__")

__all__ = ["moves"]

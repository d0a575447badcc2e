"""Names and modules of Python 2's standard library that Python 3 has not, and that fissix does not translate.

Sources of Python 2 get them in `from string import letters` and `string.letters`. Other sources do not: packages ask
`hasattr(sys, "maxint")` to know which Python runs them. Source: the documentation of the standard library of Python 2.7.
"""

import ast
import base64
import builtins
import collections.abc
import contextlib
import errno
import hashlib
import html
import importlib.util
import operator
import os
import string
import sys
import types
from typing import Any, Callable, Dict, Iterator, List, Optional


def _maketrans(first: Any, second: Any) -> Any:
    return (bytes if isinstance(first, bytes) else str).maketrans(first, second)


def _split(text: Any, sep: Any = None, maxsplit: int = -1) -> Any:
    return text.split(sep, maxsplit)


@contextlib.contextmanager
def _nested(*managers: Any) -> Iterator[List[Any]]:
    """`contextlib.nested`."""
    with contextlib.ExitStack() as stack:
        yield [stack.enter_context(manager) for manager in managers]


def _bytes(data: Any) -> Any:
    return data.encode("latin1") if isinstance(data, str) else data


def _encodestring(data: Any) -> Any:
    """`base64.encodestring`: text of text, bytes of bytes."""
    coded = base64.encodebytes(_bytes(data))
    return coded.decode("ascii") if isinstance(data, str) else coded


def _method(name: str) -> Callable[..., Any]:
    return lambda text, *args: getattr(text, name)(*args)


_TYPES = {
    "StringType": str, "UnicodeType": str, "StringTypes": (str,), "IntType": int, "LongType": int, "FloatType": float,
    "ComplexType": complex, "BooleanType": bool, "NoneType": type(None), "ListType": list, "TupleType": tuple, "DictType": dict,
    "DictionaryType": dict, "ObjectType": object, "TypeType": type, "ClassType": type, "InstanceType": type("instance", (), {}),
    "FileType": type(sys.stdout), "SliceType": slice, "XRangeType": range, "EllipsisType": type(Ellipsis),
    "UnboundMethodType": types.FunctionType, "BufferType": memoryview,
}  # fmt: skip
_NAMES: Dict[str, Dict[str, Any]] = {
    "sys": {"maxint": sys.maxsize, "exc_clear": lambda: None, "setdefaultencoding": lambda name: None},
    "string": {
        "letters": string.ascii_letters, "lowercase": string.ascii_lowercase, "uppercase": string.ascii_uppercase, "maketrans": _maketrans,
        "join": lambda words, sep=" ": sep.join(words), "joinfields": lambda words, sep=" ": sep.join(words), "split": _split,
        "splitfields": _split, "atoi": int, "atol": int, "atof": float,
        **{name: _method(name) for name in (
            "capitalize", "center", "count", "expandtabs", "find", "index", "ljust", "lower", "lstrip", "replace", "rfind", "rindex",
            "rjust", "rsplit", "rstrip", "strip", "swapcase", "translate", "upper", "zfill",
        )},
    },
    "os": {"getcwdu": os.getcwd, "errno": errno},
    "types": _TYPES,
    "operator": {
        "div": operator.floordiv, "idiv": operator.ifloordiv, "isCallable": callable, "sequenceIncludes": operator.contains,
        "isSequenceType": lambda value: hasattr(value, "__getitem__"),
        "isMappingType": lambda value: isinstance(value, collections.abc.Mapping),
        "isNumberType": lambda value: hasattr(value, "__int__") or hasattr(value, "__float__"), "repeat": operator.mul,
    },
    "contextlib": {"nested": _nested},
    "base64": {"encodestring": _encodestring, "decodestring": lambda data: base64.decodebytes(_bytes(data))},
    "builtins": {"raw_input": input, "unichr": chr, "xrange": range, "long": int, "unicode": str, "basestring": str},
    "cgi": {"escape": lambda text, quote=None: html.escape(text, bool(quote))},
}  # fmt: skip
"""Module -> name -> what it was."""
_WHOLE = ("operator", "string", "types")
"""Modules whose names above `from string import *` gives."""


_MIXED_IN: Dict[str, Any] = {
    name: method
    for kind in (collections.abc.Mapping, collections.abc.MutableMapping)
    for name, method in vars(kind).items()
    if callable(method) and not getattr(method, "__isabstractmethod__", False) and name not in ("__subclasshook__", "__reversed__", "keys")
}
_DictMixin = type("DictMixin", (), {**_MIXED_IN, "__iter__": lambda of: iter(of.keys()), "__len__": lambda of: len(list(of.keys()))})
"""`UserDict.DictMixin`: a mapping whose class defines `keys`, and as many of the others as it needs."""


_MODULES: Dict[str, Dict[str, Any]] = {
    "md5": {**dict.fromkeys(("md5", "new"), lambda *data: hashlib.md5(*data)), "digest_size": 16},
    "sha": {**dict.fromkeys(("sha", "new"), lambda *data: hashlib.sha1(*data)), "digest_size": 20},
    "sets": {"Set": set, "ImmutableSet": frozenset},
    "UserDict": {"UserDict": collections.UserDict, "IterableUserDict": collections.UserDict, "DictMixin": _DictMixin},
    "new": {"module": types.ModuleType, "function": types.FunctionType, "instancemethod": types.MethodType, "code": types.CodeType,
            "classobj": type},
    "exceptions": {**{n: kind for n, kind in vars(builtins).items() if isinstance(kind, type) and issubclass(kind, BaseException)},
                   "StandardError": Exception},
    "future_builtins": {"map": map, "zip": zip, "filter": filter, "ascii": ascii, "hex": hex, "oct": oct},
    "cgi": {},
}  # fmt: skip
"""Module that Python 3 has not -> its names."""


class Names(ast.NodeTransformer):
    """Replaces imports of the names above, and attributes of modules, by calls of the helpers below; `prefix` begins their names."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def visit_ImportFrom(self, node: ast.ImportFrom) -> Any:
        """Replaces `from string import letters`."""
        names = _NAMES.get(node.module or "", {}) if not node.level else {}
        old = [one for one in node.names if one.name in names]
        kept = [one for one in node.names if one.name not in names]
        if node.names[0].name == "*" and node.module in _WHOLE:
            old = [ast.alias(name, None) for name in names]
        made: List[ast.stmt] = [ast.copy_location(ast.ImportFrom(node.module, kept, 0), node)] if kept else []
        for one in old:
            call = ast.Call(ast.Name(self.prefix + "old_import", ast.Load()), [ast.Constant(node.module), ast.Constant(one.name)], [])
            made.append(ast.copy_location(ast.Assign([ast.Name(one.asname or one.name, ast.Store())], call), node))
        return [ast.fix_missing_locations(part) for part in made] if old else node

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        """Replaces `string.letters`."""
        self.generic_visit(node)
        holder = node.value
        if not isinstance(node.ctx, ast.Load) or not isinstance(holder, ast.Name):
            return node
        if node.attr not in _NAMES.get(holder.id, {}):
            return node
        call = ast.Call(ast.Name(self.prefix + "old_name", ast.Load()), [holder, ast.Constant(node.attr)], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def old_import(module: str, name: str) -> Any:
    """What `from module import name` gives."""
    try:
        found = importlib.import_module(module)
    except ImportError:
        return _NAMES[module][name]
    return old_name(found, name)


def old_name(holder: Any, name: str) -> Any:
    """`holder.name`, in which `holder` may be a module that has lost the name."""
    try:
        return getattr(holder, name)
    except AttributeError:
        names = _NAMES.get(holder.__name__, {}) if isinstance(holder, types.ModuleType) else {}
        if name not in names:
            raise
        return names[name]


class Python2Modules:
    """Finds the modules of Python 2 that Python 3 has not; to be asked last."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> Any:
        """Returns the spec of a module of `_MODULES`; None for others."""
        return importlib.util.spec_from_loader(name, Python2Modules) if name in _MODULES else None  # type: ignore[arg-type]

    @staticmethod
    def create_module(spec: Any) -> Optional[types.ModuleType]:
        """Returns None: an empty module is made."""
        return None

    @staticmethod
    def exec_module(module: Any) -> None:
        """Gives the module its names."""
        vars(module).update(_MODULES[module.__name__], **_NAMES.get(module.__name__, {}))


HELPERS = {f.__name__: f for f in (old_import, old_name)}
"""The functions that changed sources call."""

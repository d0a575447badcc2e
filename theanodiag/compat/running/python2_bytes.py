"""Python 2's strings of bytes, which were equal to text: what `open(path, "rb")` reads, `text.encode(...)` and `b"..."`.

In translated sources, strings are text. Bytes of Python 3 beside them would differ in silence: `file.read(1) == " "` is never true, nor is
`b"word" in vocabulary`, and `data[0]` is a number.
"""

import codecs
import re
from typing import Any, Dict, Iterator, List, Tuple


def text_of(data: bytes) -> str:
    """The text of bytes: UTF-8, in which a byte that is none becomes a character that files write as that byte."""
    return bytes.decode(data, "utf-8", "surrogateescape")


def _given(value: Any) -> Any:
    """Text as bytes, also in a tuple; other values as they are."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    return tuple(map(_given, value)) if type(value) is tuple else value


def made(value: Any) -> Any:
    """Bytes of Python 3 as Bytes, also in a list or tuple; other values as they are."""
    if type(value) is bytes:
        return Bytes(value)
    return type(value)(map(made, value)) if type(value) in (list, tuple) else value


class Bytes(bytes):
    """Bytes that are equal to their text, have its hash, and consist of strings of length 1. Pickled, they are text if they are ASCII."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return bytes.__eq__(self, other)
        return bytes.__eq__(self, _given(other)) or bytes.decode(self, "latin-1") == other

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(text_of(self))

    def __lt__(self, other: Any) -> bool:
        return bytes.__lt__(self, _given(other))

    def __le__(self, other: Any) -> bool:
        return bytes.__le__(self, _given(other))

    def __gt__(self, other: Any) -> bool:
        return bytes.__gt__(self, _given(other))

    def __ge__(self, other: Any) -> bool:
        return bytes.__ge__(self, _given(other))

    def __contains__(self, other: Any) -> bool:
        return bytes.__contains__(self, _given(other))

    def __getitem__(self, where: Any) -> "Bytes":  # type: ignore[override]
        found: Any = bytes.__getitem__(self, where)
        return Bytes((found,)) if isinstance(found, int) else Bytes(found)

    def __iter__(self) -> Iterator["Bytes"]:  # type: ignore[override]
        return (Bytes((value,)) for value in bytes.__iter__(self))

    def __add__(self, other: Any) -> Any:
        return text_of(self) + other if isinstance(other, str) else Bytes(bytes.__add__(self, other))

    def __radd__(self, other: Any) -> Any:
        return other + text_of(self) if isinstance(other, str) else Bytes(other + bytes(self))

    def __mul__(self, times: Any) -> "Bytes":
        return Bytes(bytes.__mul__(self, times))

    __rmul__ = __mul__

    def __mod__(self, values: Any) -> str:  # type: ignore[override]
        return str(text_of(self) % values)

    def __str__(self) -> str:
        return text_of(self)

    def __repr__(self) -> str:
        return repr(text_of(self))

    def __format__(self, form: str) -> str:
        return format(text_of(self), form)

    def __reduce_ex__(self, protocol: Any) -> Tuple[Any, ...]:
        return (str, (text_of(self),)) if self.isascii() else (bytes, (bytes(self),))

    def format(self, *args: Any, **named: Any) -> str:
        """The text, formatted."""
        return text_of(self).format(*args, **named)

    def join(self, parts: Any) -> Any:
        """The parts with these bytes between them: text if one of them is text."""
        several = list(parts)
        if any(isinstance(part, str) for part in several):
            return text_of(self).join(map(str, several))
        return Bytes(bytes.join(self, several))

    def decode(self, encoding: str = "ascii", errors: str = "strict") -> Any:
        """The text; for codecs of bytes (`hex`, `base64`), bytes."""
        try:
            return bytes.decode(self, encoding, errors)
        except LookupError:
            return made(codecs.decode(bytes(self), encoding, errors))

    def encode(self, encoding: str = "ascii", errors: str = "strict") -> Any:
        """These bytes in another encoding."""
        return encode_method(text_of(self), encoding, errors)

    def translate(self, table: Any, delete: Any = b"") -> Any:
        """The characters, by a table of 256; without those of `delete`."""
        if isinstance(table, dict):
            return text_of(self).translate(table)
        return Bytes(bytes.translate(self, _given(table), _given(delete)))


def _taking_text(name: str) -> Any:
    plain = getattr(bytes, name)

    def method(self: bytes, *args: Any) -> Any:
        return made(plain(self, *map(_given, args)))

    method.__name__, method.__doc__ = name, plain.__doc__
    return method


for _name in (
    "capitalize", "center", "count", "endswith", "expandtabs", "find", "index", "ljust", "lower", "lstrip", "partition", "replace", "rfind",
    "rindex", "rjust", "rpartition", "rsplit", "rstrip", "split", "splitlines", "startswith", "strip", "swapcase", "title", "upper",
    "zfill",
):  # fmt: skip
    setattr(Bytes, _name, _taking_text(_name))


class Reading:
    """A file opened for bytes, which gives them as Python 2's strings."""

    def read(self, *size: Any) -> Any:
        """The next bytes."""
        return made(super().read(*size))  # type: ignore[misc]

    def readline(self, *size: Any) -> Any:
        """The next line."""
        return made(super().readline(*size))  # type: ignore[misc]

    def readlines(self, *size: Any) -> Any:
        """The lines that are left."""
        return made(super().readlines(*size))  # type: ignore[misc]

    def __next__(self) -> Any:
        return made(super().__next__())  # type: ignore[misc]


def encode_method(of: Any, *args: Any, **options: Any) -> Any:
    """Python 2's `of.encode(...)`; codecs of bytes (`hex`, `base64`, `string_escape`) give text."""
    if type(of) is not str:
        return of.encode(*args, **options)
    try:
        return Bytes(of.encode(*args, **options))
    except LookupError:
        name = str(args[0] if args else options["encoding"]).replace("string_escape", "unicode_escape")
        coded: Any = codecs.encode
        found = coded(of if name == "unicode_escape" else of.encode("utf-8"), name)
        return found if isinstance(found, str) else text_of(found)


def text_call(holder: Any, name: str, *args: Any, **options: Any) -> Any:
    """`holder.name(...)`, in which arguments may be Bytes where `holder` needs text: a string, a pattern, the module `re`."""
    if type(holder) is str and name == "translate" and (len(args) > 1 or args[0] is None):
        gone = set(args[1] if len(args) > 1 else ())
        kept = "".join(part for part in holder if part not in gone)
        return kept if args[0] is None else kept.translate(_table(args[0]))
    if type(holder) is str and name == "translate" and isinstance(args[0], str):
        return holder.translate(_table(args[0]))
    if type(holder) is str and name == "join" and type(args[0]) not in (list, tuple):
        args = (list(args[0]),)
    try:
        return getattr(holder, name)(*args, **options)
    except TypeError:
        if not (holder is re or isinstance(holder, (str, re.Pattern))):
            raise
        texts = [_as_text(part) for part in args]
        if all(new is old for new, old in zip(texts, args)):
            raise
        return getattr(holder, name)(*texts, **options)


def _as_text(value: Any) -> Any:
    if type(value) is Bytes:
        return text_of(value)
    if type(value) in (list, tuple) and any(type(part) is Bytes for part in value):
        return type(value)(map(_as_text, value))
    return value


def _table(table: Any) -> Any:
    """The table of `str.translate`: `string.maketrans` of Python 2 gives one of 256 characters, the translated one a dictionary."""
    return dict(enumerate(table)) if isinstance(table, str) else table


def decoded(kind: Any, *args: Any) -> Any:
    """`unicode(data, encoding)`, which fissix writes as `str(data, encoding)`: text that was already decoded stays."""
    return args[0] if kind is str and len(args) > 1 and isinstance(args[0], str) else kind(*args)


MAKERS = ("check_output", "dumps", "pack", "recv", "tobytes", "tostring", "unpack")
"""Functions and methods that give bytes."""
NAMES: List[str] = [
    "count", "endswith", "find", "findall", "finditer", "index", "join", "lstrip", "match", "replace", "rfind", "rindex",
    "rpartition", "rsplit", "rstrip", "search", "split", "startswith", "strip", "sub", "subn", "translate",
]  # fmt: skip
"""Methods of strings and of patterns that take text."""
HELPERS: Dict[str, Any] = {"bytes": Bytes, **{f.__name__: f for f in (encode_method, text_call, decoded, made)}}
"""What changed sources call."""

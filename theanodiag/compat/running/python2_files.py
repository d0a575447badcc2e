"""Files as Python 2 has them: those opened for bytes take text too, and a pickle may be read from one opened for text."""

import builtins
import functools
import gzip
import hashlib
import io
import pickle
import sys
from typing import Any

from ..callers import by_a_package
from .python2_bytes import Reading


def binary_file(file: Any) -> Any:
    """Returns the binary file behind the text file `file`: Python 2 scripts also read pickles through `open(path)`."""
    return file.buffer if isinstance(file, io.TextIOWrapper) else file


def loads(data: Any, **options: Any) -> Any:
    """`cPickle.loads`, also of the text of a file that was read without `b`."""
    if isinstance(data, str):
        wide = max(data, default="") > "\xff"  # bytes that are no UTF-8, as `open_file` reads them
        data = data.encode("utf-8", "surrogateescape") if wide else data.encode("latin1")
    return pickle.loads(data, **{"encoding": "latin1", **options})


class TextTakingFile:
    """A file opened for bytes that also accepts text, as files did in Python 2: `json.dump`, `print >>` and `write` pass it text."""

    def write(self, data: Any) -> int:
        """Writes bytes; text is encoded as UTF-8."""
        return int(super().write(data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data))  # type: ignore[misc]

    def writelines(self, lines: Any) -> None:
        """Writes each of the lines."""
        for line in lines:
            self.write(line)


class _Raw(TextTakingFile, io.FileIO):
    """An unbuffered file."""


class _Writer(TextTakingFile, io.BufferedWriter):
    """A buffered file for writing."""


class _Updater(Reading, TextTakingFile, io.BufferedRandom):
    """A buffered file for reading and writing."""


class _Reader(Reading, io.BufferedReader):
    """A buffered file for reading."""


class _Text(io.TextIOWrapper):
    """A file opened for text that also accepts bytes, as files did in Python 2: `write(cPickle.dumps(x))`."""

    def write(self, data: Any) -> int:
        """Writes text, or bytes as they are."""
        if not isinstance(data, (bytes, bytearray)):
            return super().write(data)
        self.flush()
        self.buffer.write(bytes(data))
        return len(data)


class ZippedFile(Reading, TextTakingFile, gzip.GzipFile):
    """A gzip file that yields lines as text when iterated; other reads, such as those of a pickle, return bytes."""

    def __next__(self) -> str:  # type: ignore[override]
        """The next line."""
        return str(super().__next__())


def open_file(file: Any, mode: str = "r", buffering: int = -1, *args: Any, **options: Any) -> Any:
    """Python 2's `open`: a file opened for writing accepts text and bytes, text may be unbuffered, and the mode may contain `U`."""
    mode = mode.replace("U", "") if mode.strip("bU+") else "r" + mode.replace("U", "")
    if args or options or (buffering == 0 and mode == "rb"):
        return builtins.open(file, mode, buffering, *args, **options)
    if not set(mode) & set("wax+") and "b" in mode:
        return _Reader(io.FileIO(file, "r"), buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE)
    if not set(mode) & set("wax+"):
        return builtins.open(file, mode, buffering, errors="surrogateescape")
    if "b" not in mode:
        return _open_text(file, mode, buffering)
    raw = _Raw(file, mode.replace("b", ""))
    if buffering == 0:
        return raw
    return (_Updater if "+" in mode else _Writer)(raw, buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE)


def _open_text(file: Any, mode: str, buffering: int) -> Any:
    """A text file for writing."""
    standard = file in (1, 2)  # `sys.stdout = os.fdopen(1, "w", 0)`: the former one may still hold text, and closes the file
    if standard:
        sys.stdout.flush()
    raw = builtins.open(file, mode + "b", 0 if buffering == 0 and "+" not in mode else -1, closefd=not standard)
    opened: Any = _Text(raw, errors="surrogateescape", line_buffering=buffering == 1, write_through=buffering == 0)
    opened.mode = mode
    return opened


class TextHash:
    """A hash of `hashlib` that also takes text, encoded as UTF-8."""

    def __init__(self, plain: Any) -> None:
        self.plain = plain

    def update(self, data: Any) -> None:
        """Adds bytes or text."""
        self.plain.update(_bytes(data))

    def copy(self) -> "TextHash":
        """Returns a copy."""
        return TextHash(self.plain.copy())

    def __getattr__(self, name: str) -> Any:
        return getattr(self.plain, name)


def _bytes(data: Any) -> Any:
    return data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data


def hash_text() -> None:
    """Makes the functions of `hashlib`, such as `md5`, accept text, as in Python 2; installed packages get the unchanged functions."""

    def taking_text(plain: Any, first: int) -> Any:
        @functools.wraps(plain)
        def made(*args: Any, **named: Any) -> Any:
            if by_a_package(sys._getframe(1)):
                return plain(*args, **named)
            return TextHash(plain(*args[:first], *map(_bytes, args[first:]), **named))

        return made

    for name in ("md5", "sha1", "sha224", "sha256", "sha384", "sha512"):
        setattr(hashlib, name, taking_text(getattr(hashlib, name), 0))
    hashlib.new = taking_text(hashlib.new, 1)

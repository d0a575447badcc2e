"""Files as Python 2 has them: those opened for bytes take text too, and a pickle may be read from one opened for text."""

import builtins
import gzip
import io
from typing import Any


def binary_file(file: Any) -> Any:
    """The binary file behind the text file `file`: Python 2 scripts also read pickles through `open(path)`."""
    return file.buffer if isinstance(file, io.TextIOWrapper) else file


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


class _Updater(TextTakingFile, io.BufferedRandom):
    """A buffered file for reading and writing."""


class ZippedFile(TextTakingFile, gzip.GzipFile):
    """A gzip file that yields lines as text when iterated; other reads, such as those of a pickle, return bytes."""

    def __next__(self) -> str:  # type: ignore[override]
        """The next line."""
        return super().__next__().decode("utf-8", "surrogateescape")


def open_file(file: Any, mode: str = "r", buffering: int = -1, *args: Any, **options: Any) -> Any:
    """Python 2's `open`: a file opened for writing bytes accepts text too, and the mode may contain `U`."""
    mode = mode.replace("U", "") if mode.strip("bU+") else "r" + mode.replace("U", "")
    if "b" not in mode or not set(mode) & set("wax+") or args or options:
        return builtins.open(file, mode, buffering, *args, **options)
    raw = _Raw(file, mode.replace("b", ""))
    if buffering == 0:
        return raw
    return (_Updater if "+" in mode else _Writer)(raw, buffering if buffering > 1 else io.DEFAULT_BUFFER_SIZE)

"""Unpacks files that gzip, bzip2, xz, lzma or zlib packed, also in several streams, chunk by chunk within a budget."""

from __future__ import annotations

import bz2
import io
import lzma
import zlib
from collections.abc import Callable
from typing import Protocol

from .budget import Budget, Damaged

BLOCK = 1 << 14
"""Bytes that are handed to a decompressor at once: what it does not use is copied, at each stream's end."""
CHUNK = 1 << 20
"""Bytes that it gives at most."""
DICTIONARY = 256 << 20
"""Bytes that lzma may take for itself; `xz -9` takes 65 MiB."""
_ZLIB = (b"\x78\x01", b"\x78\x5e", b"\x78\x9c", b"\x78\xda")
_OTHERS = {b"\x04\x22\x4d\x18": "lz4", b"\x28\xb5\x2f\xfd": "zstandard", b"7z\xbc\xaf": "7-Zip", b"Rar!": "RAR", b"\x1f\x9d": "compress"}
_OLD_JOBLIB = b"ZF"
_OLD_JOBLIB_HEAD = 21


class Decompressor(Protocol):
    """One stream, as those of bz2 and lzma are."""

    @property
    def eof(self) -> bool:
        """Whether the stream has ended."""

    @property
    def unused_data(self) -> bytes:
        """What stands behind its end."""

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        """What the data and what was kept of earlier data unpack to, at most `max_length` bytes."""


class _Zlib:
    """zlib's and gzip's decompressor, which hands back what it has not used, as one that keeps it."""

    def __init__(self, wbits: int) -> None:
        self._inner = zlib.decompressobj(wbits)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max_length)


_KINDS: tuple[tuple[tuple[bytes, ...], str, Callable[[], Decompressor]], ...] = (
    ((b"\x1f\x8b",), "gzip", lambda: _Zlib(31)),
    ((b"BZh",), "bzip2", bz2.BZ2Decompressor),
    ((b"\xfd7zXZ\x00", b"\x5d\x00\x00"), "xz", lambda: lzma.LZMADecompressor(memlimit=DICTIONARY)),
    (_ZLIB, "zlib", lambda: _Zlib(15)),
)


def unpacked(data: bytes, budget: Budget) -> tuple[bytes, int]:
    """What a packed file holds, unpacked once; and how many bytes stand behind the packed ones, which no unpacker takes.

    The data as they are where nothing known packed them. Raises Damaged for what is damaged, too large, or packed by what is not read.
    """
    for magic, name in _OTHERS.items():
        if data.startswith(magic):
            raise Damaged(f"{name} packed it, which is not read here", "unpack it first, and name what came out")
    if data.startswith(_OLD_JOBLIB):
        start = _OLD_JOBLIB_HEAD + (data[_OLD_JOBLIB_HEAD : _OLD_JOBLIB_HEAD + 1] == b" ")
        return _streams(data, start, "joblib", lambda: _Zlib(15), _ZLIB, budget)
    for magics, name, make in _KINDS:
        if data.startswith(magics):
            return _streams(data, 0, name, make, magics, budget)
    return data, 0


def is_packed(data: bytes) -> bool:
    """Whether `unpacked` would unpack it."""
    return data.startswith((_OLD_JOBLIB, *(magic for magics, _, _ in _KINDS for magic in magics)))


def _streams(
    data: bytes, start: int, name: str, make: Callable[[], Decompressor], magics: tuple[bytes, ...], budget: Budget
) -> tuple[bytes, int]:
    """All streams that follow each other, with zeros between them (padding of xz and of tapes)."""
    out = io.BytesIO()
    view, at = memoryview(data), start
    try:
        while True:
            at = _stream(view, at, make(), out, budget)
            while at < len(data) and not data[at]:
                at += 1
            if name in ("zlib", "joblib") or not data.startswith(magics, at):
                return out.getvalue(), len(data) - at
    except (OSError, EOFError, zlib.error, lzma.LZMAError, ValueError) as error:
        raise Damaged(f"what {name} packed is damaged: {error}") from None


def _stream(view: memoryview, at: int, stream: Decompressor, out: io.BytesIO, budget: Budget) -> int:
    """Unpacks one stream that begins at `at`; where it ends."""
    while not stream.eof:
        block = bytes(view[at : at + BLOCK])
        at += len(block)
        piece = stream.decompress(block, CHUNK)
        budget.unpack(len(piece))
        out.write(piece)
        while not stream.eof and len(piece) == CHUNK:
            piece = stream.decompress(b"", CHUNK)
            budget.unpack(len(piece))
            out.write(piece)
        if not block and not stream.eof:
            raise EOFError("it is cut off")
    return at - len(stream.unused_data)

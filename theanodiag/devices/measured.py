"""Measured context overheads of devices, and the calibration file (TOML) that stores them."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..errors import Span, UnreadableError
from .cards import card_of
from .profile import Context, DeviceProfile

HEAD = "# Context overheads of devices, as theanodiag measured them. Remove an entry to use the default, or to measure it again.\n"
"""First line of a new calibration file, a comment."""
SECTION = re.compile(r'\s*\[devices\.("(?:[^"\\]|\\.)*"|[\w-]+)\]\s*(#.*)?')
"""Matches the head of an entry, `[devices."NAME"]`."""
ENTRY = re.compile(r'\s*([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|\d[\d_]*)\s*(#.*)?')
"""Matches a line `key = value` with a string or a number."""
NUMBERS = ("context_bytes", "blas_bytes", "cudnn_bytes")
"""Keys of an entry whose values are bytes."""


@dataclass(frozen=True)
class Calibration:
    """The measured overhead of one device, in bytes."""

    name: str
    """The device's name as its driver reports it."""
    context_bytes: int
    """Bytes that the driver takes when a context is created."""
    blas_bytes: int
    """Additional bytes that a BLAS handle takes."""
    cudnn_bytes: int | None = None
    """Additional bytes that a cuDNN handle takes; None if cuDNN is missing."""
    note: str = ""
    """How it was measured: driver version and date."""

    @property
    def context(self) -> Context:
        """The total overhead (context, BLAS and cuDNN) as a Context."""
        return Context(self.context_bytes + self.blas_bytes + (self.cudnn_bytes or 0), "measured")


def with_measured(device: DeviceProfile, table: Mapping[str, Calibration]) -> DeviceProfile:
    """Returns a copy of the device with its measured context, if `table` contains one; otherwise the device itself.

    The number of free bytes is reduced, because the context will be taken from them.
    """
    calibration = find(device.name, table)
    if calibration is None or device.is_host:
        return device
    free = device.free_bytes
    if free is not None:
        free = max(0, free + device.context.bytes - calibration.context.bytes)
    return dataclasses.replace(device, context=calibration.context, free_bytes=free)


def find(name: str, table: Mapping[str, Calibration]) -> Calibration | None:
    """Returns the calibration for the device called `name`: the entry of the same card, or for an unknown card an entry whose name has the
    same words. None if the device was never measured.
    """
    card = card_of(name, None)
    for entry in table.values():
        if (card is not None and card_of(entry.name, None) is card) or _words(entry.name) == _words(name):
            return entry
    return None


def _words(name: str) -> list[str]:
    """The words of a device's name in lower case, without its maker; `80 GB` is one word, as `80GB`."""
    joined = re.sub(r"(\d+)\s+gb\b", r"\1gb", name.lower())
    return [w for w in re.split(r"[\s-]+", joined) if w and w not in ("nvidia", "tesla", "geforce")]


def parse(text: str, source: str) -> dict[str, Calibration]:
    """Parses the text of a calibration file called `source`: device name -> calibration. Raises UnreadableError if it cannot be parsed."""
    return {name: _calibration(name, entry, source) for name, entry in _tables(text, source).items()}


def _tables(text: str, source: str) -> Mapping[str, Mapping[str, object]]:
    if sys.version_info >= (3, 11):
        import tomllib

        try:
            tables = tomllib.loads(text).get("devices", {})
        except tomllib.TOMLDecodeError as error:
            raise UnreadableError(f"not TOML: {error}", path=source, help="correct it, or remove the file") from None
        return {str(k): v for k, v in tables.items() if isinstance(v, dict)} if isinstance(tables, dict) else {}
    return plain_tables(text, source)


def plain_tables(text: str, source: str) -> dict[str, dict[str, object]]:
    """Parses the subset of TOML that calibration files use: sections `[devices."NAME"]`, numbers, strings, comments. (Python below 3.11 has
    no parser.)
    """
    tables: dict[str, dict[str, object]] = {}
    current: dict[str, object] | None = None
    offset = 0
    for line in text.splitlines(keepends=True):
        section, entry = SECTION.fullmatch(line.rstrip("\r\n")), ENTRY.fullmatch(line.rstrip("\r\n"))
        here = Span(source, text, offset, offset + len(line.rstrip()))
        try:
            if section:
                current = tables.setdefault(_unquoted(section[1]), {})
            elif entry and current is not None:
                current[entry[1]] = _unquoted(entry[2]) if entry[2].startswith('"') else int(entry[2])
            elif line.strip() and not line.lstrip().startswith("#"):
                raise UnreadableError("not a line of this file", span=here)
        except ValueError as error:
            raise UnreadableError(f"not a text: {error}", span=here, help="correct it, or remove the file") from None
        offset += len(line)
    return tables


def _unquoted(text: str) -> str:
    return str(json.loads(text)) if text.startswith('"') else text


def _calibration(name: str, entry: Mapping[str, object], source: str) -> Calibration:
    context, blas, cudnn = (entry.get(key) for key in NUMBERS)
    if not isinstance(context, int) or not isinstance(blas, int) or not (cudnn is None or isinstance(cudnn, int)):
        raise UnreadableError(f"the entry of {name!r} lacks context_bytes or blas_bytes", path=source, help="remove the entry")
    return Calibration(name, context, blas, cudnn, str(entry.get("note", "")))


def edited(text: str, new: Calibration) -> str:
    """Returns the text of the calibration file with the entry `new` added or replaced; all other lines stay."""
    lines = (text or HEAD).splitlines(keepends=True)
    starts = [i for i, line in enumerate(lines) if line.lstrip().startswith("[")]
    mine = [i for i in starts if (m := SECTION.fullmatch(lines[i].rstrip("\r\n"))) and _unquoted(m[1]) == new.name]
    for start in reversed(mine):
        end = next((i for i in starts if i > start), len(lines))
        del lines[start:end]
    body = "".join(lines)
    gap = "" if not body or body.endswith("\n\n") else "\n" if body.endswith("\n") else "\n\n"
    return body + gap + "".join(_rendered(new))


def _rendered(c: Calibration) -> Iterator[str]:
    yield f"[devices.{json.dumps(c.name)}]\n"
    for key, value in zip(NUMBERS, (c.context_bytes, c.blas_bytes, c.cudnn_bytes)):
        if value is not None:
            yield f"{key} = {value}\n"
    yield f"note = {json.dumps(c.note)}\n"

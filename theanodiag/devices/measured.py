"""What was measured of devices: their context overheads, and the text of the file that keeps them (TOML)."""

from __future__ import annotations

import dataclasses
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..errors import Span, UnreadableError
from .profile import Context, DeviceProfile

HEAD = "# Context overheads of devices, as theanodiag measured them. An entry that is taken away is measured anew or a default again.\n"
SECTION = re.compile(r'\s*\[devices\.("(?:[^"\\]|\\.)*"|[\w-]+)\]\s*(#.*)?')
ENTRY = re.compile(r'\s*([\w-]+)\s*=\s*("(?:[^"\\]|\\.)*"|\d[\d_]*)\s*(#.*)?')
NUMBERS = ("context_bytes", "blas_bytes", "cudnn_bytes")


@dataclass(frozen=True)
class Calibration:
    """The overhead of one device."""

    name: str
    """As its driver calls it."""
    context_bytes: int
    """Taken by the driver before anything is allocated."""
    blas_bytes: int
    """Taken on top once BLAS has a handle."""
    cudnn_bytes: int | None = None
    """Taken on top by a handle of cuDNN; None where there is none."""
    note: str = ""
    """How it was measured: driver, date."""

    @property
    def context(self) -> Context:
        """All of it."""
        return Context(self.context_bytes + self.blas_bytes + (self.cudnn_bytes or 0), "measured")


def with_measured(device: DeviceProfile, table: Mapping[str, Calibration]) -> DeviceProfile:
    """The device with its measured context where there is one for it; memory that is free now is free before the context."""
    found = find(device.name, table)
    if found is None or device.is_host:
        return device
    free = device.free_bytes
    if free is not None:
        free = max(0, free + device.context.bytes - found.context.bytes)
    return dataclasses.replace(device, context=found.context, free_bytes=free)


def find(name: str, table: Mapping[str, Calibration]) -> Calibration | None:
    """The entry for a device, also where the driver says more (`NVIDIA A100 80GB PCIe`) or we do (`Tesla P100 16 GB`)."""
    words = set(_words(name.split(" (")[0]))
    for entry in table.values():
        theirs = set(_words(entry.name))
        if words and theirs and (words <= theirs or theirs <= words):
            return entry
    return None


def _words(name: str) -> list[str]:
    """`80 GB` and `80GB` are the same; who makes it does not matter."""
    joined = re.sub(r"(\d+)\s+gb\b", r"\1gb", name.lower())
    return [w for w in re.split(r"[\s-]+", joined) if w and w not in ("nvidia", "tesla", "geforce")]


def parse(text: str, source: str) -> dict[str, Calibration]:
    """The entries of the file, by name; raises UnreadableError where it is none of ours."""
    return {name: _calibration(name, entry, source) for name, entry in _tables(text, source).items()}


def _tables(text: str, source: str) -> Mapping[str, Mapping[str, object]]:
    if sys.version_info >= (3, 11):
        import tomllib

        try:
            found = tomllib.loads(text).get("devices", {})
        except tomllib.TOMLDecodeError as error:
            raise UnreadableError(f"not TOML: {error}", path=source, help="mend it, or take the file away") from None
        return {str(k): v for k, v in found.items() if isinstance(v, dict)} if isinstance(found, dict) else {}
    return plain_tables(text, source)


def plain_tables(text: str, source: str) -> dict[str, dict[str, object]]:
    """The part of TOML that we write: sections `[devices."NAME"]`, numbers, texts, comments (Python below 3.11 has no reader)."""
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
            raise UnreadableError(f"not a text: {error}", span=here, help="mend it, or take the file away") from None
        offset += len(line)
    return tables


def _unquoted(text: str) -> str:
    return str(json.loads(text)) if text.startswith('"') else text


def _calibration(name: str, entry: Mapping[str, object], source: str) -> Calibration:
    context, blas, cudnn = (entry.get(key) for key in NUMBERS)
    if not isinstance(context, int) or not isinstance(blas, int) or not (cudnn is None or isinstance(cudnn, int)):
        raise UnreadableError(f"the entry of {name!r} lacks context_bytes or blas_bytes", path=source, help="take the entry away")
    return Calibration(name, context, blas, cudnn, str(entry.get("note", "")))


def edited(text: str, new: Calibration) -> str:
    """The text of the file with the entry `new` in place of an older one; every other line stays as it is."""
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

"""The rows of a recording as they are kept, and what differs from them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from .recordings import HERE, devices, read
from .replay import Rows, of_stream, of_texts

FIGURES = HERE / "figures"


def kept(name: str) -> Path:
    """The file with the rows of a recording."""
    return FIGURES / f"{name}.txt"


def replayed(file: Path) -> Rows:
    """What a recording gives today."""
    if file.name.startswith("texts-"):
        return of_texts(read(file))
    return of_stream(read(file), devices().get(name_of(file)))


def name_of(file: Path) -> str:
    """The name of a recording."""
    return file.name.partition(".")[0]


def write(rows: Rows) -> str:
    """A line for each row: what it is of, and its fields."""
    return "".join("\t".join((key, *(f"{k}={v}" for k, v in fields.items()))) + "\n" for key, fields in rows.items())


def parse(text: str) -> Rows:
    """The rows of such a text."""
    cells = (line.split("\t") for line in text.splitlines())
    return {key: dict(field.rsplit("=", 1) for field in fields) for key, *fields in cells}


def differences(before: Rows, now: Rows) -> Iterator[str]:
    """A line for each row that is not the same, which names the fields."""
    for key in dict.fromkeys((*before, *now)):
        old, new = before.get(key), now.get(key)
        if old is None or new is None:
            yield f"{key}: {'is new' if old is None else 'is gone'}"
        elif old != new:
            fields = (name for name in dict.fromkeys((*old, *new)) if old.get(name) != new.get(name))
            yield f"{key}: " + ", ".join(f"{name} {old.get(name, 'nothing')} -> {new.get(name, 'nothing')}" for name in fields)

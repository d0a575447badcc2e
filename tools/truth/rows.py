"""The rows that were measured so far: a line of JSON for each script under each set of flags, kept beside this file."""

from __future__ import annotations

import fcntl
import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from tests.memory.stand.catalogue import Model

from .measure import FunctionRow, ScriptRow

ROWS = Path(__file__).with_name("rows.jsonl")


def load(file: Path = ROWS) -> list[ScriptRow]:
    """The rows of a file, in its order; none where there is no file."""
    return [_row(json.loads(line)) for line in file.read_text().splitlines()] if file.exists() else []


def save(rows: Sequence[ScriptRow], file: Path = ROWS) -> None:
    """Writes rows, one a line."""
    file.write_text("".join(json.dumps(asdict(row), separators=(",", ":")) + "\n" for row in rows))


@contextmanager
def alone(file: Path = ROWS) -> Iterator[None]:
    """While it lasts nobody else changes the rows."""
    with file.open("a") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def merged(old: Sequence[ScriptRow], new: ScriptRow, models: Sequence[Model], flags: Sequence[str]) -> list[ScriptRow]:
    """The rows with a new one in the place that the lists give it; rows of scripts or flags that are in neither are left out.

    A smallest device that was found before stays where it was not looked for again and the need is the same.
    """
    rows = {(row.title, row.flags): row for row in old}
    key = (new.title, new.flags)
    before = rows.get(key)
    if before is not None and new.smallest[1] is None and before.smallest[0] == new.smallest[0]:
        new = replace(new, smallest=before.smallest)
    rows[key] = new
    return [rows[model.title, flag] for model in models for flag in flags if (model.title, flag) in rows]


def _function(table: dict[str, Any]) -> FunctionRow:
    soonest = table.get("soonest")
    return FunctionRow(table["function"], table["name"], tuple(table["live"]), tuple(table["reserved"]), soonest and tuple(soonest))


def _row(table: dict[str, Any]) -> ScriptRow:
    functions = tuple(_function(f) for f in table["functions"])
    fixed = {**table, "functions": functions, "requests": tuple(table["requests"]), "smallest": tuple(table["smallest"])}
    return ScriptRow(**fixed)

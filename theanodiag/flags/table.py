"""The flags of every version, from the data in `data/`, which `tools/flag_table.py` generates from the real libraries."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from ..errors import UsageError
from .model import Computed, Dialect, Flag, FlagKind, FlagNote, FlagTable

DATA = Path(__file__).parent / "data"
THEANO = "1.0.5"
"""The last version of Theano of its own project."""


def load_table(dialect: Dialect, version: str | None = None) -> FlagTable:
    """The flags of `version`, or of the known version that stands for it: see `nearest`."""
    return _table(dialect, nearest(dialect, version))


def usual(dialect: Dialect) -> str | None:
    """The version that is meant if none is named: the last of Theano's own project; None, the newest, for the others."""
    return THEANO if dialect is Dialect.THEANO else None


def versions(dialect: Dialect) -> tuple[str, ...]:
    """The known versions, oldest first."""
    return tuple(_data(dialect)["versions"])


def nearest(dialect: Dialect, version: str | None) -> str:
    """The known version that stands for `version`: itself, else the next later one, else the newest.

    Raises `UsageError` where the text is no version.
    """
    known = versions(dialect)
    if version is None:
        return known[-1]
    wanted = number(version)
    return next((v for v in known if number(v) >= wanted), known[-1])


def number(version: str) -> tuple[int, ...]:
    """A version as a tuple of numbers for comparison; suffixes such as `+dev` and `rc1` are dropped. Raises `UsageError` where it is none.

    >>> number("0.9"), number("1.0.5rc1")
    ((0, 9, 0), (1, 0, 5))
    """
    match = re.match(r"v?(\d{1,9}(?:\.\d{1,9})*)(?!\d)", version.strip())
    if not match:
        raise UsageError(f"not a version: {version!r}", help="write one such as 1.0.5")
    parts = tuple(int(part) for part in match[1].split("."))
    return parts + (0,) * (3 - len(parts))


def advice(dotted: str) -> FlagNote | None:
    """The hand-written advice on a flag of any dialect; None where there is none."""
    return _advice().get(dotted)


@cache
def _data(dialect: Dialect) -> dict[str, Any]:
    loaded: dict[str, Any] = json.loads((DATA / f"{dialect.value}.json").read_text("utf-8"))
    return loaded


@cache
def _advice() -> dict[str, FlagNote]:
    rows = json.loads((DATA / "advice.json").read_text("utf-8"))
    return {row["name"]: FlagNote(row["name"], row.get("successor"), row.get("note", "")) for row in rows}


@cache
def _table(dialect: Dialect, version: str) -> FlagTable:
    data, wanted = _data(dialect), number(version)
    order = next(o["order"] for o in data["orders"] if number(o["first"]) <= wanted <= number(o["last"]))
    return FlagTable(dialect, version, tuple(flag_of(dialect, data["flags"][i]) for i in order))


def flag_of(dialect: Dialect, row: Mapping[str, Any]) -> Flag:
    """A Flag from its row of the data, in which defaults are left out."""
    default = row["default"]
    return Flag(
        name=row["name"],
        dialect=dialect,
        first=row["first"],
        last=row["last"],
        kind=FlagKind(row["kind"]),
        default=Computed(default["computed"]) if isinstance(default, dict) else default,
        choices=tuple(row.get("choices", ())),
        check=row.get("check"),
        mutable=row.get("mutable", True),
        in_c_key=row.get("in_c_key", False),
        doc=row["doc"],
        aliases=tuple(row.get("aliases", {}).items()),
        without_cxx=tuple(row.get("without_cxx", ())),
        warns_before=row.get("warns_before"),
    )

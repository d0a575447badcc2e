"""Typed access to JSON values: every error names the place in the document."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..errors import UnreadableError

MOST_DIGITS = 18
"""The largest number of digits of a numeric key: no document has more entries."""


@dataclass(frozen=True)
class Cursor:
    """A place in a JSON document: its value, and the path to it."""

    value: object
    parent: Cursor | None = None
    """The enclosing place; None for the root."""
    step: str | int = ""
    """Key or index in the parent; at the root the name of the document."""

    @property
    def path(self) -> str:
        """The path from the root, such as `graph.variables[3].type`."""
        if self.parent is None:
            return str(self.step)
        return self.parent.path + (f"[{self.step}]" if isinstance(self.step, int) else f".{self.step}")

    def wrong(self, what: str) -> UnreadableError:
        """The error to raise about this place."""
        return UnreadableError(f"{self.path}: {what}")

    def key(self, name: str) -> Cursor:
        """The place at a key of this object; raises UnreadableError where the key is missing or null."""
        place = self.maybe(name)
        if place is None:
            raise self.wrong(f"has no {name!r}")
        return place

    def maybe(self, name: str) -> Cursor | None:
        """The place at a key of this object; None where the key is missing or null."""
        value = self.table().get(name)
        return None if value is None else Cursor(value, self, name)

    def table(self) -> Mapping[str, object]:
        """This value as an object; raises UnreadableError where it is none."""
        if not isinstance(self.value, dict):
            raise self.wrong(f"expected an object, found {_kind(self.value)}")
        return self.value

    def rows(self, name: str | None = None) -> Iterator[Cursor]:
        """The elements of this list; with `name`, of the list at that key, none where the key is missing."""
        here = self if name is None else self.maybe(name)
        if here is None:
            return
        if not isinstance(here.value, (list, tuple)):
            raise here.wrong(f"expected a list, found {_kind(here.value)}")
        for i, value in enumerate(here.value):
            yield Cursor(value, here, i)

    def integer(self) -> int:
        """This value as an integer; raises UnreadableError where it is none."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.wrong(f"expected an integer, found {_kind(self.value)}")
        return self.value

    def text(self) -> str:
        """This value as a string; raises UnreadableError where it is none."""
        if not isinstance(self.value, str):
            raise self.wrong(f"expected a string, found {_kind(self.value)}")
        return self.value

    def integers(self, name: str) -> tuple[int, ...]:
        """The list of integers at a key; empty where the key is missing."""
        return tuple(row.integer() for row in self.rows(name))

    def maybe_text(self, name: str) -> str | None:
        """The string at a key; None where it is missing or null."""
        place = self.maybe(name)
        return None if place is None else place.text()

    def number(self) -> float | None:
        """This value as a float; None where it is no number."""
        return float(self.value) if isinstance(self.value, (int, float)) else None

    def maybe_integer(self, name: str) -> int | None:
        """The integer at a key; None where it is missing or null."""
        place = self.maybe(name)
        return None if place is None else place.integer()

    def by_number(self, name: str) -> Iterator[tuple[int, Cursor]]:
        """(key, place) of the entries of the object at a key, whose keys are numbers; none where the key is missing."""
        here = self.maybe(name)
        for key, value in () if here is None else here.table().items():
            if not key.isdecimal() or len(key) > MOST_DIGITS:
                raise Cursor(value, here, key).wrong("expected a number as the key")
            yield int(key), Cursor(value, here, key)


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), f"{value!r}")

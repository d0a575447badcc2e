"""What the documents have in common: writing, reading, and shared objects."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Annotated, Any, Literal, Optional, TypeVar

import msgspec

from ...escaping import visible_json
from ...findings import Confidence, Disposition, Finding, Fix, Location, Severity
from ...ir import Shape as InnerShape
from ...ir import Unknown

Bytes = Annotated[int, msgspec.Meta(ge=0)]
Count = Annotated[int, msgspec.Meta(ge=0)]
Line = Annotated[int, msgspec.Meta(ge=1)]
RuleCode = Annotated[str, msgspec.Meta(pattern="^TD[0-9]{3}$")]
Shape = Annotated[
    Optional[list[Optional[int]]], msgspec.Meta(description="null where nothing is known of it; a dimension is null where it is not known")
]
SeverityName = Literal["info", "warning", "error"]
ConfidenceName = Literal["guessed", "bounded", "derived", "measured"]


def either(*kinds: str | None) -> msgspec.Meta:
    """Returns the schema of a value that is one of several objects (by their names), or null. msgspec supports a union of objects only if
    each has a tag. These have none, so such a value is read back as plain JSON.
    """
    several = [{"type": "null"} if kind is None else {"$ref": f"#/$defs/{kind}"} for kind in kinds]
    return msgspec.Meta(extra_json_schema={"anyOf": several})


class Part(msgspec.Struct):
    """An object in a document. Its keys are in the order of the fields."""


class Document(Part):
    """A whole document; its first key, `schema`, identifies its type."""


LONGEST = 200
"""Maximum number of digits of a whole number in a document; a float holds 308."""

P = TypeVar("P", bound=Part)
T = TypeVar("T")


def from_attributes(kind: type[P], value: object) -> P:
    """Makes an object of type `kind` whose fields are the attributes of the same names of `value`. Raises msgspec.ValidationError if a type
    differs.
    """
    return msgspec.convert(value, kind, from_attributes=True)


def optional(make: Callable[[T], P], value: T | None) -> P | None:
    """Returns `make(value)`; None if `value` is None."""
    return None if value is None else make(value)


def builtins(document: Part) -> dict[str, Any]:
    """Returns the document as dicts, lists, strings and numbers, as the module `json` accepts it."""
    fields: dict[str, Any] = msgspec.to_builtins(document)
    return fields


def text(document: Part) -> str:
    """Returns the document as JSON text that ends with a newline. msgspec cannot write it: file names may contain bytes that are
    not UTF-8.
    """
    return visible_json(json.dumps(builtins(document), indent=2)) + "\n"


def read(data: bytes | str, kind: type[P]) -> P:
    """Parses a JSON document of type `kind`; unknown keys are ignored. Raises ValueError with the place for invalid data."""
    try:
        return convert(json.loads(data, parse_int=_integer), kind)
    except RecursionError as error:
        raise ValueError(str(error)) from None


def _integer(digits: str) -> int:
    """Converts digits to an int. Raises ValueError for more than `LONGEST` digits, which no size has and no float holds."""
    if len(digits) > LONGEST:
        raise ValueError(f"a number of {len(digits)} digits")
    return int(digits)


def convert(value: object, kind: type[P]) -> P:
    """Converts dicts, lists, strings and numbers to an object of type `kind`. Raises ValueError with the place for invalid data."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def shape(value: InnerShape | Unknown) -> list[int | None] | None:
    """Converts a shape for a JSON document: a list with null for each unknown dimension; null if the shape is unknown."""
    return None if isinstance(value, Unknown) else [None if isinstance(d, Unknown) else d for d in value]


def number_or_none(value: int | Unknown) -> int | None:
    """Converts a figure for a JSON document: the number, or null if it is unknown."""
    return None if isinstance(value, Unknown) else value


class LocationV1(Part):
    """A place in a file, an environment variable or a graph."""

    path: str
    line: Optional[Line]
    column: Optional[Line]
    detail: Optional[str]


class FixV1(Part):
    """How a finding can be resolved."""

    title: str
    disposition: Disposition
    code: Optional[str]


class DescribedV1(Part):
    """The fields of a finding that every document contains."""

    code: RuleCode
    severity: SeverityName
    confidence: ConfidenceName
    message: str
    location: LocationV1
    fix: Optional[FixV1]

    def finding(self, notes: Sequence[str]) -> Finding:
        """Converts the JSON object back to a `Finding`, with these notes."""
        place, fix = self.location, self.fix
        return Finding(
            self.code, Severity[self.severity.upper()], Confidence[self.confidence.upper()], self.message,
            Location(place.path, place.line, place.column, place.detail),
            None if fix is None else Fix(fix.title, fix.disposition, fix.code), notes=tuple(notes),
        )  # fmt: skip


def described(f: Finding) -> dict[str, Any]:
    """Returns the values of the fields of `DescribedV1` for a finding, by name."""
    return {
        "code": f.code,
        "severity": f.severity.name.lower(),
        "confidence": f.confidence.name.lower(),
        "message": f.message,
        "location": from_attributes(LocationV1, f.location),
        "fix": f.fix and FixV1(f.fix.title, f.fix.disposition, f.fix.code),
    }


class UnknownV1(Part):
    """An unknown figure."""

    unknown: str
    """why it is unknown"""

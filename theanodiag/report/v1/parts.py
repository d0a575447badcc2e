"""What the documents have in common: how they are written and read, and the parts that several of them have."""

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
    """The schema of a value that is one of several parts (by their names), or null: msgspec takes a union of objects only where a key of
    each says which it is, and these have none. Such a value is read back as it is in JSON."""
    several = [{"type": "null"} if kind is None else {"$ref": f"#/$defs/{kind}"} for kind in kinds]
    return msgspec.Meta(extra_json_schema={"anyOf": several})


class Part(msgspec.Struct):
    """An object in a document. Its keys stand in the order of the fields."""


class Document(Part):
    """A whole document; the first key, `schema`, says which."""


P = TypeVar("P", bound=Part)
T = TypeVar("T")


def from_attributes(kind: type[P], value: object) -> P:
    """The part whose fields are the attributes of those names of a dataclass. Raises msgspec.ValidationError where a type differs."""
    return msgspec.convert(value, kind, from_attributes=True)


def optional(make: Callable[[T], P], value: T | None) -> P | None:
    """What `make` makes of a value; None for None."""
    return None if value is None else make(value)


def builtins(document: Part) -> dict[str, Any]:
    """The document as dicts, lists, texts and numbers."""
    fields: dict[str, Any] = msgspec.to_builtins(document)
    return fields


def text(document: Part) -> str:
    """The document as text that ends with a newline. Not by msgspec: names of files may have bytes that are no UTF-8."""
    return visible_json(json.dumps(builtins(document), indent=2)) + "\n"


def read(data: bytes | str, kind: type[P]) -> P:
    """The document in `data`; keys that this version does not know are passed over. Raises ValueError, which says where, for all else."""
    try:
        return convert(json.loads(data), kind)
    except RecursionError as error:
        raise ValueError(str(error)) from None


def convert(value: object, kind: type[P]) -> P:
    """The part that dicts, lists, texts and numbers make. Raises ValueError, which says where, for what is none."""
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from None


def shape(value: InnerShape | Unknown) -> list[int | None] | None:
    """A shape as documents have it."""
    return None if isinstance(value, Unknown) else [None if isinstance(d, Unknown) else d for d in value]


def known(value: int | Unknown) -> int | None:
    """A number, None where it is not known."""
    return None if isinstance(value, Unknown) else value


class LocationV1(Part):
    """A place in a file, an environment variable or a graph."""

    path: str
    line: Optional[Line]
    column: Optional[Line]
    detail: Optional[str]


class FixV1(Part):
    """What to do about a finding."""

    title: str
    disposition: Disposition
    code: Optional[str]


class DescribedV1(Part):
    """What every document has of a finding."""

    code: RuleCode
    severity: SeverityName
    confidence: ConfidenceName
    message: str
    location: LocationV1
    fix: Optional[FixV1]

    def finding(self, notes: Sequence[str]) -> Finding:
        """The finding, with these notes, as far as every document has it."""
        place, fix = self.location, self.fix
        return Finding(
            self.code, Severity[self.severity.upper()], Confidence[self.confidence.upper()], self.message,
            Location(place.path, place.line, place.column, place.detail),
            None if fix is None else Fix(fix.title, fix.disposition, fix.code), notes=tuple(notes),
        )  # fmt: skip


def described(f: Finding) -> dict[str, Any]:
    """The fields of `DescribedV1`."""
    return {
        "code": f.code,
        "severity": f.severity.name.lower(),
        "confidence": f.confidence.name.lower(),
        "message": f.message,
        "location": from_attributes(LocationV1, f.location),
        "fix": f.fix and FixV1(f.fix.title, f.fix.disposition, f.fix.code),
    }


class UnknownV1(Part):
    """A figure that is not known."""

    unknown: str
    """why not"""

"""Builds FunctionGraph and ShapeTable from JSON values, of which every error names the place; `readers.py` documents the format."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ..errors import UnreadableError
from .graph import GRAPH_SCHEMA, Apply, Constant, FunctionGraph, GraphInput, Op, Role, Site, Type, TypeKind, Variable
from .shape import Shape, ShapeTable, Unknown, Value, is_impossible

MOST_DIGITS = 18
"""Maximum number of digits of a numeric key; no document has more entries."""


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
        """Returns the error to raise if this place is wrong; `what` says in which way."""
        return UnreadableError(f"{self.path}: {what}")

    def key(self, name: str) -> Cursor:
        """Returns the place at the key `name` of this object. Raises UnreadableError if the key is missing or null."""
        place = self.maybe(name)
        if place is None:
            raise self.wrong(f"has no {name!r}")
        return place

    def maybe(self, name: str) -> Cursor | None:
        """Returns the place at the key `name` of this object; None if the key is missing or null."""
        value = self.table().get(name)
        return None if value is None else Cursor(value, self, name)

    def table(self) -> Mapping[str, object]:
        """Returns the value of this place as an object (dict). Raises UnreadableError if it is not one."""
        if not isinstance(self.value, dict):
            raise self.wrong(f"expected an object, found {_kind(self.value)}")
        return self.value

    def rows(self, name: str | None = None) -> Iterator[Cursor]:
        """Yields the places of the elements of this list, or with `name` of the list at that key (nothing if the key is missing). Raises
        UnreadableError if it is not a list.
        """
        here = self if name is None else self.maybe(name)
        if here is None:
            return
        if not isinstance(here.value, (list, tuple)):
            raise here.wrong(f"expected a list, found {_kind(here.value)}")
        for i, value in enumerate(here.value):
            yield Cursor(value, here, i)

    def integer(self) -> int:
        """Returns the value of this place as an integer. Raises UnreadableError if it is not one."""
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            raise self.wrong(f"expected an integer, found {_kind(self.value)}")
        return self.value

    def text(self) -> str:
        """Returns the value of this place as a string. Raises UnreadableError if it is not one."""
        if not isinstance(self.value, str):
            raise self.wrong(f"expected a string, found {_kind(self.value)}")
        return self.value

    def integers(self, name: str) -> tuple[int, ...]:
        """Returns the list of integers at the key `name`; empty if the key is missing."""
        return tuple(row.integer() for row in self.rows(name))

    def maybe_text(self, name: str) -> str | None:
        """Returns the string at the key `name`; None if the key is missing or null."""
        place = self.maybe(name)
        return None if place is None else place.text()

    def number(self) -> float | None:
        """Returns the value of this place as a float; None if it is no number."""
        return float(self.value) if isinstance(self.value, (int, float)) else None

    def maybe_integer(self, name: str) -> int | None:
        """Returns the integer at the key `name`; None if the key is missing or null."""
        place = self.maybe(name)
        return None if place is None else place.integer()

    def by_number(self, name: str) -> Iterator[tuple[int, Cursor]]:
        """Yields (key, place) for the entries of the object at the key `name`, whose keys are numbers; nothing if that key is missing."""
        here = self.maybe(name)
        for key, value in () if here is None else here.table().items():
            if not key.isdecimal() or len(key) > MOST_DIGITS:
                raise Cursor(value, here, key).wrong("expected a number as the key")
            yield int(key), Cursor(value, here, key)


def _kind(value: object) -> str:
    names = {dict: "an object", list: "a list", str: "a string", bool: "true or false", type(None): "null"}
    return names.get(type(value), f"{value!r}")


MOST_DIMENSIONS = 64
"""Maximum number of dimensions of an array. Source: NumPy 2.0, `NPY_MAXDIMS`; it was 32 before."""
DEEPEST = 20
"""Maximum number of nested inner graphs; a Scan is seldom within more than two others."""
SLICE = ("start", "stop", "step")


def graph_from_json(document: object, name: str = "graph") -> FunctionGraph:
    """Builds a FunctionGraph from JSON values; raises `UnreadableError` with the place of an error, in which the document is called
    `name`.
    """
    return _GraphReader().graph(Cursor(document, None, name))


def type_from_json(document: object) -> Type:
    """Builds a Type from JSON values; raises `UnreadableError` with the place of an error."""
    return _GraphReader().type(Cursor(document, None, "type"))


def site_from_json(document: object) -> Site | None:
    """Builds a Site from JSON values, None from null; raises `UnreadableError` with the place of an error."""
    return None if document is None else _site(Cursor(document, None, "site"))


class _GraphReader:
    """Builds graphs from one document; equal types and repeated Ops become one object."""

    def __init__(self, depth: int = 0) -> None:
        self.depth = depth
        self.types: dict[tuple[object, ...], Type] = {}
        self.ops: dict[int, Op] = {}

    def graph(self, at: Cursor) -> FunctionGraph:
        schema = at.maybe("schema")
        if schema is not None and schema.value != GRAPH_SCHEMA:
            raise schema.wrong(f"expected {GRAPH_SCHEMA!r}, found {schema.value!r}")
        variables = tuple(self.variable(i, row) for i, row in enumerate(at.rows("variables")))
        owners: dict[int, int] = {}
        applies = tuple(self.apply(i, row, owners) for i, row in enumerate(at.rows("applies")))
        return FunctionGraph(
            name=at.maybe_text("name") or "",
            inputs=tuple(_input(row) for row in at.rows("inputs")),
            outputs=at.integers("outputs"),
            variables=tuple(v if (owner := owners.get(v.id)) is None else Variable(v.id, v.type, v.name, owner, v.site) for v in variables),
            applies=applies,
            returned=at.maybe_integer("returned"),
            info={} if (info := at.maybe("info")) is None else info.table(),
        )

    def variable(self, i: int, at: Cursor) -> Variable:
        if "id" in at.table() and at.key("id").integer() != i:
            raise at.key("id").wrong(f"expected {i}, its position in the list")
        kind, name, site = self.type(at.key("type")), at.maybe_text("name"), _site(at.maybe("site"))
        constant = at.maybe("constant")
        if constant is None:
            return Variable(i, kind, name, None, site)
        value = constant.maybe("value")
        memory = constant.maybe("memory")
        number = None if memory is None else memory.integer()
        shape = _possible(constant, constant.integers("shape"))
        return Constant(i, kind, name, None, site, shape, None if value is None else value_from_json(value), number)

    def type(self, at: Cursor) -> Type:
        kind, dtype, text = at.key("kind"), at.maybe_text("dtype"), at.maybe_text("text") or ""
        shape = tuple(None if row.value is None else row.integer() for row in at.rows("shape"))
        if kind.text() not in _KINDS:
            raise kind.wrong(f"expected one of {', '.join(_KINDS)}, found {kind.value!r}")
        key = (kind.text(), dtype, shape, text)
        return self.types.setdefault(key, Type(_KINDS[kind.text()], dtype, shape, text))

    def apply(self, i: int, at: Cursor, owners: dict[int, int]) -> Apply:
        outputs = at.integers("outputs")
        owners.update((v, i) for v in outputs)
        return Apply(i, self.op(at.key("op")), at.integers("inputs"), outputs, at.integers("after"))

    def op(self, at: Cursor) -> Op:
        key = id(at.value)
        if key not in self.ops:
            inner = at.maybe("inner")
            if inner is not None and self.depth == DEEPEST:
                raise inner.wrong(f"more than {DEEPEST} graphs in one another")
            self.ops[key] = Op(
                name=at.key("name").text(),
                text=at.maybe_text("text") or at.key("name").text(),
                module=at.maybe_text("module") or "",
                params=_params(at),
                view_map=_index_map(at, "view_map"),
                destroy_map=_index_map(at, "destroy_map"),
                inner=None if inner is None else _GraphReader(self.depth + 1).graph(inner),
            )
        return self.ops[key]


_KINDS = {kind.value: kind for kind in TypeKind}
_ROLES = {role.value: role for role in Role}


def _input(at: Cursor) -> GraphInput:
    role = at.maybe_text("role") or Role.ARGUMENT.value
    if role not in _ROLES:
        raise at.key("role").wrong(f"expected one of {', '.join(_ROLES)}, found {role!r}")
    flags = at.table()
    return GraphInput(
        at.key("variable").integer(), _ROLES[role], at.maybe_integer("shared"), at.maybe_integer("update"),
        flags.get("borrow") is True, flags.get("mutable") is True,
    )  # fmt: skip


def _site(at: Cursor | None) -> Site | None:
    return None if at is None else Site(at.key("path").text(), at.key("line").integer(), at.maybe_text("function"), at.maybe_text("code"))


def _params(at: Cursor) -> Mapping[str, object]:
    """The parameters of an Op; raises where a slice of an index pattern does not have three parts."""
    place = at.maybe("params")
    for entry in place.rows("idx_list") if place is not None and isinstance(place.table().get("idx_list"), list) else ():
        if isinstance(entry.value, dict) and len(list(entry.key("slice").rows())) != len(SLICE):
            raise entry.wrong(f"a slice has {', '.join(SLICE)}")
    return {} if place is None else place.table()


def _index_map(at: Cursor, name: str) -> Mapping[int, tuple[int, ...]]:
    return {output: tuple(row.integer() for row in rows.rows()) for output, rows in at.by_number(name)}


def value_from_json(at: Cursor, rank: int = MOST_DIMENSIONS) -> Value:
    """Returns a small value with at most `rank` dimensions from JSON; lists become tuples."""
    if isinstance(at.value, (int, float)):
        return at.value
    if not rank:
        raise at.wrong(f"an array has at most {MOST_DIMENSIONS} dimensions")
    return tuple(value_from_json(row, rank - 1) for row in at.rows())


def table_from_json(document: object, name: str = "shapes") -> ShapeTable:
    """Builds a ShapeTable from JSON values; raises `UnreadableError` with the place of an error."""
    return _read_table(Cursor(document, None, name))


def _read_table(at: Cursor, depth: int = 0) -> ShapeTable:
    if depth > DEEPEST:
        raise at.wrong(f"more than {DEEPEST} shape tables in one another")
    reasons = {i: row.text() for i, row in at.by_number("unknown")}
    shapes = {i: _read_shape(row, Unknown(reasons.get(i, "no shape was inferred"))) for i, row in at.by_number("shapes")}
    return ShapeTable(
        shapes=shapes,
        values={i: value_from_json(row) for i, row in at.by_number("values")},
        inner={i: _read_table(row, depth + 1) for i, row in at.by_number("inner")},
        bounded=frozenset(at.integers("bounded")),
    )


def _read_shape(at: Cursor, unknown: Unknown) -> Shape | Unknown:
    if at.value is None:
        return unknown
    return _possible(at, tuple(unknown if row.value is None else row.integer() for row in at.rows()))


def _possible(at: Cursor, shape: Shape) -> Shape:
    """The shape, if an array can have it; raises where a dimension is negative or too large."""
    if is_impossible(shape) or any(isinstance(d, int) and d < 0 for d in shape):
        raise at.wrong("no array can have this shape")
    return shape

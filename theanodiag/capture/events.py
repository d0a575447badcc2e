"""Turns the hook's events into a Script, one by one. The keys of each event are listed in `protocol.py`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from ..ir import ShapeTable, Unknown
from ..ir.cursor import Cursor
from ..ir.graph import Site
from ..ir.serial import site_from_json, table_from_json, type_from_json, value_from_json
from ..ir.shape import Shape
from ..ir.traverse import verify_table
from ..memory.script import (
    BaseArray,
    Call,
    CallInput,
    Compile,
    CompiledFunction,
    Create,
    Delete,
    DropConstant,
    Event,
    GetValue,
    Release,
    Script,
    SetValue,
    SharedVariable,
)
from ..readers import graph_from_document


class Reader:
    """Collects the events of one process.

    A function whose graph could not be read is left out, and the functions after it are renumbered.
    """

    def __init__(self) -> None:
        self.shared: dict[int, SharedVariable] = {}
        """Id in the stream -> shared variable."""
        self.functions: list[CompiledFunction] = []
        self.numbers: dict[int, int] = {}
        """Index of a function in the stream -> its number in the Script."""
        self.tables: dict[tuple[int, int], ShapeTable] = {}
        """(index of the function, signature) -> shape table."""
        self.events: list[Event] = []
        self.handlers: Mapping[str, Callable[[Cursor], None]] = {
            "shared": self._shared,
            "set_value": self._set_value,
            "get_value": self._get_value,
            "delete": self._delete,
            "function": self._function,
            "shapes": self._shapes,
            "call": self._call,
            "result": self._result,
            "release": self._release,
        }
        """Kind of event -> what reads it."""

    def read(self, at: Cursor) -> None:
        """Processes one event; ignores event kinds that say nothing about the Script."""
        handler = self.handlers.get(at.key("event").text())
        if handler is not None:
            handler(at)

    def script(self, flags: Mapping[str, object], framework: str = "", environment: Mapping[str, str] | None = None) -> Script:
        """The Script made of all events read so far, with the framework's flags, its name and the environment variables of allocators."""
        return Script(dict(self.shared), tuple(self.functions), tuple(self.events), flags, framework, environment or {})

    def _known(self, at: Cursor) -> int:
        """The id at `at`, which must be that of a shared variable already announced by an event `shared`, else the cursor's error."""
        number = at.integer()
        if number not in self.shared:
            raise at.wrong(f"there is no shared variable {number}")
        return number

    def _shared(self, at: Cursor) -> None:
        number, place = at.key("id").integer(), site(at)
        self.shared[number] = SharedVariable(
            number, at.maybe_text("name"), type_from_json(at.key("type").value), place, at.maybe_integer("levels")
        )
        self.events.append(Create(number, shape(at.maybe("shape")), place, at.maybe_text("digest")))

    def _set_value(self, at: Cursor) -> None:
        dims, buffer, number = shape(at.maybe("shape")), at.maybe_text("buffer"), self._known(at.key("id"))
        digest, on_device, result = at.maybe_text("digest"), flag(at, "on_device"), at.maybe_integer("result")
        self.shared[number] = _with_levels(self.shared[number], at.maybe_integer("levels"))
        self.events.append(SetValue(number, dims, flag(at, "borrow"), buffer, site(at), digest, on_device, result))

    def _get_value(self, at: Cursor) -> None:
        result = at.maybe_integer("result")
        self.events.append(GetValue(self._known(at.key("id")), flag(at, "borrow"), flag(at, "internal"), site(at), result))

    def _delete(self, at: Cursor) -> None:
        shared, function = at.maybe_integer("shared"), at.maybe_integer("function")
        if shared is not None:
            self.events.append(Delete(shared=shared, collected=flag(at, "collected")))
        elif function in self.numbers:
            self.events.append(Delete(function=self.numbers[function], collected=flag(at, "collected")))
        constant = at.maybe_integer("constant")
        if constant is not None and not flag(at, "collected"):
            self.events.append(DropConstant(constant))

    def _function(self, at: Cursor) -> None:
        document = at.maybe("graph")
        if document is None:
            return
        index = at.key("index").integer()
        if index in self.numbers:
            raise at.wrong(f"function {index} is told twice")
        gc = at.table().get("allow_gc")
        graph, name, linker = graph_from_document(document.value), at.key("name").text(), at.key("linker").text()
        borrowed = frozenset(row.integer() for row in at.rows("borrowed")) if at.maybe("borrowed") else frozenset()
        for entry in graph.inputs:
            if entry.shared is not None and entry.shared not in self.shared:
                raise document.wrong(f"there is no shared variable {entry.shared}")
        number = self.numbers[index] = len(self.functions)
        self.functions.append(CompiledFunction(number, name, graph, linker, gc if isinstance(gc, bool) else None, site(at), borrowed))
        self.events.append(Compile(number))

    def _shapes(self, at: Cursor) -> None:
        function, signature, table = at.key("function").integer(), at.key("signature").integer(), table_from_json(at.key("table").value)
        if function in self.numbers:
            verify_table(self.functions[self.numbers[function]].graph, table, at.key("table").path)
            self.tables[function, signature] = table

    def _call(self, at: Cursor) -> None:
        function, signature = at.key("function").integer(), at.key("signature").integer()
        if function not in self.numbers:
            return
        inputs = tuple(argument(row) for row in at.rows("inputs"))
        roles = self.functions[self.numbers[function]].graph.roles
        if any(i.variable not in roles for i in inputs):
            raise at.key("inputs").wrong("an argument is not an input of the function")
        table = self.tables.get((function, signature), ShapeTable({}))
        self.events.append(Call(self.numbers[function], inputs, table, site(at), flag(at, "assumed"), dropped=flag(at, "dropped")))

    def _result(self, at: Cursor) -> None:
        """Adds to the last recorded call which device arrays it handed out (event `result`)."""
        last = self.events[-1] if self.events else None
        if isinstance(last, Call) and last.function == self.numbers.get(at.key("function").integer()) and not last.device_results:
            pairs = [[part.integer() for part in row.rows()] for row in at.rows("outputs")]
            self.events[-1] = replace(last, device_results=tuple((p[0], p[1]) for p in pairs if len(p) == 2))

    def _release(self, at: Cursor) -> None:
        if not flag(at, "collected"):
            self.events.append(Release(at.key("result").integer()))


def _with_levels(variable: SharedVariable, levels: int | None) -> SharedVariable:
    """`variable` after further values were set: keeps `levels` if they have the same, or are all zero; else sets it to None."""
    if levels == 0:
        return variable
    return replace(variable, levels=levels if variable.levels in (0, levels) else None)


def flag(at: Cursor, name: str) -> bool:
    """Whether the key `name` is present and true."""
    return at.table().get(name) is True


def site(at: Cursor) -> Site | None:
    """The source location at the key `site`; None where the event has none."""
    place = at.maybe("site")
    return None if place is None else site_from_json(place.value)


def argument(at: Cursor) -> CallInput:
    """Reads one element of a call's `inputs`."""
    small = at.maybe("value")
    return CallInput(
        at.key("variable").integer(), at.maybe_text("name"), at.maybe_text("dtype"), shape(at.maybe("shape")),
        None if small is None else value_from_json(small), at.maybe_text("buffer"), flag(at, "on_device"), at.maybe_text("digest"),
        whole(at.maybe("part_of")), at.maybe_integer("result"),
    )  # fmt: skip


def whole(at: Cursor | None) -> BaseArray | None:
    """The array of which an argument is a view (key `part_of`); None if it is not a view."""
    return None if at is None else BaseArray(at.maybe_text("buffer"), shape(at.maybe("shape")), at.key("bytes").integer())


def shape(at: Cursor | None) -> Shape | Unknown:
    """Reads a shape: Unknown where the value has none, an Unknown entry for each length that is null.

    Raises the cursor's error for a negative length.
    """
    if at is None:
        return Unknown("the value has no shape")
    dims = tuple(Unknown("its length is not known") if row.value is None else row.integer() for row in at.rows())
    if any(isinstance(d, int) and d < 0 for d in dims):
        raise at.wrong("no array can have this shape")
    return dims

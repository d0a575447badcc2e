"""Shape tables of functions for the arguments of their calls; each table is written once."""

import json

from ..shapes.infer import LiveShapes
from .input_values import Invented, conditions, outline_of
from .program import CallShapes, Program, small_integer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .stream import Stream

STAND_IN = 1
"""Length used for a dimension of unknown length in a dry call's result."""


class ShapeRecorder(object):
    """Infers shapes with the framework's own rules and writes the events `shapes`."""

    def __init__(self, stream: "Stream", invented: Invented) -> None:
        self.stream = stream
        self.invented = invented

    def learn(self, program: Program, values: "Live", believed: "tuple[int, ...]" = ()) -> CallShapes:
        """The shapes that follow from the inputs' values. If inference fails, that is reported once and the call continues without shapes.

        At the positions `believed`, a value that is not an integer decides a branch.
        """
        try:
            table, outputs = self.infer(program, values, believed)
        except Exception as error:
            self._tell(program, "shapes of %s" % program.name, "%s: %s" % (type(error).__name__, error))
            table, outputs = {}, [(None, None) for _ in program.fgraph.outputs]
        return self.number(program, table, outputs)

    def outline(self, program: Program, values: "Live", believed: "tuple[int, ...]") -> "Live":
        """The shapes and branches that follow from the inputs' values; None if inference fails."""
        try:
            table = self.infer(program, values, believed)[0]
        except Exception:
            return None
        return outline_of(table), branches_of(program, table)

    def infer(self, program: Program, values: "Live", believed: "tuple[int, ...]") -> "tuple[dict[str, Live], list[Live]]":
        """The shape table for these inputs, and (shape, known value or None) of each output."""
        if program.live is None:
            program.live = LiveShapes(program.walk)
        shapes = shapes_of(values)
        small = dict((i, v) for i, v in enumerate(values) if i in believed or small_integer(v) is not None)
        state = program.live.run(shapes, small)
        return program.live.as_table(state), [self._output(program, v, state) for v in program.fgraph.outputs]

    def next_values(self, program: Program, values: "Live", nodes: "set[int]") -> "dict[int, Live]":
        """Output position -> known value, computed only by the nodes at the positions `nodes`; empty if inference fails."""
        small = dict((i, v) for i, v in enumerate(values) if small_integer(v) is not None)
        try:
            state = program.live.run(shapes_of(values), small, nodes)
        except Exception:
            return {}
        return dict((i, self._value(v, state)) for i, v in enumerate(program.fgraph.outputs))

    @staticmethod
    def _value(variable: "Live", state: "Live") -> "Live":
        return None if variable in state.tainted else state.value(variable)

    def _output(self, program: Program, variable: "Live", state: "Live") -> "Live":
        shape = state.shapes.get(variable)
        if shape is None:
            return None, None
        if None in shape:
            reason = "what %s returns has length %d where it is not known (%s)" % (program.name, STAND_IN, state.why(variable))
            self._tell(program, "values of %s" % program.name, reason)
        return tuple(STAND_IN if n is None else int(n) for n in shape), self._value(variable, state)

    def _tell(self, program: Program, what: str, reason: str) -> None:
        if what not in program.skipped:
            program.skipped.add(what)
            self.stream.emit("skipped", what=what, reason=reason)

    def number(self, program: Program, table: "dict[str, Live]", outputs: "list[Live]") -> CallShapes:
        """Converts a table to CallShapes; a new table is numbered and written. Tables are equal if their shapes and branches are."""
        key = json.dumps([branches_of(program, table)] + [table.get(k) for k in ("shapes", "unknown", "bounded", "inner")], sort_keys=True)
        known = program.tables.get(key)
        if known is None and program.index >= 0:
            number = program.tables[key] = len(program.tables)
            self.stream.emit("shapes", function=program.index, signature=number, table=table)
            return CallShapes(number, outputs, True)
        return CallShapes(known or 0, outputs, False)


def shapes_of(values: "Live") -> "dict[int, tuple[int, ...]]":
    """Position -> shape, for inputs that have one."""
    return dict((i, v.shape) for i, v in enumerate(values) if getattr(v, "shape", None) is not None)


def branches_of(program: Program, table: "dict[str, Live]") -> "list[Live]":
    """For each lazy node, whether its condition holds; None if unknown."""
    values = dict((str(k), v) for k, v in (table.get("values") or {}).items())
    return [taken(values.get(c)) for c in conditions_of(program)]


def conditions_of(program: Program) -> "list[str]":
    """Ids of the lazy nodes' conditions, as keys of the table's values."""
    ids = program.ids()
    return sorted(str(ids[v]) for v in conditions(program.fgraph) if v in ids)


def taken(value: "Live") -> "Live":
    """A condition's value as bool; None if unknown."""
    return bool(value) if isinstance(value, (bool, int, float)) else value

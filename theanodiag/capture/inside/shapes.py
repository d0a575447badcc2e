"""Shape tables of functions for the arguments they were called with; each table is written once."""

import json

from .program import Found, Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live
    from .stream import Stream


class Shapes(object):
    """Infers shapes by the framework's own rules and writes the events `shapes`."""

    def __init__(self, stream: "Stream") -> None:
        self.stream = stream

    def learn(self, program: Program, values: "Live") -> Found:
        """What these values of the inputs lead to; a function whose shapes cannot be inferred is told once and goes on."""
        try:
            table, outputs = self.infer(program, values)
        except Exception as error:
            self.stream.emit("skipped", what="shapes of %s" % program.name, reason="%s: %s" % (type(error).__name__, error))
            return Found(0, [(None, None) for _ in program.fgraph.outputs], False)
        return self.number(program, table, outputs)

    def infer(self, program: Program, values: "Live") -> "tuple[dict[str, Live], list[Live]]":
        """The table for these inputs, and (shape, known value) of each output."""
        raise NotImplementedError("not there yet")

    def number(self, program: Program, table: "dict[str, Live]", outputs: "list[Live]") -> Found:
        """Finds or writes the table: two are the same if their shapes are."""
        key = json.dumps([table.get(k) for k in ("shapes", "unknown", "bounded", "inner")], sort_keys=True)
        known = program.tables.get(key)
        if known is None and program.observer is not None:
            number = program.tables[key] = len(program.tables)
            self.stream.emit("shapes", function=program.index, signature=number, table=table)
            return Found(number, outputs, True)
        return Found(known or 0, outputs, False)

"""Shared integers that a function counts up (a step or batch index): dry calls keep counting them, and one trial shows whether shapes
depend on them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live
    from .program import Program

STEPS = (1, 1000)
"""Increments by which a counter is moved to see whether a shape changes; the large one is for slices that end far beyond the small one."""
MOST = 64
"""The longest expression, in nodes, that is evaluated for a counter's next value."""


class Counters(object):
    """The counters of one function, and the shared integers on which none of its shapes depends."""

    def __init__(self) -> None:
        self.idle = set()  # type: set[int]  # positions of inputs on which no shape depends
        self.last = {}  # type: dict[int, int]
        self.nodes = None  # type: set[int] | None  # positions of the nodes that make the next values

    def look(self, program: "Program", values: "Live", believed: "tuple[int, ...]") -> None:
        """Tries other values for each shared integer that changed since the last call; those on which no shape or branch depends are added
        to `idle`.
        """
        for i in self._moved(program, values):
            tables = [program.shapes.outline(program, shifted(values, i, step), believed) for step in (0,) + STEPS]
            if all(table is not None and table == tables[0] for table in tables):
                self.idle.add(i)

    def _moved(self, program: "Program", values: "Live") -> "list[int]":
        changed = []
        for i, value in enumerate(values):
            if i not in self.idle and i not in program.arguments and is_integer(value):
                if self.last.get(i, int(value)) != int(value):
                    changed.append(i)
                self.last[i] = int(value)
        return changed

    def counted(self, program: "Program", values: "Live") -> "dict[int, Live]":
        """Output position -> next value, for each shared integer whose update can be computed from the inputs; updates that depend on data
        are left out.
        """
        if self.nodes is None:
            self.nodes = self._needed(program)
        if not self.nodes or program.live is None:
            return {}
        made = program.shapes.next_values(program, values, self.nodes)
        return dict((i, made[i].astype(values[k].dtype)) for i, k in program.updates if is_integer(values[k]) and made.get(i) is not None)

    @staticmethod
    def _needed(program: "Program") -> "set[int]":
        nodes = set()  # type: set[int]
        if program.walk is None:
            return nodes
        for output, _ in program.updates:
            variable = program.fgraph.outputs[output]
            if str(getattr(variable.type, "dtype", "")).startswith(("int", "uint")) and getattr(variable.type, "ndim", 1) == 0:
                nodes.update(program.walk.positions[node] for node in ancestors(variable))
        return nodes


def ancestors(variable: "Live") -> "set[Live]":
    """The nodes from which a Variable is computed; empty where there are more than `MOST`."""
    found = set()  # type: set[Live]
    todo = [variable]
    while todo and len(found) <= MOST:
        node = todo.pop().owner
        if node is not None and node not in found:
            found.add(node)
            todo.extend(node.inputs)
    return found if not todo and len(found) <= MOST else set()


def is_integer(value: "Live") -> bool:
    """Whether a value is a zero-dimensional integer array on the host."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return kind in ("i", "u") and getattr(value, "ndim", 1) == 0 and hasattr(value, "tolist")


def shifted(values: "Live", i: int, step: int) -> "Live":
    """A copy of `values` in which `step` is added to the value at position `i`."""
    other = list(values)
    other[i] = (values[i] + step).astype(values[i].dtype)
    return other


def outline_of(table: "dict[str, Live]") -> "dict[str, Live]":
    """The shapes of a shape table, also those inside of loops, without the known values."""
    found = dict((key, table.get(key)) for key in ("shapes", "unknown", "bounded"))
    found["inner"] = dict((position, outline_of(inner)) for position, inner in (table.get("inner") or {}).items())
    return found

"""Shared integers that a script's functions count: their values go on, and whether shapes depend on them is tried once."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live
    from .program import Program

STEPS = (1, 1000)
"""By how much a counter is moved to see whether a shape follows: a slice may end far behind it."""
MOST = 64
"""Nodes of the longest expression that is followed for a counter's next value."""


class Counters(object):
    """Of one function: what it counts, and the shared integers that no shape in it depends on."""

    def __init__(self) -> None:
        self.idle = set()  # type: set[int]  # positions of inputs
        self.last = {}  # type: dict[int, int]
        self.nodes = None  # type: set[int] | None  # positions of the nodes that make the next values

    def look(self, program: "Program", values: "Live", believed: "tuple[int, ...]") -> None:
        """Finds out whether shapes depend on the shared integers that are not what they were in the call before."""
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
        """The next value of each shared integer that the function counts, by output; those that depend on data are left out."""
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
    """The nodes that a Variable is made by; none where they are more than `MOST`."""
    found = set()  # type: set[Live]
    todo = [variable]
    while todo and len(found) <= MOST:
        node = todo.pop().owner
        if node is not None and node not in found:
            found.add(node)
            todo.extend(node.inputs)
    return found if not todo and len(found) <= MOST else set()


def is_integer(value: "Live") -> bool:
    """Whether a value is a single integer in an array on the host."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return kind in ("i", "u") and getattr(value, "ndim", 1) == 0 and hasattr(value, "tolist")


def shifted(values: "Live", i: int, step: int) -> "Live":
    """The values with another one at position `i`."""
    other = list(values)
    other[i] = (values[i] + step).astype(values[i].dtype)
    return other


def outline_of(table: "dict[str, Live]") -> "dict[str, Live]":
    """What of a table are shapes, also inside of loops: values are left out."""
    found = dict((key, table.get(key)) for key in ("shapes", "unknown", "bounded"))
    found["inner"] = dict((position, outline_of(inner)) for position, inner in (table.get("inner") or {}).items())
    return found

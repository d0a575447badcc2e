"""Inputs whose values matter to a dry call, although it computes nothing: conditions of lazy Ops (IfElse), and integers.

Values that depend on the result of a dry call are invented, and must not select a branch. Dry calls do increment a shared integer that a
function counts up, such as a step or batch index; one trial shows whether shapes depend on it.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live
    from .program import CallShapes, Program


LAZY = "IfElse"
"""Class name of the Op that computes only one of its branches."""


def conditions(fgraph: "Live") -> "Iterator[Live]":
    """Yields the condition Variable of each lazy node of a graph."""
    for node in fgraph.apply_nodes:
        if type(node.op).__name__ == LAZY:
            yield node.inputs[0]


def deciding(fgraph: "Live") -> "list[int]":
    """Returns the positions of the scalar float inputs on which a condition depends. Integers are omitted: their values are always used."""
    todo, seen = list(conditions(fgraph)), set()
    while todo:
        variable = todo.pop()
        if variable not in seen:
            seen.add(variable)
            todo.extend(variable.owner.inputs if variable.owner is not None else ())
    return [i for i, v in enumerate(fgraph.inputs) if v in seen and is_fraction(v.type)]


def is_fraction(kind: "Live") -> bool:
    """Returns whether the Type `kind` is a scalar of a float dtype."""
    return str(getattr(kind, "dtype", "")).startswith("float") and getattr(kind, "ndim", 0) == 0


class Invented(object):
    """Tracks which values dry calls invented, so that an invented value never decides which branch is taken."""

    def __init__(self) -> None:
        self.returned = False  # whether the script holds, or has held, results of dry calls
        self.cells = set()  # type: set[int]  # ids of the storage cells of shared variables whose value is invented
        self.given = {}  # type: dict[int, int]  # id of such a cell -> how often the script has set its value

    def returns(self, program: "Program", shapes: "CallShapes", dropped: "Callable[[], bool]") -> None:
        """Records that a dry call returned invented values, unless it returned no values or the script discards them (`dropped()`
        is true).
        """
        made_up = any(value is None for i, (_, value) in enumerate(shapes.outputs) if i not in program.updated)
        self.returned = self.returned or (made_up and not dropped())

    def updates(self, cell: "Live") -> None:
        """Records that the value in the storage `cell` of a shared variable is invented, because a dry call did not compute its update."""
        self.cells.add(id(cell))

    def was_set(self, cell: "Live") -> None:
        """Records a `set_value`: the new value counts as invented if the script holds results of dry calls, else as real."""
        self.given[id(cell)] = self.given.get(id(cell), 0) + 1
        if self.returned:
            self.cells.add(id(cell))
        else:
            self.cells.discard(id(cell))

    def was_read(self, cell: "Live") -> None:
        """Records a `get_value`: if the value is invented, the script holds invented values from now on."""
        self.returned = self.returned or id(cell) in self.cells

    def believed(self, program: "Program", cells: "list[Live]") -> "tuple[int, ...]":
        """Returns the positions of the inputs that decide a branch and whose values are real, so that a real run would take the same
        branch.
        """
        arguments = program.arguments
        return tuple(i for i in program.deciding if id(cells[i]) not in self.cells and not (self.returned and i in arguments))


STEPS = (1, 1000)
"""Increments by which a counter is moved to see whether a shape changes; the large one is for slices that end far beyond the small one."""
MOST = 64
"""Maximum number of nodes of an expression that is evaluated for a counter's next value."""


class Counters(object):
    """The counters of one function, which are shared integers that it updates, and the counters on which none of its shapes depends."""

    def __init__(self) -> None:
        self.idle = set()  # type: set[int]  # positions of inputs on which no shape depends
        self.last = {}  # type: dict[int, int]
        self.nodes = None  # type: set[int] | None  # positions of the nodes that make the next values

    def look(self, program: "Program", values: "Live", believed: "tuple[int, ...]") -> None:
        """Finds out whether shapes depend on the shared integers that changed since the last call, by trying other values. The positions of
        those on which no shape or branch depends are added to `idle`.
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
        """Computes the next values of counters: output position -> value, for each shared integer whose update depends only on integers
        among the inputs.
        """
        if self.nodes is None:
            self.nodes = self._needed(program)
        if not self.nodes or program.live is None:
            return {}
        next_values = program.shapes.next_values(program, values, self.nodes)
        return dict(
            (i, next_values[i].astype(values[k].dtype))
            for i, k in program.updates
            if is_integer(values[k]) and next_values.get(i) is not None
        )

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
    """Returns the nodes from which a Variable is computed; empty if there are more than `MOST`."""
    nodes = set()  # type: set[Live]
    todo = [variable]
    while todo and len(nodes) <= MOST:
        node = todo.pop().owner
        if node is not None and node not in nodes:
            nodes.add(node)
            todo.extend(node.inputs)
    return nodes if not todo and len(nodes) <= MOST else set()


def is_integer(value: "Live") -> bool:
    """Returns whether a value is a zero-dimensional integer array on the host."""
    kind = getattr(getattr(value, "dtype", None), "kind", "")
    return kind in ("i", "u") and getattr(value, "ndim", 1) == 0 and hasattr(value, "tolist")


def shifted(values: "Live", i: int, step: int) -> "Live":
    """Returns a copy of `values` in which `step` is added to the value at position `i`."""
    other = list(values)
    other[i] = (values[i] + step).astype(values[i].dtype)
    return other


def outline_of(table: "dict[str, Live]") -> "dict[str, Live]":
    """Returns the shapes in a shape table, including those inside loops, without the known values. Two tables can be compared by their
    outlines.
    """
    outline = dict((key, table.get(key)) for key in ("shapes", "unknown", "bounded"))
    outline["inner"] = dict((position, outline_of(inner)) for position, inner in (table.get("inner") or {}).items())
    return outline

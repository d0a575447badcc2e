"""Which inputs decide the branches of lazy Ops (IfElse), and which of their values a dry call may rely on.

A dry call computes nothing: values that derive from its results are made up, and a branch must not be chosen by them.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from . import Live
    from .program import CallShapes, Program

LAZY = "IfElse"
"""Class name of the Op that computes only one of its branches."""


def conditions(fgraph: "Live") -> "Iterator[Live]":
    """The condition Variable of each lazy node of a graph."""
    for node in fgraph.apply_nodes:
        if type(node.op).__name__ == LAZY:
            yield node.inputs[0]


def deciding(fgraph: "Live") -> "list[int]":
    """Positions of the scalar float inputs on which a condition depends. Integers are not among them: their values are always taken."""
    todo, seen = list(conditions(fgraph)), set()
    while todo:
        variable = todo.pop()
        if variable not in seen:
            seen.add(variable)
            todo.extend(variable.owner.inputs if variable.owner is not None else ())
    return [i for i, v in enumerate(fgraph.inputs) if v in seen and is_fraction(v.type)]


def is_fraction(kind: "Live") -> bool:
    """Whether the Type `kind` is a scalar of a float dtype."""
    return str(getattr(kind, "dtype", "")).startswith("float") and getattr(kind, "ndim", 0) == 0


class Invented(object):
    """Tracks which values dry calls made up, so that no branch is chosen by a made-up number."""

    def __init__(self) -> None:
        self.returned = False  # whether the script holds, or has held, results of dry calls
        self.cells = set()  # type: set[int]  # ids of the storage cells of shared variables whose value is made up

    def returns(self, program: "Program", found: "CallShapes", dropped: "Callable[[], bool]") -> None:
        """Notes that a dry call returned made-up values, unless it has none or `dropped()` says that the script discards them."""
        made_up = any(value is None for i, (_, value) in enumerate(found.outputs) if i not in program.updated)
        self.returned = self.returned or (made_up and not dropped())

    def updates(self, cell: "Live") -> None:
        """Notes that the value in the storage `cell` of a shared variable is made up, because a dry call did not compute its update."""
        self.cells.add(id(cell))

    def was_set(self, cell: "Live") -> None:
        """Notes a `set_value`: the new value is made up if the script holds results of dry calls, else it is real again."""
        if self.returned:
            self.cells.add(id(cell))
        else:
            self.cells.discard(id(cell))

    def was_read(self, cell: "Live") -> None:
        """Notes a `get_value`: if the value is made up, the script holds made-up values from now on."""
        self.returned = self.returned or id(cell) in self.cells

    def believed(self, program: "Program", cells: "list[Live]") -> "tuple[int, ...]":
        """Positions of the inputs that decide a branch and whose values are the same in a real run."""
        arguments = program.arguments
        return tuple(i for i in program.deciding if id(cells[i]) not in self.cells and not (self.returned and i in arguments))

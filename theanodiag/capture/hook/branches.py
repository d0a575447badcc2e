"""Which values decide the branches of a graph's lazy Ops, and which of these a call that computes nothing may believe."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from . import Live
    from .program import CallShapes, Program

LAZY = "IfElse"


def conditions(fgraph: "Live") -> "Iterator[Live]":
    """The condition of each lazy node."""
    for node in fgraph.apply_nodes:
        if type(node.op).__name__ == LAZY:
            yield node.inputs[0]


def deciding(fgraph: "Live") -> "list[int]":
    """Positions of the inputs that are single numbers with a fraction and on which a condition depends."""
    todo, seen = list(conditions(fgraph)), set()
    while todo:
        variable = todo.pop()
        if variable not in seen:
            seen.add(variable)
            todo.extend(variable.owner.inputs if variable.owner is not None else ())
    return [i for i, v in enumerate(fgraph.inputs) if v in seen and is_fraction(v.type)]


def is_fraction(kind: "Live") -> bool:
    """Whether the values of a live Type are single numbers with a fraction."""
    return str(getattr(kind, "dtype", "")).startswith("float") and getattr(kind, "ndim", 0) == 0


class Invented(object):
    """What calls that compute nothing made up: a number that may come from that decides nothing."""

    def __init__(self) -> None:
        self.returned = False  # whether the script holds, or held, such results
        self.cells = set()  # type: set[int]  # ids of the cells of shared variables whose value is not what the update would have made

    def returns(self, program: "Program", found: "CallShapes", dropped: "Callable[[], bool]") -> None:
        """A function returned; `dropped` says whether the script threw the results away."""
        made_up = any(value is None for i, (_, value) in enumerate(found.outputs) if i not in program.updated)
        self.returned = self.returned or (made_up and not dropped())

    def updates(self, cell: "Live") -> None:
        """The update of a shared variable was left out."""
        self.cells.add(id(cell))

    def was_set(self, cell: "Live") -> None:
        """The script gave a shared variable a value."""
        if self.returned:
            self.cells.add(id(cell))
        else:
            self.cells.discard(id(cell))

    def was_read(self, cell: "Live") -> None:
        """The script read a shared variable."""
        self.returned = self.returned or id(cell) in self.cells

    def believed(self, program: "Program", cells: "list[Live]") -> "tuple[int, ...]":
        """Positions of the inputs whose number decides a branch and is the one that a real run would have."""
        arguments = program.arguments
        return tuple(i for i in program.deciding if id(cells[i]) not in self.cells and not (self.returned and i in arguments))

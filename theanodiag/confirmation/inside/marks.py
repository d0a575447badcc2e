"""Marks each node of a virtual machine, which still runs them in its own order.

A thunk is replaced by a callable without a `cthunk`, so that the C loop calls it as it calls any Python thunk (Theano 1.0.5,
gof/c_code/lazylinker_c.c; a callback of the linker would choose another machine: gof/vm.py, `VM_Linker.make_vm`).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from . import Live
    from .client import Look


class Nodes(object):
    """The nodes of one function in one call after another. `meter` measures; nothing is noted while `rows` is None."""

    def __init__(self, meter: "Live", storage_map: "Live") -> None:
        self.meter = meter
        self.storage_map = storage_map
        self.own = [cell for variable, cell in storage_map.items() if not hasattr(variable, "data")]  # constants are the graph's
        self.rows = None  # type: list[object] | None  # (position, op, highest live bytes, reserved) of each node that ran
        self.running = None  # type: tuple[int, str] | None
        self.high = 0

    def begin(self, arguments: "Sequence[Live]" = ()) -> None:
        """A call to be noted begins; `arguments` are the cells of what the script passed."""
        self.rows, self.running, self.high = [], None, 0
        self.meter.begin_call(self.own, arguments)

    def end(self) -> "list[object]":
        """The call is over."""
        rows, self.rows = self.rows or [], None
        return rows

    def noted(self, position: int, op: str, look: "Look") -> None:
        """A node ran."""
        self.high = max(self.high, look.high)
        if self.rows is not None:
            self.rows.append([position, op, look.high, look.reserved])


class Marked(object):
    """A thunk with a mark before and one behind."""

    def __init__(self, thunk: "Live", position: int, op: str, nodes: Nodes) -> None:
        self.thunk = thunk
        self.position = position
        self.lazy = False
        self.op = op
        self.nodes = nodes
        for name in ("inputs", "outputs", "lazy"):
            if hasattr(thunk, name):
                setattr(self, name, getattr(thunk, name))

    def __call__(self) -> "Live":
        """Runs it; a lazy one that asks for inputs has not run yet."""
        nodes = self.nodes
        if nodes.rows is None:
            return self.thunk()
        nodes.running = (self.position, self.op)
        nodes.high = max(nodes.high, nodes.meter.begin_node())
        wanted = self.thunk()
        if not (self.lazy and wanted):
            nodes.noted(self.position, self.op, nodes.meter.end_node(nodes.own))
        nodes.running = None
        return wanted


class Marking(object):
    """Takes over `make_vm` of a linker class; only functions that were announced are marked."""

    def __init__(self, meter: "Live") -> None:
        self.meter = meter
        self.announced = {}  # type: dict[int, Nodes | None]

    def announce(self, fgraph: "Live") -> None:
        """The function with this graph is about to be made."""
        self.announced[id(fgraph)] = None

    def made(self, fgraph: "Live") -> "Nodes | None":
        """It was made: its nodes, if a virtual machine runs them one by one."""
        return self.announced.pop(id(fgraph), None)

    def wrap(self, cls: "Live") -> None:
        """Takes over class `cls`."""
        original = cls.__dict__.get("make_vm")
        if original is None:
            return

        def make_vm(linker: "Live", order: "Sequence[Live]", thunks: "Live", *args: object) -> "Live":
            return self._make(original, linker, order, thunks, *args)

        cls.make_vm = make_vm

    def _make(self, original: "Callable[..., Live]", linker: "Live", order: "Live", thunks: "Live", *args: "Live") -> "Live":
        if id(linker.fgraph) in self.announced:
            nodes = self.announced[id(linker.fgraph)] = Nodes(self.meter, args[2])  # input_storage, output_storage, storage_map
            thunks = [Marked(t, i, type(node.op).__name__, nodes) for i, (node, t) in enumerate(zip(order, thunks))]
        return original(linker, order, thunks, *args)

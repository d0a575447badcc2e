"""Measures each node of a virtual machine by wrapping its thunk, without changing the execution order.

The wrapper has no attribute `cthunk`, so the C loop calls it as any Python thunk (Theano 1.0.5, gof/c_code/lazylinker_c.c). A callback of
the linker would choose another machine (gof/vm.py, `VM_Linker.make_vm`).
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .. import Live
    from .client import Look


class Nodes(object):
    """The nodes of one function and what is measured of them in one call after another.

    `meter` measures; nothing is recorded while `rows` is None.
    """

    def __init__(self, meter: "Live", storage_map: "Live") -> None:
        self.meter = meter
        self.storage_map = storage_map
        self.own = [cell for variable, cell in storage_map.items() if not hasattr(variable, "data")]  # constants are the graph's
        self.rows = None  # type: list[object] | None  # (position, op, highest live bytes, reserved) of each node that ran
        self.running = None  # type: tuple[int, str] | None
        self.high = 0

    def begin(self, arguments: "Sequence[Live]" = ()) -> None:
        """Starts recording a call; `arguments` are the cells with what the script passed."""
        self.rows, self.running, self.high = [], None, 0
        self.meter.begin_call(self.own, arguments)

    def end(self) -> "list[object]":
        """Stops recording; returns a row for each node that ran."""
        rows, self.rows = self.rows or [], None
        return rows

    def noted(self, position: int, op: str, look: "Look") -> None:
        """Records that a node ran."""
        self.high = max(self.high, look.high)
        if self.rows is not None:
            self.rows.append([position, op, look.high, look.reserved])


class Marked(object):
    """A thunk wrapped with measurements before and after it."""

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
        """Runs the thunk. One of a lazy Op that asks for further inputs has not run yet and is not recorded."""
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
    """Wraps `make_vm` of a linker class so that thunks of announced functions are marked."""

    def __init__(self, meter: "Live") -> None:
        self.meter = meter
        self.announced = {}  # type: dict[int, Nodes | None]

    def announce(self, fgraph: "Live") -> None:
        """Has the nodes of the function with the graph `fgraph` marked when it is compiled."""
        self.announced[id(fgraph)] = None

    def made(self, fgraph: "Live") -> "Nodes | None":
        """The Nodes of a function that was compiled; None where no virtual machine runs its nodes one by one."""
        return self.announced.pop(id(fgraph), None)

    def wrap(self, cls: "Live") -> None:
        """Wraps `make_vm` of class `cls`."""
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

"""Measures the calls of a script's functions, and optionally each node, while they really run.

Options: {"meter": "client" or "host", "client": path of the library preloaded before libgpuarray, "nodes": whether each node is measured,
"leave": bytes to leave free on the device, null for all, "told": whether a simulated driver reports the bytes allocated from it}.
"""

import functools
import time
import weakref

from .meters import ClientMeter, HostMeter, first_block, leave, on_gpu, resident

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .. import Live
    from .meters import MemoryReading

FUNCTIONS = ("compile.function_module", "compile.function.types", "compile.executor")
"""Modules that define `Function`: Theano; Theano-PyMC, Aesara and PyTensor 2; PyTensor 3."""
LINKERS = ("gof.vm", "link.vm")
"""Modules that define the linker of the virtual machine."""
ROOTS = ("theano", "aesara", "pytensor")
"""Names of the frameworks' packages."""


class WatchedFunction(object):
    """A function of the script, and the storage cells that it fills."""

    def __init__(self, index: int, function: "Live", nodes: "Nodes | None", reference: "Live") -> None:
        self.index = index
        self.vm = reference
        self.nodes = nodes
        self.cells = [container.storage for container in function.input_storage] + [c.storage for c in function.output_storage]
        if nodes is not None:
            self.cells = nodes.own
        self.inputs = [container.storage for container in function.input_storage]
        self.calls = 0
        self.recorded = False
        """Whether the running call is one that the capture recorded."""


class CallInstrument(object):
    """The instrument that measures the calls of functions, and optionally each node.

    `emit(**fields)` writes an event; `shared()` returns the containers of the script's shared variables.
    """

    def __init__(self, emit: "Callable[..., None]", options: "dict[str, Live]", shared: "Callable[[], Live]") -> None:
        self.emit = emit
        self.shared = shared
        self.nodes = bool(options.get("nodes", True))
        self.leave = options.get("leave")
        self.meter = HostMeter(self.cells) if options["meter"] == "host" else client_meter(options)  # type: Live
        self.marking = Marking(self.meter)
        self.known = {}  # type: dict[int, WatchedFunction]

    def cells(self) -> "list[Live]":
        """Returns the storage cells of all functions and shared variables that exist."""
        cells = [container.storage for container in self.shared()]
        for known in self.known.values():
            cells.extend(known.cells)
        return cells

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Returns a mapping: module name -> function to call after its import."""
        table = {"pygpu": self._libgpuarray} if isinstance(self.meter, ClientMeter) else {}  # type: dict[str, Callable[[Live], None]]
        for root in ROOTS:
            table.update((root + "." + name, self._function_class) for name in FUNCTIONS)
            table.update((root + "." + name, self._linker_class) for name in LINKERS)
        return table

    def _libgpuarray(self, module: "Live") -> None:
        """Wraps `pygpu.init` to learn when the device is opened (Theano 1.0.5, gpuarray/__init__.py, `init_dev`)."""
        original = module.init

        @functools.wraps(original)
        def init(*args: "Live", **kwargs: "Live") -> "Live":
            context = original(*args, **kwargs)
            why = leave(int(self.leave)) if self.leave is not None else None
            self.meter.opened(context, first_block(kwargs))
            if why is not None:
                self.emit(what="note", note=why)
            return context

        module.init = init

    def _function_class(self, module: "Live") -> None:
        cls = getattr(module, "Function", None)
        if cls is not None and cls.__module__ == module.__name__:
            cls.__call__ = self._watched(cls.__call__)

    def _linker_class(self, module: "Live") -> None:
        for name in ("VM_Linker", "VMLinker"):
            if name in vars(module):
                self.marking.wrap(vars(module)[name])

    def making(self, fgraph: "Live") -> None:
        """Announces a function before it is compiled, so that its nodes are measured."""
        if self.nodes:
            self.marking.announce(fgraph)

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """Registers a compiled function under its number `index`. The entry is removed when `vm` is freed, because the function's cells
        hold memory.
        """
        key = id(vm)
        reference = weakref.ref(vm, lambda _: self.known.pop(key, None))
        self.known[key] = WatchedFunction(index, function, self.marking.made(fgraph), reference)

    def recorded(self, program: "Live", values: "Live") -> None:
        """Does nothing: a call is measured while it runs."""

    def entered(self, vm: "Live", recorded: bool) -> None:
        """Stores, before a call runs, whether the call is being recorded."""
        known = self.known.get(id(vm))
        if known is not None:
            known.recorded = recorded
            if recorded and known.nodes is not None:
                shared = set(id(container.storage) for container in self.shared())
                known.nodes.begin([cell for cell in known.inputs if id(cell) not in shared])

    def _watched(self, original: "Live") -> "Live":
        @functools.wraps(original)
        def __call__(function: "Live", *args: object, **kwargs: object) -> "Live":
            known = self.known.get(id(vm_of(function)))
            if known is None:
                return original(function, *args, **kwargs)
            return self._call(known, lambda: original(function, *args, **kwargs))

        return __call__

    def _call(self, known: WatchedFunction, run: "Callable[[], Live]") -> "Live":
        known.recorded = False
        refused = self.meter.refused()[0]
        before = self.meter.look()
        started = time.time()
        try:
            result = run()
        except BaseException as error:
            self._failed(known, error, refused)
            raise
        seconds = time.time() - started
        if known.recorded:
            self._report(known, before, seconds, result)
        return result

    def _report(self, known: WatchedFunction, before: "Live", seconds: float, result: "Live") -> None:
        rows = known.nodes.end() if known.nodes is not None else None  # type: Live
        after = self.meter.look()
        seen = rows is not None or self.meter.between
        most = [before.high, after.high, known.nodes.high if rows is not None and known.nodes is not None else 0]
        # live bytes are reserved too: without a cache the reserved peak may lie between two measurements
        reserved = [look.reserved for look in (before, after)] + [row[3] for row in rows or ()] + (most if seen else [])  # type: Live
        self.emit(
            what="call", function=known.index, call=known.calls, before=before.live, peak=max(most) if seen else None,
            after=None if on_device(result) else after.live, reserved=None if None in reserved else max(reserved),
            copied=None if after.copied is None else after.copied - before.copied, seconds=seconds, resident=resident(),
            nodes=None if rows is None else [row[:3] for row in rows],
        )  # fmt: skip
        known.calls += 1

    def _failed(self, known: WatchedFunction, error: BaseException, refused: int) -> None:
        """Writes the event `oom` if a call raised because an allocation was refused."""
        count, size = self.meter.refused()
        if count == refused and not isinstance(error, MemoryError):
            return
        nodes = known.nodes
        position, op = nodes.running if nodes is not None and nodes.running is not None else (None, None)
        device = isinstance(self.meter, ClientMeter)
        self.emit(
            what="oom", function=known.index, call=known.calls, node=position, op=op, asked=size if count > refused else None,
            live=self.meter.look().live, tensors=largest_arrays(nodes.storage_map, device) if nodes is not None else [],
            message=str(error).strip().split("\n")[0][:500],
        )  # fmt: skip

    def finish(self) -> None:
        """Writes the figures of the whole process when the script has ended."""
        count, size = self.meter.refused()
        live = self.meter.look().live
        self.emit(
            what="process", refused=count, asked=size or None, resident=resident(), live=live, process=on_gpu(), **self.meter.totals()
        )  # fmt: skip


def client_meter(options: "dict[str, Live]") -> ClientMeter:
    """Returns the meter that reads the counters of the library preloaded before libgpuarray."""
    return ClientMeter(str(options["client"]), bool(options.get("told", True)))


def vm_of(function: "Live") -> "Live":
    """Returns the virtual machine of a Function: its attribute `vm`, or `fn` in Theano."""
    return function.vm if hasattr(function, "vm") else function.fn


def on_device(result: "Live") -> bool:
    """Returns whether a call returned device arrays, which the script may keep."""
    values = result if isinstance(result, (list, tuple)) else list(result.values()) if isinstance(result, dict) else [result]
    return any(hasattr(type(value), "gpudata") for value in values)


Instrument = CallInstrument
"""The name under which the hook looks the class up."""


def largest_arrays(storage_map: "Live", on_device: bool) -> "list[tuple[str, int]]":
    """Returns (name, bytes) of the 12 largest arrays in a function's storage, largest first."""
    arrays = {}  # type: dict[int, tuple[str, int]]
    for variable, cell in list(storage_map.items()):
        value = cell[0]
        if value is None or not hasattr(type(value), "gpudata" if on_device else "ctypes"):
            continue
        while getattr(value, "base", None) is not None and hasattr(value.base, "dtype"):
            value = value.base
        arrays.setdefault(id(value), (name_of(variable), int(value.size) * int(value.dtype.itemsize)))
    return sorted(arrays.values(), key=lambda row: -row[1])[:12]


def name_of(variable: "Live") -> str:
    """Returns a Variable's name; if it has none, the text of its Op, or else of its Type."""
    owner = getattr(variable, "owner", None)
    return str(variable.name or (owner.op if owner is not None else variable.type))


class Nodes(object):
    """Measurements of the nodes of one function, during its current call.

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
        """Starts recording a call; `arguments` are the cells that hold the script's arguments."""
        self.rows, self.running, self.high = [], None, 0
        self.meter.begin_call(self.own, arguments)

    def end(self) -> "list[object]":
        """Stops recording. Returns a row for each node that ran."""
        rows, self.rows = self.rows or [], None
        return rows

    def noted(self, position: int, op: str, look: "MemoryReading") -> None:
        """Records that the node at `position` ran, with the measurements after it."""
        self.high = max(self.high, look.high)
        if self.rows is not None:
            self.rows.append([position, op, look.high, look.reserved])


class Marked(object):
    """A node's thunk, wrapped so that measurements are made before and after it."""

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
        """Runs the thunk. A lazy thunk that requests more inputs has not computed yet and is not recorded."""
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
    """Wraps `make_vm` of a linker class so that the thunks of announced functions are measured."""

    def __init__(self, meter: "Live") -> None:
        self.meter = meter
        self.announced = {}  # type: dict[int, Nodes | None]

    def announce(self, fgraph: "Live") -> None:
        """Requests that the nodes of the function with the graph `fgraph`, which is about to be compiled, are measured."""
        self.announced[id(fgraph)] = None

    def made(self, fgraph: "Live") -> "Nodes | None":
        """Returns the measurements of nodes for a compiled function; None if no virtual machine runs its nodes one by one."""
        return self.announced.pop(id(fgraph), None)

    def wrap(self, cls: "Live") -> None:
        """Wraps `make_vm` of the class `cls`."""
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

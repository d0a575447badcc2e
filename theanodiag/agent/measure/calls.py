"""Measures the calls of a script's functions, and the nodes in them, while they really run.

Options: {"meter": "client" or "host", "client": path of the library preloaded before libgpuarray, "nodes": whether each node is measured,
"leave": bytes to leave free on the device, null for all, "told": whether a simulated driver reports what was taken from it}.
"""

import functools
import time
import weakref

from .client import ClientMeter
from .driver import first_block, leave
from .host import HostMeter
from .marks import Marking
from .process import on_gpu, resident
from .tensors import held

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .marks import Nodes

FUNCTIONS = ("compile.function_module", "compile.function.types", "compile.executor")
"""Modules that define `Function`: Theano; Theano-PyMC, Aesara and PyTensor 2; PyTensor 3."""
LINKERS = ("gof.vm", "link.vm")
"""Modules that define the linker of the virtual machine."""
ROOTS = ("theano", "aesara", "pytensor")
"""Names of the frameworks' packages."""


class WatchedFunction(object):
    """One function of the script and the storage cells that it fills."""

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
    """The instrument that the hook loads.

    `emit(**fields)` writes an event; `shared()` gives the containers of the script's shared variables.
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
        """The storage cells of all existing functions and shared variables."""
        found = [container.storage for container in self.shared()]
        for known in self.known.values():
            found.extend(known.cells)
        return found

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Module name -> what to do after it was imported."""
        table = {"pygpu": self._libgpuarray} if isinstance(self.meter, ClientMeter) else {}  # type: dict[str, Callable[[Live], None]]
        for root in ROOTS:
            table.update((root + "." + name, self._function_class) for name in FUNCTIONS)
            table.update((root + "." + name, self._linker_class) for name in LINKERS)
        return table

    def _libgpuarray(self, module: "Live") -> None:
        """Wraps `pygpu.init` to notice when the device is opened (Theano 1.0.5, gpuarray/__init__.py, `init_dev`)."""
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
        """Announces a function about to be compiled, so that its nodes will be marked."""
        if self.nodes:
            self.marking.announce(fgraph)

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """Registers a compiled function by its number `index`. What is kept of it is dropped when `vm` is freed: its cells hold memory."""
        key = id(vm)
        reference = weakref.ref(vm, lambda _: self.known.pop(key, None))
        self.known[key] = WatchedFunction(index, function, self.marking.made(fgraph), reference)

    def recorded(self, program: "Live", values: "Live") -> None:
        """Does nothing: a call is measured while it runs."""

    def entered(self, vm: "Live", recorded: bool) -> None:
        """Notes before a call computes whether the capture recorded it."""
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
        # live bytes are reserved too: without a cache the highest reserved may lie between two looks
        reserved = [look.reserved for look in (before, after)] + [row[3] for row in rows or ()] + (most if seen else [])  # type: Live
        self.emit(
            what="call", function=known.index, call=known.calls, before=before.live, peak=max(most) if seen else None,
            after=None if on_device(result) else after.live, reserved=None if None in reserved else max(reserved),
            copied=None if after.copied is None else after.copied - before.copied, seconds=seconds, nodes=rows, resident=resident(),
        )  # fmt: skip
        known.calls += 1

    def _failed(self, known: WatchedFunction, error: BaseException, refused: int) -> None:
        """Writes the event `oom` if a call raised because an allocation was refused."""
        count, asked = self.meter.refused()
        if count == refused and not isinstance(error, MemoryError):
            return
        nodes = known.nodes
        position, op = nodes.running if nodes is not None and nodes.running is not None else (None, None)
        self.emit(
            what="oom", function=known.index, call=known.calls, node=position, op=op, asked=asked if count > refused else None,
            live=self.meter.look().live, tensors=held(nodes.storage_map, isinstance(self.meter, ClientMeter)) if nodes is not None else [],
            message=str(error).strip().split("\n")[0][:500],
        )  # fmt: skip

    def finish(self) -> None:
        """Writes the figures of the whole process when the script has ended."""
        count, asked = self.meter.refused()
        live = self.meter.look().live
        self.emit(
            what="process", refused=count, asked=asked or None, resident=resident(), live=live, process=on_gpu(), **self.meter.totals()
        )  # fmt: skip


def client_meter(options: "dict[str, Live]") -> ClientMeter:
    """The meter that reads the counters of the library preloaded before libgpuarray."""
    return ClientMeter(str(options["client"]), bool(options.get("told", True)))


def vm_of(function: "Live") -> "Live":
    """The vm of a Function: attribute `vm`, or `fn` in Theano."""
    return function.vm if hasattr(function, "vm") else function.fn


def on_device(result: "Live") -> bool:
    """Whether a call returned device arrays, which the script may keep."""
    values = result if isinstance(result, (list, tuple)) else list(result.values()) if isinstance(result, dict) else [result]
    return any(hasattr(type(value), "gpudata") for value in values)


Instrument = CallInstrument
"""The name under which the hook looks the class up."""

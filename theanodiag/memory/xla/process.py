"""Simulates a script whose functions XLA compiles, on XLA's own allocator.

PyTensor passes its shared variables to JAX as numpy arrays: they are copied to the device at each call, until an update makes the value a
device array. Nothing is donated: the old and the new value of an update are both live. (PyTensor 3.3.7, link/jax/linker.py, link/basic.py
`JITLinker.create_jitable_thunk`.)
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from ...findings import Figures
from ...ir import FunctionGraph, Role, ShapeTable, Unknown
from ...ops.arrays import Buffer, ItemKind, Tag
from ..allocators import BfcAllocator, DirectAllocator, Driver
from ..process_simulation import items, live_variables, with_reserved
from ..profile import MemoryProfile, Origin, ProcessProfile, Step, UnknownSize
from ..script import Call, Create, Delete, Event, Script, SetValue, XlaFigures
from ..settings import MemorySettings
from ..simulated_device import Heap, shared_name
from ..timeline import SimulationRecording
from .bound import XlaBound, bound
from .sizes import bytes_of

AS_JAX_TAKES_THEM = (ItemKind.SHARED, ItemKind.INPUT, ItemKind.OUTPUT)
"""Kinds of memory whose size is known exactly without asking XLA."""

Bounds = dict[int, list[tuple[ShapeTable, XlaBound]]]
"""Index of a function -> the shapes of each call, with the bound for it."""


@dataclass
class XlaProcess:
    """The state of the simulated process between two events."""

    script: Script
    settings: MemorySettings
    allocator: BfcAllocator | DirectAllocator
    store: Heap
    on_host: bool
    """Whether XLA compiles for the host; then only its functions are simulated here."""
    shared: dict[int, Buffer] = field(default_factory=dict)
    """Buffers of shared variables: those on the device, or all of them on the host."""
    kept: dict[int, list[Buffer]] = field(default_factory=dict)
    """Results of each function's last call, which the script holds until the next."""
    best: dict[int, MemoryProfile] = field(default_factory=dict)
    """The profile of each function's call with the highest live peak, by index."""
    calls: dict[int, list[Figures]] = field(default_factory=dict)
    """Figures of every call so far, by index of the function."""
    unknown: dict[int, tuple[UnknownSize, ...]] = field(default_factory=dict)
    """Variables of unknown size, by index of the function."""
    bounds: Bounds = field(default_factory=dict)
    """The bounds computed so far."""

    def on(self, event: Event) -> None:
        """Simulates one event of the script."""
        if isinstance(event, (Create, SetValue)):
            self._drop_shared(event.shared)
            if self.on_host:
                self._put_shared(event.shared, event)
        elif isinstance(event, Delete) and not event.collected:
            if event.shared is not None:
                self._drop_shared(event.shared)
            for buffer in self.kept.pop(event.function, []) if event.function is not None else []:
                self.store.drop(buffer)
        elif isinstance(event, Call) and (not self.on_host or self.script.functions[event.function].linker == "jax"):
            self._call(event)

    def _put_shared(self, number: int, event: Create | SetValue) -> None:
        variable = self.script.shared[number]
        size = bytes_of(event.shape, variable.type.dtype)
        if isinstance(size, int):
            name = shared_name(variable.name, number)
            tag = Tag(ItemKind.SHARED, name, None, variable.type.dtype, event.shape, variable.site, number)
            self.shared[number] = self.store.take(size, tag)

    def _drop_shared(self, number: int) -> None:
        buffer = self.shared.pop(number, None)
        if buffer is not None:
            self.store.drop(buffer)

    def _call(self, event: Call) -> None:
        graph = self.script.functions[event.function].graph
        wanted = "cpu" if self.on_host else "cuda"
        answered = event.xla is not None and event.xla.backend == wanted and event.xla.is_for(graph, event.shapes)
        if answered and event.xla is not None:
            estimate = XlaBound(event.xla)
        else:
            estimate = self._bound(event, graph)
        figures, unknown = estimate.figures, estimate.unknown
        self.store.begin()
        before = self.store.live
        steps = [Step(0, None, before, self.allocator.reserved)]
        passing = [self.store.take(size, tag) for size, tag in self._arguments(event, figures)]
        steps.append(self._step(1))
        table = figures.output_bytes - sum(figures.results)
        dtypes = dict(enumerate(figures.dtypes))
        results = [self.store.take(size, self._result(event, k, dtypes.get(k))) for k, size in enumerate(figures.results)]
        passing += [self.store.take(table, Tag(ItemKind.OUTPUT, "addresses of the results"))] if table > 0 else []
        if figures.temporary_bytes:
            passing.append(self.store.take(figures.temporary_bytes, Tag(ItemKind.WORKSPACE, "XLA's temporaries")))
        steps.append(self._step(2))
        origin = Origin.DERIVED if answered else Origin.BOUNDED
        at_peak = self.store.at_peak()  # described as it is now: at the end of the call new values take the place of old ones
        lines, live = items(at_peak, self.store.reserved_high, origin, AS_JAX_TAKES_THEM), live_variables(at_peak)
        for buffer in passing:
            self.store.drop(buffer)
        self._hand_over(event, results)
        steps.append(self._step(3))
        row = Figures(before, self.store.peak, self.store.live, self.store.reserved_high)
        rows = self.calls.setdefault(event.function, [])
        rows.append(row)
        self.unknown[event.function] = self.unknown.get(event.function, ()) + unknown
        best = self.best.get(event.function)
        if best is None or row.live_peak_bytes > best.figures.live_peak_bytes:
            order = tuple(range(len(graph.applies)))
            profile = MemoryProfile(row, lines, live, tuple(steps), unknown, origin, order, len(rows) - 1)
            row = replace(row, reserved_bytes=max(row.reserved_bytes, best.figures.reserved_bytes if best else 0))
            self.best[event.function] = with_reserved(profile, row.reserved_bytes)
        elif row.reserved_bytes > best.figures.reserved_bytes:
            self.best[event.function] = with_reserved(best, row.reserved_bytes)

    def _bound(self, event: Call, graph: FunctionGraph) -> XlaBound:
        """The bound for a call; computed once for all calls of a function with the same shapes."""
        known = self.bounds.setdefault(event.function, [])
        estimate = next((of for shapes, of in known if shapes == event.shapes), None)
        if estimate is None:
            estimate = bound(graph, event.shapes, self.script.flags.get("floatX"), None if self.on_host else self.settings.xla_card)
            known.append((event.shapes, estimate))
        return estimate

    def _step(self, number: int) -> Step:
        allocator = self.allocator
        return Step(number, None, self.store.live, allocator.reserved, allocator.free_bytes(), allocator.largest_free())

    def _arguments(self, event: Call, figures: XlaFigures) -> Iterator[tuple[int, Tag]]:
        """Yields (bytes, label) of each argument that the call copies to the device, or on the host of each that only the caller holds."""
        graph = self.script.functions[event.function].graph
        sizes: dict[int, int] = {}
        for position, size in figures.arguments:
            sizes[position] = sizes.get(position, 0) + size
        for position, size in sizes.items():
            if position >= len(graph.inputs):
                continue
            entry = graph.inputs[position]
            if entry.role is Role.SHARED and entry.shared in self.shared:
                continue
            variable = graph.variables[entry.variable]
            kind = ItemKind.SHARED if entry.role is Role.SHARED else ItemKind.INPUT
            name = variable.name or f"argument {position}"
            yield size, Tag(kind, name, None, variable.type.dtype, event.shapes.shape(entry.variable), variable.site, entry.shared)

    def _result(self, event: Call, position: int, dtype: str | None) -> Tag:
        """The Tag of a result, with `dtype` from XLA, else from the graph."""
        graph = self.script.functions[event.function].graph
        variable = graph.variables[graph.outputs[position]]
        op = None if variable.owner is None else graph.applies[variable.owner].op.text
        taker = next((i for i in graph.inputs if i.update == position), None)
        shared = taker.shared if taker is not None else None
        name = variable.name or op or f"result {position}"
        if taker is not None and shared is not None:
            name = f"new value of {shared_name(graph.variables[taker.variable].name, shared)}"
        return Tag(ItemKind.OUTPUT, name, op, dtype or variable.type.dtype, event.shapes.shape(variable.id), variable.site, shared)

    def _hand_over(self, event: Call, results: list[Buffer]) -> None:
        """Returns the results to the script: updates become values of shared variables, the others replace those of the previous call."""
        graph = self.script.functions[event.function].graph
        updates = {i.update: i.shared for i in graph.inputs if i.update is not None and i.shared is not None}
        for buffer in self.kept.pop(event.function, []):
            self.store.drop(buffer)
        for position, buffer in enumerate(results):
            target = updates.get(position)
            if target is not None:
                self._drop_shared(target)
                tag, known = buffer.tag, self.script.shared.get(target)
                name = shared_name(known.name if known else None, target)
                of = tag._replace(kind=ItemKind.SHARED, variable=name, op=None, site=known.site if known else tag.site, shared=target)
                self.store.becomes(buffer, of)
                self.shared[target] = buffer
            elif event.dropped:
                self.store.drop(buffer)
            else:
                self.kept.setdefault(event.function, []).append(buffer)


def simulate(script: Script, settings: MemorySettings, recording: SimulationRecording | None = None) -> ProcessProfile:
    """Simulates all events of the script under XLA's allocator. Each event is added to `recording` if there is one.

    If a preallocated pool is too small, the figures are for a pool that is large enough. In the small pool, blocks would be placed behind
    its end while its free pieces stay unused, and the script would seem to need more than it does.
    """
    bounds: Bounds = {}
    limited = settings.total_bytes is not None and settings.free_bytes is not None and settings.xla_pool and settings.xla_preallocate
    if not limited:
        return _simulated(script, settings, recording, bounds)
    small = _simulated(script, settings, None, bounds)
    if small.failure is None:
        return small if recording is None else _simulated(script, settings, recording, bounds)
    large = _simulated(script, replace(settings, free_bytes=None), recording, bounds)
    return replace(large, fits=False, failure=small.failure, failed_function=small.failed_function, failed_event=small.failed_event)


def _simulated(script: Script, settings: MemorySettings, recording: SimulationRecording | None, bounds: Bounds) -> ProcessProfile:
    on_host = settings.total_bytes is None
    driver = Driver(None if on_host else settings.free_bytes)
    pooled = not on_host and settings.xla_pool
    allocator = BfcAllocator(settings.free_bytes, settings.xla_preallocate) if pooled else DirectAllocator(driver)
    store = Heap(allocator) if recording is None else recording.heap(allocator, driver)
    process = XlaProcess(script, settings, allocator, store, on_host, bounds=bounds)
    live = 0
    failure, failed = None, None
    for event in script.events:
        if recording is not None:
            recording.event(event)
        process.store.begin()
        process.on(event)
        live = max(live, process.store.peak)
        short = allocator.shortage if isinstance(allocator, BfcAllocator) else driver.shortage
        if failure is None and short is not None:
            failed, failure = event, str(short)
    calls = {index: tuple(rows) for index, rows in process.calls.items()}
    live = max([live, *(row.live_peak_bytes for rows in calls.values() for row in rows)])
    missing = next((u for rows in process.unknown.values() for u in rows), None)
    fits: bool | Unknown = True
    if failure is not None:
        fits = False
    elif missing is not None:
        fits = Unknown(f"the size of {missing.variable} is not known: {missing.reason}")
    elif on_host and settings.free_bytes is not None:
        fits = live <= settings.free_bytes
    reserved = max([allocator.reserved, *(row.reserved_bytes for rows in calls.values() for row in rows)])
    function = failed.function if isinstance(failed, Call) else None
    return ProcessProfile(
        process.best, live, reserved, process.store.live, fits, failure, function, failed, calls, allocator.driver_requests
    )

"""Simulates one process on one device: shared variables are created and set, functions are compiled and called."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field, replace
from functools import reduce
from math import prod
from operator import attrgetter

from ..findings import Figures
from ..ir import Constant, Role, Shape, TypeKind, Unknown, itemsize
from ..ops.arrays import Array, Buffer, Cell, ItemKind, Tag, c_strides, exact
from .call_frame import BranchAssumptions, CallFrame
from .profile import Item, LiveVariable, MemoryProfile, Origin, ProcessProfile
from .script import Call, Compile, Create, Delete, DropConstant, Event, GetValue, Release, Script, SetValue
from .settings import MemorySettings
from .simulated_device import Heap, Recorder, SimulatedDevice
from .vm import Results, compile_graph, hand_over, let_go, run


def higher(first: ProcessProfile, second: ProcessProfile) -> ProcessProfile:
    """Combines two simulations of one script by taking the higher figures of each function; profiles that differ are marked
    `Origin.BOUNDED`.
    """
    functions = {index: _higher_call(profile, second.functions[index]) for index, profile in first.functions.items()}
    worse = first if first.reserved_peak_bytes >= second.reserved_peak_bytes else second
    return replace(
        worse,
        functions=functions,
        calls={index: tuple(map(higher_figures, rows, second.calls.get(index, ()))) for index, rows in first.calls.items()},
        live_peak_bytes=max(first.live_peak_bytes, second.live_peak_bytes),
        persistent_bytes=max(first.persistent_bytes, second.persistent_bytes),
        fits=second.fits if first.fits is True else first.fits,
        failure=first.failure or second.failure,
        failed_function=first.failed_function if first.failure else second.failed_function,
        failed_event=first.failed_event if first.failure else second.failed_event,
    )


def higher_figures(first: Figures, second: Figures) -> Figures:
    """Returns the maximum of each figure of two simulations of one call."""
    return Figures(*map(max, astuple(first), astuple(second)))


def _higher_call(first: MemoryProfile, second: MemoryProfile) -> MemoryProfile:
    if first.figures == second.figures:
        return first
    worse = first if first.figures.live_peak_bytes >= second.figures.live_peak_bytes else second
    reserved = max(first.figures.reserved_bytes, second.figures.reserved_bytes)
    origin = worse.origin if worse.origin is Origin.ESTIMATE else Origin.BOUNDED
    return replace(worse, figures=replace(worse.figures, reserved_bytes=reserved), origin=origin)


def items(buffers: Sequence[Buffer], reserved: int, origin: Origin, exact: Container[ItemKind] = ()) -> tuple[Item, ...]:
    """Returns the rows for the peak: requested bytes by kind of memory, then the bytes added by the allocator's rounding. A last row, which
    is not part of the sum, has the reserved bytes that are not live.

    Kinds in `exact` have the origin DERIVED, all others `origin`.
    """
    by_kind: dict[ItemKind, int] = defaultdict(int)
    for buffer in buffers:
        by_kind[buffer.tag.kind] += buffer.requested
    held = sum(b.held for b in buffers)
    lines = [Item(kind, by_kind[kind], Origin.DERIVED if kind in exact else origin) for kind in ItemKind if kind in by_kind]
    lines.append(Item(ItemKind.ROUNDING, held - sum(by_kind.values()), Origin.DERIVED))
    lines.append(Item(ItemKind.FRAGMENTATION, reserved - held, origin))
    return tuple(line for line in lines if line.bytes)


def with_reserved(profile: MemoryProfile, reserved: int) -> MemoryProfile:
    """Returns a copy of `profile` with `reserved` reserved bytes, for a later call that took more from the driver, because libgpuarray
    never returns memory.
    """
    more = Item(ItemKind.FRAGMENTATION, reserved - profile.figures.live_peak_bytes, profile.origin)
    lines = (*(line for line in profile.items if line.kind is not ItemKind.FRAGMENTATION), more)
    return replace(profile, figures=replace(profile.figures, reserved_bytes=reserved), items=lines)


def live_variables(buffers: Sequence[Buffer]) -> tuple[LiveVariable, ...]:
    """Returns the buffers as rows for a report, largest first; buffers of equal size in the order of allocation."""
    rows = [(b.held, b.tag) for b in sorted(buffers, key=attrgetter("held"), reverse=True)]  # stable: of equal sizes, the one taken first
    # tuple.__new__ takes half the time of LiveVariable(...)
    return tuple([tuple.__new__(LiveVariable, (t.variable, t.op, t.dtype, t.shape, held, t.kind, t.site, t.shared)) for held, t in rows])


@dataclass
class Simulator:
    """The state of the simulated process between two events."""

    script: Script
    """The script that is simulated."""
    settings: MemorySettings
    """Settings of the simulation."""
    device: SimulatedDevice
    """The device that serves all requests."""
    watched: frozenset[TypeKind]
    """Type kinds whose memory is simulated: those of the device, or those of the host."""
    shared: defaultdict[int, Cell] = field(default_factory=lambda: defaultdict(Cell))
    """The storage cell of each shared variable, by id."""
    frames: dict[int, CallFrame] = field(default_factory=dict)
    """Compiled functions that still exist, by index."""
    best: dict[int, MemoryProfile] = field(default_factory=dict)
    """The profile of each function's call with the highest live peak, by index."""
    calls: dict[int, list[Figures]] = field(default_factory=dict)
    """Figures of every call so far, by index of the function."""
    guesses: BranchAssumptions = field(default_factory=BranchAssumptions)
    """Which branches are taken where IfElse conditions are not known."""
    guessed: set[tuple[int, int]] = field(default_factory=set)
    """The calls in which a condition was not known: (function, number of the call)."""
    before: Mapping[tuple[int, int], Sequence[int]] = field(default_factory=dict)
    """Branch assumptions (`BranchAssumptions.taken`) under which a call is simulated before it counts, by (function, number of the
    call).
    """
    shared_frames: dict[int, CallFrame] = field(default_factory=dict)
    """Compiled inner functions of OpFromGraph Ops, by the number of the Op."""
    results: dict[int, Results] = field(default_factory=dict)
    """Device arrays that the script holds, by the number that the events give them."""
    orphans: dict[int, list[Buffer]] = field(default_factory=dict)
    """Buffers of constants whose function is gone: `Constant.memory` -> one buffer for each function that held it."""
    ended: set[int] = field(default_factory=set)
    """Numbers (`Constant.memory`) of constants that the script has let go of."""
    unsized: dict[int, str] = field(default_factory=dict)
    """Shared variables of unknown size: id -> why."""
    recorder: Callable[[Heap], Recorder] = Recorder
    """Makes the object that records the steps of a call."""

    def on(self, event: Event) -> None:
        """Simulates one event of the script."""
        if isinstance(event, Create):
            self._replace(event.shared, self._array(event.shared, event.shape))
        elif isinstance(event, SetValue):
            self._set_value(event)
        elif isinstance(event, GetValue):
            self._get_value(event)
        elif isinstance(event, Delete):
            self._delete(event)
        elif isinstance(event, DropConstant):
            self.ended.add(event.memory)
            for buffer in self.orphans.pop(event.memory, ()):
                self.device.store.drop(buffer)
        elif isinstance(event, Release):
            let_go(self.device.store, self.results.pop(event.result, ()))
        elif isinstance(event, Compile):
            self.frame(event.function)
        else:
            self._call(event)

    def cell(self, shared: int) -> Cell:
        """Returns the storage cell of the shared variable with id `shared`."""
        return self.shared[shared]

    def _array(self, shared: int, shape: Shape | Unknown) -> Array | None:
        """Takes memory for the new value of a shared variable; None if the variable is not watched, or if its size is unknown."""
        variable = self.script.shared[shared]
        if variable.type.kind not in self.watched:
            return None
        known = exact(shape)
        if isinstance(known, Unknown):
            self.unsized[shared] = known.reason
            return None
        size = itemsize(variable.type.dtype or "int8")
        buffer = self.device.store.take(prod(known) * size, self._tag(shared, known))
        return Array(buffer, known, c_strides(known, size), size)

    def _tag(self, shared: int, shape: Shape) -> Tag:
        """The Tag of a shared variable's value with this shape."""
        variable = self.script.shared[shared]
        return Tag(ItemKind.SHARED, variable.label, None, variable.type.dtype, shape, variable.site, shared)

    def _name_updates(self, frame: CallFrame) -> None:
        """Labels the new values of shared variables, at the end of a call, as values of these variables."""
        for argument in frame.program.graph.updated.values():
            shared, value = argument.shared, frame.value(argument.variable)
            if value is None or shared is None or shared not in self.script.shared:
                continue
            tag = value.buffer.tag
            # A buffer that two shared variables hold keeps the label that it has.
            if tag.kind is not ItemKind.SHARED or (tag.shared != shared and value.buffer.holders == 1):
                self.device.store.becomes(value.buffer, self._tag(shared, value.shape))

    def _replace(self, shared: int, array: Array | None) -> None:
        store = self.device.store
        self.cell(shared).put(store, array)
        if array is not None:
            store.drop(array.buffer)

    def _set_value(self, event: SetValue) -> None:
        """Simulates `set_value`: writes in place if the old value is contiguous and has the same shape; else creates the new value while
        the old one is live.

        A device array is copied, or with `borrow` becomes the value itself. Source: Theano 1.0.5, gpuarray/type.py,
        `GpuArrayType.filter_inplace`, `GpuArraySharedVariable.set_value`.
        """
        old = self.cell(event.shared).value
        given = self._held(event.result)
        if event.on_device and event.borrow and given is not None:
            self.cell(event.shared).put(self.device.store, given)
        elif (event.on_device and not event.borrow) or old is None or old.shape != event.shape or not old.one_segment:
            self._replace(event.shared, self._array(event.shared, event.shape))

    def _held(self, result: int | None) -> Array | None:
        """The device array that the script holds under number `result`; None if it holds none."""
        return next(iter(self.results.get(result, ())), None) if result is not None else None

    def _get_value(self, event: GetValue) -> None:
        """Simulates `get_value` on the device: takes a copy for the caller. A copy that only serves to transfer a strided array to the host
        is freed at once.
        """
        value = self.cell(event.shared).value
        if value is not None and event.result is not None:
            buffer = self.device.store.take(value.nbytes, value.buffer.tag)
            self.results[event.result] = (Array(buffer, value.shape, c_strides(value.shape, value.itemsize), value.itemsize),)
        elif value is not None and not (event.borrow if event.internal else value.one_segment):
            store = self.device.store
            store.drop(store.take(value.nbytes, value.buffer.tag))

    def _delete(self, event: Delete) -> None:
        """Frees the memory of a shared variable or function. One that the garbage collector found by chance is kept, because it may be
        found later in another run.
        """
        if event.collected:
            return
        if event.shared is not None:
            self.cell(event.shared).put(self.device.store, None)
        frame = self.frames.pop(event.function, None) if event.function is not None else None
        if frame is not None:
            for memory, buffer in list(_empty(frame, {*map(id, self.shared.values()), *map(id, self.shared_frames.values())})):
                if memory in self.ended:
                    self.device.store.drop(buffer)
                else:
                    self.orphans.setdefault(memory, []).append(buffer)

    def frame(self, index: int) -> CallFrame:
        """Returns the frame of function number `index`. At its first use the function is compiled, which places its constants on the
        device.
        """
        frame = self.frames.get(index)
        if frame is None:
            frame = self.frames[index] = self._compile(index)
        return frame

    def _compile(self, index: int) -> CallFrame:
        function = self.script.functions[index]
        allow_gc = self.settings.allow_gc if function.allow_gc is None else function.allow_gc
        frame = compile_graph(function, allow_gc, self.device.store, self.watched, self.guesses, self.shared_frames)
        for argument in function.graph.inputs:
            if argument.shared is not None:
                frame.cells[argument.variable] = self.cell(argument.shared)
        _defaults(frame, lambda variable: self._at_first(index, variable))
        return frame

    def _at_first(self, index: int, variable: int) -> Shape | Unknown:
        """The shape of a Variable in the function's first call; Unknown if the function is never called."""
        first = next((e.shapes for e in self.script.events if isinstance(e, Call) and e.function == index), None)
        return Unknown("never called") if first is None else first.shape(variable)

    def _call(self, event: Call) -> None:
        calls = self.calls.setdefault(event.function, [])
        which, count, figures = (event.function, len(calls)), self.guesses.uses, []
        for guess in self.before.get(which, ()):
            self.guesses.taken = guess
            figures.append(self._run(replace(event, device_results=()), which))
        calls.append(reduce(higher_figures, figures, self._run(event, which)))
        if self.guesses.uses > count:
            self.guessed.add(which)

    def _run(self, event: Call, which: tuple[int, int]) -> Figures:
        frame = self.frame(event.function)
        store = frame.store
        before = store.live
        store.begin()
        record = self.recorder(store)
        self._arguments(frame, event)
        record.after(0, None)
        results = run(frame, event.shapes, record.after if self.settings.detailed else None)
        for argument in event.inputs:
            frame.put(argument.variable, None)
        _defaults(frame, event.shapes.shape)
        hand_over(frame)
        self._return(frame, event, results)
        record.after(len(record.steps), None)
        figures = Figures(before, store.peak, store.live, store.reserved_high)
        best = self.best.get(event.function)
        reserved = max(figures.reserved_bytes, best.figures.reserved_bytes if best else 0)
        if best is None or figures.live_peak_bytes > best.figures.live_peak_bytes:
            highest = replace(figures, reserved_bytes=reserved)
            self.best[event.function] = self._profile(frame, record, highest, which[1], event)
        elif reserved > best.figures.reserved_bytes:
            self.best[event.function] = with_reserved(best, reserved)
        self._name_updates(frame)
        return figures

    def _return(self, frame: CallFrame, event: Call, results: Results) -> None:
        """Returns the results to the script: device arrays that it holds stay, the others are freed."""
        for position, number in event.device_results:
            if position < len(results):
                self.results[number] = results[position : position + 1]
        held = {position for position, _ in event.device_results}
        let_go(frame.store, tuple(value for k, value in enumerate(results) if k not in held))

    def _arguments(self, frame: CallFrame, event: Call) -> None:
        """Puts the arguments of a call into their cells: device arrays that the caller holds as they are, others as fresh arrays."""
        frame.table = event.shapes
        for argument in event.inputs:
            given = self._held(argument.result)
            if frame.program.watches(argument.variable) and given is not None:
                frame.put(argument.variable, given)
            elif frame.program.watches(argument.variable):
                _put(frame, argument.variable, frame.shape(argument.variable))

    def _profile(self, frame: CallFrame, record: Recorder, figures: Figures, call: int, event: Call) -> MemoryProfile:
        buffers = frame.store.at_peak() if self.settings.detailed else ()
        origin = Origin.BOUNDED if event.shapes.bounded else Origin.DERIVED
        # The sizes of shared variables are seen, and wherever a graph is placed, these are on the device.
        exact = (ItemKind.SHARED,) if self.settings.lift else ()
        origin = self.settings.lifted_origin if self.settings.lift else origin
        return MemoryProfile(
            figures,
            items(buffers, figures.reserved_bytes, origin, exact) if self.settings.detailed else (),
            live_variables(buffers),
            tuple(record.steps),
            tuple(frame.unknown.values()),
            origin,
            frame.program.order,
            call,
        )


def _put(frame: CallFrame, variable: int, shape: tuple[int, ...] | None) -> None:
    """Puts a fresh array into the cell of an input; an unknown `shape` (None) empties the cell."""
    array = None if shape is None else frame.new(variable, shape, ItemKind.INPUT)
    frame.put(variable, array)
    if array is not None:
        frame.store.drop(array.buffer)


def _defaults(frame: CallFrame, shape_of: Callable[[int], Shape | Unknown]) -> None:
    """Fills the cells of arguments with default values, as they are between calls; the shape is that of the type, else `shape_of`'s.

    Source: Theano 1.0.5, compile/function_module.py, `Function.__init__` and the end of `Function.__call__` (`self.defaults`).
    """
    variables = frame.program.graph.variables
    for argument in frame.program.graph.inputs:
        variable = argument.variable
        if argument.role is Role.DEFAULT and argument.update is None and frame.program.watches(variable) and frame.value(variable) is None:
            static = tuple(d for d in variables[variable].type.shape if d is not None)
            shape = exact(static if len(static) == variables[variable].type.ndim else shape_of(variable))
            _put(frame, variable, None if isinstance(shape, Unknown) else shape)


def _empty(frame: CallFrame, keep: set[int]) -> Iterator[tuple[int, Buffer]]:
    """Empties the cells of a function that is gone, except those in `keep`; yields memory number and buffer of its constants.

    Cells in `keep` are shared with others. The constants themselves stay: the graph holds them and refers to itself, so they wait for
    CPython's cyclic garbage collector, which seldom runs in a process with as many objects as Theano makes. After seventy functions, each
    dropped for the next, some were still there; to free them before `DropConstant` says so would under-estimate.
    Source: Theano 1.0.5, gof/vm.py (`VM_Linker.make_all`: storage of the machine's own), gof/graph.py (`Constant.data`).
    """
    for variable, cell in frame.cells.items():
        constant = frame.program.graph.variables[variable]
        if id(cell) not in keep and not isinstance(constant, Constant):
            cell.put(frame.store, None)
        elif isinstance(constant, Constant) and constant.memory is not None and cell.value is not None:
            yield constant.memory, cell.value.buffer
    yield from ((memory, buffer) for memory, buffer in frame.kept if memory is not None)
    for inner in frame.frames.values():
        if id(inner) not in keep:
            yield from _empty(inner, keep)

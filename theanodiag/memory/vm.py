"""Runs compiled functions as the CVM does, at the level of memory: which cell holds which buffer when."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any, Optional

from ..ir import Constant, FunctionGraph, Role, ShapeTable, TypeKind, Unknown, itemsize
from ..ir.graph import ancestors, graphs
from ..ir.scan import ScanInfo, scan_info
from ..ops import op_info
from ..ops.arrays import Array, Buffer, Cell, ItemKind, Tag, c_strides, exact
from ..ops.memory_effects import Work, by_maps
from .call_frame import BranchAssumptions, CallFrame
from .execution_plan import HOST, LAZY_OPS, ExecutionPlan, prepare
from .script import CompiledFunction
from .simulated_device import Heap

# Runs the inner functions of Ops: a Scan with its outputs for all steps, and an OpFromGraph; cells between steps and between calls.
#
# Source of Scan: Theano 1.0.5, scan_module/scan_op.py, `Scan.make_thunk` and `Scan.execute` (scan_perform.pyx allocates the same).

SETTLING_STEPS = 64
"""Maximum number of simulated steps of a loop; the memory pattern of steps repeats long before, either every step or every few steps."""


def borrowed_outputs(info: ScanInfo) -> int:
    """Returns the number of outputs of the inner function, from the first one on, whose memory the loop lets it overwrite.

    These outputs are preallocated (`scan.allow_output_prealloc`, on by default).
    """
    return info.n_mit_mot_results + info.n_stored - info.n_mit_mot


@dataclass
class Scan:
    """The simulation of one call of a Scan."""

    work: Work
    """The Scan node that is simulated."""
    outer: CallFrame
    """The frame of the outer function."""
    inner: CallFrame
    """The frame of the inner function."""
    info: ScanInfo
    """The layout of the Scan's inputs and outputs."""
    table: ShapeTable
    """Shapes in one step of the inner function."""
    newest: Cell = field(default_factory=Cell)
    """The last result that the loop read: its Python variable holds it until it reads the next."""
    earlier: dict[int, Cell] = field(default_factory=dict)
    """By inner output: the new value of an updated input from the previous step, which the loop reads after the step.

    In Theano's loop this is `old_output_storage`.
    """

    def run(self) -> None:
        """Simulates all steps of the call."""
        lengths = self.lengths()
        steps = self.steps()
        self.initial_states(lengths)
        self.non_sequences()
        self.loop(steps, lengths)
        self.reorder(steps, lengths)
        self.clear()
        for cell in (self.newest, *self.earlier.values()):
            cell.put(self.inner.store, None)

    def steps(self) -> int:
        """Returns the number of steps: the value of input 0, or else the length of the shortest sequence, or else 2."""
        n = self.work.known(0)
        if isinstance(n, int):
            return n
        shapes = [self.work.shape_in(1 + k) for k in range(self.info.n_seqs)]
        return min((s[0] for s in shapes if s), default=2)

    def lengths(self) -> list[int]:
        """Returns for each stored output the number of steps for which it has room."""
        rows = []
        for k in range(self.info.n_stored):
            source = self.work.shape_in(1 + self.info.n_seqs + k) if k < self.info.n_recurrences else None
            known = self.work.known(self.info.lengths_at + k - self.info.n_recurrences) if k >= self.info.n_recurrences else None
            shape = source or self.work.shape(k)
            rows.append(known if isinstance(known, int) else shape[0] if shape else 1)
        return rows

    def initial_states(self, lengths: list[int]) -> None:
        """Fills the cells of recurrent outputs with the initial state itself (overwritten in place), with the cell's old array, or with a
        copy.
        """
        for k in range(self.info.n_recurrences):
            state, old = self.work.input(1 + self.info.n_seqs + k), self.work.current(k)
            if not self.work.watches(k) or state is None:
                continue
            if k in self.work.node.op.destroy_map:
                self.work.share(k, state)
            elif old is not None and old.shape[1:] == state.shape[1:] and old.shape[0] >= lengths[k]:
                self.work.share(k, old._replace(shape=(lengths[k], *old.shape[1:])))
            else:
                self.work.assign(k, self.work.fresh(k, state.shape))

    def non_sequences(self) -> None:
        """Fills the cells of inner inputs that are the same in every step."""
        count = len(self.work.node.inputs) - self.info.others_at
        variables = [i.variable for i in self.inner.program.graph.inputs]
        for k, variable in enumerate(variables[len(variables) - count :]):
            self.feed(variable, self.work.input(self.info.others_at + k))

    def feed(self, variable: int, value: Array | None) -> None:
        """Stores a value in the cell of an inner input."""
        if self.inner.program.watches(variable):
            self.inner.put(variable, value)

    def loop(self, steps: int, lengths: list[int]) -> None:
        """Simulates steps until memory is in the same state as after an earlier step. The remaining steps repeat the pattern, so only their
        requests to the driver are added.

        With a stopping condition, this also covers a loop that ends after its first step.
        """
        allocator, guesses = self.inner.store.allocator, self.inner.guesses
        turns = guesses.turns if guesses.turns and self.steps_may_differ() else ()
        round_trip = len(turns) or 1
        seen: dict[object, tuple[int, int]] = {}
        step, left, repeats, requests = 0, steps, False, allocator.driver_requests
        while left > 0 and (repeats or step < SETTLING_STEPS * round_trip):
            requests = allocator.driver_requests
            if turns:
                guesses.taken = turns[step % round_trip]
            self.inputs()
            self.outputs(step, lengths)
            self.inner.runner(self.inner, self.table)
            self.store(step, lengths)
            if self.info.as_while and step == 0:
                self.reorder(1, lengths)
            left -= 1
            if step > 0 and not repeats:
                first, before = seen.setdefault((step % round_trip, self.fingerprint()), (step, allocator.driver_requests))
                repeats = first < step
                if repeats:
                    rounds, left = divmod(left, step - first)
                    allocator.driver_requests += rounds * (allocator.driver_requests - before)
            step += 1
        allocator.driver_requests += left * (allocator.driver_requests - requests)

    def steps_may_differ(self) -> bool:
        """Returns whether IfElse conditions in the inner function may differ between steps, because they depend on inputs that change."""
        program = self.inner.program
        inputs = [i.variable for i in program.graph.inputs]
        changing = set(inputs[: len(inputs) - (len(self.work.node.inputs) - self.info.others_at)])
        conditions = [variable for node in program.lazy for variable in node.inputs[:1]]
        deeper = any(path and node.op.name in LAZY_OPS for graph, path in graphs(program.graph) for node in graph.applies)
        return deeper or not changing.isdisjoint(ancestors(program.graph, conditions))

    def fingerprint(self) -> object:
        """Returns a description of the memory's state: equal for two steps if they left memory in the same state."""
        store = self.inner.store
        cells = tuple(c.value.buffer.address if c.value else None for c in self.inner.cells.values())
        return store.live, store.allocator.reserved, store.allocator.largest_free(), cells

    def inputs(self) -> None:
        """Fills the cells of the inner inputs for one step: elements of sequences and of earlier outputs, and shared values."""
        variables = iter([i.variable for i in self.inner.program.graph.inputs])
        for k in range(self.info.n_seqs):
            self.feed(next(variables), element(self.work.input(1 + k)))
        for k in range(self.info.n_recurrences):
            for _ in self.info.taps[k]:
                self.feed(next(variables), element(self.work.current(k) if self.work.watches(k) else None))
        for k in range(self.info.n_shared):
            value = self.work.current(self.info.n_stored + k)
            self.feed(next(variables), value if value is not None else self.work.input(self.info.shared_at + k))

    def outputs(self, step: int, lengths: list[int]) -> None:
        """Prepares the cells of the inner outputs: empty in the first step, then views of the outer outputs, into which results are
        written.
        """
        outputs = self.inner.program.graph.outputs[: self.inner.program.graph.n_returned]
        for position, variable in enumerate(outputs):
            k = position - self.info.n_mit_mot_results + self.info.n_mit_mot
            stored = self.info.n_mit_mot <= k < self.info.n_stored
            room = stored and step > 0 and lengths[k] != 1 and not self.is_vector(k)
            self.feed(variable, element(self.work.current(k)) if room else None)
        for variable in self.inner.program.graph.outputs[self.inner.program.graph.n_returned :]:
            self.earlier.setdefault(variable, Cell()).put(self.inner.store, self.inner.value(variable))

    def is_vector(self, output: int) -> bool:
        """Returns whether output number `output` has one host scalar for each step."""
        return output < len(self.info.vector_outs) and self.info.vector_outs[output]

    def store(self, step: int, lengths: list[int]) -> None:
        """Stores the results of a step in the outer outputs. The first step allocates the outputs without initial state. Shared values are
        passed to the next step.
        """
        outputs = self.inner.program.graph.outputs
        first = self.info.n_mit_mot_results - self.info.n_mit_mot
        for variable in self.updated_inputs():
            self.look_at(self.inner.value(variable))
        for k in range(self.info.n_mit_mot, self.info.n_stored):
            value = self.inner.value(outputs[first + k])
            if step == 0 and k >= self.info.n_recurrences:
                if value is not None:
                    self.make_room(k, (lengths[k], *value.shape))
            elif lengths[k] != 1 and not self.is_vector(k):
                self.look_at(value)
        for k in range(self.info.n_stored, self.info.n_stored + self.info.n_shared):
            if self.work.watches(k):
                self.work.share(k, self.inner.value(outputs[first + k]))

    def updated_inputs(self) -> list[int]:
        """Returns the inner inputs that mit-mot taps update in place, in the order of the output taps."""
        variables = [i.variable for i in self.inner.program.graph.inputs]
        rows, at = [], self.info.n_seqs
        for taps, out in zip(self.info.mit_mot, self.info.mit_mot_out):
            rows += [variables[at + taps.index(tap)] for tap in out if tap in taps]
            at += len(taps)
        return rows

    def look_at(self, value: Array | None) -> None:
        """Makes the loop's Python variable refer to `value`, which keeps it alive."""
        self.newest.put(self.inner.store, value)

    def make_room(self, output: int, shape: tuple[int, ...]) -> None:
        """Ensures that output number `output` has an array of `shape`: the old array if it is long enough, else a new one, which is
        allocated while the old one is still live.
        """
        old = self.work.current(output)
        if old is None or old.shape[0] < shape[0] or old.shape[1:] != shape[1:]:
            self.work.assign(output, self.work.fresh(output, shape))
        elif old.shape[0] != shape[0]:
            self.work.share(output, old._replace(shape=shape))

    def reorder(self, steps: int, lengths: list[int]) -> None:
        """Rotates outputs used as ring buffers (less room than steps) into order, with a temporary copy of the shorter part."""
        for k in range(self.info.n_mit_mot, self.info.n_stored):
            array = self.work.current(k)
            if array is None or not lengths[k]:
                continue
            first = -min(self.info.taps[k]) if k < self.info.n_recurrences else 0
            position = (first + steps) % lengths[k]
            if lengths[k] < steps + first:
                part = position if position >= lengths[k] // 2 else lengths[k] - position
                self.work.give(self.work.temporary(part * prod(array.shape[1:]) * array.itemsize, "part of a ring of outputs"))
            elif lengths[k] > steps + first or self.info.as_while:
                self.work.give(self.work.temporary(array.itemsize, "zero steps"))

    def clear(self) -> None:
        """Empties the input and output cells of the inner function; all its cells if `allow_gc` is set for the outer function but not for
        the inner one.
        """
        graph = self.inner.program.graph
        for variable in (*(i.variable for i in graph.inputs), *graph.outputs):
            self.inner.put(variable, None)
        if self.outer.allow_gc and not self.inner.allow_gc:
            free(self.inner)


def free(frame: CallFrame) -> None:
    """Empties all cells of computed Variables, also in inner functions, like Theano's `Function.free`."""
    for node in frame.program.graph.applies:
        for variable in node.outputs:
            frame.put(variable, None)
    for inner in frame.frames.values():
        free(inner)


def element(array: Array | None) -> Array | None:
    """Returns one element of `array` along its first dimension, as a view; None if `array` is None."""
    return None if array is None else array._replace(shape=array.shape[1:], strides=array.strides[1:])


def scan(outer: CallFrame, work: Work) -> None:
    """Simulates one call of a Scan; if its inner graph is unknown, only allocates the outputs."""
    inner = outer.frames.get(work.node.id)
    info = None if inner is None else scan_info(inner.program.graph.info)
    if inner is None or info is None:
        by_maps(work)
        return
    table = outer.table.inner.get(work.node.id, ShapeTable({}))
    Scan(work, outer, inner, info, table).run()


FROM_GRAPH = "opfromgraph"
"""The `kind` in the `info` of the inner graph of an OpFromGraph."""


def op_from_graph(outer: CallFrame, work: Work) -> None:
    """Simulates one call of an OpFromGraph; if its inner graph is unknown, only allocates the outputs.

    All nodes of one Op object share the inner function. Source: Theano 1.0.5, compile/builders.py, `OpFromGraph.prepare_node`, `perform`;
    compile/function_module.py, `Function.__call__`. Aesara 2.9.4 and PyTensor 3.0.7 return the inner results as they are, where Theano
    copies them (`info["copies"]`).
    """
    inner = outer.frames.get(work.node.id)
    if inner is None or inner.program.graph.info.get("kind") != FROM_GRAPH:
        by_maps(work)
        return
    graph = inner.program.graph
    arguments = [i.variable for i in graph.inputs]
    for position, variable in enumerate(arguments):
        if inner.program.watches(variable):
            inner.put(variable, work.input(position))
    inner.runner(inner, outer.table.inner.get(work.node.id, ShapeTable({})))
    for output, variable in enumerate(graph.outputs[: len(work.node.outputs)]):
        result = inner.value(variable)
        if work.watches(output) and (graph.info.get("copies") or result is None):
            work.assign(output, work.fresh(output))
        elif work.watches(output):
            work.share(output, result)
    inner.empty((*arguments, *(graph.outputs if inner.allow_gc else ())))


INNER_FUNCTIONS: Mapping[str, Callable[[CallFrame, Work], None]] = {"Scan": scan, "OpFromGraph": op_from_graph}
"""Class name of an Op -> function that runs the inner function of a node."""


OnStep = Callable[[int, int], None]
"""Called after each node with the number of the step (from 1) and the Apply id."""
Results = tuple[Optional[Array], ...]
"""Values of the outputs of a call, each with the caller as a holder; None for those whose memory is not simulated."""


def run(frame: CallFrame, table: ShapeTable, on_step: OnStep | None = None) -> Results:
    """Simulates one call: all nodes, then the updates. Returns the outputs as they were before the updates; the caller becomes a holder of
    each.

    The outputs also stay in their cells until `hand_over`. Source: Theano 1.0.5, gof/c_code/lazylinker_c.c, `CLazyLinker_call`.
    """
    frame.table = table
    frame.take_branches()
    if frame.has_run:
        frame.empty(frame.program.fresh)
    frame.has_run = True
    if on_step is not None:
        frame.store.mark()  # the peak starts with what is live when the first node runs
    program, allow_gc = frame.program, frame.allow_gc
    applies, drops, acts = program.graph.applies, program.drops, program.acts
    for step, apply_id in enumerate(program.order):
        if acts[apply_id]:
            node = applies[apply_id]
            inside = INNER_FUNCTIONS.get(node.op.name)
            if inside is None:
                op_info(node.op.name).memory(Work(frame, node))
            else:
                inside(frame, Work(frame, node))
        if allow_gc and drops[step]:
            frame.empty(drops[step])
        if on_step is not None:
            on_step(step + 1, apply_id)
    results = _hold_outputs(frame)
    _update(frame, results)
    if frame.allow_gc:
        frame.empty(frame.program.last)
    return results


def _hold_outputs(frame: CallFrame) -> Results:
    results = tuple(frame.value(variable) for variable in frame.program.graph.outputs)
    for value in results:
        if value is not None:
            frame.store.hold(value.buffer)
    return results


def _update(frame: CallFrame, results: Results) -> None:
    """Puts the new values of updated inputs into their cells."""
    for argument in frame.program.graph.inputs:
        if argument.update is not None and frame.program.watches(argument.variable):
            frame.put(argument.variable, results[argument.update])


def let_go(store: Heap, results: Results) -> None:
    """Removes the caller as a holder of the results of a call."""
    for value in results:
        if value is not None:
            store.drop(value.buffer)


def run_inner(frame: CallFrame, table: ShapeTable) -> None:
    """Simulates one run of an inner function; its output cells keep the results."""
    let_go(frame.store, run(frame, table))


def hand_over(frame: CallFrame) -> None:
    """Empties the output cells after a call if `allow_gc` is set, as the caller of a function does when it has the results.

    Source: Theano 1.0.5, compile/function_module.py, `Function.__call__`.
    """
    if frame.allow_gc:
        for variable in frame.program.graph.outputs:
            if frame.program.graph.variables[variable].owner is not None:
                frame.put(variable, None)


def compile_graph(
    function: CompiledFunction,
    allow_gc: bool,
    store: Heap,
    watched: frozenset[TypeKind],
    guesses: BranchAssumptions | None = None,
    shared_frames: dict[int, CallFrame] | None = None,
) -> CallFrame:
    """Makes a frame for `function`, with its constants and those of its inner functions in their cells.

    `guesses` and `shared_frames` are shared with the frames of other functions.
    """
    program = prepare(function.graph, function.linker, watched, allow_gc=allow_gc, borrowed=function.borrowed)
    shared = {} if shared_frames is None else shared_frames
    frame = CallFrame(program, store, allow_gc, runner=run_inner, guesses=guesses or BranchAssumptions(), shared_frames=shared)
    return _with_constants(frame, function.linker)


def compile_inner(outer: CallFrame, graph: FunctionGraph, linker: str, allow_gc: bool) -> CallFrame:
    """Makes a frame for the inner function of a node of `outer`, with its constants in their cells."""
    info = scan_info(graph.info)
    borrowed = borrowed_outputs(info) if info is not None else 0
    program: ExecutionPlan = prepare(graph, linker, outer.program.watched, allow_gc=allow_gc, borrowed=frozenset(range(borrowed)))
    inner = CallFrame(program, outer.store, allow_gc, inside=True, runner=run_inner, unknown=outer.unknown, guesses=outer.guesses)
    inner.shared_frames = outer.shared_frames
    return _with_constants(inner, linker)


def _with_constants(frame: CallFrame, linker: str) -> CallFrame:
    place_constants(frame)
    for node in frame.program.graph.applies:
        inner = node.op.inner
        if inner is None or ("kind" not in inner.info and frame.program.watched == HOST):
            continue  # a fused loop, or an inner graph of unknown use: it is not run, and host constants take nothing
        if inner.info.get("kind") == FROM_GRAPH:
            frame.frames[node.id] = _shared(frame, inner, linker)
        else:
            frame.frames[node.id] = compile_inner(frame, inner, linker, bool(inner.info.get("allow_gc", False)))
    return frame


def _shared(outer: CallFrame, graph: FunctionGraph, linker: str) -> CallFrame:
    """Returns the frame of an OpFromGraph: nodes with the same Op have one frame in common."""
    number = graph.info.get("number")
    if not isinstance(number, int):
        return compile_inner(outer, graph, linker, outer.allow_gc)
    if number not in outer.shared_frames:
        outer.shared_frames[number] = compile_inner(outer, graph, linker, outer.allow_gc)
    return outer.shared_frames[number]


def place_constants(frame: CallFrame) -> None:
    """Allocates device memory for a graph's constants, for constants that were fused into Ops, and for default values of inner inputs.

    On the host nothing is allocated: a host constant is part of the graph, which exists before the function.
    """
    for variable in frame.program.graph.variables:
        if isinstance(variable, Constant) and variable.type.kind.on_device and frame.program.watches(variable.id):
            shape = exact(variable.shape)
            if not isinstance(shape, Unknown):
                size = itemsize(variable.type.dtype or "int8")
                buffer = in_memory(frame.store, variable.memory, prod(shape) * size, frame.tag(variable.id, ItemKind.CONSTANT))
                frame.put(variable.id, Array(buffer, shape, c_strides(shape, size), size))
                frame.store.drop(buffer)
    frame.kept += [(memory, in_memory(frame.store, memory, nbytes, tag)) for memory, nbytes, tag in _held_beside(frame)]


def in_memory(store: Heap, number: int | None, nbytes: int, tag: Tag) -> Buffer:
    """Returns a buffer of `nbytes` for the constant with the number `number` (`Constant.memory`); the caller becomes a holder.

    If a buffer with this number exists and is large enough, it is returned, because a copy of a function shares the constants of the
    original, and one constant may be a view of another. Otherwise a new buffer is allocated. Source: Theano 1.0.5, gof/graph.py,
    `Constant.clone`; compile/function_module.py, `Function.copy`.
    """
    known = None if number is None else store.constants.get(number)
    if known is not None and known.holders and nbytes <= known.requested:
        store.hold(known)
        return known
    buffer = store.take(nbytes, tag)
    if number is not None:
        store.constants[number] = buffer
    return buffer


def _held_beside(frame: CallFrame) -> Iterator[tuple[int | None, int, Tag]]:
    """Yields (memory number, bytes, label) of each device array that the function holds outside of its cells."""
    if not any(kind.on_device for kind in frame.program.watched):
        return
    rows: Any = frame.program.graph.info.get("kept_constants") or ()
    for row in rows:
        dtype, constant = row["type"]["dtype"], row["constant"]
        yield constant.get("memory"), *_labelled("constant that was fused into an op", dtype, tuple(constant["shape"]))
    for argument in frame.program.graph.inputs if frame.inside else ():
        kind = frame.program.graph.variables[argument.variable].type
        if argument.role is Role.DEFAULT and argument.update is not None and frame.program.watches(argument.variable):
            shape = tuple(1 if d == 1 else 0 for d in kind.shape)
            yield None, *_labelled("initial value of an inner input", kind.dtype or "int8", shape)


def _labelled(name: str, dtype: str, shape: tuple[int, ...]) -> tuple[int, Tag]:
    return prod(shape) * itemsize(dtype), Tag(ItemKind.CONSTANT, name, None, dtype, shape)

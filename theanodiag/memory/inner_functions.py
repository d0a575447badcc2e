"""Runs the inner functions of Ops: a Scan with its outputs for all steps, and an OpFromGraph; cells between steps and between calls.

Source of Scan: Theano 1.0.5, scan_module/scan_op.py, `Scan.make_thunk` and `Scan.execute` (scan_perform.pyx allocates the same).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from ..ir import ShapeTable
from ..ir.scan import ScanInfo, scan_info
from ..ir.traverse import ancestors, graphs
from ..ops.arrays import Array, Cell, size_of
from ..ops.memory_effects import Work, by_maps
from .call_frame import CallFrame
from .execution_plan import LAZY_OPS

SETTLING_STEPS = 64
"""Maximum number of simulated steps; the memory pattern of steps repeats long before, either every step or every few steps."""


def borrowed_outputs(info: ScanInfo) -> int:
    """Number of outputs, from the first one on, that the loop borrows from the inner function.

    These are preallocated (`scan.allow_output_prealloc`, on by default).
    """
    return info.n_mit_mot_results + info.n_stored - info.n_mit_mot


@dataclass
class Scan:
    """One call of a Scan."""

    work: Work
    """The Scan node."""
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
        """Number of steps: the value of input 0, else the length of the shortest sequence, else 2."""
        n = self.work.known(0)
        if isinstance(n, int):
            return n
        shapes = [self.work.shape_in(1 + k) for k in range(self.info.n_seqs)]
        return min((s[0] for s in shapes if s), default=2)

    def lengths(self) -> list[int]:
        """For each stored output, the number of steps that it has room for."""
        rows = []
        for k in range(self.info.n_stored):
            source = self.work.shape_in(1 + self.info.n_seqs + k) if k < self.info.n_recurrences else None
            known = self.work.known(self.info.lengths_at + k - self.info.n_recurrences) if k >= self.info.n_recurrences else None
            shape = source or self.work.shape(k)
            rows.append(known if isinstance(known, int) else shape[0] if shape else 1)
        return rows

    def initial_states(self, lengths: list[int]) -> None:
        """Fills the cells of recurrent outputs: in place of the initial state, in the old value of the cell, or with a copy."""
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
        """Fills the inner inputs that are the same in every step."""
        count = len(self.work.node.inputs) - self.info.others_at
        variables = [i.variable for i in self.inner.program.graph.inputs]
        for k, variable in enumerate(variables[len(variables) - count :]):
            self.feed(variable, self.work.input(self.info.others_at + k))

    def feed(self, variable: int, value: Array | None) -> None:
        """Stores a value in the cell of an inner Variable."""
        if self.inner.program.watches(variable):
            self.inner.put(variable, value)

    def loop(self, steps: int, lengths: list[int]) -> None:
        """Simulates steps until memory is in the same state as after an earlier step; of the remaining whole rounds only the requests are
        counted.

        With a stopping condition it covers the case that the loop ends after its first step.
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
        """Whether an IfElse condition inside may differ between steps: it depends on more than the inputs that stay the same."""
        program = self.inner.program
        inputs = [i.variable for i in program.graph.inputs]
        changing = set(inputs[: len(inputs) - (len(self.work.node.inputs) - self.info.others_at)])
        conditions = [variable for node in program.lazy for variable in node.inputs[:1]]
        deeper = any(path and node.op.name in LAZY_OPS for graph, path in graphs(program.graph) for node in graph.applies)
        return deeper or not changing.isdisjoint(ancestors(program.graph, conditions))

    def fingerprint(self) -> object:
        """A value that is equal after two steps that left memory in the same state."""
        store = self.inner.store
        cells = tuple(c.value.buffer.address if c.value else None for c in self.inner.cells.values())
        return store.live, store.allocator.reserved, store.allocator.largest_free(), cells

    def inputs(self) -> None:
        """Fills the inner inputs for one step: elements of sequences and of earlier outputs, and shared values."""
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
        """Prepares the inner output cells: empty in the first step, then views of the outer outputs into which results are written."""
        outputs = self.inner.program.graph.outputs[: self.inner.program.graph.n_returned]
        for position, variable in enumerate(outputs):
            k = position - self.info.n_mit_mot_results + self.info.n_mit_mot
            stored = self.info.n_mit_mot <= k < self.info.n_stored
            room = stored and step > 0 and lengths[k] != 1 and not self.is_vector(k)
            self.feed(variable, element(self.work.current(k)) if room else None)
        for variable in self.inner.program.graph.outputs[self.inner.program.graph.n_returned :]:
            self.earlier.setdefault(variable, Cell()).put(self.inner.store, self.inner.value(variable))

    def is_vector(self, output: int) -> bool:
        """Whether output number `output` has one host scalar for each step."""
        return output < len(self.info.vector_outs) and self.info.vector_outs[output]

    def store(self, step: int, lengths: list[int]) -> None:
        """Takes over the results of a step: the first step allocates the outputs without initial state; shared values are passed on."""
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
        """Inner inputs that mit-mot taps update in place, in the order of the output taps."""
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
        """Makes output number `output` hold an array of `shape`: the old value if that is long enough, else a new array, allocated while
        the old one is live.
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
                self.work.give(self.work.temporary(part * size_of(array.shape[1:]) * array.itemsize, "part of a ring of outputs"))
            elif lengths[k] > steps + first or self.info.as_while:
                self.work.give(self.work.temporary(array.itemsize, "zero steps"))

    def clear(self) -> None:
        """Empties the inner function's input and output cells; all its cells if the outer function has `allow_gc` and the inner has not."""
        graph = self.inner.program.graph
        for variable in (*(i.variable for i in graph.inputs), *graph.outputs):
            self.inner.put(variable, None)
        if self.outer.allow_gc and not self.inner.allow_gc:
            free(self.inner)


def free(frame: CallFrame) -> None:
    """Empties all cells of computed Variables, those of inner functions too, as `Function.free` does."""
    for node in frame.program.graph.applies:
        for variable in node.outputs:
            frame.put(variable, None)
    for inner in frame.frames.values():
        free(inner)


def element(array: Array | None) -> Array | None:
    """One element of `array` along its first dimension, as a view."""
    return None if array is None else array._replace(shape=array.shape[1:], strides=array.strides[1:])


def scan(outer: CallFrame, work: Work) -> None:
    """Simulates a Scan; where its inner graph is unknown, only allocates the outputs."""
    inner = outer.frames.get(work.node.id)
    info = None if inner is None else scan_info(inner.program.graph.info)
    if inner is None or info is None:
        by_maps(work)
        return
    table = outer.table.inner.get(work.node.id, ShapeTable({}))
    Scan(work, outer, inner, info, table).run()


KIND = "opfromgraph"
"""The `kind` in the `info` of the inner graph of an OpFromGraph."""


def op_from_graph(outer: CallFrame, work: Work) -> None:
    """Runs the inner function of an OpFromGraph; where its graph is unknown, only allocates the outputs.

    All nodes of one Op object share the inner function. Source: Theano 1.0.5, compile/builders.py, `OpFromGraph.prepare_node`, `perform`;
    compile/function_module.py, `Function.__call__`. Aesara 2.9.4 and PyTensor 3.0.7 return the inner results as they are, where Theano
    copies them (`info["copies"]`).
    """
    inner = outer.frames.get(work.node.id)
    if inner is None or inner.program.graph.info.get("kind") != KIND:
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

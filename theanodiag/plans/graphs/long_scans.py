"""Finds Scans that keep more steps than are used, and gradients through long Scans, and simulates the cures.

What Theano 1.0.5 does (a recurrence of 144 steps, its last state, and the gradient, which takes 4 761 728 bytes): with
`truncate_gradient=12` the forward Scan keeps 13 states and the gradient has 12 steps, but the two buffers into which gradients are written
stay as long as before (2 500 800 bytes). `scan_checkpoints` keeps the state of every N-th step, and all of N steps at a time (796 928).

Also finds sequences that are computed for all steps before a Scan reads them step by step (products, casts, reordered copies), by going
back from the sequences of Scans, over nodes that treat all steps alike, to what exists anyway: each step could compute its own part.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import isqrt

from ...ir import Apply, Constant, FunctionGraph, Shape, ShapeTable, Type, TypeKind
from ...ir.scan import ScanInfo, scan_info
from ...memory.execution_plan import alias_sets
from ...memory.script import Script
from ...ops import op_info
from .edit import Reshape, reads_lengths, with_graph, with_shapes

GRADIENT = "grad_of_"
"""Part of the name of a Scan that computes a gradient (Theano 1.0.5, scan_module/scan_op.py, `Scan.L_op`)."""
LEAST_STEPS = 8
"""Shorter loops are not examined."""
FAR = 2
"""A divisor with which this many times as many states are kept, or more, is none to use."""
EDGES = 3
"""Entries added before and after arrays of N steps, so that no figure was below that of the real loop with checkpoints."""


@dataclass(frozen=True)
class KeptSteps:
    """An output of a Scan of which only the last step is used."""

    function: int
    """Index of the function."""
    output: int
    """Id of the output Variable."""
    arrays: tuple[int, ...]
    """Ids of the output and of the buffers into which it is written."""
    steps: int
    """Number of steps kept."""
    needed: int
    """Number of steps that the recurrence itself reads back, plus one."""
    until: bool = False
    """Whether a condition ends the loop (`until`): Theano then never keeps fewer steps (Theano 1.0.5, scan_module/scan_opt.py,
    `ScanSaveMem`)."""


@dataclass(frozen=True)
class Recurrence:
    """A Scan and the Scan that is its gradient."""

    function: int
    """Index of the function."""
    output: int
    """Id of an output of the forward Scan, for its source line."""
    steps: int
    """Number of steps."""
    states: tuple[int, ...]
    """Buffers for all steps into which the forward Scan writes its states."""
    gradients: tuple[int, ...]
    """Buffers for all steps into which gradients of the states are written."""
    made: tuple[int, ...]
    """Further arrays for all steps that the gradient Scan reads or creates."""
    back: int
    """Apply id of the gradient Scan."""
    n_states: int = 1
    """Number of states that a step passes on to the next one."""
    n_sequences: int = 1
    """Number of arrays of which a step gets one entry."""
    all_used: bool = False
    """Whether results depend on the states of all steps, such as the cost of each step, and not only on the last ones."""

    @property
    def every(self) -> int:
        """Returns the distance in steps between kept states for which the fewest states are kept: a divisor of the number of steps near its
        square root if there is one, else the square root.
        """
        root = max(2, isqrt(self.steps))
        divisor = min((d for d in range(2, self.steps // 2 + 1) if self.steps % d == 0), key=lambda d: d + self.steps // d, default=root)
        return divisor if divisor + self.steps // divisor <= 2 * FAR * root else root


def info_of(node: Apply) -> ScanInfo | None:
    """Returns the layout of a Scan; None for other nodes, or if the layout is unknown."""
    return scan_info(node.op.inner.info) if node.op.name.endswith("Scan") and node.op.inner is not None else None


def scans(graph: FunctionGraph) -> list[tuple[Apply, ScanInfo]]:
    """Returns the Scans of a graph whose layout is known, in order."""
    if not any(name.endswith("Scan") for name in graph.op_names):
        return []
    return [(node, info) for node in graph.applies if (info := info_of(node)) is not None]


def recurrences(graph: FunctionGraph) -> list[tuple[Apply, ScanInfo]]:
    """Returns the Scans whose steps read results of earlier steps. Gradients are left out, because even the gradient of a map adds up over
    its steps.
    """
    return [(node, info) for node, info in scans(graph) if (info.mit_sot or info.sit_sot) and GRADIENT not in node.op.text]


def sequences(node: Apply, info: ScanInfo) -> tuple[int, ...]:
    """Returns the Variables that a Scan reads entry by entry, one entry for each step."""
    return tuple(node.inputs[p] for p in info.sequences)


def find_kept(graph: FunctionGraph, table: ShapeTable, function: int) -> Iterator[KeptSteps]:
    """Yields the outputs of Scans of which only the last step is read, if at least `LEAST_STEPS` steps are kept unnecessarily."""
    for node, info in scans(graph):
        for k, taps in enumerate((*info.mit_sot, *info.sit_sot), info.n_mit_mot):
            steps, needed = _length(table, node.outputs[k]), 1 + max((-t for t in taps), default=1)
            only_last = _only_end if info.as_while else _only_last
            if steps is not None and steps - needed >= LEAST_STEPS and only_last(graph, table, node.outputs[k]):
                chain = _chain(graph, node.inputs[info.recurrences[k]])
                yield KeptSteps(function, node.outputs[k], (node.outputs[k], *chain), steps, needed, info.as_while)


def last_only(script: Script, kept: KeptSteps) -> Script:
    """Returns the script in which the Scan keeps only as many steps as it needs."""
    return with_shapes(script, kept.function, shortened(_graph(script, kept.function), kept.arrays, kept.steps, kept.needed))


@dataclass(frozen=True)
class Filled:
    """A state of a Scan that is a whole array, of which each step writes a part."""

    function: int
    """Index of the function."""
    output: int
    """Id of the output Variable."""
    state: Shape
    """Shape of the array, without the axis of the steps."""
    steps: int
    """Number of arrays that are kept."""


def find_filled(graph: FunctionGraph, table: ShapeTable, function: int) -> Iterator[Filled]:
    """Yields the states of Scans of which each step sets a part, and the gradients of such states, if more than `LEAST_STEPS` of them are
    kept.
    """
    for node, info in scans(graph):
        inner = node.op.inner
        if inner is None:
            continue
        sets = {base for a in inner.applies if _sets(a) for base in _bases(inner, a.inputs[0])}
        rows = zip(inner.inputs, info.inner_inputs(len(node.inputs)))
        places = {place for entry, (place, _) in rows if place in info.recurrences and entry.variable in sets}
        for place in sorted(places):
            output = node.outputs[place - info.recurrences[0]]
            shape = table.shape(output)
            if isinstance(shape, tuple) and len(shape) > 1 and isinstance(shape[0], int) and shape[0] > LEAST_STEPS:
                yield Filled(function, output, shape[1:], shape[0])


def collected(script: Script, filled: Filled) -> Script:
    """Returns the script in which the loop keeps the part that each step writes, and not the whole array after each step."""

    def reshape(table: ShapeTable) -> Mapping[int, Shape]:
        kept = {v: shape for v, shape in table.shapes.items() if isinstance(shape, tuple) and shape[1:] == filled.state}
        return {v: (n, 1, *rest) for v, (n, _, *rest) in kept.items() if isinstance(n, int) and abs(n - filled.steps) <= 1}

    return with_shapes(script, filled.function, reshape)


def _sets(node: Apply) -> bool:
    """Whether a node sets a part of an array."""
    return node.op.name.endswith("IncSubtensor") and "Set" in node.op.text


def _bases(inner: FunctionGraph, variable: int) -> Iterator[int]:
    """Yields a Variable, and those of which it is a copy or a view on the host or the device."""
    yield variable
    while (maker := inner.maker(variable)) is not None and len(maker.inputs) == 1:
        variable = maker.inputs[0]
        yield variable


def find_recurrences(graph: FunctionGraph, table: ShapeTable, function: int) -> Iterator[Recurrence]:
    """Yields the Scans whose gradient goes back through all steps. A Scan whose steps read more than the last state is left out, because it
    cannot have checkpoints.
    """
    nodes = [(n, info) for n, info in scans(graph) if info.n_mit_mot and not _name(n).startswith("grad_of_grad")]
    bases = alias_sets(graph) if nodes else {}
    for node, info in nodes:
        read = sequences(node, info)
        seqs = {bases.get(v, v) for v in read}
        laid_out = ((n, i) for n in _ahead(graph, set(read)) if (i := info_of(n)) is not None)
        forward = next(((n, i) for n, i in laid_out if not i.n_mit_mot), None)
        steps = steps_of(graph, table, node, info)
        if forward is None or forward[1].mit_sot or steps is None or steps < LEAST_STEPS:
            continue
        yield _recurrence(graph, table, function, forward, (node, info), steps, seqs)


def with_checkpoints(script: Script, r: Recurrence) -> Script:
    """Returns the script with gradient checkpoints, which keeps the state of every N-th step, and all states of only N steps at a time."""
    left = r.every + -(-r.steps // r.every) + 1 + EDGES
    inner = _shorter(script, r, r.made, r.every + EDGES)
    return with_shapes(inner, r.function, shortened(_graph(script, r.function), (*r.states, *r.gradients), r.steps, left))


def cut_off(script: Script, r: Recurrence, steps: int) -> Script:
    """Returns the script with `truncate_gradient=steps`."""
    return _shorter(script, r, (*r.states, *r.made), steps)


Loop = tuple[Apply, ScanInfo]
"""A Scan with its layout."""


def _recurrence(
    graph: FunctionGraph, table: ShapeTable, function: int, ahead_loop: Loop, back_loop: Loop, steps: int, seqs: set[int]
) -> Recurrence:
    (forward, ahead), (back, behind) = ahead_loop, back_loop
    states = {v for out, p in zip(forward.outputs, ahead.recurrences) for v in (out, *_chain(graph, forward.inputs[p]))}
    mit_mot = behind.n_mit_mot
    gradients = {v for k in range(mit_mot) for v in (back.outputs[k], *_chain(graph, back.inputs[behind.recurrences[k]]))}
    carried = {v for v in seqs - states if _is_made_of(graph, v, set(forward.outputs))} | set(back.outputs[mit_mot:])

    def long(arrays: set[int]) -> tuple[int, ...]:
        return tuple(sorted(v for v in arrays if (_length(table, v) or 0) >= steps))

    more = len(ahead.sit_sot), ahead.n_seqs, _all_used(graph, table, forward.outputs, back)
    return Recurrence(function, forward.outputs[0], steps, long(states), long(gradients), long(carried), back.id, *more)


def _all_used(graph: FunctionGraph, table: ShapeTable, states: Sequence[int], back: Apply) -> bool:
    """Whether a result is computed from all states without the gradient Scan: what is computed for it, or from it, is left out."""
    of_gradient, todo, seen = set(back.outputs), list(states), set(states)
    for node in graph.applies:
        if not of_gradient.isdisjoint(node.inputs):
            of_gradient.update(node.outputs)
    while todo:
        v = todo.pop()
        if v in graph.outputs:
            return True
        for client, position in graph.clients[v]:
            node = graph.applies[client]
            length = node.op.name.endswith(("Shape", "Shape_i"))
            if not length and not _takes_last(graph, table, node, position) and of_gradient.isdisjoint(node.outputs):
                new = set(node.outputs) - seen
                seen |= new
                todo += new
    return False


def _shorter(script: Script, r: Recurrence, arrays: tuple[int, ...], left: int) -> Script:
    """The script in which `arrays` have `left` steps; outputs that the gradient Scan stacks get the length that its length inputs give."""
    graph = _graph(script, r.function)
    node = graph.applies[r.back]
    info = info_of(node)
    places = range(info.lengths_at, info.others_at) if info is not None else ()
    new = Constant(len(graph.variables), Type(TypeKind.TENSOR, "int64"), value=left)
    inputs = tuple(new.id if k in places else v for k, v in enumerate(node.inputs))
    applies = (*graph.applies[: r.back], replace(node, inputs=inputs), *graph.applies[r.back + 1 :])
    changed = replace(graph, variables=(*graph.variables, new), applies=applies)
    return with_graph(script, r.function, changed, shortened(graph, arrays, r.steps, left))


def _graph(script: Script, function: int) -> FunctionGraph:
    return script.functions[function].graph


def shortened(graph: FunctionGraph, arrays: tuple[int, ...], steps: int, left: int) -> Reshape:
    """Returns a Reshape that shortens `arrays` from `steps` to `left` entries, with all views and reshaped copies of them."""
    views = set(arrays)
    for node in graph.applies:
        views.update(out for k, out in enumerate(node.outputs) if any(node.inputs[p] in views for p in node.op.view_map.get(k, ())))

    def dim(now: int) -> int:
        if now in (steps, steps + 1):
            return min(now, left)
        return now // steps * left if now % steps == 0 else now

    def reshape(table: ShapeTable) -> Mapping[int, Shape]:
        shapes: dict[int, Shape] = {}
        for v in views:
            shape = table.shape(v)
            if isinstance(shape, tuple) and (v not in arrays or _length(table, v) is not None):
                shapes[v] = tuple(dim(d) if isinstance(d, int) and steps <= d else d for d in shape)
        return shapes

    return reshape


def _chain(graph: FunctionGraph, variable: int) -> tuple[int, ...]:
    """The Variables that a buffer was before its initial entries were written, back to the Op that allocates it."""
    chain: list[int] = []
    while (owner := graph.variables[variable].owner) is not None:
        node = graph.applies[owner]
        if node.op.name.endswith("IncSubtensor"):
            chain.append(variable)
            # an entry may be written out of another array of all steps (zeros but for the last gradient)
            chain += (
                _chain(graph, node.inputs[1]) if graph.variables[node.inputs[1]].type.ndim == graph.variables[variable].type.ndim else ()
            )
        elif node.op.name.endswith(("AllocEmpty", "Alloc")):
            return (*chain, variable)
        elif not node.op.view_map.get(0):
            break
        variable = node.inputs[0]
    return tuple(chain)


def _ahead(graph: FunctionGraph, variables: set[int]) -> Iterator[Apply]:
    """Yields the nodes from which these Variables are computed, nearest first."""
    todo, seen = [graph.variables[v].owner for v in variables], set()
    while todo:
        owner = todo.pop(0)
        if owner is not None and owner not in seen:
            seen.add(owner)
            yield graph.applies[owner]
            todo += [graph.variables[v].owner for v in graph.applies[owner].inputs]


def _is_made_of(graph: FunctionGraph, variable: int, sources: set[int]) -> bool:
    return any(not sources.isdisjoint(node.outputs) for node in _ahead(graph, {variable}))


def _only_last(graph: FunctionGraph, table: ShapeTable, variable: int) -> bool:
    """Whether every reader takes the last entry, possibly after cutting off the first ones."""
    if variable in graph.outputs or not graph.clients[variable]:
        return False
    return all(_takes_last(graph, table, graph.applies[client], position) for client, position in graph.clients[variable])


def _only_end(graph: FunctionGraph, table: ShapeTable, variable: int) -> bool:
    """Whether every reader takes one entry whose number is computed from the number of entries, as for the last of a loop with `until`."""
    if variable in graph.outputs or not graph.clients[variable]:
        return False
    entries = False
    for client, position in graph.clients[variable]:
        node = graph.applies[client]
        if reads_lengths(node):
            continue
        moved = op_info(node.op.name).transfers and node.outputs[0] not in graph.outputs
        if moved and all(reads_lengths(graph.applies[n]) for n, _ in graph.clients[node.outputs[0]]):
            continue
        one = not position and node.op.name.endswith("Subtensor") and "Inc" not in node.op.name and node.op.params.get("idx_list") == ["i"]
        if not one or not _is_of_lengths(graph, node.inputs[1]):
            return False
        entries = True
    return entries


def _is_of_lengths(graph: FunctionGraph, variable: int) -> bool:
    """Whether a number is computed from lengths of arrays and constants alone."""
    if isinstance(graph.variables[variable], Constant):
        return True
    node = graph.maker(variable)
    return node is not None and (
        reads_lengths(node) or (graph.variables[variable].type.ndim == 0 and all(_is_of_lengths(graph, v) for v in node.inputs))
    )


def _takes_last(graph: FunctionGraph, table: ShapeTable, node: Apply, position: int) -> bool:
    rows = node.op.params.get("idx_list")
    if position or not node.op.name.endswith("Subtensor") or "Inc" in node.op.name or not isinstance(rows, (list, tuple)) or not rows:
        return False
    if rows[0] == "i":
        index, length = graph.variables[node.inputs[1]], _length(table, node.inputs[0])
        value = index.value if isinstance(index, Constant) else table.values.get(index.id)
        return length is not None and value in (-1, length - 1)
    part = rows[0].get("slice") if isinstance(rows[0], dict) else None
    return isinstance(part, (list, tuple)) and part[1:] == [None, None] and _only_last(graph, table, node.outputs[0])


def steps_of(graph: FunctionGraph, table: ShapeTable, node: Apply, info: ScanInfo) -> int | None:
    """Returns the number of steps of a Scan; None if it is not known."""
    number = graph.variables[node.inputs[0]]
    value = number.value if isinstance(number, Constant) else table.values.get(number.id)
    lengths = [n for v in sequences(node, info) if (n := _length(table, v)) is not None]
    return value if isinstance(value, int) else min(lengths, default=None)


def _length(table: ShapeTable, variable: int) -> int | None:
    shape = table.shape(variable)
    return shape[0] if isinstance(shape, tuple) and shape and isinstance(shape[0], int) else None


def _name(node: Apply) -> str:
    return node.op.text.rpartition(",")[2]


@dataclass(frozen=True)
class Prepared:
    """A sequence that is computed for all steps in advance."""

    function: int
    """Index of the function."""
    sequence: int
    """Id of the sequence."""
    steps: int
    """Number of steps."""
    arrays: tuple[int, ...]
    """Ids of the Variables that exist only for it: the sequence, and its intermediate values."""
    sources: tuple[int, ...]
    """Ids of the existing Variables from which these are computed."""
    product: bool
    """Whether a product is among them; otherwise they are copies or elementwise results."""


def find_prepared(graph: FunctionGraph, table: ShapeTable, function: int) -> Iterator[Prepared]:
    """Yields the sequences of at least `LEAST_STEPS` steps that only Scans read, except those of gradient Scans."""
    seen: set[int] = set()
    for node, info in scans(graph):
        if info.n_mit_mot:
            continue
        steps = steps_of(graph, table, node, info)
        for sequence in sequences(node, info) if steps is not None and steps >= LEAST_STEPS else ():
            prepared = _prepared(graph, table, function, sequence, steps or 0)
            if prepared is not None and seen.isdisjoint(prepared.arrays):
                seen.update(prepared.arrays)
                yield prepared


def in_steps(script: Script, prepared: Prepared) -> Script:
    """Returns the script in which each step of the Scan computes its part of the sequence."""
    graph = script.functions[prepared.function].graph
    return with_shapes(script, prepared.function, shortened(graph, prepared.arrays, prepared.steps, 1))


def _prepared(graph: FunctionGraph, table: ShapeTable, function: int, sequence: int, steps: int) -> Prepared | None:
    """A sequence computed only for its Scans, with the arrays it is computed from; None if that saves no memory."""
    arrays: list[int] = []
    sources: list[int] = []
    nodes: list[Apply] = []
    todo = [sequence]
    while todo:
        v = todo.pop()
        node = graph.maker(v)
        if not _has_steps(table, v, steps):
            continue  # weights and biases have no steps
        if node is None or not _is_step_by_step(node) or not _only_for_loops(graph, v, {sequence, *arrays}):
            sources.append(v)
        elif v not in arrays:
            arrays.append(v)
            nodes.append(node)
            todo += node.inputs
    makers = [n for n in nodes if not n.op.view_map]
    if not makers or not sources:
        return None
    product = any(op_info(n.op.name).factors for n in makers)
    return Prepared(function, sequence, steps, tuple(arrays), tuple(dict.fromkeys(sources)), product)


def _is_step_by_step(node: Apply) -> bool:
    """Whether a node computes the entries of each step from those of the same step alone."""
    op = op_info(node.op.name)
    if op.factors or op.rearranges or node.op.name.removeprefix("Gpu") == "Elemwise":
        return True
    return op.hands_on and not op.transfers


def _only_for_loops(graph: FunctionGraph, variable: int, known: set[int]) -> bool:
    """Whether only Scans, and the nodes that compute the sequence, read a Variable's elements."""
    if variable in graph.outputs:
        return False
    for client, _ in graph.clients[variable]:
        node = graph.applies[client]
        if info_of(node) is not None or node.op.name.endswith(("Shape", "Shape_i")) or not known.isdisjoint(node.outputs):
            continue
        if not node.op.view_map or not _only_for_loops(graph, node.outputs[0], known):
            return False
    return True


def _has_steps(table: ShapeTable, variable: int, steps: int) -> bool:
    """Whether a Variable has entries for every step."""
    shape = table.shape(variable)
    return isinstance(shape, tuple) and any(isinstance(n, int) and n >= steps and n % steps == 0 for n in shape)

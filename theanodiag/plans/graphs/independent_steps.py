"""Finds Scans, or parts of Scans, whose steps do not depend on each other, and simulates them as one computation of all steps.

`theano.map`, a scan without `outputs_info`, and a softmax of each state in the step of a recurrence compute every step from its own entries
alone. What a step computes is then computed with one more axis in front. The gradient of such a Scan is a Scan too: it adds up over its
steps, which is one sum over that axis.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ...ir import Apply, Constant, FunctionGraph, GraphInput, Op, Shape, ShapeTable, Unknown, Variable
from ...ir.graph import ancestors, computed_from
from ...ir.scan import ScanInfo
from ...memory.script import Script
from ...ops import op_info
from .edit import Rewrite, pruned, with_graph
from .identity_nodes import plain_name, scalar_name
from .long_scans import LEAST_STEPS, Loop, scans, steps_of

ROWWISE = frozenset({"Softmax", "SoftmaxGrad", "SoftmaxWithBias", "LogSoftmax"})
"""Ops on the rows of a matrix, which may be the rows of all steps."""
Known = dict[tuple[object, ...], int]
"""What is computed for all steps, by its Op and what it is computed from -> the Variable: the gradient computes the same again."""
NUMBERS = frozenset({"ScalarFromTensor", "TensorFromScalar"})
"""Ops on the number of a step."""
Row = tuple[Op, tuple[int, ...], tuple[int, ...]]
"""A new node: Op, inputs, outputs."""
ADDED = frozenset({"Gemm", "Gemv"})
"""Ops that add a product of their inputs 2 and 3 to input 0."""


@dataclass(frozen=True)
class AtOnce:
    """A Scan of which results are computed for all steps at once."""

    function: int
    """Index of the function."""
    output: int
    """Id of an output of the Scan, for its source line."""
    steps: int
    whole: bool
    """Whether nothing of the Scan remains."""
    forward: bool
    """Whether it is a loop of the script, and not the gradient of one."""
    sequences: tuple[int, ...]
    """Ids of the sequences that the Scan reads."""
    shape: Shape
    """Shape of that output."""


def all_steps_at_once(script: Script, function: int, call: int) -> tuple[Script, tuple[AtOnce, ...]]:
    """Returns the script in which a function computes at once what its Scans compute in independent steps, for the shapes of its call
    number `call`; also returns these Scans.
    """
    found: list[AtOnce] = []
    examined: set[int] = set()
    known: Known = {}
    while True:
        graph, table = script.functions[function].graph, script.calls(function)[call].shapes
        loop = next(((n, i) for n, i in scans(graph) if n.outputs[0] not in examined), None)
        if loop is None:
            return (_in_order(script, function, call) if any(one.whole and not one.forward for one in found) else script), tuple(found)
        examined.add(loop[0].outputs[0])
        steps = steps_of(graph, table, *loop)
        lift = _Lift.of(graph, table, loop, steps, known) if steps is not None and steps >= LEAST_STEPS else None
        if lift is None:
            continue
        examined.update(lift.kept_outputs)
        output = lift.lifted_output
        shape = table.shape(output)
        sequences = tuple(loop[0].inputs[p] for p in loop[1].sequences)
        forward = "grad_of_" not in loop[0].op.text
        script = with_graph(script, function, pruned(lift.built()), lift.shapes)
        found.append(AtOnce(function, output, steps or 0, not lift.core, forward, sequences, () if isinstance(shape, Unknown) else shape))


def _in_order(script: Script, function: int, call: int) -> Script:
    """The script in which a function reads whole arrays in their order, where the gradient of a Scan read them from the last step on."""
    graph, table = script.functions[function].graph, script.calls(function)[call].shapes
    change = Rewrite(graph)
    for node in graph.applies:
        whole = node.op.view_map and table.shape(node.inputs[0]) == table.shape(node.outputs[0])
        if plain_name(node) == "Subtensor" and whole and len(node.inputs) > 1:
            everything = {**node.op.params, "idx_list": [{"slice": [None, None, None]}]}
            change.put(node.id, replace(node.op, params=everything), node.inputs[:1], node.outputs[0])
    return with_graph(script, function, pruned(change.build()))


@dataclass
class _Lift:
    """The nodes of a Scan's step with one more axis, in the graph around the Scan."""

    graph: FunctionGraph
    table: ShapeTable
    scan: Apply
    info: ScanInfo
    steps: int
    inner: FunctionGraph
    step_table: ShapeTable
    change: Rewrite
    known: Known
    core: set[int] = field(default_factory=set)
    """Inner nodes that the Scan keeps."""
    outer: dict[int, int] = field(default_factory=dict)
    """Inner Variable -> the Variable with all steps of it, or the one that is the same in each step."""
    stepped: set[int] = field(default_factory=set)
    """Inner Variables that differ between steps."""
    rules: dict[int, Callable[[ShapeTable], Shape]] = field(default_factory=dict)
    before: list[Row] = field(default_factory=list)
    after: list[Row] = field(default_factory=list)
    targets: dict[int, int] = field(default_factory=dict)
    """Position of an inner output -> the outer output, for those that are lifted."""
    taps: set[int] = field(default_factory=set)
    """Inner inputs that are states of earlier steps, and read other than by adding to them."""
    totals: dict[int, int] = field(default_factory=dict)
    """Number of a recurrence that only adds up -> its inner input."""
    boundary: list[int] = field(default_factory=list)
    """Inner Variables that the rest of the Scan reads, computed before it."""

    @staticmethod
    def of(graph: FunctionGraph, table: ShapeTable, loop: Loop, steps: int, known: Known) -> _Lift | None:
        """Returns the lifted step; None if no result is independent of other steps, or an Op has no form with one more axis."""
        scan, info = loop
        inner = scan.op.inner
        if inner is None or info.as_while or info.n_shared or info.mit_sot:
            return None
        static = {v.id: tuple(n for n in v.type.shape if n is not None) for v in inner.variables if None not in v.type.shape}
        step_table = table.inner.get(scan.id) or ShapeTable(static)
        lift = _Lift(graph, table, scan, info, steps, inner, step_table, Rewrite(graph), known)
        return lift if lift._choose() and lift._lift() else None

    @property
    def lifted_output(self) -> int:
        """An outer output that is lifted."""
        return next(iter(self.targets.values()))

    @property
    def kept_outputs(self) -> tuple[int, ...]:
        """The outer outputs that the Scan keeps."""
        return tuple(v for v in self.scan.outputs if v not in self.targets.values())

    def _choose(self) -> bool:
        """Finds the results that are independent of other steps, and the nodes that the Scan keeps."""
        info, inner = self.info, self.inner
        for entry, (place, stepped) in zip(inner.inputs, info.inner_inputs(len(self.scan.inputs))):
            self.outer[entry.variable] = self.scan.inputs[place]
            if stepped:
                self.stepped.add(entry.variable)
        first = info.first_nit_sot()
        others = [*inner.outputs[: first - len(info.sit_sot)], *inner.outputs[first + info.n_nit_sot :]]
        recurrent = [*others, *self._recurrences()]
        core, dependent = _above(inner, recurrent), computed_from(inner, self.taps)
        for k in range(info.n_nit_sot):
            owner = inner.variables[inner.outputs[first + k]].owner
            if owner is not None and (owner not in core or inner.outputs[first + k] not in dependent):
                self.targets[first + k] = self.scan.outputs[info.n_recurrences + k]
        self._states()
        states = {v for v in self.outer if inner.variables[v].owner is not None}
        for position in list(self.targets):
            nodes = _above(inner, [inner.outputs[position]], cut=states)
            if any(v in self.taps for n in nodes for v in inner.applies[n].inputs):
                del self.targets[position]
        return bool(self.targets)

    def _recurrences(self) -> Iterator[int]:
        """Yields the states that later steps read, and not only add to."""
        at, first = self.info.n_seqs, self.info.first_nit_sot() - len(self.info.sit_sot)
        for k, own in enumerate(self.info.taps):
            variables = [i.variable for i in self.inner.inputs[at : at + len(own)]]
            at += len(own)
            position = first + k - self.info.n_mit_mot if k >= self.info.n_mit_mot else None
            if position is not None and self._adds_up(variables[0], self.inner.outputs[position]):
                self.totals[k], self.targets[position] = variables[0], self.scan.outputs[k]
                continue
            self.taps.update(variables)
            if position is not None:
                yield self.inner.outputs[position]

    def _states(self) -> None:
        """Makes the states of all steps, which the Scan stores, known as what they are in a step."""
        for v in self.taps:
            self.outer.pop(v, None)
        first = self.info.first_nit_sot() - len(self.info.sit_sot)
        for position, k in enumerate(range(self.info.n_mit_mot, self.info.n_recurrences), first):
            v, states = self.inner.outputs[position], self.scan.outputs[k]
            shape = self.table.shape(states)
            if k in self.totals or not isinstance(shape, tuple) or shape[0] != self.steps + 1 or v in self.outer:
                continue
            kind = self.graph.variables[states].type
            new = self.change.variable(kind)
            self.rules[new] = _one_less(states)
            self.after.append((Op("GpuSubtensor" if kind.kind.on_device else "Subtensor", "[1:]", view_map={0: (0,)}), (states,), (new,)))
            self.outer[v] = new
            self.stepped.add(v)

    def _adds_up(self, state: int, result: int) -> bool:
        """Whether a state is only added to: `new = state + term`."""
        clients, owner = self.inner.clients[state], self.inner.variables[result].owner
        if owner is None or len(clients) != 1 or clients[0][0] != owner or self.inner.clients[result]:
            return False
        node = self.inner.applies[owner]
        return (plain_name(node) in ADDED and clients[0][1] == 0) or (plain_name(node) == "Elemwise" and scalar_name(node) == "add")

    def _lift(self) -> bool:
        """Adds the nodes of the independent results."""
        states = {v for v in self.outer if self.inner.variables[v].owner is not None}
        nodes = _above(self.inner, [self.inner.outputs[p] for p in self.targets], cut=states)
        below = computed_from(self.inner, self.taps | states)
        early = {n for n in nodes if below.isdisjoint(self.inner.applies[n].inputs)}
        for number in sorted(nodes):
            if not self._node(self.inner.applies[number], self.before if number in early else self.after):
                return False
        lifted = {v for n in early for v in self.inner.applies[n].outputs}
        self.core = _above(self.inner, self._remaining(), cut=lifted)
        self.boundary = sorted(lifted & {v for n in self.core for v in self.inner.applies[n].inputs})
        return True

    def _remaining(self) -> list[int]:
        """The inner outputs that the Scan keeps."""
        return [v for p, v in enumerate(self.inner.outputs) if p not in self.targets]

    def _node(self, node: Apply, rows: list[Row]) -> bool:
        """Adds one node with one more axis; returns whether that is possible."""
        out = node.outputs[0]
        position = next((p for p in self.targets if self.inner.outputs[p] == out), None)
        if position is not None and position < self.info.first_nit_sot():
            return self._total(node, self.targets[position], rows)
        given = self._all_steps(node.inputs)
        steps = not self.stepped.isdisjoint(node.inputs)
        op = self._op(node) if steps else node.op
        if given is None or op is None or len(node.outputs) > 1 or (position is not None and not steps):
            return False
        key = (op.name, op.text, *map(self._origin, given))
        same = self.known.get(key) if steps else None
        for at in op.destroy_map.get(0, ()):
            self.known.pop(next((k for k, v in self.known.items() if v == given[at]), ()), None)
        if position is not None:
            new = self.targets[position]
            rows.append((op, given, (new,)) if same is None else (Op("AllSteps", "same", view_map={0: (0,)}), (same,), (new,)))
        elif same is not None:
            new = same
        else:
            kind = self.inner.variables[out].type
            new = self.change.variable(replace(kind, shape=(None, *kind.shape) if steps else kind.shape))
            self.rules[new] = lambda table: self._with_steps(table, out, steps)
            rows.append((op, given, (new,)))
        self.outer[out] = new
        if steps:
            self.stepped.add(out)
            self.known.setdefault(key, new)
        return True

    def _origin(self, variable: int) -> object:
        """What a Variable is a part of; the value of a constant."""
        v = self.change.variables[variable]
        while isinstance(v, Variable) and v.owner is not None and (node := self.graph.applies[v.owner]).op.view_map:
            v = self.change.variables[node.inputs[0]]
        made = next((row for row in self.after if row[2] == (v.id,) and row[0].view_map), None)
        return v.value if isinstance(v, Constant) else v.id if made is None else made[1][0]

    def _with_steps(self, table: ShapeTable, variable: int, steps: bool) -> Shape:
        own = table.inner.get(self.scan.id, self.step_table).shape(variable)
        shape = () if isinstance(own, Unknown) else own
        return (steps_of(self.graph, table, self.scan, self.info) or self.steps, *shape) if steps else shape

    def _all_steps(self, variables: Sequence[int]) -> tuple[int, ...] | None:
        """The outer Variables of inner ones; constants are copied. None if one is not known outside of the step."""
        for v in variables:
            if v not in self.outer and isinstance(self.inner.variables[v], Constant):
                self.outer[v] = len(self.change.variables)
                self.change.variables.append(replace(self.inner.variables[v], id=self.outer[v]))
        return tuple(self.outer[v] for v in variables) if all(v in self.outer for v in variables) else None

    def _op(self, node: Apply) -> Op | None:
        """The Op with one more axis in front; None if there is none."""
        name, op = plain_name(node), node.op
        if name == "Elemwise":
            at = self._overwritten(node)
            return replace(op, destroy_map={} if at is None else {0: (at,)})
        if name.endswith("DimShuffle"):
            order = op.params.get("new_order")
            new = [0, *(k + 1 if isinstance(k, int) else k for k in order)] if isinstance(order, (list, tuple)) else []
            return replace(op, params={**op.params, "new_order": new}) if new else None
        if op_info(op.name).reduces:
            axes, ndim = op.params.get("axis"), self.inner.variables[node.inputs[0]].type.ndim
            own = list(axes) if isinstance(axes, (list, tuple)) else list(range(ndim))
            return replace(op, params={**op.params, "axis": [a + 1 for a in own]})
        if name == "DeepCopyOp":  # of a view, which the Scan stores
            return Op("AllSteps", op.text, view_map={0: (0,)})
        if name == "Subtensor" and node.inputs[0] not in self.stepped and op.params.get("idx_list") == ["i"]:
            rows = self.step_table.shape(node.inputs[0])
            every = isinstance(rows, tuple) and rows[0] == self.steps
            return Op("AllSteps", op.text, view_map={0: (0,)} if every else {})
        info = op_info(op.name)
        if name in NUMBERS or info.factors or info.transfers or info.hands_on or name in ROWWISE or name == "Reshape":
            into = op.destroy_map if op.destroy_map and node.inputs[0] in self.stepped else {}
            return Op("AllSteps", op.text, view_map=op.view_map, destroy_map=into)
        return None

    def _overwritten(self, node: Apply) -> int | None:
        """The position of an input that an elementwise node can overwrite: one that nothing else reads."""
        out = node.outputs[0]
        shape, dtype = self.step_table.shape(out), self.inner.variables[out].type.dtype
        for k, v in enumerate(node.inputs):
            made = self.inner.variables[v].owner is not None and v in self.stepped and len(self.inner.clients[v]) == 1
            whole = self.step_table.shape(v) == shape and self.inner.variables[v].type.dtype == dtype
            if made and whole and v not in self.inner.outputs and not self.inner.applies[self.inner.variables[v].owner or 0].op.view_map:
                return k
        return None

    def _total(self, node: Apply, output: int, rows: list[Row]) -> bool:
        """Adds the sum over all steps of what each step adds to a state."""
        added = node.inputs[2:4] if plain_name(node) in ADDED else tuple(v for v in node.inputs if v not in self.totals.values())
        given = self._all_steps(added)
        if given is None or self.stepped.isdisjoint(added):
            return False
        self.rules[output] = lambda table: _single(table.shape(output))
        if plain_name(node) in ADDED:
            rows.append((Op("AllSteps", "dot"), given, (output,)))
            return True
        source, axes = self._summed(given[0], rows)
        gpu, params = node.op.name.startswith("Gpu"), {"scalar_op": "Add", "axis": axes, "pre_scalar_op": None}
        rows.append((Op("GpuCAReduceCuda" if gpu else "Sum", "sum", params=params), (source,), (output,)))
        return len(given) == 1

    def _summed(self, term: int, rows: list[Row]) -> tuple[int, list[int]]:
        """What is summed over all steps, and the axes: a sum of a sum is one sum."""
        made = next((row for row in rows if row[2] == (term,)), None)
        axes = made[0].params.get("axis") if made is not None else None
        if made is None or not op_info(made[0].name).reduces or made[0].params.get("pre_scalar_op") or not isinstance(axes, list):
            return term, [0]
        rows.remove(made)
        del self.rules[term]
        return made[1][0], [0, *axes]

    def built(self) -> FunctionGraph:
        """Returns the graph with the lifted nodes before and after what remains of the Scan."""
        rows = [*self.before]
        if self.core:
            rows.append(self._rest())
        self.change.instead[self.scan.id] = [*rows, *self.after]
        return self.change.build()

    def _rest(self) -> Row:
        """The Scan without what is lifted, which reads what was lifted before it as sequences."""
        info, inner, n_in = self.info, self.inner, len(self.scan.inputs)
        first = info.first_nit_sot()
        gone = {p - first for p in self.targets if p >= first}
        unread = self._unread()
        drop = {info.lengths_at + k for k in gone} | {info.recurrences[k] for k in self.totals} | set(unread.values())
        new = [self.outer[v] for v in self.boundary]
        old = [p for p in range(n_in) if p not in drop]
        n_seqs = sum(p in info.sequences for p in old)
        places = [*old[: 1 + n_seqs], *(-1 - k for k in range(len(new))), *old[1 + n_seqs :]]
        inputs = tuple(new[-1 - p] if p < 0 else self.scan.inputs[p] for p in places)
        outputs = tuple(v for v in self.scan.outputs if v not in self.targets.values())
        moved = {p: k for k, p in enumerate(places)}
        destroyed = {
            outputs.index(self.scan.outputs[o]): tuple(moved[p] for p in at if p in moved)
            for o, at in self.scan.op.destroy_map.items()
            if self.scan.outputs[o] in outputs
        }
        without = {*self.totals.values(), *unread}
        entries = [self._moved(e) for e in inner.inputs if e.variable not in without]
        entries[n_seqs:n_seqs] = [GraphInput(v) for v in self.boundary]
        owners = Rewrite(inner)
        for node in inner.applies:
            if node.id not in self.core:
                owners.remove(node.id)
        kept = owners.build()
        sit_sot = [t for k, t in enumerate(info.sit_sot, info.n_recurrences - len(info.sit_sot)) if k not in self.totals]
        flags = [f for v, f in zip(self.scan.outputs, info.vector_outs) if v in outputs]
        counts = {"n_seqs": n_seqs + len(new), "n_nit_sot": info.n_nit_sot - len(gone)}
        described = {**inner.info, **counts, "sit_sot_in_slices": sit_sot, "vector_outs": flags}
        graph = replace(kept, inputs=tuple(entries), outputs=tuple(self._remaining()), info=described, returned=self._returned())
        return replace(self.scan.op, inner=graph, destroy_map=destroyed), inputs, outputs

    def _unread(self) -> dict[int, int]:
        """The inner inputs that what remains of the Scan does not read, except states -> their positions among the outer inputs."""
        read = {v for n in self.core for v in self.inner.applies[n].inputs} | set(self._remaining())
        rows = zip(self.inner.inputs, self.info.inner_inputs(len(self.scan.inputs)))
        free = {*self.info.sequences, *range(self.info.others_at, len(self.scan.inputs))}
        return {entry.variable: place for entry, (place, _) in rows if place in free and entry.variable not in read}

    def _moved(self, entry: GraphInput) -> GraphInput:
        """An inner input, with the new position of the output that updates it."""
        at = entry.update
        if at is None:
            return entry
        return GraphInput(entry.variable, entry.role, entry.shared, at - sum(p < at for p in self.targets), entry.borrow, entry.mutable)

    def _returned(self) -> int | None:
        n = self.inner.returned
        return None if n is None else n - sum(p < n for p in self.targets)

    def shapes(self, table: ShapeTable) -> Mapping[int, Shape]:
        """Returns the shapes of the new Variables in a call."""
        return {v: rule(table) for v, rule in self.rules.items()}


def _one_less(states: int) -> Callable[[ShapeTable], Shape]:
    """The shape of states without the first one."""

    def shape(table: ShapeTable) -> Shape:
        all_of = table.shape(states)
        return () if isinstance(all_of, Unknown) else (*(n - 1 if isinstance(n, int) else n for n in all_of[:1]), *all_of[1:])

    return shape


def _single(shape: Shape | Unknown) -> Shape:
    return (1, *shape[1:]) if isinstance(shape, tuple) and shape else ()


def _above(graph: FunctionGraph, variables: Sequence[int], cut: Container[int] = ()) -> set[int]:
    """The nodes from which Variables are computed, without those that make a Variable in `cut`, and those above them."""
    return {owner for v in ancestors(graph, variables, cut) if (owner := graph.variables[v].owner) is not None}

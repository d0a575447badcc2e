"""Finds optimizer state that is kept for parameters (velocities, moments), and simulates updates that keep less.

A state has the shape of the parameter that it follows, is updated by the same function, is read entry by entry alone, and the update of the
parameter is computed from it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from ...ir import Apply, Constant, FunctionGraph, GraphInput, Op, ShapeTable, Type, TypeKind
from ...ir.shape import nbytes
from ...memory.script import Create, GetValue, Script, SetValue
from .edit import Rewrite, pruned, with_graph

SQUARE = re.compile(r"\bsqr[(}]|\b(i\d+|t\d+) \* \1\b")
"""A square in the text of an elementwise Op."""


@dataclass(frozen=True)
class StateVariable:
    """A shared variable of the optimizer that belongs to a parameter."""

    shared: int
    """Id of the shared variable."""
    parameter: int
    """Id of the parameter, a shared variable."""
    squares: bool
    """Whether it accumulates squared gradients; otherwise it is a velocity or a mean of gradients."""
    nbytes: int
    """Its size in bytes, which is that of the parameter."""


@dataclass(frozen=True)
class OptimizerState:
    """The states that one function updates."""

    function: int
    """Index of the function."""
    states: tuple[StateVariable, ...]
    """The states, in the order of the parameters."""

    @cached_property
    def by_parameter(self) -> dict[int, tuple[StateVariable, ...]]:
        """The states of each parameter."""
        states: dict[int, tuple[StateVariable, ...]] = {}
        for state in self.states:
            states[state.parameter] = (*states.get(state.parameter, ()), state)
        return states

    @property
    def each(self) -> int:
        """Returns the greatest number of states that belong to one parameter."""
        return max(map(len, self.by_parameter.values()), default=0)

    @property
    def name(self) -> str:
        """Returns the name of the optimizer that keeps such state; empty if it is not a common optimizer."""
        kinds = {tuple(sorted(s.squares for s in rows)) for rows in self.by_parameter.values()}
        names = {(False,): "momentum", (True,): "Adagrad or RMSprop", (False, True): "Adam", (True, True): "Adadelta"}
        return names.get(next(iter(kinds)), "") if len(kinds) == 1 else ""

    @property
    def bytes(self) -> int:
        """Bytes of all states."""
        return sum(s.nbytes for s in self.states)

    @property
    def parameter_bytes(self) -> int:
        """Bytes of the parameters that the states belong to."""
        return sum(rows[0].nbytes for rows in self.by_parameter.values())


def find_state(graph: FunctionGraph, table: ShapeTable, function: int) -> OptimizerState | None:
    """Returns the states that a function updates; None if there are none."""
    entries = [i for i in graph.inputs if i.shared is not None and i.update is not None and i.variable != graph.outputs[i.update]]
    entries = [i for i in entries if (graph.variables[i.variable].type.dtype or "").startswith("float") and table.shape(i.variable) != ()]
    apart = {i.variable: _stays_apart(graph, table, i) for i in entries}
    states: list[StateVariable] = []
    taken: set[int] = set()
    for parameter in entries:
        if apart[parameter.variable] and any(not a for a in apart.values()):
            continue  # it is a state itself
        above = alike_above(graph, table, graph.outputs[parameter.update or 0])
        for state in entries:
            size = nbytes(table.shape(state.variable), graph.variables[state.variable].type.dtype or "")
            if state.variable in above and state is not parameter and apart[state.variable] and state.variable not in taken:
                taken.add(state.variable)
                squares = _has_squares(graph, table, state)
                states.append(StateVariable(state.shared or 0, parameter.shared or 0, squares, size if isinstance(size, int) else 0))
    return OptimizerState(function, tuple(states)) if states else None


def alike_above(graph: FunctionGraph, table: ShapeTable, variable: int) -> set[int]:
    """Returns the Variables of the same shape from which `variable` is computed through Variables of that shape, including `variable`
    itself.
    """
    variables: set[int] = set()
    shape, todo = table.shape(variable), [variable]
    while todo:
        v = todo.pop()
        if v not in variables and table.shape(v) == shape:
            variables.add(v)
            owner = graph.variables[v].owner
            todo += graph.applies[owner].inputs if owner is not None else ()
    return variables


def _stays_apart(graph: FunctionGraph, table: ShapeTable, entry: GraphInput) -> bool:
    """Returns whether all Variables computed from an input have its shape and are used only for updates."""
    shape, seen, todo = table.shape(entry.variable), set(), [entry.variable]
    while todo:
        v = todo.pop()
        if v in seen:
            continue
        seen.add(v)
        for number, position in graph.clients[v]:
            node = graph.applies[number]
            if "Shape" in node.op.name:
                continue
            if any(table.shape(out) != shape for out in node.outputs) or (_is_product(node) and position != 0):
                return False
            todo += node.outputs
    return seen.isdisjoint(graph.outputs[: graph.n_returned])


def _factors(node: Apply) -> tuple[int, ...] | None:
    """The factors of a product; None for other nodes."""
    places = {"Dot22": (0, 1), "Dot22Scalar": (0, 1), "Gemm": (2, 3)}.get(node.op.name.removeprefix("Gpu"))
    return None if places is None else tuple(node.inputs[k] for k in places)


def _is_product(node: Apply) -> bool:
    return node.op.name.removeprefix("Gpu") in ("Gemm", "Gemv", "Ger", "Dot22", "Dot", "Dot22Scalar")


def _has_squares(graph: FunctionGraph, table: ShapeTable, entry: GraphInput) -> bool:
    """Whether a state accumulates squares: an array of its shape is squared for it, or its root is taken for an update."""
    update = graph.outputs[entry.update or 0]
    for v in alike_above(graph, table, update):
        owner = graph.variables[v].owner
        if owner is not None and _feeds_only(graph, v, update, entry.variable) and SQUARE.search(_said(graph.applies[owner])):
            return True
    below = _alike_below(graph, table, entry.variable)
    rooted = (v for n in sorted(below) for v in _under_roots(graph.applies[n]) if table.shape(v) == table.shape(entry.variable))
    return any(entry.variable in alike_above(graph, table, v) for v in rooted)


def _said(node: Apply) -> str:
    return f"{node.op.text} {node.op.params.get('scalar_text', '')}".lower()


def _alike_below(graph: FunctionGraph, table: ShapeTable, variable: int) -> set[int]:
    """Ids of the nodes that compute a result of the same shape from a Variable."""
    variables: set[int] = set()
    todo = [variable]
    while todo:
        for number, _ in graph.clients[todo.pop()]:
            node = graph.applies[number]
            if number not in variables and any(table.shape(out) == table.shape(variable) for out in node.outputs):
                variables.add(number)
                todo += node.outputs
    return variables


def _under_roots(node: Apply) -> list[int]:
    """The inputs of an elementwise node of which its text takes the root: `sqrt((i2 + i3))`."""
    if node.op.params.get("scalar_op") == "Sqrt":
        return list(node.inputs)
    scalar, positions = _said(node), set()
    for match in re.finditer(r"sqrt\(", scalar):
        depth, end = 1, match.end()
        while depth and end < len(scalar):
            depth += {"(": 1, ")": -1}.get(scalar[end], 0)
            end += 1
        positions |= {int(k) for k in re.findall(r"\bi(\d+)\b", scalar[match.end() : end])}
    return [node.inputs[k] for k in sorted(positions) if k < len(node.inputs)]


def _feeds_only(graph: FunctionGraph, variable: int, update: int, state: int) -> bool:
    """Whether a Variable is the update, or lies between the state's gradient and it: no other large array is computed above it."""
    if variable == update:
        return True
    return any(update in graph.applies[n].outputs and state in graph.applies[n].inputs for n, _ in graph.clients[variable])


def is_used_alone(script: Script, optimizer: OptimizerState) -> bool:
    """Returns whether no other function uses the optimizer states."""
    ids = {state.shared for state in optimizer.states}
    return all(f.index == optimizer.function or ids.isdisjoint(i.shared for i in f.graph.inputs) for f in script.functions)


def with_states(script: Script, optimizer: OptimizerState, keep: int) -> Script:
    """Returns the script with at most `keep` states per parameter: 0 for plain gradient descent, 1 for momentum."""
    gone = tuple(s for rows in optimizer.by_parameter.values() for s in _dropped(rows, keep))
    return _Without(script, optimizer, gone).script()


def _dropped(rows: Sequence[StateVariable], keep: int) -> list[StateVariable]:
    """The states to remove so that `keep` are left; squares first."""
    return sorted(rows, key=lambda s: not s.squares)[: max(0, len(rows) - keep)]


class _Without:
    """Removes optimizer states from a function."""

    def __init__(self, script: Script, optimizer: OptimizerState, gone: Sequence[StateVariable]) -> None:
        self.before, self.found, self.gone = script, optimizer, gone
        self.graph = script.functions[optimizer.function].graph
        self.table = script.calls(optimizer.function)[0].shapes
        self.entries = {i.shared: i for i in self.graph.inputs if i.shared is not None}
        self.rewrite = Rewrite(self.graph)
        self.instead: dict[int, int] = {}

    def script(self) -> Script:
        """Returns the script without the removed states."""
        for parameter, rows in self.found.by_parameter.items():
            lost = {self.entries[s.shared].variable for s in rows if s in self.gone}
            if lost:
                self._update(parameter, lost, [s for s in rows if s not in self.gone])
        ids = {s.shared for s in self.gone}
        inputs = [i for i in self.graph.inputs if i.shared not in ids]
        dropped = {i.update for i in self.graph.inputs if i.shared in ids}
        kept = [k for k in range(len(self.graph.outputs)) if k not in dropped]
        outputs = tuple(self.instead.get(self.graph.outputs[k], self.graph.outputs[k]) for k in kept)
        inputs = [i if i.update is None else replace(i, update=kept.index(i.update)) for i in inputs]
        graph = pruned(replace(self.rewrite.build(), inputs=tuple(inputs), outputs=outputs))
        changed = with_graph(self.before, self.found.function, graph)
        events = tuple(e for e in changed.events if not (isinstance(e, (Create, SetValue, GetValue)) and e.shared in ids))
        return replace(changed, events=events, shared={k: v for k, v in changed.shared.items() if k not in ids})

    def _update(self, parameter: int, lost: set[int], kept: Sequence[StateVariable]) -> None:
        """Replaces the update of a parameter by a plain step, with its gradient or with the one state that is kept, a velocity."""
        entry, states = self.entries[parameter], [self.entries[s.shared] for s in kept]
        gradient = self._gradient(entry, lost | {i.variable for i in states})
        product = self._product(gradient)
        owners = (self.graph.variables[self.graph.outputs[i.update or 0]].owner for i in (entry, *states))
        place = max((o for o in owners if o is not None), default=0)
        gradient = [v for v in gradient if not self._is_added(v)]
        steps = [self._step(place, i, [i.variable, *gradient], product) for i in states]
        if states:
            self._step(place, entry, [entry.variable, *steps], None)
        else:
            self._step(place, entry, [entry.variable, *gradient], product)

    def _is_added(self, variable: int) -> bool:
        """Whether a Gemm computes the variable: it adds a product to an optimizer's state, and is removed with that state."""
        owner = self.graph.variables[variable].owner
        return owner is not None and self.graph.applies[owner].op.name.removeprefix("Gpu") == "Gemm"

    def _product(self, gradient: Sequence[int]) -> tuple[int, ...] | None:
        """The factors of the product that the gradient is, if only updates read it: Theano adds it to an array in place (GpuGemm)."""
        owners = [self.graph.variables[v].owner for v in gradient]
        nodes = [self.graph.applies[o] for o in owners if o is not None]
        factors = {pair for node in nodes if (pair := _factors(node)) is not None}
        if len(nodes) < len(gradient) or len(factors) != 1 or any(_factors(n) is None for n in nodes):
            return None
        shape = self.table.shape(gradient[0])
        read = [self.graph.applies[n].outputs[0] for v in gradient for n, _ in self.graph.clients[v]]
        return next(iter(factors)) if all(self.table.shape(v) == shape for v in read) else None

    def _step(self, place: int, entry: GraphInput, inputs: Sequence[int], product: tuple[int, ...] | None) -> int:
        """Adds the update of an input after node number `place`, and returns the new Variable."""
        output = self.graph.outputs[entry.update or 0]
        prefix = "Gpu" if self.graph.variables[output].type.kind.on_device else ""
        new = self.rewrite.variable(self.graph.variables[entry.variable].type)
        op = Op(f"{prefix}Elemwise", f"{prefix}Elemwise{{Composite{{(i0 - (i1 * i2))}}}}[(0, 0)]", destroy_map={0: (0,)})
        if product is not None:
            rate = Type(TypeKind.TENSOR, self.graph.variables[output].type.dtype, ())
            self.rewrite.variables.append(Constant(len(self.rewrite.variables), rate, None, None, None, (), 1.0))
            op = Op(f"{prefix}Gemm", f"{prefix}Gemm{{inplace=True}}", params={"inplace": True}, destroy_map={0: (0,)})
            inputs = [inputs[0], len(self.rewrite.variables) - 1, *product, len(self.rewrite.variables) - 1]
        node = self.graph.applies[place]
        if place not in self.rewrite.instead:
            self.rewrite.instead[place] = [(node.op, node.inputs, node.outputs)]
        self.rewrite.put(place, op, inputs, new)
        self.instead[output] = new
        return new

    def _gradient(self, entry: GraphInput, states: set[int]) -> list[int]:
        """The arrays of the parameter's shape that the update of it and of its states begins with: the gradient."""
        graph, shape = self.graph, self.table.shape(entry.variable)
        outputs = [entry.variable, *states]
        ends = [graph.outputs[i.update] for i in graph.inputs if i.variable in outputs and i.update is not None]
        factors: dict[int, None] = {}
        seen: set[int] = set()
        todo = list(ends)
        while todo:
            v = todo.pop()
            if v in seen or v in outputs or self.table.shape(v) != shape:
                continue
            seen.add(v)
            node = graph.maker(v)
            if node is not None and (node.op.name.removeprefix("Gpu") in ("Elemwise", "Gemm") or node.op.view_map):
                inputs = [u for u in node.inputs if self.table.shape(u) == shape]
                todo += inputs
                if inputs and node.op.name.removeprefix("Gpu") != "Gemm":
                    continue
            factors[v] = None
        return list(factors)

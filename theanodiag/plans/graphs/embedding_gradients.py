"""Finds tables whose rows are read (embeddings) but whose gradient is computed for all rows, and simulates updates of only these rows.

`T.grad(cost, W)` of `W[ids]` is a zero array as large as W, into which the gradients of the rows are added. `T.grad(cost, W[ids])` is as
large as the rows. Sources: Theano 1.0.5, tensor/subtensor.py (`AdvancedSubtensor1.grad`, `inc_subtensor`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from ...ir import Apply, Constant, FunctionGraph, Op, Shape, ShapeTable, Type, TypeKind, Unknown
from ...memory.script import Script
from .edit import Rewrite, pruned, with_graph

READS = ("AdvancedSubtensor1", "AdvancedSubtensor")
ADDS = ("AdvancedIncSubtensor1", "AdvancedIncSubtensor1_dev20", "AdvancedIncSubtensor")

COPIES = 5
"""Times that rows are counted where the table has state: for each as it is read and set, and their gradients. With these no run on the
simulated device needed more."""


@dataclass(frozen=True)
class RowGradient:
    """A table whose gradient is computed for all its rows, in one function."""

    function: int
    """Index of the function."""
    shared: int
    """Id of the table, a shared variable."""
    read: int
    """Id of the Variable that holds the rows that are read."""
    added: tuple[int, ...]
    """Apply ids of the nodes that add the gradients of rows to zeros."""
    dense: tuple[int, ...]
    """Ids of the Variables as large as the table that are computed from these sums."""
    states: tuple[int, ...]
    """Ids of the other shared variables of the table's size that its update needs: optimizer state."""
    rate: float | None
    """The learning rate of a plain update `W - rate * gradient`, if it is a constant of the graph."""


def find_row_gradients(script: Script, function: int, table: ShapeTable) -> Iterator[RowGradient]:
    """Yields the tables of a function. A table that is also used as a whole (a product with the same weights) is left out."""
    graph = script.functions[function].graph
    by_shape: dict[Shape, list[int]] = {}
    for node in graph.applies:
        shape = table.shape(node.outputs[0]) if _is(node, ADDS) else None
        if isinstance(shape, tuple) and node.op.params.get("set_instead_of_inc") is not True and len(node.inputs) > 2 and len(shape) > 1:
            by_shape.setdefault(shape, []).append(node.id)
    for shape, nodes in by_shape.items():
        tables = [
            (i.variable, i.shared)
            for i in graph.inputs
            if i.shared is not None and i.update is not None and table.shape(i.variable) == shape
        ]
        for variable, shared in tables:
            read = next(
                (graph.applies[n].outputs[0] for n, at in graph.clients[variable] if at == 0 and _is(graph.applies[n], READS)), None
            )
            gradient = None if read is None or shared is None else _gradient(graph, table, function, variable, shared, read, nodes)
            if gradient is not None:
                yield gradient


def _gradient(
    graph: FunctionGraph, table: ShapeTable, function: int, variable: int, shared: int, read: int, nodes: list[int]
) -> RowGradient | None:
    """The gradient of one table; None if its update does not need these sums, or needs something else that is as large as the table."""
    shape = table.shape(variable)
    update = next(graph.outputs[i.update] for i in graph.inputs if i.variable == variable and i.update is not None)
    above = _ancestors(graph, table, update, shape)
    added = tuple(n for n in nodes if graph.applies[n].outputs[0] in above)
    if not added or not all(_on_zeros(graph, n, added) for n in added):
        return None
    dense = _dense(graph, table, [graph.applies[n].outputs[0] for n in added], shape)
    inputs = {i.variable: i for i in graph.inputs if i.shared is not None}
    users = [graph.applies[n] for v in dense for n, _ in graph.clients[v]]
    makers = [n for n in users if table.shape(n.outputs[0]) == shape and n.id not in added]
    beside = {v for n in makers for v in n.inputs if table.shape(v) == shape and v not in dense}
    known = {i.variable for i in graph.inputs}
    if not beside <= known or any(v in graph.outputs[: graph.n_returned] for v in dense) or any(n.op.view_map for n in makers):
        return None
    states = tuple(inputs[v].shared or 0 for v in sorted(beside) if v in inputs and v != variable)
    numbers = [c for n in makers for v in n.inputs if isinstance(c := graph.variables[v], Constant)]
    rates = _numbers(numbers)
    return RowGradient(function, shared, read, added, tuple(sorted(dense)), states, rates[0] if len(rates) == 1 and not states else None)


def _numbers(constants: Sequence[Constant]) -> list[float]:
    """The single numbers in constants of one entry: `((0.05,),)`."""
    numbers: list[float] = []
    for constant in constants:
        value = constant.value
        while isinstance(value, tuple) and len(value) == 1:
            value = value[0]
        numbers += [abs(value)] if isinstance(value, (int, float)) else []
    return numbers


def _is(node: Apply, names: tuple[str, ...]) -> bool:
    return node.op.name.removeprefix("Gpu") in names


def _on_zeros(graph: FunctionGraph, number: int, added: tuple[int, ...]) -> bool:
    """Whether a sum begins with an array that is allocated for it, or with another of these sums."""
    owner = graph.variables[graph.applies[number].inputs[0]].owner
    return owner is not None and (owner in added or graph.applies[owner].op.name.removeprefix("Gpu") == "Alloc")


def _ancestors(graph: FunctionGraph, table: ShapeTable, variable: int, shape: Shape | Unknown) -> set[int]:
    """The Variables of this shape from which `variable` is computed through Variables of the same shape only."""
    ancestors, todo = set(), [variable]
    while todo:
        v = todo.pop()
        if v in ancestors or table.shape(v) != shape:
            continue
        ancestors.add(v)
        owner = graph.variables[v].owner
        todo += graph.applies[owner].inputs if owner is not None else ()
    return ancestors


def _dense(graph: FunctionGraph, table: ShapeTable, sums: list[int], shape: Shape | Unknown) -> set[int]:
    """The sums, and the Variables of their shape that are computed from them."""
    dense, todo = set(), list(sums)
    while todo:
        v = todo.pop()
        if v not in dense:
            dense.add(v)
            todo += [out for n, _ in graph.clients[v] for out in graph.applies[n].outputs if table.shape(out) == shape]
    return dense


def in_all(script: Script, gradients: Sequence[RowGradient], change: Callable[[Script, RowGradient], Script]) -> Script:
    """Returns the script after `change` (`by_rows` or `on_host`) for each of these gradients. Each gradient is searched again, because node
    ids change.
    """
    for g in gradients:
        left = find_row_gradients(script, g.function, script.calls(g.function)[0].shapes)
        script = next((change(script, now) for now in left if now.shared == g.shared), script)
    return script


def by_rows(script: Script, g: RowGradient) -> Script:
    """Returns the script with gradients only of the rows that are read. Table and optimizer state are updated row by row, in place."""
    return _ByRows(script, g).script()


class _ByRows:
    """Rewrites the function of one row gradient."""

    def __init__(self, script: Script, g: RowGradient) -> None:
        self.before, self.g = script, g
        self.graph = script.functions[g.function].graph
        self.rewrite = Rewrite(self.graph)
        self.shared = {i.shared: i.variable for i in self.graph.inputs if i.shared is not None}
        self.large = {self.shared[s]: s for s in (g.shared, *g.states)}
        first = self.graph.applies[g.added[0]]
        self.prefix = "Gpu" if first.op.name.startswith("Gpu") else ""
        self.index = first.inputs[2]
        self.parts = tuple(self.graph.applies[n].inputs[1] for n in g.added)
        self.new: list[int] = []
        """Variables with the rows of a part of the table."""
        self.whole: dict[int, int] = {}
        """New Variables with a whole table -> the shared Variable whose size they have."""
        self.gathered: dict[int, int] = {}
        self.instead: dict[int, int] = {}

    def script(self) -> Script:
        """Returns the script with the gradients of rows in place of those of tables."""
        last = max(self.g.added)
        rows = self.parts[0]
        if len(self.parts) > 1:
            rows = self._rows()
            self.rewrite.put(last, Op(f"{self.prefix}Join", f"{self.prefix}Join"), self.parts, rows)
        for n in self.g.added:
            self.rewrite.remove(n)
            self.instead[self.graph.applies[n].outputs[0]] = rows
        for node in self.graph.applies:
            if node.id not in self.g.added and not set(node.inputs).isdisjoint(self.g.dense):
                self._replaced(node, rows)
        outputs = tuple(self._updated(k, v) for k, v in enumerate(self.graph.outputs))
        graph = pruned(replace(self.rewrite.build(), outputs=outputs))
        return with_graph(self.before, self.g.function, graph, self._shapes)

    def _rows(self) -> int:
        """Adds a Variable for rows of the table and returns its id."""
        kind = self.graph.variables[self.shared[self.g.shared]].type
        self.new.append(self.rewrite.variable(replace(kind, shape=(None,) * kind.ndim)))
        return self.new[-1]

    def _replaced(self, node: Apply, rows: int) -> None:
        """Replaces a node by one that reads rows instead of tables."""
        elementwise = not set(node.outputs).isdisjoint(self.g.dense)
        table = self.shared[self.g.shared]
        inputs = [self.instead.get(v, v) for v in node.inputs if not (elementwise and v == table)]
        for k, v in enumerate(inputs):
            if elementwise and v in self.large and v != table:
                if v not in self.gathered:
                    self.gathered[v] = self._rows()
                    read = f"{self.prefix}AdvancedSubtensor1"
                    self.rewrite.put(node.id, Op(read, read), [v, self.index], self.gathered[v])
                inputs[k] = self.gathered[v]
        free = [k for k, v in enumerate(inputs) if elementwise and (v in self.new or (v == rows and len(self.graph.clients[rows]) == 1))]
        destroyed = {0: (free[0],)} if free and elementwise else {}
        self.rewrite.instead.setdefault(node.id, []).append((replace(node.op, destroy_map=destroyed), tuple(inputs), node.outputs))

    def _updated(self, position: int, output: int) -> int:
        """The new Variable for output `output`: a table with updated rows if it was an updated table, else unchanged."""
        entry = next((i for i in self.graph.inputs if i.update == position and i.variable in self.large), None)
        if entry is None or output not in self.g.dense:
            return output
        new = self.rewrite.variable(self.graph.variables[entry.variable].type)
        self.whole[new] = entry.variable
        name = f"{self.prefix}AdvancedIncSubtensor1"
        op = Op(name, f"{name}{{inplace=True}}", params={"inplace": True}, destroy_map={0: (0,)})
        owner = self.graph.variables[output].owner
        self.rewrite.put(int(owner or 0), op, [entry.variable, self.instead.get(output, output), self.index], new)
        return new

    def _shapes(self, table: ShapeTable) -> Mapping[int, Shape]:
        sizes = [table.shape(v) for v in self.parts]
        known = [s for s in sizes if isinstance(s, tuple) and s and isinstance(s[0], int)]
        shape = table.shape(self.shared[self.g.shared])
        if len(known) < len(sizes) or not isinstance(shape, tuple):
            return {}
        rows = ((1 if self.g.rate is not None else COPIES) * sum(int(s[0]) for s in known if isinstance(s[0], int)), *shape[1:])
        tables = {v: s for v, t in self.whole.items() if isinstance(s := table.shape(t), tuple)}
        return {**dict.fromkeys((*self.g.dense, *self.new), rows), **tables}


def on_host(script: Script, g: RowGradient) -> Script:
    """Returns the script with the table, its optimizer state and its gradient in host memory. Rows are copied to the device."""
    graph = script.functions[g.function].graph
    shared = {i.shared: i.variable for i in graph.inputs if i.shared is not None}
    moved = {shared[s] for s in (g.shared, *g.states)} | set(g.dense)
    moved |= {v for n in g.added for v in graph.applies[n].inputs[:1]}
    rewrite = Rewrite(graph)
    rows = rewrite.variable(_host(graph.variables[g.read].type))
    node = graph.applies[graph.variables[g.read].owner or 0]
    read = node.op.name.removeprefix("Gpu")
    rewrite.put(node.id, Op(read, read), node.inputs, rows)
    rewrite.put(node.id, Op("GpuFromHost", "GpuFromHost<None>"), [rows], g.read)
    back: dict[int, int] = {}
    for n in g.added:
        adding = graph.applies[n]
        back[n] = rewrite.variable(_host(graph.variables[adding.inputs[1]].type))
        rewrite.put(n, Op("HostFromGpu", "HostFromGpu(gpuarray)"), [adding.inputs[1]], back[n])
        name = adding.op.name.removeprefix("Gpu")
        op = replace(adding.op, name=name, text=name)
        rewrite.instead[n].append((op, (adding.inputs[0], back[n], *adding.inputs[2:]), adding.outputs))
    rewrite.variables = [replace(v, type=_host(v.type)) if v.id in moved else v for v in rewrite.variables]

    def shapes(table: ShapeTable) -> Mapping[int, Shape]:
        pairs = {rows: g.read, **{back[n]: graph.applies[n].inputs[1] for n in g.added}}
        return {new: s for new, old in pairs.items() if isinstance(s := table.shape(old), tuple)}

    there = {s: replace(v, type=_host(v.type)) if s in (g.shared, *g.states) else v for s, v in script.shared.items()}
    return replace(with_graph(script, g.function, rewrite.build(), shapes), shared=there)


def _host(kind: Type) -> Type:
    return replace(kind, kind=TypeKind.TENSOR, text=f"TensorType({kind.dtype}, {kind.ndim}D)")

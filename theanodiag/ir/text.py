"""A graph as text: one line for each node, the same text for the same graph, for messages and golden tests.

    train(x: float32[128, 784], shared W: float32[784, 10])
      0  v2 = Dot22(x, W)  float32[128, 10]
      1  v4 = Gemm{inplace}(W, v3, v2)  float32[784, 10]  destroys W, after 0
    return v2
    update W <- v4
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from .graph import Apply, Constant, FunctionGraph, GraphInput, Role, Variable
from .shape import Shape, ShapeTable, Unknown
from .traverse import graphs


def describe(graph: FunctionGraph, table: ShapeTable | None = None) -> str:
    """The whole text, inner graphs below the outer one; with `table`, sizes are those of its shapes."""
    blocks = []
    for inner, path in graphs(graph):
        head = "" if not path else f"inside of {' > '.join(str(i) for i in path)}\n"
        blocks.append(head + "\n".join(_lines(inner, _table_at(table, path))))
    return "\n\n".join(blocks) + "\n"


def _table_at(table: ShapeTable | None, path: tuple[int, ...]) -> ShapeTable | None:
    for position in path:
        table = None if table is None else table.inner.get(position)
    return table


def _lines(graph: FunctionGraph, table: ShapeTable | None) -> Iterator[str]:
    names = names_of(graph)
    yield f"{graph.name or 'f'}({', '.join(_input(graph, names, entry, table) for entry in graph.inputs)})"
    for node in graph.applies:
        yield f"  {_node(graph, names, node, table)}"
    yield f"return {', '.join(names[v] for v in graph.outputs[: graph.n_returned])}".rstrip()
    for entry in graph.inputs:
        if entry.update is not None:
            yield f"update {names[entry.variable]} <- {names[graph.outputs[entry.update]]}"


def _input(graph: FunctionGraph, names: Sequence[str], entry: GraphInput, table: ShapeTable | None) -> str:
    role = "" if entry.role is Role.ARGUMENT else f"{entry.role.value} "
    return f"{role}{names[entry.variable]}: {size_of(graph.variables[entry.variable], table)}"


def _node(graph: FunctionGraph, names: Sequence[str], node: Apply, table: ShapeTable | None) -> str:
    outputs, inputs = ", ".join(names[v] for v in node.outputs), ", ".join(names[v] for v in node.inputs)
    sizes = ", ".join(size_of(graph.variables[v], table) for v in node.outputs)
    notes = [f"views {_read(names, node, read)}" for read in node.op.view_map.values()]
    notes += [f"destroys {_read(names, node, read)}" for read in node.op.destroy_map.values()]
    notes += [f"after {', '.join(str(a) for a in node.after)}"] if node.after else []
    return f"{node.id}  {outputs} = {node.op.text}({inputs})  {sizes}" + (f"  {', '.join(notes)}" if notes else "")


def _read(names: Sequence[str], node: Apply, positions: tuple[int, ...]) -> str:
    return ", ".join(names[node.inputs[i]] for i in positions)


def names_of(graph: FunctionGraph) -> tuple[str, ...]:
    """How the Variables are called: by name (with the id where several have it), a small constant by its value, else `v` and the id."""
    count = Counter(v.name for v in graph.variables)
    return tuple(_name(v, count[v.name] > 1) for v in graph.variables)


def _name(variable: Variable, ambiguous: bool) -> str:
    if isinstance(variable, Constant) and variable.value is not None and variable.shape == ():
        return str(variable.value)
    if variable.name is None:
        return f"v{variable.id}"
    return f"{variable.name}#{variable.id}" if ambiguous else variable.name


def size_of(variable: Variable, table: ShapeTable | None = None) -> str:
    """Dtype and shape, `?` for an unknown dimension: `float32[128, ?]`; a `*` marks an upper bound."""
    shape: Shape | Unknown = tuple(Unknown("static") if d is None else d for d in variable.type.shape)
    if isinstance(variable, Constant):
        shape = variable.shape
    if table is not None and variable.id in table.shapes:
        shape = table.shapes[variable.id]
    kind = variable.type.dtype or variable.type.kind.value
    if isinstance(shape, Unknown):
        return f"{kind}[?]"
    mark = "*" if table is not None and variable.id in table.bounded else ""
    return f"{kind}[{', '.join('?' if isinstance(d, Unknown) else str(d) for d in shape)}]{mark}"

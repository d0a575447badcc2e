"""Checks whether the shapes of a call are consistent: products and elementwise operations with conflicting inputs, and reshapes to a
different number of elements.

A dry call does not notice what the framework would refuse at run time: `infer_shape` of a product uses the outer dimensions only
(theano/tensor/blas.py 1.0.5, Dot22.infer_shape), that of Elemwise one of the inputs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ..ir import Apply, FunctionGraph, ShapeTable, Unknown
from ..ir.shape import Shape, numel
from ..ops import op_info

ELEMENTWISE = ("Elemwise", "GpuElemwise")
"""Names of elementwise Ops; their inner graph (a Composite) works on scalars."""
RESHAPES = ("Reshape", "GpuReshape")
"""Names of Ops that change the shape of an array and keep all its elements."""
LABELLED = {
    "CrossentropySoftmaxArgmax1HotWithBias": (0, 2),
    "CrossentropySoftmax1HotWithBiasDx": (1, 2),
    "CrossentropyCategorical1Hot": (0, 1),
}
"""Ops that take rows of scores and a label for each: positions of these inputs. Source: Theano 1.0.5, tensor/nnet/nnet.py (`perform`)."""
INDEXED = {"AdvancedSubtensor": 1, "AdvancedIncSubtensor": 2}
"""Op that takes arrays of row and column numbers -> position of the first of these inputs. Source: Theano 1.0.5, tensor/subtensor.py
(`perform`).
"""
_BOUND = Unknown("only an upper bound is known")


def contradictions(graph: FunctionGraph, table: ShapeTable, broadcasts: bool = False) -> Iterator[str]:
    """Yields a description of each node whose inputs have contradictory shapes: Op, source line, shapes. Shapes that are upper bounds never
    contradict.

    Inner graphs are included: one step of a Scan that makes any steps, an OpFromGraph, the branches of a LazyIfElse. A node that is needed
    only by a branch that is not taken is left out. If it is unknown which branch is taken, the description says that the node is in a
    branch. `broadcasts`: whether a length of 1 broadcasts at run time although the type does not say so. It does in Aesara (2.9.4), which
    the Ops of a captured graph show; Theano and PyTensor raise an error.
    """
    for _, description in contradictions_of_nodes(graph, table, graph.outputs, broadcasts):
        yield description


def contradictions_of_nodes(
    graph: FunctionGraph, table: ShapeTable, outputs: Iterable[int], broadcasts: bool = False
) -> Iterator[tuple[int, str]]:
    """Yields (number of the node, description) for each node on the way to `outputs` whose inputs' shapes contradict each other."""
    branches: dict[int, bool | None] | None = None
    for node in graph.applies:
        for description in _of_node(graph, node, table, broadcasts):
            branches = in_branches(graph, table, outputs) if branches is None else branches
            taken = branches.get(node.id, True)
            if taken is not False:
                yield node.id, description if taken else f"{description}, if that branch of the IfElse is taken"


def _of_node(graph: FunctionGraph, node: Apply, table: ShapeTable, broadcasts: bool) -> Iterator[str]:
    """Yields the contradictions among the shapes of one node, or in its inner graph."""
    inner = node.op.inner
    if inner is not None and node.op.name not in ELEMENTWISE:
        yield from _inside(node, inner, table, broadcasts)
        return
    if node.op.name in RESHAPES:
        yield from _reshaped(graph, node, table)
        return
    if node.op.name.removeprefix("Gpu") in LABELLED:
        yield from _labelled(graph, node, table)
        return
    if node.op.name.removeprefix("Gpu") in INDEXED:
        yield from _indexed(graph, node, table)
        return
    name, known, bounded = node.op.name, table.shapes, table.bounded
    pair = op_info(name).factors
    if pair is None and name not in ELEMENTWISE:
        return
    inputs = [known.get(v) for v in node.inputs]
    if pair is None and inputs.count(inputs[0] if inputs else None) == len(inputs):
        return  # fast path for nearly all elementwise operations
    shapes = [table.shape(v) if v not in bounded else _BOUND for v in node.inputs]
    if pair is not None:
        shapes = _disagreeing(shapes, pair)
        bad = bool(shapes)
    else:
        bad = elementwise_disagrees(graph, node, shapes, broadcasts or node.op.module.startswith("aesara."))
    if bad:
        yield f"{node.op.name}{_place(graph, node)} of {' and '.join(text(s) for s in shapes if not isinstance(s, Unknown))}"


def _reshaped(graph: FunctionGraph, node: Apply, table: ShapeTable) -> Iterator[str]:
    """Yields a contradiction if a reshape would have to create or lose elements; both shapes must be known."""
    if not (node.inputs and node.outputs) or not table.bounded.isdisjoint((*node.inputs, *node.outputs)):
        return  # a damaged text may have lost the inputs
    before, after = table.shape(node.inputs[0]), table.shape(node.outputs[0])
    sizes = numel(before), numel(after)
    if isinstance(sizes[0], int) and isinstance(sizes[1], int) and sizes[0] != sizes[1]:
        shapes = [text(s) for s in (before, after) if not isinstance(s, Unknown)]
        yield f"{node.op.name}{_place(graph, node)} of {' into '.join(shapes)}"


def _labelled(graph: FunctionGraph, node: Apply, table: ShapeTable) -> Iterator[str]:
    """Yields a contradiction if the number of labels differs from the number of rows of probabilities, and both are known."""
    places = LABELLED[node.op.name.removeprefix("Gpu")]
    shapes = [table.shape(node.inputs[k]) for k in places if k < len(node.inputs)]
    rows = {s[0] for s in shapes if isinstance(s, tuple) and s and isinstance(s[0], int)}
    if len(shapes) == len(places) and len(rows) > 1 and table.bounded.isdisjoint(node.inputs):
        yield f"{node.op.name}{_place(graph, node)} of {' and '.join(text(s) for s in shapes if isinstance(s, tuple))}"


def _indexed(graph: FunctionGraph, node: Apply, table: ShapeTable) -> Iterator[str]:
    """Yields a contradiction if there are not as many row numbers as column numbers, as in `p[arange(n), y]`, and all are known; one number
    serves for all.
    """
    numbers = node.inputs[INDEXED[node.op.name.removeprefix("Gpu")] :]
    if any(graph.variables[v].type.dtype == "bool" for v in numbers) or not table.bounded.isdisjoint(numbers):
        return  # a mask has as many numbers as entries that are true
    shapes = [s for v in numbers if graph.variables[v].type.ndim == 1 and isinstance(s := table.shape(v), tuple)]
    if len({n for (n,) in shapes if isinstance(n, int) and n != 1}) > 1:
        yield f"{node.op.name}{_place(graph, node)} with index arrays of {' and '.join(text(s) for s in shapes)}"


def _inside(node: Apply, inner: FunctionGraph, table: ShapeTable, broadcasts: bool) -> Iterator[str]:
    """Yields the contradictions in the inner graph of a node."""
    step, loop = table.inner.get(node.id), node.op.name.endswith("Scan")
    if step is None or (loop and node.inputs and table.values.get(node.inputs[0]) == 0):
        return
    seen: dict[int, str] = {}
    sure = True
    if node.op.name == "LazyIfElse" and len(inner.outputs) == 2 * len(node.outputs):
        taken, n = _branch(table, node), len(node.outputs)
        sure = taken is not None
        for half in (inner.outputs[:n], inner.outputs[n:]) if taken is None else (inner.outputs[taken * n :][:n],):
            needed = _needed(inner, half, {}, lazy=False)
            seen.update((k, description) for k, description in contradictions_of_nodes(inner, step, half, broadcasts) if k in needed)
    else:
        seen.update(contradictions_of_nodes(inner, step, inner.outputs, broadcasts))
    maybe = "" if sure else ", if that branch is taken"
    yield from (f"{description}, in {'each step of ' * loop}{node.op.name}{maybe}" for description in seen.values())


def in_branches(graph: FunctionGraph, table: ShapeTable, outputs: Iterable[int]) -> dict[int, bool | None]:
    """Returns Apply id -> whether the node runs, for nodes that only branches of an IfElse need; None if the condition is unknown.

    An IfElse computes only one branch (Theano 1.0.5, ifelse.py; PyTensor 3.3.7, ifelse.py) if the C or Python virtual machine runs it.
    """
    splits = [n for n in graph.applies if n.op.name in ("IfElse", "GpuIfElse") and n.outputs]
    if not splits:
        return {}
    taken: dict[int, int | None] = {n.id: _branch(table, n) for n in splits}
    always = _needed(graph, outputs, taken, lazy=True)
    maybe = _needed(graph, outputs, taken, lazy=False)
    return {n.id: None if n.id in maybe else False for n in graph.applies if n.id not in always}


def _branch(table: ShapeTable, node: Apply) -> int | None:
    """0 or 1, the branch that an IfElse takes; None if its condition is not known."""
    value = table.values.get(node.inputs[0])
    return int(not value) if isinstance(value, (int, float)) else None


def _needed(graph: FunctionGraph, outputs: Iterable[int], taken: Mapping[int, int | None], lazy: bool) -> set[int]:
    """The nodes from which `outputs` are computed. Of an IfElse only the branch in `taken` is followed; if that is unknown, no branch
    (`lazy`) or both.
    """
    nodes: set[int] = set()
    todo = list(outputs)
    while todo:
        owner = graph.variables[todo.pop()].owner
        if owner is None or owner in nodes:
            continue
        nodes.add(owner)
        node = graph.applies[owner]
        if node.op.name not in ("IfElse", "GpuIfElse"):
            todo += node.inputs
            continue
        n, branch = len(node.outputs), taken.get(owner)
        todo.append(node.inputs[0])
        if branch is not None:
            todo += node.inputs[1 + branch * n : 1 + (branch + 1) * n]
        elif not lazy:
            todo += node.inputs[1:]
    return nodes


def _disagreeing(shapes: list[Shape | Unknown], pair: tuple[int, int]) -> list[Shape | Unknown]:
    """The shapes of a product that contradict each other: those of its factors, at the positions `pair`, or of its summand too."""
    first, second = pair
    if second >= len(shapes):
        return []
    factors = [shapes[first], shapes[second]]
    if product_disagrees(*factors):
        return factors
    return [shapes[0], *factors] if first > 0 and _sum_disagrees(shapes[0], *factors) else []


def product_disagrees(first: Shape | Unknown, second: Shape | Unknown) -> bool:
    """Returns whether the inner dimensions of a product of arrays with these shapes are known and different."""
    if isinstance(first, Unknown) or isinstance(second, Unknown) or not first or not second:
        return False
    inner, outer = first[-1], second[max(0, len(second) - 2)]
    return isinstance(inner, int) and isinstance(outer, int) and inner != outer


def _sum_disagrees(summand: Shape | Unknown, first: Shape | Unknown, second: Shape | Unknown) -> bool:
    """Whether the summand of a Gemm or Gemv has a known length that differs from the product's and is not 1. Source: Theano 1.0.5,
    tensor/blas.py and blas_c.py ("Shape mismatch"), which refuse 1 too, unlike numpy.
    """
    if isinstance(summand, Unknown) or isinstance(first, Unknown) or isinstance(second, Unknown):
        return False
    made = (*first[:-1], *second[1:])
    return len(made) == len(summand) and any(isinstance(n, int) and isinstance(m, int) and n not in (m, 1) for n, m in zip(summand, made))


def elementwise_disagrees(graph: FunctionGraph, node: Apply, shapes: list[Shape | Unknown], broadcasts: bool = False) -> bool:
    """Returns whether two inputs have known, different lengths along a dimension in which neither is broadcast.

    An input is broadcast if its type has length 1, and with `broadcasts` also if its actual length is 1.
    """
    lengths: dict[int, int] = {}
    for v, shape in zip(node.inputs, shapes):
        static = graph.variables[v].type.shape
        if isinstance(shape, Unknown) or len(shape) != len(static):
            continue
        for axis, n in enumerate(shape):
            if static[axis] != 1 and isinstance(n, int) and not (broadcasts and n == 1) and lengths.setdefault(axis, n) != n:
                return True
    return False


def text(shape: Shape) -> str:
    """Returns a shape as Python writes it, with `?` for unknown dimensions."""
    return "(" + ", ".join("?" if isinstance(n, Unknown) else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"


def _place(graph: FunctionGraph, node: Apply) -> str:
    site = next((graph.variables[v].site for v in node.outputs if graph.variables[v].site), None)
    return f" ({site}: {site.code})" if site and site.code else f" ({site})" if site else ""

"""Checks whether the shapes of a call fit together: products and elementwise operations whose inputs contradict each other.

A dry call does not notice what the framework would refuse at run time: `infer_shape` of a product uses the outer dimensions only
(theano/tensor/blas.py 1.0.5, Dot22.infer_shape), that of Elemwise one of the inputs.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..ir import Apply, FunctionGraph, ShapeTable, Unknown
from ..ir.shape import Shape
from ..ops import op_info

_BOUND = Unknown("only an upper bound is known")


def contradictions(graph: FunctionGraph, table: ShapeTable, broadcasts: bool = False) -> Iterator[str]:
    """Yields a description of each node whose inputs' shapes contradict each other: Op, source line, shapes. Upper bounds never do.

    `broadcasts`: whether a length of 1 broadcasts at run time although the type does not say so. It does in Aesara (2.9.4), which the Ops
    of a captured graph show; Theano and PyTensor raise.
    """
    known, bounded = table.shapes, table.bounded
    for node in graph.applies:
        name = node.op.name
        pair = op_info(name).factors
        if pair is None and name not in ("Elemwise", "GpuElemwise"):
            continue
        found = [known.get(v) for v in node.inputs]
        if pair is None and found.count(found[0] if found else None) == len(found):
            continue  # fast path for nearly all elementwise operations
        shapes = [table.shape(v) if v not in bounded else _BOUND for v in node.inputs]
        if pair is not None:
            first, second = pair
            bad = len(shapes) > second and product_disagrees(shapes[first], shapes[second])
            shapes = [shapes[first], shapes[second]] if bad else shapes
        else:
            bad = elementwise_disagrees(graph, node, shapes, broadcasts or node.op.module.startswith("aesara."))
        if bad:
            yield f"{node.op.name}{_place(graph, node)} of {' and '.join(text(s) for s in shapes if not isinstance(s, Unknown))}"


def product_disagrees(first: Shape | Unknown, second: Shape | Unknown) -> bool:
    """Whether the inner dimensions of a product are known and different."""
    if isinstance(first, Unknown) or isinstance(second, Unknown) or not first or not second:
        return False
    inner, outer = first[-1], second[max(0, len(second) - 2)]
    return isinstance(inner, int) and isinstance(outer, int) and inner != outer


def elementwise_disagrees(graph: FunctionGraph, node: Apply, shapes: list[Shape | Unknown], broadcasts: bool = False) -> bool:
    """Whether two inputs have known, different lengths along a dimension in which neither is broadcast.

    An input is broadcast where its type says 1, and with `broadcasts` where its length is 1.
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
    """A shape as Python writes it, `?` for unknown dimensions."""
    return "(" + ", ".join("?" if isinstance(n, Unknown) else str(n) for n in shape) + ("," if len(shape) == 1 else "") + ")"


def _place(graph: FunctionGraph, node: Apply) -> str:
    site = next((graph.variables[v].site for v in node.outputs if graph.variables[v].site), None)
    return f" ({site}: {site.code})" if site and site.code else f" ({site})" if site else ""

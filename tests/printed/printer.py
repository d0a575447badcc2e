"""FunctionGraph -> text in the form of each generation's `debugprint`, so that a graph survives a trip through text. Not recursive."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from theanodiag.errors import UsageError
from theanodiag.ir import Constant, FunctionGraph, TypeKind, Variable
from theanodiag.ir.shape import Value, is_exact


@dataclass(frozen=True)
class Form:
    """How one generation draws a tree."""

    ident: str
    """`[id {}]` or `[@{}]`."""
    quotes: bool
    """Names in quotes for every Apply, and three spaces in front of the order number."""
    branch: str
    last: str
    """In front of a last child; `branch` where it looks alike."""
    bar: str
    """Below a child that is not the last."""
    blank: str
    """Below a last child."""
    dots: bool
    """`···` below a node that was printed before."""
    heading: str
    """Above the inner graphs."""
    inner: str
    """In front of an output of an inner graph."""
    inner_below: str
    scalar: str
    """The word for a scalar constant; empty where all constants are printed bare."""


_OLD = Form("[@{}]", True, " |", " |", " |", " |", False, "Inner graphs of the scan ops:", " >", " >", "Constant")
FORMS = {
    "theano-0.5": _OLD,
    "theano-0.7": Form("[@{}]", True, " |", " |", " |", "  ", False, _OLD.heading, " >", " >", "Constant"),
    "theano": Form("[id {}]", True, " |", " |", " |", "  ", False, _OLD.heading, " >", " >", "Constant"),
    "aesara": Form("[id {}]", False, " |", " |", " |", "  ", False, "Inner graphs:", " >", " >", "ScalarConstant"),
    "pytensor": Form("[id {}]", False, " ├─ ", " └─ ", " │ ", "   ", True, "Inner graphs:", " ← ", "   ", ""),
}
"""The generations. Sources: `debugprint` in Theano 0.5 to 1.0.5 compile/debugmode.py, Aesara 2.9.4 and PyTensor 3.3.7 printing.py."""


def print_graph(graph: FunctionGraph, form: str = "pytensor", types: bool = True) -> str:
    """`graph` as `debugprint` of that generation (of `FORMS`) would print it, with or without types; raises UsageError for another."""
    if form not in FORMS:
        raise UsageError(f"no generation of debugprint is called {form!r}", help=f"the known ones are {', '.join(FORMS)}")
    return "\n".join(_Printer(FORMS[form], types).all_lines(graph)) + "\n"


class _Printer:
    """Ids that were given, and inner graphs that are still to be printed."""

    def __init__(self, form: Form, types: bool) -> None:
        self._form = form
        self._types = types
        self._ids: dict[object, str] = {}
        self._done: set[object] = set()
        self._inner: list[tuple[str, FunctionGraph]] = []

    def all_lines(self, graph: FunctionGraph) -> Iterator[str]:
        """The lines of `graph`, then those of its inner graphs."""
        yield from self._outputs(graph, "", "", True)
        if self._inner:
            yield from ("", self._form.heading)
        for head, inner in self._inner:  # grows while inner graphs are printed
            yield from ("", head)
            yield from self._outputs(inner, self._form.inner, self._form.inner_below, False)

    def _outputs(self, graph: FunctionGraph, first: str, below: str, orders: bool) -> Iterator[str]:
        for output in graph.outputs:
            yield from self._tree(graph, output, first, below, orders)

    def _tree(self, graph: FunctionGraph, root: int, first: str, below: str, orders: bool) -> Iterator[str]:
        """The lines below one output. Inner graphs have no order numbers."""
        form, stack = self._form, [(root, first, below)]
        while stack:
            number, prefix, child = stack.pop()
            variable = graph.variables[number]
            yield prefix + self._label(graph, variable, orders)
            if variable.owner is None:
                continue
            key = (id(graph), "node", variable.owner)
            if key in self._done:
                if form.dots:
                    yield f"{child}{form.last}···"
                continue
            self._done.add(key)
            inputs = graph.applies[variable.owner].inputs
            for at in reversed(range(len(inputs))):
                last = at == len(inputs) - 1
                stack.append((inputs[at], child + (form.last if last else form.branch), child + (form.blank if last else form.bar)))

    def _ident(self, key: object) -> str:
        return self._form.ident.format(self._ids.setdefault(key, letters(len(self._ids))))

    def _label(self, graph: FunctionGraph, variable: Variable, orders: bool) -> str:
        """One line without its branch marks."""
        kind = f" <{variable.type.text}>" if self._types and variable.type.text else ""
        if variable.owner is None:
            return f"{self._leaf(variable)} {self._ident((id(graph), variable.id))}{kind}"
        node = graph.applies[variable.owner]
        at = f".{node.outputs.index(variable.id)}" if len(node.outputs) > 1 else ""
        head = f"{node.op.text}{at} {self._ident((id(graph), 'node', node.id))}"
        if node.op.inner is not None and (id(graph), "node", node.id) not in self._done:
            self._inner.append((head + (" ''" if self._form.quotes else ""), node.op.inner))
        order = (f"   {node.id}" if self._form.quotes else f" {node.id}") if orders else ""
        name = f" '{variable.name or ''}'" if variable.name or self._form.quotes else ""
        return f"{head}{kind}{name}{order}"

    def _leaf(self, variable: Variable) -> str:
        if isinstance(variable, Constant):
            text = _constant(variable, not self._form.scalar)
            return f"{self._word(variable)}{{{text}}}" if self._form.scalar else text
        return variable.name or f"<{variable.type.text}>"

    def _word(self, variable: Constant) -> str:
        return self._form.scalar if variable.type.kind is TypeKind.SCALAR else _CONSTANTS.get(variable.type.kind, "TensorConstant")


_CONSTANTS = {TypeKind.GPUARRAY: "GpuArrayConstant", TypeKind.CUDANDARRAY: "CudaNdarrayConstant"}


def _constant(variable: Constant, bare: bool) -> str:
    """The value of a constant as numpy prints it, or what is known of it."""
    if variable.value is not None:
        return _value(variable.value)
    if variable.shape and not bare and is_exact(variable.shape):
        return f"({', '.join(map(str, variable.shape))},) of .."
    return "[" * len(variable.shape) + " ... " + "]" * len(variable.shape) if variable.shape else "None"


def _value(value: Value) -> str:
    """Nested tuples with numpy's brackets."""
    return f"[{' '.join(map(_value, value))}]" if isinstance(value, tuple) else str(value)


def letters(number: int) -> str:
    """A, B, ..., Z, BA, BB: numbers to the base 26, as all generations count."""
    text = ""
    while number or not text:
        text = chr(ord("A") + number % 26) + text
        number //= 26
    return text

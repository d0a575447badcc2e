"""A printed graph end to end: read, shapes, memory and report, per 1000 nodes, and how it grows; Python's own parser beside it."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable

from theanodiag import pasted
from theanodiag.devices import HOST
from theanodiag.readers.debugprint import read_debugprint
from theanodiag.report import terminal

from ._timing import processor

SIZES = (1_000, 10_000, 100_000)
MOST = 16.0
"""How many times as long as `ast.parse` of as many calls it may take: 100 ms per 1000 nodes where that takes 6 ms."""
THEANO = "Elemwise{{Composite{{tanh((i0 + i1))}}}}[(0, 0)] [id {i}] <TensorType(float32, matrix)> ''   {order}"
PYTENSOR = "Composite{{tanh((i0 + i1))}} [id {i}] <Matrix(float32, shape=(?, ?))> {order}"


def layers(nodes: int, form: str, kind: str) -> str:
    """A network of `nodes` layers, each of which reads the one below it and a bias; printed one level deep, as graphs without names are."""
    head = form.format(i=f"n{nodes - 1}", order=nodes - 1)
    quotes = "'' " if "Elemwise" in form else ""
    rows = [f"Join [id all] <{kind}> {quotes}  {nodes}", f" |TensorConstant{{0}} [id axis] <{kind}>"]
    for k in range(nodes):
        rows.append(f" |{form.format(i=f'n{k}', order=k)}")
        if k:
            rows.append(f" | |{form.format(i=f'n{k - 1}', order=k - 1)}")
        else:
            rows.append(f" | |x [id x] <{kind}>")
        rows.append(f" | |b{k} [id b{k}] <{kind}>")
    return "\n".join([*rows, head]) + "\n"


def end_to_end(text: str) -> Callable[[], object]:
    """What `theanodiag graph` does with `text`."""
    return lambda: terminal.render(pasted.report(read_debugprint(text), "text", {"x": (16, 32)}))


def reading(text: str) -> Callable[[], object]:
    """The reader alone."""
    return lambda: read_debugprint(text)


def estimated(text: str) -> Callable[[], object]:
    """Shapes and memory of a text that was read."""
    found = read_debugprint(text)
    return lambda: pasted.outcome(found, {"x": (16, 32)}, HOST)


def source(nodes: int) -> str:
    """A Python program of as many calls, for Python's own parser."""
    return "".join(f"n{k} = tanh(n{k - 1} + b{k})\n" for k in range(nodes))


def parsing(nodes: int) -> Callable[[], object]:
    """Python's own parser on such a program."""
    program = source(nodes)
    return lambda: ast.parse(program)


def main() -> None:
    """Prints seconds per 1000 nodes by size, the exponent of the growth, and the ratio to `ast.parse`."""
    for dialect, form, kind in (("Theano", THEANO, "TensorType(float32, matrix)"), ("PyTensor", PYTENSOR, "Matrix(float32, shape=(?, ?))")):
        texts = [layers(n, form, kind) for n in SIZES]
        steps: dict[str, list[float]] = {}
        for n, text in zip(SIZES, texts):
            runs = {"read": reading(text), "shapes and memory": estimated(text), "all": end_to_end(text)}
            for name, run in runs.items():
                steps.setdefault(name, []).append(processor(run, 2 if n < 100_000 else 1) / n * 1000)
        for name, rows in steps.items():
            growth = 1 + math.log(rows[-1] / rows[0]) / math.log(SIZES[-1] / SIZES[0])
            figures = ", ".join(f"{1000 * row:.0f} ms at {n}" for n, row in zip(SIZES, rows))
            print(f"   {dialect}, {name}: per 1000 nodes {figures}; exponent {growth:.2f} (the marks: 100 ms, 1.2)")
        parsed = processor(parsing(10_000), 2) / 10
        times = ", ".join(f"{name} {rows[1] / parsed:.1f}" for name, rows in steps.items())
        print(f"   {dialect}: times `ast.parse` of as many calls ({1000 * parsed:.1f} ms per 1000): {times} (the mark for all: {MOST:.0f})")


if __name__ == "__main__":
    main()

"""A printed graph end to end, per 1000 nodes, and how it grows; PyTensor's own `debugprint` and `summary_memory` beside it.

What a process takes to start is apart (benchmarks/startup.py). Times are processor seconds, the best of several runs. A machine that others
use is slower for everybody: beside each figure stands how long a loop of a million squares takes there (60 ms on an idle one of 2.5 GHz).
A CPython that was built without profile-guided optimisation takes a third longer than that of a distribution on the same machine.
"""

from __future__ import annotations

import json
import math
import os
import subprocess
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from theanodiag.devices import HOST
from theanodiag.printed import read_debugprint
from theanodiag.printed.reader import no_collections
from theanodiag.report import terminal
from theanodiag.report.formats import View
from theanodiag.workflows import printed_report

from ._timing import interpreter, processor

SIZES = (1_000, 10_000, 100_000)
MOST_MS = 100
"""The mark: milliseconds per 1000 nodes, end to end, on an idle machine."""
MOST_EXPONENT = 1.2
IDLE_LOOP = 0.06
SCRIPT = Path(__file__).parent / "scripts" / "printed.py"


@dataclass(frozen=True)
class Form:
    """A text that repeats: numbered nodes in `{0}`, `{1}`, ..., and `{k}` for what has a name of its own in each part."""

    nodes: int
    """Of one part."""
    part: str
    head: str = ""
    """Stands above all parts; `{n}` is how many nodes they have."""
    tail: str = ""
    """Stands below all parts; `{ids}` are their numbers, each behind a `U`."""
    by_level: bool = False
    """Whether the first nodes of all parts have the lowest numbers, those of the last part first; else part after part is numbered.

    PyTensor numbers so where nodes must wait for others, which is where they overwrite what those read."""


FORMS = {
    "Theano": Form(6, """ |GpuCAReduceCuda{{add}}{{0}} [id S{k}] <GpuArrayType<None>(float32, vector)> ''   {5}
 | |GpuSubtensor{{int64::}} [id T{k}] <GpuArrayType<None>(float32, matrix)> ''   {4}
 |   |GpuElemwise{{Composite{{tanh((i0 + i1))}}}}[(0, 0)]<gpuarray> [id E{k}] <GpuArrayType<None>(float32, matrix)> 'h'   {3}
 |   | |GpuDot22 [id D{k}] <GpuArrayType<None>(float32, matrix)> ''   {2}
 |   | | |GpuFromHost<None> [id G{k}] <GpuArrayType<None>(float32, matrix)> ''   {1}
 |   | | | |x [id x] <TensorType(float32, matrix)>
 |   | | |w{k} [id w{k}] <GpuArrayType<None>(float32, matrix)>
 |   | |InplaceGpuDimShuffle{{x,0}} [id B{k}] <GpuArrayType<None>(float32, row)> ''   {0}
 |   |   |b{k} [id b{k}] <GpuArrayType<None>(float32, vector)>
 |   |Constant{{1}} [id one] <int64>
""", "GpuJoin [id all] <GpuArrayType<None>(float32, vector)> ''   {n}\n |TensorConstant{{0}} [id axis] <TensorType(int8, scalar)>\n"),
    "PyTensor": Form(6, """ ├─ Sum{{axis=0, acc=float64}} [id S{k}] <Vector(float32, shape=(?,))> {5}
 │  └─ Subtensor{{start:}} [id T{k}] <Matrix(float32, shape=(?, ?))> {4}
 │     ├─ Tanh [id E{k}] <Matrix(float32, shape=(?, ?))> {3}
 │     │  └─ Add [id A{k}] <Matrix(float32, shape=(?, ?))> 'h' {2}
 │     │     ├─ Dot [id D{k}] <Matrix(float32, shape=(?, ?))> {1}
 │     │     │  ├─ x [id x] <Matrix(float32, shape=(?, ?))>
 │     │     │  └─ w{k} [id w{k}] <Matrix(float32, shape=(?, ?))>
 │     │     └─ ExpandDims{{axis=0}} [id B{k}] <Matrix(float32, shape=(1, ?))> {0}
 │     │        └─ b{k} [id b{k}] <Vector(float32, shape=(?,))>
 │     └─ 1 [id one] <int64>
""", "Join [id all] <Vector(float32, shape=(?,))> {n}\n ├─ 0 [id axis] <Scalar(int8, shape=())>\n"),
    "PyTensor, updates": Form(3, """Composite{{(i0 - (i1 * i2))}} [id U{k}] <Matrix(float32, shape=(?, ?))> {2}
 ├─ w{k} [id w{k}] <Matrix(float32, shape=(?, ?))>
 ├─ Dot [id D{k}] <Matrix(float32, shape=(?, ?))> {1}
 │  ├─ x [id x] <Matrix(float32, shape=(?, ?))>
 │  └─ Exp [id E{k}] <Matrix(float32, shape=(?, ?))> {0}
 │     └─ w{k} [id w{k}] <Matrix(float32, shape=(?, ?))>
 └─ r [id r] <Matrix(float32, shape=(1, 1))>
""", head="""Max{{axes=None}} [id M] <Scalar(float32, shape=())> 1
 └─ x [id x] <Matrix(float32, shape=(?, ?))>
""", tail="""
Inner graphs:

Composite{{(i0 - (i1 * i2))}} [id {ids}]
 ← sub [id A] <float32>
    ├─ i0 [id B] <float32>
    └─ mul [id C] <float32>
       ├─ i1 [id D] <float32>
       └─ i2 [id E] <float32>
""", by_level=True),
    "PyTensor, maybe updates": Form(2, """Sub [id U{k}] <Matrix(float32, shape=(?, ?))> {1}
 ├─ w{k} [id w{k}] <Matrix(float32, shape=(?, ?))>
 └─ Mul [id M{k}] <Matrix(float32, shape=(?, ?))> {0}
    ├─ r [id r] <Matrix(float32, shape=(1, 1))>
    └─ w{k} [id w{k}] <Matrix(float32, shape=(?, ?))>
"""),
}  # fmt: skip
"""Networks that a Join holds (a product, a bias, an activation, a part of it, a sum); updates of as many shared variables, printed by
PyTensor 3.3.7; and results of which the numbers do not tell whether they are updates."""


def networks(nodes: int, dialect: str) -> str:
    """The text of as many parts as have about so many nodes."""
    form = FORMS[dialect]
    count = nodes // form.nodes

    def numbers(k: int) -> Iterable[int]:
        if form.by_level:
            return (level * count - k - (level == 1 and k == count - 1) for level in range(1, form.nodes + 1))  # the head is node 1
        return range(k * form.nodes, (k + 1) * form.nodes)

    rows = (form.part.format(*numbers(k), k=k) for k in range(count))
    tail = form.tail.format(ids=", ".join(f"U{k}" for k in range(count)))
    return form.head.format(n=count * form.nodes) + "".join(rows) + tail


def steps(text: str) -> dict[str, Callable[[], object]]:
    """What `theanodiag graph` does with `text`: each step by itself, and all of it."""
    found = read_debugprint(text)
    shapes = _shapes(found.graph.inputs, found)
    return {
        "read": lambda: read_debugprint(text),
        "shapes": lambda: printed_report.shaped(found.graph, shapes),
        "shapes and memory": lambda: printed_report.outcome(found, shapes, HOST),
        "all": lambda: everything(text, shapes),
        "all, told the shape of x alone": lambda: everything(text, {name: shape for name, shape in shapes.items() if name == "x"}),
    }


def everything(text: str, shapes: Mapping[str, tuple[int, ...]]) -> str:
    """The report on `text`, as the command makes it."""
    with no_collections():
        return terminal.show(printed_report.report(read_debugprint(text), "text", shapes), View())


def _shapes(inputs: Any, found: Any) -> dict[str, tuple[int, ...]]:
    """A shape for each input, by the first letter of its name."""
    sizes = {"x": (512, 512), "w": (512, 8), "b": (8,), "r": (1, 1)}
    names = [found.graph.variables[i.variable].name for i in inputs]
    return {name: sizes[name[0]] for name in names if name}


def own(nodes: int, *what: str) -> dict[str, Any] | None:
    """PyTensor's own text of such a graph, and its seconds; None where it is not installed."""
    python = interpreter("pytensor")
    if not python:
        return None
    command = [python, "-W", "ignore", str(SCRIPT), str(nodes), *what]
    done = subprocess.run(command, capture_output=True, text=True, check=True, env={**os.environ, "PYTENSOR_FLAGS": "floatX=float32"})
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def main() -> None:
    """Prints milliseconds per 1000 nodes by size, the exponent of the growth, and PyTensor's own tools."""
    for dialect in FORMS:
        rows: dict[str, list[float]] = {}
        loops = []
        for n in SIZES:
            loops.append(processor(lambda: sum(i * i for i in range(1_000_000)), 3))
            for name, run in steps(networks(n, dialect)).items():
                rows.setdefault(name, []).append(processor(run, 3 if n < 100_000 else 1) / n * 1000)
        idle = [unloaded(loop) for loop in loops]
        print(f"   {dialect}: a loop of a million squares took {', '.join(f'{1000 * loop:.0f} ms' for loop in loops)}")
        for name, figures in rows.items():
            growth = 1 + math.log(figures[-1] / figures[0]) / math.log(SIZES[-1] / SIZES[0])
            shown = ", ".join(f"{1000 * f:.0f} ms at {n} (idle: {1000 * f * i:.0f})" for f, n, i in zip(figures, SIZES, idle))
            print(f"   {dialect}, {name}: per 1000 nodes {shown}; exponent {growth:.2f}")
    print(f"   the marks for all: {MOST_MS} ms, exponent {MOST_EXPONENT}")
    for n, what in ((1_000, ("summary",)), (10_000, ())):
        beside(n, *what)


def unloaded(loop: float) -> float:
    """The share of a time that an idle machine would take, by the seconds of the loop; all of it where this one is faster."""
    return min(1.0, IDLE_LOOP / loop)


def beside(nodes: int, *what: str) -> None:
    """PyTensor's own tools and theanodiag on the very same text."""
    found = own(nodes, *what)
    if found is None:
        return
    run = steps(found["text"])
    read, everything = (1000 * processor(run[name], 2) for name in ("read", "all"))
    tools = (("debugprint", "debugprint"), ("summary_memory", "summary"))
    theirs = ", ".join(f"{name} {1000 * found[key]:.0f} ms" for name, key in tools if key in found)
    print(f"   PyTensor on {found['nodes']} nodes: {theirs}; theanodiag on its text: read {read:.0f} ms, all {everything:.0f} ms")


if __name__ == "__main__":
    main()

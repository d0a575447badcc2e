"""python printed.py NODES [summary]: a graph of layers as PyTensor prints it, and what PyTensor's own tools take for it, as JSON.

Each network is four nodes deep; a Join holds them all, so that the text is as wide as it is long and no recursion is deep.
`summary`: the function is also compiled (without rewrites), called once, and PyTensor's profile says what memory it needs.
"""

from __future__ import annotations

import io
import json
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.compile.debug.profiling import ProfileStats
from pytensor.compile.mode import Mode
from pytensor.graph.fg import FunctionGraph
from pytensor.link.vm import VMLinker


def networks(nodes: int) -> tuple[list[Any], Any]:
    """The inputs and the output: networks of a product, a bias, a row of it, and a sum, side by side."""
    x = pt.matrix("x")
    inputs, sums = [x], []
    for k in range(nodes // 6):
        w, b = pt.matrix(f"w{k}"), pt.vector(f"b{k}")
        inputs += [w, b]
        sums.append(pt.tanh(pt.dot(x, w) + b)[1:].sum(axis=0))
    return inputs, pt.concatenate(sums)


def seconds(run: Callable[[], object]) -> float:
    """Processor seconds of the faster of two runs."""
    found = []
    for _ in range(2):
        start = time.process_time()
        run()
        found.append(time.process_time() - start)
    return min(found)


def summary(inputs: list[Any], output: Any) -> float:
    """Seconds of `summary_memory`, after a call of the compiled function."""
    pytensor.config.profile = pytensor.config.profile_memory = True
    profile = ProfileStats()
    function = pytensor.function(inputs, output, mode=Mode(VMLinker(use_cloop=False, c_thunks=False), None), profile=profile)
    shapes = {0: (16, 32), 1: (32, 8), 2: (8,)}
    function(*[np.ones(shapes[k if k < 3 else 1 + (k - 1) % 2], dtype=i.dtype) for k, i in enumerate(inputs)])
    return seconds(lambda: profile.summary_memory(io.StringIO()))


def main(nodes: int, with_summary: bool) -> dict[str, object]:
    """The text, the number of nodes and the seconds."""
    inputs, output = networks(nodes)
    graph = FunctionGraph(inputs, [output], clone=False)
    text = pytensor.dprint(graph, print_type=True, file="str")
    taken = seconds(lambda: pytensor.dprint(graph, print_type=True, file="str"))
    row = {"text": text, "nodes": len(graph.apply_nodes), "debugprint": taken}
    if with_summary:
        row["summary"] = summary(inputs, output)
    return row


if __name__ == "__main__":
    sys.setrecursionlimit(100000)
    json.dump(main(int(sys.argv[1]), sys.argv[2:] == ["summary"]), sys.stdout)

"""TD503: an op without a GPU version in the middle of a graph on the device

What it finds
    A node that Theano's GPU back-end has no op for, between values that come from the device and results that go back to it.

Why it matters
    What it reads is copied to the host, what it makes is copied back, and the device waits meanwhile.

Example
    `train`: SortOp has no GPU version: 7.6 MiB a call, 0.7 ms at 12.6 GB/s.

What to do
    Move it to the begin or the end of the graph (on the data, once; or on the result), or write it with ops that have a GPU version. An op
    of your own (`as_op`, a `perform` only) needs a GPU version of its own.

Limits
    Only in graphs of Theano's own GPU back-end. Copies below 64 KiB a call are left alone. Which ops have a GPU version is a table by
    class name (Theano 1.0.5, gpuarray/opt.py). Where cuDNN has a version (gpuarray/dnn.py) the finding is a remark, since the device may
    have cuDNN: `--cudnn 7605` shows the graph with it.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Fix, Severity
from ...ir import Op
from ...memory.script import CompiledFunction
from ...ops import op_info
from ..base import Rule
from ..impact import as_lifted
from ..subject import ScriptSubject
from .cost import saving, severity, told
from .regions import Region, largest_call, regions
from .td502_round_trip import LEAST, example


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each region with Ops that have no GPU version."""
    for function in s.script.functions:
        for region in regions(function.graph):
            size = largest_call(s, function.index, region)
            if size >= LEAST and region.forced_by(function.graph):
                yield _finding(s, function, region, size)


def _finding(s: ScriptSubject, function: CompiledFunction, region: Region, size: int) -> Finding:
    nodes = region.forced_by(function.graph)
    names, copies = " and ".join(dict.fromkeys(n.op.text for n in nodes)), len(region.down) + len(region.up)
    have = "has" if len({n.op.text for n in nodes}) == 1 else "have"
    message = f"{function.name}: {names} {have} no GPU version; what it reads and makes is copied: {told(s, size, copies)} at each call"
    site = function.graph.variables[nodes[0].outputs[0]].site or function.site
    fix, level = Fix("compute it before or behind the part on the device, or with ops that have a GPU version"), severity(size)
    if all(op_info(n.op.name).gpu.needs_cudnn for n in nodes):
        message += "; with cuDNN nothing is"
        fix, level = Fix("use cuDNN", code="THEANO_FLAGS=dnn.enabled=True  # and theanodiag check --cudnn 7605"), Severity.INFO
    return Finding("TD503", level, as_lifted(s), message, s.place(site, function.name), fix, None, saving(s, size, copies))


RULE = Rule(
    "TD503",
    "no-gpu-version",
    check,
    __doc__,
    fires=lambda: example(Op("SortOp", "SortOp{quicksort}")),
    silent=lambda: example(None),
)

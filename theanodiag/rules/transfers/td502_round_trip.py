"""TD502: a value leaves the device and comes back, though all ops between have a GPU version

What it finds
    HostFromGpu followed by GpuFromHost in a graph for a device: directly, or with nodes between that the back-end could compute.

Why it matters
    Both copies take the bus, and the device waits, with every call.

Example
    `train`: Elemwise{exp} of float64 between two copies: 76.3 MiB a call, 6.4 ms at 12.6 GB/s.

What to do
    See what holds the op back: `optimizer_excluding`, an optimiser that did not run (`optimizer=fast_compile` or `None`), a complex dtype,
    an explicit `transfer('cpu')`. Or compute it before or behind the part on the device.

Limits
    Only in graphs of Theano's own GPU back-end. Copies below 64 KiB a call are left alone. Which ops have a GPU version is a table by
    class name (Theano 1.0.5, gpuarray/opt.py); versions for some dtypes only are not told apart.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Finding, Fix
from ...ir import Op, TypeKind
from ...ir.builder import GraphBuilder, on_device, tensor
from ...memory.script import CompiledFunction
from ...units import KIB
from ..base import Rule
from ..examples import built, device, subject
from ..impact import as_lifted
from ..subject import ScriptSubject
from .cost import saving, severity, told
from .regions import Region, largest_call, regions

LEAST = 64 * KIB
"""Smaller copies, in bytes for each call, are not reported."""


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each region of host nodes that the device could compute."""
    for function in s.script.functions:
        for region in regions(function.graph):
            size = largest_call(s, function.index, region)
            if size >= LEAST and not region.forced_by(function.graph):
                yield _finding(s, function, region, size)


def _finding(s: ScriptSubject, function: CompiledFunction, region: Region, size: int) -> Finding:
    graph = function.graph
    between = ", ".join(dict.fromkeys(graph.applies[n].op.text for n in region.inside)) or "nothing"
    kinds = {graph.variables[v].type.dtype or "?" for n in region.down for v in graph.applies[n].outputs}
    copies = len(region.down) + len(region.up)
    message = (
        f"{function.name}: {' and '.join(sorted(kinds))} values leave the device and come back, with {between} between, "
        f"which the device could compute: {told(s, size, copies)} at each call"
    )
    site = graph.variables[graph.applies[region.up[0]].inputs[0]].site or function.site
    fix = Fix("find what keeps it on the host (theanodiag explain TD502)")
    return Finding("TD502", severity(size), as_lifted(s), message, s.place(site, function.name), fix, None, saving(s, size, copies))


def example(op: Op | None, columns: int = 1000) -> ScriptSubject:
    """x is doubled on the device, `op` computed on the host (None: no such Op), the result doubled on the device."""
    b = GraphBuilder("train")
    twice = Op("GpuElemwise", "GpuElemwise{mul}")
    kind, host = on_device(columns, columns), tensor(columns, columns, kind=TypeKind.TENSOR)
    value = b.apply(twice, [b.argument("x", kind)], kind)
    if op is not None:
        down = b.apply(Op("HostFromGpu", "HostFromGpu(gpuarray)"), [value], host)
        value = b.apply(Op("GpuFromHost", "GpuFromHost<None>"), [b.apply(op, [down], host)], kind)
    return subject(built(b, b.apply(twice, [value], kind)), device(1_000_000_000))


RULE = Rule(
    "TD502",
    "round-trip",
    check,
    __doc__,
    fires=lambda: example(Op("Elemwise", "Elemwise{exp,no_inplace}")),
    silent=lambda: example(Op("Elemwise", "Elemwise{exp,no_inplace}"), 10),
)

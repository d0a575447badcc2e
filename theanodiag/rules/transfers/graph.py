"""TD5: transfers inside a function's graph, between host and device."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...findings import Finding, Fix, Saving, Severity
from ...ir import Apply, FunctionGraph, Op, ShapeTable, Type, TypeKind
from ...ir.builder import GraphBuilder, on_device, tensor
from ...memory.gpu_lowering import lives_there
from ...memory.script import CompiledFunction
from ...ops import op_info
from ...plans.chunking.plan import SECONDS_A_COPY
from ...plans.pin_to_device import nbytes
from ...units import KIB, MIB, format_bytes
from ..base import rule
from ..examples import built, device, subject
from ..impact import as_lifted
from ..subject import ScriptSubject

COST_LEAST = MIB
"""Smaller copies, in bytes for each call, are not reported."""
MUCH = 16 * MIB
"""The smallest copy, in bytes, that is a WARNING: it takes more than a millisecond on PCI Express 3.0."""


def seconds(s: ScriptSubject, nbytes: int, copies: int = 1) -> float:
    """Returns the seconds that copying `nbytes` bytes in `copies` copies takes at the card's bandwidth; 0 if the bandwidth is unknown."""
    bus = s.device.bus_bytes_per_second
    return nbytes / bus + copies * SECONDS_A_COPY if bus else 0.0


def traffic(s: ScriptSubject, nbytes: int, copies: int = 1) -> str:
    """Returns size and time of copies as text: `149.5 MiB, 12.4 ms at 12.6 GB/s`."""
    bus = s.device.bus_bytes_per_second
    if not bus:
        return format_bytes(nbytes)
    return f"{format_bytes(nbytes)}, {1000 * seconds(s, nbytes, copies):.3g} ms at {bus / 1e9:.3g} GB/s"


def saving(s: ScriptSubject, nbytes: int, copies: int = 1, peak: int = 0) -> Saving:
    """Returns the saving if these copies are avoided: their seconds in each call, and `peak` bytes."""
    return Saving(max(0, peak), seconds(s, nbytes, copies))


def severity(nbytes: int) -> Severity:
    """Returns WARNING for at least `MUCH` bytes for each call, else INFO."""
    return Severity.WARNING if nbytes >= MUCH else Severity.INFO


def there(s: ScriptSubject, kind: Type) -> bool:
    """Returns whether values of type `kind` are stored on the device, or would be after the graph is lowered to it."""
    return kind.kind.on_device or (s.settings.lift and lives_there(kind))


@dataclass(frozen=True)
class Region:
    """A group of host nodes whose inputs are copied from the device and whose results are copied back."""

    down: tuple[int, ...]
    """Ids of the HostFromGpu nodes before it."""
    inside: tuple[int, ...]
    """Ids of the nodes in it."""
    up: tuple[int, ...]
    """Ids of the GpuFromHost nodes after it."""

    def forced_by(self, graph: FunctionGraph) -> tuple[Apply, ...]:
        """Returns the nodes whose Op has no GPU version."""
        return tuple(graph.applies[n] for n in self.inside if not op_info(graph.applies[n].op.name).gpu.has_counterpart)

    def copied(self, graph: FunctionGraph, table: ShapeTable) -> int:
        """Returns the bytes copied in one call; values of unknown size are left out."""
        values = [graph.applies[n].outputs[0] for n in (*self.down, *self.up)]
        return sum(nbytes(table.shape(v), graph.variables[v].type.dtype) or 0 for v in values)


def regions(graph: FunctionGraph) -> Iterator[Region]:
    """Yields the regions of a graph; those that share nodes are merged."""
    groups: list[tuple[set[int], set[int], set[int]]] = []
    for node in graph.applies:
        if node.op.name == "GpuFromHost":
            down, inside = _behind(graph, node)
            if down:
                groups.append((down, inside, {node.id}))
    while groups:
        down, inside, up = groups.pop()
        touching = [g for g in groups if not g[0].isdisjoint(down) or not g[1].isdisjoint(inside)]
        if touching:
            for other in touching:
                groups.remove(other)
                down, inside, up = down | other[0], inside | other[1], up | other[2]
            groups.append((down, inside, up))
        else:
            yield Region(tuple(sorted(down)), tuple(sorted(inside)), tuple(sorted(up)))


def _behind(graph: FunctionGraph, node: Apply) -> tuple[set[int], set[int]]:
    """(HostFromGpu nodes on which the GpuFromHost `node` depends, nodes between them)."""
    down: set[int] = set()
    inside: set[int] = set()
    todo = list(node.inputs)
    while todo:
        owner = graph.variables[todo.pop()].owner
        if owner is None or owner in down or owner in inside:
            continue
        before = graph.applies[owner]
        if before.op.name == "HostFromGpu":
            down.add(owner)
        else:
            inside.add(owner)
            todo += before.inputs
    kept = {n for n in inside if _reaches(graph, n, down, inside)}
    return down, kept


def _reaches(graph: FunctionGraph, node: int, down: set[int], inside: set[int]) -> bool:
    """Whether a node depends, within the region, on a value from the device."""
    todo, seen = [node], set()
    while todo:
        here = todo.pop()
        if here in down:
            return True
        seen.add(here)
        owners = (graph.variables[v].owner for v in graph.applies[here].inputs)
        todo += [n for n in owners if n is not None and n not in seen and (n in inside or n in down)]
    return False


def largest_call(s: ScriptSubject, function: int, region: Region) -> int:
    """Returns the bytes copied in the call that copies most."""
    graph = s.script.functions[function].graph
    return max((region.copied(graph, call.shapes) for call in s.script.calls(function)), default=0)


ROUND_TRIP_LEAST = 64 * KIB
"""Smaller copies, in bytes for each call, are not reported."""


@rule(
    "TD502",
    "round-trip",
    fires=lambda: example(Op("Elemwise", "Elemwise{exp,no_inplace}")),
    silent=lambda: example(Op("Elemwise", "Elemwise{exp,no_inplace}"), 10),
)
def round_trip(s: ScriptSubject) -> Iterator[Finding]:
    """TD502: a value leaves the device and comes back, although all ops in between have a GPU version

    What it finds
        Finds a HostFromGpu that is followed by a GpuFromHost in a graph for the device, either directly or with only nodes in between that
        the GPU back-end could run.

    Why it matters
        Both copies use the bus and make the device wait, at every call.

    Example
        In `train`, Elemwise{exp} of float64 runs on the host between two copies, which move 76.3 MiB at each call and take 6.4 ms at 12.6
        GB/s.

    What to do
        Find out what keeps the op off the GPU: the flag `optimizer_excluding`, a graph optimizer that did not run (`optimizer=fast_compile`
        or `None`), a complex dtype, or an explicit `transfer('cpu')`. You can also move the op before or after the part of the graph that
        runs on the GPU.

    Limits
        The rule applies only to graphs of Theano's own GPU back-end. Copies below 64 KiB per call are not reported. A table by class name
        says which ops have a GPU version (Theano 1.0.5, gpuarray/opt.py). Some GPU versions support only certain dtypes; the table does not
        distinguish them.
    """
    for function in s.script.functions:
        for region in regions(function.graph):
            size = largest_call(s, function.index, region)
            if size >= ROUND_TRIP_LEAST and not region.forced_by(function.graph):
                yield _round_trip_finding(s, function, region, size)


def _round_trip_finding(s: ScriptSubject, function: CompiledFunction, region: Region, size: int) -> Finding:
    graph = function.graph
    between = ", ".join(dict.fromkeys(graph.applies[n].op.text for n in region.inside)) or "nothing"
    kinds = {graph.variables[v].type.dtype or "?" for n in region.down for v in graph.applies[n].outputs}
    copies = len(region.down) + len(region.up)
    message = (
        f"{function.name}: {' and '.join(sorted(kinds))} values leave the device and come back, with {between} between, "
        f"which the device could compute: {traffic(s, size, copies)} at each call"
    )
    site = graph.variables[graph.applies[region.up[0]].inputs[0]].site or function.site
    fix = Fix("find what keeps it on the host (theanodiag explain TD502)")
    return Finding("TD502", severity(size), as_lifted(s), message, s.place(site, function.name), fix, None, saving(s, size, copies))


def example(op: Op | None, columns: int = 1000) -> ScriptSubject:
    """Makes the subject in which x is doubled on the device, passed through `op` on the host (None: through no Op), and doubled on the
    device again.
    """
    b = GraphBuilder("train")
    twice = Op("GpuElemwise", "GpuElemwise{mul}")
    kind, host = on_device(columns, columns), tensor(columns, columns, kind=TypeKind.TENSOR)
    value = b.apply(twice, [b.argument("x", kind)], kind)
    if op is not None:
        down = b.apply(Op("HostFromGpu", "HostFromGpu(gpuarray)"), [value], host)
        value = b.apply(Op("GpuFromHost", "GpuFromHost<None>"), [b.apply(op, [down], host)], kind)
    return subject(built(b, b.apply(twice, [value], kind)), device(1_000_000_000))


@rule(
    "TD503",
    "no-gpu-version",
    fires=lambda: example(Op("SortOp", "SortOp{quicksort}")),
    silent=lambda: example(None),
)
def no_gpu_version(s: ScriptSubject) -> Iterator[Finding]:
    """TD503: an op without a GPU version in the middle of a graph on the device

    What it finds
        Finds a node that Theano's GPU back-end cannot run, if its inputs come from the GPU and its results go back to the GPU.

    Why it matters
        The node's inputs are copied to the host and its results back, and the device waits meanwhile.

    Example
        In `train`, SortOp has no GPU version: each call copies 7.6 MiB, which takes 0.7 ms at 12.6 GB/s.

    What to do
        Move the op to the beginning of the graph (apply it once, to the data) or to the end (apply it to the result), or write it with ops
        that have a GPU version. A custom op (`as_op`, or an op with only a `perform` method) needs its own GPU version.

    Limits
        The rule applies only to graphs of Theano's own GPU back-end. Copies below 64 KiB per call are not reported. A table by class name
        says which ops have a GPU version (Theano 1.0.5, gpuarray/opt.py). If cuDNN has a version of the op (gpuarray/dnn.py), the finding
        has only the severity info, because the device may have cuDNN; `--cudnn 7605` shows the graph with cuDNN.
    """
    for function in s.script.functions:
        for region in regions(function.graph):
            size = largest_call(s, function.index, region)
            if size >= ROUND_TRIP_LEAST and region.forced_by(function.graph):
                yield _no_gpu_version_finding(s, function, region, size)


def _no_gpu_version_finding(s: ScriptSubject, function: CompiledFunction, region: Region, size: int) -> Finding:
    nodes = region.forced_by(function.graph)
    names, copies = " and ".join(dict.fromkeys(n.op.text for n in nodes)), len(region.down) + len(region.up)
    have = "has" if len({n.op.text for n in nodes}) == 1 else "have"
    message = f"{function.name}: {names} {have} no GPU version; what it reads and makes is copied: {traffic(s, size, copies)} at each call"
    site = function.graph.variables[nodes[0].outputs[0]].site or function.site
    fix, level = Fix("compute it before or after the part on the device, or use ops that have a GPU version"), severity(size)
    if all(op_info(n.op.name).gpu.needs_cudnn for n in nodes):
        message += "; with cuDNN nothing is"
        fix, level = (
            Fix("use cuDNN", code=f"{s.flags_variable.line('dnn.enabled=True')}  # and theanodiag check --cudnn 7605"),
            Severity.INFO,
        )
    return Finding("TD503", level, as_lifted(s), message, s.place(site, function.name), fix, None, saving(s, size, copies))

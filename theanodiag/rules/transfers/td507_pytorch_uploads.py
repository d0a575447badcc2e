"""TD507: PyTensor's PYTORCH mode copies every shared variable at each call

What it finds
    Functions of the linker `pytorch` with shared variables, for a device.

Why it matters
    The values of shared variables stay numpy arrays on the host. At each call all of them become tensors of torch's default device, a copy
    where that is a GPU, and every result and update comes back with `.cpu().numpy()`. Nothing stays on the device.

Example
    `train`: 3 shared variables, 95.4 MiB, 8.0 ms at 12.6 GB/s, at each call, and the updates back.

What to do
    Do more in one call (several steps in a `scan`), or take `mode=JAX`. On the CPU nothing is copied (`torch.as_tensor` shares the memory).

Limits
    Whether torch's default device is the GPU is not seen. Below 1 MiB a call it is left alone.
    Source: PyTensor 3.0.7, link/pytorch/linker.py (`wrapper.__call__`), link/pytorch/dispatch/basic.py (`pytorch_typify_tensor`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Confidence, Finding, Fix
from ...memory.script import Call, CompiledFunction
from ...plans.pin_to_device import nbytes
from ..base import Rule
from ..examples import device, dot_script, subject
from ..subject import ScriptSubject
from .cost import LEAST, saving, severity, told


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each function that PyTorch runs."""
    if s.device.is_host:
        return
    for function in s.script.functions:
        calls = s.script.calls(function.index)
        if function.linker == "pytorch" and calls:
            yield from _finding(s, function, calls[-1])


def _finding(s: ScriptSubject, function: CompiledFunction, call: Call) -> Iterator[Finding]:
    graph = function.graph
    shared = [i for i in graph.inputs if i.shared is not None]
    values = [i.variable for i in shared] + [graph.outputs[i.update] for i in shared if i.update is not None]
    sizes = [nbytes(call.shapes.shape(v), graph.variables[v].type.dtype) or 0 for v in values]
    up, back = sum(sizes[: len(shared)]), sum(sizes[len(shared) :])
    if up < LEAST:
        return
    more = f", and {len(values) - len(shared)} updates back" if back else ""
    message = f"{function.name}: {len(shared)} shared variables go to torch's device at each call{more}: {told(s, up + back, len(values))}"
    fix = Fix("do more in one call, or compile for JAX", code="PYTENSOR_FLAGS=mode=JAX")
    place = s.place(function.site, function.name)
    yield Finding("TD507", severity(up + back), Confidence.BOUNDED, message, place, fix, None, saving(s, up + back, len(values)))


def _linked(linker: str) -> ScriptSubject:
    script = dot_script(10, 1000)
    functions = tuple(replace(f, linker=linker) for f in script.functions)
    return subject(replace(script, functions=functions), device(1_000_000_000))


RULE = Rule("TD507", "pytorch-uploads", check, __doc__, fires=lambda: _linked("pytorch"), silent=lambda: _linked("cvm"))

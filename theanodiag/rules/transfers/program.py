"""TD5: transfers between program and device: inputs, results and shared variables, for each call."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from ...findings import Confidence, Finding, Fix, Severity, identifier, remark
from ...ir import Role, Shape, Site, Unknown
from ...memory.profile import ProcessProfile
from ...memory.script import Call, CompiledFunction, Create, GetValue, Script, SetValue
from ...memory.simulate import simulate_figures
from ...plans.calling import bounds_of, changed_calls
from ...plans.compiling import find_compiling
from ...plans.pin_to_device import Repeated, nbytes, pinned, repeated, travels
from ...plans.resize import argument_name
from ...plans.script_names import called_as
from ...plans.source_changes import argument_of, given_as
from ...units import format_bytes
from ..base import rule
from ..examples import device, dot_script, subject
from ..impact import as_lifted, change, deciding_peak, figures
from ..subject import ScriptSubject
from .graph import COST_LEAST, saving, severity, there, traffic


@rule(
    "TD501",
    "same-data-again",
    fires=lambda: subject(_called("whole:1", "whole:1", "whole:1"), device(1_000_000_000)),
    silent=lambda: subject(_called("whole:1", "whole:2", "whole:3"), device(1_000_000_000)),
)
def same_data_again(s: ScriptSubject) -> Iterator[Finding]:
    """TD501: the same data goes to the device at each call

    What it finds
        Finds an argument that is copied to the device again at each call, although several calls receive the same data (the same memory, or
        equal values), or parts of one array (mini-batches).

    Why it matters
        The bus is twenty to fifty times slower than the card's memory. For example, a test set that the script evaluates after each epoch
        is copied each time, and the call waits for the copy.

    Example
        `predict(x_test)` after each epoch copies 149.5 MiB, which takes 12.5 ms at 12.6 GB/s, at each call.

    What to do
        Store the data in a shared variable once, and use the variable in the function: `givens={x: data}`. For mini-batches use a slice,
        `givens={x: data[start:stop]}`, with the bounds as arguments. The suggested code contains the script's own statements, if they show
        the arguments.

    Limits
        The rule needs at least two calls. The rule does not report arguments below 1 MiB. The rule does not report data that does not fit
        on the device together with everything else, because chunks of such data would be copied as often. theanodiag compares only every
        n-th element of large arrays, and considers two arrays of zeros equal only if they are the same memory. The finding about
        mini-batches has the severity info, because theanodiag does not know whether the script runs a second epoch.

        Source: Theano 1.0.5, gpuarray/opt.py (`GraphToGPU`: each argument gets a GpuFromHost), gpuarray/basic_ops.py (`GpuFromHost`).
    """
    if s.device.is_host:
        return
    for function in s.script.functions:
        repeats = [r for r in repeated(s.script, function.index, COST_LEAST) if travels(function.graph, r.variable, s.settings.lift)]
        after = simulate_figures(pinned(s.script, repeats), s.settings) if repeats else s.process
        if repeats and after.fits is not False:
            yield _same_data_finding(s, function, repeats, after)


def _same_data_finding(s: ScriptSubject, function: CompiledFunction, repeats: list[Repeated], after: ProcessProfile) -> Finding:
    size, parts = sum(r.nbytes for r in repeats), any(r.whole for r in repeats)
    names = " and ".join(r.name for r in repeats)
    what = "is cut out of the same array" if parts else "gets the same data"
    message = f"{names} of {function.name} {what} at each call, and goes to the device each time: {traffic(s, size, len(repeats))}"
    kept = sum(r.pinned_bytes for r in repeats)
    notes = (f"stored on the device it takes {format_bytes(kept)} for good", f"the script then needs {change(s, after)}")
    level = Severity.INFO if parts else severity(size)
    sure = min(as_lifted(s), Confidence.DERIVED)
    fix = Fix("pin the data on the device", code="\n".join(_code(s, function, repeats)))
    site = next((call.site for call in s.script.calls(function.index)), None) or function.site
    saved = saving(s, size, len(repeats), deciding_peak(s, s.process) - deciding_peak(s, after))
    return Finding("TD501", level, sure, message, s.place(site, function.name), fix, figures(after), saved, notes)


def _code(s: ScriptSubject, function: CompiledFunction, repeats: list[Repeated]) -> Iterator[str]:
    """Yields code to paste that keeps the data on the device: variables with it, and the script's statements that compile the function with
    them, and call it without the data.
    """
    ids = [i.variable for i in function.graph.inputs if i.role is Role.ARGUMENT]
    positions = {r: ids.index(r.variable) for r in repeats}
    parts = {r: _part(r) for r in repeats}
    bounds = _bounds(s.source) if any("start" in part for part in parts.values()) else []
    parts = {r: part.replace("start:stop", ":".join(bounds)) for r, part in parts.items()}
    compiling = find_compiling(s.source, function.site)
    words = {r: identifier(r.name, "x") for r in repeats}
    for r in repeats:
        data = _data(s, function, positions[r], r)
        meant = "all of it, once, before the function" if r.whole else "once, before the function"
        if data is None:
            yield f"# {words[r]}_data: what {remark(function.name)} is called with{', all of it' if r.whole else ''}"
        yield f'{words[r]}_there = {s.library}.shared(numpy.asarray({data or f"{words[r]}_data"}, "{r.dtype}"), borrow=True)  # {meant}'
    if bounds:
        yield f'{bounds[0]}, {bounds[1]} = {s.library}.tensor.lscalars("{bounds[0]}", "{bounds[1]}")  # of the rows of a call'
    own = compiling.inputs if compiling is not None else []
    if compiling is not None and len(own) == len(ids):
        rest = [*(name for k, name in enumerate(own) if k not in positions.values()), *bounds]
        yield compiling.changed(inputs=rest, givens={own[positions[r]]: f"{words[r]}_there{parts[r]}" for r in repeats})
    else:
        names = [identifier(argument_name(s.script, function.index, v), "argument") for v in ids if v not in {r.variable for r in repeats}]
        rows = ", ".join(f"{word}: {word}_there{parts[r]}" for r, word in words.items())
        yield (
            f"{called_as(s.source, identifier(function.name, 'function'))} = "
            f"{s.library}.function([{', '.join(names + bounds)}], ..., givens={{{rows}}})  # ...: as now"
        )
    yield from _calls(s, function, positions, bounds)


def _bounds(text: str) -> list[str]:
    """Names for the first row of a call and for the one after the last, which a text does not have."""
    taken = re.search(r"(?<![.\w])(?:start|stop)\b", text)
    return ["row_start", "row_stop"] if taken else ["start", "stop"]


def _calls(s: ScriptSubject, function: CompiledFunction, positions: Mapping[Repeated, int], bounds: list[str]) -> Iterator[str]:
    """Yields the statements that call the function without the data, with the bounds of the rows in place of the rows."""

    def arguments(own: Sequence[ast.expr]) -> list[ast.expr] | None:
        given = [own[k] for k in positions.values() if k < len(own)]
        cut = {ast.unparse(e.slice): bounds_of(s.source, _sliced(e, r)) for r, e in zip(positions, given) if isinstance(e, ast.Subscript)}
        if len(given) < len(positions) or (bounds and (len(cut) != 1 or None in cut.values())):
            return None
        rest = [e for k, e in enumerate(own) if k not in positions.values()]
        return [*rest, *((cut.popitem()[1] or ()) if bounds else ())]

    sites = list(dict.fromkeys(call.site for call in s.script.calls(function.index) if call.site is not None and not call.assumed))
    rows = changed_calls(s.source, identifier(function.name, "function"), sites, arguments) if sites else None
    without = remark(", ".join(r.name for r in positions))
    yield from rows if rows is not None else [f"# then call it without {without}" + (", with the bounds of its rows" if bounds else "")]


def _sliced(e: ast.Subscript, r: Repeated) -> ast.expr:
    """The part of a subscript that cuts the data, along the axis of which the argument has fewer."""
    axis = _part(r).count(":, ")
    return e.slice.elts[axis] if isinstance(e.slice, ast.Tuple) and axis < len(e.slice.elts) else e.slice


def _part(r: Repeated) -> str:
    """The subscript of what a call reads of the data: a slice of the one axis that is shorter; `[part]` where several are."""
    whole = None if r.whole is None else r.whole.shape
    if whole is None:
        return ""
    if isinstance(whole, Unknown) or len(whole) != len(r.shape):
        return "[part]"
    shorter = [k for k, (n, of) in enumerate(zip(r.shape, whole)) if n != of]
    return f"[{':, ' * shorter[0]}start:stop]" if len(shorter) == 1 else "[part]"


def _data(s: ScriptSubject, function: CompiledFunction, position: int, r: Repeated) -> str | None:
    """The name of the data in what the script passes to the function, `X` of `train(X[i:j])`; None if it is not seen there."""
    called = identifier(function.name, "function")
    text = argument_of(s.source, called, position) or ""
    match = re.fullmatch(r"([A-Za-z_][\w.]*)(\[.*\])?", text)
    return given_as(s.source, called, match[1]) if match and bool(match[2]) == bool(r.whole) else None


def _called(*digests: str) -> Script:
    """`dot_script`, called once for each of these digests, with data of that digest."""
    script = dot_script(10_000, 1000)
    (call,) = (e for e in script.events if isinstance(e, Call))
    (given,) = call.inputs
    calls = tuple(replace(call, inputs=(replace(given, digest=d, buffer=d),)) for d in digests)
    return replace(script, events=(*script.events[:2], *calls))


@rule(
    "TD504",
    "set-again",
    fires=lambda: subject(_set("whole:1", "whole:1", "whole:1"), device(1_000_000_000)),
    silent=lambda: subject(_set("whole:1", "whole:2", "whole:1"), device(1_000_000_000)),
)
def set_again(s: ScriptSubject) -> Iterator[Finding]:
    """TD504: set_value of data that the variable already holds

    What it finds
        Finds a shared variable on the device that the script sets at least twice to data equal to its present value.

    Why it matters
        Each such `set_value` copies the data over the bus, but changes nothing.

    Example
        `data.set_value(x_train)` at the beginning of each epoch copies 149.5 MiB each time, in 12.5 ms at 12.6 GB/s.

    What to do
        Set the variable once, before the loop.

    Limits
        The rule does not report values below 1 MiB. Because `check` computes nothing, it does not report variables that a function updates,
        whose values are unknown, or arrays of zeros, which all functions return. In arrays above 4 MiB the rule compares only every n-th
        element. The rule checks only the first eight `set_value` calls of each variable. Source: Theano 1.0.5, gpuarray/type.py
        (`GpuArrayType.filter_inplace`).
    """
    if s.device.is_host:
        return
    updated = {i.shared for f in s.script.functions for i in f.graph.inputs if i.update is not None}
    for number, variable in s.script.shared.items():
        again = settings_again(s.script, number)
        if number in updated or len(again) < 2 or not there(s, variable.type):
            continue
        size = nbytes(again[-1].shape, variable.type.dtype)
        if size is None or size < COST_LEAST:
            continue
        name = variable.label
        message = f"{name} is set {len(again)} times to data that it already holds: {traffic(s, size)} each time"
        sure = Confidence.DERIVED if (again[-1].digest or "").startswith("whole") else Confidence.BOUNDED
        fix = Fix(f"set {name} once, before the loop")
        yield Finding("TD504", severity(size), sure, message, s.place(again[0].site, variable.name), fix, None, saving(s, size))


def settings_again(script: Script, shared: int) -> list[SetValue]:
    """Returns the SetValue events that set a shared variable to the data it already has."""
    held: str | None = None
    repeats = []
    for event in script.events:
        if isinstance(event, (Create, SetValue)) and event.shared == shared:
            if isinstance(event, SetValue) and event.digest == held and held not in (None, "zero"):
                repeats.append(event)
            held = event.digest
    return repeats


def _set(*digests: str) -> Script:
    """A script that sets W (1000 x 1000) once for each of these digests, to data of that digest."""
    script = dot_script(10, 1000)
    return replace(script, events=(*script.events, *(SetValue(0, (1000, 1000), digest=d) for d in digests)))


OFTEN = 3


@rule(
    "TD505",
    "read-in-loop",
    fires=lambda: subject(_loop(4), device(1_000_000_000)),
    silent=lambda: subject(_loop(2), device(1_000_000_000)),
)
def read_in_loop(s: ScriptSubject) -> Iterator[Finding]:
    """TD505: get_value in a loop

    What it finds
        Finds a shared variable on the device that one line of the script reads at least three times, with function calls in between.

    Why it matters
        `get_value` copies the whole variable to the host. Before the copy, `get_value` waits until the device has finished all earlier
        work.

    Example
        `norm = (W.get_value() ** 2).sum()` at each batch copies 190.7 MiB each time, in 15.9 ms at 12.6 GB/s.

    What to do
        Compute what you need on the device, as an output of the function. You can also read the variable less often. To keep a copy on the
        device, use `get_value(borrow=False, return_internal_type=True)`.

    Limits
        The rule does not report values below 1 MiB, and checks only the first eight reads of a variable. `borrow=True` alone does not help:
        `get_value` copies the value to the host in any case, and takes no additional memory on the device. Source: Theano 1.0.5,
        gpuarray/type.py (`GpuArraySharedVariable.get_value`).
    """
    if s.device.is_host:
        return
    for (number, site), times in reads(s.script).items():
        variable = s.script.shared[number]
        size = nbytes(_shape(s.script, number), variable.type.dtype)
        if times < OFTEN or size is None or size < COST_LEAST or not there(s, variable.type):
            continue
        name = variable.label
        message = f"{name} is read from the device {times} times by the same line, between calls: {traffic(s, size)} each time"
        fix = Fix("compute the figure on the device, or read it less often")
        yield Finding("TD505", severity(size), as_lifted(s), message, s.place(site, variable.name), fix, None, saving(s, size))


def reads(script: Script) -> dict[tuple[int, Site], int]:
    """Returns (shared variable, source line) -> number of reads at that line. A read counts only if there was a call since the previous
    one.
    """
    counts: dict[tuple[int, Site], int] = {}
    called: dict[tuple[int, Site], int] = {}
    calls = 0
    for event in script.events:
        if isinstance(event, Call):
            calls += 1
        elif isinstance(event, GetValue) and event.site is not None and not event.internal:
            key = (event.shared, event.site)
            if called.get(key) != calls:
                counts[key] = counts.get(key, 0) + 1
            called[key] = calls
    return counts


def _shape(script: Script, shared: int) -> Shape | Unknown:
    shapes = [e.shape for e in script.events if isinstance(e, (Create, SetValue)) and e.shared == shared]
    return shapes[-1] if shapes else Unknown("it was never made")


def _loop(times: int) -> Script:
    """A script that calls a function `times` times and reads its weights, 1000 x 1000, after each call."""
    script, place = dot_script(10, 1000), Site("model.py", 9)
    call = script.events[-1]
    return replace(script, events=(*script.events[:2], *(call, GetValue(0, site=place)) * times))


@rule(
    "TD506",
    "unread-results",
    fires=lambda: subject(_dropped(True), device(1_000_000_000)),
    silent=lambda: subject(_dropped(False), device(1_000_000_000)),
)
def unread_results(s: ScriptSubject) -> Iterator[Finding]:
    """TD506: results are copied back but never used

    What it finds
        Finds a function whose results are copied from the device although the script discards them at every recorded call: the call is a
        statement by itself.

    Why it matters
        The script waits for the copy. If the function returned nothing, the script could prepare the next batch while the device computes.

    Example
        `train(x, y)` returns the activations: each call copies 61.0 MiB, which takes 5.1 ms at 12.6 GB/s.

    What to do
        Remove the output, `function([x, y], [], updates=...)`, or keep it on the device, `output.transfer(None)`.

    Limits
        The rule finds only calls whose results the script discards at once, all of them. The rule does not find calls of which the script
        uses one result (`loss, _ = train(x)`), or calls through a library's wrapper. The rule does not report results below 1 MiB. Source:
        Theano 1.0.5, gpuarray/opt.py: outputs of host type end in HostFromGpu.
    """
    if s.device.is_host:
        return
    for function in s.script.functions:
        calls = [c for c in s.script.calls(function.index) if not c.assumed]
        if len(calls) < 2 or not all(c.dropped for c in calls):
            continue
        back = copied_back(s, function)
        size = max(sum(nbytes(c.shapes.shape(v), function.graph.variables[v].type.dtype) or 0 for v in back) for c in calls)
        if size < COST_LEAST:
            continue
        message = f"the results of {function.name} are copied back but never used: {traffic(s, size, len(back))} at each call"
        fix = Fix("compile it without outputs", code=f"{s.library}.function([...], [], updates=...)")
        place = s.place(calls[0].site or function.site, function.name)
        yield Finding("TD506", severity(size), as_lifted(s), message, place, fix, None, saving(s, size, len(back)))


def copied_back(s: ScriptSubject, function: CompiledFunction) -> list[int]:
    """Returns the outputs that are copied back from the device."""
    graph = function.graph
    outputs = []
    for v in graph.outputs[: graph.n_returned]:
        owner = graph.variables[v].owner
        if owner is not None and (graph.applies[owner].op.name == "HostFromGpu" or (s.settings.lift and there(s, graph.variables[v].type))):
            outputs.append(v)
    return outputs


def _dropped(dropped: bool) -> Script:
    """`dot_script`, called twice; `dropped`: whether the script discards the results."""
    script = dot_script(1000, 1000)
    calls = tuple(replace(e, dropped=dropped) for e in script.events if isinstance(e, Call))
    return replace(script, events=(*script.events[:2], *calls * 2))


@rule(
    "TD507",
    "pytorch-uploads",
    fires=lambda: _linked("pytorch"),
    silent=lambda: _linked("cvm"),
)
def pytorch_uploads(s: ScriptSubject) -> Iterator[Finding]:
    """TD507: PyTensor's PYTORCH mode copies every shared variable at each call

    What it finds
        Finds functions with the linker `pytorch` and shared variables, in a script checked for a device.

    Why it matters
        The values of shared variables stay numpy arrays on the host. At each call PyTensor converts all of them to tensors on torch's
        default device, which copies them if that device is a GPU. PyTensor copies every result and update back with `.cpu().numpy()`.
        Nothing stays on the GPU between calls.

    Example
        The finding says `train: 3 shared variables go to torch's device at each call: 95.4 MiB`. The copy takes 8.0 ms at 12.6 GB/s, and
        the updates are copied back.

    What to do
        Do more work in one call (several steps in a `scan`), or use `mode=JAX`. If torch's default device is the CPU, nothing is copied,
        because `torch.as_tensor` shares the memory.

    Limits
        theanodiag does not know whether torch's default device is the GPU. Copies below 1 MiB per call are not reported. Source: PyTensor
        3.0.7, link/pytorch/linker.py (`wrapper.__call__`), link/pytorch/dispatch/basic.py (`pytorch_typify_tensor`).
    """
    if s.device.is_host:
        return
    for function in s.script.functions:
        calls = s.script.calls(function.index)
        if function.linker == "pytorch" and calls:
            yield from _pytorch_uploads_finding(s, function, calls[-1])


def _pytorch_uploads_finding(s: ScriptSubject, function: CompiledFunction, call: Call) -> Iterator[Finding]:
    graph = function.graph
    shared = [i for i in graph.inputs if i.shared is not None]
    values = [i.variable for i in shared] + [graph.outputs[i.update] for i in shared if i.update is not None]
    sizes = [nbytes(call.shapes.shape(v), graph.variables[v].type.dtype) or 0 for v in values]
    up, back = sum(sizes[: len(shared)]), sum(sizes[len(shared) :])
    if up < COST_LEAST:
        return
    more = f", and {len(values) - len(shared)} updates back" if back else ""
    message = (
        f"{function.name}: {len(shared)} shared variables go to torch's device at each call{more}: {traffic(s, up + back, len(values))}"
    )
    fix = Fix("do more in one call, or compile for JAX", code="PYTENSOR_FLAGS=mode=JAX")
    place = s.place(function.site, function.name)
    yield Finding("TD507", severity(up + back), Confidence.BOUNDED, message, place, fix, None, saving(s, up + back, len(values)))


def _linked(linker: str) -> ScriptSubject:
    script = dot_script(10, 1000)
    functions = tuple(replace(f, linker=linker) for f in script.functions)
    return subject(replace(script, functions=functions), device(1_000_000_000))

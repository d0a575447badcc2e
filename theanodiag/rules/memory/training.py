"""TD3: memory for training in addition to the model: gradients and optimizer state."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...findings import Confidence, Cost, Finding, Fix, Results, Severity, identifier
from ...ir import Op
from ...ir.builder import GraphBuilder, on_device, tensor
from ...ir.shape import nbytes
from ...memory.profile import ProcessProfile
from ...memory.script import CompiledFunction, Script
from ...memory.settings import AllocatorKind
from ...memory.simulate import simulate_figures
from ...plans import row_updates
from ...plans.compiling import find_compiling, named_there
from ...plans.graphs.embedding_gradients import RowGradient, by_rows, find_row_gradients, in_all, on_host
from ...plans.graphs.optimizer_state import OptimizerState, find_state, is_used_alone, with_states
from ...plans.source_changes import argument_of, cost_of, parameters_of, value_of
from ...units import format_bytes
from ..base import rule
from ..examples import built, device, subject
from ..impact import SHARE, can_pay, change, confidence, deciding_peak, figures, is_significant, saving, severity
from ..subject import ScriptSubject


@rule(
    "TD326",
    "dense-row-gradient",
    fires=lambda: subject(embedding(), device(80_000_000_000)),
    silent=lambda: subject(embedding(tied=True), device(80_000_000_000)),
)
def dense_row_gradient(s: ScriptSubject) -> Iterator[Finding]:
    """TD326: the gradient of a table is computed for all its rows, although few are read

    What it finds
        Finds a shared variable of which a function reads only rows (`W[ids]`: word vectors, an embedding), but whose update uses the
        gradient with respect to the whole variable. theanodiag simulates two changes: taking the gradient of only these rows, and keeping
        the table in host memory.

    Why it matters
        `grad(cost, W)` is an array as large as W, created and filled with zeros at each call. For a table of 800 MB the gradient takes
        another 800 MB, even if the batch contains only a few thousand words. An optimiser that squares the gradient allocates a third array
        as large as the table.

    Example
        `updates=[(W, W - lr * grad(cost, W))]` with `h = W[ids]` needs 1.5 GiB; `[(W, inc_subtensor(h, -lr * grad(cost, h)))]` needs 767.0
        MiB.

    What to do
        Take the gradient with respect to the rows that the model reads, `W[ids]`, and add the step to these rows with `inc_subtensor`, as
        the suggested code does. For plain gradient descent the result is the same. With momentum, Adagrad or Adam the suggested code
        applies the script's own updates only to these rows, once for each row, with the sum of its gradients. The optimiser state of rows
        that are not read stays unchanged, so the model trains differently, but usually not worse.

        You can also keep the table on the host: `theano.shared(value, target='cpu')`, with the flag `optimizer_excluding` as shown. If the
        table is on the host, each call copies the rows to the device. Without the flag, Theano 1.0.5 moves the reads and updates to the
        device, and with them the whole table.

    Limits
        The rule reports nothing if the whole gradient is needed (a softmax with the same weights, a penalty on all of W), or if rows are
        selected by several indices. The figure is not from a compiled graph: theanodiag assumes that the multiplication of the rows by a
        number happens in place. Sources: Theano 1.0.5, tensor/subtensor.py (`AdvancedSubtensor1.grad`, `inc_subtensor`).
    """
    for function, profile in s.profiled() if can_pay(s) else []:
        gradients = list(find_row_gradients(s.script, function.index, s.shapes_at_peak(function, profile)))
        if not gradients:
            continue
        rows = simulate_figures(in_all(s.script, gradients, by_rows), s.settings)
        if is_significant(s, rows):
            yield _finding(s, function, gradients, rows)
        if s.process.fits is False and rows.fits is not True:
            yield from _on_host(s, function, gradients)


def _finding(s: ScriptSubject, function: CompiledFunction, gradients: Sequence[RowGradient], after: ProcessProfile) -> Finding:
    tables = [_table(s, g) for g in gradients]
    read = max(_rows(s, function, g) for g in gradients)
    bounded = any(g.rate is None for g in gradients)
    message = (
        f"{function.name} makes the gradient of {' and '.join(tables)} for all rows, {read} of which are read in a call; "
        f"with that of these rows alone: {'at most ' * bounded}{change(s, after)}"
    )
    fix = Fix("the gradient of the rows that are read", code="\n".join(_code(s, function, gradients)))
    site = function.graph.variables[gradients[0].read].site or function.site
    done = figures(after, function.index) if function.index in after.functions else None
    notes = tuple(_dense_row_gradient_notes(s, gradients))
    sure, cost = min(confidence(s), Confidence.BOUNDED if bounded else Confidence.DERIVED), Cost(_results(gradients))
    return Finding("TD326", severity(s), sure, message, s.place(site, function.name), fix, done, saving(s, after), notes, cost=cost)


def _results(gradients: Sequence[RowGradient]) -> Results:
    """The effect of updating only the rows that are read: state of the other rows (momentum, Adam) then no longer decays."""
    return Results.TRAINED_OTHERWISE if any(g.states for g in gradients) else Results.ROUNDED


def _dense_row_gradient_notes(s: ScriptSubject, gradients: Sequence[RowGradient]) -> Iterator[str]:
    """Yields notes on whether the training stays the same, and on the memory saved by keeping the tables on the host."""
    if any(g.states for g in gradients):
        yield "the optimiser's state is updated only in the rows that are read, which changes the training"
    else:
        yield "the results are the same except for rounding"
    if _has_lifts(s) and all(_has_one_user(s, g) for g in gradients):
        after = simulate_figures(in_all(s.script, gradients, on_host), s.settings)
        if is_significant(s, after):
            how = f"shared(value, target='cpu') and optimizer_excluding={LIFTS}"
            yield f"with {_names(s, gradients)} in host memory too ({how}): {change(s, after)}; rows are then copied at each call"


LIFTS = "local_gpua_advanced_subtensor1:local_gpua_advanced_subtensor:local_gpua_advanced_incsubtensor1"
"""The rewrites that move reads and updates of rows, together with their table, to the device.

Source: Theano 1.0.5, gpuarray/opt.py (`op_lifter`: where what is added comes from the device, or what is read goes there).
"""


def _has_lifts(s: ScriptSubject) -> bool:
    """Whether the script runs on Theano's GPU back-end, where a shared variable can stay on the host."""
    return not s.device.is_host and s.settings.allocator is AllocatorKind.GPUARRAY and s.library == "theano"


def _on_host(s: ScriptSubject, function: CompiledFunction, gradients: Sequence[RowGradient]) -> Iterator[Finding]:
    """Yields the finding to keep the tables on the host, if the script fits then."""
    if not _has_lifts(s) or not all(_has_one_user(s, g) for g in gradients):
        return
    after = simulate_figures(in_all(s.script, gradients, on_host), s.settings)
    if after.fits is not True:
        return
    message = f"with {_names(s, gradients)} in the memory of the host the script fits: at most {change(s, after)}"
    message += f"; {function.name} copies rows at each call"
    excluded = ":".join(filter(None, (str(s.script.flags.get("optimizer_excluding") or ""), LIFTS)))
    tables = [f"{_python_name(s, g)} = {s.library}.shared(value, target='cpu')" for g in gradients]
    states = [f"# and the optimiser's state of it: {len(g.states)} as large" for g in gradients if g.states]
    code = "\n".join((s.flags_variable.line(f"optimizer_excluding={excluded}"), *tables, *states, *_code(s, function, gradients)))
    fix, site = Fix("keep the table on the host", code=code), s.script.shared[gradients[0].shared].site
    done = figures(after, function.index) if function.index in after.functions else None
    sure = min(confidence(s), Confidence.BOUNDED)
    cost = Cost(_results(gradients), work="rows are copied in each call")
    yield Finding("TD326", severity(s), sure, message, s.place(site, function.name), fix, done, saving(s, after), cost=cost)


def _names(s: ScriptSubject, gradients: Sequence[RowGradient]) -> str:
    return " and ".join(s.script.shared[g.shared].label for g in gradients)


def _has_one_user(s: ScriptSubject, g: RowGradient) -> bool:
    """Whether no other function uses the table or its optimizer state."""
    ids = {g.shared, *g.states}
    return all(f.index == g.function or ids.isdisjoint(i.shared for i in f.graph.inputs) for f in s.script.functions)


def _table(s: ScriptSubject, g: RowGradient) -> str:
    """Name, shape and size of the table as text: `W (1000000, 200), 762.9 MiB`."""
    kind = s.script.shared[g.shared]
    function = s.script.functions[g.function]
    variable = next(i.variable for i in function.graph.inputs if i.shared == g.shared)
    shape = s.script.calls(g.function)[0].shapes.shape(variable)
    size = nbytes(shape, kind.type.dtype or "int8")
    details = f"{tuple(shape)}, {format_bytes(size)}," if isinstance(shape, tuple) and isinstance(size, int) else ""
    return f"{kind.name or 'a table'} {details}".strip()


def _rows(s: ScriptSubject, function: CompiledFunction, g: RowGradient) -> int:
    """Largest number of rows whose gradients are added in one call."""
    most = 0
    for call in s.script.calls(function.index):
        shapes = [call.shapes.shape(function.graph.applies[n].inputs[1]) for n in g.added]
        most = max(most, sum(int(x[0]) for x in shapes if isinstance(x, tuple) and x and isinstance(x[0], int)))
    return most


def _python_name(s: ScriptSubject, g: RowGradient) -> str:
    """The expression by which the script refers to the table where it compiles the function."""
    table = s.script.shared[g.shared]
    return named_there(s.source, s.script.functions[g.function].site, table.expression or identifier(table.name, "W"))


def _code(s: ScriptSubject, function: CompiledFunction, gradients: Sequence[RowGradient]) -> Iterator[str]:
    """Yields code to paste: the updates of the function, with those of the tables by rows."""
    compiling = find_compiling(s.source, function.site)
    tables = [row_updates.Table(_python_name(s, g), g.rate) for g in gradients]
    yield from row_updates.lines(s.library, tables, named_there(s.source, function.site, cost_of(s.source)), compiling)


def embedding(tables: int = 1, tied: bool = False) -> Script:
    """Makes the script `W[ids].sum()` for `tables` tables, with the gradient with respect to the whole of each W; `tied`: a dense gradient
    is added.
    """
    b, rows = GraphBuilder("train"), 500_000
    ids = b.argument("ids", on_device(64, dtype="int64"))
    zero, n, m = b.constant(on_device(), 0.0), b.constant(tensor(dtype="int64"), rows), b.constant(tensor(dtype="int64"), 100)
    rate = b.constant(on_device(1, 1), ((0.05,),))
    adding = Op("GpuAdvancedIncSubtensor1", "GpuAdvancedIncSubtensor1{inplace}", params={"inplace": True}, destroy_map={0: (0,)})
    step = Op("GpuElemwise", "GpuElemwise{Composite{(i0 - (i1 * i2))}}[(0, 0)]", destroy_map={0: (0,)})
    costs = []
    for w in [b.shared(f"W{k or ''}", on_device(rows, 100)) for k in range(tables)]:
        read = b.apply(Op("GpuAdvancedSubtensor1", "GpuAdvancedSubtensor1"), [w, ids], on_device(64, 100))
        grad = b.apply(Op("GpuElemwise", "GpuElemwise{tanh}"), [read], on_device(64, 100))
        zeros = b.apply(Op("GpuAlloc", "GpuAlloc<None>{memset_0=True}"), [zero, n, m], on_device(rows, 100))
        whole = b.apply(adding, [zeros, grad, ids], on_device(rows, 100))
        if tied:
            square = b.apply(Op("GpuElemwise", "GpuElemwise{sqr}"), [w], on_device(rows, 100))
            whole = b.apply(Op("GpuElemwise", "GpuElemwise{add}"), [whole, square], on_device(rows, 100))
        b.update(w, b.apply(step, [w, rate, whole], on_device(rows, 100)))
        costs.append(b.apply(Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}"), [read], on_device()))
    return built(b, *costs)


NAMED = 4
"""Maximum number of states listed."""


@rule(
    "TD327",
    "optimiser-state",
    fires=lambda: _momentum(),
    silent=lambda: _momentum(read=False),
)
def optimizer_state(s: ScriptSubject) -> Iterator[Finding]:
    """TD327: the optimiser keeps state as large as the parameters

    What it finds
        Finds optimiser state: shared variables that hold the velocities of momentum, the sums of squares of Adagrad and RMSprop, or both
        for Adam. The rule reads from the updates to which parameter each of these variables belongs. The finding states the source line,
        the total size, and the memory that the script needs with less state.

    Why it matters
        The variables of the optimiser state usually have no names, and a smaller batch does not reduce them. With Adam a model of 400 MiB
        holds 1.2 GiB before the first array of a batch is created.

    Example
        The finding says `train keeps 800.0 MiB of optimiser state (Adam: 2 arrays for each parameter) beside 400.0 MiB of parameters`.

    What to do
        Use an optimiser with less state. Plain gradient descent keeps no state; momentum, Adagrad and RMSprop keep one array as large as
        each parameter; Adam and Adadelta keep two. The training changes, so tune the learning rate again. You can also store the state as
        float16, or on the host, which costs a copy in each call.

    Limits
        The figure assumes that the update with less state is one elementwise step in place, or a product that is added in place (GpuGemm);
        Theano may need less. State below a tenth of the peak is not reported.
    """
    optimizers = large_states(s)
    if not optimizers:
        return
    most = optimizers[0]
    kept = range(most.each) if is_used_alone(s.script, most) else ()
    less = {keep: simulate_figures(with_states(s.script, most, keep), s.settings) for keep in kept}
    after = _chosen(s, less)
    if after is not None and not is_significant(s, after):
        return
    name = s.script.functions[most.function].name
    kind = (
        f"{most.name}: {most.each} array{'s' * (most.each > 1)} for each parameter"
        if most.name
        else f"up to {most.each} for each parameter"
    )
    message = (
        f"{name} keeps {format_bytes(most.bytes)} of optimiser state ({kind}) beside {format_bytes(most.parameter_bytes)} of parameters"
    )
    fix = None
    if after is not None:
        keep = next(k for k, p in less.items() if p is after)
        message += f"; with {_OTHERS[keep]}: {change(s, after)}"
        fix = Fix(_OTHERS[keep], code="\n".join(_less_code(s, most, keep)))
    notes = (*_optimizer_state_notes(s, most, less), *_others(s, most, optimizers))
    largest = max(most.states, key=lambda state: state.nbytes)
    place = s.place(s.script.shared[largest.shared].site, name)
    level = severity(s) if after is not None and after.fits is True else Severity.INFO
    sure = min(confidence(s), Confidence.BOUNDED)
    done, cost = (None, None) if after is None else (figures(after), Cost(Results.TRAINED_OTHERWISE))
    yield Finding("TD327", level, sure, message, place, fix, done, None if after is None else saving(s, after), notes, cost=cost)


def large_states(s: ScriptSubject) -> list[OptimizerState]:
    """Returns the optimizer state of each function that has some, largest first; empty if the largest is a small part of the peak."""
    found = [f for f in (find_state(f.graph, s.shapes_at_peak(f, p), f.index) for f, p in s.profiled()) if f is not None]
    found.sort(key=lambda o: -o.bytes)
    return found if found and found[0].bytes >= SHARE * deciding_peak(s, s.process) else []


_OTHERS = {0: "plain gradient descent, which keeps none", 1: "a velocity for each parameter (momentum)"}


def _less_code(s: ScriptSubject, optimizer: OptimizerState, keep: int) -> Iterator[str]:
    """Yields lines to paste in place of those that make the updates, whose state is on the device as soon as they have run."""
    inputs, site = s.script.functions[optimizer.function].graph.inputs, s.script.functions[optimizer.function].site
    updated = [i.shared for i in inputs if i.update is not None and i.shared is not None]
    trained = list(dict.fromkeys(state.parameter for state in optimizer.states))
    states = {state.shared for state in optimizer.states}
    known = [v.expression or (identifier(v.name, "") if v.name else None) for v in map(s.script.shared.__getitem__, trained)]
    all_named = all(known) and len(known) <= NAMED
    names = [named_there(s.source, site, e or "") for e in known] if all_named else []
    listed = f"[{', '.join(names)}]" if all_named else named_there(s.source, site, parameters_of(s.source) or "params")
    given = argument_of(s.source, "function", "updates") or "updates"
    name = given if given.isidentifier() else "updates"
    made = given if name != given else value_of(s.source, name)
    grad = f"{s.library}.tensor.grad" if s.library == "pytensor" else f"{s.library}.grad"
    yield f"params = {listed}" if listed != "params" else "# params: the list of what is trained"
    yield f"grads = {grad}({named_there(s.source, site, cost_of(s.source))}, params)"
    yield f"rates = [{s.library}.tensor.cast(0.01, p.dtype) for p in params]  # 0.01: to be tuned again"
    pairs = "[(p, p - rate * g) for p, rate, g in zip(params, rates, grads)]"
    if keep:
        yield f"velocities = [{s.library}.shared(p.get_value() * 0) for p in params]"
        yield "steps = [0.9 * v - rate * g for v, rate, g in zip(velocities, rates, grads)]"
        pairs = "list(zip(velocities, steps)) + [(p, p + step) for p, step in zip(params, steps)]"
    if made is not None and "lasagne" in s.source:
        pairs = f"dict({pairs})"  # as its functions return
    yield f"{name} = {pairs}  # in place of {f'{name} = {made}' if name == given and made else made or f'what makes {name}'}"
    others = [s.script.shared[k].expression for k in updated if k not in states and k not in trained]
    kept = [e for e in others if e is not None and "[" not in e]  # no counter of the optimiser
    if kept:
        yield f"# the updates of {', '.join(kept)} stay as they are"


def _chosen(s: ScriptSubject, less: dict[int, ProcessProfile]) -> ProcessProfile | None:
    """The simulation that keeps most state and fits. If none fits, or the script fits unchanged, the one that keeps no state; None if there
    are no simulations.
    """
    fitting = [k for k, p in less.items() if p.fits is True and s.process.fits is False]
    return less[max(fitting, default=0)] if less else None


def _optimizer_state_notes(s: ScriptSubject, optimizer: OptimizerState, less: dict[int, ProcessProfile]) -> Iterator[str]:
    """Yields notes on which state belongs to which parameter, and on the peaks of the alternatives."""
    rows = sorted(optimizer.by_parameter.items(), key=lambda row: -row[1][0].nbytes)
    for parameter, states in rows[:NAMED]:
        names = " and ".join(f"{shared_name(s, x.shared)} ({'squares' if x.squares else 'velocity or mean'})" for x in states)
        size = format_bytes(sum(x.nbytes for x in states))
        yield f"{names} follow{'s' * (len(states) == 1)} {shared_name(s, parameter)}: {size}{_line(s, states[0].shared)}"
    rest = rows[NAMED:]
    if rest:
        yield f"and {sum(len(x) for _, x in rest)} more, of {format_bytes(sum(x.nbytes for _, states in rest for x in states))} together"
    for keep, process in sorted(less.items(), reverse=True):
        yield f"with {_OTHERS[keep]}, the script needs at most {format_bytes(deciding_peak(s, process))}"


def _others(s: ScriptSubject, most: OptimizerState, optimizers: list[OptimizerState]) -> Iterator[str]:
    """Yields notes on the additional optimizer state of other functions."""
    known = {x.shared for x in most.states}
    for other in optimizers:
        own = [x for x in other.states if x.shared not in known]
        known |= {x.shared for x in own}
        if own:
            kind = f" ({other.name})" if other.name else ""
            yield f"{s.script.functions[other.function].name} keeps {format_bytes(sum(x.nbytes for x in own))} more{kind}"


def shared_name(s: ScriptSubject, shared: int) -> str:
    """Returns the name of a shared variable, else its number."""
    return s.script.shared[shared].label


def _line(s: ScriptSubject, shared: int) -> str:
    site = s.script.shared[shared].site
    return f", made at {site.path}:{site.line}" if site else ""


def _momentum(read: bool = True) -> ScriptSubject:
    """`v' = mu * v - g; W' = W + v'` with W of 500 000 x 100; `read`: whether W is a parameter, of which something is computed."""
    b, rows = GraphBuilder("train"), 500_000
    x, w, v = b.argument("x", on_device(10, rows)), b.shared("W", on_device(rows, 100)), b.shared("v", on_device(rows, 100))
    h = b.apply(Op("GpuDot22", "GpuDot22"), [x, w], on_device(10, 100)) if read else b.argument("h", on_device(10, 100))
    turned = b.apply(Op("GpuDimShuffle", "GpuDimShuffle{1,0}", view_map={0: (0,)}), [x], on_device(rows, 10))
    grad = b.apply(Op("GpuDot22", "GpuDot22"), [turned, h], on_device(rows, 100))
    step = Op("GpuElemwise", "GpuElemwise{Composite{((i0 * i1) - i2)}}[(0, 1)]", destroy_map={0: (1,)})
    mu = b.constant(on_device(1, 1), ((0.9,),))
    new = b.apply(step, [mu, v, grad], on_device(rows, 100))
    b.update(v, new)
    b.update(
        w, b.apply(Op("GpuElemwise", "GpuElemwise{add}[(0, 0)]", destroy_map={0: (0,)}), [w, new if read else grad], on_device(rows, 100))
    )
    cost = b.apply(Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}"), [h], on_device())
    return subject(built(b, cost), device(80_000_000_000))

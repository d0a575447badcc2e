"""TD3: the largest batch that fits, and how to process the data in smaller parts."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from ...findings import Confidence, Cost, Finding, Fix, LengthChange, Results, Severity, identifier, remark
from ...ir import FunctionGraph, Role
from ...memory.script import Call, CompiledFunction, SetValue
from ...plans.batch import BATCH, BatchPlan, dividing, functions_of, gets_all, remaining_rows
from ...plans.calling import Growing, written_growth
from ...plans.chunking.clients import CutKind
from ...plans.chunking.code import Argument, arguments_of, code, find_reader
from ...plans.chunking.plan import ChunkPlan, Chunks
from ...plans.chunking.reallocation import Enlargement, GrowthKind, GrowthPlan
from ...plans.compiling import named_there
from ...plans.graphs.joined_results import FIXED, MEAN, ROWS, SUM, Dependence, Kind, all_joined, mixing_function, results_of_parts
from ...plans.micro_code import Training, lines_in_parts
from ...plans.resize import ArgumentAxis, Axis, SharedAxis, WhatIf, argument_name, label, length
from ...plans.script_names import called_as, outside
from ...plans.shape_replay import is_written_inside, written_lengths
from ...plans.source_changes import argument_of, calls_of, cost_of, parameters_of, setting, statement_of
from ...units import format_bytes
from ..base import rule
from ..examples import data_script, device, dot_script, larger_value_script, subject, trained_script
from ..impact import change, confidence_of, figures, saving, severity
from ..subject import ScriptSubject


@rule(
    "TD303",
    "largest-batch",
    fires=lambda: subject(dot_script(4000, 1000), device(24_000_000)),
    silent=lambda: subject(dot_script(100, 2000), device(80_000_000)),
)
def largest_batch(s: ScriptSubject) -> Iterator[Finding]:
    """TD303: the largest batch that fits

    What it finds
        Finds the batch axes of the arguments, and the largest batch with which the script fits. The rule applies to scripts that do not
        fit, and with `--batch-dim` to all scripts. To find the largest batch, theanodiag simulates the script again with each batch that it
        tries. An argument may have several rows for each row of the batch: targets flattened to steps x rows, or triplets.

    Why it matters
        Intermediates grow with the batch, weights do not. With a larger batch the job fails; with a smaller one it leaves memory unused.

    Example
        The finding says `the largest batch that fits is 137 (x:0, y:0 of train), now 512`. A table of the memory that other batches need
        follows.

    What to do
        Set the batch to the suggested number, or to a smaller one that divides the number of rows. If a function receives all data in one
        call, call the function with parts of the data. If the finding names axes that are not the batch, name the right axes: `--batch-dim
        x:0,y:0`.

        If the script leaves out the rows that do not fill a batch, theanodiag suggests the largest batch that fits and divides the number
        of rows. If the suggested batch would be less than half of the largest batch that fits, the finding suggests the largest batch and
        says how many rows it leaves out.

    Limits
        The simulation also changes batch lengths that are constants in the graph: lengths in slices of data (`data[i * 500:(i + 1) * 500]`)
        and, if necessary, lengths in reshapes, new arrays and random numbers, also inside loops, unless another axis there has the same
        length. If the script contains such lengths as numbers, change these numbers too.

        theanodiag changes a length only if its own shape rules reproduce all shapes of the framework for the present length. Python code
        that depends on the batch, such as a loop over its rows, is not simulated. If an argument has a fixed number of additional rows,
        such as negative samples, the simulation keeps its length, and the message says so. An axis along which a recurrence runs is time,
        not a batch (see TD308).

        If a function gets all data in one call, the suggested code calls it once for each part, and says how the results of the parts are
        joined: rows are concatenated, sums added up, means averaged by the rows of each part. If theanodiag cannot tell whether the
        results can be joined, the advice says `results of fewer rows`.
    """
    plan = s.advice.batch
    if not isinstance(plan, BatchPlan) or (plan.largest is None and not s.advice.asked):
        return
    axes = names(s, plan.axes)
    if plan.largest is None or plan.after is None:
        none = "no device is given" if s.device.available_bytes is None else "not even a batch of 1 fits"
        message, fix, after = f"batches of {axes}, now {plan.batch}: {none}", None, s.process
    else:
        by = " by the upper bound" if s.process.bounded else ""
        which = (
            f"a batch of {plan.largest} fits, larger ones were not tried"
            if plan.capped
            else f"the largest batch that fits{by} is {plan.largest}"
        )
        kept = ", ".join(_kept(s, plan))
        whole, remaining = plan, remaining_rows(s.script, s.source, plan)
        plan = (remaining and dividing(WhatIf(s.script), s.settings, plan, remaining)) or plan
        if plan is not whole:
            which = f"a batch of {plan.largest} divides the {remaining} rows of the data (the largest that fits is {whole.largest})"
        message = f"{which} ({axes}), now {plan.batch}{f', with {kept} as now' if kept else ''}: {change(s, plan.after or s.process)}"
        if remaining and remaining % (plan.largest or 1):
            message += f"; {remaining % (plan.largest or 1)} of {remaining} rows are then left out where the script divides by it"
        fix, after = Fix(batch_title(s, plan), code=batch_code(s, plan), changes=batch_changes(s, plan)), plan.after or s.process
    if not plan.monotone:
        message += "; some smaller batches need more, since freed blocks fit worse"
    gained = saving(s, after) if plan.largest is not None and plan.largest < plan.batch else None
    yield Finding(
        "TD303",
        severity(s),
        confidence_of(s.process, after),
        message,
        s.place(None),
        fix,
        figures(after),
        gained,
        table(plan, s.process.bounded),
        cost=batch_cost(s, plan),
    )


def _kept(s: ScriptSubject, plan: BatchPlan) -> Iterator[str]:
    """Yields name and length of each argument outside the batch axes that is longer than the batch."""
    changed = {(a.function, a.variable) for a in plan.axes if isinstance(a, ArgumentAxis)}
    for function in dict.fromkeys(f for f, _ in changed):
        for entry in s.script.functions[function].graph.inputs:
            axis = ArgumentAxis(function, entry.variable, 0)
            if entry.role is Role.ARGUMENT and (function, entry.variable) not in changed and (length(s.script, axis) or 0) > plan.batch:
                yield f"{label(s.script, axis)} ({length(s.script, axis)})"


def batch_cost(s: ScriptSubject, plan: BatchPlan) -> Cost:
    """Returns the cost of a smaller batch: functions with updates train on different batches; others are called more often."""
    functions = {a.function for a in plan.axes if isinstance(a, ArgumentAxis)} or {f.index for f in s.script.functions}
    if any(i.update is not None for f in functions for i in s.script.functions[f].graph.inputs):
        return Cost(Results.TRAINED_OTHERWISE)
    what_if = WhatIf(s.script)
    if not all_joined(what_if, plan.axes):
        return Cost(Results.FEWER_ROWS)
    added = (way not in (ROWS, FIXED) for f in functions for way, _ in results_of_parts(what_if, plan.axes, f))
    return Cost(Results.ROUNDED if any(added) else Results.SAME, work="more calls")


def batch_title(s: ScriptSubject, plan: BatchPlan) -> str:
    """Returns the advice on the batch as text, which precedes the figures."""
    function = _called_with_all(s, plan)
    return "set the batch size" if function is None else f"call {s.script.functions[function].name} with parts of its data"


def batch_code(s: ScriptSubject, plan: BatchPlan, name: str = "batch_size") -> str:
    """Returns the batch size as a line to paste; for a function that receives all its data in one call, also the loop of calls. `name` is
    used for the number if the script has no name for it.
    """
    function = _called_with_all(s, plan)
    sizes = s.source, plan.batch, plan.largest or 0
    own = setting(*sizes, BATCH) or statement_of(*sizes) if function is None else None
    called = "" if function is None else called_as(s.source, identifier(s.script.functions[function].name, "function"))
    if called and re.search(rf"\b{name}\b", s.source):  # which is that of training
        name = f"{identifier(called, 'function')}_{name}"
    line = f"{own or f'{name} = {plan.largest}'}  # was {plan.batch}: {remark(names(s, plan.axes))}"
    if function is None:
        return line
    axes = {a.variable: a for a in plan.axes if isinstance(a, ArgumentAxis)}
    ids = [i.variable for i in s.script.functions[function].graph.inputs if i.role is Role.ARGUMENT]
    if mixing_function(WhatIf(s.script), plan.axes) is not None:
        return line
    given, before = dict[int, str](), list[str]()
    for k, v in enumerate(ids):
        text = _given(s, function, called, v, k)
        if text is None or (v in axes and not re.fullmatch(r"[A-Za-z_][\w.]*", text)):  # only a name is cut
            given[v] = f"{identifier(argument_name(s.script, function, v), 'argument')}_data"
            before.append(f"{given[v]} = {text}" if text else f"# {given[v]}: what {called} is called with now")
        else:
            given[v] = text
    parts = ", ".join(_rows_of(n, axes[v], f"k:k + {name}") if v in axes else n for v, n in given.items())
    loop = f"results = [{called}({parts}) for k in range(0, {plan.batch}, {name})]"
    return "\n".join((line, *before, *_several(given, axes), f"{loop}  # {_to_join(s, plan, function)}"))


WAYS_TO_JOIN: Mapping[Dependence | None, str] = {
    ROWS: "concatenate{}",
    SUM: "add{} up",
    Dependence(Kind.FIXED, 1): "add{} up",
    MEAN: "average{}, weighed by the rows of the parts",
    FIXED: "take one of{}",
}
"""How a result depends on the rows -> what to do with the results of the parts."""


def _to_join(s: ScriptSubject, plan: BatchPlan, function: int) -> str:
    """How the results of the parts become those of all rows: `concatenate them`, `concatenate outputs 0, 2; add up output 1`."""
    found = results_of_parts(WhatIf(s.script), plan.axes, function)
    outputs: dict[str, list[int]] = {}
    for k, (way, axis) in enumerate(found):
        along = f" along axis {axis}" if way == ROWS and axis else ""
        outputs.setdefault(f"{WAYS_TO_JOIN.get(way, '?')}{along}", []).append(k)
    if not outputs or any(text.startswith("?") for text in outputs):
        return "concatenate rows; add up sums; weigh means by the rows of the parts"
    which = [" them"] if len(found) == 1 else [f" output{'s' * (len(ks) > 1)} {', '.join(map(str, ks))}" for ks in outputs.values()]
    return "; ".join(text.format(name) for text, name in zip(outputs, which))


def _given(s: ScriptSubject, function: int, called: str, variable: int, position: int) -> str | None:
    """The expression that the script passes to a function for an argument, by position or keyword; None if several, or none is seen."""
    name = argument_name(s.script, function, variable)
    last = called.rpartition(".")[2]
    return argument_of(s.source, last, position) or (argument_of(s.source, last, name) if name else None)


def _rows_of(name: str, axis: ArgumentAxis, rows: str) -> str:
    """Code for the rows of an argument: a slice, or a call of `NAME_of(k)` if it has several rows for each of the batch, whose order is
    unknown.
    """
    return f"{name}[{':, ' * axis.axis}{rows}]" if axis.multiple == 1 else f"{identifier(name, 'argument')}_of(k)"


def _several(given: Mapping[int, str], axes: Mapping[int, ArgumentAxis]) -> Iterator[str]:
    """Yields remarks on the functions `NAME_of`, which the reader has to write."""
    for v, axis in axes.items():
        if v in given and axis.multiple > 1:
            yield f"# {identifier(given[v], 'argument')}_of(k): of {given[v]} the {axis.multiple} rows for each of these"


def batch_changes(s: ScriptSubject, plan: BatchPlan) -> tuple[LengthChange, ...]:
    """Returns the batch size as a change of the script. Empty if the same number may be the size of the data, because the change would then
    drop a part of the data.
    """
    functions = functions_of(plan)
    whole = bool(functions) and all(gets_all(s.script, plan, f) for f in functions)
    return () if plan.largest is None or whole else (LengthChange(plan.batch, plan.largest),)


def _called_with_all(s: ScriptSubject, plan: BatchPlan) -> int | None:
    """The one function that the batch is of, if each of its calls gets all data; None if there is none."""
    functions = functions_of(plan)
    whole = len(functions) == 1 and gets_all(s.script, plan, functions[0])
    return functions[0] if whole and not _is_sliced(s, plan, functions[0]) else None


def _is_sliced(s: ScriptSubject, plan: BatchPlan, function: int) -> bool:
    """Whether the script slices what it gives the function by a batch size, which is now the number of all rows: `f(x[i:i + batch_size])`
    in `predict(x, batch_size=2000)`."""
    own = re.search(r"\w+", setting(s.source, plan.batch, plan.largest or 0, BATCH) or "")
    calls = calls_of(s.source, called_as(s.source, identifier(s.script.functions[function].name, "function")).rpartition(".")[2])
    given = [ast.unparse(a) for call in calls for a in (*call.args, *(k.value for k in call.keywords))]
    return own is not None and any(re.search(rf"\[.*\b{own[0]}\b.*\]", text) for text in given)


def names(s: ScriptSubject, axes: tuple[Axis, ...]) -> str:
    """Returns the axes and their functions as text: `x:0, y:0 of train`."""
    functions = dict.fromkeys(s.script.functions[a.function].name for a in axes if isinstance(a, ArgumentAxis))
    labels = ", ".join(dict.fromkeys(label(s.script, a) for a in axes))
    return f"{labels} of {' and '.join(functions)}" if functions else labels


def table(plan: BatchPlan, bounded: bool, times: int = 1) -> tuple[str, ...]:
    """Returns the lines of a table of peaks by batch size. Sizes of the batch are shown multiplied by `times`. A value that exceeds the
    limit only as an upper bound may still fit.
    """
    verdicts = {True: "yes", False: "maybe" if bounded else "no"}
    head = f"{'batch':>8}  {'live peak':>12}  {'reserved':>12}  fits"
    rows = (
        f"{r.batch * times:>8}  {format_bytes(r.live):>12}  {format_bytes(r.reserved):>12}  {verdicts[bool(r.fits)]}" for r in plan.rows
    )
    return (head, *(f"{row}{'  now' if r.batch == plan.batch else ''}" for r, row in zip(plan.rows, rows)))


@rule(
    "TD304",
    "micro-batches",
    fires=lambda: subject(trained_script(8192, 200), device(12_000_000)),
    silent=lambda: subject(trained_script(8192, 200), device(80_000_000)),
)
def micro_batches(s: ScriptSubject) -> Iterator[Finding]:
    """TD304: the same batch in parts, whose gradients are added up

    What it finds
        Finds a training function whose batch does not fit, and the largest micro-batch (a part of that batch) that should fit. The memory
        for one gradient accumulator for each parameter is included. All micro-batches have the same number of rows.

    Why it matters
        A smaller batch changes the training: the gradient is noisier, and needs another learning rate. Micro-batches do not change the
        training: the trained model is the same except for rounding. If the cost is a mean over the rows, the gradient of the whole batch is
        the mean of the gradients of its parts. If the cost is a sum over the rows, the gradient of the whole batch is the sum of the
        gradients of its parts.

    Example
        The finding suggests `a batch of 512 as 4 micro-batches of 128`.

    What to do
        Compile two functions instead of one, as the suggested code shows. The first function adds the gradients of a part to the
        accumulators; the second function applies the accumulated gradients.

    Limits
        The rule does not apply to a cost that compares rows with each other (all pairs, batch normalisation), because the gradients of the
        parts of such a cost do not add up to the gradient of the batch. If the graph does not show whether the cost is a mean over the
        rows, the finding says so. The figure includes an accumulator for each float parameter that the function updates, and none for
        optimiser state. The figure is approximate, because theanodiag does not compile the two functions, and they may fragment the memory
        differently: check the changed script. If the script does not call `grad` and `function` in the same scope, the suggested code uses
        general names and says `by hand`.
    """
    plan = s.advice.batch
    if not isinstance(plan, BatchPlan) or plan.micro is None or plan.micro_after is None or plan.trained is None:
        return
    part, times = plan.micro.batch, plan.batch // plan.micro.batch
    name = s.script.functions[plan.trained].name
    known = plan.cost in (SUM, MEAN)
    message = (
        f"a batch of {plan.batch} as {times} micro-batches of {part} keeps the gradient of {name}"
        f"{'' if known else ', if its cost is a mean over the rows,'} and "
        f"should fit: about {change(s, plan.micro_after)}, {format_bytes(plan.micro.extra)} of them for accumulators"
    )
    fix = Fix("micro-batches", code=micro_batches_code(s, plan, plan.trained, part))
    results = Results.ROUNDED if known else Results.SAME_FOR_MEANS
    cost = Cost(results, work=f"{times + 1} calls instead of one")
    # without figures, so that no plan counts on it: the two functions of the code place their arrays in another order
    yield Finding("TD304", Severity.INFO, Confidence.GUESSED, message, s.place(None, name), fix, cost=cost)


def micro_batches_code(s: ScriptSubject, plan: BatchPlan, function: int, part: int) -> str:
    """Returns code to paste: two functions, one that accumulates gradients over parts of `part` rows and one that updates."""
    graph = s.script.functions[function].graph
    ids = [i.variable for i in graph.inputs if i.role is Role.ARGUMENT]
    arguments = {v: identifier(argument_name(s.script, function, v), "argument") for v in ids}
    axes = {a.variable: a for a in plan.axes if isinstance(a, ArgumentAxis) and a.function == function}
    written = list(_written_rows(s, plan, function, part))
    shared = {e for v in s.script.shared.values() for e in (v.name, v.expression) if e}
    given = {name: axes[v].axis if v in axes else None for v, name in arguments.items()}
    training = Training(s.script.functions[function].site, given, frozenset(shared), plan.cost != SUM, graph.n_returned)
    simple = not written and all(a.multiple == 1 for a in axes.values()) and _are_numbers(graph)
    named = simple and lines_in_parts(s.source, s.library, identifier(s.script.functions[function].name, "train"), training, part)
    return "\n".join(named or ("# by hand:", *written, *_in_parts(s, plan, function, part, arguments)))


def _are_numbers(graph: FunctionGraph) -> bool:
    """Whether a function returns only numbers."""
    return all(graph.variables[v].type.shape == () for v in graph.outputs[: graph.n_returned])


def _in_parts(s: ScriptSubject, plan: BatchPlan, function: int, part: int, arguments: Mapping[int, str]) -> Iterator[str]:
    """Yields the same in general names, for a script whose text does not show its own."""
    lib, times, site = s.library, plan.batch // part, s.script.functions[function].site
    cost, params = (named_there(s.source, site, name) for name in (cost_of(s.source), _parameters(s)))
    axes = {a.variable: a for a in plan.axes if isinstance(a, ArgumentAxis) and a.function == function}
    values = {v: f"{a}_batch" if v in axes else f"{a}_value" for v, a in arguments.items()}
    rows = ", ".join(_rows_of(n, axes[v], "part") if v in axes else n for v, n in values.items())
    if params != "params":
        yield f"params = {params}"
    yield f"grads = {lib}.{'tensor.grad' if lib == 'pytensor' else 'grad'}({cost}, params)"
    yield f"# {', '.join(values.values())}: what {remark(s.script.functions[function].name)} is called with now ({plan.batch} rows)"
    yield f"sums = [{lib}.shared(p.get_value() * 0) for p in params]"
    yield f"more = [(s, s + g{'' if plan.cost == SUM else f' / {times}'}) for s, g in zip(sums, grads)]"
    yield f"add = {lib}.function([{', '.join(arguments.values())}], {cost}, updates=more)"
    yield "# rule(params, sums): the old updates, with sums in place of gradients"
    yield "zero = [(s, s * 0) for s in sums]"
    yield f"step = {lib}.function([], [], updates=rule(params, sums) + zero)"
    yield from _several({v: f"{a}_batch" for v, a in arguments.items()}, axes)
    yield f"for k in range({times}):\n    part = slice(k * {part}, (k + 1) * {part})\n    add({rows})\nstep()"


def _written_rows(s: ScriptSubject, plan: BatchPlan, function: int, part: int) -> Iterator[str]:
    """Yields the line that changes the number of rows in the graph, where it is written there: `zeros((128, 512))`."""
    graph = s.script.functions[function].graph
    if written_lengths(graph, plan.batch, part, multiples=True) or is_written_inside(graph, plan.batch):
        own = setting(s.source, plan.batch, part, BATCH)
        yield f"{own}  # was {plan.batch}: rows in the graph" if own else f"# where the graph has {plan.batch} rows, write {part}"


def _parameters(s: ScriptSubject) -> str:
    """The list of variables whose gradients the script takes, as an expression; `params` if its text does not show it."""
    text = parameters_of(s.source) or "params"
    return f"[{text}]" if any(text in (v.name, v.expression) for v in s.script.shared.values()) else text


_WAYS = {
    CutKind.ROWS: "rows",
    CutKind.OUTPUT: "columns, the results concatenated",
    CutKind.INNER: "rows, the results added",
    CutKind.PARTS: "rows, the results joined",
}


@rule(
    "TD305",
    "chunks",
    fires=lambda: subject(data_script(50_000, 500), device(8_000_000)),
    silent=lambda: subject(trained_script(8192, 200), device(12_000_000)),
)
def chunks(s: ScriptSubject) -> Iterator[Finding]:
    """TD305: a large shared variable can be loaded in chunks

    What it finds
        Finds large shared variables that can be loaded in chunks, in a script that does not fit. These are variables of which functions
        read only slices or rows (data, untrained embeddings), and variables that are factors of products and never updated (weights). The
        finding also gives the largest chunk with which everything fits, as a multiple of the rows that a call reads. theanodiag finds this
        chunk by simulation.

        The rule also splits data that a function reads as a whole, such as a validation set, if all variables with the same number of rows
        can be split: you then call the function for each part. The rule does not split such data if the result for all rows cannot be
        computed from the results of the parts. Examples are the distance to the
        nearest of all rows, a matrix with a value for each pair of rows, and the root of a mean.

    Why it matters
        A data set on the device saves a copy for each batch. A chunk on the device saves nearly as many copies, and takes less memory.

    Example
        With `data_x and data_y in 4 chunks of 16000 of 50000 rows`, an epoch copies 407 MB in 4 copies of each variable, instead of 383 MB
        in 100.

    What to do
        Use the loop in the suggested code, which needs only numpy. If theanodiag is installed in the framework's environment, you can use
        `theanodiag.ChunkedShared` instead, which can also shuffle the rows in each epoch.

        All chunks must have the same shape: `set_value` with the same shape writes in place, but with another shape it needs memory for the
        old and the new value at once. The last chunk therefore overlaps the previous one, and the loop skips the batches that both contain.
        (`ChunkedShared` pads the last chunk instead, and knows which rows are valid.)

    Limits
        The simulation does not change the sizes of other variables. If a function reads a variable through an unsupported op, the rule
        assumes that the op reads the whole variable. TD302 lists the large variables, and the notes of this finding say why a variable
        cannot be split. The time of the copies is estimated as the bytes divided by the bandwidth of the bus, plus 20 microseconds for each
        copy.
    """
    plan = s.advice.chunks
    if not isinstance(plan, ChunkPlan):
        return
    message = f"{'; '.join(chunks_in_words(s, c) for c in plan.chunks)}: {change(s, plan.after)}"
    fix = Fix("cut the data into chunks", code=code(s.script, plan, s.library, s.source))
    first = plan.chunks[0].cut.shared[0]
    sure = confidence_of(s.process, plan.after)
    place = s.place(s.script.shared[first].site, s.script.shared[first].name)
    notes, cost = tuple(_notes(s, plan)), chunk_cost(s, plan)
    yield Finding("TD305", severity(s), sure, message, place, fix, figures(plan.after), saving(s, plan.after), notes, cost=cost)


def chunk_cost(s: ScriptSubject, plan: ChunkPlan) -> Cost:
    """Returns the cost of chunks: the time of the copies. Functions with updates also train differently: those that read all rows at once
    train on each part, and those that read rows by their numbers get rows in another order.
    """
    bus = s.device.bus_bytes_per_second
    work = "" if bus else "chunks are copied in each epoch"
    parts = [c.cut.axes for c in plan.chunks if c.cut.way is CutKind.PARTS]
    joined = all(all_joined(WhatIf(s.script), axes) for axes in parts)
    learns = any(_learn_by_parts(s, plan)) or any(_learns_by_numbers(s, c) for c in plan.chunks if c.cut.way is CutKind.ROWS)
    results = Results.TRAINED_OTHERWISE if learns else Results.SAME if joined else Results.FEWER_ROWS
    return Cost(results, plan.seconds(bus)[0] if bus else 0.0, work)


def chunks_in_words(s: ScriptSubject, c: Chunks) -> str:
    """Returns the chunks as text: `data_x and data_y in 4 chunks of 16000 of 50000 rows`."""
    names = " and ".join(dict.fromkeys(s.script.shared[i].label for i in c.cut.shared))
    others = [a for a in c.cut.axes if not (isinstance(a, SharedAxis) and a.shared in c.cut.shared)]
    more = " (and the arrays cut with it)" if others else ""
    return f"{names}{more} in {c.loads} chunks of {c.chunk} of {c.cut.rows} {_WAYS[c.cut.way]}"


def _notes(s: ScriptSubject, plan: ChunkPlan) -> Iterator[str]:
    for c in plan.chunks:
        rest = c.cut.rows % c.chunk
        yield f"a chunk is {format_bytes(c.chunk_bytes)}; {c.loads} loads an epoch copy {format_bytes(c.moved_bytes)}"
        if rest:
            yield f"the last chunk has only {rest} rows: pad it, or let it overlap the previous one"
    bus = s.device.bus_bytes_per_second
    if bus:
        chunks, fed = plan.seconds(bus)
        yield f"copying takes {chunks:.3g} s an epoch; with every batch as an argument {fed:.3g} s"
    if any(c.cut.way is CutKind.PARTS for c in plan.chunks):
        yield from _together(s, plan)
    yield from (f"{name} cannot be cut: {why}" for name, why in plan.refused)


def _together(s: ScriptSubject, plan: ChunkPlan) -> Iterator[str]:
    """Yields notes on how the results of parts are joined, and which functions train on each part."""
    yield "join results that have rows; weigh means by rows; count a penalty once"
    for f in _learn_by_parts(s, plan):
        yield f"{f.name} then trains on each part separately, as with batches"


def _learn_by_parts(s: ScriptSubject, plan: ChunkPlan) -> Iterator[CompiledFunction]:
    """Yields the functions that read all rows of a variable that is cut, and update something."""
    cut = {i for c in plan.chunks if c.cut.way is CutKind.PARTS for i in c.cut.shared}
    for f in s.script.functions:
        if any(i.shared in cut for i in f.graph.inputs) and any(i.update is not None for i in f.graph.inputs):
            yield f


def _learns_by_numbers(s: ScriptSubject, c: Chunks) -> bool:
    """Whether a function that trains is told the numbers of the rows that it reads, which may be any of all rows."""
    reader = find_reader(s.script, c)
    trains = any(i.update is not None for i in reader.graph.inputs)
    return trains and any(kind is Argument.NUMBERS for _, _, kind in arguments_of(s.script, c, reader))


@rule(
    "TD306",
    "grow",
    fires=lambda: subject(larger_value_script(2000, 2500), device(36_000_000)),
    silent=lambda: subject(larger_value_script(1000, 2000), device(80_000_000)),
)
def grow(s: ScriptSubject) -> Iterator[Finding]:
    """TD306: the old value of a growing shared variable can be freed first

    What it finds
        Finds a shared variable that grows, by an update or by `set_value`, in a script that does not fit. The rule reports the variable if
        the script would fit after one of two changes: setting the variable to an empty array first, or creating it with its final size.

    Why it matters
        The new value is allocated before the old one is freed, so both exist at the same time. libgpuarray's cache keeps the block of the
        old value, but that block is too small for the new value unless it is adjacent to other free memory.

    Example
        W grows from 6000 x 6000 to 10000 x 10000: the device must hold 144 MB and 400 MB at once.

    What to do
        Set the variable to an array of size 0, then to the new value, as the suggested code shows. First copy values that you must keep to
        the host, with `get_value`.

        If the freed block in libgpuarray's cache is too small for the new value, set `gpuarray.preallocate=-1`: it turns the cache off, and
        the block returns to the driver. If that is not sufficient, allocate the final size at the start and write parts of it. Functions
        that read a variable of the final size must know which rows are written.

    Limits
        If an update computes the new value on the device, the simulation assumes that the host computes it instead.
    """
    plan = s.advice.growth
    if plan is None:
        return
    variable, last = s.script.shared[plan.shared], plan.steps[-1]
    name = variable.label
    how = "freed first" if plan.way is GrowthKind.FREE_FIRST else "with its last size from the start"
    how += ", without the allocation cache" if plan.no_cache else ""
    both = f"{format_bytes(last.old)} and {format_bytes(last.new)} at once"
    message = f"{name} grows by {_by(last)}, {both}; {how}, the script fits: {change(s, plan.after)}"
    notes = tuple(f"{format_bytes(g.old)} to {format_bytes(g.new)}, by {_by(g)}" for g in plan.steps[:8])
    fix = Fix(plan.way.value, code=grow_code(s, plan))
    sure, gained, place = confidence_of(s.process, plan.after), saving(s, plan.after), s.place(variable.site, name)
    work = (_KEPT if plan.way is GrowthKind.FREE_FIRST else _PARTLY, _SLOW * plan.no_cache)
    cost = Cost(work="; ".join(filter(None, work)))
    yield Finding("TD306", severity(s), sure, message, place, fix, figures(plan.after), gained, notes, cost=cost)


_KEPT = "the value is kept on the host in the meantime"
_PARTLY = "functions have to be limited to the rows that are written"
_SLOW = "each array is a request to the driver, which stops the device"


def _by(growth: Enlargement) -> str:
    return "an update" if growth.updated else "set_value"


def grow_code(s: ScriptSubject, plan: GrowthPlan) -> str:
    """Returns code to paste for the plan of a growing variable: the script's statements that set it, with the old value freed first."""
    variable = s.script.shared[plan.shared]
    kind, name = variable.type, outside(s.source, variable.expression or identifier(variable.name, f"shared_{plan.shared}"))
    flag = [f"# with {s.flags_variable.line('gpuarray.preallocate=-1')}"] if plan.no_cache else []
    if plan.way is GrowthKind.AT_ONCE:
        shape = ", ".join(str(n) for n in plan.steps[-1].shape)
        made = f"# by hand: where {name} is created, then write parts of it, and let functions read only those:"
        return "\n".join((*flag, made, f'numpy.zeros(({shape},), "{kind.dtype}")'))
    empty = ", ".join(["0"] * kind.ndim) + ("," if kind.ndim == 1 else "")
    text = f'.set_value(numpy.zeros(({empty}), "{kind.dtype}"))  # frees the old value'
    found = s.source and written_growth(s.source, list(_growing(s, plan)), variable.expression or name, text)
    if found:
        return "\n".join((*flag, *found))
    if plan.function is not None:
        how = f"# by hand: before each call of {called_as(s.source, identifier(plan.function, 'function'))} that makes it larger"
        return "\n".join((*flag, how, name + text))
    made = f"value = grown({name}.get_value())  # by hand: the new value, made on the host"
    return "\n".join((*flag, made, name + text, f"{name}.set_value(value)"))


def _growing(s: ScriptSubject, plan: GrowthPlan) -> Iterator[Growing]:
    """Yields the statements at which a variable grows, each once."""
    seen = set()
    for step in plan.steps:
        event = s.script.events[step.event]
        site = event.site if isinstance(event, (SetValue, Call)) else None
        if site in seen:
            continue
        seen.add(site)
        function = s.script.functions[event.function] if isinstance(event, Call) else None
        called, compiled = (None, None) if function is None else (identifier(function.name, "function"), function.site)
        yield Growing(site, called, compiled, plan.function is None)

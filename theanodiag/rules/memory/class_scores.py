"""TD3: scores of many classes: a vocabulary's softmax, one-hot targets."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ...findings import Confidence, Cost, Finding, Fix, Results, identifier
from ...ir import GraphInput, Op, Role, ShapeTable
from ...ir.builder import GraphBuilder, on_device
from ...memory.profile import ProcessProfile
from ...memory.script import Script
from ...memory.settings import MemorySettings
from ...memory.simulate import simulate_figures
from ...plans.calling import changed_arguments, changed_calls, changed_declaration, uses_of
from ...plans.compiling import find_compiling
from ...plans.graphs.class_scores import (
    SAMPLE,
    OneHotTargets,
    WideSoftmax,
    as_numbers,
    find_one_hot,
    find_softmaxes,
    upper_bound,
)
from ...plans.resize import argument_name
from ...plans.source_changes import argument_of, calls_of, reduction_of
from ..base import rule
from ..examples import built, device, subject
from ..impact import can_pay, change, confidence, figures, is_significant, saving, severity
from ..subject import ScriptSubject

F = TypeVar("F")
"""Type of the object that a search finds."""

WITH_NNET = ("theano",)
"""Libraries that have `tensor.nnet`; others have `tensor.special`."""


def _losses_code(library: str, p: str, y: str) -> str:
    """The cross-entropy of each row of a softmax `p`, an expression, with the numbers `y` of the right classes, as an expression.

    Theano fuses `categorical_crossentropy` of a softmax into one Op on the device, which has two arrays of all scores at a time; of
    `-log(p)[arange(y.size), y]` without a bias it makes a LogSoftmax on the host beside the softmax, and has three.
    Source: Theano 1.0.5, tensor/nnet/nnet.py (`local_softmax_with_bias`, `crossentropy_to_crossentropy_with_softmax_with_bias`).
    """
    module = f"{library}.tensor"
    if library in WITH_NNET:
        return f"{module}.nnet.categorical_crossentropy({p}, {y})"
    return f"-{module}.log({p})[{module}.arange({y}.shape[0]), {y}]"


CROSSENTROPY = "categorical_crossentropy"


def _multiplied(source: str, weights: str) -> str | None:
    """The expression that the source multiplies by these weights; None unless there is one."""
    factors = {ast.unparse(c.args[0]) for c in calls_of(source, "dot") if len(c.args) == 2 and ast.unparse(c.args[1]) == weights}
    return factors.pop() if len(factors) == 1 else None


@rule(
    "TD328",
    "wide-softmax",
    fires=lambda: _language_model(),
    silent=lambda: _language_model(trains=False),
)
def wide_softmax(s: ScriptSubject) -> Iterator[Finding]:
    """TD328: a softmax over a large vocabulary

    What it finds
        Finds a function that trains with a softmax over thousands of classes. The finding gives the memory that the script needs if only
        the words of the batch and 1000 sampled words are scored.

    Why it matters
        Each row of scores has an entry for each word of the vocabulary. With 1600 rows and 900 000 words the scores take 5.5 GiB, and their
        gradient takes another 5.5 GiB.

    Example
        The finding says `train scores 924547 classes in 1600 rows; with the 2600 of the batch and of a sample: at most 3.1 GiB instead of
        17.9 GiB`.

    What to do
        In training, score only the words of the batch and a sample of the others (a sampled softmax); score all words only if you need
        probabilities. You can also drop rare words, or group the words into classes (a hierarchical softmax with two levels, each about as
        wide as the square root of the number of words).

    Limits
        Training with a sample is an approximation. The figure is an upper bound: it includes all weights and all of their gradients, and
        the sampled columns as additional arrays. The rule reports nothing for fewer than 5000 classes, or for functions without updates.
    """
    for softmax, after in _paying(s, find_softmaxes, upper_bound, trains=True):
        yield _wide_softmax_finding(s, softmax, after)


def _paying(
    s: ScriptSubject,
    find: Callable[[Script, int, ShapeTable], Iterator[F]],
    without: Callable[[Script, F, MemorySettings], ProcessProfile],
    *,
    trains: bool = False,
) -> Iterator[tuple[F, ProcessProfile]]:
    """Yields (candidate of `find`, simulation `without` it) where that saves enough to report.

    `trains`: only in functions that update something.
    """
    for function, profile in s.profiled() if can_pay(s) else []:
        if trains and not any(i.update is not None for i in function.graph.inputs):
            continue
        for candidate in find(s.script, function.index, s.shapes_at_peak(function, profile)):
            after = without(s.script, candidate, s.settings)
            if is_significant(s, after):
                yield candidate, after


def _wide_softmax_finding(s: ScriptSubject, softmax: WideSoftmax, after: ProcessProfile) -> Finding:
    function = s.script.functions[softmax.function]
    message = (
        f"{function.name} scores {softmax.classes} classes in {softmax.rows} rows; with the {softmax.scored} of the batch and of a sample: "
        f"at most {change(s, after)}"
    )
    site = function.graph.variables[softmax.variable].site or function.site
    fix = Fix("a sampled softmax for training", code="\n".join(_wide_softmax_code(s, softmax)))
    sure = min(confidence(s), Confidence.BOUNDED)
    done = figures(after)
    notes = ("the results are an approximation",)
    return Finding(
        "TD328",
        severity(s),
        sure,
        message,
        s.place(site, function.name),
        fix,
        done,
        saving(s, after),
        notes,
        cost=Cost(Results.APPROXIMATE),
    )


def _wide_softmax_code(s: ScriptSubject, softmax: WideSoftmax) -> Iterator[str]:
    """Lines to paste, with the names of the weights."""
    graph, table = s.script.functions[softmax.function].graph, s.script.calls(softmax.function)[0].shapes
    wide = [
        i for i in graph.inputs if i.shared is not None and isinstance(k := table.shape(i.variable), tuple) and k[-1:] == (softmax.classes,)
    ]
    matrix = next((i for i in wide if graph.variables[i.variable].type.ndim == 2), None)
    bias = next((i for i in wide if graph.variables[i.variable].type.ndim == 1), None)
    weights = _reference(s, matrix, "W")
    module, h, targets = f"{s.library}.tensor", _multiplied(s.source, weights), argument_of(s.source, CROSSENTROPY, 1)
    added = f" + {_reference(s, bias, 'b')}[words]" if bias else ""
    one_hot = next(find_one_hot(s.script, softmax.function, table), None)
    y = f"{targets}{'.argmax(-1)' if one_hot else ''}" if targets else "right_words"
    h = f"{h}.reshape((-1, {weights}.shape[0]))" if h and not targets else h
    right = "" if targets else "  # right_words: the numbers of the right words"
    rows_of = "" if h else "  # h: what the softmax gets its rows from, as a matrix"
    if s.library in WITH_NNET:  # which draws numbers without another argument of the function
        draw = f"{module}.shared_randomstreams.RandomStreams().random_integers(({SAMPLE},), 0, {softmax.classes - 1})"
        yield f'noise = {module}.cast({draw}, "int32")  # other words for each batch'
    else:
        yield f'noise = {module}.ivector("noise")  # {SAMPLE} numbers of words, drawn again for each batch'
    yield f"words = {module}.concatenate([{_flat(y)}, noise]){right}"
    yield f"scores = {module}.dot({h or 'h'}, {weights}[:, words]){added}{rows_of}"
    rows = f"{module}.arange({_flat(y)}.size)"
    total = reduction_of(s.source, CROSSENTROPY) or "mean"
    if s.library in WITH_NNET:
        arguments = [f"{module}.nnet.softmax(scores)", rows]
        own = changed_arguments(s.source, CROSSENTROPY, arguments) if targets else None
        yield own or f"cost = {module}.nnet.categorical_crossentropy({', '.join(arguments)}).{total}()"
    else:
        yield f"cost = -{module}.special.log_softmax(scores, axis=-1)[{rows}, {rows}].{total}()"


def _reference(s: ScriptSubject, entry: GraphInput | None, otherwise: str) -> str:
    """The expression by which the script refers to a shared variable."""
    variable = None if entry is None or entry.shared is None else s.script.shared[entry.shared]
    return otherwise if variable is None else variable.expression or identifier(variable.name, otherwise)


def _flat(y: str) -> str:
    """Targets as a vector."""
    return f"{y.removesuffix('.flatten()')}.flatten()"


def _language_model(trains: bool = True) -> ScriptSubject:
    """A softmax of 400 rows over 100 000 words; `trains`: whether the weights are updated."""
    b, words = GraphBuilder("train"), 100_000
    h, w = b.argument("h", on_device(400, 50)), b.shared("W", on_device(50, words))
    p = b.apply(Op("GpuSoftmax", "GpuSoftmax"), [b.apply(Op("GpuDot22", "GpuDot22"), [h, w], on_device(400, words))], on_device(400, words))
    cost = b.apply(Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}"), [p], on_device())
    if trains:
        b.update(w, b.apply(Op("GpuElemwise", "GpuElemwise{mul}[(0, 0)]", destroy_map={0: (0,)}), [w, cost], on_device(50, words)))
    return subject(built(b, cost), device(80_000_000_000))


@rule(
    "TD334",
    "one-hot-targets",
    fires=lambda: _classifier(True),
    silent=lambda: _classifier(False),
)
def one_hot_targets(s: ScriptSubject) -> Iterator[Finding]:
    """TD334: targets are one-hot rows instead of class numbers

    What it finds
        Finds one-hot targets: an array with one row for each example (or for each word of each sentence), which a function reads only in
        the cost, together with a softmax of the same width. theanodiag simulates the script with a class number in place of each row.

    Why it matters
        For 8000 rows and 5000 classes, one-hot targets in float32 take 152 MiB, and class numbers take 31 KiB. The one-hot targets of a
        batch are as large as the scores. Theano has no fused gradient for one-hot targets, so it creates another array of the same size.

    Example
        The finding says `train: targets has 5000 columns for one class in each row; as numbers: at most 25.2 MiB instead of 177.7 MiB`.

    What to do
        Pass class numbers, `y.argmax(1).astype("int32")` of the rows, and use an `ivector` instead of the matrix;
        `categorical_crossentropy` accepts both. In Keras: `loss="sparse_categorical_crossentropy"`.

    Limits
        The rule does not apply to squared errors and binary cross-entropies. The rule does not check values: if the rows are probabilities
        (soft labels), keep them. The figure is an upper bound, because the simulation does not shrink other values that are computed from
        the rows. Source: Theano 1.0.5, tensor/nnet/nnet.py (`categorical_crossentropy`).
    """
    for targets, after in _paying(
        s, find_one_hot, lambda script, targets, settings: simulate_figures(as_numbers(script, targets), settings)
    ):
        yield _one_hot_finding(s, targets, after)


def _one_hot_finding(s: ScriptSubject, targets: OneHotTargets, after: ProcessProfile) -> Finding:
    function = s.script.functions[targets.function]
    name = argument_name(s.script, targets.function, targets.input) if targets.shared is None else s.script.shared[targets.shared].label
    message = f"{function.name}: {name} has {targets.classes} columns for one class in each row; as numbers: at most {change(s, after)}"
    fix = Fix("class numbers instead of one-hot rows", code="\n".join(_one_hot_code(s, targets, name)))
    site = function.graph.variables[targets.input].site if targets.shared is None else s.script.shared[targets.shared].site
    sure, done = min(confidence(s), Confidence.BOUNDED), figures(after)
    by_name = argument_of(s.source, CROSSENTROPY, 0) is not None
    all_scores = f"a mean over all {targets.classes} columns of all rows is the mean of the losses of the rows divided by {targets.classes}"
    notes = ("if rows are probabilities, keep them", *(() if by_name else (all_scores,)))
    place, cost = s.place(site or function.site, function.name), Cost(Results.ROUNDED)
    return Finding("TD334", severity(s), sure, message, place, fix, done, saving(s, after), notes, cost=cost)


def _one_hot_code(s: ScriptSubject, targets: OneHotTargets, name: str) -> Iterator[str]:
    """Lines to paste, with the names of the targets and of the softmax."""
    y, p = identifier(name, "y"), argument_of(s.source, CROSSENTROPY, 0)
    ndim = s.script.functions[targets.function].graph.variables[targets.input].type.ndim
    own = _one_hot_statements(s, targets) if ndim == 2 and targets.shared is None else None
    if own is not None:
        yield from own
        return
    numbers = f'rows.argmax({"1" if ndim == 2 else "-1"}).astype("int32")'
    if targets.shared is None:
        kind = {2: "ivector", 3: "imatrix"}.get(ndim, f"itensor{ndim - 1}")
        yield f'{y} = {s.library}.tensor.{kind}("{y}")  # and call with {numbers}, rows: what was given'
    else:
        yield f'{y} = {s.library}.shared({numbers}, name="{y}")  # rows: what was given'
    meant = f"{'' if p else 'p: the softmax, '}{y}: of the batch"
    yield "# the losses of the rows, in place of their sums over the classes; means, sums, weights and penalties stay as they are"
    yield f"losses = {_losses_code(s.library, p or 'p', y if ndim == 2 else _flat(y))}  # {meant}"


def _one_hot_statements(s: ScriptSubject, targets: OneHotTargets) -> list[str] | None:
    """The script's statements that declare the targets and call the function, with class numbers; None if they do not show all of it.

    The fused cross-entropy takes numbers as it takes rows: nothing else may read the targets.
    """
    function = s.script.functions[targets.function]
    ids = [i.variable for i in function.graph.inputs if i.role is Role.ARGUMENT]
    compiling, position = find_compiling(s.source, function.site), ids.index(targets.input)
    if compiling is None or len(compiling.inputs) != len(ids) or s.library not in WITH_NNET:
        return None
    name = compiling.inputs[position]
    declared = changed_declaration(s.source, name, {"matrix": "ivector", "fmatrix": "ivector", "dmatrix": "ivector"})
    sites = list(dict.fromkeys(c.site for c in s.script.calls(function.index) if c.site is not None and not c.assumed))

    def numbered(own: Sequence[ast.expr]) -> list[ast.expr] | None:
        if position >= len(own):
            return None
        rows = ast.parse(f'({ast.unparse(own[position])}).argmax(axis=1).astype("int32")', mode="eval").body
        return [rows if k == position else e for k, e in enumerate(own)]

    calls = changed_calls(s.source, identifier(function.name, "function"), sites, numbered) if sites else None
    alone = argument_of(s.source, CROSSENTROPY, 1) == name and len(calls_of(s.source, CROSSENTROPY)) == 1 and uses_of(s.source, name) == 2
    return [declared, *calls] if declared is not None and calls is not None and alone else None


def _classifier(one_hot: bool) -> ScriptSubject:
    """A cost of 1000 scored rows and a matrix of the same shape, or a matrix that is multiplied."""
    b = GraphBuilder("train")
    h, w, y = b.argument("h", on_device(1000, 50)), b.shared("W", on_device(50, 20_000)), b.argument("y", on_device(1000, 20_000))
    scores = b.apply(Op("GpuDot22", "GpuDot22"), [h, w], on_device(1000, 20_000))
    p = b.apply(Op("GpuSoftmax", "GpuSoftmax"), [scores], on_device(1000, 20_000))
    if one_hot:
        times = Op("GpuElemwise", "GpuElemwise{Mul}[(0, 1)]", params={"scalar_op": "Mul"}, destroy_map={0: (1,)})
        cost = b.apply(Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}"), [b.apply(times, [y, p], on_device(1000, 20_000))], on_device())
    else:
        turned = b.apply(Op("GpuDimShuffle", "GpuDimShuffle{1,0}", view_map={0: (0,)}), [p], on_device(20_000, 1000))
        cost = b.apply(Op("GpuDot22", "GpuDot22"), [y, turned], on_device(1000, 1000))
    return subject(built(b, cost), device(80_000_000_000))

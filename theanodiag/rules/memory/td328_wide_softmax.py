"""TD328: a softmax over a large vocabulary

What it finds
    A function that trains with a softmax over thousands of classes, and what the script needs if only the words of the batch and 1000
    others are scored.

Why it matters
    A row of scores has an entry for each word: 1600 words of text and a vocabulary of 900 000 are 5.5 GiB, and their gradient as much
    again.

Example
    `the scores of 1600 rows over 924547 classes, with those of 2600: 3.1 GiB instead of 17.9 GiB`.

What to do
    Score the words of the batch and a sample of the others (a sampled softmax) in training, and all words only where probabilities are
    asked for. Or give words classes (a hierarchical softmax: two levels of about the square root of their number), or leave rare words out.

Limits
    The results are an approximation. Weights and their gradients are taken as whole, and the columns that are read as arrays beside them,
    so the figure is an upper bound. Silent for fewer than 5000 classes, and for functions that update nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...findings import Confidence, Cost, Finding, Fix, Results, identifier
from ...ir import Op
from ...ir.builder import GraphBuilder, on_device
from ...memory.profile import ProcessProfile
from ...plans.graphs.wide_softmax import SAMPLE, WideSoftmax, find_softmaxes, upper_bound
from ..base import Rule
from ..examples import built, device, subject
from ..impact import can_pay, change, confidence, figures, is_significant, saving, severity
from ..subject import ScriptSubject


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each function that trains with such a softmax."""
    for function, profile in s.profiled() if can_pay(s) else []:
        if not any(i.update is not None for i in function.graph.inputs):
            continue
        for found in find_softmaxes(s.script, function.index, s.shapes_at_peak(function, profile)):
            after = upper_bound(s.script, found, s.settings)
            if is_significant(s, after):
                yield _finding(s, found, after)


def _finding(s: ScriptSubject, found: WideSoftmax, after: ProcessProfile) -> Finding:
    function = s.script.functions[found.function]
    message = (
        f"{function.name} scores {found.classes} classes in {found.rows} rows; with the {found.scored} of the batch and of a sample: "
        f"at most {change(s, after)}"
    )
    site = function.graph.variables[found.variable].site or function.site
    fix = Fix("a sampled softmax for training", code="\n".join(_code(s, found)))
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


def _code(s: ScriptSubject, found: WideSoftmax) -> Iterator[str]:
    """Lines to paste, with the names of the weights."""
    graph, table = s.script.functions[found.function].graph, s.script.calls(found.function)[0].shapes
    wide = [
        i for i in graph.inputs if i.shared is not None and isinstance(k := table.shape(i.variable), tuple) and k[-1:] == (found.classes,)
    ]
    matrix = next((i for i in wide if graph.variables[i.variable].type.ndim == 2), None)
    bias = next((i for i in wide if graph.variables[i.variable].type.ndim == 1), None)
    weights = identifier(graph.variables[matrix.variable].name, "W") if matrix else "W"
    module = f"{s.library}.tensor"
    added = f" + {identifier(graph.variables[bias.variable].name, 'b')}[words]" if bias else ""
    yield f'noise = {module}.ivector("noise")  # {SAMPLE} numbers of words, drawn anew for each batch'
    yield f"words = {module}.concatenate([y.flatten(), noise])  # y: the right words"
    yield f"scores = {module}.dot(h, {weights}[:, words]){added}  # h: what the softmax gets its rows from"
    rows = f"{module}.arange(y.size)"
    if s.library == "pytensor":
        yield f"cost = -{module}.special.log_softmax(scores, axis=-1)[{rows}, {rows}].mean()"
    else:
        yield f"cost = {module}.nnet.categorical_crossentropy({module}.nnet.softmax(scores), {rows}).mean()"


def _language_model(words: int, trains: bool = True) -> ScriptSubject:
    """The softmax of 400 rows over so many words, with weights that are updated or not."""
    b = GraphBuilder("train")
    h, w = b.argument("h", on_device(400, 50)), b.shared("W", on_device(50, words))
    p = b.apply(Op("GpuSoftmax", "GpuSoftmax"), [b.apply(Op("GpuDot22", "GpuDot22"), [h, w], on_device(400, words))], on_device(400, words))
    cost = b.apply(Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}"), [p], on_device())
    if trains:
        b.update(w, b.apply(Op("GpuElemwise", "GpuElemwise{mul}[(0, 0)]", destroy_map={0: (0,)}), [w, cost], on_device(50, words)))
    return subject(built(b, cost), device(80_000_000_000))


RULE = Rule(
    "TD328",
    "wide-softmax",
    check,
    __doc__,
    fires=lambda: _language_model(100_000),
    silent=lambda: _language_model(100_000, trains=False),
)

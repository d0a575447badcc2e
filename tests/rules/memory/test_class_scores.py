"""Rules about scores of many classes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.plans.judge import SCRIPTS, ran, reported
from tests.rules.scripts import BY_CODE, only
from theanodiag.ir import Op, Site
from theanodiag.ir.builder import GraphBuilder, on_device, tensor
from theanodiag.memory.script import Call
from theanodiag.rules.examples import built, device, subject
from theanodiag.rules.subject import ScriptSubject
from theanodiag.units import GIB, MIB

# TD328: what a sampled softmax needs, beside the real thing.


def test_a_sample_beside_the_real_thing(tmp_path: Path) -> None:
    """Weights and their gradients are whole in both: the figure is an upper bound, by little, and far below the 2 x 160 MB of scores."""
    report = reported("language_model", "floatX=float32", 250 * MIB)
    assert report.process.fits is False
    found = next(f for f in report.findings if f.code == "TD328")
    assert "scores 50000 classes in 800 rows; with the 1800 of the batch and of a sample" in found.message
    assert found.cures
    assert found.after is not None
    assert found.fix is not None
    assert "scores = T.dot(h, W[:, words]) + b[words]" in str(found.fix.code)
    text = (SCRIPTS / "language_model.py").read_text(encoding="utf-8").replace("by_sample = False", "by_sample = True")
    script = tmp_path / "sampled.py"
    script.write_text(text, encoding="utf-8")
    real = ran(tmp_path, script, "floatX=float32", 2 * GIB)
    assert real.fits, real.error
    assert real.reserved <= found.after.reserved_bytes < 2 * real.reserved
    assert [f.code for f in report.findings if f.cures][:2] == ["TD303", "TD328"]  # after a smaller batch: it is an approximation


def test_the_sample_is_in_the_script_s_own_cost() -> None:
    """Drawn within the function, which is called as before; the cost that the text differentiates is made of it."""
    text = "h = relu(x)\nnll = CE(softmax(T.dot(h, W)), y)\nf = theano.function([x, y], nll)".replace("CE", "categorical_crossentropy")
    code = str(only("TD328", replace(BY_CODE["TD328"].fires(), source=text)).fix.code).splitlines()  # type: ignore[union-attr]
    assert "RandomStreams().random_integers((1000,), 0, 99999)" in code[0]
    assert code[1:] == [
        "words = theano.tensor.concatenate([y.flatten(), noise])",
        "scores = theano.tensor.dot(h, W[:, words])",
        "nll = categorical_crossentropy(theano.tensor.nnet.softmax(scores), theano.tensor.arange(y.flatten().size))  # line 2",
    ]
    bare = str(only("TD328", BY_CODE["TD328"].fires()).fix.code)  # type: ignore[union-attr]
    assert "concatenate([right_words.flatten(), noise])  # right_words: the numbers of the right words" in bare


# TD334: what a script needs with class numbers instead of one-hot rows.

ROWS = 1000 * 20_000 * 4
"""Bytes of the targets, and of the scores beside them."""


def example(in_place_of: int) -> ScriptSubject:
    """The rule's example, whose product of targets (0) and softmax (1) is written over one of them."""
    script = BY_CODE["TD334"].fires().script
    graph = script.functions[0].graph
    applies = tuple(
        replace(n, op=replace(n.op, destroy_map={0: (in_place_of,)})) if n.op.name == "GpuElemwise" else n for n in graph.applies
    )
    function = replace(script.functions[0], graph=replace(graph, applies=applies))
    return subject(replace(script, functions=(function,)), device(80_000_000_000))


def test_the_rows_go() -> None:
    """All but a number for each, which take 4032 bytes, a multiple of 64."""
    s = example(1)
    found = only("TD334", s)
    assert found.after is not None
    assert s.process.live_peak_bytes - found.after.live_peak_bytes == ROWS - 4032


def test_what_was_written_over_them_stays() -> None:
    """The product of targets and softmax has to be somewhere: where it took their place, nothing is gained by it."""
    s = example(0)
    found = list(BY_CODE["TD334"].check(s))
    assert all(f.after is not None and f.after.live_peak_bytes >= 2 * ROWS for f in found)


@pytest.mark.parametrize("text", ["GpuElemwise{Composite{sqr((i0 - i1))}}[(0, 0)]", "GpuElemwise{Composite{Abs((i0 - i1))}}[(0, 0)]"])
def test_a_distance_is_no_cross_entropy(text: str) -> None:
    """The code to paste would train another cost, and a class number is no factor of a squared error."""
    script = BY_CODE["TD334"].fires().script
    graph = script.functions[0].graph
    op = Op("GpuElemwise", text, params={"scalar_op": "Composite"})
    applies = tuple(replace(n, op=op) if n.op.name == "GpuElemwise" else n for n in graph.applies)
    function = replace(script.functions[0], graph=replace(graph, applies=applies))
    assert not list(BY_CODE["TD334"].check(subject(replace(script, functions=(function,)), device(80_000_000_000))))


@pytest.mark.parametrize("binary", [False, True])
def test_a_binary_cross_entropy_is_another_cost(binary: bool) -> None:
    """Of each class it has `(1 - y) * log(1 - p)` too, which a class number does not give."""
    b, rows = GraphBuilder("train"), on_device(1000, 20_000)
    h, w, y = b.argument("h", on_device(1000, 50)), b.shared("W", on_device(50, 20_000)), b.argument("y", rows)
    p = b.apply(Op("GpuSoftmax", "GpuSoftmax"), [b.apply(Op("GpuDot22", "GpuDot22"), [h, w], rows)], rows)
    one, total = b.constant(on_device(1, 1), ((1.0,),)), Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}")
    times = Op("GpuElemwise", "GpuElemwise{Mul}[(0, 1)]", params={"scalar_op": "Mul"}, destroy_map={0: (1,)})
    sums = [b.apply(total, [b.apply(times, [y, p], rows)], on_device())]
    if binary:
        others = b.apply(Op("GpuElemwise", "GpuElemwise{sub}", params={"scalar_op": "Sub"}), [one, y], rows)
        sums.append(b.apply(total, [others], on_device()))
    assert bool(list(BY_CODE["TD334"].check(subject(built(b, *sums), device(80_000_000_000))))) != binary


def test_a_mean_over_all_columns_is_told() -> None:
    """`-T.mean(y * T.log(p))` is smaller than the mean of the rows' losses by the number of classes."""
    assert any("divided by 20000" in note for note in only("TD334", sentences()).notes)


def sentences() -> ScriptSubject:
    """One-hot targets of 20 sentences of 50 words, which are compared as 1000 rows with scores of 20 000 classes."""
    b, rows = GraphBuilder("train"), on_device(1000, 20_000)
    h, w, y = b.argument("h", on_device(1000, 50)), b.shared("W", on_device(50, 20_000)), b.argument("y", on_device(20, 50, 20_000))
    p = b.apply(Op("GpuSoftmax", "GpuSoftmax"), [b.apply(Op("GpuDot22", "GpuDot22"), [h, w], rows)], rows)
    flat = b.apply(Op("GpuReshape", "GpuReshape{2}", view_map={0: (0,)}), [y, b.constant(tensor(2, dtype="int64"), (1000, 20_000))], rows)
    chosen = b.apply(Op("GpuElemwise", "GpuElemwise{Mul}[(0, 0)]", params={"scalar_op": "Mul"}, destroy_map={0: (0,)}), [flat, p], rows)
    by_row = Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}{1}", params={"scalar_op": "Add", "axis": [1]})
    return subject(built(b, b.apply(by_row, [chosen], on_device(1000))), device(80_000_000_000))


def test_sentences_have_one_number_for_each_word() -> None:
    """The targets go, and what was written over them is one score for each row: the scores and the softmax stay."""
    s = sentences()
    found = only("TD334", replace(s, source="prob = T.nnet.softmax(s)\ncost = T.nnet.categorical_crossentropy(prob, y.reshape((-1, V)))"))
    assert found.after is not None
    assert s.process.live_peak_bytes - found.after.live_peak_bytes == ROWS - 4032
    assert found.fix is not None
    assert str(found.fix.code).splitlines() == [
        'y = theano.tensor.imatrix("y")  # and call with rows.argmax(-1).astype("int32"), rows: what was given',
        "# the losses of the rows, in place of their sums over the classes; means, sums, weights and penalties stay as they are",
        "losses = theano.tensor.nnet.categorical_crossentropy(prob, y.flatten())  # y: of the batch",
    ]


ROWS_GIVEN = """x, y = T.matrix('x'), T.matrix('y')
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(x, W)), y).mean()
train = theano.function([x, y], cost)
for k in batches:
    print(train(X[k], Y[k]))
"""


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (
            ROWS_GIVEN,
            [
                "x, y = (T.matrix('x'), T.ivector('y'))  # line 1",
                "print(train(X[k], Y[k].argmax(axis=1).astype('int32')))  # line 5",
            ],
        ),
        (ROWS_GIVEN.replace("mean()", "mean() + T.sqr(y).sum()"), None),
        (ROWS_GIVEN.replace("T.matrix('y')", "matrix_of(y)"), None),
    ],
    ids=["shown", "read elsewhere", "declared elsewhere"],
)
def test_numbers_take_the_place_of_rows_in_the_statements_of_the_script(text: str, lines: list[str] | None) -> None:
    """Where it declares the targets and calls the function, if nothing else than the cross-entropy reads them."""
    s = BY_CODE["TD334"].fires()
    functions = (replace(s.script.functions[0], name="train", site=Site("m.py", 3)),)
    events = tuple(replace(e, site=Site("m.py", 5)) if isinstance(e, Call) else e for e in s.script.events)
    found = only("TD334", replace(s, script=replace(s.script, functions=functions, events=events), source=text))
    code = str(found.fix and found.fix.code).splitlines()
    assert code == lines or (lines is None and code[0].startswith('y = theano.tensor.ivector("y")'))

"""Changes of a plan in the text of a script: which texts are tried, and in which order."""

from __future__ import annotations

import pytest

from theanodiag.findings import DtypeChange, FlagChange, LengthChange
from theanodiag.ir.builder import tensor
from theanodiag.memory.script import SharedVariable
from theanodiag.plans.script_names import deletion, freeing
from theanodiag.plans.source_changes import MOST, argument_of, changed_texts, cost_of, parameters_of, reduction_of, setting

BATCH = LengthChange(128, 70)


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("n = 128\nbatch_size = 128\n", "n = 128\nbatch_size = 70\n"),
        ("B, N = 128, 4096\n", "B, N = 70, 4096\n"),
        ("f(zeros(128))\ndef train(n=128): pass\n", "f(zeros(128))\ndef train(n=70): pass\n"),
        ("parser.add_argument('-b', default=128)\n", "parser.add_argument('-b', default=70)\n"),
        ("print '128 rows', 128L  # 128\n", "print '128 rows', 70  # 128\n"),
        ('"""128"""\nx = 1280, 0.128, x128, "it\'s \\" 128", 128\n', '"""128"""\nx = 1280, 0.128, x128, "it\'s \\" 128", 70\n'),
    ],
)
def test_the_first_text(text: str, first: str) -> None:
    """What is called batch, then what has a name; no number in a text, a remark, a name or another number."""
    assert next(changed_texts(text, [BATCH])) == first


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("n = 128\nBATCHSIZE = 128\n", "BATCHSIZE = 70"),
        ("steps, batch, dim = 20, 128, 9\n", "batch = 70"),
        ("def fit(n, batch_size=128): pass\nfit(3, batch_size=128)\n", "batch_size = 70"),
        ("parser.add_argument('-b', '--batch', type=int,\n    default=128)\n", "--batch 70"),
        ("parser.add_argument('--batch', type=int)\nself.batch = 128\n", "self.batch = 70"),
        ("hp = {'lr': 0.1, 'batch_size': 128}\n", '"batch_size": 70'),
        ("hp['batch'] = 128\n", "hp['batch'] = 70"),
        ("batch = 128\nvalid_batch = 128\n", None),
        ("n = 128\ntrain(zeros(128))\n", None),
        ("batch = f(3, 128)\n", None),
        ("batch, dim, steps = 128, 9, 20\n", "batch = 70"),
        ("fit(x,\n    n, batch_size=128)\n", "batch_size = 70"),
        ("valid_size = 128\ntrain(valid_size)\n", "valid_size = 70"),
        ("fit(x,\n    n, batch_size=128, rate=0.1)\n", "batch_size = 70"),
        ("n_hidden = 128\n", None),
        ("seed = 128\n", None),
        ("n, epochs = 128, cycle(a, b)\n", None),
    ],
)
def test_the_scripts_own_name_of_a_number(text: str, named: str | None) -> None:
    """As it is written; none where no name or more than one says that it is the batch, and the number stands in more than one place."""
    assert setting(text, 128, 70, "batch") == named


def test_numbers_that_belong_together() -> None:
    """Without a name each is tried alone, then all."""
    assert list(changed_texts("f(ones((128, 9)), ones(128))\n", [BATCH])) == [
        "f(ones((70, 9)), ones(128))\n",
        "f(ones((128, 9)), ones(70))\n",
        "f(ones((70, 9)), ones(70))\n",
    ]


def test_two_batches_are_two_numbers() -> None:
    """Training and validation with rows as many: one number does not become both."""
    found = list(changed_texts("train = 128\nvalid = 128\n", [BATCH, LengthChange(128, 30)]))
    assert found == ["train = 70\nvalid = 30\n", "train = 30\nvalid = 70\n"]


def test_a_number_that_is_not_written() -> None:
    """No text, and no more than `MOST` where it is written often."""
    assert list(changed_texts("batch = 2 ** 7\n", [BATCH])) == []
    assert len(list(changed_texts("f(128)\n" * 50, [BATCH]))) <= MOST


def test_flags_alone_change_no_line() -> None:
    """The text itself."""
    assert list(changed_texts("n = 1\n", [FlagChange("floatX", "float32")])) == ["n = 1\n"]


def test_arrays_of_another_dtype() -> None:
    """Without a change first, since most follow floatX; then the array that is given, whole."""
    text = "W = theano.shared(rng.rand(3, 4) * f(1, [2, 3]),\n    name='W')\nb = shared(b0)\n"
    found = list(changed_texts(text, [DtypeChange("float32", (1, 3))]))
    after = 'W = theano.shared((rng.rand(3, 4) * f(1, [2, 3])).astype("float32"),\n    name=\'W\')\nb = shared(b0.astype("float32"))\n'
    assert found == [text, after]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("g = T.grad(loss, params)", "loss"),
        ("theano.grad(\n    loss +\n  L2, p); grad(loss + L2, q)", "loss + L2"),
        ("T.grad(a, p)\nT.grad(b, p)", None),
        ("T.grad(cost=a)", None),
        ("exec 3 in d\nT.grad(a, p)", None),
        ("print 3\nT.grad(a, p)", "a"),
        ("[T.grad(a, p) for a in costs]", None),
        ("T.grad(*both)", None),
    ],
)
def test_the_argument_of_all_calls(text: str, first: str | None) -> None:
    """One expression, or none; what Python 2 prints does not matter, a text that cannot be parsed has none."""
    assert argument_of(text, "grad", 0) == first


@pytest.mark.parametrize(
    ("text", "params"),
    [
        ("g = [T.grad(cost, p) for p in net.params]", "net.params"),
        ("for p in params:\n    g.append(T.grad(cost, p))", "params"),
        ("for p, v in zip(params, vs):\n    g = T.grad(cost, p)", None),
        ("for k in range(3):\n    g = T.grad(cost, params[k])", None),
        ("for layer in layers:\n    g = [T.grad(cost, p) for p in layer.params]", None),
        ("for epoch in range(9):\n    g = T.grad(cost, params)", "params"),
    ],
)
def test_the_argument_of_the_calls_in_a_loop(text: str, params: str | None) -> None:
    """All that the loop goes through; nothing that has a meaning only in it."""
    assert argument_of(text, "grad", 1, all_of_loop=True) == params


def test_what_is_deleted_keeps_its_place_until_then() -> None:
    """`del params[0], params[1]` would delete the first and the third; a variable without a name gets one."""
    kind = tensor(3)
    variables = [SharedVariable(k, None, kind, assigned=e) for k, e in enumerate(("params[0]", "params[1].W", "net.W", None, "d['a']"))]
    assert deletion(variables) == "del params, net.W, shared_3, d['a']"


def test_all_that_is_deleted_goes() -> None:
    """More than five, those that have no name too; what holds one of them is named, and an object that the text does not name."""
    kind = tensor(3)
    variables = [SharedVariable(k, None, kind, assigned=e) for k, e in enumerate([*(f"raw_{k}" for k in range(6)), "self.past", None])]
    assert freeing(variables, "kept.append(raw_2)\nprint(raw_3)").splitlines() == [
        "# by hand: delete the shared variables without a name (1)",
        "# by hand: in a method of the object, or with the object's name in place of self",
        "# without what is deleted here: kept.append(raw_2)",
        "del raw_0, raw_1, raw_2, raw_3, raw_4, raw_5, self.past",
        "gc.collect()",
    ]
    assert freeing(variables[-1:], "") == "# by hand: delete the shared variables without a name (1)\ngc.collect()"


@pytest.mark.parametrize(
    ("text", "cost", "parameters"),
    [
        ("grads = T.grad(loss, params)", "loss", "params"),
        ("updates = lasagne.updates.adam(loss.mean(), net.params, learning_rate=0.1)", "loss.mean()", "net.params"),
        ("updates = lasagne.updates.sgd(a, p)\nothers = lasagne.updates.sgd(b, p)", "cost", "p"),
        ("updates = rule(loss, params)", "cost", None),
        ("def adam(cost, params):\n    return T.grad(cost, params)\nups = adam(err, net.params)", "err", "net.params"),
        ("def own(p, c=None):\n    g = [T.grad(c, q) for q in p]\nf(own(w, c=err + 1))", "err + 1", "w"),
        ("class A:\n    def step(self, cost):\n        T.grad(cost, self.params)\nA().step(nll)\nprint 'done'", "nll", "self.params"),
        ("def a(c): return T.grad(c, w)\na(x)\na(y)", "cost", "w"),
    ],
)
def test_what_is_differentiated(text: str, cost: str, parameters: str | None) -> None:
    """By grad, or by a function that makes updates of a cost and parameters."""
    assert (cost_of(text), parameters_of(text)) == (cost, parameters)


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("cost = nnet.xent(p, y).sum()", "sum"),
        ("losses = xent(p, y)\ncost = T.mean(losses * m)", "mean"),
        ("a = xent(p, y).sum()\nb = xent(p, y).mean()", None),
        ("cost = xent(p, y)", None),
    ],
)
def test_what_is_made_of_the_losses(text: str, made: str | None) -> None:
    """Where it is done in one way."""
    assert reduction_of(text, "xent") == made

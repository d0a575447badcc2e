"""Training in parts of a batch, written in the names of a script, trains as the script does."""

from __future__ import annotations

import json
import os
import subprocess

import pytest

from tests.interpreters import find
from theanodiag.ir import Site
from theanodiag.plans.micro_code import Training, lines_in_parts

from .judge import pasted

NET = """import numpy, {library}, {library}.tensor as T
W = {library}.shared(numpy.arange(6.).reshape((3, 2)) / 9, name="W")
b = {library}.shared(numpy.zeros(2), name="b")
x, y, lr = T.matrix("x"), T.matrix("y"), T.scalar("lr")
params, cost = [W, b], ((T.dot(x, W) + b - y) ** 2).{reduced}()
X, Y = numpy.sin(numpy.arange(30.)).reshape((10, 3)), numpy.cos(numpy.arange(20.)).reshape((10, 2))
"""
LOOP = "\nfor k in range(3):\n    for i in (0, 7):\n        last = train(X[i:i + 7], Y[i:i + 7]{more})\n"
HELPER = """def momentum(loss, variables, rate=0.01):
    grads = {grads}
    ups = []
    for p, g in zip(variables, grads):
        v = {library}.shared(p.get_value() * 0)
        ups += [(v, 0.5 * v - rate * g), (p, p + 0.5 * v - rate * g)]
    return ups
train = {library}.function([x, y], cost, updates=momentum(cost, params))"""
OBJECT = """class Trainer(object):
    def __init__(self, params):
        self.params = params
        gs = T.grad(cost=cost, wrt=self.params)
        ups = [(p, p - 0.01 * g) for p, g in zip(self.params, gs)]
        self.fit = {library}.function(inputs=[x, y], outputs=cost, updates=ups, name="fit")
train = Trainer(params).fit"""
METHOD = """class Momentum(object):
    def get_updates(self, variables, loss):
        gs = T.grad(loss, variables)
        return [(p, p - 0.01 * g) for p, g in zip(variables, gs)]
rule = Momentum()
train = {library}.function([x, y], cost, updates=rule.get_updates(params, cost))"""
NETWORK = """class Net(object):
    def __init__(self):
        self.params, total = params, cost
        self.cost = total
        {kept}
    def get_updates(self, rate):
        {gradients}
    def compiled(self):
        return {library}.function([x, y], self.cost, updates={updates})
net = Net()
train = net.compiled()"""
OWN_LIST = "gs = T.grad(self.cost, self.params)\n        return [(p, p - rate * g) for p, g in zip(self.params, gs)]"
OWN_EACH = "ups = []\n        for p in self.params:\n            ups.append((p, p - rate * T.grad(self.cost, p)))\n        return ups"


def network(kept: str = "pass", gradients: str = "pass", updates: str = "self.get_updates(0.01)") -> str:
    """The text of a class that trains."""
    return NETWORK.replace("{kept}", kept).replace("{gradients}", gradients).replace("{updates}", updates)


OUTSIDE = network(gradients=OWN_LIST).replace("net.compiled()", "{library}.function([x, y], net.cost, updates=net.get_updates(0.01))")
FORMS = {
    "list": "sums = 3\ngs = T.grad(cost, params)\nups = [(p, p - 0.01 * g) for p, g in zip(params, gs)]\n"
    "train = {library}.function([x, y], cost, updates=ups)",
    "each": "train = {library}.function([x, y, lr], cost, updates=[(p, p - lr * T.grad(cost, p)) for p in params])",
    "loop": "ups = []\n"
    "for p in params:\n    g = T.grad(cost, p)\n    ups.append((p, p - 0.01 * g))\n"
    "train = {library}.function([x, y], [], updates=ups)",
    "two": "gW, gb = T.grad(cost, W), T.grad(cost, b)\n"
    "train = {library}.function([x, y], [cost, cost], updates=[(W, W - 0.01 * gW), (b, b - 0.01 * gb)])",
    "helper": HELPER.replace("{grads}", "T.grad(loss, variables)"),
    "helper of each": HELPER.replace("{grads}", "[T.grad(loss, p) for p in variables]"),
    "helper in a loop": HELPER.replace("    grads = {grads}\n", "").replace(
        "for p, g in zip(variables, grads):", "for p in variables:\n        g = T.grad(loss, p)"
    ),
    "object": OBJECT,
    "method": METHOD,
    "own cost": network(gradients=OWN_LIST),
    "own cost of each": network(gradients=OWN_EACH),
    "own cost outside": OUTSIDE.replace("return {library}.function([x, y], self.cost, updates=self.get_updates(0.01))", "pass"),
    "kept gradients": network("self.gs = T.grad(total, self.params)", updates="[(p, p - 0.01 * g) for p, g in zip(params, self.gs)]"),
}
RUN = """import json, sys
import numpy
def trained(text):
    names = {"__name__": "m"}
    exec(text, names)
    return [names["W"].get_value(), names["b"].get_value()], numpy.asarray(names["last"] if names["last"] is not None else [], float)
for plain, parts in json.loads(sys.stdin.read()):
    (a, p), (b, q) = trained(plain), trained(parts)
    print(max(abs(v - w).max() for v, w in zip(a, b)), abs(a[0]).max() > 0, 0 if not p.size else abs(p - q).max())
"""


def script_of(form: str, library: str, reduced: str) -> tuple[str, str]:
    """The text of a script, and the one with the lines for parts of three rows in it."""
    more = ", 0.1" if form == "each" else ""
    text = (NET + FORMS[form] + LOOP).format(library=library, reduced=reduced, more=more)
    line = next(k for k, row in enumerate(text.splitlines(), 1) if ".function(" in row)
    given = {"x": 0, "y": 0, **({"lr": None} if more else {})}
    training = Training(Site("m.py", line), given, frozenset(("W", "b")), reduced == "mean", text.count("cost, cost]") + (form != "loop"))
    lines = lines_in_parts(text, library, "train", training, 3)
    assert lines is not None, form
    return text, pasted(text, "\n".join(lines))


@pytest.mark.parametrize(("environment", "library", "most"), [("gpu", "theano", 99), ("pytensor", "pytensor", 2)])
def test_the_parts_train_as_the_whole(environment: str, library: str, most: int) -> None:
    """Batches of seven and three rows in parts of three, of a mean and of a sum: the same parameters and costs, to rounding."""
    forms = [*((form, "mean") for form in FORMS), ("list", "sum"), ("each", "sum")][:most]
    texts = [script_of(form, library, reduced) for form, reduced in forms]
    flags = {f"{library.upper()}_FLAGS": "device=cpu,floatX=float64,optimizer=fast_compile,cxx="}
    command = [find(environment), "-c", RUN]
    done = subprocess.run(
        command, input=json.dumps(texts), env={**os.environ, **flags}, capture_output=True, text=True, timeout=300, check=False
    )
    rows = [line.split() for line in done.stdout.splitlines()]
    assert len(rows) == len(forms), done.stderr
    assert all(float(params) < 1e-12 and moved == "True" and float(cost) < 1e-12 for params, moved, cost in rows), list(zip(forms, rows))


ELSEWHERE = """def cost_updates(self):
    gs = T.grad(cost, self.params)
    return cost, [(p, p - 0.01 * g) for p, g in zip(self.params, gs)]
cost, ups = cost_updates(net)
train = theano.function([x, y], cost, updates=ups)"""


@pytest.mark.parametrize(
    "text",
    [
        ELSEWHERE,
        "gs = T.grad(cost, params)\ngs = gs + T.grad(penalty, params)\ntrain = theano.function([x, y], cost, updates=zip(params, gs))",
        "train = theano.function([x, y], cost, updates=ups)",
        network("self.gs = T.grad(self.cost, self.params)\n        print(self.gs)").partition("\nnet")[0].replace("{library}", "theano"),
        network(gradients=OWN_LIST.replace("self.cost", "made")).partition("\nnet")[0].replace("{library}", "theano"),
        "train = theano.function(names, cost, updates=zip(params, T.grad(cost, params)))",
    ],
)
def test_what_the_text_does_not_show_is_not_written(text: str) -> None:
    """Gradients in another function that does not get the cost, of two costs, of none, and inputs that are a name."""
    line = len(text.splitlines())
    training = Training(Site("m.py", line), {"x": 0, "y": 0}, frozenset(), True, 1)
    assert lines_in_parts(text, "theano", "train", training, 3) is None

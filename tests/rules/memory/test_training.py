"""Rules about memory for training: gradients and the state of optimizers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.interpreters import THOROUGH
from tests.plans.judge import SCRIPTS, ran, reported
from tests.rules.scripts import BY_CODE, only
from theanodiag.findings import Results, Severity
from theanodiag.ir import Op, Site
from theanodiag.ir.builder import GraphBuilder, on_device, tensor
from theanodiag.memory.script import Call, Compile, Create
from theanodiag.memory.simulate import simulate
from theanodiag.memory.timeline import Simulated
from theanodiag.plans.graphs.optimizer_state import find_state, with_states
from theanodiag.rules.examples import built, device, subject
from theanodiag.rules.memory.training import embedding
from theanodiag.rules.subject import ScriptSubject
from theanodiag.units import GIB

# TD326: the gradient of all rows of a table, and what the script needs with that of the rows that are read.

TABLE = 500_000 * 100 * 4
"""Bytes of the table of the example."""
INDEX = tensor(dtype="int64")
FIRST = 4 << 20
"""Bytes of the first block of the cache."""


def example(total: int, code: str | None = None) -> ScriptSubject:
    """The rule's example on a device of that size; `code` is the line that reads the rows."""
    script = BY_CODE["TD326"].fires().script
    graph = script.functions[0].graph
    variables = tuple(replace(v, site=Site("m.py", 3, None, code)) if v.owner == 0 else v for v in graph.variables)
    function = replace(script.functions[0], graph=replace(graph, variables=variables))
    return subject(replace(script, functions=(function,)), device(total))


def test_the_whole_gradient_goes() -> None:
    """Before the table and its gradient, after the table alone: 64 rows lie in the first block."""
    s = example(300_000_000)
    assert s.process.reserved_peak_bytes == 2 * TABLE + FIRST
    found = only("TD326", s)
    assert found.after is not None
    assert found.after.reserved_bytes == TABLE + FIRST
    assert "64 of which are read in a call" in found.message


def test_the_host_is_named_where_rows_are_not_enough() -> None:
    """A device without room for the table: rows alone do not cure, the host does."""
    rows, host = BY_CODE["TD326"].check(example(100_000_000))
    assert rows.after is not None
    assert host.after is not None
    assert rows.after.reserved_bytes == TABLE + FIRST
    assert host.after.reserved_bytes == FIRST
    assert "the script fits: at most 4.0 MiB instead of" in host.message
    assert host.fix is not None
    flag, table, first, *_ = str(host.fix.code).splitlines()
    assert flag.startswith("THEANO_FLAGS=optimizer_excluding=local_gpua_advanced_subtensor1:")
    assert table == "W = theano.shared(value, target='cpu')"
    assert first.startswith("def above(")


def test_of_two_tables_each_is_taken_by_its_rows_and_kept_on_the_host() -> None:
    """Of skip-grams, words and contexts: both gradients go, and nothing but rows stays on a device that has no room for a table."""
    script = embedding(tables=2)
    (rows,) = BY_CODE["TD326"].check(subject(script, device(600_000_000)))
    assert rows.after is not None
    assert rows.after.reserved_bytes == 2 * TABLE + FIRST
    _, host = BY_CODE["TD326"].check(subject(script, device(100_000_000)))
    assert host.after is not None
    assert host.after.reserved_bytes == FIRST


def test_the_code_has_the_names_of_the_script() -> None:
    """Its statement that compiles the function, with other updates; where the text does not show it, a line to place."""
    plain = only("TD326", example(300_000_000)).fix
    assert plain is not None
    added = "(W, theano.tensor.inc_subtensor(W[W_ids], W_step))]"
    of_all_else = "[(p, new) for p, new in dict({}).items() if p not in set([W])] + [" + added
    assert str(plain.code).splitlines()[-1] == f"updates = {of_all_else.format('updates')}  # before the function is compiled"
    s = example(300_000_000)
    site = Site("m.py", 2, None, None)
    s = replace(s, script=replace(s.script, functions=(replace(s.script.functions[0], site=site),)))
    text = "g = T.grad(nll, W)\nf = theano.function(\n    [ids], nll, updates=[(W, W - 0.05 * g)])\n"
    code = str(only("TD326", replace(s, source=text)).fix.code)  # type: ignore[union-attr]
    assert code.splitlines()[-1] == f"f = theano.function([ids], nll, updates={of_all_else.format('[(W, W - 0.05 * g)]')})  # line 2"
    assert "above([nll])" in code


def with_squares() -> ScriptSubject:
    """The table of the example, trained by Adagrad: the sum of squares of each of its numbers decides on its step."""
    b, rows, whole = GraphBuilder("train"), on_device(64, 100), on_device(500_000, 100)
    w, a, ids = b.shared("W", whole), b.shared("a", whole), b.argument("ids", on_device(64, dtype="int64"))
    read = b.apply(Op("GpuAdvancedSubtensor1", "GpuAdvancedSubtensor1"), [w, ids], rows)
    grad = b.apply(Op("GpuElemwise", "GpuElemwise{tanh}"), [read], rows)
    zeros = b.apply(Op("GpuAlloc", "GpuAlloc"), [b.constant(on_device(), 0.0), *(b.constant(INDEX, n) for n in (500_000, 100))], whole)
    added = b.apply(Op("GpuAdvancedIncSubtensor1", "inc", params={"inplace": True}, destroy_map={0: (0,)}), [zeros, grad, ids], whole)
    squares = b.apply(Op("GpuElemwise", "GpuElemwise{i0 + sqr(i1)}"), [a, added], whole)
    b.update(w, b.apply(Op("GpuElemwise", "GpuElemwise{i0 - i1 / sqrt(i2)}", destroy_map={0: (0,)}), [w, added, squares], whole))
    b.update(a, squares)
    return subject(built(b, b.apply(Op("GpuCAReduceCuda", "GpuCAReduceCuda{add}"), [read], on_device())), device(80_000_000_000))


@pytest.mark.parametrize(("s", "results"), [(with_squares(), Results.TRAINED_OTHERWISE), (example(300_000_000), Results.ROUNDED)])
def test_state_that_is_updated_by_rows_trains_otherwise(s: ScriptSubject, results: Results) -> None:
    """Without state the results are the same."""
    cost = only("TD326", s).cost
    assert cost is not None
    assert cost.results is results


def test_updates_with_state_are_those_of_the_script() -> None:
    """Made once: a function such as Lasagne's `adam` makes other state at each call. The names are those where the function is compiled."""
    text = "class Net:\n    def __init__(self):\n        self.f = theano.function([ids], cost, updates=adagrad(cost, [self.W]))"
    s = with_squares()
    functions = (replace(s.script.functions[0], site=Site("m.py", 3)),)
    shared = {k: replace(v, assigned=f"self.{v.name}") for k, v in s.script.shared.items()}
    found = only("TD326", replace(s, script=replace(s.script, functions=functions, shared=shared), source=text))
    last = str(found.fix and found.fix.code).splitlines()[-1]
    assert last == "self.f = theano.function([ids], cost, updates=by_rows(adagrad(cost, [self.W]), self.W))  # line 3"
    assert "at most" in found.message


# TD327: which parameter each state follows, and what the script needs with less state, beside real runs with such an optimiser.

ARRAY = 500_000 * 100 * 4
"""Bytes of the parameter of the example, and of its state."""
X = 10 * 500_000 * 4
"""Bytes of its argument."""


def test_the_velocity_goes() -> None:
    """Then the parameter is left, and the gradient, a product, is added to it in place."""
    s = subject(BY_CODE["TD327"].fires().script, device(2 * ARRAY + 3 * X))
    found = only("TD327", s)
    assert found.severity is Severity.WARNING
    assert found.after is not None
    assert found.after.reserved_bytes < s.process.reserved_peak_bytes - 2 * ARRAY + X
    assert found.notes[0] == "v (velocity or mean) follows W: 190.7 MiB"
    assert "momentum: 1 array for each parameter) beside 190.7 MiB of parameters" in found.message


def test_the_code_takes_the_place_of_the_call_that_makes_the_updates() -> None:
    """Which would create the state all the same; in the names of the script."""
    made = "def rule(c, ps):\n    return [(p, p - T.grad(c, p)) for p in ps]\nups = rule(nll, [W])\n"
    source = f"{made}f = theano.function([x], nll, updates=ups)\n"
    found = only("TD327", replace(BY_CODE["TD327"].fires(), source=source))
    assert found.fix is not None
    assert str(found.fix.code).splitlines() == [
        "params = [W]",
        "grads = theano.grad(nll, params)",
        "rates = [theano.tensor.cast(0.01, p.dtype) for p in params]  # 0.01: to be tuned again",
        "ups = [(p, p - rate * g) for p, rate, g in zip(params, rates, grads)]  # in place of ups = rule(nll, [W])",
    ]


def test_what_fits_is_a_hint() -> None:
    """With what the others would need."""
    found = only("TD327", BY_CODE["TD327"].fires())
    assert found.severity is Severity.INFO
    assert found.notes[-1].startswith("with plain gradient descent, which keeps none, the script needs at most ")


OPTIMISERS = {
    "momentum": ("momentum", 1),
    "velocity": ("momentum", 1),
    "decay": ("momentum", 1),
    "adagrad": ("Adagrad or RMSprop", 1),
    "rmsprop": ("Adagrad or RMSprop", 1),
    "adam": ("Adam", 2),
    "adadelta": ("Adadelta", 2),
}


@pytest.mark.parametrize("optimiser", [o if o == "adam" else pytest.param(o, marks=THOROUGH) for o in OPTIMISERS])
def test_less_state_beside_the_real_thing(optimiser: str, tmp_path: Path) -> None:
    """Each is named; without its state the script needs at least what it needs when trained by that optimiser, and for Adam just that."""
    text = (SCRIPTS / "optimisers.py").read_text(encoding="utf-8")
    (tmp_path / f"{optimiser}.py").write_text(text.replace('optimiser = "adam"', f'optimiser = "{optimiser}"'), encoding="utf-8")
    done = reported(str(tmp_path / optimiser), "floatX=float32", None).process.simulated
    assert isinstance(done, Simulated)
    script, settings = done.script, done.settings
    found = find_state(script.functions[0].graph, script.calls(0)[0].shapes, 0)
    assert found is not None
    assert (found.name, found.each) == OPTIMISERS[optimiser]
    assert [s.parameter for s in found.states] == sorted([0, 1] * found.each)
    assert found.bytes == found.each * found.parameter_bytes == found.each * 4 * (3000 * 4000 + 4000 * 2000)
    for keep, other in list(enumerate(("sgd", "velocity")))[: found.each]:
        (tmp_path / f"{other}.py").write_text(text.replace('optimiser = "adam"', f'optimiser = "{other}"'), encoding="utf-8")
        real = ran(tmp_path, tmp_path / f"{other}.py", "floatX=float32", 4 * GIB)
        need = simulate(with_states(script, found, keep), settings).reserved_peak_bytes
        assert real.fits
        assert real.reserved <= need
        assert optimiser != "adam" or real.reserved == need


def test_what_other_functions_keep_is_added() -> None:
    """A second net with an optimiser of its own."""
    script = BY_CODE["TD327"].fires().script
    (function,) = script.functions
    inputs = tuple(i if i.shared is None else replace(i, shared=i.shared + 100) for i in function.graph.inputs)
    second = replace(function, index=1, name="train_too", graph=replace(function.graph, inputs=inputs))
    made = [replace(e, shared=e.shared + 100) for e in script.events if isinstance(e, Create)]
    events = [*made, *(replace(e, function=1) for e in script.events if isinstance(e, (Call, Compile)))]
    shared = {**script.shared, **{k + 100: replace(v, id=k + 100) for k, v in script.shared.items()}}
    both = replace(script, functions=(function, second), shared=shared, events=(*script.events, *events))
    notes = only("TD327", subject(both, device(80_000_000_000))).notes
    assert [n for n in notes if "more" in n] in (["train_too keeps 190.7 MiB more (momentum)"], ["train keeps 190.7 MiB more (momentum)"])


def test_the_table_and_the_cost_are_those_of_the_object() -> None:
    """Where the function is compiled, `self` has no meaning."""
    script = BY_CODE["TD326"].fires().script
    text = (
        "class Net:\n    def __init__(self):\n        self.W = shared(0)\n        self.cost = W.sum()\n"
        "    def updates(self):\n        return [(self.W, T.grad(self.cost, self.W))]\n"
        "net = Net()\ntrain = theano.function([ids], net.cost, updates=net.updates())"
    )
    shared = {k: replace(v, assigned="self.W") for k, v in script.shared.items()}
    functions = tuple(replace(f, site=Site("m.py", 8)) for f in script.functions)
    s = replace(BY_CODE["TD326"].fires(), script=replace(script, shared=shared, functions=functions), source=text)
    code = str(only("TD326", s).fix.code)  # type: ignore[union-attr]
    assert "W_reads = [v for v in above([net.cost]) if v.owner and net.W in above(v.owner.inputs[:1])]" in code
    assert "self." not in code

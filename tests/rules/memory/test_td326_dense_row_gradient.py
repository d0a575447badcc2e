"""TD326: the gradient of all rows of a table, and what the script needs with that of the rows that are read."""

from __future__ import annotations

from dataclasses import replace

from tests.rules.scripts import BY_CODE, only
from theanodiag.ir import Site
from theanodiag.rules.examples import device, subject
from theanodiag.rules.memory.training import embedding
from theanodiag.rules.subject import ScriptSubject

TABLE = 500_000 * 100 * 4
"""Bytes of the table of the example."""
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
    assert first.startswith("W_rows = ")


def test_of_two_tables_each_is_taken_by_its_rows_and_kept_on_the_host() -> None:
    """Of skip-grams, words and contexts: both gradients go, and nothing but rows stays on a device that has no room for a table."""
    script = embedding(500_000, tables=2)
    (rows,) = BY_CODE["TD326"].check(subject(script, device(600_000_000)))
    assert rows.after is not None
    assert rows.after.reserved_bytes == 2 * TABLE + FIRST
    _, host = BY_CODE["TD326"].check(subject(script, device(100_000_000)))
    assert host.after is not None
    assert host.after.reserved_bytes == FIRST


def test_the_code_has_the_names_of_the_script() -> None:
    """The expression that reads rows, as the line has it; else the names of the graph."""
    fix = only("TD326", example(300_000_000, "h = self.W[words[:, 0]].mean(1); k = 2")).fix
    assert fix is not None
    assert str(fix.code).splitlines()[:2] == [
        "W_rows = self.W[words[:, 0]]  # read these wherever the model reads self.W[words[:, 0]]",
        "W_rows_grad = theano.grad(cost, W_rows)",
    ]
    assert str(fix.code).endswith("updates.append((self.W, theano.tensor.inc_subtensor(W_rows, -0.05 * W_rows_grad)))")
    plain = only("TD326", example(300_000_000, "h = ("))
    assert plain.fix is not None
    assert str(plain.fix.code).startswith("W_rows = W[ids]")

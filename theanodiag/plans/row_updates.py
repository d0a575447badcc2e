"""Writes updates of tables with the gradients of only the rows that are read, from the updates that a script has.

The gradient of a table is a sum of rows into zeros of its size. What is computed from it elementwise (momentum, Adam, a norm) can be
computed of these rows alone: each of them once, with the sum of its gradients. What is plain gradient descent is added to the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ..findings import identifier
from .compiling import Compiling

CLONES = {"theano": "clone", "aesara": "clone_replace", "pytensor": "graph.replace.clone_replace"}
"""Library -> its function that computes an expression from other Variables."""

ABOVE = """\
def above(variables{more}):  # all that they are computed from
    found, left = set(), list(variables)
    while left:
        v = left.pop()
        if v not in found{only}:
            found.add(v)
            left += v.owner.inputs if v.owner else []
    return found
"""
LIKE = {"more": ", like=None", "only": ' and (like is None or getattr(v.type, "broadcastable", None) == like.type.broadcastable)'}
"""With these, only through Variables of the kind of another, elementwise."""

BY_ROWS = """\
def by_rows(updates, *tables):  # the same updates, of the rows that are read alone
    updates = dict(updates)
    for W in tables:
        made = [v for v in above(updates.values()) if v.owner and W in above(v.owner.inputs[:1])]
        reads = [v for v in made if type(v.owner.op).__name__ in ("AdvancedSubtensor1", "AdvancedSubtensor")]
        sums = [v for v in made if type(v.owner.op).__name__ in ("AdvancedIncSubtensor1", "AdvancedIncSubtensor")]
        ids = [v.owner.inputs[2].flatten() for v in sums]
        rows, places = {library}.tensor.extra_ops.Unique(False, True)({library}.tensor.concatenate(ids))
        new, first = dict((v, v) for v in reads), 0
        for p in updates:
            if p.ndim == W.ndim and above([updates[p]], like=W).intersection(sums):
                new[p] = p[rows]
        for v, part in zip(sums, ids):
            zeros = {library}.tensor.zeros_like(W[rows])[places[first:first + part.size]]
            new[v] = {library}.tensor.inc_subtensor(zeros, v.owner.inputs[1].reshape((-1, W.shape[1])))
            first = first + part.size
        new = dict((v, v.type.filter_variable(new[v])) for v in new)
        for p in updates:
            value = {library}.{clone}(updates[p], replace=new)
            updates[p] = {library}.tensor.set_subtensor(p[rows], value) if p in new else value
    return list(updates.items())
"""


READS = """\
{word}_reads = [v for v in above([{cost}]) if v.owner and {name} in above(v.owner.inputs[:1])]  # where the model reads rows
{word}_reads = [v for v in {word}_reads if type(v.owner.op).__name__ in ("AdvancedSubtensor1", "AdvancedSubtensor")]
{word}_ids = {library}.tensor.concatenate([v.owner.inputs[1].flatten() for v in {word}_reads])
{word}_grads = [g.reshape((-1, {name}.shape[1])) for g in {grad}({cost}, {word}_reads)]
{word}_step = -{rate:.6g} * {library}.tensor.concatenate({word}_grads)
"""


@dataclass(frozen=True)
class Table:
    """A table of which only rows are read."""

    name: str
    """The expression by which the script refers to it."""
    rate: float | None
    """The learning rate of plain gradient descent; None if its updates have state, or are not known."""

    @property
    def word(self) -> str:
        """Returns an identifier from which names for the table's parts are made."""
        return identifier(self.name.rpartition(".")[2], "W")


def lines(library: str, tables: Sequence[Table], cost: str, compiling: Compiling | None) -> Iterator[str]:
    """Yields the lines to paste; `cost` is the expression of the cost, `compiling` the statement whose updates they belong to, if known."""
    rates = [t.rate for t in tables if t.rate is not None]
    if len(rates) == len(tables):
        yield from ABOVE.format(more="", only="").splitlines()
        grad = f"{library}.{'tensor.' * (library == 'pytensor')}grad"
        for t in tables:
            yield from READS.format(library=library, word=t.word, name=t.name, cost=cost, grad=grad, rate=t.rate).splitlines()
        changed = f"set([{', '.join(t.name for t in tables)}])"
        steps = ", ".join(f"({t.name}, {library}.tensor.inc_subtensor({t.name}[{t.word}_ids], {t.word}_step))" for t in tables)
        updates = f"[(p, new) for p, new in dict({{}}).items() if p not in {changed}] + [{steps}]"
    else:
        yield from ABOVE.format(**LIKE).splitlines()
        yield from BY_ROWS.format(library=library, clone=CLONES.get(library, CLONES["theano"])).splitlines()
        updates = f"by_rows({{}}, {', '.join(t.name for t in tables)})"
    if compiling is None:
        yield f"updates = {updates.format('updates')}  # before the function is compiled"
    else:
        yield compiling.changed(updates=updates.format)

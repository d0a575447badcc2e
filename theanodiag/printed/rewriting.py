"""Rewrites the inner graph of a printed Scan to work in place, as PyTensor does before it runs it.

The graph is printed without saying what is in place, and its nodes have no numbers, so the rewrite is repeated here in PyTensor's order: a
node overwrites a value that nothing protects and that no later node needs.
Sources: PyTensor 3.0.7 and 3.3.7 tensor/rewriting/elemwise.py (position 50.5) and subtensor.py (50.1 and 70.6, from the results up).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from ..ir.traverse import reaches
from ..ops import IndexMap
from .overwritten import ELEMENTWISE, UPDATES, OverwritePlan, candidates, choose


def waits(plan: OverwritePlan, destroy: Mapping[int, IndexMap], backwards: bool = True) -> dict[int, list[int]]:
    """Node that overwrites an input -> the other nodes that read this input or a view of it; the last reader first if `backwards`.

    Which reader of an input the framework names first depends on the rewrites and is not in the text. The last one is searched first, and
    so gets the lowest number: of 260 functions of PyTensor 3.0.7 and 3.3.7, 254 are numbered as if readers were named backwards, two more
    as if they were named in order.
    """
    waiting: dict[int, list[int]] = {}
    for node in plan.order:
        wanted = destroy.get(node, plan.destroys[node])
        if wanted:
            bases = plan.bases[node]
            rows = [plan.readers[bases[i]] for ins in wanted.values() for i in ins]
            readers = dict.fromkeys(chain.from_iterable(map(reversed, rows) if backwards else rows))
            readers.pop(node, None)
            if readers:
                waiting[node] = list(readers)
    return waiting


def number(plan: OverwritePlan, before: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """The nodes in the framework's order, under the ordering constraints `before` (node -> nodes that must run first)."""
    return breadth_first(plan, before) if before else depth_first(plan)


def breadth_first(plan: OverwritePlan, before: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """The framework's order under ordering constraints.

    Internally a Variable is its number v, and node n is ~n, which indexes lists from the end.
    """
    things = len(plan.variables) + len(plan.names)
    left = [-1] * things
    clients: list[list[int] | None] = [None] * things
    sources: deque[int] = deque()
    owners, inputs, todo = plan.owners, plan.inputs, list(plan.results)
    while todo:
        thing = todo.pop()
        if left[thing] >= 0:
            continue
        node = owners[thing] if thing >= 0 else ~thing
        if node < 0:
            left[thing] = 0
            sources.append(thing)
            continue
        rows = inputs[node] if thing < 0 else (~node,)
        if node in before:
            rows = [*rows, *[~b for b in before[node]]]
        left[thing] = len(rows)
        for row in rows:
            known = clients[row]
            if known is None:
                clients[row] = [thing]
            else:
                known.append(thing)  # once for each use, since it is also counted down once for each
        if rows:
            todo += rows
        else:
            sources.append(thing)
    return _freed(sources, left, clients)


def _freed(sources: deque[int], left: list[int], clients: Sequence[Sequence[int] | None]) -> Iterator[int]:
    while sources:
        thing = sources.popleft()
        if thing < 0:
            yield ~thing
        for client in clients[thing] or ():
            left[client] -= 1
            if not left[client]:
                sources.append(client)


def depth_first(plan: OverwritePlan) -> Iterator[int]:
    """The framework's order without ordering constraints: depth-first from the outputs."""
    done, makers = bytearray(len(plan.names)), plan.makers
    todo = [owner for v in plan.results if (owner := plan.owners[v]) >= 0]
    while todo:
        node = todo[-1]
        if not done[node]:
            missing = [maker for maker in makers[node] if not done[maker]]
            if missing:
                todo += missing
                continue
            done[node] = 1
            yield node
        todo.pop()


MAX_NODES = 600
"""Larger inner graphs are left as printed."""
_PARTS = frozenset({"IncSubtensor"})
"""Assignments to parts, which are rewritten first."""


class InplaceRewriting:
    """A graph while its nodes are made to work in place."""

    def __init__(self, plan: OverwritePlan, updated: frozenset[int] = frozenset(), kept: frozenset[int] = frozenset()) -> None:
        self.plan = plan
        self.updated = updated
        """Inputs that may be overwritten."""
        self.kept = kept
        """Those of them in whose memory no output may be."""
        self._over: dict[int, int] = {}
        """Variable -> the root that it overwrote."""
        self.destroy: dict[int, IndexMap] = {}
        self.before: dict[int, list[int]] = {}
        """For each node, the nodes that must run before it because it overwrites what they read."""
        self._waiting: dict[int, list[int]] = {}
        """For each node, the nodes that must run after it for that reason."""
        self._taken: set[int] = set()
        self._protected = {plan.root(v) for v in plan.results}
        self._readers: dict[int, list[int]] = {}
        for node in plan.order:
            for v in dict.fromkeys(plan.bases[node]):
                self._readers.setdefault(v, []).append(node)
            self._note(node, plan.destroys[node])

    def run(self) -> None:
        """Rewrites assignments to parts, then Elemwise, then assignments to entries picked by arrays."""
        self._pass(_PARTS, backwards=True)
        if self.destroy:
            self.plan = self.plan.ordered(list(number(self.plan, {n: b for n, b in self.before.items() if b})))
        self._pass(ELEMENTWISE)
        self._pass(UPDATES - _PARTS, backwards=True)

    def _pass(self, names: frozenset[str], backwards: bool = False) -> None:
        order = [n for n in self.plan.order if self.plan.names[n] in names]
        for node in reversed(order) if backwards else order:
            if not self.plan.destroys[node] and node not in self.destroy:
                self._try(node)

    def _try(self, node: int) -> None:
        free = [i for i in candidates(self.plan, node, self.updated) if self._is_free(node, self.plan.bases[node][i])]
        # States of a Scan are no updates, so none has priority.
        chosen = choose(self.plan, node, free, frozenset(), allowed=lambda out, i: self._is_allowed(node, out, i))
        if chosen:
            self.destroy[node] = chosen
            self._note(node, chosen)

    def _is_allowed(self, node: int, out: int, i: int) -> bool:
        """Whether the node may overwrite its input number `i` by output number `out`: no output of the graph would then be in memory of
        `kept` inputs.
        """
        if not self.kept or self.kept.isdisjoint(self._below(self.plan.inputs[node][i])):
            return True
        output = self.plan.outputs[node][out]
        return all(output not in self._below(v) for v in self.plan.results)

    def _below(self, variable: int) -> Iterator[int]:
        """Yields the root of a Variable, then the root that it overwrote, and so on back to the first owner of the memory."""
        here: int | None = variable
        while here is not None:
            base = self.plan.root(here)
            yield base
            here = self._over.get(base)

    def _is_free(self, node: int, base: int) -> bool:
        """Whether nothing else overwrites or protects `base`, and no reader of it depends on `node`."""
        if base in self._taken or base in self._protected:
            return False
        others = {reader for reader in self._readers[base] if reader != node}
        return not others or not reaches(node, others, self._followers)

    def _followers(self, node: int) -> Iterator[int]:
        """Yields the nodes that can only run after `node`."""
        for variable in self.plan.outputs[node]:
            yield from self.plan.clients.get(variable, ())
        yield from self._waiting.get(node, ())

    def _note(self, node: int, destroy: IndexMap) -> None:
        for out, ins in destroy.items():
            for i in ins:
                base = self.plan.bases[node][i]
                self._over[self.plan.outputs[node][out]] = base
                self._taken.add(base)
                first = [n for n in self._readers.get(base, ()) if n != node]
                self.before.setdefault(node, []).extend(first)
                for n in first:
                    self._waiting.setdefault(n, []).append(node)


def rewrite(
    plan: OverwritePlan, updated: frozenset[int] = frozenset(), kept: frozenset[int] = frozenset()
) -> tuple[Mapping[int, IndexMap], list[int]] | None:
    """The destroy_map of each node after the rewrite, and the order of the nodes; None where the graph is too large.

    `updated` are inputs that may be overwritten, `kept` those of them in whose memory no output may be.
    """
    ordered = _in_order(plan)
    if ordered is None:
        return None
    work = InplaceRewriting(ordered, updated, kept)
    work.run()
    return work.destroy, list(number(plan, {n: b for n, b in work.before.items() if b}))


def renumbered(plan: OverwritePlan) -> list[int] | None:
    """The order of the nodes, for a text that prints what they overwrite; None where the graph is too large."""
    ordered = _in_order(plan)
    return None if ordered is None else list(number(ordered, waits(ordered, {})))


def _in_order(plan: OverwritePlan) -> OverwritePlan | None:
    """The plan with its nodes depth-first from the outputs; None where it is too large, or has nodes that no output needs."""
    order = list(depth_first(plan))
    return plan.ordered(order) if len(order) == len(plan.names) <= MAX_NODES else None

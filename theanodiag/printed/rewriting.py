"""Rewrites the inner graph of a printed Scan to work in place, as PyTensor does before it runs it.

The graph is printed without saying what is in place, and its nodes have no numbers, so the rewrite is repeated here in PyTensor's order: a
node overwrites a value that nothing protects and that no later node needs.
Sources: PyTensor 3.0.7 and 3.3.7 tensor/rewriting/elemwise.py (position 50.5) and subtensor.py (50.1 and 70.6, from the results up).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..ir.traverse import reaches
from ..ops import IndexMap
from .overwritten import ELEMENTWISE, UPDATES, Plan, candidates, choose
from .toposort import depth_first, number, waits

MAX_NODES = 600
"""Larger inner graphs are left as printed."""
_PARTS = frozenset({"IncSubtensor"})
"""Assignments to parts, which are rewritten first."""


class Rewriting:
    """A graph while its nodes are made to work in place."""

    def __init__(self, plan: Plan, updated: frozenset[int] = frozenset(), kept: frozenset[int] = frozenset()) -> None:
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
        """Whether no output would be in memory of `kept` inputs."""
        if not self.kept or self.kept.isdisjoint(self._below(self.plan.inputs[node][i])):
            return True
        made = self.plan.outputs[node][out]
        return all(made not in self._below(v) for v in self.plan.results)

    def _below(self, variable: int) -> Iterator[int]:
        """Yields the roots that were in the memory of a Variable, its own first."""
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
    plan: Plan, updated: frozenset[int] = frozenset(), kept: frozenset[int] = frozenset()
) -> tuple[Mapping[int, IndexMap], list[int]] | None:
    """The destroy_map of each node after the rewrite, and the order of the nodes; None where the graph is too large.

    `updated` are inputs that may be overwritten, `kept` those of them in whose memory no output may be.
    """
    ordered = _in_order(plan)
    if ordered is None:
        return None
    work = Rewriting(ordered, updated, kept)
    work.run()
    return work.destroy, list(number(plan, {n: b for n, b in work.before.items() if b}))


def renumbered(plan: Plan) -> list[int] | None:
    """The order of the nodes, for a text that prints what they overwrite; None where the graph is too large."""
    ordered = _in_order(plan)
    return None if ordered is None else list(number(ordered, waits(ordered, {})))


def _in_order(plan: Plan) -> Plan | None:
    """The plan with its nodes depth-first from the outputs; None where it is too large, or has nodes that no output needs."""
    order = list(depth_first(plan))
    return plan.ordered(order) if len(order) == len(plan.names) <= MAX_NODES else None

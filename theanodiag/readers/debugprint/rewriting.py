"""The graph inside of a printed Scan, as PyTensor rewrites it to work in place before it runs it.

It is printed without saying what is in place, and its nodes have no numbers. So the rewrite is done here, in its own order: where
nothing protects a value and nobody that needs it must come later. Source: PyTensor 3.0.7 tensor/rewriting/elemwise.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...ir.traverse import reaches
from .inplace import ELEMENTWISE, UPDATES, Plan, candidates, choose
from .maps import IndexMap
from .toposort import depth_first, number

MAX_NODES = 600
"""Larger inner graphs are left as they are printed."""


class Rewriting:
    """One graph while nodes of it are made to work in place."""

    def __init__(self, plan: Plan, updated: frozenset[int] = frozenset()) -> None:
        self.plan = plan
        self.updated = updated
        """Inputs that may be overwritten."""
        self.destroy: dict[int, IndexMap] = {}
        self.before: dict[int, list[int]] = {}
        """Nodes that must run before one that overwrites what they read."""
        self._waiting: dict[int, list[int]] = {}
        """The same the other way round."""
        self._taken: set[int] = set()
        self._protected = {plan.root(v) for v in plan.results}
        self._readers: dict[int, list[int]] = {}
        for node in plan.order:
            for v in dict.fromkeys(plan.bases[node]):
                self._readers.setdefault(v, []).append(node)
            self._note(node, plan.destroys[node])

    def run(self) -> None:
        """Elemwise, then assignments to parts."""
        for names in (ELEMENTWISE, UPDATES):
            for node in self.plan.order:
                if self.plan.names[node] in names and not self.plan.destroys[node] and node not in self.destroy:
                    self._try(node)

    def _try(self, node: int) -> None:
        free = [i for i in candidates(self.plan, node, self.updated) if self._is_free(node, self.plan.bases[node][i])]
        if self.plan.names[node] in ELEMENTWISE:
            chosen = choose(self.plan, node, free, self.updated)
        else:
            chosen = {0: (0,)} if 0 in free else {}
        if chosen:
            self.destroy[node] = chosen
            self._note(node, chosen)

    def _is_free(self, node: int, base: int) -> bool:
        """Whether nobody else overwrites or keeps it, and no reader of it needs what `node` makes."""
        if base in self._taken or base in self._protected:
            return False
        others = {reader for reader in self._readers[base] if reader != node}
        return not others or not reaches(node, others, self._followers)

    def _followers(self, node: int) -> Iterator[int]:
        """Nodes that can only run after one."""
        for variable in self.plan.outputs[node]:
            yield from self.plan.clients.get(variable, ())
        yield from self._waiting.get(node, ())

    def _note(self, node: int, destroy: IndexMap) -> None:
        for ins in destroy.values():
            for i in ins:
                base = self.plan.bases[node][i]
                self._taken.add(base)
                first = [n for n in self._readers.get(base, ()) if n != node]
                self.before.setdefault(node, []).extend(first)
                for n in first:
                    self._waiting.setdefault(n, []).append(node)


def rewrite(plan: Plan, updated: frozenset[int] = frozenset()) -> tuple[Mapping[int, IndexMap], list[int]] | None:
    """What each node overwrites once the graph is rewritten, and the order of the nodes; None where the graph is too large.

    `updated` are inputs that may be overwritten.
    """
    order = list(depth_first(plan))
    if len(plan.names) > MAX_NODES or len(order) != len(plan.names):
        return None
    work = Rewriting(plan.ordered(order), updated)
    work.run()
    return work.destroy, list(number(plan, {n: b for n, b in work.before.items() if b}))

"""Rewrites the inner graph of a printed Scan to work in place, as PyTensor does before it runs it.

The graph is printed without saying what is in place, and its nodes have no numbers, so the rewrite is repeated here in PyTensor's order: a
node overwrites a value that nothing protects and that no later node needs.
Sources: PyTensor 3.0.7 and 3.3.7 tensor/rewriting/elemwise.py (position 50.5) and subtensor.py (50.1 and 70.6, from the results up).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, repeat
from operator import eq

from ..ir import Constant, FunctionGraph, Type, Variable
from ..ir.graph import reaches
from ..ops import IndexMap
from .overwritten import ELEMENTWISE, UPDATES, Inferred, OverwritePlan, candidates, choose, infer, unmoved


def waits(plan: OverwritePlan, destroy: Mapping[int, IndexMap], backwards: bool = True) -> dict[int, list[int]]:
    """Returns node that overwrites an input -> the other nodes that read this input or a view of it; the last reader first if `backwards`.

    Which reader the framework lists first depends on the rewrites, and the text does not show it. The reader listed last is searched first,
    and so gets the lowest number: of 260 functions of PyTensor 3.0.7 and 3.3.7, 254 are numbered as if readers were listed backwards, two
    more as if they were listed in order.
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
    """Yields the nodes in the order in which the framework numbers them, under the constraints `before` (node -> nodes that must run
    first).
    """
    return breadth_first(plan, before) if before else depth_first(plan)


def breadth_first(plan: OverwritePlan, before: Mapping[int, Sequence[int]]) -> Iterator[int]:
    """Yields the nodes in the framework's order under ordering constraints.

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
    """Yields the nodes in the framework's order without ordering constraints: depth-first from the outputs."""
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
"""Number of nodes above which an inner graph is left as printed."""
_PARTS = frozenset({"IncSubtensor"})
"""Class names of Ops that assign to parts of an array, which are rewritten first."""


class InplaceRewriting:
    """Makes the nodes of a graph work in place, one after another."""

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
        """Makes nodes work in place: first assignments to parts, then Elemwise, then assignments to entries picked by arrays."""
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
    """Returns the destroy_map of each node after the rewrite to in-place nodes, and the order of the nodes; None if the graph is too large.

    `updated` are inputs that may be overwritten. `kept` are those of them whose memory no output may use.
    """
    ordered = _in_order(plan)
    if ordered is None:
        return None
    work = InplaceRewriting(ordered, updated, kept)
    work.run()
    return work.destroy, list(number(plan, {n: b for n, b in work.before.items() if b}))


def renumbered(plan: OverwritePlan) -> list[int] | None:
    """Returns the order in which the framework runs the nodes, for a text that prints what they overwrite; None if the graph is
    too large.
    """
    ordered = _in_order(plan)
    return None if ordered is None else list(number(ordered, waits(ordered, {})))


def _in_order(plan: OverwritePlan) -> OverwritePlan | None:
    """The plan with its nodes depth-first from the outputs; None if it is too large, or has nodes that no output needs."""
    order = list(depth_first(plan))
    return plan.ordered(order) if len(order) == len(plan.names) <= MAX_NODES else None


# Hypotheses about which outputs of a printed PyTensor function update its inputs, and the evidence for each.
#
# The text does not say which inputs are shared variables, and an update may overwrite the old value. The order of the nodes shows it: a
# node that overwrites a value must wait for all others that read it, and the printed numbers follow from that.


def looks_trained(plan: OverwritePlan, most: Mapping[int, IndexMap], none: Mapping[int, IndexMap]) -> bool:
    """Returns whether an input that is overwritten in `most` but not in `none` looks like a parameter that is updated.

    It does if only a part of it is changed, or if something is added to it and it is a counter or other nodes read it.
    """
    for node, row in most.items():
        if plan.returned.isdisjoint(plan.outputs[node]):
            continue
        old = none.get(node, {})
        if any(_is_trained(plan, node, ins[0]) for out, ins in row.items() if old.get(out) != ins):
            return True
    return False


def _is_trained(plan: OverwritePlan, node: int, at: int) -> bool:
    v = plan.root(plan.inputs[node][at])
    if plan.variables[v].owner is not None:
        return False
    clients = plan.clients.get(v, ())
    if plan.names[node] in UPDATES:
        return len(plan.returned) == 1 or len(clients) == 1 or _is_read_beside(plan, v, node)
    if not any(v in plan.returned and adds(plan, node, k, at) for k, v in enumerate(plan.outputs[node])):
        return False
    return _is_read_beside(plan, v, node) or (len(plan.returned) > 1 and _counts(plan, node, at))


def _is_read_beside(plan: OverwritePlan, variable: int, node: int) -> bool:
    """Whether nodes other than `node` read the elements of a Variable."""
    return any(n != node and plan.names[n] not in ("Shape_i", "Shape", *UPDATES) for n in plan.clients.get(variable, ()))


def _counts(plan: OverwritePlan, node: int, at: int) -> bool:
    """Whether a node counts with a scalar: all its inputs are constants except the scalar at position `at`."""
    rows = [plan.variables[v] for i, v in enumerate(plan.inputs[node]) if i != at]
    return plan.variables[plan.inputs[node][at]].type.ndim == 0 and all(isinstance(v, Constant) for v in rows)


def adds(plan: OverwritePlan, node: int, out: int, at: int) -> bool:
    """Returns whether output number `out` is a sum, and input number `at`, or a part of it, is one of its terms."""
    inner = plan.inner.get(node)
    if inner is None:
        scalar = plan.scalars[node] if node < len(plan.scalars) else None
        return scalar == "Add" or (scalar == "Sub" and at == 0)
    key = id(inner), out, at
    if key not in plan.adding:
        plan.adding[key] = _adds_inside(inner, out, at)
    return plan.adding[key]


def _adds_inside(inner: FunctionGraph, out: int, at: int) -> bool:
    names = {inner.variables[i.variable].name: i.variable for i in inner.inputs}
    source = names.get(f"i{at}")
    if source is None or out >= len(inner.outputs):
        return False
    result = inner.outputs[out]
    core = inner.maker(result)
    if core is None or core.op.name != "Elemwise":  # the inner graph is that of the scalars, not of a fused loop
        return _is_part(inner, result, source)
    place = next((i for i, v in enumerate(core.inputs) if unmoved(inner, v) == source), None)
    scalars = core.op.inner
    if place is None or scalars is None:
        scalar = core.op.params.get("scalar_op")
        return place is not None and (scalar == "Add" or (scalar == "Sub" and place == 0))
    scalar_source = {scalars.variables[i.variable].name: i.variable for i in scalars.inputs}.get(f"i{place}")
    number = core.outputs.index(result)
    return scalar_source is not None and number < len(scalars.outputs) and _is_part(scalars, scalars.outputs[number], scalar_source)


def _is_part(scalars: FunctionGraph, result: int, source: int) -> bool:
    """Whether a scalar is `source`, possibly times a positive constant, plus another value, or selected from several such scalars."""
    todo = [result]
    while todo:
        here = todo.pop()
        if here == source:
            return True
        owner = scalars.variables[here].owner
        node = None if owner is None else scalars.applies[owner]
        name = "" if node is None else node.op.name
        if node is None or not node.inputs:
            continue
        if name in ("Add", "Maximum", "Minimum", "Clip"):
            todo += node.inputs
        elif name == "Sub":
            todo.append(node.inputs[0])
        elif name == "Switch":
            todo += node.inputs[1:]
        elif name == "Mul":
            rest = [v for v in node.inputs if not isinstance(scalars.variables[v], Constant)]
            factors = [getattr(scalars.variables[v], "value", None) for v in node.inputs if v not in rest]
            todo += rest if len(rest) == 1 and all(isinstance(f, (int, float)) and f > 0 for f in factors) else []
    return False


def updatable(plan: OverwritePlan) -> list[int]:
    """Returns the inputs that may be updated, each by one of the last outputs, starting with the last output."""
    leaves = _Leaves(plan.variables)
    for result in reversed(plan.arrays):
        output = plan.variables[result]
        if not leaves.take(output, _near(plan, output)):
            break
    return list(leaves.taken)


def _near(plan: OverwritePlan, output: Variable) -> Iterator[int]:
    """Yields the inputs of the node that computes an output: first those to which the node adds a value, then all."""
    node = output.owner
    if node is not None:
        inputs, out = plan.inputs[node], list(plan.outputs[node]).index(output.id)
        yield from (v for at, v in enumerate(inputs) if adds(plan, node, out, at))
        yield from inputs


class _Leaves:
    """The inputs of a function by type, with fast access to the next one of each type."""

    def __init__(self, variables: Sequence[Variable]) -> None:
        self.taken: dict[int, None] = {}
        self._variables = variables
        self._of_type: dict[Type, deque[int]] = {}
        self._kinds: dict[Type, list[Type]] = {}
        for v in variables:
            if v.owner is None and not isinstance(v, Constant):
                self._of_type.setdefault(v.type, deque()).append(v.id)

    def take(self, output: Variable, inputs: Iterator[int]) -> bool:
        """Takes the input that `output` may update: the first suitable one in `inputs`, else the first of a suitable type. Returns whether
        there is one.
        """
        kinds = self._that_could_be(output.type)
        if not kinds:
            return False
        near = (v for v in inputs if v not in self.taken and self._is_leaf(v) and self._variables[v].type in kinds)
        leaf = next(near, None)
        if leaf is None:
            leaf = min((first for kind in kinds if (first := self._first(self._of_type[kind])) is not None), default=None)
        if leaf is not None:
            self.taken[leaf] = None
        return leaf is not None

    def _that_could_be(self, output_type: Type) -> list[Type]:
        """The types of inputs that an output of type `output_type` can update."""
        kinds = self._kinds.get(output_type)
        if kinds is None:
            kinds = self._kinds[output_type] = [kind for kind in self._of_type if _could_be(kind, output_type)]
        return kinds

    def _is_leaf(self, v: int) -> bool:
        return self._variables[v].owner is None and not isinstance(self._variables[v], Constant)

    def _first(self, left: deque[int]) -> int | None:
        while left and left[0] in self.taken:
            left.popleft()
        return left[0] if left else None


def _could_be(leaf: Type, output: Type) -> bool:
    """Whether an output of type `output` can be the new value of an input of type `leaf`."""
    fits = leaf.dtype == output.dtype and leaf.ndim == output.ndim
    return leaf.dtype is not None and fits and all(x is None or y is None or x == y for x, y in zip(leaf.shape, output.shape))


Destroy = Mapping[int, IndexMap]
"""Node -> its destroy_map."""
MAX_TRIES = 12
"""Largest number of sets of updates that are tried."""
LEAST_TRIES = 2
"""Smallest number of sets tried in large graphs."""
MAX_STEPS = 2_500
"""Limit for all sets together, in nodes visited."""


def update_hypotheses(plan: OverwritePlan) -> list[Destroy]:
    """Returns destroy_map by node for each hypothesis that the printed order allows, the most likely first."""
    updates = updatable(plan)
    sure = updates[: _sure(plan)]
    least = infer(plan, frozenset(sure))
    none = least.destroy
    rows = (row for row in _sets(plan, updates, len(sure), least) if row != none)
    most = next(rows, None)
    if most is None:
        return [none]
    fit, plain = next((row for row in chain((most,), rows) if _explains(plan, row)), None), _explains(plan, none)
    if plain and fit is None:
        return [none]
    other = next((row for row in rows if row != fit), None) if fit is most else None
    open_ = other is not None and fit is not None and not looks_trained(plan, fit, other)
    more = [other] if other is not None and open_ and _explains(plan, other) else []
    if fit is not None and not plain:
        return [fit, *more]
    most = fit or most
    gradient = len(updates) == 1 < len(plan.arrays) and _is_all(plan, updates)
    return [most, none, *more] if looks_trained(plan, most, none) and not gradient else [none, most, *more]


def _is_all(plan: OverwritePlan, updates: list[int]) -> bool:
    """Whether the updates would take all inputs, so that the function had no argument left; few functions have none."""
    taken = set(updates)
    return all(v.owner is not None or isinstance(v, Constant) or v.type.dtype is None or v.id in taken for v in plan.variables)


def _sure(plan: OverwritePlan) -> int:
    """Number of last outputs that are certainly updates: those from an input returned unchanged on, of which a caller would get a copy."""
    results = plan.arrays
    bare = (k for k, v in enumerate(results) if plan.variables[v].owner is None and not isinstance(plan.variables[v], Constant))
    return len(results) - next(bare, len(results))


def _sets(plan: OverwritePlan, updates: list[int], sure: int, known: Inferred) -> Iterator[Destroy]:
    """Yields the destroy maps if all candidates are updates, or only the last ones; certain updates always are.

    The set of all comes second if it leaves no argument or no output for the caller, or if the last candidate does not look like an update.
    """
    tries = min(MAX_TRIES, max(LEAST_TRIES, MAX_STEPS // (len(plan.order) + 1)))
    sizes = range(len(updates), max(sure, len(updates) - tries), -1)
    rows = (inferred.destroy for inferred in _inferred(plan, [frozenset(updates[:n]) for n in sizes], known))
    first, second = next(rows, None), next(rows, None)
    if first is not None and second is not None:
        bare = len(updates) == len(plan.arrays) or _is_all(plan, updates) or not looks_trained(plan, first, second)
        yield from (second, first) if bare else (first, second)
    elif first is not None:
        yield first
    yield from rows


def _inferred(plan: OverwritePlan, sets: Iterable[frozenset[int]], known: Inferred) -> Iterator[Inferred]:
    for updated in sets:
        known = infer(plan, updated, known)
        yield known


def _explains(plan: OverwritePlan, destroy: Destroy) -> bool:
    """Whether the nodes are numbered as they would be with exactly these destroy maps."""
    before = waits(plan, destroy)
    if _are_numbered(plan, before):
        return True
    other = waits(plan, destroy, backwards=False) if any(len(row) > 1 for row in before.values()) else before
    return other != before and _are_numbered(plan, other)


def _are_numbered(plan: OverwritePlan, before: Mapping[int, Sequence[int]]) -> bool:
    return all(map(eq, plan.order, chain(number(plan, before), repeat(-1))))  # in a cycle of waiting nodes some get no number

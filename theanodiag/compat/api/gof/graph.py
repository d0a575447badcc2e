"""Serves `theano.gof.graph`: graph traversals with Theano's arguments and results."""

from collections import deque
from typing import Any, Callable, Dict, List, Optional, Set, Tuple

from pytensor.graph import utils
from pytensor.graph.basic import Apply, Constant, Node, Variable, as_string, equal_computations
from pytensor.graph.basic import clone_get_equiv as _clone_get_equiv
from pytensor.graph.op import io_connection_pattern

from ... import pytensor_versions as versions

__all__ = ["utils"]
NoParams = object()


def stack_search(start: Any, expand: Callable[[Any], Any], mode: str = "bfs", build_inv: bool = False) -> Any:
    """Returns the nodes that are reachable from `start` by calling `expand`, in breadth-first ("bfs") or depth-first ("dfs") order.

    With `build_inv`, also returns a dict: node -> the nodes from which it was reached. Raises ValueError for another mode.
    """
    if mode not in ("bfs", "dfs"):
        raise ValueError("mode should be bfs or dfs", mode)
    seen: Set[Any] = set()
    visited: List[Any] = []
    led: Dict[Any, List[Any]] = {}
    queue = deque(start)
    while queue:
        node = queue.popleft() if mode == "bfs" else queue.pop()
        if node in seen:
            continue
        seen.add(node)
        visited.append(node)
        for following in expand(node) or ():
            if build_inv:
                led.setdefault(following, []).append(node)
            if following not in seen:
                queue.append(following)
    return (visited, led) if build_inv else visited


def ancestors(variable_list: Any, blockers: Any = None) -> List[Any]:
    """Returns the Variables on which the listed ones depend, and the listed ones, in depth-first order. The ancestors of `blockers` are
    left out.
    """

    def expand(r: Any) -> Any:
        return reversed(r.owner.inputs) if r.owner and (not blockers or r not in blockers) else None

    return list(stack_search(deque(variable_list), expand, "dfs"))


def inputs(variable_list: Any, blockers: Any = None) -> List[Any]:
    """Returns the Variables without an owner on which the listed ones depend, constants included. The ancestors of `blockers` are
    left out.
    """
    return [r for r in ancestors(variable_list, blockers) if r.owner is None]


graph_inputs = inputs


def variables_and_orphans(i: Any, o: Any) -> Tuple[List[Any], List[Any]]:
    """Returns (Variables between the inputs `i` and the outputs `o`, those of them without an owner that are not in `i`)."""

    def expand(r: Any) -> Any:
        return list(reversed(list(r.owner.inputs) + list(r.owner.outputs))) if r.owner and r not in i else None

    reached = stack_search(deque(o), expand, "dfs")
    return reached, [r for r in reached if r.owner is None and r not in i]


def ops(i: Any, o: Any) -> Set[Any]:
    """Returns the Apply nodes between the inputs `i` and the outputs `o`."""
    variables, loose = variables_and_orphans(i, o)
    return {r.owner for r in variables if r not in i and r not in loose and r.owner is not None}


def variables(i: Any, o: Any) -> List[Any]:
    """Returns the Variables between the inputs `i` and the outputs `o`, both included."""
    return variables_and_orphans(i, o)[0]


def orphans(i: Any, o: Any) -> List[Any]:
    """Returns the Variables without an owner that `o` depends on and that are not in `i`."""
    return variables_and_orphans(i, o)[1]


def clone_get_equiv(
    inputs: Any, outputs: Any, copy_inputs: bool = True, copy_orphans: bool = True, memo: Optional[Dict[Any, Any]] = None
) -> Dict[Any, Any]:
    """Maps each Variable and node of the graph to its copy."""
    memo = {} if memo is None else memo
    for v in inputs:
        if copy_inputs and isinstance(v, Constant) and v not in memo:
            memo[v] = type(v)(v.type, v.data, name=v.name)  # PyTensor's copy would share the constant
    return dict(_clone_get_equiv(inputs, outputs, copy_inputs, copy_orphans, memo))


def clone(i: Any, o: Any, copy_inputs: bool = True, copy_orphans: Optional[bool] = None) -> Tuple[List[Any], List[Any]]:
    """Returns (inputs, outputs) of a copy of the graph between the inputs `i` and the outputs `o`."""
    equiv = clone_get_equiv(i, o, copy_inputs, copy_inputs if copy_orphans is None else copy_orphans)
    return [equiv[v] for v in i], [equiv[v] for v in o]


def general_toposort(
    outputs: Any, deps: Any, debug_print: bool = False, compute_deps_cache: Any = None, deps_cache: Any = None, clients: Any = None
) -> List[Any]:
    """Returns all nodes that `outputs` require according to `deps(node)`, in topological order.

    `clients` is filled with node -> its dependents. Raises ValueError for a cycle and TypeError if `deps` returns an unordered collection.
    """
    known: Dict[Any, List[Any]] = {} if deps_cache is None else deps_cache

    def needs(node: Any) -> List[Any]:
        if node not in known:
            given = deps(node)
            if given and not isinstance(given, (list, tuple)) and not hasattr(given, "__reversed__"):
                raise TypeError("Non-deterministic collections here make toposort non-deterministic.", type(given))
            known[node] = list(given) if given else []
        return known[node]

    reached, followers = stack_search(deque(outputs), needs, "dfs", True)
    if clients is not None:
        clients.update(followers)
    order: List[Any] = []
    ready = deque(node for node in reached if not known[node])
    waiting = {node: list(known[node]) for node in reached}
    done: Set[Any] = set()
    while ready:
        node = ready.popleft()
        if node in done:
            continue
        done.add(node)
        order.append(node)
        for follower in followers.get(node, ()):
            waiting[follower] = [n for n in waiting[follower] if n is not node and n != node]
            if not waiting[follower]:
                ready.append(follower)
    if len(order) != len(reached):
        raise ValueError("graph contains cycles")
    return order


def io_toposort(inputs: Any, outputs: Any, orderings: Any = None, clients: Any = None) -> List[Any]:
    """Returns the Apply nodes between inputs and outputs in topological order; `orderings` maps a node to additional nodes that must
    precede it.
    """
    given = set(inputs)
    if not orderings and clients is None:
        computed = set(inputs)
        todo = [o.owner for o in reversed(list(outputs)) if o.owner]
        order: List[Any] = []
        while todo:
            node = todo.pop()
            if node.outputs[0] in computed:
                continue
            if all(i in computed or i.owner is None for i in node.inputs):
                computed.update(node.outputs)
                order.append(node)
            else:
                todo.append(node)
                todo.extend(i.owner for i in node.inputs if i.owner)
        return order

    def deps(thing: Any) -> List[Any]:
        if thing in given:
            return []
        needed = ([thing.owner] if thing.owner else []) if isinstance(thing, Variable) else list(thing.inputs)
        extra = (orderings or {}).get(thing, [])
        if extra and not isinstance(extra, (list, tuple)) and not hasattr(extra, "__reversed__"):
            raise TypeError("Non-deterministic collections here make toposort non-deterministic.", type(extra))
        return needed + list(extra)

    return [node for node in general_toposort(outputs, deps, clients=clients) if isinstance(node, Apply)]


def default_leaf_formatter(leaf: Any) -> str:
    """str(leaf)."""
    return str(leaf)


def default_node_formatter(op: Any, argstrings: Any) -> str:
    """Returns `op(arguments)` for the node `op`, whose arguments are texts."""
    return "%s(%s)" % (op.op, ", ".join(argstrings))


def op_as_string(i: Any, op: Any, leaf_formatter: Any = default_leaf_formatter, node_formatter: Any = default_node_formatter) -> str:
    """Returns the text of the node `op`, with the Variables in `i` as leaves."""
    return str(node_formatter(op, as_string(i, op.inputs, leaf_formatter, node_formatter)))


def view_roots(r: Any) -> List[Any]:
    """Returns the Variables whose memory `r` views, found by following view_map; [r] if it is not a view."""
    owner = r.owner
    if owner is None:
        return [r]
    seen = {owner.outputs[o]: i for o, i in getattr(owner.op, "view_map", {}).items()}
    return [root for i in seen[r] for root in view_roots(owner.inputs[i])] if r in seen else [r]


def list_of_nodes(inputs: Any, outputs: Any) -> List[Any]:
    """Returns the Apply nodes between inputs and outputs, in breadth-first order from the outputs."""

    def expand(node: Any) -> List[Any]:
        return [i.owner for i in node.inputs if i.owner and not any(v in i.owner.outputs for v in inputs)]

    return list(stack_search(deque([o.owner for o in outputs]), expand))


def is_in_ancestors(l_node: Any, f_node: Any) -> bool:
    """Returns whether node `l_node` depends on node `f_node`."""
    return any(r.owner is f_node for r in ancestors(l_node.outputs))


def is_same_graph(var1: Any, var2: Any, givens: Any = None, debug: bool = False) -> bool:
    """Returns whether both Variables are computed in the same way, after the replacements in `givens` (a mapping or pairs)."""
    pairs = dict(givens or {})
    both = versions.clone_replace([var1, var2], replace=pairs) if pairs else [var1, var2]
    return bool(equal_computations(both[:1], both[1:]))


class CachedConstantError(Exception):
    """The error that Theano raised for a cached constant in a FunctionGraph. It is never raised here, because PyTensor has no
    such cache.
    """

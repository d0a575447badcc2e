"""Compiles a graph for one set of lengths and integer arguments, because JAX needs lengths as constants; and finds, without compiling
anything, the nodes of a graph that a compiler of PyTensor cannot convert.

JAX accepts as a length neither an integer argument nor a result computed from an array's lengths. Therefore the linker's graph is cloned
with these integers as constants and with static shapes, optimized again in mode JAX, and converted as the linker does (pytensor and aesara,
link/jax/linker.py).
"""

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live


REFUSALS = (TypeError, IndexError, ValueError, NotImplementedError)
"""Exceptions that pytensor's conversion and JAX's tracing raise if a length is not constant."""


def integers(variables: "Live") -> "list[int]":
    """Returns the positions of the inputs that are integer scalars."""
    return [i for i, v in enumerate(variables) if getattr(v.type, "ndim", None) == 0 and str(v.type.dtype).startswith(("int", "uint"))]


def for_values(linker: "Live", args: "Live") -> "tuple[Live, list[Live]]":
    """Makes a function for `jax.jit` with the integer inputs of `args` as constants. Returns it, to be called with the other arguments, and
    the nodes that it computes.
    """
    root = type(linker).__module__.split(".")[0]
    graph = linker.fgraph
    positions = integers(graph.inputs)
    known = dict((v, known_variable(root, v, args[i], i in positions)) for i, v in enumerate(graph.inputs))
    for node in graph.apply_nodes:
        node.tag.theanodiag_outputs = node.outputs
    outputs = module(root, "graph.replace").clone_replace(graph.outputs, known, rebuild_strict=False)
    left = [known[v] for i, v in enumerate(graph.inputs) if i not in positions]
    new = module(root, "graph.fg").FunctionGraph(left, outputs, clone=False)
    for node in new.apply_nodes:
        keep_places(node, getattr(node.tag, "theanodiag_outputs", []))
    vectors_of_tuples(root, new)
    module(root, "compile.mode").get_mode("JAX").optimizer.rewrite(new)
    return module(root, "link.jax.dispatch").jax_funcify(new), new.toposort()


def keep_places(node: "Live", earlier: "list[Live]") -> None:
    """Copies names and source lines from a node's earlier outputs to its present outputs, after the node was rebuilt for other types."""
    for new, old in zip(node.outputs, earlier):
        new.name = new.name or old.name
        if hasattr(old.tag, "trace"):
            new.tag.trace = old.tag.trace


def vectors_of_tuples(root: str, graph: "Live") -> None:
    """Replaces each JAXShapeTuple by MakeVector. The JAX optimizations turn vectors of lengths into JAXShapeTuple, which cannot be
    constant-folded.
    """
    for node in graph.toposort():
        if type(node.op).__name__ == "JAXShapeTuple":
            vector = module(root, "tensor.basic").MakeVector(node.outputs[0].type.dtype)(*node.inputs)
            graph.replace(node.outputs[0], vector, reason="constants")


def known_variable(root: str, variable: "Live", value: "Live", constant: bool) -> "Live":
    """Returns an input as a Constant if `constant`, else with the static shape of its value; random generators are unchanged."""
    if constant:
        return module(root, "tensor.basic").constant(value, dtype=variable.type.dtype)
    if not hasattr(variable.type, "ndim") or not hasattr(value, "shape"):
        return variable
    return variable.type.clone(shape=tuple(int(n) for n in value.shape))(variable.name)


def module(root: str, name: str) -> "Live":
    """Imports the module `name` of the framework's package `root`."""
    return importlib.import_module(root + "." + name)


FUNCIFY = {"jax": ("link.jax.dispatch", "jax_funcify"), "pytorch": ("link.pytorch.dispatch", "pytorch_funcify")}
"""Linker -> module and function that convert an Op."""
NUMBA = ("numba_funcify", "numba_funcify_default_op_cache_key", "numba_funcify_and_cache_key")
"""Tables of numba's implementations, by the names of various releases."""
OBJECT_MODE = "it runs in Python, between two compiled pieces"
"""The reason for a node without an implementation in numba."""


def missing(graph: "Live", linker: str) -> "Iterator[tuple[Live, str, str]]":
    """Yields (first output, text of the Op, reason) for each node that `linker` cannot convert to its library."""
    root = type(graph).__module__.split(".")[0]
    why = by_numba(root) if linker == "numba" else by_conversion(root, linker)
    for node in graph.toposort():
        reason = why(node)
        if reason is not None:
            yield node.outputs[0], str(node.op), reason


def by_conversion(root: str, linker: str) -> "Callable[[Live], str | None]":
    """Returns a function that checks one node by converting it as the linker does: an Op without code raises NotImplementedError."""
    place, name = FUNCIFY[linker]
    funcify = getattr(module(root, place), name)

    def why(node: "Live") -> "str | None":
        try:
            funcify(node.op, node=node)
        except NotImplementedError as error:
            return str(error).strip().split("\n")[0][:300] or "it is not implemented"
        except Exception:  # the conversion needs more than the node alone
            return None
        return None

    return why


def by_numba(root: str) -> "Callable[[Live], str | None]":
    """Returns a function that checks one node by looking up its Op in the tables of numba's implementations."""
    dispatch = module(root, "link.numba.dispatch.basic")
    tables = [getattr(dispatch, name) for name in NUMBA if hasattr(dispatch, name)]

    def why(node: "Live") -> "str | None":
        known = any(table.dispatch(type(node.op)) is not table.dispatch(object) for table in tables)
        return None if known else OBJECT_MODE

    return why


def statement(error: BaseException, graph: "Live") -> "Live":
    """Returns the Variable computed by the line of PyTensor's generated function that raised `error`; None if unknown.

    PyTensor generates a function with one line for each node, in topological order, each below a comment.
    """
    import linecache

    trace = error.__traceback__
    while trace is not None and not trace.tb_frame.f_code.co_name.endswith("_funcified_fgraph"):
        trace = trace.tb_next
    if trace is None:
        return None
    code = trace.tb_frame.f_code
    lines = [linecache.getline(code.co_filename, n).strip() for n in range(code.co_firstlineno + 1, trace.tb_lineno + 1)]
    number = len([line for line in lines if line and not line.startswith("#")]) - 1
    nodes = graph.toposort()
    return nodes[number].outputs[0] if 0 <= number < len(nodes) else None

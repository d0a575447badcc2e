"""Finds the nodes of a graph that a compiler of PyTensor cannot convert, without compiling anything."""

from .jax_constants import module

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live

FUNCIFY = {"jax": ("link.jax.dispatch", "jax_funcify"), "pytorch": ("link.pytorch.dispatch", "pytorch_funcify")}
"""Linker -> module and function that convert an Op."""
NUMBA = ("numba_funcify", "numba_funcify_default_op_cache_key", "numba_funcify_and_cache_key")
"""Tables of numba's implementations, by the names of various releases."""
OBJECT_MODE = "it runs in Python, between two compiled pieces"
"""The reason for a node without an implementation in numba."""


def missing(graph: "Live", linker: str) -> "Iterator[tuple[Live, str, str]]":
    """(first output, text of the Op, reason) of each node that `linker` cannot convert."""
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
    """The Variable computed by the line of the generated function that raised `error`; None if unknown.

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

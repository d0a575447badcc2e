"""Compiles a graph for one set of lengths and integer arguments, where JAX needs lengths as constants.

JAX takes neither what is computed from an array's lengths nor integer arguments as a length. Therefore the linker's graph is cloned with
these integers as constants and with static shapes, rewritten again in mode JAX, and converted as the linker does it (pytensor and aesara,
link/jax/linker.py).
"""

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

REFUSALS = (TypeError, IndexError, ValueError, NotImplementedError)
"""The exceptions of pytensor's conversion and of JAX's tracing where a length is not constant."""


def integers(variables: "Live") -> "list[int]":
    """Positions of the inputs that are zero-dimensional integers."""
    return [i for i, v in enumerate(variables) if getattr(v.type, "ndim", None) == 0 and str(v.type.dtype).startswith(("int", "uint"))]


def for_values(linker: "Live", args: "Live") -> "tuple[Live, list[Live]]":
    """A function for `jax.jit` with the integer inputs of `args` as constants, which takes the other arguments; the nodes it computes."""
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
    """Gives the outputs of a node, made anew for other types, the names and places in the source of those before."""
    for new, old in zip(node.outputs, earlier):
        new.name = new.name or old.name
        if hasattr(old.tag, "trace"):
            new.tag.trace = old.tag.trace


def vectors_of_tuples(root: str, graph: "Live") -> None:
    """Replaces JAXShapeTuple, which the rewriting for JAX made of vectors of lengths, by MakeVector again, because only that is
    constant-folded.
    """
    for node in graph.toposort():
        if type(node.op).__name__ == "JAXShapeTuple":
            vector = module(root, "tensor.basic").MakeVector(node.outputs[0].type.dtype)(*node.inputs)
            graph.replace(node.outputs[0], vector, reason="constants")


def known_variable(root: str, variable: "Live", value: "Live", constant: bool) -> "Live":
    """An input as a Constant if `constant`, else with the static shape of its value; random generators are unchanged."""
    if constant:
        return module(root, "tensor.basic").constant(value, dtype=variable.type.dtype)
    if not hasattr(variable.type, "ndim") or not hasattr(value, "shape"):
        return variable
    return variable.type.clone(shape=tuple(int(n) for n in value.shape))(variable.name)


def module(root: str, name: str) -> "Live":
    """Imports module `name` below the framework's package `root`."""
    return importlib.import_module(root + "." + name)

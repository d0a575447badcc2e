"""A function for one set of lengths and integer arguments, which JAX can then compile: it takes lengths from constants only.

What is computed from an array's lengths is no constant for it, and neither are integers that decide a length.

The graph that the linker has is made anew with these values as constants and the lengths of all arrays, rewritten once more in mode JAX,
and converted as the linker converts it (pytensor and aesara, link/jax/linker.py).
"""

import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live

REFUSALS = (TypeError, IndexError, ValueError, NotImplementedError)
"""What pytensor raises while it converts a graph, and JAX while it traces one, where a length is no constant."""


def integers(variables: "Live") -> "list[int]":
    """Positions of the inputs that are single integers."""
    return [i for i, v in enumerate(variables) if getattr(v.type, "ndim", None) == 0 and str(v.type.dtype).startswith(("int", "uint"))]


def for_values(linker: "Live", args: "Live") -> "Live":
    """The function for `jax.jit` that takes the arguments that are no single integers."""
    root = type(linker).__module__.split(".")[0]
    graph = linker.fgraph
    positions = integers(graph.inputs)
    known = dict((v, known_variable(root, v, args[i], i in positions)) for i, v in enumerate(graph.inputs))
    outputs = module(root, "graph.replace").clone_replace(graph.outputs, known, rebuild_strict=False)
    left = [known[v] for i, v in enumerate(graph.inputs) if i not in positions]
    new = module(root, "graph.fg").FunctionGraph(left, outputs, clone=False)
    vectors_of_tuples(root, new)
    module(root, "compile.mode").get_mode("JAX").optimizer.rewrite(new)
    return module(root, "link.jax.dispatch").jax_funcify(new)


def vectors_of_tuples(root: str, graph: "Live") -> None:
    """Takes back what the rewriting for JAX put in the place of vectors of lengths: it cannot be computed, and so is no constant ever."""
    for node in graph.toposort():
        if type(node.op).__name__ == "JAXShapeTuple":
            vector = module(root, "tensor.basic").MakeVector(node.outputs[0].type.dtype)(*node.inputs)
            graph.replace(node.outputs[0], vector, reason="constants")


def known_variable(root: str, variable: "Live", value: "Live", constant: bool) -> "Live":
    """An input as a constant, or with the lengths that its value has; random generators stay."""
    if constant:
        return module(root, "tensor.basic").constant(value, dtype=variable.type.dtype)
    if not hasattr(variable.type, "ndim") or not hasattr(value, "shape"):
        return variable
    return variable.type.clone(shape=tuple(int(n) for n in value.shape))(variable.name)


def module(root: str, name: str) -> "Live":
    """A module of the framework."""
    return importlib.import_module(root + "." + name)

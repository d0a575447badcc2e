"""Predicts bytes of arguments and results of a function compiled in one piece from the shapes of its Variables.

XLA drops arguments that nothing computes with: those of which only the shape is used, and lengths that the linker compiles in. A function
of several results returns a tuple, whose table of pointers counts as output (8 bytes each: CompiledMemoryStats of jaxlib). JAX narrows
64-bit types unless floatX is float64 (pytensor and aesara, link/jax/dispatch/basic.py); with float64 it computes some 32-bit values of the
graph in 64 bits (a sum with a wider accumulator, Python numbers). Therefore the dtypes that the compiler reports are used where it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Union

from ..ir import FunctionGraph, ShapeTable, Unknown, nbytes
from ..memory.xla.conversion import LEAVES, NARROW, POINTER, GeneratorState, is_generator, used
from .compiled_reading import ARGUMENTS, OUTPUTS, XLA_ARGUMENTS, XLA_OUTPUTS
from .model import Bytes, CompiledWhole


def sizes(
    graph: FunctionGraph, shapes: ShapeTable, figures: Mapping[str, Bytes], float_x: object, whole: CompiledWhole | None = None
) -> dict[str, Bytes]:
    """Figure -> predicted bytes, for those of `figures` that follow from shapes. They are JAX's if XLA's own are among `figures`, else
    torch's.

    `float_x` is the flag floatX; `whole`: how the compiler took the function, if it reported that.
    """
    whole = whole or CompiledWhole()
    if ARGUMENTS not in figures:
        return {}
    xla = XLA_ARGUMENTS in figures
    narrow = NARROW if xla and str(float_x) != "float64" else {}
    inputs = _typed(graph, [i.variable for i in graph.inputs], whole.arguments, narrow)
    taken = [row for k, row in enumerate(inputs) if k not in whole.constants and (not xla or used(graph, row[0]))]
    state = GeneratorState(8 if narrow == {} else 4, any(is_generator(graph, v) for v in graph.outputs)) if xla else None
    results = _typed(graph, graph.outputs, whole.results, narrow)
    arguments, outputs = total(graph, shapes, taken, state), total(graph, shapes, results, state)
    pieces = len(graph.outputs) + (LEAVES - 1) * sum(is_generator(graph, v) for v in graph.outputs)
    table = POINTER * pieces if pieces > 1 else 0
    with_table = outputs if isinstance(outputs, Unknown) else outputs + table
    return {ARGUMENTS: arguments, OUTPUTS: outputs, XLA_ARGUMENTS: arguments, XLA_OUTPUTS: with_table}


Typed = tuple[int, Union[str, None]]
"""A Variable's id and its dtype; None: it is no array."""


def _typed(graph: FunctionGraph, variables: Sequence[int], told: Sequence[str | None], narrow: Mapping[str, str]) -> list[Typed]:
    """The Variables, each with the dtype that the compiler reported, else its own, narrowed by `narrow`."""
    own = [graph.variables[v].type.dtype for v in variables]
    known = told if len(told) == len(variables) else [None] * len(variables)
    return [(v, said or (dtype and narrow.get(dtype, dtype))) for v, said, dtype in zip(variables, known, own)]


def total(graph: FunctionGraph, shapes: ShapeTable, variables: Iterable[Typed], state: GeneratorState | None) -> Bytes:
    """Bytes of all these Variables together; Unknown where one is. `state`: the size of a random generator's state."""
    found = 0
    for variable, dtype in variables:
        if state is not None and is_generator(graph, variable):
            found += state.nbytes
            continue
        if dtype is None:
            return Unknown(f"{graph.variables[variable].type.text} is no array")
        size = nbytes(shapes.shape(variable), dtype)
        if isinstance(size, Unknown):
            return size
        found += size
    return found

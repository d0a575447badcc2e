"""TD004: the engine has no code for an Op, or does not take a length that is computed

What it finds
    Nodes that JAX, torch or numba cannot run: Ops that PyTensor does not translate for them, and lengths that JAX takes only as constants.

Why it matters
    In mode JAX or PYTORCH the real function raises at its first call, whatever it needs. numba runs such an Op in Python.

Example
    `x[:n]` with n an argument: JAX compiles a function for one length, and has none here.

What to do
    For an Op: compute it before or after the function, or in another way; or register a translation (`jax_funcify.register`). For a
    length: write it as a number, give the variable a static shape (`pt.tensor("x", shape=(128, 784))`), or select with a mask.

Limits
    What is compiled only at the first call is found by compiling; a function that is never called is not checked.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...findings import Confidence, Finding, Fix, Severity
from ...memory.script import CompiledFunction, Uncovered
from ..base import Rule
from ..examples import dot_script, subject
from ..subject import ScriptSubject

NAMES = {"jax": "JAX", "pytorch": "torch", "numba": "numba"}


def check(s: ScriptSubject) -> Iterator[Finding]:
    """One finding for each node that the function's compiler does not support; for equal Ops in a function, only the first."""
    for function in s.script.functions:
        seen: set[tuple[str | None, str]] = set()
        of_nodes = {row.reason for row in function.uncovered if row.op is not None}
        for row in function.uncovered:
            if row.op is None and row.reason in of_nodes:
                continue  # the compiler stopped at a node that is named already
            kind = (row.op, row.reason if row.op is None else "")
            if kind not in seen:
                seen.add(kind)
                yield _finding(s, function, row)


def _finding(s: ScriptSubject, function: CompiledFunction, row: Uncovered) -> Finding:
    who = NAMES.get(row.linker, row.linker)
    known = row.variable is not None and row.variable < len(function.graph.variables)
    variable = function.graph.variables[row.variable] if known and row.variable is not None else None
    place = s.place((variable.site if variable else None) or function.site, variable.name if variable else None)
    severity = Severity.WARNING if row.linker == "numba" else Severity.ERROR
    if row.op is not None:
        message = f"{function.name}: {who} has no code for {row.op}: {row.reason}"
    else:
        message = f"{function.name}: {who} does not compile it as it is: {row.reason}"
    fix = _fix(row)
    return Finding("TD004", severity, Confidence.DERIVED, message, place, fix)


def _fix(row: Uncovered) -> Fix:
    """What to write instead."""
    op = (row.op or "").partition("{")[0]
    if op == "ARange":
        return Fix("give arange numbers, not variables", code="pt.arange(100)  # your own length")
    if op == "Nonzero":
        return Fix("select with a mask of the same length", code="pt.where(mask, x, 0).sum()  # instead of x[mask].sum()")
    if row.op is None:
        return Fix("give it its length as a number", code='x = pt.tensor("x", shape=(128, 784), dtype=config.floatX)  # your own lengths')
    if row.linker == "numba":
        return Fix("leave it so, or register code for it: pytensor.link.numba.dispatch.numba_funcify")
    name = "pytorch" if row.linker == "pytorch" else "jax"
    return Fix(f"compute it outside of this function, or register code for it: pytensor.link.{name}.dispatch.{name}_funcify.register")


def _uncovered() -> ScriptSubject:
    script = dot_script(4, 10)
    row = Uncovered("jax", 2, "Strange", "No JAX conversion for the given `Op`: Strange")
    return subject(replace(script, functions=tuple(replace(f, uncovered=(row,)) for f in script.functions)))


RULE = Rule(
    "TD004",
    "not-on-engine",
    check,
    __doc__,
    fires=_uncovered,
    silent=lambda: subject(dot_script(4, 10)),
)

"""Writes chunking as code to paste: with ChunkedShared, and as a loop in plain numpy."""

from __future__ import annotations

from ...findings import identifier
from ...ir import Role
from ...memory.script import CompiledFunction, Script
from ..axes import argument_name
from .clients import CutKind
from .plan import ChunkPlan, Chunks

ROUND_BYTES = 64
"""Rounding of the allocator."""


def code(script: Script, plan: ChunkPlan, library: str) -> str:
    """The code for all chunks of a plan; `library` is the name of the framework's module."""
    return "\n".join(line for c in plan.chunks for line in _lines(script, c, library))


def names(script: Script, c: Chunks) -> list[str]:
    """Identifiers for the shared variables that are cut."""
    return [identifier(script.shared[i].name, f"shared_{i}") for i in c.cut.shared]


def budget(c: Chunks) -> int:
    """Maximum bytes of the chunks, each rounded up as the allocator does."""
    return -(-c.chunk_bytes // ROUND_BYTES) * ROUND_BYTES + (len(c.cut.shared) - 1) * ROUND_BYTES


def _arguments(script: Script, reader: CompiledFunction) -> list[str]:
    """Identifiers for the arguments of a function."""
    given = (i.variable for i in reader.graph.inputs if i.role is not Role.SHARED)
    return [identifier(argument_name(script, reader.index, v), "argument") for v in given]


def _lines(script: Script, c: Chunks, library: str) -> list[str]:
    if c.cut.way is CutKind.PARTS:
        return _parts(script, c)
    if c.cut.way is not CutKind.ROWS:
        return _product(script, c)
    named = names(script, c)
    reader = next((f for f in script.functions if any(i.shared in c.cut.shared for i in f.graph.inputs)), None)
    call = identifier(reader.name if reader else None, "train")
    loads = [f"    {n}.set_value(host_{n}[first:first + {c.chunk}], borrow=True)" for n in named]
    return [
        *(f"# host_{n}: all of {n}, as a numpy array" for n in named),
        "data = theanodiag.ChunkedShared.group({",
        *(f'    "{n}": host_{n},' for n in named),
        f"}}, budget={budget(c)}, batch={c.cut.step}, library={library})",
        *(f'{n} = data.variables["{n}"]  # in place of the shared variable' for n in named),
        "for batch in data.batches():",
        f"    {call}(batch.index)",
        "# or in numpy alone; the last chunk overlaps the one before:",
        f"for first in range(0, {c.cut.rows}, {c.chunk}):",
        f"    first = min(first, {c.cut.rows - c.chunk})",
        *loads,
        f"    for index in range({max(1, c.chunk // c.cut.step)}):",
        f"        {call}(index)",
    ]


def _parts(script: Script, c: Chunks) -> list[str]:
    """Code for data that is read whole: a loop over parts."""
    reader = next(f for f in script.functions if any(i.shared in c.cut.shared for i in f.graph.inputs))
    arguments = ", ".join(_arguments(script, reader))
    loads = [f"    {n}.set_value(host_{n}[first:first + {c.chunk}], borrow=True)" for n in names(script, c)]
    return [
        *(f"# host_{n}: all of {n}, as a numpy array; {n} itself begins as its first part" for n in names(script, c)),
        "results = []",
        f"for first in range(0, {c.cut.rows}, {c.chunk}):",
        *([f"    first = min(first, {c.cut.rows - c.chunk})  # the last part overlaps"] if c.cut.rows % c.chunk else []),
        *loads,
        f"    results.append({identifier(reader.name, 'function')}({arguments}))",
    ]


def _product(script: Script, c: Chunks) -> list[str]:
    """Code for weights: a loop over parts whose results are joined."""
    (name,) = names(script, c)
    inner, uneven = c.cut.way is CutKind.INNER, bool(c.cut.rows % c.chunk)
    rest = uneven and not inner
    reader = next(f for f in script.functions if any(i.shared in c.cut.shared for i in f.graph.inputs))
    arguments = ", ".join(_arguments(script, reader))
    part = f"[first:first + {c.chunk}]" if inner else f"[..., first:first + {c.chunk}]"
    whole = "sum(parts)" if inner else "numpy.concatenate(parts, axis=-1)"
    return [
        f"# host_{name}: all of {name}, as a numpy array; {name} itself begins as its first part",
        "parts = []",
        f"for first in range(0, {c.cut.rows}, {c.chunk}):  # cut what is added to it too",
        *([f"    first = min(first, {c.cut.rows - c.chunk})  # it overlaps: keep what is new"] if rest else []),
        f"    {name}.set_value(host_{name}{part}, borrow=True)" + ("  # pad the last one" if inner and uneven else ""),
        f"    parts.append({identifier(reader.name, 'function')}({arguments}))",
        f"result = {whole}",
    ]

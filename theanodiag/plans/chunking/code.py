"""Writes chunking as code to paste: with ChunkedShared, and as a loop in plain numpy."""

from __future__ import annotations

from dataclasses import dataclass

from ...findings import identifier
from ...ir import Role
from ...memory.script import CompiledFunction, Script
from ..resize import argument_name
from .clients import CutKind
from .plan import ChunkPlan, Chunks

ROUND_BYTES = 64
"""Rounding of the allocator."""


def code(script: Script, plan: ChunkPlan, library: str) -> str:
    """The code for all chunks of a plan; `library` is the name of the framework's module."""
    return "\n".join(line for c in plan.chunks for line in _lines(script, c, library))


@dataclass(frozen=True)
class Name:
    """The names that the code to paste uses for a shared variable."""

    expression: str
    """How the script refers to it: `data.x`."""
    word: str
    """An identifier for what belongs to it: `data_x`, its values on the host being `host_data_x`."""


def names(script: Script, c: Chunks) -> list[Name]:
    """The names of the shared variables that are cut into chunks. Those that a loop creates one after the other have one name."""
    found: dict[str, Name] = {}
    for i in c.cut.shared:
        variable = script.shared[i]
        word = identifier(variable.expression or variable.name, f"shared_{i}")
        found[word] = Name(variable.expression or word, word)
    return list(found.values())


def budget(c: Chunks, groups: int = 1) -> int:
    """Maximum bytes of the chunks, each rounded up as the allocator does; of one of several groups of as many variables."""
    most, variables = c.chunk_bytes // groups, len(c.cut.shared) // groups
    return -(-most // ROUND_BYTES) * ROUND_BYTES + (variables - 1) * ROUND_BYTES


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
    return [
        *(f"# host_{n.word}: all of {n.expression}, as a numpy array" for n in named),
        "chunked = theanodiag.ChunkedShared.group({",
        *(f'    "{n.word}": host_{n.word},' for n in named),
        f"}}, budget={budget(c, len(c.cut.shared) // len(named))}, batch={c.cut.step}, library={library})",
        *(f'{n.expression} = chunked.variables["{n.word}"]  # in place of the shared variable' for n in named),
        "for batch in chunked.batches():",
        f"    {call}(batch.index)",
        "# or in numpy alone; the last chunk overlaps the one before:",
        f"for first in range(0, {c.cut.rows}, {c.chunk}):",
        f"    first = min(first, {c.cut.rows - c.chunk})",
        *(_load(n, c) for n in named),
        f"    for index in range({max(1, c.chunk // c.cut.step)}):",
        f"        {call}(index)",
    ]


def _parts(script: Script, c: Chunks) -> list[str]:
    """Code for data that is read whole: a loop over parts."""
    reader = next(f for f in script.functions if any(i.shared in c.cut.shared for i in f.graph.inputs))
    arguments = ", ".join(_arguments(script, reader))
    named = names(script, c)
    return [
        *map(_host, named),
        "results = []",
        f"for first in range(0, {c.cut.rows}, {c.chunk}):",
        *([f"    first = min(first, {c.cut.rows - c.chunk})  # the last part overlaps"] if c.cut.rows % c.chunk else []),
        *(_load(n, c) for n in named),
        f"    results.append({identifier(reader.name, 'function')}({arguments}))",
    ]


def _host(name: Name) -> str:
    """A comment that names the array on the host and the part on the device."""
    return f"# host_{name.word}: all of {name.expression}, as a numpy array; {name.expression} itself begins as its first part"


def _load(name: Name, c: Chunks) -> str:
    """The line that loads a chunk of rows."""
    return f"    {name.expression}.set_value(host_{name.word}[first:first + {c.chunk}], borrow=True)"


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
        _host(name),
        "parts = []",
        f"for first in range(0, {c.cut.rows}, {c.chunk}):  # cut what is added to it too",
        *([f"    first = min(first, {c.cut.rows - c.chunk})  # it overlaps: keep what is new"] if rest else []),
        f"    {name.expression}.set_value(host_{name.word}{part}, borrow=True)" + ("  # pad the last one" if inner and uneven else ""),
        f"    parts.append({identifier(reader.name, 'function')}({arguments}))",
        f"result = {whole}",
    ]

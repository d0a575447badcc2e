"""Writes chunking as code to paste: with ChunkedShared, and as a loop in plain numpy."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from ...findings import identifier
from ...ir import Apply, Constant, FunctionGraph, Role, ShapeTable, Unknown
from ...memory.script import CompiledFunction, Script
from ...ops import op_info
from ..resize import argument_name
from ..script_names import called_as, outside
from ..shape_replay import only_number, scalars_behind
from .clients import CutKind, is_cast, parts, reads
from .plan import ChunkPlan, Chunks

ROUND_BYTES = 64
"""Rounding of the allocator."""


def code(script: Script, plan: ChunkPlan, library: str, source: str = "") -> str:
    """The code for all chunks of a plan; `library` is the name of the framework's module, `source` the text of the script."""
    return "\n".join(line for c in plan.chunks for line in _lines(script, c, library, source))


@dataclass(frozen=True)
class Name:
    """The names that the code to paste uses for a shared variable."""

    expression: str
    """How the script refers to it: `data.x`."""
    created: str
    """How it does so where it creates it: `self.x`."""
    word: str
    """An identifier for what belongs to it: `data_x`, its values on the host being `host_data_x`."""


def names(script: Script, c: Chunks, source: str) -> list[Name]:
    """The names of the shared variables that are cut into chunks. Those that a loop creates one after the other have one name."""
    found: dict[str, Name] = {}
    for i in c.cut.shared:
        variable = script.shared[i]
        created = variable.expression or identifier(variable.name, f"shared_{i}")
        word = identifier(created.removeprefix("self."), f"shared_{i}")
        found[word] = Name(outside(source, created), created, word)
    return list(found.values())


def budget(c: Chunks, groups: int = 1) -> int:
    """Maximum bytes of the chunks, each rounded up as the allocator does; of one of several groups of as many variables."""
    most, variables = c.chunk_bytes // groups, len(c.cut.shared) // groups
    return -(-most // ROUND_BYTES) * ROUND_BYTES + (variables - 1) * ROUND_BYTES


class Argument(enum.Enum):
    """What an argument of a function that reads rows says of them: (in a loop of ChunkedShared, in a loop of numpy), to be formatted with
    the argument's `name`, its `dtype` and the `batch`.
    """

    INDEX = ("batch.index", "index")
    """Number of the batch."""
    START = ("batch.start", "index * {batch}")
    """The first row."""
    STOP = ("batch.stop", "(index + 1) * {batch}")
    """The row after the last."""
    NUMBERS = (
        'numpy.arange(batch.start, batch.stop, dtype="{dtype}")',
        'numpy.arange(index * {batch}, (index + 1) * {batch}, dtype="{dtype}")',
    )
    """The numbers of the rows."""
    VALUES = ("host_{name}[batch.rows]", "host_{name}[first + index * {batch}:first + (index + 1) * {batch}]")
    """Values of its own for each row."""
    OTHER = ("{name}", "{name}")
    """Nothing."""


def find_reader(script: Script, c: Chunks) -> CompiledFunction:
    """The function that is called for each batch of the rows: one that trains, if any does."""
    readers = [f for f in script.functions if any(i.shared in c.cut.shared for i in f.graph.inputs)]
    return next((f for f in readers if any(i.update is not None for i in f.graph.inputs)), readers[0])


def arguments_of(script: Script, c: Chunks, reader: CompiledFunction) -> list[tuple[str, str, Argument]]:
    """(name, dtype, what it says of the rows) of each argument of a function that reads rows of the variables that are cut."""
    graph, call = reader.graph, next(iter(script.calls(reader.index)), None)
    found: dict[int, Argument] = {}
    rows = None
    for shared in c.cut.shared if call is not None else ():
        row_reads = reads(script, shared, 0)
        for read in () if isinstance(row_reads, Unknown) else row_reads:
            node = graph.maker(read.variable) if (read.way, read.function) == (CutKind.ROWS, reader.index) else None
            if node is not None and call is not None:
                shape = call.shapes.shape(read.variable)
                rows = shape[read.axis] if isinstance(shape, tuple) and read.axis is not None else rows
                found.update(_of_read(graph, node, call.shapes, rows))
    result = []
    for v in _given(graph):
        name = identifier(argument_name(script, reader.index, v), "argument")
        shape = call.shapes.shape(v) if call is not None else ()
        with_rows = isinstance(shape, tuple) and shape[:1] == (rows,) and isinstance(rows, int) and rows > 1
        kind = found.get(v) or (Argument.VALUES if with_rows else Argument.OTHER)
        result.append((name, graph.variables[v].type.dtype or "int64", kind))
    return result


def _of_read(graph: FunctionGraph, node: Apply, table: ShapeTable, rows: object) -> Iterator[tuple[int, Argument]]:
    """Yields the arguments from which a node knows which rows to read, with what they say."""
    if not node.op.name.endswith("Subtensor"):  # AdvancedSubtensor, AdvancedSubtensor1
        source = _source(graph, node.inputs[1])
        if source is not None:
            yield source, Argument.NUMBERS
        return
    entries, inputs = node.op.params.get("idx_list"), iter(node.inputs[1:])
    bounds = [[next(inputs) if part == "i" else None for part in parts(e)] for e in (entries if isinstance(entries, list) else [])]
    moving = (e for e in bounds if any(v is not None and not isinstance(graph.variables[v], Constant) for v in e))
    given = next(moving, [None])
    kinds = (Argument.START, Argument.STOP) if len(given) > 1 else (Argument.INDEX,)
    direct = {s: kind for v, kind in zip(given, kinds) if v is not None and (s := _source(graph, v)) is not None}
    if given[0] is None or _source(graph, given[0]) in direct:
        yield from direct.items()
        return
    behind = scalars_behind(graph, [v for v in given if v is not None])
    numbers = [v for v in behind if v in _given(graph) and only_number(table.values.get(v)) != rows]
    if len(numbers) == 1:
        yield numbers[0], Argument.INDEX


def _source(graph: FunctionGraph, variable: int) -> int | None:
    """The argument of which a Variable is a copy or a cast; None if it is computed."""
    while (node := graph.maker(variable)) is not None:
        name = node.op.name.removeprefix("Gpu")
        if not (
            op_info(node.op.name).hands_on or name in ("ScalarFromTensor", "TensorFromScalar") or (name == "Elemwise" and is_cast(node))
        ):
            return None
        variable = node.inputs[0]
    return variable if variable in _given(graph) else None


def _arguments(script: Script, reader: CompiledFunction) -> list[str]:
    """Identifiers for the arguments of a function."""
    return [identifier(argument_name(script, reader.index, v), "argument") for v in _given(reader.graph)]


def _given(graph: FunctionGraph) -> list[int]:
    """Ids of the inputs that are no shared variables."""
    return [i.variable for i in graph.inputs if i.role is not Role.SHARED]


def _lines(script: Script, c: Chunks, library: str, source: str) -> list[str]:
    if c.cut.way is CutKind.PARTS:
        return _parts(script, c, source)
    if c.cut.way is not CutKind.ROWS:
        return _product(script, c, source)
    named, reader = names(script, c, source), find_reader(script, c)
    function, arguments = called_as(source, identifier(reader.name, "train")), arguments_of(script, c, reader)
    chunked, plain = (
        f"{function}({', '.join(kind.value[k].format(name=n, dtype=t, batch=c.cut.step) for n, t, kind in arguments)})" for k in (0, 1)
    )
    shuffled = ", shuffle_seed=0" if any(kind is Argument.NUMBERS for _, _, kind in arguments) else ""
    return [
        *(f"# host_{n.word}: all of {n.expression}, as a numpy array" for n in named),
        *(f"# host_{n}: all that {n} is called with in an epoch, as a numpy array" for n, _, kind in arguments if kind is Argument.VALUES),
        "chunked = theanodiag.ChunkedShared.group({",
        *(f'    "{n.word}": host_{n.word},' for n in named),
        f"}}, budget={budget(c, len(c.cut.shared) // len(named))}, batch={c.cut.step}{shuffled}, library={library})",
        *(f'{n.created} = chunked.variables["{n.word}"]  # in place of the shared variable' for n in named),
        *(f"# then, where {function} is called:" for _ in named[:1] if named[0].created != named[0].expression),
        "for batch in chunked.batches():",
        f"    {chunked}",
        "# or in numpy alone; the last chunk overlaps the one before, whose batches it leaves out:",
        f"for start in range(0, {c.cut.rows}, {c.chunk}):",
        f"    first = min(start, {c.cut.rows - c.chunk})",
        *(_load(n, c) for n in named),
        f"    for index in range((start - first) // {c.cut.step}, {max(1, c.chunk // c.cut.step)}):",
        f"        {plain}",
    ]


def _parts(script: Script, c: Chunks, source: str) -> list[str]:
    """Code for data that is read whole: a loop over parts."""
    reader = next(f for f in script.functions if any(i.shared in c.cut.shared for i in f.graph.inputs))
    arguments = ", ".join(_arguments(script, reader))
    named = names(script, c, source)
    return [
        *map(_host, named),
        "results = []",
        f"for first in range(0, {c.cut.rows}, {c.chunk}):",
        *([f"    first = min(first, {c.cut.rows - c.chunk})  # the last part overlaps: keep what is new"] if c.cut.rows % c.chunk else []),
        *(_load(n, c) for n in named),
        f"    results.append({called_as(source, identifier(reader.name, 'function'))}({arguments}))",
    ]


def _host(name: Name) -> str:
    """A comment that names the array on the host and the part on the device."""
    return f"# host_{name.word}: all of {name.expression}, as a numpy array; {name.expression} itself begins as its first part"


def _load(name: Name, c: Chunks) -> str:
    """The line that loads a chunk of rows."""
    return f"    {name.expression}.set_value(host_{name.word}[first:first + {c.chunk}], borrow=True)"


def _product(script: Script, c: Chunks, source: str) -> list[str]:
    """Code for weights: a loop over parts whose results are joined."""
    (name,) = names(script, c, source)
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
        f"    parts.append({called_as(source, identifier(reader.name, 'function'))}({arguments}))",
        f"result = {whole}",
    ]

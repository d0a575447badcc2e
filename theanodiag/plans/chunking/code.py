"""Writes chunking as code to paste: a loop in plain numpy, in the names of the script, which needs nothing else."""

from __future__ import annotations

import ast
import copy
import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...findings import identifier
from ...ir import Apply, Constant, FunctionGraph, Role, ShapeTable, Unknown
from ...memory.script import Call, CompiledFunction, Create, Script
from ...ops import op_info
from ..cells import line_of
from ..compiling import covers
from ..resize import argument_name
from ..script_names import called_as, outside
from ..shape_replay import only_number, scalars_behind
from ..source_changes import argument_of, parsed
from .clients import CutKind, is_cast, parts, reads, reads_batches
from .plan import ChunkPlan, Chunks


def code(script: Script, plan: ChunkPlan, library: str, source: str = "") -> str:
    """Returns the code for all chunks of a plan; `library` is the name of the framework's module, `source` the text of the script."""
    return "\n".join(line for c in plan.chunks for line in _lines(script, c, source))


@dataclass(frozen=True)
class Name:
    """The names that the code to paste uses for a shared variable."""

    expression: str
    """How the script refers to it: `data.x`."""
    created: str
    """How it does so where it creates it: `self.x`."""
    word: str
    """An identifier for what belongs to it: `data_x`, its values on the host being `host_data_x`."""
    host: str
    """The expression of its values on the host where the functions are called."""
    made: tuple[str, ...] = ()
    """Lines that make its values on the host, and it itself of the first chunk, in place of the statement that creates it; empty where the
    text does not show it."""


def names(script: Script, c: Chunks, source: str) -> list[Name]:
    """Returns the names of the shared variables that are cut into chunks. Variables that a loop creates one after the other have the same
    name.
    """
    found: dict[str, Name] = {}
    for i in c.cut.shared:
        variable = script.shared[i]
        created = variable.expression or identifier(variable.name, f"shared_{i}")
        word = identifier(created.removeprefix("self."), f"shared_{i}")
        own = _making(script, c, i, created, source)
        host = f"self.host_{word}" if created.startswith("self.") and own is not None else f"host_{word}"
        made = () if own is None else _made(own, host, c)
        expression = outside(source, created)
        there = f"{expression.rpartition('.')[0]}.host_{word}" if host.startswith("self.") else f"host_{word}"
        found[word] = Name(expression, created, word, there, made)
    return list(found.values())


def _making(script: Script, c: Chunks, shared: int, created: str, source: str) -> ast.Assign | None:
    """The statement that creates a shared variable with all its rows, if what it defines is known where the functions are called."""
    tree, site = parsed(source), script.shared[shared].site
    shape = next((e.shape for e in script.events if isinstance(e, Create) and e.shared == shared), None)
    line = line_of(source, site) if site is not None else None
    if tree is None or line is None or not isinstance(shape, tuple) or shape[:1] != (c.cut.rows,):
        return None
    around = [n for n in ast.walk(tree) if isinstance(n, (ast.Assign, ast.FunctionDef)) and covers(n, line)]
    functions = [n for n in around if isinstance(n, ast.FunctionDef)]
    calls = [line_of(source, e.site) for e in script.events if isinstance(e, Call) and e.site is not None]
    known = created.startswith("self.") or not functions or (bool(calls) and all(n is not None and covers(functions[-1], n) for n in calls))
    own = [n for n in around if isinstance(n, ast.Assign) and [ast.unparse(t) for t in n.targets] == [created]]
    call = own[-1].value if own else None
    named = isinstance(call, ast.Call) and ast.unparse(call.func).rpartition(".")[2] == "shared" and bool(call.args)
    return own[-1] if named and known else None


def _made(statement: ast.Assign, host: str, c: Chunks) -> tuple[str, ...]:
    """The lines that make the values on the host, and the variable of the first of them."""
    new = copy.deepcopy(statement)
    assert isinstance(new.value, ast.Call)
    value = ast.unparse(new.value.args[0])
    new.value.args[0] = ast.parse(f"{host}[:{c.chunk}]", mode="eval").body
    return f"{host} = {value}", f"{ast.unparse(ast.fix_missing_locations(new))}  # line {statement.lineno}"


class Argument(enum.Enum):
    """How the loop over chunks computes an argument that says which rows a function reads. The text is formatted with the argument's `name`
    (the expression of the script), its `dtype` and the `batch`.
    """

    INDEX = "index"
    """Number of the batch."""
    START = "index * {batch}"
    """The first row."""
    STOP = "(index + 1) * {batch}"
    """The row after the last."""
    NUMBERS = 'numpy.arange(index * {batch}, (index + 1) * {batch}, dtype="{dtype}")'
    """The numbers of the rows."""
    VALUES = "{name}[first + index * {batch}:first + (index + 1) * {batch}]"
    """Values of its own for each row."""
    OTHER = "{name}"
    """Nothing."""


def find_reader(script: Script, c: Chunks) -> CompiledFunction:
    """Finds the function that is called for each batch of the rows: a function that trains, if there is one."""
    readers = [f for f in script.functions if any(i.shared in c.cut.shared for i in f.graph.inputs)]
    return next((f for f in readers if any(i.update is not None for i in f.graph.inputs)), readers[0])


def arguments_of(script: Script, c: Chunks, reader: CompiledFunction) -> list[tuple[str, str, Argument]]:
    """Returns (name, dtype, how it says which rows are read) of each argument of a function that reads rows of the variables that
    are cut.
    """
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


def _arguments(script: Script, reader: CompiledFunction, source: str) -> list[str]:
    """The expressions with which a function is called, as far as the text shows them, else identifiers for its arguments."""
    called = identifier(reader.name, "function")
    names = [identifier(argument_name(script, reader.index, v), "argument") for v in _given(reader.graph)]
    return [argument_of(source, called, k) or name for k, name in enumerate(names)]


def _given(graph: FunctionGraph) -> list[int]:
    """Ids of the inputs that are no shared variables."""
    return [i.variable for i in graph.inputs if i.role is not Role.SHARED]


def _lines(script: Script, c: Chunks, source: str) -> list[str]:
    if c.cut.way is CutKind.PARTS:
        return _parts(script, c, source)
    if c.cut.way is not CutKind.ROWS:
        return _product(script, c, source)
    named, reader = names(script, c, source), find_reader(script, c)
    function, arguments = called_as(source, identifier(reader.name, "train")), arguments_of(script, c, reader)
    before, passed = list[str](), list[str]()
    for (name, dtype, kind), given in zip(arguments, _arguments(script, reader, source)):
        rows = re.fullmatch(r"([A-Za-z_][\w.]*)\[[^\]]*\]", given)
        if kind is Argument.VALUES:
            before += [] if rows else [f"# by hand: host_{name}: all that {name} is called with in an epoch, as a numpy array"]
            given = rows[1] if rows else f"host_{name}"
        passed.append(kind.value.format(name=given, dtype=dtype, batch=c.cut.step))
    loop, results = _loop_of(script, reader, source)
    call = f"{function}({', '.join(passed)})"
    return [
        *(line for n in named for line in n.made or _host(n)),
        *before,
        f"# in place of the {loop} that calls {function}; the last chunk overlaps the one before, whose batches it leaves out:",
        *([f"{results} = []"] if results else []),
        f"for start in range(0, {c.cut.rows}, {c.chunk}):",
        f"    first = min(start, {c.cut.rows - c.chunk})",
        *(_load(n, c) for n in named),
        f"    for index in range((start - first) // {c.cut.step}, {max(1, c.chunk // c.cut.step)}):",
        f"        {f'{results}.append({call})' if results else call}",
    ]


def _loop_of(script: Script, reader: CompiledFunction, source: str) -> tuple[str, str | None]:
    """The loop in which a function is called, as far as the text shows it: `loop in line 25`, or `list in line 26` for a comprehension; and
    the name of the list of results that a comprehension makes, None for a loop.
    """
    tree = parsed(source)
    site = next((e.site for e in script.calls(reader.index) if e.site is not None), None)
    line = line_of(source, site) if site is not None else None
    if tree is None or line is None:
        return "loop", None
    nodes = [n for n in ast.walk(tree) if isinstance(n, (ast.stmt, ast.expr)) and covers(n, line)]
    lists = [n for n in nodes if isinstance(n, (ast.ListComp, ast.GeneratorExp)) and _calls(n.elt, called_as(source, reader.name))]
    if lists:
        made = [ast.unparse(n.targets[0]) for n in nodes if isinstance(n, ast.Assign) and n.value is lists[-1] and len(n.targets) == 1]
        return f"list in line {lists[-1].lineno}", made[0] if made else "results"
    loops = [n.lineno for n in nodes if isinstance(n, (ast.For, ast.While))]
    return f"loop in line {loops[-1]}" if loops else "loop", None


def _calls(node: ast.expr, function: str) -> bool:
    """Whether an expression calls a function by this name."""
    return any(isinstance(n, ast.Call) and ast.unparse(n.func).rpartition(".")[2] == function.rpartition(".")[2] for n in ast.walk(node))


def _parts(script: Script, c: Chunks, source: str) -> list[str]:
    """Code for data that is read whole: a loop over parts. A function that reads batches by their number is left to the user."""
    readers = [f for f in script.functions if any(i.shared in c.cut.shared for i in f.graph.inputs)]
    batched = [f for f in readers if all(reads_batches(f, shared) for shared in c.cut.shared)]
    reader = next((f for f in readers if f not in batched), readers[0])
    arguments = ", ".join(_arguments(script, reader, source))
    named = names(script, c, source)
    return [
        *(line for n in named for line in n.made or _host(n)),
        "results = []",
        f"for first in range(0, {c.cut.rows}, {c.chunk}):",
        *([f"    first = min(first, {c.cut.rows - c.chunk})  # the last part overlaps: keep what is new"] if c.cut.rows % c.chunk else []),
        *(_load(n, c) for n in named),
        *(
            f"    # by hand: call {called_as(source, identifier(f.name, 'function'))} here for the batches in these {c.chunk} rows, "
            "counted from 0, in place of its own loop"
            for f in batched
            if f is not reader
        ),
        f"    results.append({called_as(source, identifier(reader.name, 'function'))}({arguments}))",
    ]


def _host(name: Name) -> tuple[str, str]:
    """A comment that names the array on the host and the part on the device."""
    whole, part = f"all of {name.expression}, as a numpy array", f"{name.expression} itself begins as its first part"
    return f"# by hand: host_{name.word}: {whole};", f"#   {part}"


def _load(name: Name, c: Chunks) -> str:
    """The line that loads a chunk of rows."""
    return f"    {name.expression}.set_value({name.host}[first:first + {c.chunk}], borrow=True)"


def _product(script: Script, c: Chunks, source: str) -> list[str]:
    """Code for weights: a loop over parts whose results are joined."""
    (name,) = names(script, c, source)
    inner, uneven = c.cut.way is CutKind.INNER, bool(c.cut.rows % c.chunk)
    rest = uneven and not inner
    reader = next(f for f in script.functions if any(i.shared in c.cut.shared for i in f.graph.inputs))
    arguments = ", ".join(_arguments(script, reader, source))
    part = f"[first:first + {c.chunk}]" if inner else f"[..., first:first + {c.chunk}]"
    whole = "sum(parts)" if inner else "numpy.concatenate(parts, axis=-1)"
    return [
        *_host(Name(name.expression, name.created, name.word, f"host_{name.word}")),
        "parts = []",
        f"for first in range(0, {c.cut.rows}, {c.chunk}):  # cut what is added to it too",
        *([f"    first = min(first, {c.cut.rows - c.chunk})  # it overlaps: keep what is new"] if rest else []),
        f"    {name.expression}.set_value(host_{name.word}{part}, borrow=True)" + ("  # pad the last one" if inner and uneven else ""),
        f"    parts.append({called_as(source, identifier(reader.name, 'function'))}({arguments}))",
        f"result = {whole}",
    ]

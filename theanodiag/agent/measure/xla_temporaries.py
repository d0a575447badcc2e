"""Names the contents of XLA's temporary buffers at their peak by the Variables of the graph that was compiled.

PyTensor generates one Python function for a graph, with a line for each node, and one for each inner graph (Scan, OpFromGraph). JAX stores
for each instruction the lines from which it was traced; a line leads to a node.
"""

import ast
import inspect

from .xla_program import Instruction, Placed, TemporaryBlock, Texts, XlaProgram

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live

MOST = 64
"""The largest number of temporaries that are reported for one call, largest first; the others are summed in the rest."""
MOST_FUSED = 6
"""Limit of the other Ops named for a fused instruction."""
LONGEST = 200
"""Limit of the characters of an Op's text."""
NAME = "funcified_fgraph"
"""Suffix of the names of generated functions."""
MOVES = ("copy", "pad", "transpose", "convert", "reshape", "slice", "bitcast", "concatenate", "reverse")
"""Instructions that only move or convert their operand."""
PASSING = ("fusion", "while", "call", "conditional", "tuple", "get-tuple-element", "parameter")
"""Instructions that pass on values of others."""


class Generated(object):
    """One Python function that PyTensor generated for a graph: maps its lines to nodes."""

    def __init__(self, source: str, nodes: "list[Live]") -> None:
        parts = ast.parse(source).body
        own = len(parts) == 1 and isinstance(parts[0], ast.FunctionDef) and parts[0].name.endswith(NAME)
        starts = [part.lineno for part in parts[0].body if isinstance(part, ast.Assign)] if own else []  # type: ignore[attr-defined]
        self.starts = starts if len(starts) == len(nodes) else []
        self.nodes = nodes

    def node(self, line: int) -> "Live":
        """The node computed by a line; None if there is none."""
        number = len([start for start in self.starts if start <= line]) - 1
        return self.nodes[number] if number >= 0 else None


class Owners(object):
    """Finds the nodes of instructions. `describe(variable, outer)` returns the entry of a Variable, whose node may be inside `outer`."""

    def __init__(
        self, program: XlaProgram, function: "Live", nodes: "list[Live]", arguments: "list[Live]", describe: "Callable[..., Live]"
    ):
        self.program = program
        function = inspect.unwrap(function)  # the function that PyTensor generated: the layer for legacy names wraps it
        self.file = str(function.__code__.co_filename)
        self.arguments = arguments  # the Variable of each parameter of the program
        self.describe = describe
        self.known = {self.file: Generated(function.__source__, nodes)}  # type: dict[str, Generated]
        self.by_frame = {}  # type: dict[int, list[Live]]  # frame -> its nodes

    def nodes(self, frame: int) -> "list[Live]":
        """The nodes from which an instruction was traced, outermost graph first: a node of the graph, then one of its inner graph, and so
        on."""
        if frame not in self.by_frame:
            self.by_frame[frame] = list(self._nodes(frame))
        return self.by_frame[frame]

    def _nodes(self, frame: int) -> "Iterator[Live]":
        outer = None  # type: Live
        for file, line in self.program.frames(frame):
            if outer is not None and file not in self.known:
                self._inside(outer, file)
            if file in self.known and (outer is None) == (file == self.file):
                node = self.known[file].node(line)
                if node is not None:
                    yield node
                    outer = node

    def _inside(self, node: "Live", file: str) -> None:
        """Registers the function generated for an inner graph of `node`, if `file` contains one."""
        for graph in inner_graphs(node.op):
            try:
                with open(file) as source:
                    generated = Generated(source.read(), list(graph.toposort()))
            except (OSError, SyntaxError, ValueError):
                return
            if generated.starts:
                self.known[file] = generated
                return

    def row(self, value: Placed, size: int) -> "dict[str, Live]":
        """The reported entry of a value of `size` bytes: its instruction, and the Variable that it holds or is needed for."""
        instruction = self.program.instructions.get(value.name)
        opcode = instruction.opcode if instruction is not None else ""
        entry = {"bytes": size, "hlo": value.name, "opcode": opcode, "shape": value.shape.split("{")[0]}  # type: dict[str, Live]
        entry.update(self.held(value) or self.used(value) or {})
        entry["fused"] = self.fused(instruction, entry.get("op"))
        return entry

    def held(self, value: Placed) -> "dict[str, Live] | None":
        """The entry of the Variable that a value holds, else of the one it copies, else of the one it is computed from; None if unknown."""
        moved = computed = False
        for source in self.program.sources(value.name, value.index):
            passing = source.opcode in PASSING or source.opcode.endswith(("-start", "-done"))
            nodes = self.nodes(source.frame) if not passing else []
            kind = "from" if computed else "copy" if moved or source.opcode == "copy" else "value"
            if nodes:
                kind = "workspace" if workspace(source, value) else kind
                return dict(self.describe(output_of(nodes[-1], value.shape), nodes[0]), kind=kind)
            if source.opcode == "parameter" and source.computation == self.program.entry:
                number = int(source.operands[0])
                kind = "from" if computed else "copy"
                return dict(self.describe(self.arguments[number], None), kind=kind) if number < len(self.arguments) else None
            moved = moved or source.opcode in MOVES
            computed = computed or not (passing or source.opcode in MOVES)
        own = self.program.instructions.get(value.name)
        nodes = self.nodes(own.frame) if own is not None else []
        return dict(self.describe(output_of(nodes[-1], value.shape), nodes[0]), kind="value") if nodes else None

    def used(self, value: Placed) -> "dict[str, Live] | None":
        """The entry of the nearest node that reads a value which no node computes, such as a loop's initial value; None
        if there is none."""
        near, seen = [value.name], set()  # type: tuple[list[str], set[str]]
        while near and len(seen) < MOST:
            seen.update(near)
            readers = [reader for name in near for reader in self.program.readers(name) if reader.name not in seen]
            for reader in readers:
                nodes = self.nodes(reader.frame)
                if nodes:
                    return dict(self.describe(output_of(nodes[-1], value.shape), nodes[0]), kind="for")
            near = [reader.name for reader in readers]
        return None

    def fused(self, instruction: "Instruction | None", own: "str | None") -> "list[str]":
        """The texts of the other Ops computed by a fused instruction."""
        inner = instruction.inner() if instruction is not None and instruction.opcode == "fusion" else None
        texts = []  # type: list[str]
        for name in self.program.members.get(str(inner), []):
            nodes = self.nodes(self.program.instructions[name].frame)
            text = str(nodes[-1].op)[:LONGEST] if nodes else own
            if text is not None and text != own and text not in texts:
                texts.append(text)
        return texts[:MOST_FUSED]


def inner_graphs(op: "Live") -> "list[Live]":
    """The inner graphs of an Op."""
    places = [(op, "fgraph"), (getattr(op, "scalar_op", None), "fgraph"), (op, "true_branch"), (op, "false_branch"), (op, "core_op")]
    graphs = [getattr(place, name, None) for place, name in places]
    graphs += [getattr(graph, "fgraph", None) for graph in graphs]
    return [graph for graph in graphs if hasattr(graph, "toposort")]


def output_of(node: "Live", shape: str) -> "Live":
    """The output of a node that matches a value's shape: the only output with as many dimensions, else the first output."""
    sizes = shape[shape.find("[") + 1 : shape.find("]")].split(",") if "[" in shape else []
    rank = len([n for n in sizes if n])
    like = [v for v in node.outputs if getattr(v.type, "ndim", None) == rank]
    return like[0] if len(like) == 1 else node.outputs[0]


def workspace(source: Instruction, value: Placed) -> bool:
    """Whether a value is the workspace of a library call: a byte array returned beside the result."""
    return source.opcode == "custom-call" and bool(value.index) and value.shape.startswith(("s8[", "u8["))


def at_peak(texts: Texts, owners: Owners) -> "dict[str, Live]":
    """The contents of the temporary buffers when each is fullest: rows that do not overlap, and the bytes of the rest."""
    rows, total, steps = [], 0, []  # type: tuple[list[dict[str, Live]], int, list[str]]
    for block in texts.blocks:
        step = block.peak()
        steps.append(texts.steps.get(step, ""))
        total += block.size
        rows += [owners.row(value, size) for value, size in parts(block, step, owners.program)]
    rows.sort(key=lambda row: -int(row["bytes"]))
    arrays = [row for row in rows if row["opcode"] != "tuple" and not row["shape"].startswith("(")][:MOST]
    return {"step": next((s for s in steps if s), None), "rows": arrays, "rest": total - sum(int(row["bytes"]) for row in arrays)}


def parts(block: TemporaryBlock, step: int, program: XlaProgram) -> "list[tuple[Placed, int]]":
    """The values live at a step, each with its bytes; bytes that several values share are counted for the one that writes them."""
    order = sorted(block.at(step), key=lambda v: (v.offset, passes(program, v), -v.size, v.first))
    pieces, end = [], 0  # type: tuple[list[tuple[Placed, int]], int]
    for value in order:
        start, last = max(value.offset, end), value.offset + value.size
        if last > start:
            pieces.append((value, last - start))
            end = last
    return pieces


def passes(program: XlaProgram, value: Placed) -> bool:
    """Whether an instruction only passes on the values of others."""
    instruction = program.instructions.get(value.name)
    return instruction is None or (instruction.opcode in PASSING and instruction.opcode != "fusion")

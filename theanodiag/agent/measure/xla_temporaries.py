"""What lies in XLA's block of temporaries when most of it is in use, by the Variables of the graph that it was compiled from.

PyTensor generates one Python function for a graph, a line a node, and one for each graph inside (Scan's, OpFromGraph's). JAX notes with
each instruction from which lines it was traced: so an instruction leads to a node.
"""

import ast
import inspect

from .xla_dump import Block, Placed, Texts
from .xla_program import Instruction, Program

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live

MOST = 64
"""The largest number of temporaries that are reported for one call, largest first; the others are summed in the rest."""
MOST_FUSED = 6
"""The most other Ops that are named of a fused instruction."""
LONGEST = 200
"""Characters of an Op's text."""
NAME = "funcified_fgraph"
"""How the names of generated functions end."""
MOVES = ("copy", "pad", "transpose", "convert", "reshape", "slice", "bitcast", "concatenate", "reverse")
"""Instructions that move what they are given."""
PASSING = ("fusion", "while", "call", "conditional", "tuple", "get-tuple-element", "parameter")
"""Instructions that hand on what others make."""


class Generated(object):
    """One Python function that PyTensor generated for a graph: which node each of its lines computes."""

    def __init__(self, source: str, nodes: "list[Live]") -> None:
        parts = ast.parse(source).body
        own = len(parts) == 1 and isinstance(parts[0], ast.FunctionDef) and parts[0].name.endswith(NAME)
        starts = [part.lineno for part in parts[0].body if isinstance(part, ast.Assign)] if own else []  # type: ignore[attr-defined]
        self.starts = starts if len(starts) == len(nodes) else []
        self.nodes = nodes

    def node(self, line: int) -> "Live":
        """The node of a line; None where it has none."""
        number = len([start for start in self.starts if start <= line]) - 1
        return self.nodes[number] if number >= 0 else None


class Owners(object):
    """Finds the nodes of instructions. `describe(variable, outer)` gives what is told of a Variable; its node may be inside `outer`."""

    def __init__(self, program: Program, function: "Live", nodes: "list[Live]", arguments: "list[Live]", describe: "Callable[..., Live]"):
        self.program = program
        function = inspect.unwrap(function)  # the function that PyTensor generated: the layer for legacy names wraps it
        self.file = str(function.__code__.co_filename)
        self.arguments = arguments  # the Variable of each parameter of the program
        self.describe = describe
        self.known = {self.file: Generated(function.__source__, nodes)}  # type: dict[str, Generated]
        self.by_frame = {}  # type: dict[int, list[Live]]  # frame -> its nodes

    def nodes(self, frame: int) -> "list[Live]":
        """The nodes that were computed where an instruction was traced: one of the graph, then one of the graph inside it, and so on."""
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
        """Notes a function that was generated for a graph inside the Op of `node`, if `file` is one."""
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
        """The reported entry of a value of `size` bytes: its instruction, and the Variable that it holds or is made for."""
        instruction = self.program.instructions.get(value.name)
        opcode = instruction.opcode if instruction is not None else ""
        entry = {"bytes": size, "hlo": value.name, "opcode": opcode, "shape": value.shape.split("{")[0]}  # type: dict[str, Live]
        entry.update(self.held(value) or self.used(value) or {})
        entry["fused"] = self.fused(instruction, entry.get("op"))
        return entry

    def held(self, value: Placed) -> "dict[str, Live] | None":
        """The reported entry of the Variable that this value holds, else of the one it copies, else of the one it is computed from."""
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
        """What is told of the nearest node that reads a value which no node made: what a loop starts from, say."""
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
        """The texts of other Ops that a fused instruction computes."""
        inner = instruction.inner() if instruction is not None and instruction.opcode == "fusion" else None
        texts = []  # type: list[str]
        for name in self.program.members.get(str(inner), []):
            nodes = self.nodes(self.program.instructions[name].frame)
            text = str(nodes[-1].op)[:LONGEST] if nodes else own
            if text is not None and text != own and text not in texts:
                texts.append(text)
        return texts[:MOST_FUSED]


def inner_graphs(op: "Live") -> "list[Live]":
    """The graphs inside an Op."""
    places = [(op, "fgraph"), (getattr(op, "scalar_op", None), "fgraph"), (op, "true_branch"), (op, "false_branch"), (op, "core_op")]
    graphs = [getattr(place, name, None) for place, name in places]
    graphs += [getattr(graph, "fgraph", None) for graph in graphs]
    return [graph for graph in graphs if hasattr(graph, "toposort")]


def output_of(node: "Live", shape: str) -> "Live":
    """The output of a node that a value of this shape is: the only one that it can be, else the first."""
    sizes = shape[shape.find("[") + 1 : shape.find("]")].split(",") if "[" in shape else []
    rank = len([n for n in sizes if n])
    like = [v for v in node.outputs if getattr(v.type, "ndim", None) == rank]
    return like[0] if len(like) == 1 else node.outputs[0]


def workspace(source: Instruction, value: Placed) -> bool:
    """Whether a value is what a library works in: bytes beside the result of a call of it."""
    return source.opcode == "custom-call" and bool(value.index) and value.shape.startswith(("s8[", "u8["))


def at_peak(texts: Texts, owners: Owners) -> "dict[str, Live]":
    """What lies in the blocks of temporaries when most of each is in use: rows that do not overlap, and the bytes of the rest."""
    rows, total, steps = [], 0, []  # type: tuple[list[dict[str, Live]], int, list[str]]
    for block in texts.blocks:
        step = block.peak()
        steps.append(texts.steps.get(step, ""))
        total += block.size
        rows += [owners.row(value, size) for value, size in parts(block, step, owners.program)]
    rows.sort(key=lambda row: -int(row["bytes"]))
    arrays = [row for row in rows if row["opcode"] != "tuple" and not row["shape"].startswith("(")][:MOST]
    return {"step": next((s for s in steps if s), None), "rows": arrays, "rest": total - sum(int(row["bytes"]) for row in arrays)}


def parts(block: Block, step: int, program: Program) -> "list[tuple[Placed, int]]":
    """The values that are live at a step, each with its bytes; bytes that several values share are counted for the one that writes them."""
    order = sorted(block.at(step), key=lambda v: (v.offset, passes(program, v), -v.size, v.first))
    pieces, end = [], 0  # type: tuple[list[tuple[Placed, int]], int]
    for value in order:
        start, last = max(value.offset, end), value.offset + value.size
        if last > start:
            pieces.append((value, last - start))
            end = last
    return pieces


def passes(program: Program, value: Placed) -> bool:
    """Whether the instruction only hands on what others made."""
    instruction = program.instructions.get(value.name)
    return instruction is None or (instruction.opcode in PASSING and instruction.opcode != "fusion")

"""Reads XLA's own texts about one compilation: the optimized program (instructions, the computations they call, and the Python line from
which each was traced), the position of each value in the temporary buffers, and when it is live.

XLA writes them into a folder that exists only while one function is compiled. The format is that of jaxlib 0.12; unreadable lines of
other releases are skipped, and then the temporaries are not reported.
"""

import ast
import inspect
import os
import re
import shutil
import tempfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live


# Names the contents of XLA's temporary buffers at their peak by the Variables of the graph that was compiled.
#
# PyTensor generates one Python function for a graph, with a line for each node, and one for each inner graph (Scan, OpFromGraph). JAX
# stores for each instruction the lines from which it was traced; a line leads to a node.

LONGEST = 64 << 20
"""Maximum number of bytes of the texts that are read."""
MOST_NODES = 4000
"""Maximum number of nodes of a graph whose compilation is dumped: XLA writes some kilobytes for each node."""
OPTION = "xla_dump_to"
"""Name of the compiler's option for the folder."""
ASSIGNED = "after_optimizations-buffer-assignment.txt"
LIVE = "after_optimizations-live-range.txt"
OPTIMIZED = "after_optimizations.txt"

_ALLOCATION = re.compile(r"allocation \d+: size (\d+),(.*)")
_VALUE = re.compile(r" value: <\d+ ([^ {]+)(\{[^}]*\})?( \(phi\))? @\d+> \(size=(\d+),offset=(\d+)\): (.*)")
_RANGE = re.compile(r"    ([^ {]+)(\{[^}]*\}):(\d+)-(\d+)$")
_STEP = re.compile(r"    (\d+):(\S+)$")


class Placed(object):
    """A value of XLA's program in a block of temporaries: `size` bytes at `offset`, live from step `first` to step `last`."""

    def __init__(self, name: str, index: "tuple[int, ...]", size: int, offset: int, shape: str) -> None:
        self.name = name  # of the instruction
        self.index = index  # in the instruction's tuple of results
        self.size = size
        self.offset = offset
        self.shape = shape
        self.first = 0
        self.last = -1


class TemporaryBlock(object):
    """One block that XLA allocates for temporaries, with the values in it."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.values = []  # type: list[Placed]

    def peak(self) -> int:
        """Returns the step at which most of the block is in use; the first one if there are several."""
        steps = sorted(set(v.first for v in self.values if v.last >= v.first))
        return max(steps, key=lambda step: (sum(end - start for start, end in covered(self.at(step))), -step)) if steps else 0

    def at(self, step: int) -> "list[Placed]":
        """Returns the values in the block that are live at a step."""
        return [v for v in self.values if v.first <= step <= v.last]


def covered(values: "list[Placed]") -> "list[tuple[int, int]]":
    """Returns the parts of a block that these values occupy, as disjoint (start, end)."""
    parts = []  # type: list[tuple[int, int]]
    for start, end in sorted((v.offset, v.offset + v.size) for v in values):
        if parts and start < parts[-1][1]:
            parts[-1] = (parts[-1][0], max(parts[-1][1], end))
        else:
            parts.append((start, end))
    return parts


class Texts(object):
    """XLA's texts about one compilation, parsed."""

    def __init__(self, blocks: "list[TemporaryBlock]", steps: "dict[int, str]", program: str) -> None:
        self.blocks = blocks
        self.steps = steps  # number of a step -> name of its instruction
        self.program = program  # the optimized program as text


class DumpFolder(object):
    """The folder into which XLA writes while one function is compiled; deleted afterwards."""

    def __init__(self) -> None:
        self.path = tempfile.mkdtemp(prefix="xla-")

    def __enter__(self) -> "DumpFolder":
        return self

    def __exit__(self, *error: object) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def texts(self) -> "Texts | None":
        """Returns the texts about the compiled function; None if XLA wrote none, or if they are too long."""
        texts = [self._text(ending) for ending in (ASSIGNED, LIVE, OPTIMIZED)]
        if any(text is None for text in texts):
            return None
        assigned, live, program = [str(text) for text in texts]
        blocks, steps = blocks_of(assigned), {}  # type: tuple[list[TemporaryBlock], dict[int, str]]
        ranges = {}  # type: dict[tuple[str, tuple[int, ...]], tuple[int, int]]
        for line in live.split("\n"):
            step = _STEP.match(line)
            if step:
                steps[int(step.group(1))] = step.group(2)
            whole = _RANGE.match(line)
            if whole:
                ranges[whole.group(1), index_of(whole.group(2))] = (int(whole.group(3)), int(whole.group(4)))
        for block in blocks:
            for value in block.values:
                value.first, value.last = ranges.get((value.name, value.index), (0, -1))
        return Texts(blocks, steps, program)

    def _text(self, ending: str) -> "str | None":
        names = [name for name in sorted(os.listdir(self.path)) if name.endswith(ending)]
        if len(names) != 1:
            return None
        path = os.path.join(self.path, names[0])
        if os.path.getsize(path) > LONGEST:
            return None
        with open(path, "rb") as file:
            return file.read().decode("utf-8", "replace")


def blocks_of(text: str) -> "list[TemporaryBlock]":
    """Returns the blocks of temporaries in the text of a buffer assignment."""
    blocks, inside = [], False  # type: tuple[list[TemporaryBlock], bool]
    for line in text.split("\n"):
        allocation = _ALLOCATION.match(line)
        if allocation:
            inside = "preallocated-temp" in allocation.group(2)
            if inside:
                blocks.append(TemporaryBlock(int(allocation.group(1))))
            continue
        value = _VALUE.match(line) if inside else None
        if value:
            name, index, _, size, offset, shape = value.groups()
            blocks[-1].values.append(Placed(name, index_of(index or "{}"), int(size), int(offset), shape))
    return blocks


def index_of(text: str) -> "tuple[int, ...]":
    """Converts text such as `{1,0}` to a tuple of numbers."""
    return tuple(int(n) for n in text.strip("{}").split(",") if n)


_COMPUTATION = re.compile(r"(?:ENTRY )?%([^ ]+) \(.*\) -> .*\{$")
_INSTRUCTION = re.compile(r"\s+(ROOT )?%([^ ]+) = ")
_METADATA = re.compile(r"metadata=\{[^}]*?stack_frame_id=(\d+)")
_CALLED = re.compile(r"\b(calls|to_apply|body|condition|true_computation|branch_computations)=\{?%([^ ,}]+)")
_INDEX = re.compile(r"\bindex=(\d+)")
_FILE = re.compile(r'(\d+) "(.*)"$')
_LOCATION = re.compile(r"(\d+) \{file_name_id=(\d+) .*?\bline=(\d+)")
_FRAME = re.compile(r"(\d+) \{file_location_id=(\d+)(?: parent_frame_id=(\d+))?")


class Instruction(object):
    """One instruction of the program."""

    def __init__(self, name: str, computation: str, opcode: str, operands: "list[str]", rest: str) -> None:
        self.name = name
        self.computation = computation
        self.opcode = opcode
        self.operands = operands  # names; of a parameter its number, of a constant its text
        self.called = dict(_CALLED.findall(rest))  # attribute -> computation
        index = _INDEX.search(rest)
        self.index = int(index.group(1)) if index else 0  # of get-tuple-element
        frame = _METADATA.search(rest)
        self.frame = int(frame.group(1)) if frame else 0

    def inner(self) -> "str | None":
        """Returns the name of the computation in which the instruction's results are computed; None if it calls none."""
        return next((self.called[k] for k in ("calls", "to_apply", "branch_computations", "true_computation") if k in self.called), None)


class XlaProgram(object):
    """A parsed program of XLA. Names of instructions are unique in it."""

    def __init__(self, text: str) -> None:
        self.instructions = {}  # type: dict[str, Instruction]
        self.roots = {}  # type: dict[str, str]  # computation -> name of its last instruction
        self.members = {}  # type: dict[str, list[str]]  # computation -> names of its instructions
        self.callers = {}  # type: dict[str, Instruction]  # computation -> the first that calls it
        self.entry = None  # type: str | None
        self.users = {}  # type: dict[str, list[Instruction]]
        self.files = {}  # type: dict[int, str]
        self.locations = {}  # type: dict[int, tuple[int, int]]  # number -> (file, line)
        self.parents = {}  # type: dict[int, tuple[int, int]]  # frame -> (location, frame that called it)
        self.table = ""  # the table that is read
        inside = None  # type: str | None
        for line in text.split("\n"):
            opened = _COMPUTATION.match(line)
            if opened:
                inside = opened.group(1)
                self.members[inside] = []
                self.entry = inside if line.startswith("ENTRY") else self.entry
            elif inside is None:
                self._table(line)
            elif line.startswith("}"):
                inside = None
            else:
                self._instruction(line, inside)
        # The text of jaxlib 0.12 has each parent's number plus one: the first frame has itself as parent.
        self.shift = 1 if any(frame == parent for frame, (_, parent) in self.parents.items()) else 0

    def _table(self, line: str) -> None:
        """Parses a row, or the heading, of the tables of files, locations and stack frames above the computations."""
        if line and line[0].isalpha():
            self.table = line.strip()
        row = {"FileNames": _FILE, "FileLocations": _LOCATION, "StackFrames": _FRAME}.get(self.table)
        match = row.match(line) if row is not None else None
        if match is None:
            return
        number = int(match.group(1))
        if self.table == "FileNames":
            self.files[number] = match.group(2)
        elif self.table == "FileLocations":
            self.locations[number] = (int(match.group(2)), int(match.group(3)))
        else:
            self.parents[number] = (int(match.group(2)), int(match.group(3) or 0))

    def _instruction(self, line: str, computation: str) -> None:
        start = _INSTRUCTION.match(line)
        if not start:
            return
        rest = line[start.end() :]
        shape = closing(rest) if rest.startswith("(") else rest.find(" ")
        opcode, _, rest = rest[shape:].lstrip().partition("(")
        end = closing("(" + rest) - 2
        operands = [part.split("%")[-1].strip() for part in split(rest[:end])]
        instruction = Instruction(start.group(2), computation, opcode, operands, rest[end:])
        self.instructions[instruction.name] = instruction
        self.members[computation].append(instruction.name)
        if start.group(1):
            self.roots[computation] = instruction.name
        for called in instruction.called.values():
            self.callers.setdefault(called, instruction)

    def frames(self, number: int) -> "list[tuple[str, int]]":
        """Returns the stack with number `number` as (file, line) of each frame, outermost first."""
        frames = []  # type: list[tuple[str, int]]
        while number in self.parents and len(frames) < 256:
            location, parent = self.parents[number]
            file, line = self.locations.get(location, (0, 0))
            frames.append((self.files.get(file, ""), line))
            number = parent - self.shift
        return frames[::-1]

    def sources(self, name: str, index: "tuple[int, ...]") -> "Iterator[Instruction]":
        """Yields the instruction that produces a value, then the instructions whose values it only passes on or moves, nearest first."""
        seen = set()  # type: set[tuple[str, tuple[int, ...]]]
        while name in self.instructions and (name, index) not in seen:
            seen.add((name, index))
            own = self.instructions[name]
            yield own
            followed = self._before(own, index)
            if followed is None:
                return
            name, index = followed

    def readers(self, name: str) -> "list[Instruction]":
        """Returns the instructions that have the value `name` as an operand."""
        if not self.users:
            for instruction in self.instructions.values():
                for operand in instruction.operands:
                    self.users.setdefault(operand, []).append(instruction)
        return self.users.get(name, [])

    def _before(self, own: Instruction, index: "tuple[int, ...]") -> "tuple[str, tuple[int, ...]] | None":
        """(name, index) of the value that an instruction passes on as its value `index`; None if it computes the value itself."""
        first = own.operands[0] if own.operands else ""
        if own.opcode == "parameter":
            return self._passed(own, index)
        if own.opcode == "get-tuple-element":
            return first, (own.index,) + index
        if own.opcode == "tuple":
            return (own.operands[index[0]], index[1:]) if index and index[0] < len(own.operands) else None
        if own.opcode == "while":
            return self._carried(own, index)
        if own.opcode.endswith("-done"):
            return first, (1,) + index
        if own.opcode.endswith("-start"):
            if not index or index[0] != 1 or own.inner() is None:
                return None
            return self.roots.get(str(own.inner()), ""), index[1:]
        if own.opcode in ("fusion", "call", "conditional"):
            return self.roots.get(str(own.inner()), ""), index
        return first, ()

    def _passed(self, own: Instruction, index: "tuple[int, ...]") -> "tuple[str, tuple[int, ...]] | None":
        """(name, index) of the value passed to a computation as its parameter `own`; None if unknown."""
        caller, number = self.callers.get(own.computation), own.operands[0] if own.operands else ""
        if caller is None or not number.isdigit():
            return None
        if caller.opcode == "while":
            return self._carried(caller, index)
        if caller.opcode == "conditional" or int(number) >= len(caller.operands):
            return None
        return caller.operands[int(number)], index

    def _carried(self, loop: Instruction, index: "tuple[int, ...]") -> "tuple[str, tuple[int, ...]] | None":
        """(name, index) of the value that a loop carries at `index`: the result of its body, or the initial value if the body only passes
        it on."""
        body = loop.called.get("body", "")
        last = self.instructions.get(self.roots.get(body, ""))
        if index and last is not None and last.opcode == "tuple" and index[0] < len(last.operands):
            producer = self.instructions.get(last.operands[index[0]])
            if producer is not None and not (producer.opcode == "get-tuple-element" and producer.index == index[0]):
                return producer.name, index[1:]
        return (loop.operands[0], index) if loop.operands else None


def closing(text: str) -> int:
    """Returns the position after the parenthesis that closes the one at the beginning; the length of the text if none does."""
    depth, quoted = 0, False
    for position, char in enumerate(text):
        if char == '"':
            quoted = not quoted
        elif not quoted and char in "([{":
            depth += 1
        elif not quoted and char in ")]}":
            depth -= 1
            if depth == 0:
                return position + 1
    return len(text)


def split(text: str) -> "list[str]":
    """Splits a list of operands at its top-level commas."""
    parts, depth, start = [], 0, 0  # type: tuple[list[str], int, int]
    for position, char in enumerate(text):
        depth += (char in "([{") - (char in ")]}")
        if char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [part.strip() for part in parts + [text[start:]] if part.strip()]


MOST = 64
"""Maximum number of temporaries that are reported for one call, largest first; the others are summed up in the rest."""
MOST_FUSED = 6
"""Maximum number of other Ops listed for a fused instruction."""
LONGEST_OP = 200
"""Maximum number of characters of an Op's text."""
NAME = "funcified_fgraph"
"""Suffix of the names of generated functions."""
MOVES = ("copy", "pad", "transpose", "convert", "reshape", "slice", "bitcast", "concatenate", "reverse")
"""Opcodes of instructions that only move or convert their operand."""
PASSING = ("fusion", "while", "call", "conditional", "tuple", "get-tuple-element", "parameter")
"""Opcodes of instructions that pass on the values of other instructions."""


class Generated(object):
    """One Python function that PyTensor generated for a graph: maps its lines to nodes."""

    def __init__(self, source: str, nodes: "list[Live]") -> None:
        parts = ast.parse(source).body
        own = len(parts) == 1 and isinstance(parts[0], ast.FunctionDef) and parts[0].name.endswith(NAME)
        starts = [part.lineno for part in parts[0].body if isinstance(part, ast.Assign)] if own else []  # type: ignore[attr-defined]
        self.starts = starts if len(starts) == len(nodes) else []
        self.nodes = nodes

    def node(self, line: int) -> "Live":
        """Returns the node computed by a line; None if there is none."""
        number = len([start for start in self.starts if start <= line]) - 1
        return self.nodes[number] if number >= 0 else None


class Owners(object):
    """Finds the nodes from which XLA's instructions come. `describe(variable, outer)` returns the entry of a Variable, whose node may be
    inside `outer`.
    """

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
        """Returns the nodes from which an instruction was traced, outermost graph first: a node of the graph, then one of its inner graph,
        and so on.
        """
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
        """Returns the entry of a value of `size` bytes for the report: its instruction, and the Variable that it holds or is needed for."""
        instruction = self.program.instructions.get(value.name)
        opcode = instruction.opcode if instruction is not None else ""
        entry = {"bytes": size, "hlo": value.name, "opcode": opcode, "shape": value.shape.split("{")[0]}  # type: dict[str, Live]
        entry.update(self.held(value) or self.used(value) or {})
        entry["fused"] = self.fused(instruction, entry.get("op"))
        return entry

    def held(self, value: Placed) -> "dict[str, Live] | None":
        """Returns the entry of the Variable whose value an item holds, or copies, or from which XLA computes it; the first of these that is
        known, None if none is.
        """
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
        """Returns the entry of the nearest node that reads a value which no node computes, such as the initial value of a loop; None if
        there is none.
        """
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
        """Returns the texts of the other Ops that a fused instruction computes, without `own`."""
        inner = instruction.inner() if instruction is not None and instruction.opcode == "fusion" else None
        texts = []  # type: list[str]
        for name in self.program.members.get(str(inner), []):
            nodes = self.nodes(self.program.instructions[name].frame)
            text = str(nodes[-1].op)[:LONGEST_OP] if nodes else own
            if text is not None and text != own and text not in texts:
                texts.append(text)
        return texts[:MOST_FUSED]


def inner_graphs(op: "Live") -> "list[Live]":
    """Returns the inner graphs of an Op, of any kind."""
    places = [(op, "fgraph"), (getattr(op, "scalar_op", None), "fgraph"), (op, "true_branch"), (op, "false_branch"), (op, "core_op")]
    graphs = [getattr(place, name, None) for place, name in places]
    graphs += [getattr(graph, "fgraph", None) for graph in graphs]
    return [graph for graph in graphs if hasattr(graph, "toposort")]


def output_of(node: "Live", shape: str) -> "Live":
    """Returns the output of a node to which a value belongs, by the value's shape: the only output with as many dimensions, else the first
    output.
    """
    sizes = shape[shape.find("[") + 1 : shape.find("]")].split(",") if "[" in shape else []
    rank = len([n for n in sizes if n])
    like = [v for v in node.outputs if getattr(v.type, "ndim", None) == rank]
    return like[0] if len(like) == 1 else node.outputs[0]


def workspace(source: Instruction, value: Placed) -> bool:
    """Returns whether a value is the workspace of a library call: a byte array returned beside the result."""
    return source.opcode == "custom-call" and bool(value.index) and value.shape.startswith(("s8[", "u8["))


def at_peak(texts: Texts, owners: Owners) -> "dict[str, Live]":
    """Returns the contents of XLA's blocks of temporaries at the step at which each block is fullest: rows that do not overlap, and the
    bytes that are in no row.
    """
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
    """Returns the values in a block that are live at a step, each with its bytes. Bytes that several values share count for the value that
    writes them.
    """
    order = sorted(block.at(step), key=lambda v: (v.offset, passes(program, v), -v.size, v.first))
    pieces, end = [], 0  # type: tuple[list[tuple[Placed, int]], int]
    for value in order:
        start, last = max(value.offset, end), value.offset + value.size
        if last > start:
            pieces.append((value, last - start))
            end = last
    return pieces


def passes(program: XlaProgram, value: Placed) -> bool:
    """Returns whether an instruction only passes on the values of others."""
    instruction = program.instructions.get(value.name)
    return instruction is None or (instruction.opcode in PASSING and instruction.opcode != "fusion")

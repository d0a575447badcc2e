"""Reads XLA's own texts about one compilation: the optimized program (instructions, the computations they call, and the Python line from
which each was traced), the position of each value in the temporary buffers, and when it is live.

XLA writes them into a folder that exists only while one function is compiled. The format is that of jaxlib 0.12; unreadable lines of
other releases are skipped, and then the temporaries are not reported.
"""

import os
import re
import shutil
import tempfile

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


LONGEST = 64 << 20
"""Limit in bytes of the texts that are read."""
MOST_NODES = 4000
"""Limit in nodes of the graphs whose compilation is dumped: XLA writes some kilobytes for each node."""
OPTION = "xla_dump_to"
"""The compiler's option that names the folder."""
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
    """One allocation for temporaries."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.values = []  # type: list[Placed]

    def peak(self) -> int:
        """The step at which most of the block is in use; the first such step."""
        steps = sorted(set(v.first for v in self.values if v.last >= v.first))
        return max(steps, key=lambda step: (sum(end - start for start, end in covered(self.at(step))), -step)) if steps else 0

    def at(self, step: int) -> "list[Placed]":
        """The values that are live at a step."""
        return [v for v in self.values if v.first <= step <= v.last]


def covered(values: "list[Placed]") -> "list[tuple[int, int]]":
    """The parts of a block that values occupy, as disjoint (start, end)."""
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
        """The texts about the compiled function; None if XLA wrote none, or if they are too long."""
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
    """The blocks of temporaries in the text of a buffer assignment."""
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
        """The name of the computation that produces the results; None if the instruction calls none."""
        return next((self.called[k] for k in ("calls", "to_apply", "branch_computations", "true_computation") if k in self.called), None)


class XlaProgram(object):
    """A parsed program. Names of instructions are unique in it."""

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
        """(file, line) of a stack frame and of its callers, outermost first."""
        frames = []  # type: list[tuple[str, int]]
        while number in self.parents and len(frames) < 256:
            location, parent = self.parents[number]
            file, line = self.locations.get(location, (0, 0))
            frames.append((self.files.get(file, ""), line))
            number = parent - self.shift
        return frames[::-1]

    def sources(self, name: str, index: "tuple[int, ...]") -> "Iterator[Instruction]":
        """Yields the instruction that produces a value, then those whose values it passes on or only moves, nearest first."""
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
        """The instructions that have the value `name` as an operand."""
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
    """The position after the parenthesis that closes the one at the beginning; the length of the text if none does."""
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

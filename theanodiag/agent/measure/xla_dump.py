"""Reads XLA's own texts about one compilation: the position of each value in the temporary buffers, when it is live, and the optimized
program.

XLA writes them into a folder that exists only while one function is compiled. The format is that of jaxlib 0.12; unreadable lines of other
releases are skipped, and then the temporaries are not reported.
"""

import os
import re
import shutil
import tempfile

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

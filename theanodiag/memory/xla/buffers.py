"""The maximum number of bytes of temporaries in a call, for any order in which XLA may run the nodes.

XLA schedules anew: zeros, transposed copies and all that only depends on arguments may come first (openxla/xla,
service/cpu/cpu_compiler.cc: `BFSMemoryScheduler` or `DFSMemoryScheduler`; service/gpu/gpu_hlo_schedule.cc). So two values share memory
here only where one is dead before the other is written in every order that the graph allows. Beside that, service/buffer_assignment.cc:
a buffer goes into the room of a result that is large enough and not in use at the same time; what an element-wise loop or a loop of steps
writes may take the place of an operand that nobody reads later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ...ir import Apply, FunctionGraph
from .fusion import FEW, PRODUCTS, REDUCED, REDUCTIONS, SCATTERS, FusionPlan, is_scaled, is_view, ones, reached
from .sizes import ONLY_SHAPES

ALIGNED = 128
"""Bytes added to each buffer, since XLA aligns buffers."""
IN_PLACE = ("Elemwise", "Scan", "Cholesky", "Eigh")
"""Ops whose result may reuse the memory of an operand of the same size."""
UPDATES = ("IncSubtensor", "AdvancedIncSubtensor", "AdvancedIncSubtensor1")
"""Ops whose result reuses the memory of an operand that is filled with one number; other operands are copied first, perhaps long before."""
SORTS = ("SortOp", "ArgSortOp")
"""Ops whose results always have their own memory on a GPU."""
MANY = 600
"""For graphs with at least this many nodes, all blocks are added up; for smaller ones, only those that may exist while each node runs."""

AT_ONCE = 1000
"""Number of rows that `columns` converts to text at once, to limit memory use."""


@dataclass
class Block:
    """A piece of memory that XLA reuses for one value after another."""

    nbytes: int
    after: int
    """Bit set of the nodes that always run before the first value is written."""
    writer: int = 0
    """The node that writes the last value."""
    readers: int = 0
    """Bit set of the nodes that read the last value, and of the node that writes it."""
    is_result: bool = False

    @property
    def is_read_once(self) -> bool:
        """Whether at most one node reads the last value."""
        others = self.readers & ~(1 << self.writer)
        return not others & (others - 1)


@dataclass(frozen=True)
class Copy:
    """Memory in addition to the values that a node reads: a copy of the inputs `of`, which may be made at any time before the node runs."""

    nbytes: int
    node: int
    of: tuple[int, ...]


class Order:
    """The partial order of nodes that holds in every possible execution order. A node need not have run if only the length of its result is
    needed.
    """

    def __init__(self, graph: FunctionGraph) -> None:
        self.graph = graph
        self.before: list[int] = []
        """Of each node the nodes that run before it, as bits."""
        for node in graph.applies:
            self.before.append(0 if node.op.name in ONLY_SHAPES else self.making(node.inputs))

    def making(self, variables: Sequence[int]) -> int:
        """Returns the bit set of the nodes that must have run before all of these Variables exist: the nodes that compute them, and all
        nodes before those.
        """
        bits = 0
        for v in variables:
            owner = self.graph.variables[v].owner
            bits |= 0 if owner is None else self.before[owner] | 1 << owner
        return bits

    def apart(self, a: Block, b: Block) -> bool:
        """Returns whether one of two blocks is always free before the other is written, in every possible order."""
        return not a.readers & ~b.after or not b.readers & ~a.after

    def clashes(self, blocks: Sequence[Block]) -> list[int]:
        """Returns for each block a bit set of the blocks that may be in use at the same time (that are not `apart`), including itself."""
        every, late = (1 << len(blocks)) - 1, columns([b.after for b in blocks], len(self.before) + 1)
        behind = []
        """Of each block those that are written after it is free."""
        for block in blocks:
            bits = every
            for reader in ones(block.readers):
                bits &= late[reader]
            behind.append(bits)
        return [every & ~(a | b) for a, b in zip(behind, columns(behind, len(blocks)))]

    def possible(self, block: Block, node: int) -> bool:
        """Returns whether, in some order, the block may be in use while `node` runs."""
        return bool(block.readers & ~self.before[node]) and not block.after >> node & 1

    def is_last(self, block: Block, node: int) -> bool:
        """Returns whether no node reads the block after `node`."""
        return not block.readers & ~(self.before[node] | 1 << node)


def columns(rows: Sequence[int], width: int) -> list[int]:
    """Transposes a bit matrix given by rows: bit r of column c is bit c of row r."""
    bits = [0] * width
    for first in range(0, len(rows), AT_ONCE):
        texts = [format(row, f"0{width}b") for row in reversed(rows[first : first + AT_ONCE])]
        for column, digits in enumerate(zip(*texts), 1):  # digits of all rows side by side: the fastest way in plain Python
            bits[-column] |= int("".join(digits), 2) << first
    return bits


def temporaries(
    graph: FunctionGraph,
    size: Callable[[int], int],
    work: Mapping[int, int],
    copies: Sequence[Copy],
    beside: Callable[[Apply, int], int],
    plan: FusionPlan,
) -> int:
    """Returns an upper bound of the bytes of temporaries and workspace that are in use at once.

    `work`: bytes of workspace of each node while it runs; `copies`: copies made earlier for nodes; `beside`: bytes that stay allocated with
    a node's result until its last reader has run.
    """
    order = Order(graph)
    written = Blocks(graph, size, plan, order)
    blocks = [*written.blocks, *written.beside(beside), *(Block(c.nbytes, order.making(c.of), c.node, 1 << c.node) for c in copies)]
    rooms = [(b.nbytes, [b]) for b in blocks if b.is_result]
    left: list[Block] = []
    for block in sorted((b for b in blocks if b.nbytes and not b.is_result), key=lambda b: -b.nbytes):
        apart = not (plan.joins_readers and graph.applies[block.writer].op.name in SORTS)
        room = next((held for n, held in rooms if apart and FEW < block.nbytes <= n and all(order.apart(block, o) for o in held)), None)
        (left if room is None else room).append(block)
    clashes = order.clashes(left)
    if len(graph.applies) > MANY:
        return _together(range(len(left)), left, clashes) + max(work.values(), default=0)
    there = {n.id: [k for k, b in enumerate(left) if order.possible(b, n.id)] for n in graph.applies}
    sums = {node: work.get(node, 0) + sum(left[k].nbytes + ALIGNED for k in present) for node, present in there.items()}
    most = 0
    for node, total in sorted(sums.items(), key=lambda row: -row[1]):
        if total <= most:
            break
        most = max(most, work.get(node, 0) + _together(there[node], left, clashes))
    return most


def _together(chosen: Sequence[int], blocks: Sequence[Block], clashes: Sequence[int]) -> int:
    """Bytes of the blocks `chosen`, largest first, if blocks that are never live at the same time share memory.

    `clashes[k]` is a bit set of the blocks that may be live at the same time as block k.
    """
    rooms: list[int] = []
    total = 0
    for k in chosen:
        room = next((n for n, held in enumerate(rooms) if not held & clashes[k]), None)
        if room is None:
            rooms.append(1 << k)
            total += blocks[k].nbytes + ALIGNED
        else:
            rooms[room] |= 1 << k
    return total


class Blocks:
    """The blocks of all values of a graph that are stored in memory."""

    def __init__(self, graph: FunctionGraph, size: Callable[[int], int], plan: FusionPlan, order: Order) -> None:
        self.graph, self.size, self.plan, self.order = graph, size, plan, order
        self.results = frozenset(graph.outputs)
        self.of: dict[int, Block] = {}
        """Variable -> the block that it lies in."""
        self.filled: dict[tuple[object, ...], Block] = {}
        """Number and length -> the block that is filled with it: XLA makes equal ones once."""
        self.blocks: list[Block] = []
        self.written = [(node, v) for node in graph.applies for v in node.outputs if self.is_written(node, v)]
        for node, v in self.written:
            if node.op.name == "Alloc" and v not in self.results:
                self.fill(node, v)
        for node, v in self.written:
            if v not in self.of:
                self.add(node, v)

    def is_written(self, node: Apply, v: int) -> bool:
        """Returns whether output `v` of a node is stored in its own memory."""
        if v in self.results:
            return True
        return bool(self.graph.clients[v]) and v not in self.plan.unwritten and not is_view(self.graph, node)

    def fill(self, node: Apply, v: int) -> None:
        """Assigns a block to output `v` of a node that fills an array with one number. Equal arrays share a block."""
        key = node.inputs[0], self.size(v), self.graph.variables[v].type.dtype
        block = self.filled.get(key)
        if block is None:
            block = self.filled[key] = Block(self.size(v), self.order.before[node.id], node.id)
            self.blocks.append(block)
        block.readers |= self.plan.readers.get(v, 0) | 1 << node.id
        self.of[v] = block

    def add(self, node: Apply, v: int) -> None:
        """Assigns a block to output `v` of a node: the block of an operand whose memory it reuses, or a new one."""
        block = self.taken(node, v)
        if block is None:
            after = self.order.making(node.inputs[:1]) if node.op.name in UPDATES else self.order.before[node.id]
            block = Block(self.size(v), after)
            self.blocks.append(block)
        block.writer, block.is_result = node.id, v in self.results
        kept = block.readers if is_view(self.graph, node) else 0
        block.readers = kept | self.plan.readers.get(v, 0) | 1 << node.id | (1 << len(self.graph.applies) if block.is_result else 0)
        self.of[v] = block

    def taken(self, node: Apply, v: int) -> Block | None:
        """Returns the block of the operand whose memory output `v` reuses; None if it reuses none. On a GPU, an output of the function
        reuses an operand's block only if no other node read that operand.
        """
        if is_view(self.graph, node):
            shown = self.of.get(node.inputs[0])
            return shown if shown and not shown.is_result and shown.nbytes == self.size(v) else None
        operands = [b for b in map(self.of.get, self.operands(node)) if b and not b.is_result and b.nbytes == self.size(v)]
        last = [b for b in operands if self.order.is_last(b, node.id)]
        if node.op.name in UPDATES:
            return next((b for b in last if any(b is f for f in self.filled.values())), None)
        scattered = any(self.graph.applies[n].op.name in SCATTERS for n, _ in self.graph.clients[v])
        scaled = self.plan.joins_readers and is_scaled(self.graph, node)
        if node.op.name not in IN_PLACE or self.size(v) <= FEW or scattered or scaled:  # what is scattered is written in another shape
            return None
        return next((b for b in last if v not in self.results or b.is_read_once or not self.plan.joins_readers), None)

    def operands(self, node: Apply) -> list[int]:
        """Returns the ids of the stored values whose memory a node's result may reuse: operands that are read element by element, also
        through fused values.

        Source: openxla/xla, hlo/analysis/hlo_dataflow_analysis.cc, `AreTransitiveUsesElementwiseOrTuple`: not in another shape, and not in
        the loop of a library that begins with a reduction or a product, but for the product's own place.
        """
        alike: dict[int, bool] = {}
        todo = [(v, True) for v in node.inputs]
        while todo:
            v, same = todo.pop()
            owner = self.graph.variables[v].owner
            if owner is None or (v in alike and (same or not alike[v])):
                continue
            alike[v] = same
            maker = self.graph.applies[owner]
            if v in self.plan.unwritten or is_view(self.graph, maker):
                todo.extend((u, same and maker.op.name == "Elemwise") for u in maker.inputs)
        values = [v for v, same in alike.items() if same or node.op.name != "Elemwise"]
        if node.op.name != "Elemwise":
            return values
        if not self.plan.joins_readers and any(not same and self.starts(v, REDUCED) for v, same in alike.items()):
            return []
        started = [v for v in alike if self.starts(v, PRODUCTS)]
        return [v for v in values if v in started] if started else values

    def starts(self, variable: int, ops: Sequence[str]) -> bool:
        """Returns whether a fused loop may begin with the Op (one of `ops`) that computes a Variable without other readers."""
        owner = self.graph.variables[variable].owner
        return owner is not None and self.graph.applies[owner].op.name in ops and len(self.graph.clients[variable]) == 1

    def beside(self, nbytes: Callable[[Apply, int], int]) -> Iterator[Block]:
        """Yields the additional blocks that stay allocated while values are needed. For parts of a product this includes loops that may add
        the parts up.
        """
        far = reached(self.graph)
        for node, v in self.written:
            readers = far if node.op.name in PRODUCTS else self.plan.readers
            inside = readers.get(v, 0) & ((1 << len(self.graph.applies)) - 1)
            more = nbytes(node, v) + (self.of_readers(v) if self.plan.joins_readers else 0)
            yield Block(more, self.order.before[node.id], node.id, inside | 1 << node.id)

    def of_readers(self, v: int) -> int:
        """Returns the additional bytes needed if XLA stores the results of the fused readers of `v` instead of `v`. XLA may do so if two of
        these readers are reductions.

        Source: openxla/xla, backends/gpu/transforms/multi_output_fusion.cc.
        """
        results = {u for n, _ in self.graph.clients[v] for u in self.graph.applies[n].outputs if u in self.plan.unwritten}
        long = sum(self.size(u) == self.size(v) and self.is_reduced(u) for u in results)
        return self.size(v) if long > 1 else 0

    def is_reduced(self, v: int) -> bool:
        """Returns whether a reduction reads Variable `v`."""
        return any(self.graph.applies[n].op.name in REDUCTIONS for n, _ in self.graph.clients[v])

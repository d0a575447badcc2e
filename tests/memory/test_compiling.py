"""What compiling a function does to memory: its constants, and those of its inner functions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.ir import Constant, FunctionGraph, Op, Role, Type, TypeKind, Unknown
from theanodiag.memory.allocators import DirectAllocator, Driver, GpuArrayAllocator
from theanodiag.memory.call_frame import CallFrame
from theanodiag.memory.execution_plan import DEVICE as ON_DEVICE
from theanodiag.memory.execution_plan import HOST as ON_HOST
from theanodiag.memory.script import CompiledFunction
from theanodiag.memory.simulated_device import Heap
from theanodiag.memory.vm import compile_graph, compile_inner
from theanodiag.ops.arrays import ItemKind

from .graphs import DEVICE, HOST, PLAIN, Sketch

INFO = {
    "kind": "scan", "n_seqs": 0, "n_mit_sot": 0, "n_sit_sot": 1, "n_nit_sot": 0, "n_shared_outs": 0, "as_while": False,
    "mit_mot_in_slices": [], "mit_mot_out_slices": [], "mit_sot_in_slices": [], "sit_sot_in_slices": [[-1]],
}  # fmt: skip
KEPT = {"kept_constants": [{"type": {"dtype": "float64"}, "constant": {"shape": [5]}}]}


def compiled(graph: FunctionGraph, kinds: frozenset[TypeKind] = ON_DEVICE) -> CallFrame:
    """The function on an empty device without a cache."""
    return compile_graph(CompiledFunction(0, "f", graph), True, Heap(DirectAllocator(Driver())), kinds)


def with_constants(*shapes: tuple[int, ...], kind: Type = DEVICE) -> Sketch:
    """A node that reads constants of these shapes."""
    s = Sketch()
    constants = [s.constant(shape) for shape in shapes]
    for k in constants:
        s.variables[k] = replace(s.variables[k], type=kind)
    s.apply(PLAIN, constants, (1, 1))
    return s


class TestConstants:
    """Constants of the graph itself."""

    @pytest.mark.parametrize(("shapes", "expected"), [([], 0), ([(3, 4)], 48), ([(3, 4), (1, 1)], 52), ([()], 4), ([(0, 4)], 0)], ids=str)
    def test_they_take_their_bytes(self, shapes: list[tuple[int, ...]], expected: int) -> None:
        """Float32: four bytes an element."""
        sketch = with_constants(*shapes)
        assert compiled(sketch.graph([len(shapes)])).store.live == expected

    def test_with_the_cache_each_takes_a_multiple_of_64(self) -> None:
        """Two numbers: 128 bytes."""
        store = Heap(GpuArrayAllocator(Driver()))
        compile_graph(CompiledFunction(0, "f", with_constants((), ()).graph([2])), True, store, ON_DEVICE)
        assert store.live == 128

    def test_those_of_the_host_are_part_of_the_graph(self) -> None:
        """They were there before the function was."""
        graph = with_constants((3, 4), kind=HOST).graph([1])
        assert compiled(graph).store.live == compiled(graph, ON_HOST).store.live == 0

    def test_one_of_unknown_size_takes_nothing(self) -> None:
        """And is no error: printed graphs do not tell the shapes of large constants."""
        s = with_constants((3, 4))
        s.variables[0] = Constant(0, DEVICE, shape=(Unknown("not printed"), 4))
        assert compiled(s.graph([1])).store.live == 0

    def test_those_in_one_memory_are_taken_once(self) -> None:
        """Views of one another, and the constants of a copied function; a larger one has memory of its own."""
        s = with_constants((3, 4), (4, 3), (5, 5))
        for k in range(3):
            s.variables[k] = replace(s.variables[k], memory=7)  # type: ignore[call-arg]
        store = Heap(DirectAllocator(Driver()))
        frames = [compile_graph(CompiledFunction(0, "f", s.graph([3])), True, store, ON_DEVICE) for _ in range(2)]
        assert store.live == 48 + 100
        assert [frame.value(2) is not None for frame in frames] == [True, True]

    def test_a_fused_constant_may_be_in_the_memory_of_another(self) -> None:
        """Then it takes nothing."""
        s = with_constants((2, 3))
        s.variables[0] = replace(s.variables[0], type=replace(DEVICE, dtype="float64"), memory=1)  # type: ignore[call-arg]
        row = {"type": {"dtype": "float64"}, "constant": {"shape": [5], "memory": 1}}
        frame = compiled(replace(s.graph([1]), info={"kept_constants": [row]}))
        assert (frame.store.live, len(frame.kept)) == (48, 1)

    def test_their_cells_hold_them(self) -> None:
        """Nobody else does."""
        frame = compiled(with_constants((3, 4)).graph([1]))
        array = frame.value(0)
        assert array is not None
        assert (array.shape, array.buffer.holders, array.buffer.tag.kind) == ((3, 4), 1, ItemKind.CONSTANT)


class TestBeside:
    """What the function holds outside of its cells."""

    def test_constants_that_were_fused_into_an_op_stay(self) -> None:
        """Five float64 that only the function's memory of shapes holds."""
        graph = replace(with_constants().graph([0]), info=KEPT)
        frame = compiled(graph)
        assert (frame.store.live, [b.tag.variable for _, b in frame.kept]) == (40, ["constant that was fused into an op"])

    def test_on_the_host_there_are_none(self) -> None:
        """They are device constants."""
        assert compiled(replace(with_constants().graph([0]), info=KEPT), ON_HOST).store.live == 0


def inner_sketch(*shapes: tuple[int, ...]) -> Sketch:
    """One step: a row in, a row out, and constants."""
    s = Sketch()
    x = s.argument((1, 4), DEVICE)
    s.apply(PLAIN, [x, *(s.constant(shape) for shape in shapes)], (1, 4))
    return s


def outer(inner: FunctionGraph) -> FunctionGraph:
    """A function that is a loop with this graph inside."""
    s = Sketch()
    s.apply(Op("Scan", "for{gpu}", inner=inner), [s.shared((10, 4))], (10, 4))
    return s.graph([1])


class TestInner:
    """Inner functions."""

    def step(self, *shapes: tuple[int, ...], **info: object) -> FunctionGraph:
        """The inner graph with what the outer op says of it."""
        s = inner_sketch(*shapes)
        return replace(s.graph([len(s.variables) - 1]), info={**INFO, **info})

    def test_their_constants_come_with_the_function(self) -> None:
        """Twelve elements inside, before anything is called."""
        assert compiled(outer(self.step((3, 4)))).store.live == 48

    def test_each_node_has_a_frame_of_its_own(self) -> None:
        """By the id of the node."""
        frame = compiled(outer(self.step()))
        assert list(frame.frames) == [0]
        assert (frame.frames[0].inside, frame.frames[0].store is frame.store) == (True, True)

    @pytest.mark.parametrize(("info", "expected"), [({}, False), ({"allow_gc": False}, False), ({"allow_gc": True}, True)])
    def test_they_collect_only_where_the_loop_says_so(self, info: dict[str, object], expected: bool) -> None:
        """`scan.allow_gc` is off by default, whatever the outer function does."""
        assert compiled(outer(self.step(**info))).frames[0].allow_gc is expected

    def test_loops_inside_of_loops(self) -> None:
        """Constants at every depth: 12 outside of 4."""
        s = inner_sketch((3, 4))
        s.apply(Op("Scan", "for{gpu}", inner=self.step((1, 4))), [2], (1, 4))
        frame = compiled(outer(replace(s.graph([3]), info=INFO)))
        assert frame.store.live == 48 + 16
        assert list(frame.frames[0].frames) == [1]

    def test_unknown_sizes_inside_are_the_outer_function_s(self) -> None:
        """They are told once, with the function."""
        frame = compiled(outer(self.step()))
        frame.frames[0].shape(1)
        assert len(frame.unknown) == 1

    def test_its_outputs_are_borrowed_in_a_loop(self) -> None:
        """The state of a recurrence is written into the outer output; elsewhere nothing is."""
        frame = compiled(outer(self.step()))
        other = compile_inner(frame, replace(self.step(), info={"kind": "ofg"}), "cvm", True)
        assert (frame.frames[0].program.borrowed, other.program.borrowed) == (frozenset({0}), frozenset())

    def test_a_default_that_is_updated_has_an_initial_value(self) -> None:
        """A generator's state inside of a loop: nothing of its length, one byte without the cache."""
        graph = self.step()
        entry = replace(graph.inputs[0], role=Role.DEFAULT, update=0)
        frame = compiled(outer(replace(graph, inputs=(entry,), returned=0)))
        assert [b.tag.variable for _, b in frame.frames[0].kept] == ["initial value of an inner input"]
        assert frame.frames[0].kept[0][1].requested == 0

"""A function with its storage cells: values, names, and what is not known."""

from __future__ import annotations

from dataclasses import replace

import pytest

from theanodiag.ir import Constant, FunctionGraph, Op, ShapeTable, Site, Type, TypeKind, Unknown, Variable
from theanodiag.memory.allocators import DirectAllocator, Driver
from theanodiag.memory.call_frame import CallFrame
from theanodiag.memory.execution_plan import DEVICE as ON_DEVICE
from theanodiag.memory.execution_plan import prepare
from theanodiag.memory.simulated_device import Heap
from theanodiag.ops.arrays import ItemKind

from .graphs import PLAIN, UPLOAD, Sketch

IF = Op("IfElse", "if{}")
CONDITION = Type(TypeKind.TENSOR, "int8", ())


def frame_of(graph: FunctionGraph, table: ShapeTable | None = None, inside: bool = False) -> CallFrame:
    """A frame of `graph` on an empty device."""
    store = Heap(DirectAllocator(Driver()))
    return CallFrame(prepare(graph, "cvm", ON_DEVICE), store, inside=inside, table=table or ShapeTable({}))


def chain() -> Sketch:
    """An argument (0), its copy on the device (1), an intermediate (2), the output (3)."""
    s = Sketch()
    (x,) = s.apply(UPLOAD, [s.argument((3, 4))], (3, 4))
    (a,) = s.apply(PLAIN, [x], (5, 4))
    s.apply(Op("Last", "Last{}"), [a], (6, 4))
    return s


@pytest.fixture
def frame() -> CallFrame:
    """The frame of `chain`, with all shapes known."""
    s = chain()
    return frame_of(s.graph([3]), s.table())


class TestCells:
    """What a cell holds."""

    def test_an_empty_cell_holds_nothing(self, frame: CallFrame) -> None:
        """Before anything ran."""
        assert frame.value(2) is None

    def test_a_cell_is_the_same_every_time(self, frame: CallFrame) -> None:
        """It is made when it is first asked for, and lives as long as the function."""
        assert frame.cell(2) is frame.cell(2)
        assert frame.cell(2) is not frame.cell(3)

    def test_putting_a_value_holds_its_buffer(self, frame: CallFrame) -> None:
        """The maker's hold and the cell's."""
        array = frame.new(2, (5, 4))
        frame.put(2, array)
        assert (array.buffer.holders, frame.store.live) == (2, 5 * 4 * 4)

    def test_another_value_lets_the_old_one_go(self, frame: CallFrame) -> None:
        """80 bytes go when nothing is put in their place."""
        array = frame.new(2, (5, 4))
        frame.put(2, array)
        frame.store.drop(array.buffer)
        frame.put(2, None)
        assert frame.store.live == 0

    def test_a_new_array_is_in_c_order(self, frame: CallFrame) -> None:
        """Four float32 a row: 16 bytes."""
        assert frame.new(2, (5, 4)).strides == (16, 4)

    def test_a_temporary_is_workspace(self, frame: CallFrame) -> None:
        """It is labelled with its note and the op that takes it."""
        tag = frame.temporary(100, 1, "scratch").tag
        assert (tag.kind, tag.variable, tag.op) == (ItemKind.WORKSPACE, "scratch", "Plain")


class TestShapes:
    """Known and unknown shapes."""

    def test_a_known_shape(self, frame: CallFrame) -> None:
        """As the call's table has it; nothing is noted."""
        assert frame.shape(2) == (5, 4)
        assert frame.unknown == {}

    def test_an_unknown_dimension_is_noted_with_its_variable(self) -> None:
        """And the shape as a whole is not known."""
        s = chain()
        frame = frame_of(s.graph([3]), ShapeTable({2: (Unknown("depends on data"), 4)}))
        assert frame.shape(2) is None
        assert [(u.variable, u.op, u.reason) for u in frame.unknown.values()] == [("v2", "Plain", "depends on data")]

    def test_the_same_unknown_is_noted_once(self) -> None:
        """However often it is asked for."""
        frame = frame_of(chain().graph([3]))
        assert [frame.shape(2), frame.shape(2), frame.shape(3)] == [None] * 3
        assert len(frame.unknown) == 2


class TestNames:
    """What a Variable is called, and what its memory is for."""

    def test_kinds(self, frame: CallFrame) -> None:
        """The copy of an argument is an input, what is returned is an output."""
        kinds = [frame.kind_of(v) for v in frame.program.graph.variables[1:]]
        assert kinds == [ItemKind.INPUT, ItemKind.INTERMEDIATE, ItemKind.OUTPUT]

    def test_everything_inside_is_inner(self) -> None:
        """Whatever it is for the inner function."""
        frame = frame_of(chain().graph([3]), inside=True)
        assert {frame.kind_of(v) for v in frame.program.graph.variables} == {ItemKind.INNER}

    def test_temporaries_inside_are_inner_too(self) -> None:
        """The account of the outer function has one line for all of it."""
        assert frame_of(chain().graph([3]), inside=True).temporary(1, 1, "x").tag.kind is ItemKind.INNER

    @pytest.mark.parametrize(
        ("variable", "expected"),
        [
            (Variable(2, chain().variables[2].type, "hidden", 1), ("hidden", "Plain")),
            (Variable(2, chain().variables[2].type, None, 1), ("Plain", "Plain")),
            (Variable(1, chain().variables[1].type, None, 0), ("v0", "GpuFromHost<None>")),
            (Variable(0, chain().variables[0].type, None), ("TensorType(float32, matrix)", None)),
            (Constant(0, chain().variables[0].type, None), ("constant", None)),
            (Variable(0, Type(TypeKind.OTHER, None), None), ("variable 0", None)),
        ],
        ids=["name", "op", "the argument it copies", "type", "constant", "number"],
    )
    def test_a_variable_is_called_by_the_best_that_is_known(self, variable: Variable, expected: tuple[str, str | None]) -> None:
        """Its name, else that of the argument that it copies, its op, its type, its number."""
        graph = chain().graph([3])
        variables = tuple(variable if v.id == variable.id else v for v in graph.variables)
        assert frame_of(replace(graph, variables=variables)).describe(variable.id) == expected

    def test_a_tag_has_the_place_in_the_source(self) -> None:
        """The site of the Variable goes with its buffer."""
        graph, site = chain().graph([3]), Site("model.py", 7)
        variables = (*graph.variables[:2], replace(graph.variables[2], site=site), graph.variables[3])
        tag = frame_of(replace(graph, variables=variables)).tag(2)
        assert (tag.site, tag.dtype, tag.kind) == (site, "float32", ItemKind.INTERMEDIATE)


class TestBranches:
    """Conditions."""

    def branching(self, value: object = None) -> CallFrame:
        """A choice whose condition is an argument with that value, if any."""
        s = Sketch()
        condition, x = s.argument((), CONDITION), s.shared((1, 1))
        (yes,), (no,) = s.apply(PLAIN, [x], (1, 1)), s.apply(PLAIN, [x], (1, 1))
        s.apply(IF, [condition, yes, no], (1, 1))
        values = {} if value is None else {0: value}
        return frame_of(s.graph([4]), replace(s.table(), values=values))

    @pytest.mark.parametrize(("value", "order"), [(1, (0, 2)), (0, (1, 2)), (0.0, (1, 2)), (-3, (0, 2))])
    def test_a_known_condition_decides(self, value: float, order: tuple[int, ...]) -> None:
        """Anything but zero is true."""
        frame = self.branching(value)
        frame.take_branches()
        assert (frame.program.order, frame.guesses.uses) == (order, 0)

    @pytest.mark.parametrize(("taken", "order"), [(0, (0, 2)), (1, (1, 2))])
    def test_an_unknown_condition_is_a_guess(self, taken: int, order: tuple[int, ...]) -> None:
        """The branch is the one that the frame was told, and it says that it guessed."""
        frame = self.branching()
        frame.guesses.taken = taken
        frame.take_branches()
        assert (frame.program.order, frame.guesses.uses) == (order, 1)

    def test_each_choice_is_prepared_once(self) -> None:
        """A second call with the same condition has the same program."""
        frame = self.branching(1)
        frame.take_branches()
        first = frame.program
        frame.take_branches()
        assert frame.program is first

"""Which nodes of a CPU graph move to the device, and what is copied for that."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import settings as hypothesis
from hypothesis import strategies as st

from tests.ir.graphs import respects_dependencies
from theanodiag.ir import Op, ShapeTable, Type, TypeKind
from theanodiag.ir.graph import verify
from theanodiag.memory.gpu_lowering import Lifting, lift, lives_there
from theanodiag.memory.settings import MemorySettings
from theanodiag.memory.simulate import simulate
from theanodiag.ops import GpuLowering, op_info
from theanodiag.ops.registry import by_name

from .graphs import HOST, PLAIN, Sketch, random_sketches

LIFTED = MemorySettings(preallocate=-1.0, lift=True)
INTEGERS = Type(TypeKind.TENSOR, "int64", (None,))
INTEGER = Type(TypeKind.TENSOR, "int64", ())
NUMBER = Type(TypeKind.TENSOR, "float32", ())


def names(sketch: Sketch, *outputs: int) -> list[str]:
    """Ops of the lifted graph."""
    return [n.op.name for n in lift(sketch.script(outputs)).functions[0].graph.applies]


def which(holds: Callable[[GpuLowering], bool]) -> list[str]:
    """The Ops of the catalogue of whose lowering that holds; some."""
    found = sorted(name for name, op in by_name().items() if holds(op.gpu))
    assert len(found) > 2
    return found


class TestTypes:
    """What can live on the device."""

    @pytest.mark.parametrize(
        ("kind", "dtype", "expected"),
        [
            (TypeKind.TENSOR, "float32", True),
            (TypeKind.TENSOR, "bool", True),
            (TypeKind.TENSOR, "int64", True),
            (TypeKind.TENSOR, "complex64", False),
            (TypeKind.SPARSE, "float32", False),
            (TypeKind.RANDOM, None, False),
            (TypeKind.GPUARRAY, "float32", False),
        ],
    )
    def test_dense_real_tensors_do(self, kind: TypeKind, dtype: str | None, expected: bool) -> None:
        """Complex numbers, sparse matrices and generators stay; what is there already does not move."""
        assert lives_there(Type(kind, dtype, (None,))) is expected

    @pytest.mark.parametrize("dtype", ["int64", "complex64"])
    def test_shared_variables_move_by_their_dtype(self, dtype: str) -> None:
        """Integers of a shared variable do, complex numbers do not."""
        s = Sketch()
        w = s.shared((4,), kind=Type(TypeKind.TENSOR, dtype, (None,)))
        assert lift(s.script([w])).shared[w].type.kind.on_device is (dtype == "int64")


class TestMoves:
    """Nodes."""

    @pytest.mark.parametrize("name", which(lambda gpu: gpu.stays_on_host))
    def test_ops_without_a_counterpart_stay(self, name: str) -> None:
        """Their inputs come back to the host for them."""
        s = Sketch()
        (a,) = s.apply(PLAIN, [s.argument((3, 4))], (3, 4), kind=HOST)
        (b,) = s.apply(Op(name, name), [a], (3, 4), kind=HOST)
        assert names(s, b) == ["GpuFromHost", "Plain", "HostFromGpu", name]

    def test_arrays_of_integers_move(self) -> None:
        """As floats do."""
        s = Sketch()
        (n,) = s.apply(PLAIN, [s.argument((5,), INTEGERS)], (5,), kind=INTEGERS)
        assert names(s, n) == ["GpuFromHost", "Plain", "HostFromGpu"]

    def test_single_numbers_stay(self) -> None:
        """Arithmetic on positions needs no device."""
        s = Sketch()
        (n,) = s.apply(PLAIN, [s.argument((), INTEGER)], (), kind=INTEGER)
        assert names(s, n) == ["Plain"]

    def test_numbers_go_to_the_device_for_readers_there(self) -> None:
        """A product with a number that was computed from sizes: the number is computed on the device too."""
        s = Sketch()
        (n,) = s.apply(Op("Shape_i", "Shape_i{0}"), [s.argument((3, 4))], (), kind=INTEGER)
        (cast,) = s.apply(Op("Elemwise", "Elemwise{Cast{float32}}"), [n], (), kind=NUMBER)
        (y,) = s.apply(PLAIN, [s.argument((3, 4)), cast], (3, 4), kind=HOST)
        assert names(s, y) == ["Shape_i", "GpuFromHost", "GpuElemwise", "GpuFromHost", "Plain", "HostFromGpu"]

    @pytest.mark.parametrize("name", which(lambda gpu: gpu.follows_clients))
    def test_what_is_made_for_the_device_is_made_there(self, name: str) -> None:
        """One reader on the device is enough."""
        s = Sketch()
        (made,) = s.apply(Op(name, name), [s.argument((), INTEGER)], (3, 4), kind=HOST)
        (y,) = s.apply(PLAIN, [s.argument((3, 4)), made], (3, 4), kind=HOST)
        assert f"Gpu{name}" in names(s, y, made)

    def test_a_new_value_of_a_shared_variable_is_made_there(self) -> None:
        """Nothing is copied for an update that comes from nowhere."""
        s = Sketch()
        s.shared((3, 4), update=0, kind=HOST)
        (made,) = s.apply(Op("Eye", "Eye"), [s.argument((), INTEGER)], (3, 4), kind=HOST)
        graph = lift(s.script([made], returned=0)).functions[0].graph
        assert [n.op.name for n in graph.applies] == ["GpuEye"]

    @pytest.mark.parametrize("name", which(lambda gpu: gpu.contiguous_inputs == 2 and "Corr" in str(gpu.name)))
    def test_operands_of_convolutions_are_made_contiguous(self, name: str) -> None:
        """Both, and each once."""
        s = Sketch()
        (out,) = s.apply(Op(name, name), [s.argument((2, 3, 8, 8)), s.shared((5, 3, 3, 3), kind=HOST)], (2, 5, 6, 6), kind=HOST)
        assert names(s, out) == ["GpuFromHost", "GpuContiguous", "GpuContiguous", op_info(name).gpu.name, "HostFromGpu"]

    def test_row_numbers_are_cast(self) -> None:
        """To int64, which takes memory of its own."""
        s = Sketch()
        i = s.argument((5,), Type(TypeKind.TENSOR, "int32", (None,)))
        rows = Op("AdvancedSubtensor1", "AdvancedSubtensor1")
        (out,) = s.apply(rows, [s.shared((9, 3), kind=HOST), i], (5, 3), kind=HOST)
        graph = lift(s.script([out])).functions[0].graph
        assert [n.op.name for n in graph.applies] == ["GpuFromHost", "GpuElemwise", "GpuAdvancedSubtensor1", "HostFromGpu"]
        assert graph.variables[graph.applies[1].outputs[0]].type.dtype == "int64"

    def test_integers_of_something_on_the_device_are_made_there(self) -> None:
        """An argmax of a result."""
        s = Sketch()
        (a,) = s.apply(PLAIN, [s.argument((3, 4))], (3, 4), kind=HOST)
        (n,) = s.apply(Op("Argmax", "Argmax"), [a], (3,), kind=INTEGERS)
        assert names(s, n) == ["GpuFromHost", "Plain", "Argmax", "HostFromGpu"]

    def test_a_value_is_copied_once_for_all_its_readers(self) -> None:
        """Two nodes read the argument."""
        s = Sketch()
        x = s.argument((3, 4))
        (a,), (b,) = s.apply(PLAIN, [x], (3, 4), kind=HOST), s.apply(PLAIN, [x], (3, 4), kind=HOST)
        assert names(s, a, b) == ["GpuFromHost", "Plain", "Plain", "HostFromGpu", "HostFromGpu"]

    def test_a_result_that_is_returned_twice_comes_back_once(self) -> None:
        """The copy is the same."""
        s = Sketch()
        (a,) = s.apply(PLAIN, [s.argument((3, 4))], (3, 4), kind=HOST)
        assert names(s, a, a) == ["GpuFromHost", "Plain", "HostFromGpu"]

    @pytest.mark.parametrize("name", which(lambda gpu: gpu.host_inputs not in ((), (0,))))
    def test_scale_factors_are_not_copied(self, name: str) -> None:
        """The matrix is, the number is not."""
        s = Sketch()
        x, alpha = s.argument((3, 4)), s.argument((), Type(TypeKind.TENSOR, "float32", ()))
        inputs = [alpha if k in op_info(name).gpu.host_inputs else x for k in range(5)]
        (out,) = s.apply(Op(name, name), inputs, (3, 4), kind=HOST)
        assert names(s, out) == ["GpuFromHost", op_info(name).gpu.name or name, "HostFromGpu"]

    def test_positions_on_the_host_stay_there(self) -> None:
        """An index that is a single integer says where, and is no array."""
        s = Sketch()
        x, i = s.argument((3, 4)), s.argument((), INTEGER)
        (row,) = s.apply(Op("Subtensor", "Subtensor{int64}"), [x, i], (4,), kind=HOST)
        assert names(s, row) == ["GpuFromHost", "GpuSubtensor", "HostFromGpu"]

    def test_what_must_wait_still_waits(self) -> None:
        """The numbers of the nodes are the new ones."""
        s = Sketch()
        x = s.argument((3, 4))
        (a,) = s.apply(PLAIN, [x], (3, 4), kind=HOST)
        (b,) = s.apply(PLAIN, [x], (3, 4), kind=HOST, after=(0,))
        graph = lift(s.script([b, a])).functions[0].graph
        assert [n.after for n in graph.applies if n.op.name == PLAIN.name] == [(), (1,)]


class TestTables:
    """Shapes and values of the copies."""

    def test_values_go_with_their_copies(self) -> None:
        """A small value is known on both sides."""
        s = Sketch()
        x = s.argument((3, 4))
        (out,) = s.apply(PLAIN, [x], (3, 4), kind=HOST)
        done = Lifting(s.graph([out])).run()
        table = done.table(ShapeTable({x: (3, 4)}, {x: 7}))
        copies = [new for new, old in done.copies.items() if old == x]
        assert [(table.shape(c), table.values[c]) for c in copies] == [((3, 4), 7)]

    def test_inner_tables_go_with_their_nodes(self) -> None:
        """The loop has another number now."""
        s = Sketch()
        (out,) = s.apply(PLAIN, [s.argument((3, 4))], (3, 4), kind=HOST)
        done = Lifting(s.graph([out])).run()
        inner = ShapeTable({0: (1,)})
        assert done.table(ShapeTable({}, inner={0: inner})).inner == {done.nodes[0]: inner}
        assert done.nodes == {0: 1}

    def test_inside_of_a_loop_all_is_on_the_device(self) -> None:
        """Inputs and outputs of a step, integers too."""
        s = Sketch()
        x, n = s.argument((3, 4)), s.argument((5,), INTEGERS)
        s.apply(PLAIN, [x, n], (3, 4), kind=HOST)
        done = Lifting(s.graph([2]), inside=True).run().graph
        assert [v.type.kind.on_device for v in done.variables] == [True, True, True]
        assert [n.op.name for n in done.applies] == ["Plain"]


@st.composite
def on_the_host(draw: st.DrawFn) -> tuple[Sketch, list[int]]:
    """A random graph of the CPU."""
    sketch, outputs = draw(random_sketches())
    sketch.variables = [replace(v, type=HOST) for v in sketch.variables]
    return sketch, outputs


@hypothesis(deadline=None)
@given(on_the_host())
def test_a_lifted_graph_is_a_graph(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs: every invariant holds, nodes keep their order, and what is returned is on the host."""
    sketch, outputs = made
    graph = lift(sketch.script(outputs)).functions[0].graph
    verify(graph)
    assert respects_dependencies(graph, range(len(graph.applies)))
    assert not any(graph.variables[v].type.kind.on_device for v in graph.outputs)
    assert [n.op for n in graph.applies if n.op.name != "HostFromGpu"] == [n.op for n in sketch.applies]


@hypothesis(deadline=None, max_examples=50)
@given(on_the_host())
def test_shared_variables_take_the_same_on_either_side(made: tuple[Sketch, list[int]]) -> None:
    """On random graphs: before the call exactly their bytes are on the device, and room for a constant of each node."""
    sketch, outputs = made
    profile = simulate(sketch.script(outputs), LIFTED).functions[0]
    shared = sum(sketch.shapes[i.variable][0] * 16 for i in sketch.inputs)
    assert shared <= profile.figures.live_before_bytes <= shared + 4 * len(sketch.applies)

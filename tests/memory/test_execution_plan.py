"""What never changes between the calls of one function."""

from __future__ import annotations

from hypothesis import given
from hypothesis import settings as hypothesis

from theanodiag.ir import Op, Type, TypeKind
from theanodiag.memory.execution_plan import DEVICE, HOST, prepare

from .graphs import HOST as TENSOR
from .graphs import INPLACE, PLAIN, UPLOAD, VIEW, Sketch, random_sketches

IF = Op("IfElse", "if{}")
DOWN = Op("HostFromGpu", "HostFromGpu(gpuarray)")
CONDITION = Type(TypeKind.TENSOR, "int8", ())


def round_trip() -> Sketch:
    """An argument goes up (1), is changed (2), and comes back (3)."""
    s = Sketch()
    (up,) = s.apply(UPLOAD, [s.argument((2, 2))], (2, 2))
    (new,) = s.apply(PLAIN, [up], (2, 2))
    s.apply(DOWN, [new], (2, 2), kind=TENSOR)
    return s


class TestWatched:
    """Whose memory is followed."""

    def test_on_the_device_only_device_arrays_count(self) -> None:
        """The argument and the result of the function are on the host."""
        program = prepare(round_trip().graph([3]), "cvm", DEVICE)
        assert [program.watches(v) for v in range(4)] == [False, True, True, False]

    def test_on_the_host_only_tensors_count(self) -> None:
        """Just the other way round."""
        program = prepare(round_trip().graph([3]), "cvm", HOST)
        assert [program.watches(v) for v in range(4)] == [True, False, False, True]

    def test_a_transfer_to_the_host_acts_although_its_result_is_not_followed(self) -> None:
        """It may have to copy a strided array on the device first."""
        assert prepare(round_trip().graph([3]), "cvm", DEVICE).acts == (True, True, True)

    def test_a_node_of_the_host_does_not_act_on_the_device(self) -> None:
        """Arithmetic on host values takes no device memory."""
        s = Sketch()
        s.apply(PLAIN, [s.argument((2, 2))], (2, 2), kind=TENSOR)
        assert prepare(s.graph([1]), "cvm", DEVICE).acts == (False,)
        assert prepare(s.graph([1]), "cvm", HOST).acts == (True,)

    def test_a_node_with_an_inner_graph_always_acts(self) -> None:
        """What happens inside may be on the device."""
        s = Sketch()
        s.apply(Op("Scan", "for{cpu}", inner=round_trip().graph([3])), [s.argument((2, 2))], (2, 2), kind=TENSOR)
        assert prepare(s.graph([1]), "cvm", DEVICE).acts == (True,)


class TestDrops:
    """When cells are emptied."""

    def test_values_of_the_host_are_not_dropped_from_the_device(self) -> None:
        """The copy goes after its use; the argument is not followed."""
        program = prepare(round_trip().graph([3]), "cvm", DEVICE)
        assert program.drops == ((), (1,), (2,))

    def test_outputs_without_clients_go_at_the_end(self) -> None:
        """The second result of a node that nobody reads."""
        s = Sketch()
        used, unused = s.apply(PLAIN, [s.shared((1, 1))], (1, 1), (1, 1))
        assert prepare(s.graph([used]), "cvm", DEVICE).last == (unused,)

    @hypothesis(deadline=None)
    @given(random_sketches())
    def test_everything_made_is_dropped_once_or_returned(self, made: tuple[Sketch, list[int]]) -> None:
        """On random graphs: each computed Variable is emptied after a step, at the end, or is an output, and only one of these."""
        sketch, outputs = made
        program = prepare(sketch.graph(outputs), "cvm", DEVICE)
        ran = [v for node in program.order for v in sketch.applies[node].outputs]
        gone = [v for row in program.drops for v in row] + list(program.last) + [v for v in ran if v in program.outputs]
        assert sorted(gone) == sorted(ran)


class TestFresh:
    """Cells that are emptied when a call begins."""

    def test_all_that_shares_memory_with_an_output(self) -> None:
        """The output is a view of 1, which is then overwritten by nobody: both are emptied."""
        s = Sketch()
        (large,) = s.apply(PLAIN, [s.shared((9, 1))], (9, 1))
        (view,) = s.apply(VIEW, [large], (2, 1))
        (other,) = s.apply(PLAIN, [large], (2, 1))
        s.apply(PLAIN, [other], (2, 1))
        assert prepare(s.graph([view]), "cvm", DEVICE).fresh == (large, view)

    def test_the_cell_of_a_shared_variable_stays(self) -> None:
        """An update in place shares memory with it, but the variable has no owner."""
        s = Sketch()
        w = s.shared((9, 1), update=0)
        (new,) = s.apply(INPLACE, [w], (9, 1))
        assert prepare(s.graph([new], returned=0), "cvm", DEVICE).fresh == (new,)

    def test_borrowed_outputs_keep_their_cells(self) -> None:
        """The next call writes into what they hold; the others are emptied."""
        s = Sketch()
        (first,), (second,) = (s.apply(PLAIN, [s.shared((1, 1))], (1, 1)) for _ in range(2))
        assert prepare(s.graph([first, second]), "cvm", DEVICE, borrowed=frozenset({0})).fresh == (second,)


class TestBranches:
    """Lazy nodes."""

    def branching(self) -> Sketch:
        """A condition (an argument), two branches, and the choice."""
        s = Sketch()
        condition, x = s.argument((), CONDITION), s.shared((1, 1))
        (yes,), (no,) = s.apply(PLAIN, [x], (1, 1)), s.apply(PLAIN, [x], (1, 1))
        s.apply(IF, [condition, yes, no], (1, 1))
        return s

    def test_lazy_nodes_are_found(self) -> None:
        """Of three nodes the last."""
        assert [n.id for n in prepare(self.branching().graph([4]), "cvm", DEVICE).lazy] == [2]

    def test_each_choice_has_an_order_of_its_own(self) -> None:
        """And the other branch does not run."""
        program = prepare(self.branching().graph([4]), "cvm", DEVICE)
        assert program.taking((True,)).order == (0, 2)
        assert program.taking((False,)).order == (1, 2)

    def test_a_choice_keeps_all_else(self) -> None:
        """The linker, what is followed, and what is borrowed."""
        program = prepare(self.branching().graph([4]), "cvm_nogc", HOST, borrowed=frozenset({0}))
        other = program.taking((False,))
        assert (other.linker, other.watched, other.borrowed) == ("cvm_nogc", HOST, frozenset({0}))

    def test_a_linker_without_laziness_runs_both(self) -> None:
        """`py` runs in toposort order."""
        assert prepare(self.branching().graph([4]), "py", DEVICE).order == (0, 1, 2)

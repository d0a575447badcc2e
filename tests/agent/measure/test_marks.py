"""Marks around thunks."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy

from theanodiag.agent.measure.calls import Marked, Marking, Nodes, largest_arrays
from theanodiag.agent.measure.meters import HostMeter


class Machine:
    """What a linker makes: nodes that fill their cells."""

    fgraph = object()

    def make_vm(self, order: Any, thunks: Any, inputs: Any, outputs: Any, storage_map: Any) -> Any:
        """The thunks as they were handed over."""
        return thunks


class OtherMachine(Machine):
    """A class that inherits the method."""


def machine() -> tuple[Any, Nodes, list[list[Any]]]:
    """A marked machine of two nodes on two cells, its nodes and the cells."""
    cells: list[list[Any]] = [[None], [None]]
    storage = [(SimpleNamespace(name="a", owner=None), cells[0]), (SimpleNamespace(name="b", owner=None), cells[1])]
    meter = HostMeter(lambda: cells)
    marking, cls = Marking(meter), type("Made", (Machine,), {"make_vm": Machine.make_vm})
    marking.wrap(cls)
    marking.announce(cls.fgraph)
    made = cls().make_vm(nodes(2), [filling(cells[0], 10), filling(cells[1], 20)], None, None, Map(storage))
    found = marking.made(cls.fgraph)
    assert found is not None
    return made, found, cells


class Map:
    """A dictionary by identity."""

    def __init__(self, rows: Any) -> None:
        self.rows = rows

    def items(self) -> Any:
        """Its rows."""
        return self.rows


def nodes(count: int) -> list[Any]:
    """Nodes of an op each."""
    return [SimpleNamespace(op=SimpleNamespace()) for _ in range(count)]


def filling(cell: list[Any], size: int) -> Any:
    """A thunk that makes an array."""

    def thunk() -> None:
        cell[0] = numpy.zeros(size, "int8")

    return thunk


def test_nodes_are_noted_in_the_order_in_which_they_ran() -> None:
    """With the highest live bytes at each."""
    made, found, _ = machine()
    found.begin()
    made[1]()
    made[0]()
    assert found.end() == [[1, "SimpleNamespace", 20, None], [0, "SimpleNamespace", 30, None]]
    assert found.running is None


def test_nothing_is_noted_outside_of_a_recorded_call() -> None:
    """The thunk runs all the same."""
    made, found, cells = machine()
    made[0]()
    assert cells[0][0].nbytes == 10
    assert found.end() == []


def test_a_lazy_node_that_asks_for_inputs_has_not_run() -> None:
    """Only its last turn counts."""
    answers = [[2], None]

    def lazy() -> Any:
        return answers.pop(0)

    lazy.lazy = True  # type: ignore[attr-defined]
    found = Nodes(HostMeter(lambda: []), Map([]))
    marked = Marked(lazy, 0, "IfElse", found)
    found.begin()
    assert [marked(), marked()] == [[2], None]
    assert len(found.end()) == 1


def test_functions_that_were_not_announced_are_left_alone() -> None:
    """Those inside of a Scan, and classes that do not define the method."""
    marking, cls = Marking(HostMeter(lambda: [])), type("Made", (Machine,), {"make_vm": Machine.make_vm})
    marking.wrap(cls)
    thunks = [filling([None], 1)]
    assert cls().make_vm(nodes(1), thunks, None, None, Map([])) is thunks
    before = OtherMachine.make_vm
    marking.wrap(OtherMachine)
    assert OtherMachine.make_vm is before


def test_the_node_at_which_it_failed_stays_known() -> None:
    """With what was held, largest first, views with the whole of their base."""
    found = Nodes(HostMeter(lambda: []), Map([]))

    def failing() -> None:
        raise MemoryError

    found.begin()
    try:
        Marked(failing, 7, "Dot", found)()
    except MemoryError:
        assert found.running == (7, "Dot")
    base = numpy.zeros(10, "int8")
    names = [SimpleNamespace(name="small", owner=None), SimpleNamespace(name="view", owner=None), SimpleNamespace(name="base", owner=None)]
    rows = [(names[0], [numpy.zeros(3, "int8")]), (names[1], [base[:2]]), (names[2], [base])]
    assert largest_arrays(Map(rows), False) == [("view", 10), ("small", 3)]

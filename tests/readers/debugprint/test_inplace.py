"""What PyTensor's text leaves out: which nodes of a compiled function work in place."""

from __future__ import annotations

from theanodiag.readers.debugprint import read_debugprint

CHAIN = """Exp [id A] <Matrix(float64, shape=(?, ?))> 2
 └─ Add [id B] <Matrix(float64, shape=(?, ?))> 1
    ├─ Dot22 [id C] <Matrix(float64, shape=(?, ?))> 0
    │  ├─ x [id D] <Matrix(float64, shape=(?, ?))>
    │  └─ y [id E] <Matrix(float64, shape=(?, ?))>
    └─ y [id E] <Matrix(float64, shape=(?, ?))>
"""


def test_intermediates_are_overwritten() -> None:
    """What the function computes itself, and nobody reads later, is overwritten; its inputs are not."""
    graph = read_debugprint(CHAIN).graph
    assert [a.op.destroy_map for a in graph.applies] == [{}, {0: (0,)}, {0: (0,)}]


def test_results_are_kept() -> None:
    """A result is not overwritten to make another one."""
    text = CHAIN + "Dot22 [id C] <Matrix(float64, shape=(?, ?))> 0\n └─ ···\n"
    assert read_debugprint(text).graph.applies[1].op.destroy_map == {}


def test_types_must_fit() -> None:
    """An intermediate of another dtype is not overwritten."""
    text = CHAIN.replace("Dot22 [id C] <Matrix(float64", "Dot22 [id C] <Matrix(float32")
    assert read_debugprint(text).graph.applies[1].op.destroy_map == {}


def test_uncompiled_graphs_are_not_in_place() -> None:
    """A graph without order numbers was not compiled, and nothing in it works in place."""
    graph = read_debugprint(CHAIN.replace("> 1\n", ">\n").replace("> 0\n", ">\n").replace("> 2\n", ">\n")).graph
    assert all(not a.op.destroy_map for a in graph.applies)


def test_possible_updates_are_unsure() -> None:
    """A result that could be the new value of an input may be made over it: that is said."""
    kind = "<Vector(float64, shape=(?,))>"
    found = read_debugprint(f"Sub [id A] {kind} 0\n ├─ w [id B] {kind}\n └─ 1.0 [id C] <Scalar(float64, shape=())>\n")
    assert found.main.unsure == {0}
    assert read_debugprint(CHAIN).main.unsure == set()


def test_without_types_all_is_unsure() -> None:
    """Where types are not printed, every Elemwise may work in place."""
    found = read_debugprint("Exp [id A] 1\n └─ Add [id B] 0\n    ├─ x [id C]\n    └─ y [id D]\n").main
    assert found.unsure == {0, 1}


def test_random_state_is_advanced_in_place() -> None:
    """A compiled function overwrites the state of its generator."""
    graph = read_debugprint('uniform_rv{"(),()->()"}.1 [id A] 0\n ├─ rng [id B]\n └─ 0.0 [id C]\n').graph
    assert graph.applies[0].op.destroy_map == {0: (0,)}


def test_a_composite_that_takes_scalars_works_in_place_too() -> None:
    """PyTensor 3.3 gives it numbers beside arrays; it overwrites an array of its type."""
    text = CHAIN.replace("Exp [id A]", "ScalarizedComposite{((2.0 * i1) / i0)} [id A]")
    assert read_debugprint(text).graph.applies[2].op.destroy_map == {0: (0,)}

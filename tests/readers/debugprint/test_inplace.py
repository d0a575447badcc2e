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


def test_numbers_are_not_overwritten() -> None:
    """What PyTensor 3.3 passes on as a C scalar is no array that could be written into."""
    text = """ScalarizedTrue_div [id A] <float64> 1
 ├─ mul [id B] <float64> 0
 │  └─ x [id C] <float64>
 └─ y [id D] <Vector(float64, shape=(?,))>
"""
    assert read_debugprint(text).graph.applies[1].op.destroy_map == {}


def test_a_bare_input_is_a_new_value() -> None:
    """A caller would get a copy of it: it and the results behind it are updates, the one in front may be one."""
    kind = "<Vector(float64, shape=(?,))>"
    text = f"w [id B] {kind}\nSub [id A] {kind} 0\n ├─ e [id C] {kind}\n └─ 1.0 [id D] <Vector(float64, shape=(1,))>\n"
    found = read_debugprint(text)
    assert found.graph.applies[0].op.destroy_map == {0: (0,)}
    assert found.main.variants == ()


def test_an_update_is_told_from_the_order() -> None:
    """Three nodes read `w` before what overwrites it: their numbers say that it waits for them. Printed by PyTensor 3.0.7."""
    kind, scalar = "<Vector(float32, shape=(?,))>", "<Scalar(float32, shape=())>"
    text = f"""Cumsum{{axis=0}} [id A] {kind} 1
 └─ w [id B] {kind}
Sum{{axes=None, acc=float64}} [id C] {scalar} 5
 └─ Composite{{...}}.1 [id D] {kind} 4
    ├─ ExpandDims{{axis=0}} [id E] <Vector(float32, shape=(1,))> 3
    │  └─ Sum{{axes=None, acc=float64}} [id F] {scalar} 2
    │     └─ Exp [id G] {kind} 0
    │        └─ w [id B] {kind}
    ├─ w [id B] {kind}
    └─ x [id H] {kind}
Composite{{...}}.0 [id D] {kind} 4
 └─ ···
"""
    found = read_debugprint(text)
    assert found.graph.applies[4].op.destroy_map == {0: (1,)}
    assert found.main.variants == ()


def test_gradients_of_all_inputs_are_no_updates() -> None:
    """Nothing forbids that the last result overwrites `x`; but then there would be nothing left to give to the function."""
    kind = "<Vector(float32, shape=(?,))>"
    text = f"""Max{{axes=None}} [id A] <Scalar(float32, shape=())> 0
 └─ x [id B] {kind}
Sub [id C] {kind} 2
 ├─ x [id B] {kind}
 └─ ExpandDims{{axis=0}} [id D] <Vector(float32, shape=(1,))> 1
    └─ Max{{axes=None}} [id A] <Scalar(float32, shape=())> 0
"""
    found = read_debugprint(text)
    assert found.graph.applies[2].op.destroy_map == {}
    assert [g.applies[2].op.destroy_map for g in found.main.variants] == [{0: (0,)}]


FUSED = """FusedElemwise{{{0}}} [id A] <Vector(float32, shape=(?,))> 2
 ├─ x [id B] <Matrix(float32, shape=(?, ?))>
 ├─ i [id C] <Vector(int64, shape=(?,))>
 ├─ Exp [id L] <Vector(float32, shape=(?,))> 1
 │  └─ v [id M] <Vector(float32, shape=(?,))>
 └─ Alloc [id D] <Vector(float32, shape=(?,))> 0
    ├─ 0.0 [id E] <Scalar(float32, shape=())>
    └─ n [id F] <Scalar(int64, shape=())>

Inner graphs:

FusedElemwise{{{0}}} [id A]
"""


def test_a_fused_loop_writes_through_an_index_into_its_target() -> None:
    """That it goes over the target is certain, and that nothing else is overwritten too."""
    inner = """ ← AdvancedIncSubtensor [id G] <Vector(float32, shape=(?,))>
    ├─ i3 [id H] <Vector(float32, shape=(?,))>
    ├─ Mul [id I] <Vector(float32, shape=(?,))>
    │  ├─ i2 [id J] <Vector(float32, shape=(?,))>
    │  └─ AdvancedSubtensor{idx_list=(0,)} [id N] <Vector(float32, shape=(?,))>
    │     ├─ i0 [id O] <Matrix(float32, shape=(?, ?))>
    │     └─ i1 [id K] <Vector(int64, shape=(?,))>
    └─ i1 [id K] <Vector(int64, shape=(?,))>
"""
    graph = read_debugprint(FUSED.format("Mul") + inner).graph
    assert graph.applies[2].op.destroy_map == {0: (3,)}


def test_a_sum_in_a_fused_loop_overwrites_nothing() -> None:
    """Its result is no entry of the loop, though it has the type of what the loop reads."""
    inner = """ ← Sum{axis=0} [id G] <Vector(float32, shape=(?,))>
    └─ Mul [id I] <Matrix(float32, shape=(?, ?))>
       ├─ i0 [id J] <Matrix(float32, shape=(?, ?))>
       └─ ExpandDims{axis=0} [id P] <Matrix(float32, shape=(1, ?))>
          └─ i2 [id K] <Vector(float32, shape=(?,))>
"""
    graph = read_debugprint(FUSED.format("Mul, reduce[add@(0,)]") + inner).graph
    assert graph.applies[2].op.destroy_map == {}


def test_what_a_fused_loop_takes_is_open() -> None:
    """PyTensor decides anew what fused loops overwrite: the other reading is that they overwrite nothing."""
    inner = """ ← Mul [id G] <Vector(float32, shape=(?,))>
    ├─ i2 [id J] <Vector(float32, shape=(?,))>
    └─ AdvancedSubtensor{idx_list=(0,)} [id N] <Vector(float32, shape=(?,))>
       ├─ i0 [id O] <Matrix(float32, shape=(?, ?))>
       └─ i1 [id K] <Vector(int64, shape=(?,))>
"""
    found = read_debugprint(FUSED.format("Mul") + inner).main
    assert [g.applies[2].op.destroy_map for g in (found.graph, found.variants[-1])] == [{0: (2,)}, {}]

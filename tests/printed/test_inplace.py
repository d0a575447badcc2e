"""What PyTensor's text leaves out: which nodes of a compiled function work in place."""

from __future__ import annotations

from theanodiag.ir import FunctionGraph
from theanodiag.printed import read_debugprint

from .texts import MATRIX, VECTOR, mapped

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


def test_what_a_fused_loop_takes_is_known() -> None:
    """PyTensor decides anew what fused loops overwrite; not what is picked by an index."""
    inner = """ ← Mul [id G] <Vector(float32, shape=(?,))>
    ├─ i2 [id J] <Vector(float32, shape=(?,))>
    └─ AdvancedSubtensor{idx_list=(0,)} [id N] <Vector(float32, shape=(?,))>
       ├─ i0 [id O] <Matrix(float32, shape=(?, ?))>
       └─ i1 [id K] <Vector(int64, shape=(?,))>
"""
    found = read_debugprint(FUSED.format("Mul") + inner).main
    assert [g.applies[2].op.destroy_map for g in (found.graph, *found.variants)] == [{0: (2,)}] * 3


def test_what_a_fused_loop_takes_in_a_step_is_open() -> None:
    """The other reading is that it overwrites nothing."""
    step = f""" ← FusedElemwise{{Mul}} [id D] {VECTOR}
    ├─ Exp [id E] {VECTOR}
    │  └─ i0 [id F] {VECTOR} -> [id C]
    └─ i0 [id F] {VECTOR} -> [id C]

FusedElemwise{{Mul}} [id D]
 ← Mul [id G] {VECTOR}
    ├─ i0 [id H] {VECTOR}
    └─ i1 [id I] {VECTOR}
"""
    found = read_debugprint(mapped(MATRIX, step)).main
    steps = [g.applies[-1].op.inner for g in (found.graph, *found.variants)]
    assert [inner.applies[-1].op.destroy_map for inner in steps if inner is not None] == [{0: (0,)}, {}]


def test_a_loop_that_cannot_be_fused_leaves_what_it_writes_and_picks() -> None:
    """It makes two parts of one array: fused with the second, it would have to wait for the first. PyTensor 3.3 shows by its classes."""
    kind, table = "<Vector(float32, shape=(?,))>", "<Matrix(float32, shape=(?, ?))>"
    text = f"""AdvancedIncSubtensor [id A] {table} 5
 ├─ AdvancedIncSubtensor [id B] {table} 4
 │  ├─ z [id C] {table}
 │  ├─ Composite{{...}}.0 [id D] {kind} 3
 │  │  ├─ AdvancedSubtensor{{idx_list=(0, 1)}} [id E] {kind} 2
 │  │  │  ├─ x [id F] {table}
 │  │  │  ├─ i [id G] <Vector(int64, shape=(?,))>
 │  │  │  └─ i [id G] <Vector(int64, shape=(?,))>
 │  │  ├─ Exp [id H] {kind} 1
 │  │  │  └─ y [id I] {kind}
 │  │  └─ Sqr [id J] {kind} 0
 │  │     └─ y [id I] {kind}
 │  ├─ i [id G] <Vector(int64, shape=(?,))>
 │  └─ i [id G] <Vector(int64, shape=(?,))>
 ├─ Composite{{...}}.1 [id D] {kind} 3
 │  └─ ···
 ├─ i [id G] <Vector(int64, shape=(?,))>
 └─ i [id G] <Vector(int64, shape=(?,))>
Composite{{...}}.2 [id D] {kind} 3
 └─ ···

Inner graphs:

Composite{{...}} [id D]
 ← exp [id K] <float32>
    └─ i0 [id L] <float32>
 ← mul [id M] <float32>
    ├─ i1 [id N] <float32>
    └─ i2 [id O] <float32>
 ← sqr [id P] <float32>
    └─ i1 [id N] <float32>
"""
    assert [g.applies[3].op.destroy_map for g in _all(text)] == [{0: (0,), 1: (1,), 2: (2,)}, {2: (1,)}]
    new = text.replace("Sqr [id J]", "ScalarSubtensor{i} [id J]")
    assert _all(new)[0].applies[3].op.destroy_map == {2: (1,)}
    whole = "Composite{...}.2 [id D] <Vector(float32, shape=(?,))> 3\n └─ ···\n"
    summed = f"ScalarSum{{axes=None}} [id Q] <float32> 6\n └─ {whole}".replace("\n └─ ···", "\n    └─ ···")
    assert _all(new.replace(whole, summed))[0].applies[3].op.destroy_map == {}


def _all(text: str) -> list[FunctionGraph]:
    found = read_debugprint(text).main
    return [found.graph, *found.variants]


def test_a_new_value_goes_over_its_own_old_one() -> None:
    """Another result of the same node does not take it first."""
    kind = "<Scalar(float32, shape=())>"
    text = f"""Exp [id A] {kind} 1
 └─ Composite{{...}}.0 [id B] {kind} 0
    └─ t [id C] {kind}
Composite{{...}}.1 [id B] {kind} 0
 └─ ···
"""
    found = read_debugprint(text).main
    assert {0: (0,)} not in [g.applies[0].op.destroy_map for g in (found.graph, *found.variants)]
    assert {1: (0,)} in [g.applies[0].op.destroy_map for g in (found.graph, *found.variants)]


def test_a_new_value_goes_over_what_is_in_the_memory_of_the_old_one() -> None:
    """Rather than over another intermediate, though that stands in front."""
    kind = "<Matrix(float32, shape=(?, ?))>"
    text = f"""Add [id A] {kind} 2
 ├─ Cast{{float32}} [id B] {kind} 0
 │  └─ x [id C] <Matrix(float64, shape=(?, ?))>
 └─ Exp [id D] {kind} 1
    └─ w [id E] {kind}
"""
    found = read_debugprint(text).main
    ways = [[dict(a.op.destroy_map) for a in g.applies] for g in (found.graph, *found.variants)]
    assert sorted(ways, key=str) == [[{}, {0: (0,)}, {0: (1,)}], [{}, {}, {0: (0,)}]]


def test_a_change_of_a_part_looks_like_an_update() -> None:
    """Of an input that nothing else reads, beside other results too."""
    text = """Sum{axes=None} [id A] <Scalar(int64, shape=())> 1
 └─ x [id B] <Vector(int32, shape=(?,))>
AdvancedIncSubtensor{inc} [id C] <Vector(int32, shape=(?,))> 0
 ├─ counts [id D] <Vector(int32, shape=(?,))>
 ├─ [1] [id E] <Vector(int8, shape=(1,))>
 └─ x [id B] <Vector(int32, shape=(?,))>
"""
    assert read_debugprint(text).graph.applies[0].op.destroy_map == {0: (0,)}


def test_an_argument_is_left_where_that_can_be() -> None:
    """That all inputs are new values comes second."""
    kind = "<Matrix(float32, shape=(?, ?))>"
    one = "[[1.]] [id E] <Matrix(float32, shape=(1, 1))>"
    text = f"Exp [id A] {kind} 1\n └─ x [id B] {kind}\nSub [id C] {kind} 0\n ├─ w [id D] {kind}\n └─ {one}\n"
    found = read_debugprint(text).main
    ways = [[dict(a.op.destroy_map) for a in g.applies] for g in (found.graph, *found.variants)]
    assert ways.index([{0: (0,)}, {}]) < ways.index([{0: (0,)}, {0: (0,)}])


def ways_of(text: str, node: int) -> list[dict[int, tuple[int, ...]]]:
    """What a node overwrites in each reading."""
    found = read_debugprint(text).main
    return [dict(g.applies[node].op.destroy_map) for g in (found.graph, *found.variants)]


REDUCED = """FusedElemwise{Composite{...}, reduce[add@(0,)]}.1 [id A] <Scalar(float32, shape=())> 1
 ├─ w [id B] <Vector(float32, shape=(?,))>
 ├─ Dot [id C] <Vector(float32, shape=(?,))> 0
 │  ├─ x [id D] <Matrix(float32, shape=(?, ?))>
 │  └─ y [id E] <Vector(float32, shape=(?,))>
 └─ v [id F] <Vector(float32, shape=(?,))>
FusedElemwise{Composite{...}, reduce[add@(0,)]}.0 [id A] <Vector(float32, shape=(?,))> 1
 └─ ···
FusedElemwise{Composite{...}, reduce[add@(0,)]}.2 [id A] <Vector(float32, shape=(?,))> 1
 └─ ···

Inner graphs:

FusedElemwise{Composite{...}, reduce[add@(0,)]} [id A]
 ← Composite{...}.0 [id G] <Vector(float32, shape=(?,))>
    ├─ i0 [id H] <Vector(float32, shape=(?,))>
    ├─ i1 [id I] <Vector(float32, shape=(?,))>
    └─ i2 [id J] <Vector(float32, shape=(?,))>
 ← Sum{axes=None} [id K] <Scalar(float32, shape=())>
    └─ Composite{...}.2 [id G] <Vector(float32, shape=(?,))>
       └─ ···
 ← Composite{...}.1 [id G] <Vector(float32, shape=(?,))>
    └─ ···

Composite{...} [id G]
 ← add [id L] <float32>
    ├─ i0 [id M] <float32>
    └─ i1 [id N] <float32>
 ← add [id O] <float32>
    ├─ i2 [id P] <float32>
    └─ i1 [id N] <float32>
 ← SUMMED
"""


def test_what_a_loop_would_have_overwritten_before_it_was_fused_counts() -> None:
    """With a sum that would have gone over an input all is decided anew, and new values do not go first; a doubled result is no such."""
    fresh = REDUCED.replace("SUMMED", "sqr [id Q] <float32>\n    └─ i0 [id M] <float32>")
    assert {0: (0,), 2: (1,)} in ways_of(fresh, 1)
    doubled = REDUCED.replace("SUMMED", "add [id O] <float32>\n    └─ ···")
    assert {0: (0,), 2: (2,)} in ways_of(doubled, 1)


def test_what_is_added_to_an_input_looks_like_an_update() -> None:
    """What is made of it in another way looks like a gradient."""
    kind = "<Vector(float32, shape=(?,))>"
    text = f"""Sum{{axes=None}} [id A] <Scalar(float32, shape=())> 1
 └─ Exp [id B] {kind} 0
    └─ w [id C] {kind}
Sub [id D] {kind} 2
 ├─ w [id C] {kind}
 └─ x [id E] {kind}
"""
    assert read_debugprint(text).graph.applies[2].op.destroy_map == {0: (0,)}
    assert read_debugprint(text.replace("Sub [id D]", "Mul [id D]")).graph.applies[2].op.destroy_map == {}


def test_states_of_generators_among_the_results_hide_no_update() -> None:
    """They are new values of inputs that have no size."""
    kind = "<Vector(float32, shape=(?,))>"
    text = f"""Add [id A] {kind} 1
 ├─ w [id B] {kind}
 └─ uniform_rv{{"(),()->()"}}.1 [id C] {kind} 0
    ├─ rng [id D] <RandomGeneratorType>
    └─ w [id B] {kind}
uniform_rv{{"(),()->()"}}.0 [id C] <RandomGeneratorType> 0
 └─ ···
"""
    assert {0: (0,)} in ways_of(text, 1)


def test_a_result_is_the_new_value_of_what_it_adds_to() -> None:
    """Not of what else its node reads, though that stands in front."""
    kind = "<Vector(float32, shape=(?,))>"
    text = f"""Sum{{axes=None}} [id A] <Scalar(float32, shape=())> 0
 └─ w [id B] {kind}
Composite{{...}} [id C] {kind} 1
 ├─ x [id D] {kind}
 └─ w [id B] {kind}

Inner graphs:

Composite{{...}} [id C]
 ← add [id E] <float32>
    ├─ sqr [id F] <float32>
    │  └─ i0 [id G] <float32>
    └─ i1 [id H] <float32>
"""
    assert ways_of(text, 1)[0] == {0: (1,)}


def test_a_first_result_that_is_made_of_no_old_value_comes_second() -> None:
    """It would be a new value of an input only because it has its type."""
    kind = "<Vector(float32, shape=(?,))>"
    text = f"""Sum{{axis=0}} [id A] {kind} 2
 └─ m [id B] <Matrix(float32, shape=(?, ?))>
Exp [id C] <Vector(float64, shape=(?,))> 0
 └─ Cast{{float64}} [id D] <Vector(float64, shape=(?,))> 1
    └─ x [id E] {kind}
Sub [id F] {kind} 3
 ├─ w [id G] {kind}
 └─ Exp [id H] {kind} 4
    └─ x [id E] {kind}
"""
    assert {0: (0,)} not in ways_of(text, 4)[:1]


def test_what_is_added_to_an_input_is_seen_in_fused_loops_too() -> None:
    """And where the loop makes another result over it."""
    text = REDUCED.replace("SUMMED", "sqr [id Q] <float32>\n    └─ i0 [id M] <float32>")
    beside = "Sum{axes=None} [id R] <Scalar(float32, shape=())> 1\n └─ w [id B] <Vector(float32, shape=(?,))>\n"
    for node, old, new in (("L", "i0 [id M]", "i2 [id P]"), ("O", "i2 [id P]", "i0 [id M]")):
        text = text.replace(f"{node}] <float32>\n    ├─ {old}", f"{node}] <float32>\n    ├─ {new}")
    later = text.replace("> 1\n", "> 2\n")
    assert 0 in {i for ins in ways_of(beside + later, 2)[0].values() for i in ins}

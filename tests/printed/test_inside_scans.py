"""What a text leaves out about the graph inside of a Scan: its counts, and what it overwrites."""

from __future__ import annotations

from theanodiag.ir import Apply, FunctionGraph
from theanodiag.printed import read_debugprint
from theanodiag.printed.model import Print

from .texts import COUNT, MATRIX, NUMBER, VECTOR, mapped

MAPPED = mapped(VECTOR, f" ← Sum{{axes=None}} [id D] {NUMBER}\n    └─ i0 [id E] {VECTOR} -> [id C]\n")
STATE = f"""Scan{{scan_fn, while_loop=False, inplace=[0]}} [id A] {MATRIX} 0
 ├─ n [id B] {COUNT}
 └─ g [id C] {MATRIX}

Inner graphs:

Scan{{scan_fn, while_loop=False, inplace=[0]}} [id A]
 ← Add [id D] {MATRIX}
    ├─ Dot [id E] {MATRIX}
    │  ├─ i0 [id F] {MATRIX} -> [id C]
    │  └─ i0 [id F] {MATRIX} -> [id C]
    └─ i0 [id F] {MATRIX} -> [id C]
"""
GRADIENT = f"""Scan{{grad_of_scan_fn, while_loop=False, inplace=all}} [id A] {MATRIX} 1
 ├─ n [id B] {COUNT}
 ├─ BUFFER [id C] {MATRIX} 0
 ROWS
 └─ w [id G] {VECTOR}

Inner graphs:

Scan{{grad_of_scan_fn, while_loop=False, inplace=all}} [id A]
 ← Add [id H] {VECTOR}
    ├─ Mul [id I] {VECTOR}
    │  ├─ i1 [id J] {VECTOR} -> [id C]
    │  └─ i2 [id K] {VECTOR} -> [id G]
    └─ i0 [id L] {VECTOR} -> [id C]
"""
NEW = f"│  ├─ y [id D] {MATRIX}\n │  └─ y [id D] {MATRIX}"
OLD = f"│  ├─ 0 [id E] <Scalar(int8, shape=())>\n │  ├─ y [id D] {MATRIX}\n │  └─ y [id D] {MATRIX}"


def gradient(name: str, rows: str) -> str:
    """A gradient whose recurrence is made by an Op of that name."""
    return GRADIENT.replace("BUFFER", name).replace("ROWS", rows)


def scan_of(found: Print) -> Apply:
    """The one Scan."""
    (node,) = [node for node in found.graph.applies if node.op.name == "Scan"]
    return node


def inside(graph: FunctionGraph) -> dict[str, dict[int, tuple[int, ...]]]:
    """What each node inside of its Scan overwrites, by the Op's text."""
    (inner,) = [node.op.inner for node in graph.applies if node.op.name == "Scan"]
    assert inner is not None
    return {node.op.text: dict(node.op.destroy_map) for node in inner.applies}


def of_scan(text: str) -> FunctionGraph:
    """The graph inside of the one Scan."""
    inner = scan_of(read_debugprint(text).main).op.inner
    assert inner is not None
    return inner


def test_an_output_with_a_number_a_step_is_no_array_to_write_into() -> None:
    """Whether it has a recurrence or not."""
    assert of_scan(MAPPED).info["vector_outs"] == [True]
    rows = MAPPED.replace(f"Sum{{axes=None}} [id D] {NUMBER}", f"Exp [id D] {VECTOR}")
    assert of_scan(rows.replace("[id A] <Vector(float32, shape=(?,))>", f"[id A] {MATRIX}")).info["vector_outs"] == [False]


def test_the_outputs_of_a_gradient_are_looked_up_by_their_places_outside() -> None:
    """Frameworks ask the result that stands there inside, though recurrences of three taps have two results each."""
    text = f"""Scan{{grad_of_scan_fn, while_loop=False, inplace=all}}.0 [id A] {MATRIX} 2
 ├─ Shape_i{{0}} [id B] {COUNT} 0
 │  └─ x [id C] {MATRIX}
 ├─ IncSubtensor{{start:}} [id D] {MATRIX} 1
 │  ├─ y [id E] {MATRIX}
 │  ├─ x [id C] {MATRIX}
 │  └─ 2 [id F] <int64>
 └─ Shape_i{{0}} [id B] {COUNT} 0
    └─ ···
Scan{{grad_of_scan_fn, while_loop=False, inplace=all}}.1 [id A] {VECTOR} 2
 └─ ···

Inner graphs:

Scan{{grad_of_scan_fn, while_loop=False, inplace=all}} [id A]
 ← Add [id H] {VECTOR}
    ├─ i1 [id I] {VECTOR} -> [id D]
    └─ i0 [id J] {VECTOR} -> [id D]
 ← Sub [id K] {VECTOR}
    ├─ i2 [id L] {VECTOR} -> [id D]
    └─ i0 [id J] {VECTOR} -> [id D]
 ← Sum{{axes=None}} [id M] {NUMBER}
    └─ i0 [id J] {VECTOR} -> [id D]
"""
    info = of_scan(text).info
    assert (info["n_mit_mot"], info["n_nit_sot"]) == (1, 1)
    assert info["vector_outs"] == [False, False]


def test_a_state_goes_after_what_the_step_made_itself() -> None:
    """Only in a function with updates what is updated goes first."""
    assert inside(read_debugprint(STATE).graph)["Add"] == {0: (0,)}


def test_assignments_to_parts_come_before_loops() -> None:
    """Both could have what the step made: the assignment is rewritten first."""
    text = MAPPED.replace(f"Sum{{axes=None}} [id D] {NUMBER}\n    └─ i0 [id E]", f"Add [id D] {VECTOR}\n    ├─ Tanh [id F] {VECTOR}\n"
                          f"    │  └─ Exp [id G] {VECTOR}\n    │     └─ i0 [id E] {VECTOR} -> [id C]\n"
                          f"    └─ SetSubtensor{{:stop}} [id H] {VECTOR}\n       ├─ Exp [id G] {VECTOR}\n       │  └─ ···\n"
                          f"       ├─ 0.0 [id I] {NUMBER}\n       └─ 2 [id J] <int64>\n"
                          f" ← Exp [id K] {VECTOR}\n    └─ i0 [id E]")  # fmt: skip
    found = inside(read_debugprint(text).graph)
    assert (found["SetSubtensor{:stop}"], found["Tanh"]) == ({0: (0,)}, {})


def test_pytensor_3_3_overwrites_what_a_gradient_replaces() -> None:
    """But with no result: that is written into the recurrence afterwards."""
    found = read_debugprint(gradient("Join{axis=0}", NEW)).main
    assert inside(found.graph) == {"Mul": {0: (0,)}, "Add": {}}


def test_inner_graphs_of_several_nodes_show_pytensor_3_3() -> None:
    """It prints one graph for all nodes whose Ops are equal, with all their ids."""
    text = gradient("Dot", NEW).replace("inplace=all} [id A]\n", "inplace=all} [id A, Z]\n")
    assert inside(read_debugprint(text).main.graph) == {"Mul": {0: (0,)}, "Add": {}}


def test_older_ones_keep_it() -> None:
    """A Join that takes its axis as an input shows them; where nothing does, both are possible."""
    found = read_debugprint(gradient("Join", OLD)).main
    assert inside(found.graph) == {"Mul": {}, "Add": {0: (0,)}}
    assert all(inside(g)["Mul"] == {} for g in found.variants)
    found = read_debugprint(gradient("Dot", NEW)).main
    assert inside(found.graph) == {"Mul": {}, "Add": {0: (0,)}}
    assert {"Mul": {0: (0,)}, "Add": {}} in [inside(g) for g in found.variants]


def test_numbers_that_no_step_reads_need_not_be_lengths() -> None:
    """Where there are no results for them, they are other values."""
    text = gradient("Join{axis=0}", NEW).replace(f" └─ w [id G] {VECTOR}", f" ├─ w [id G] {VECTOR}\n └─ k [id M] {COUNT}")
    info = of_scan(text).info
    assert (info["n_mit_mot"], info["n_nit_sot"], info["n_non_seqs"]) == (1, 0, 2)


def test_a_state_that_is_not_overwritten_is_a_view() -> None:
    """After no step it is what was given: nobody may write into it."""
    for which in ("none", "all"):  # all that keep a value of each step
        text = STATE.replace("inplace=[0]", f"inplace={which}")
        assert scan_of(read_debugprint(text).main).op.view_map == {0: (1,)}
    assert scan_of(read_debugprint(STATE).main).op.view_map == {}

"""What nodes overwrite, inferred for several sets of updates, on random graphs."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from theanodiag.ir import Variable
from theanodiag.ir.builder import tensor
from theanodiag.printed.overwritten import OverwritePlan, infer

LEAVES = 4


@st.composite
def plans(draw: st.DrawFn) -> OverwritePlan:
    """Elementwise nodes and assignments to parts over four inputs of two types, some views, and nodes that say what they overwrite."""
    kinds = [tensor(None), tensor(None, 3)]
    variables = [Variable(v, draw(st.sampled_from(kinds)), f"x{v}") for v in range(LEAVES)]
    inputs: list[list[int]] = []
    outputs: list[list[int]] = []
    names = draw(st.lists(st.sampled_from(["Elemwise"] * 3 + ["IncSubtensor", "Subtensor", "Gemm"]), min_size=1, max_size=9))
    for node, name in enumerate(names):
        inputs.append(draw(st.lists(st.sampled_from(range(len(variables))), min_size=1, max_size=3)))
        made = range(draw(st.integers(1, 2)) if name == "Elemwise" else 1)
        outputs.append([len(variables) + k for k in made])
        variables += [Variable(len(variables) + k, draw(st.sampled_from(kinds)), None, node) for k in made]
    views = [{0: (0,)} if name == "Subtensor" else {} for name in names]
    results = draw(st.lists(st.sampled_from(range(LEAVES, len(variables))), min_size=1, max_size=4))
    destroys = [{0: (0,)} if name == "Gemm" else {} for name in names]
    return OverwritePlan(range(len(names)), names, inputs, outputs, views, destroys, variables, results)


SETS = st.frozensets(st.integers(0, LEAVES - 1))


@given(plans(), st.lists(SETS, min_size=2, max_size=4))
def test_what_is_known_of_other_updates_changes_nothing(plan: OverwritePlan, sets: list[frozenset[int]]) -> None:
    """Each set is inferred as it is by itself, and nothing else is overwritten."""
    known = infer(plan, sets[0])
    for updated in sets[1:]:
        known = infer(plan, updated, known)
        assert known == infer(plan, updated)
        over = {plan.bases[node][i] for node, row in known.destroy.items() for ins in row.values() for i in ins}
        assert {v for v in over if v < LEAVES} <= updated

"""The catalogue of Ops, and that no other table says what it says."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from theanodiag.ops import op_info
from theanodiag.ops.registry import FAMILIES, PRINTED_AS, by_name, with_shape_rule
from theanodiag.ops.spec import GpuLowering, OpSpec


def test_each_op_has_one_entry() -> None:
    """Families do not overlap: a second entry is refused."""
    assert len(by_name()) == sum(len(family.OPS) for family in FAMILIES) > 150


def test_each_entry_says_something() -> None:
    """An entry without a fact is what every Op without an entry is."""
    assert [name for name, op in by_name().items() if op == OpSpec(name)] == []


@pytest.mark.parametrize("name", ["Gemm", "GpuGemm"])
def test_the_form_of_the_device_has_the_facts_of_the_host(name: str) -> None:
    """Where it has no entry of its own."""
    assert op_info(name).factors == (2, 3)


def test_a_form_of_the_device_may_differ() -> None:
    """GpuDimShuffle always makes a view; that of the host only in place."""
    assert op_info("GpuDimShuffle").views_input
    assert not op_info("DimShuffle").views_input


def test_an_op_without_an_entry_has_the_facts_that_most_have() -> None:
    """It is not kept: names of Ops come from texts of any length."""
    assert op_info("NobodyHasThis").overwrites == {0: (0,)}
    assert op_info("NobodyHasThis").gpu == GpuLowering()


def test_host_inputs_of_an_op_on_the_device() -> None:
    """By position, or from one on."""
    assert [op_info("Gemm").gpu.reads_on_host(k) for k in range(5)] == [False, True, False, False, True]
    assert [op_info("IncSubtensor").gpu.reads_on_host(k) for k in range(4)] == [False, False, True, True]


def test_entries_have_plain_facts() -> None:
    """Entries are literals and names of rules: nothing is computed where they stand, so that a reader sees all there is."""
    for family in FAMILIES:
        tree = ast.parse(Path(str(family.__file__)).read_text(encoding="utf-8"))
        (entries,) = [n.value for n in tree.body if isinstance(n, ast.Assign) and ast.unparse(n.targets[0]) == "OPS"]
        assert not [n for n in ast.walk(entries) if isinstance(n, (ast.ListComp, ast.DictComp, ast.GeneratorExp, ast.Lambda))]


def test_names_as_printed_are_those_of_one_class() -> None:
    """Which may stand in another file than the rule that reads its parameters."""
    assert PRINTED_AS["SetSubtensor"] == ("IncSubtensor", {"set_instead_of_inc": True})
    assert len(PRINTED_AS) == sum(len(op.printed_as) for op in by_name().values())


def test_what_is_known_of_shapes() -> None:
    """A rule, deliberately none, not supported."""
    assert [op_info(name).shape is not None for name in ("GpuSum", "MakeSlice", "SomebodysOp")] == [True, False, False]
    assert [op_info(name).no_array for name in ("GpuSum", "MakeSlice", "SomebodysOp")] == [False, True, False]
    assert op_info("GpuGemm").shape is op_info("Gemm").shape
    assert op_info("GpuDnnConv").shape is not op_info("CorrMM").shape


def test_an_ending_stands_for_all_random_variables() -> None:
    """PyTensor has a class for each distribution."""
    assert op_info("NormalRV").shape is op_info("SomebodysRV").shape
    assert "*RV" in with_shape_rule()
    assert "NormalRV" not in with_shape_rule()

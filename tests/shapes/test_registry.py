"""The registry's three states, and that a name has one rule."""

from __future__ import annotations

import pytest

from theanodiag.shapes.all_rules import FAMILIES, REGISTRY
from theanodiag.shapes.registry import Coverage, Registry, like


def test_a_second_rule_for_a_name_is_refused() -> None:
    """Whichever way the first one came."""
    registry = Registry()
    registry.add({"Sum": like(0)})
    registry.add_none(["MakeSlice"], "it is no array")
    with pytest.raises(ValueError, match="Sum"):
        registry.add({"Sum": like(1)})
    with pytest.raises(ValueError, match="MakeSlice"):
        registry.add({"MakeSlice": like(0)})


def test_the_three_states() -> None:
    """A rule, deliberately none, not supported."""
    assert REGISTRY.coverage("GpuSum") is Coverage.RULE
    assert REGISTRY.coverage("MakeSlice") is Coverage.NONE
    assert REGISTRY.coverage("SomebodysOp") is Coverage.UNSUPPORTED


def test_a_gpu_form_has_the_rule_of_its_op() -> None:
    """And names of their own keep theirs."""
    assert REGISTRY.rule("GpuGemm") is REGISTRY.rule("Gemm")
    assert REGISTRY.rule("GpuDnnConv") is not REGISTRY.rule("CorrMM")


def test_endings_stand_for_all_random_variables() -> None:
    """PyTensor has a class for each distribution."""
    assert REGISTRY.rule("NormalRV") is REGISTRY.rule("SomebodysRV")


def test_every_family_is_registered() -> None:
    """No rule is lost between its file and the registry."""
    names = {name for family in FAMILIES for name in family.RULES}
    assert names <= set(REGISTRY.names())
    assert "*RV" in REGISTRY.names()

"""TD335 in scripts of several functions."""

from __future__ import annotations

from dataclasses import replace

from tests.rules.scripts import BY_CODE, only
from theanodiag.memory.script import Call, Compile
from theanodiag.rules.examples import device, subject


def test_two_functions_with_such_a_matrix_are_changed_together() -> None:
    """Each alone would leave the peak of the other, and be told nothing."""
    one = BY_CODE["TD335"].fires().script
    second = replace(one.functions[0], index=1, name="valid")
    events = (*one.events, *(replace(e, function=1) for e in one.events if isinstance(e, (Call, Compile))))
    found = only("TD335", subject(replace(one, functions=(*one.functions, second), events=events), device(4_000_000_000)))
    assert "and 1 more (also in valid)" in found.message
    assert found.after is not None
    assert found.after.reserved_bytes == 8 << 20

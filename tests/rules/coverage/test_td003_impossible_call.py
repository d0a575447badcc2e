"""TD003: which calls cannot work, where they are, and which are left to others."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.scripts import findings, only
from theanodiag.findings import Confidence, Severity
from theanodiag.ir import Site
from theanodiag.memory.script import Call, Script
from theanodiag.rules.coverage import impossible_call
from theanodiag.rules.examples import dot_script, subject

FIRST, SECOND = Site("net.py", 12), Site("net.py", 40)


def called(*sites: Site, assumed: bool = False) -> Script:
    """x of (4, 11) times W of (10, 10), from these lines."""
    script = impossible_call.fires().script
    (call,) = (e for e in script.events if isinstance(e, Call))
    events = tuple(e for e in script.events if not isinstance(e, Call))
    tables = [replace(call.shapes, shapes=dict(call.shapes.shapes)) for _ in sites]
    return replace(script, events=(*events, *(replace(call, site=s, shapes=t, assumed=assumed) for s, t in zip(sites, tables))))


def test_op_and_shapes_at_the_call() -> None:
    """An error at the line that calls, with the op and what it gets."""
    found = only("TD003", subject(called(SECOND)))
    assert (found.severity, found.confidence, str(found.location)) == (Severity.ERROR, Confidence.DERIVED, "net.py:40")
    assert "this call of predict cannot work" in found.message
    assert found.message.endswith("GpuDot22 of (4, 11) and (10, 10)")


@pytest.mark.parametrize(("sites", "count"), [((FIRST, FIRST), 1), ((FIRST, SECOND), 2)], ids=["one line", "two lines"])
def test_once_a_line(sites: tuple[Site, ...], count: int) -> None:
    """A loop is one place, however often its shapes are recorded."""
    assert len(findings("TD003", subject(called(*sites)))) == count


def test_calls_that_the_script_does_not_make() -> None:
    """Their shapes are the user's or ours, and are refused or dropped before."""
    assert findings("TD003", subject(called(FIRST, assumed=True))) == []
    assert findings("TD003", subject(dot_script(4, 10))) == []

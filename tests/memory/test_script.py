"""The calls of a function, out of the events of a script."""

from __future__ import annotations

from theanodiag.memory.script import Call, Compile, Script
from theanodiag.rules.examples import dot_script


def two_functions() -> Script:
    """The first is called, then the second, then the first again."""
    script = dot_script(2, 3)
    first = next(e for e in script.events if isinstance(e, Call))
    second = Call(1, (), first.shapes)
    return Script(script.shared, script.functions, (Compile(0), first, Compile(1), second, first))


def test_the_calls_of_a_function_are_its_own() -> None:
    """Those of another one between them are left out; a function that is never called has none."""
    script = two_functions()
    _, first, _, second, again = script.events
    assert script.calls(0) == (first, again)
    assert script.calls(1) == (second,)
    assert script.calls(7) == ()


def test_scripts_are_equal_though_only_one_was_asked() -> None:
    """What is kept of an answer is no part of the script."""
    asked, other = two_functions(), two_functions()
    asked.calls(0)
    assert asked == other

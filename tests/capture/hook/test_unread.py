"""What the instruction after a call says about its results."""

from __future__ import annotations

from theanodiag.capture.hook.unread import thrown_away


def test_only_a_call_that_stands_alone_drops_its_results() -> None:
    """One whose result gets a name, an index, or a reader does not. The script is compiled here, under a name of its own."""
    seen: list[bool] = []

    def look() -> list[int]:
        seen.append(thrown_away((__file__,)))
        return [1]

    code = "look()\nx = look()\nlook()[0]\nprint(look())\n[look() for i in (1,)]\nlook()\n"
    exec(compile(code, "script.py", "exec"), {"look": look})
    assert seen == [True, False, False, False, False, True]

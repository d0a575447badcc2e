"""The pipe for what a script prints: every line behind the mark, whole, in order, and harmless."""

from __future__ import annotations

import os
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.cli.output import OutputError
from theanodiag.cli.progress import FIRST, LAST, LONGEST, MARK, RepeatedWarnings, ScriptOutput


def shown(*blocks: bytes, shorten: str = "") -> str:
    """What people see of these blocks."""
    got: list[str] = []
    with ScriptOutput("output:", got.append, shorten=shorten) as output:
        for block in blocks:
            os.write(output.descriptor, block)
    return "".join(got)


def test_nothing_printed_is_nothing_shown() -> None:
    """No heading, no empty line."""
    assert shown() == ""


@pytest.mark.parametrize("blocks", [(b"a\nb\n",), (b"a", b"\n", b"b\n"), (b"a\nb",)])
def test_lines_stand_behind_the_mark(blocks: tuple[bytes, ...]) -> None:
    """However they came, with the last one whole too; an empty line ends it."""
    assert shown(*blocks) == f"output:\n{MARK}a\n{MARK}b\n\n"


def test_of_a_progress_bar_the_last_state_is_left() -> None:
    """It would write over the mark."""
    assert shown(b"10 %\r50 %\r100 %\r\ndone\n") == f"output:\n{MARK}100 %\n{MARK}done\n\n"


@given(st.lists(st.binary(max_size=200), max_size=5))
def test_any_bytes(blocks: list[bytes]) -> None:
    """No byte moves a cursor or forges a line without a mark."""
    text = shown(*(b for b in blocks if b))
    assert all(c.isprintable() or c in "\n\t" for c in text)
    assert all(line.startswith(MARK) for line in text.split("\n")[1:-2])


def test_a_line_without_an_end_is_neither_kept_nor_cut() -> None:
    """Three million characters come out, in pieces."""
    text = shown(*[b"x" * LONGEST] * 46)
    assert text.count("x") == 46 * LONGEST


@pytest.mark.parametrize("more", [1, 2, 500])
@pytest.mark.parametrize("at_once", [True, False])
def test_a_long_output_is_shown_by_its_beginning_and_its_end(more: int, at_once: bool) -> None:
    """With the number of lines between, and how to see them; else the report below it scrolls away."""
    lines = [f"{n}\n" for n in range(FIRST + LAST + more)]
    blocks = ["".join(lines)] if at_once else lines
    text = shown(*(block.encode() for block in blocks), shorten="--verbose shows all")
    between = f"{MARK}... ({more} more line{'s' if more > 1 else ''}; --verbose shows all)\n"
    marked = [f"{MARK}{line}" for line in lines]
    assert text == "".join(["output:\n", *marked[:FIRST], between, *marked[-LAST:], "\n"])


def test_the_latest_line_of_a_long_output_is_known_meanwhile() -> None:
    """Number and text of what is not shown before the end, a progress bar as it was last; nothing while all is shown."""
    with ScriptOutput("output:", lambda _: None, shorten="x") as output:
        os.write(output.descriptor, b"x\n" * FIRST)
        assert output.unseen() == ""
        os.write(output.descriptor, b"epoch 1\repoch 2\n")
        while not output.unseen():
            time.sleep(0.01)
        assert output.unseen() == f", line {FIRST + 1} of its output: epoch 2"


@pytest.mark.parametrize("count", [1, FIRST, FIRST + 1, FIRST + LAST])
def test_an_output_that_is_not_long_is_shown_whole(count: int) -> None:
    """Also where it may be cut."""
    lines = [f"{n}\n" for n in range(count)]
    assert shown("".join(lines).encode(), shorten="x") == shown("".join(lines).encode())


def test_the_script_goes_on_where_nothing_can_be_shown() -> None:
    """More than a pipe holds is read and dropped after the error, which ends the block; an error of the block itself comes first."""

    def full(_: str) -> None:
        raise OutputError("no room")

    def printing(error: Exception | None) -> None:
        with ScriptOutput("output:", full) as output:
            for _ in range(64):
                os.write(output.descriptor, b"a line\n" * 5_000)
            if error is not None:
                raise error

    with pytest.raises(OutputError, match="no room"):
        printing(None)
    with pytest.raises(KeyError):
        printing(KeyError())


def test_equal_warnings_are_shown_once_with_their_number() -> None:
    """With the line of code below each; other lines, equal ones too, stay as they are."""
    got: list[str] = []
    old = "a.py:3: FutureWarning: it changes\n  x = f()\n"
    with ScriptOutput("output:", got.append, warnings=RepeatedWarnings()) as output:
        os.write(output.descriptor, ("1\n" + old + "1\n" + old + "2\n" + old + "a.py:9: UserWarning: other\n  y = 1\n  z\n").encode())
    shown = [line.removeprefix(MARK) for line in "".join(got).splitlines() if line]
    expected = ["output:", "1", "a.py:3: FutureWarning: it changes", "  x = f()", "1", "2", "a.py:9: UserWarning: other", "  y = 1", "  z"]
    assert shown == [*expected, "(3 times: a.py:3: FutureWarning: it changes)"]

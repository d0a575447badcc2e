"""Graphs that something put onto one line."""

from __future__ import annotations

import pytest

from theanodiag.errors import UnreadableError
from theanodiag.printed import read_debugprint
from theanodiag.printed.reader import laid_out

from .texts import ALL, MATRIX, PYTENSOR, SCAN, THEANO, VECTOR, mapped

LOOP = mapped(MATRIX, f" ← Exp [id D] {VECTOR}\n    └─ *0-{VECTOR} [id E] -> [id C]\n")
CHAIN = """Add [id A] 6
 ├─ Exp [id B] 1
 │  └─ Log [id C] 0
 │     └─ x [id D]
 ├─ Sub [id E] 4
 │  ├─ Mul [id F] 3
 │  │  ├─ x [id D]
 │  │  └─ Sqr [id G] 2
 │  │     └─ y [id H]
 │  └─ Exp [id B] 1
 │     └─ ···
 └─ Neg [id I] 5
    └─ Sqr [id G] 2
       └─ ···
Sin [id J] 7
 └─ y [id H]
"""


@pytest.mark.parametrize("text", [*ALL.values(), SCAN, LOOP, CHAIN])
def test_the_spaces_say_what_hangs_on_what(text: str) -> None:
    """Each generation, loops and repeated nodes included, reads as it does on lines of its own."""
    found = read_debugprint(text.replace("\n", " "))
    assert found.main == read_debugprint(text).main
    assert not found.damage


@pytest.mark.parametrize("text", [PYTENSOR, LOOP, CHAIN])
def test_the_branches_of_pytensor_say_it_without_spaces(text: str) -> None:
    """A web page makes one space of many."""
    found = read_debugprint(" ".join(text.split()))
    assert found.main == read_debugprint(text).main
    assert not found.damage


@pytest.mark.parametrize("text", [ALL["old"], THEANO, ALL["aesara"], SCAN])
def test_bars_do_not_say_it(text: str) -> None:
    """Such a text is refused, not read as one node; a whole graph beside it is read."""
    with pytest.raises(UnreadableError, match="on one line") as caught:
        read_debugprint(" ".join(text.split()), "paste.txt")
    assert str(caught.value).startswith("paste.txt:1:1: ")
    assert read_debugprint(f"{' '.join(text.split())}\n\n{CHAIN}").main == read_debugprint(CHAIN).main


@pytest.mark.parametrize("text", [*ALL.values(), SCAN, LOOP, CHAIN, "| add [id A] | mul [id B] |", "Dot [id A] is slow | Gemm [id B] too"])
def test_lines_that_are_whole_stay(text: str) -> None:
    """So do tables and sentences that speak of nodes."""
    assert laid_out(text, "paste.txt") == text


def test_a_chain_does_not_grow_without_end() -> None:
    """The columns of a chain grow with the square of its length: one that is longer than any function's is refused."""
    chain = " ".join(["Exp [id A0]", *(f"└─ Exp [id A{k}]" for k in range(1, 20_000))])
    with pytest.raises(UnreadableError, match="on one line"):
        read_debugprint(chain)

"""Lines that a terminal broke at its last column."""

from __future__ import annotations

import re

import pytest

from theanodiag.printed import read_debugprint
from theanodiag.printed.cleaning import broken_rows

from .texts import ALL, GPU, SCAN

LONG = """Composite{((sigmoid((-(-i0))) * exp(i0)) + (sqrt(abs(i0)) * cos(i0)) + (i0<i0))}.1 [id auto_1893] <Matrix(float32, ?)> 12
 ├─ Elemwise{Composite{((sigmoid((-(-i0))) * exp(i0)) + (sqrt(abs(i0)) * cos(i0)))}}[(0, 0)] [id auto_1741] <Matrix(float32, ?)> 'mean' 11
 │  └─ x [id auto_1701] <Matrix(float32, shape=(?, ?))>
 └─ Unique{return_index=False, return_inverse=False, return_counts=True, axis=None}.0 [id auto_1702] <Vector(float32, shape=(?,))> 10
    └─ x [id auto_1701] <Matrix(float32, shape=(?, ?))>
Unique{return_index=False, return_inverse=False, return_counts=True, axis=None}.1 [id auto_1702] <Vector(float32, shape=(?,))> 10
 └─ ···
"""
NO_IDS = re.sub(r" \[id \w+\]", "", LONG)


def wrapped(text: str, width: int) -> str:
    """What a terminal of that width makes of `text`."""
    return "\n".join(line[k : k + width] for line in text.split("\n") for k in range(0, len(line) or 1, width))


def nodes(text: str) -> list[object]:
    """The nodes with their numbers, and the results."""
    found = read_debugprint(text)
    assert not found.damage
    return [*((a.op.text, a.inputs, a.outputs) for a in found.graph.applies), *found.graph.outputs]


@pytest.mark.parametrize("width", range(61, 139))
@pytest.mark.parametrize("text", [LONG, NO_IDS], ids=["ids", "no ids"])
def test_broken_anywhere(text: str, width: int) -> None:
    """In ids of several letters, in order numbers, in front of `>`: outputs are put together as well, and texts without ids."""
    assert nodes(wrapped(text, width)) == nodes(text)


STORAGE = """Elemwise{true_div,no_inplace} [id A] <TensorType(float32, vector)> 'mean' d={0: [0]} 10 [None]
 |x [id B] <TensorType(float32, vector)> [array([1.], dtype=float32)]
"""
LINKS = """for{cpu,scan_fn} [id A] <TensorType(float32, vector)>
 |x [id B] <TensorType(float32, vector)>
Inner graphs of the scan ops:

for{cpu,scan_fn} [id A] <TensorType(float32, vector)>
 >exp [id C] <TensorType(float32, scalar)>
 > |<TensorType(float32, scalar)> [id D] <TensorType(float32, scalar)> -> [id B]
"""


@pytest.mark.parametrize("width", range(62, 81))
def test_broken_behind_the_id(width: int) -> None:
    """In a name, in front of a storage, in what an inner input stands for."""
    broken = read_debugprint(wrapped(STORAGE, width))
    assert broken.graph == read_debugprint(STORAGE).graph
    assert broken.graph.variables[broken.graph.outputs[0]].name == "mean"
    inner = read_debugprint(wrapped(LINKS, width)).graph.applies[0].op.inner
    assert inner is not None
    assert inner.info["outer_ids"] == ["B"]


def test_carriage_returns() -> None:
    """They are no part of a line that goes on."""
    assert nodes(wrapped(LONG, 80).replace("\n", "\r\n")) == nodes(LONG)


@pytest.mark.parametrize("text", [*ALL.values(), GPU, SCAN, LONG])
def test_whole_lines_stay(text: str) -> None:
    """The longest line of a text is not joined with the next one."""
    assert broken_rows(text.split("\n")) == frozenset()


def test_a_sentence_as_wide_as_a_line() -> None:
    """... is not put in front of an output."""
    rows = ALL["theano"].split("\n")
    assert broken_rows(["This sentence has no part in the graph".ljust(max(map(len, rows)), "."), *rows]) == frozenset()

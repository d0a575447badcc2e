"""TD301: by how much a script does not fit, on the byte, and which part of it is the first to fail."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.rules.scripts import START, findings, only, placed
from theanodiag.devices import HOST, Context
from theanodiag.devices.profile import DEFAULT_CONTEXT
from theanodiag.findings import Confidence, Severity
from theanodiag.ir import Site, TypeKind, Unknown
from theanodiag.memory.script import Script
from theanodiag.plans.batch import BatchPlan, BatchRow
from theanodiag.rules.examples import device, dot_script, subject
from theanodiag.units import MIB, format_bytes

WEIGHTS = dot_script(100, 2000)
"""W is 2000 x 2000 floats = 16 000 000 bytes, a block of its own; x and its product (800 000 each) lie in the first block."""
ARGUMENTS = dot_script(2000, 1000)
"""W (4 000 000) lies in the first block; x and its product are blocks of 8 000 000 each."""
NEEDS_WEIGHTS = START + 16_000_000
NEEDS_ARGUMENTS = START + 8_000_000 + 8_000_000


@pytest.mark.parametrize(("script", "need"), [(WEIGHTS, NEEDS_WEIGHTS), (ARGUMENTS, NEEDS_ARGUMENTS)], ids=["weights", "arguments"])
def test_last_byte_decides(script: object, need: int) -> None:
    """A device of just that size is enough, one with a byte less is not."""
    chosen = WEIGHTS if script is WEIGHTS else ARGUMENTS
    assert findings("TD301", subject(chosen, device(need))) == []
    found = only("TD301", subject(chosen, device(need - 1)))
    assert (found.severity, found.confidence) == (Severity.ERROR, Confidence.DERIVED)
    assert ", 1 B less" in found.message


@pytest.mark.parametrize("total", [5_000_000, 8_000_000, 20_000_000])
def test_sizes_are_those_of_script_and_device(total: int) -> None:
    """Need, size and what is missing, as people write them."""
    words = only("TD301", subject(WEIGHTS, device(total))).message
    assert f"needs {format_bytes(NEEDS_WEIGHTS)}; {format_bytes(total)} are available" in words
    assert f", {format_bytes(NEEDS_WEIGHTS - total)} less" in words
    assert "(16000000 bytes)" in words


def test_shared_variables_fail_first() -> None:
    """Before any function is called; the largest buffer's line is the place."""
    s = subject(placed(WEIGHTS, shared=Site("net.py", 3)), device(8_000_000))
    found = only("TD301", s)
    assert found.message.startswith("W does not fit on example")
    assert str(found.location) == "net.py:3"


@pytest.mark.parametrize("total", [START + 8_000_000, START + 15_999_999], ids=["no room at all", "a byte short"])
def test_function_fails_at_its_product(total: int) -> None:
    """W and x fit, the product does not: the function's line is the place."""
    found = only("TD301", subject(placed(ARGUMENTS, function=Site("net.py", 9)), device(total)))
    assert found.message.startswith("predict does not fit on example")
    assert (str(found.location), found.location.detail) == ("net.py:9", "predict")
    assert "(8000000 bytes)" in found.message


@pytest.mark.parametrize(("total", "who"), [(1000, "even what the back-end takes at its start does not fit"), (START, "W does not fit")])
def test_who_asked_first(total: int, who: str) -> None:
    """The start takes a block before any variable is made; what asks afterwards is named."""
    assert only("TD301", subject(WEIGHTS, device(total))).message.startswith(f"{who} on example")


@pytest.mark.parametrize(
    ("total", "context", "said"),
    [
        (64 * MIB, DEFAULT_CONTEXT, True),
        (310 * MIB, DEFAULT_CONTEXT, True),
        (64 * MIB, Context(300 * MIB, "measured"), False),
        (10 * MIB, DEFAULT_CONTEXT, False),
    ],
    ids=["smaller than the context", "a little larger", "it was measured", "would not fit either"],
)
def test_a_guess_that_decides_is_said(total: int, context: Context, said: bool) -> None:
    """What was taken off for the driver, and how to say what it really is, where the script would fit without it."""
    found = only("TD301", subject(WEIGHTS, replace(device(total), context=context)))
    words = f"we assume {format_bytes(context.bytes)} of {format_bytes(total)} for the CUDA context; measure yours"
    assert any(note.startswith(words) and "--device-overhead" in note for note in found.notes) is said


def test_notes_are_whole() -> None:
    """A reason is not cut, however long it is."""
    s = subject(WEIGHTS, device(8_000_000))
    why = "its rows are read by " + "a very long reason " * 10
    note = only("TD301", replace(s, advice=replace(s.advice, batch=None, chunks=(("W", why),)))).notes[-1]
    assert note == f"W cannot be cut into chunks: {why}"


def test_the_batch_comes_first() -> None:
    """What is fixed, what a row takes, and how many rows fit, before what is said of chunks."""
    s = subject(dot_script(4000, 1000), device(24_000_000))
    assert isinstance(s.advice.batch, BatchPlan)
    largest = s.advice.batch.largest
    first = only("TD301", s).notes[0]
    assert first == f"the batch is 4000 (x:0 of predict): 3.8 MiB fixed and 7.8 KiB a row; {largest} rows fit"


@pytest.mark.parametrize(("total", "fit"), [(24_000_000, "about 2500 rows fit"), (3_000_000, "even one row does not fit")])
def test_a_batch_that_is_written_into_the_graph(total: int, fit: str) -> None:
    """No other batch can be simulated: the arrays at the peak are counted, and the reader is told what to change."""
    s = subject(dot_script(4000, 1000), device(total))
    first = only("TD301", replace(s, advice=replace(s.advice, batch=None))).notes[0]
    assert first.startswith("of predict, arrays of 4000 rows grow with the batch: 3.8 MiB fixed and 7.8 KiB a row; " + fit)
    assert "change it where the script sets it" in first


def test_axes_that_hardly_matter_are_no_batch() -> None:
    """Where only the labels can be made shorter, the plan about them is not what is said of the batch."""
    s = subject(dot_script(4000, 1000), device(24_000_000))
    plan = s.advice.batch
    assert isinstance(plan, BatchPlan)
    labels = replace(plan, rows=(BatchRow(1, 35_996_004, 0, False), BatchRow(4000, 36_000_000, 0, False)), largest=None)
    assert "arrays of 4000 rows grow with the batch" in only("TD301", replace(s, advice=replace(s.advice, batch=labels))).notes[0]


def test_variables_with_one_reason_share_a_line() -> None:
    """Twelve parameters are no twelve notes."""
    s = subject(WEIGHTS, device(8_000_000))
    chunks = (*((f"W{k}", "train updates it as a whole") for k in range(12)), ("b", "it is small"))
    assert only("TD301", replace(s, advice=replace(s.advice, batch=None, chunks=chunks))).notes[-2:] == (
        "W0, W1, W2, W3 and 8 more cannot be cut into chunks: train updates it as a whole",
        "b cannot be cut into chunks: it is small",
    )


def test_host_of_a_known_size() -> None:
    """Its memory is what there is; nothing is said of a driver or of a device."""
    small = replace(HOST, free_bytes=10_000_000)
    found = only("TD301", subject(on_host(), small))
    assert found.message.startswith("W does not fit in the memory of this host: the script needs ")
    assert "driver" not in " ".join((found.message, *found.notes))
    assert findings("TD301", subject(on_host(), replace(HOST, free_bytes=100_000_000))) == []


def on_host() -> Script:
    """The script of `WEIGHTS`, as it is on the host."""
    function = WEIGHTS.functions[0]
    tensors = tuple(replace(v, type=replace(v.type, kind=TypeKind.TENSOR)) for v in function.graph.variables)
    shared = {k: replace(v, type=replace(v.type, kind=TypeKind.TENSOR)) for k, v in WEIGHTS.shared.items()}
    return replace(WEIGHTS, shared=shared, functions=(replace(function, graph=replace(function.graph, variables=tensors)),))


def test_host_has_no_limit() -> None:
    """Without a device nothing is said."""
    assert findings("TD301", subject(dot_script(10_000, 100_000))) == []


def test_unknown_sizes_decide_nothing() -> None:
    """A lower bound that fits is no proof, and not a finding either."""
    assert findings("TD301", subject(dot_script(Unknown("data"), 100), device(10_000_000))) == []

"""Rules about whether the script fits, and what is largest at its peak."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from tests.rules.scripts import START, findings, only, placed
from theanodiag.devices import HOST, Context
from theanodiag.devices.profile import DEFAULT_CONTEXT
from theanodiag.findings import Confidence, Results, Severity
from theanodiag.ir import Site, TypeKind, Unknown
from theanodiag.memory.profile import ProcessProfile
from theanodiag.memory.script import Script
from theanodiag.memory.simulate import simulate
from theanodiag.plans.graphs.optimizer_state import with_states
from theanodiag.plans.resize import ArgumentAxis, WhatIf
from theanodiag.rules.examples import device, dot_script, subject, trained_script
from theanodiag.rules.memory.training import large_states
from theanodiag.rules.subject import ScriptSubject
from theanodiag.units import MIB, format_bytes

# TD301: by how much a script does not fit, on the byte, and which part of it is the first to fail.

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
    assert found.message.endswith(": 1 B too few")
    assert "missing    1 B         1 bytes" in found.notes


@pytest.mark.parametrize("total", [5_000_000, 8_000_000, 20_000_000])
def test_sizes_are_those_of_script_and_device(total: int) -> None:
    """Need, size and what is missing, as people write them."""
    found = only("TD301", subject(WEIGHTS, device(total)))
    words = found.message
    assert f"needs {format_bytes(NEEDS_WEIGHTS)}; {format_bytes(total)} are available" in words
    assert words.endswith(f": {format_bytes(NEEDS_WEIGHTS - total)} too few")
    table = [note.split() for note in found.notes[:5]]
    assert [(row[0], int(row[-2])) for row in table[:3]] == [
        ("needed", NEEDS_WEIGHTS),
        ("available", total),
        ("missing", NEEDS_WEIGHTS - total),
    ]
    assert "(16000000 bytes)" in found.notes[3]
    assert found.notes[4].startswith("largest    W float32")


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
    assert "(8000000 bytes)" in found.notes[3]


@pytest.mark.parametrize(
    ("total", "who"), [(1000, "even the memory that the back-end takes at its start does not fit"), (START, "W does not fit")]
)
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
    """The largest that fits and the next, both simulated, as TD303 has them; before what is said of chunks."""
    s = subject(dot_script(4000, 1000), device(24_000_000))
    largest = (24_000_000 - START) // (2 * 1000 * 4)
    assert fits(s, largest)
    assert not fits(s, largest + 1)
    needs = [simulated(s, b).reserved_peak_bytes for b in (largest, largest + 1)]
    assert after_the_table(s)[0] == (
        f"the batch is 4000 (x:0 of predict): {largest} fits and needs {needs[0]} bytes, {largest + 1} does not and needs {needs[1]} bytes"
    )
    assert f"largest batch that fits is {largest} " in only("TD303", s).message


def test_a_batch_of_which_not_even_1_fits() -> None:
    """What it needs is what the simulation of one row needs."""
    s = subject(dot_script(4000, 1000), device(3_000_000))
    need = format_bytes(simulated(s, 1).reserved_peak_bytes)
    assert after_the_table(s)[0] == f"the batch is 4000 (x:0 of predict): not even a batch of 1 fits, which needs {need}"


def test_no_number_of_rows_without_a_simulation() -> None:
    """A batch that cannot be simulated is given no number."""
    s = subject(dot_script(4000, 1000), device(24_000_000))
    unplanned = replace(s, advice=replace(s.advice, batch=Unknown("it depends on data")))
    assert after_the_table(unplanned)[0] == "the need of other batches is unknown: it depends on data"
    assert not any("batch" in note for note in only("TD301", replace(s, advice=replace(s.advice, batch=None))).notes)


def after_the_table(s: ScriptSubject) -> tuple[str, ...]:
    """The notes that come after the five lines of figures."""
    return only("TD301", s).notes[5:]


def simulated(s: ScriptSubject, batch: int) -> ProcessProfile:
    """The script with this batch."""
    script = WhatIf(s.script).with_lengths({ArgumentAxis(0, 0, 0): batch})
    assert not isinstance(script, Unknown)
    return simulate(script, s.settings)


def fits(s: ScriptSubject, batch: int) -> bool:
    """Whether a batch fits."""
    return simulated(s, batch).fits is True


def test_variables_with_one_reason_share_a_line() -> None:
    """Twelve parameters are no twelve notes."""
    s = subject(WEIGHTS, device(8_000_000))
    chunks = (*((f"W{k}", "train updates it as a whole") for k in range(12)), ("b", "it is small"))
    assert only("TD301", replace(s, advice=replace(s.advice, batch=None, chunks=chunks))).notes[-2:] == (
        "W0, W1, W2, W3 and 8 more cannot be cut into chunks: train updates each as a whole",
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


# TD302: when the peak is worth a word, and what is live there.

SCRIPT = dot_script(100, 2000)
PEAK = 2000 * 2000 * 4 + 2 * (100 * 2000 * 4)
"""W, x and their product."""


def test_half_of_the_device_decides() -> None:
    """On the byte: a peak of just one half is named, below it nothing is."""
    assert len(findings("TD302", subject(SCRIPT, device(2 * PEAK)))) == 1
    assert findings("TD302", subject(SCRIPT, device(2 * PEAK + 1))) == []


def test_peak_and_its_parts() -> None:
    """16.8 MiB are W of 15.3 MiB and twice 781.2 KiB, largest first."""
    found = only("TD302", subject(SCRIPT, device(2 * PEAK)))
    head, _, parts = found.message.partition(": ")
    assert head == "at the peak of predict (16.8 MiB)"
    first, *others = parts.split("; ")
    assert first == "W float32 (2000, 2000) 15.3 MiB shared"
    assert sorted(others) == ["GpuDot22 float32 (100, 2000) 781.2 KiB intermediate", "x float32 (100, 2000) 781.2 KiB input"]


@pytest.mark.parametrize(("rows", "columns", "place"), [(10, 1000, 0), (100, 100, None), (3000, 100, 2)], ids=["weights", "equal", "rows"])
def test_largest_comes_first(rows: int, columns: int, place: int | None) -> None:
    """W stands where its size puts it: before two smaller arrays, or behind two larger ones."""
    found = only("TD302", subject(dot_script(rows, columns), device(100_000)))
    names = [part.split()[0] for part in found.message.partition(": ")[2].split("; ")]
    assert sorted(names) == ["GpuDot22", "W", "x"]
    assert place is None or names[place] == "W"


@pytest.mark.parametrize(
    ("shared", "function", "place"),
    [(Site("net.py", 3), Site("net.py", 9), "net.py:3"), (None, Site("net.py", 9), "net.py:9"), (None, None, "model.py")],
    ids=["the largest", "the function", "the script"],
)
def test_place_is_the_nearest_known(shared: Site | None, function: Site | None, place: str) -> None:
    """Line of the largest buffer, else of the function, else the script."""
    found = only("TD302", subject(placed(SCRIPT, shared=shared, function=function), device(2 * PEAK)))
    assert str(found.location) == place
    assert (found.severity, found.confidence) == (Severity.INFO, Confidence.DERIVED)


@pytest.mark.parametrize("called", [True, False], ids=["on the host", "never called"])
def test_no_device_or_no_call(called: bool) -> None:
    """The host has no half, and a function that was not called no peak."""
    s = subject(SCRIPT) if called else subject(dot_script(100, 2000, called=False), device(PEAK))
    assert findings("TD302", s) == []


def test_a_layer_whose_weights_do_not_fit_gets_fewer_units() -> None:
    """The most that fit: with one more it does not; the number is written where the script has it."""
    s = subject(trained_script(2, 5000, 400), device(5_000_000))
    found = only("TD308", replace(s, source="W = Dense(n_in=5000, n_units=400)"))
    (units,) = map(int, re.findall(r"the widest layers that fit have (\d+) units \(W:1\), now 400", found.message))
    assert found.fix is not None
    assert found.fix.code == f"n_units = {units}  # was 400: W:1"
    assert found.cost is not None
    assert found.cost.results is Results.TRAINED_OTHERWISE
    assert only_fits(5000, units)
    assert not only_fits(5000, units + 1)


def only_fits(columns: int, units: int) -> bool:
    """Whether the script with these units fits the same device."""
    return subject(trained_script(2, columns, units), device(5_000_000)).process.fits is True


def test_where_columns_must_stay_no_layer_is_made_narrower() -> None:
    """The square weights have as many rows as the input has columns."""
    assert subject(trained_script(2, 2000), device(5_000_000)).advice.shorter is None


def test_a_wider_layer_fits_beside_an_optimizer_without_state() -> None:
    """The most that fit without the velocity too: of four arrays of W's size, three are left."""
    s = subject(trained_script(2, 5000, 400, momentum=True), device(10_000_000))
    found = only("TD308", s)
    (units,) = map(int, re.findall(r"the widest layers that fit have (\d+) units", found.message))
    (wider,) = map(int, re.findall(r"with plain gradient descent as well \(TD327\), layers of (\d+) units fit", "\n".join(found.notes)))
    assert units < wider < 400
    (optimizer,) = large_states(s)
    for columns, fits in ((wider, True), (wider + 1, False)):
        script = with_states(trained_script(2, 5000, columns, momentum=True), optimizer, 0)
        assert subject(script, device(10_000_000)).process.fits is fits


def test_no_other_optimizer_is_named_where_none_has_state() -> None:
    """Plain gradient descent already."""
    assert not any("gradient descent" in note for note in only("TD308", subject(trained_script(2, 5000, 400), device(5_000_000))).notes)

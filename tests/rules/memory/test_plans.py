"""What all findings that carry a plan have in common: figures that fit, savings that add up, code that is code."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from tests.rules.scripts import only, placed
from theanodiag.findings import Confidence, Cost, Finding, Fix, LengthChange, Results, Saving, Severity
from theanodiag.ir import Op, Site
from theanodiag.ir.builder import GraphBuilder, on_device
from theanodiag.memory.profile import UnknownSize
from theanodiag.memory.script import BaseArray, Call, CallInput, Script
from theanodiag.memory.settings import AllocatorKind
from theanodiag.memory.simulate import simulate
from theanodiag.plans.memory_flags import preallocate
from theanodiag.rules.base import Rule
from theanodiag.rules.examples import built, data_script, device, dot_script, more_rows_script, subject, trained_script
from theanodiag.rules.impact import figures, marked
from theanodiag.rules.registry import SCRIPT_RULES
from theanodiag.rules.subject import ScriptSubject

PLANS = ("TD303", "TD305", "TD306", "TD307", "TD308", "TD311", "TD314")
BY_CODE = {rule.code: rule for rule in SCRIPT_RULES}


@functools.cache
def example(code: str) -> tuple[ScriptSubject, Finding]:
    """The subject on which a rule fires, and its finding."""
    rule: Rule[ScriptSubject] = BY_CODE[code]
    s = rule.fires()
    (found,) = rule.check(s)
    return s, found


@pytest.mark.parametrize("code", PLANS)
def test_it_fits_afterwards_and_not_before(code: str) -> None:
    """By the figures that the finding itself has."""
    s, found = example(code)
    available = s.device.available_bytes
    assert available is not None
    assert found.after is not None
    assert found.after.reserved_bytes <= available < s.process.reserved_peak_bytes
    assert found.severity is Severity.WARNING
    assert marked(s, found).cures


@pytest.mark.parametrize("code", PLANS)
def test_the_saving_is_the_difference(code: str) -> None:
    """Of what is taken from the driver."""
    s, found = example(code)
    assert found.after is not None
    assert found.saves is not None
    assert found.saves.bytes == s.process.reserved_peak_bytes - found.after.reserved_bytes > 0


LARGEST = "the largest batch that fits is"


@pytest.mark.parametrize(
    ("loop", "batch", "rows", "shown"),
    [
        ("range(len(X) // batch_size)", 8192, 24576, "a batch of 4096 divides the 24576 rows of the data (the largest that fits is"),
        ("range(0, len(X), batch_size)", 8192, 24576, LARGEST),
        ("cost = total / batch_size", 8192, 24576, LARGEST),
        ("range(0, len(X) - batch_size + 1, batch_size)", 8191, 3 * 8191, "of 24573 rows are then left out where the script divides by it"),
        ("range(len(X) // batch_size)", 8192, 24577, LARGEST),
    ],
)
def test_a_batch_leaves_no_rows_out(loop: str, batch: int, rows: int, shown: str) -> None:
    """Where the script leaves out those that remain, the largest batch that divides the data; said, if there is none that is half as large.

    Of data that the present batch does not divide, nothing is said: the script leaves some out as it is.
    """
    script = trained_script(batch, 200)
    events = [replace(e, inputs=tuple(map(_part_of(rows), e.inputs))) if isinstance(e, Call) else e for e in script.events]
    s = subject(replace(script, events=tuple(events)), device(12_000_000))
    (found,) = BY_CODE["TD303"].check(replace(s, source=f"batch_size = {batch}\n{loop}\n"))
    assert shown in found.message, found.message
    assert found.after is not None
    assert found.after.reserved_bytes <= 12_000_000
    assert ("batch_size = 4096 " in str(found.fix and found.fix.code)) == ("divides the" in shown)


def test_a_batch_size_without_a_name_of_its_own_leaves_no_rows_out() -> None:
    """Lasagne's examples give it to a generator, whose parameter has the name; the statement is written with the other number."""
    text = "def iterate_minibatches(x, size):\n    for i in range(0, len(x) - size + 1, size):\n        yield x[i:i + size]\n"
    script = trained_script(8192, 200)
    events = [replace(e, inputs=tuple(map(_part_of(24576), e.inputs))) if isinstance(e, Call) else e for e in script.events]
    s = subject(replace(script, events=tuple(events)), device(12_000_000))
    (found,) = BY_CODE["TD303"].check(replace(s, source=f"{text}for batch in iterate_minibatches(X, 8192):\n    train(batch)\n"))
    assert "a batch of 4096 divides the 24576 rows of the data" in found.message
    assert found.fix is not None
    assert str(found.fix.code).startswith("for batch in iterate_minibatches(X, 4096):  # was 8192")


def _part_of(rows: int) -> Callable[[CallInput], CallInput]:
    """Makes an argument a part of an array of so many rows."""
    return lambda given: replace(given, part_of=BaseArray("a", (rows, 200), 800 * rows))


def test_micro_batches_are_no_plan() -> None:
    """Their functions are not simulated: the figure is in words, and nothing counts on it."""
    s, found = example("TD304")
    assert (found.after, found.saves, found.confidence, marked(s, found).cures) == (None, None, Confidence.GUESSED, False)
    assert "should fit: about " in found.message


@pytest.mark.parametrize("code", ["TD304", *PLANS])
def test_what_is_to_be_pasted_is_python_or_flags(code: str) -> None:
    """Each line of the fix."""
    _, found = example(code)
    assert found.fix is not None
    assert found.fix.code is not None
    if not found.fix.code.startswith("THEANO_FLAGS="):
        ast.parse(found.fix.code)
    assert all(len(line) <= 76 for line in found.notes)


def test_the_code_speaks_the_framework_of_the_script() -> None:
    """PyTensor keeps grad in its tensor module."""
    s, _ = example("TD304")
    (found,) = BY_CODE["TD304"].check(replace(s, library="pytensor"))
    assert found.fix is not None
    assert "pytensor.tensor.grad(cost, params)" in str(found.fix.code)
    assert "theano" not in str(found.fix.code)


def test_a_preallocation_that_is_too_large_is_replaced() -> None:
    """900 MB on a device of 500: Theano would run on the CPU."""
    card = device(500_000_000)
    plain = subject(dot_script(1000, 5000), card)
    settings = replace(plain.settings, preallocate=900.0)
    process = simulate(plain.script, settings)
    assert process.fits is False
    plan = preallocate(plain.script, settings, process, card.available_bytes)
    assert plan is not None
    s = replace(plain, settings=settings, process=process, preallocation=plan)
    (found,) = BY_CODE["TD310"].check(s)
    assert found.severity is Severity.WARNING
    assert f"gpuarray.preallocate={plan.megabytes} serves" in found.message
    assert marked(s, found).cures


def test_beside_a_refused_preallocation_no_smaller_array_helps() -> None:
    """Theano does not start on the device, whatever the script needs; with another value in the advice it does."""
    card = device(500_000_000)
    plain = subject(dot_script(1000, 5000, "float64"), card)
    settings = replace(plain.settings, preallocate=900.0)
    s = replace(plain, settings=settings, process=simulate(plain.script, settings))
    assert s.process.refused
    (found,) = BY_CODE["TD401"].check(s)
    assert found.after is not None
    assert found.after.reserved_bytes < 500_000_000
    assert not marked(s, found).cures
    assert marked(s, replace(found, fix=Fix("none", code="THEANO_FLAGS=gpuarray.preallocate=0"))).cures
    assert not marked(s, replace(found, fix=Fix("same", code="THEANO_FLAGS=gpuarray.preallocate=900,floatX=float32"))).cures
    (told,) = BY_CODE["TD301"].check(s)
    assert told.message.startswith("gpuarray.preallocate requests 900.0 MiB, but only 472.8 MiB are free: "), told.message
    assert not any(note.startswith("missing") for note in told.notes)


def test_old_theano_is_told_of_cnmem() -> None:
    """The back-end before Theano 1.0: the least number of MB, and not one less."""
    card = device(500_000_000)
    plain = subject(dot_script(1000, 5000), card)
    script = replace(plain.script, flags={"device": "gpu0"})
    settings = replace(plain.settings, allocator=AllocatorKind.DIRECT)
    process = simulate(script, settings)
    plan = preallocate(script, settings, process, card.available_bytes)
    assert plan is not None
    assert plan.flag == "lib.cnmem"
    for megabytes, grows in ((plan.megabytes, False), (plan.megabytes - 1, True)):
        pool = replace(settings, allocator=AllocatorKind.CNMEM, cnmem=float(megabytes))
        start = simulate(replace(script, events=()), pool).reserved_peak_bytes
        assert (simulate(script, pool).reserved_peak_bytes > start) is grows


def test_what_helps_little_is_for_those_who_ask() -> None:
    """Less than a twentieth of what is missing: shown with --verbose, named without it."""
    s = subject(dot_script(4000, 1000), device(24_000_000))
    missing = s.process.reserved_peak_bytes - 24_000_000
    found = Finding("TD999", Severity.WARNING, Confidence.DERIVED, "a hint", s.place(None), after=figures(s.process))
    for share, minor in ((0.04, True), (0.06, False)):
        assert marked(s, replace(found, saves=Saving(round(share * missing)))).minor is minor
    assert not marked(s, replace(found, saves=Saving(0, 1.0))).minor
    assert not marked(subject(dot_script(10, 10), device(24_000_000)), found).minor


def test_a_function_that_gets_all_data_at_once_is_called_with_parts() -> None:
    """The number may be that of the rows of the data: it is no change of the script, of which a part would be dropped."""
    s = subject(dot_script(4000, 1000), device(24_000_000))
    fix = only("TD303", s).fix
    assert fix is not None
    size, data, loop = str(fix.code).splitlines()
    assert size.startswith("batch_size = ")
    assert data == "# x_data: what predict is called with now"
    assert loop.startswith("results = [predict(x_data[k:k + batch_size]) for k in range(0, 4000, batch_size)]")
    assert loop.endswith("  # concatenate them")
    assert fix.changes == ()


def test_sums_over_the_rows_are_added_up() -> None:
    """The same function, which returns the sum of the rows and their mean: parts of the rows are added up, and averaged by their rows."""
    b = GraphBuilder("total")
    x = b.argument("x", on_device(4000, 1000))
    sums = [b.apply(Op(name, name, params={"scalar_op": "Add", "axis": [0]}), [x], on_device(1000)) for name in ("Sum", "Mean")]
    found = only("TD303", subject(built(b, *sums), device(12_000_000)))
    assert found.fix is not None
    assert str(found.fix.code).endswith("  # add output 0 up; average output 1, weighed by the rows of the parts")
    assert found.cost == Cost(Results.ROUNDED, work="more calls")


def test_a_batch_that_an_argument_names_is_set_there() -> None:
    """`predict(x, batch_size=4000)` slices what it passes on by that argument."""
    s = subject(dot_script(4000, 1000), device(24_000_000))
    calls = "[predict(X[i:i + batch_size]) for i in range(0, len(X), batch_size)]"
    text = f"def f(X, batch_size=32):\n    return {calls}\nf(data, batch_size=4000)"
    fix = only("TD303", replace(s, source=text)).fix
    assert fix is not None
    assert re.fullmatch(r"batch_size ?= ?\d+  # was 4000: x:0 of predict", str(fix.code))
    assert fix.title == "set the batch size"


def called_again(script: Script, *digests: str) -> Script:
    """The script with a call for each digest of the data that is passed."""
    call = next(e for e in script.events if isinstance(e, Call))
    calls = [replace(call, inputs=tuple(replace(i, digest=digest) for i in call.inputs)) for digest in digests]
    return replace(script, events=(*(e for e in script.events if e is not call), *calls))


@pytest.mark.parametrize(("digests", "whole"), [(("whole:1", "whole:1"), True), (("whole:1", "whole:2"), False), (("zero", "zero"), False)])
def test_data_that_is_passed_again_in_each_epoch_is_not_a_batch(digests: tuple[str, ...], whole: bool) -> None:
    """A validation set of 4000 rows made shorter would give results of another set; other rows in each call are batches."""
    s = subject(called_again(dot_script(4000, 1000), *digests), device(24_000_000))
    fix = only("TD303", s).fix
    assert fix is not None
    assert fix.title == ("call predict with parts of its data" if whole else "set the batch size")
    assert ("for k in range(0, 4000, batch_size)]" in str(fix.code)) is whole
    assert (fix.changes == ()) is whole


@pytest.mark.parametrize("script", [trained_script(8192, 200), more_rows_script(4000, 4000)])
def test_a_batch_of_training_or_of_several_calls_is_a_number_of_the_script(script: Script) -> None:
    """It is changed where it is written."""
    fix = only("TD303", subject(script, device(12_000_000))).fix
    assert fix is not None
    assert len(str(fix.code).splitlines()) == 1
    assert [type(c) for c in fix.changes] == [LengthChange]


@pytest.mark.parametrize(
    ("line", "name", "word"),
    [
        (None, "data", "data"),
        ("self.x = theano.shared(value, borrow=True)", "self.x", "x"),
        ("sets['train'] = shared(", "sets['train']", "sets_train"),
        ("x = T.cast(theano.shared(value), 'int32')", "data", "data"),
    ],
)
def test_chunks_are_of_the_variable_as_the_script_calls_it(line: str | None, name: str, word: str) -> None:
    """Where the line that creates it assigns it; what loads the chunks has another name than any of them."""
    script = placed(data_script(50_000, 500), shared=Site("net.py", 3, code=line))
    found = only("TD305", subject(script, device(8_000_000)))
    assert found.fix is not None
    code = str(found.fix.code).split("\n")
    assert "theanodiag" not in str(found.fix.code)  # which the interpreter of the script need not have
    assert any(row.startswith(f"    {name}.set_value(host_{word}[first:") for row in code)


def test_the_batch_is_called_as_in_the_script() -> None:
    """Where its text says how; else it is `batch_size`."""
    s = subject(trained_script(8192, 200), device(12_000_000))
    for text, start in (("", "batch_size = "), ("rows, BATCH = 9, 8192\n", "BATCH = ")):
        found = only("TD303", replace(s, source=text))
        assert found.fix is not None
        assert str(found.fix.code).startswith(start)


def test_the_code_of_a_loop_has_the_names_of_the_call_and_leaves_the_batch_of_training() -> None:
    """`batch_size` may be the script's own number, which then stays."""
    s = subject(dot_script(4000, 1000), device(24_000_000))
    fix = only("TD303", replace(s, source="batch_size = 32\npredict(net.data)\n")).fix
    assert fix is not None
    size, loop = str(fix.code).splitlines()
    assert size.startswith("predict_batch_size = ")
    assert loop.startswith("results = [predict(net.data[k:k + predict_batch_size]) for k in range(0, 4000, predict_batch_size)]")
    for call in ("predict(data[:4000] / 255.0)", "predict(x=data[:4000] / 255.0)"):
        other = only("TD303", replace(s, source=call)).fix
        assert other is not None
        assert str(other.code).splitlines()[1] == "x_data = data[:4000] / 255.0"
        assert "predict(x_data[k:k + batch_size])" in str(other.code)


def test_no_share_of_the_device_is_enough_for_a_peak_that_is_a_lower_bound() -> None:
    """An array of unknown size may need more than any share that is derived from the others."""
    s = BY_CODE["TD313"].fires()
    profile = s.process.functions[0]
    unknown = replace(profile, unknown=(UnknownSize("x", "Sort", "depends on data"),))
    assert list(BY_CODE["TD313"].check(s))
    assert not list(BY_CODE["TD313"].check(replace(s, process=replace(s.process, functions={0: unknown}))))

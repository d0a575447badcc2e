"""The subject of the rules: which entry counts, and with which text."""

from __future__ import annotations

import pytest

from theanodiag.errors import Span
from theanodiag.findings import Disposition, Severity
from theanodiag.flags.diagnose import Unread, about, finding, fix, replace_span
from theanodiag.flags.model import Dialect
from theanodiag.rules.config.examples import config

FILE = "[DEFAULT]\nfloatX = float16\n[global]\nfloatX = float64\ndevice = cuda%(n)s\nn = 1\nflaotX = float32\n"


def test_variable_beats_the_file() -> None:
    """And the last flag of the variable wins."""
    subject = config(FILE, "floatX=float32,floatX=float64")
    winner = subject.winner("floatX")
    assert winner is not None
    assert (winner.section, winner.span.start) == (None, 15)


def test_section_beats_default() -> None:
    """Wherever `[DEFAULT]` stands."""
    assert config(FILE).text("floatX") == "float64"
    assert config("[global]\nfloatX = float64\n[DEFAULT]\nfloatX = float16\n").text("floatX") == "float64"
    assert config("[global]\n[DEFAULT]\nfloatX = float16\n").text("floatX") == "float16"


def test_default_counts_only_in_sections_that_are_there() -> None:
    """Without `[global]` it sets nothing."""
    assert config("[DEFAULT]\nfloatX = float16\n").winner("floatX") is None


def test_text_of_a_flag_that_nobody_set_is_its_default() -> None:
    """None where it is computed, or where there is no such flag."""
    subject = config()
    assert (subject.text("allow_gc"), subject.text("cuda.root"), subject.text("lib.cnmem")) == ("True", None, None)


@pytest.mark.parametrize(("text", "number"), [(".5", 0.5), ("80%", None)])
def test_number(text: str, number: float | None) -> None:
    """None where it is none."""
    assert config(flags=f"gpuarray.preallocate={text}").number("gpuarray.preallocate") == number


def test_interpolated_text_is_the_librarys() -> None:
    """What `%(n)s` stands for."""
    subject = config(FILE)
    device = subject.winner("device")
    assert device is not None
    assert subject.interpolated(device) == "cuda1"


def test_unknown_entries_and_used_ones() -> None:
    """`n` is no flag but used, `flaotX` neither: it has a reason."""
    subject = config(FILE)
    assert [(w.key, subject.used(w)) for w in subject.written if w.flag is None] == [("n", True), ("flaotX", False)]
    assert [[w.key for w in subject.unread(why)] for why in Unread if subject.unread(why)] == [["flaotX"]]


def test_library_warns_only_in_the_variable() -> None:
    """Of a file's options it says nothing."""
    subject = config(FILE, "flaotX=float32")
    assert [subject.warned(w) for w in subject.unread(Unread.NAME) if w.key == "flaotX"] == [False, True]


def test_spelling_is_the_dialects() -> None:
    """Dots or underscores."""
    assert config().spell("scan.allow_gc", "True") == "scan.allow_gc=True"
    assert config(to=Dialect.PYTENSOR).spell("scan.allow_gc", "True") == "scan__allow_gc=True"


def test_finding_about_a_default_points_to_the_library() -> None:
    """Not to a variable that nobody set; where the flag could be added, if the variable is there."""
    where = about("TD299", Severity.INFO, config(), "floatX", "why").location
    assert (where.path, where.line, where.detail) == ("Theano 1.0.5", None, "floatX is not set")
    assert about("TD299", Severity.INFO, config(env=(("THEANO_FLAGS", "device=cpu"),)), "floatX", "why").location.path == "THEANO_FLAGS"
    assert about("TD299", Severity.INFO, config(FILE), "floatX", "why").location.line == 4


def test_fix_is_unsafe_unless_said_otherwise() -> None:
    """Its edits lie on the span."""
    span = Span("rc", "abc", 1, 2)
    made = finding("TD299", Severity.INFO, span, "why", fix("do", replace_span(span, "X"))).fix
    assert made is not None
    assert made.disposition is Disposition.UNSAFE
    assert (made.edits[0].start, made.edits[0].end, made.edits[0].replacement) == (1, 2, "X")

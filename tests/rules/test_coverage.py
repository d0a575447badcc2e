"""Rules about what a prediction leaves open (TD0)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tests.plans.judge import ran
from tests.rules.scripts import findings, only, placed
from theanodiag.findings import Confidence, Severity
from theanodiag.ir import Op, Site, Unknown
from theanodiag.ir.builder import GraphBuilder, on_device
from theanodiag.memory.script import Call, Script
from theanodiag.rules.coverage import impossible_call, product_too_large
from theanodiag.rules.examples import built, device, dot_script, subject
from theanodiag.units import GIB

# TD001: which sizes are unknown and why, where the function is, and what to give.

NONZERO = Unknown("the length depends on data")
SITE = Site("net.py", 12, "build")


def test_unknown_variable_and_reason() -> None:
    """The argument is named with the reason, and so is how many more depend on it."""
    found = only("TD001", subject(dot_script(NONZERO, 10), device(10_000_000)))
    assert "x (the length depends on data)" in found.message
    assert "and 1 more" in found.message
    assert "lower bounds" in found.message


def test_figures_are_what_is_known() -> None:
    """W of ten by ten floats, 400 bytes, is the lower bound: nothing is counted for x."""
    s = subject(dot_script(NONZERO, 10))
    assert s.profiled()[0][1].figures.live_peak_bytes == 10 * 10 * 4
    assert isinstance(s.process.fits, Unknown)


@pytest.mark.parametrize("called", [True, False], ids=["called", "never called"])
def test_place_is_the_function(called: bool) -> None:
    """The line that compiled it, with its name."""
    found = only("TD001", subject(placed(dot_script(NONZERO, 10, called=called), function=SITE)))
    assert str(found.location) == "net.py:12"
    assert found.location.detail == "predict"
    assert (found.severity, found.confidence) == (Severity.INFO, Confidence.DERIVED)


def test_place_without_a_line_is_the_script() -> None:
    """Where the function's place is not known."""
    assert str(only("TD001", subject(dot_script(NONZERO, 10))).location) == "model.py"


def test_shape_to_give_is_ready_to_paste() -> None:
    """Function and argument in the words of the command line; the shared variable is no argument."""
    found = only("TD001", subject(dot_script(5, 10, called=False)))
    assert "never called" in found.message
    assert found.fix
    assert found.fix.code == "--shape predict:x=..."


@pytest.mark.parametrize(("rows", "columns"), [(0, 10), (1, 1), (5, 10)], ids=["empty", "one", "some"])
def test_known_sizes_are_silent(rows: int, columns: int) -> None:
    """Zero rows are a size too."""
    assert findings("TD001", subject(dot_script(rows, columns))) == []


# TD003: which calls cannot work, where they are, and which are left to others.

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


# TD005: what libgpuarray refuses, beside the real one.

SCRIPT = """
import numpy, theano, theano.tensor as T
W = theano.shared(numpy.zeros((16, 1 << 20), "float32"))
x = T.fmatrix()
theano.function([x], T.dot(x, W).sum())(numpy.zeros((ROWS, 16), "float32"))
"""


@pytest.mark.parametrize("rows", [2047, 2048])
def test_the_real_one_refuses_what_is_found(tmp_path: Path, rows: int) -> None:
    """Though the card has room for four of them."""
    script = tmp_path / "wide.py"
    script.write_text(SCRIPT.replace("ROWS", str(rows)), encoding="utf-8")
    real = ran(tmp_path, script, "floatX=float32", 40 * GIB)
    assert real.fits is (rows < 2048), real.error
    assert real.fits or "GpuDot22(GpuFromHost" in real.error
    assert real.reserved < 9 * GIB


def test_what_is_told() -> None:
    """The Op, the matrix and the limit."""
    found = only("TD005", product_too_large.fires())
    assert "GpuDot22 of f has a matrix of 2048 x 1048576: libgpuarray refuses one of more than 2147483647 entries" in found.message


def test_a_batch_counts_each_matrix() -> None:
    """64 of 8192 by 4096 are 2147483648 entries, and taken."""
    b = GraphBuilder("f")
    x, y, z = (b.argument(n, on_device(64, *s)) for n, s in (("x", (8192, 2)), ("y", (2, 4096)), ("z", (8192, 4096))))
    made = b.apply(Op("GpuGemmBatch", "GpuGemmBatch"), [z, x, y], on_device(64, 8192, 4096))
    assert findings("TD005", subject(built(b, made), device(80_000_000_000))) == []

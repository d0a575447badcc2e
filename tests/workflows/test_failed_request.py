"""The request of a log among the arrays of a script: found by its bytes, told apart by the node and the line."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.ir import Site
from theanodiag.logs.model import FailedRequest
from theanodiag.report.explained import ROUNDED, candidates
from theanodiag.report.model import Report
from theanodiag.rules.examples import device, dot_script

from ..report.conftest import make

REPORT = make(dot_script(100, 2000), device(80_000_000))
SIZES = {"x": 4 * 100 * 2000, "W": 4 * 2000 * 2000}


@pytest.mark.parametrize("name", SIZES)
def test_an_array_is_found_by_its_bytes(name: str) -> None:
    """As it was asked for, and as an allocator rounds it; with its shape."""
    for more in (0, 1, ROUNDED - 1):
        found = candidates(REPORT, FailedRequest(bytes=SIZES[name] + more))
        assert name in {m.variable for m in found}
        assert {m.bytes for m in found} == {SIZES[name]}


@given(st.integers(0, 1 << 40))
def test_nothing_of_another_size_is(wanted: int) -> None:
    """Every candidate is as large as what was asked for."""
    assert all(m.bytes <= wanted < m.bytes + ROUNDED for m in candidates(REPORT, FailedRequest(bytes=wanted)))


def test_a_rounded_amount_may_be_off_by_a_hundredth() -> None:
    """`15.26 MiB` is W."""
    assert {m.variable for m in candidates(REPORT, FailedRequest(bytes=16_001_269, rounded=True))} == {"W"}


def test_without_a_size_there_is_none() -> None:
    """A bare MemoryError names no array."""
    assert candidates(REPORT, FailedRequest()) == ()


def test_node_and_line_make_it_sure() -> None:
    """The Op on either device; the line without the folder that the job ran in."""
    (function, *_) = REPORT.functions
    made = function.graph.applies[0]
    shape = function.calls[0].shapes.shape(made.outputs[0])
    assert not isinstance(shape, tuple) or shape
    size = next(m.bytes for m in candidates(REPORT, FailedRequest(bytes=SIZES["x"])))
    assert not any(m.sure for m in candidates(REPORT, FailedRequest(bytes=size, node="Softmax(x)")))
    lined = _with_line(REPORT)
    assert any(m.sure for m in candidates(lined, FailedRequest(bytes=size, site=("/home/ann/job/model.py", 7))))
    assert not any(m.sure for m in candidates(lined, FailedRequest(bytes=size, site=("/home/ann/job/model.py", 8))))


def _with_line(report: Report) -> Report:
    """The same, each Variable made in line 7."""
    (function,) = report.functions
    variables = tuple(_lined(v) for v in function.graph.variables)
    return replace(report, functions=(replace(function, graph=replace(function.graph, variables=variables)),))


def _lined(variable: object) -> object:
    made = object.__new__(type(variable))
    made.__dict__.update({**variable.__dict__, "site": Site("model.py", 7)})
    return made

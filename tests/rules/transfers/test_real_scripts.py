"""What the rules about transfers say of a script that runs on Theano, whose graphs are Theano's own for a device."""

from __future__ import annotations

import pytest

import theanodiag
from tests.interpreters import find
from theanodiag.findings import Finding

SCRIPT = """
import numpy as np
import theano
import theano.tensor as T

x = T.fmatrix("x")
W = theano.shared(np.random.rand(1000, 1000).astype("float32"), name="W")
V = theano.shared(np.random.rand(1000, 1000).astype("float32"), name="V")
middle = theano.function([x], T.dot(T.sort(T.dot(x, W)), W).sum(), name="middle")
plain = theano.function([x], T.dot(x, V), name="plain")
train = theano.function([x], [], updates=[(W, W - T.dot(x.T, T.dot(x, W)))], name="train")
data = np.random.rand(4, 1000, 1000).astype("float32")
fixed = V.get_value()
best = W.get_value()
for i in range(4):
    score = middle(data[i].copy())
    plain(data[i] + 1)
    train(data[i] + 2)
    V.set_value(fixed.copy())
    norm = W.get_value().sum()
    W.set_value(best)
"""


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[Finding]:
    """The findings about transfers."""
    path = tmp_path_factory.mktemp("transfers") / "model.py"
    path.write_text(SCRIPT)
    report = theanodiag.check(path, python=find("theano"), device="k520", max_calls=4, stdout=2)
    assert report.script.status == "finished"
    return [f for f in report.findings if f.code.startswith("TD5")]


def one(found: list[Finding], code: str) -> Finding:
    """The one of that code."""
    (finding,) = (f for f in found if f.code == code)
    return finding


def test_sort_has_no_gpu_version(found: list[Finding]) -> None:
    """A thousand rows go down and come back: 4 MB each way."""
    finding = one(found, "TD503")
    assert "SortOp" in finding.message
    assert finding.saves is not None
    assert finding.saves.seconds == pytest.approx(8e6 / 12.6e9 + 2 * 20e-6)


def test_equal_values_set_again(found: list[Finding]) -> None:
    """V is set to what it holds; W, which a function updates, is left alone."""
    assert one(found, "TD504").location.detail == "V"


def test_a_value_read_after_each_call(found: list[Finding]) -> None:
    """The line that reads it is the place."""
    finding = one(found, "TD505")
    assert (finding.location.detail, finding.location.line) == ("W", 20)


def test_results_that_nobody_reads(found: list[Finding]) -> None:
    """Those of the function that stands alone; the one without outputs has none."""
    assert one(found, "TD506").location.detail == "plain"


def test_batches_of_one_array_only_where_they_are_views(found: list[Finding]) -> None:
    """Every call here gets new memory with new data."""
    assert "TD501" not in {f.code for f in found}

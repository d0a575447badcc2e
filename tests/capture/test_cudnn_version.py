"""The version of cuDNN that the user gives, and graphs for it."""

from __future__ import annotations

import pytest

from tests.capture.simulated_gpu import SCRIPTS
from tests.interpreters import find
from theanodiag.api import check
from theanodiag.errors import UsageError
from theanodiag.ir import Unknown
from theanodiag.requests import cudnn_version

HELLO = "import theano, theano.tensor as T\nx = T.fmatrix('x')\nf = theano.function([x], x + 1)\nf([[1]])\n"


@pytest.mark.parametrize(("given", "number"), [("7605", 7605), (7605, 7605), ("7.6.5", 7605), ("5.1", 5100), ("8.9.7", 8907), (None, None)])
def test_versions(given, number):
    """As cuDNN itself counts, or as its packages are called."""
    assert cudnn_version(given) == number


@pytest.mark.parametrize("given", ["", "7", "seven", "7.6.5.32", "760", "7605x", 0])
def test_what_is_no_version(given):
    """It is refused, with an example."""
    with pytest.raises(UsageError, match="not a version of cuDNN") as raised:
        cudnn_version(given)
    assert "7605" in str(raised.value)


@pytest.mark.parametrize("more", [{"device": "none"}, {"device": "4GiB", "calls": "real"}])
def test_it_is_about_a_gpu(more):
    """On the host, or where things are computed, there is no such graph."""
    with pytest.raises(UsageError, match="--cudnn"):
        check("model.py", cudnn=7605, **more)


def test_graphs_are_for_cudnn_and_say_what_is_unknown():
    """The workspace of the convolution is not known: the figures are lower bounds."""
    report = check(SCRIPTS / "gpu_functions.py", python=find("theano"), args=["conv2d half"], device="4GiB", cudnn="7.6.5", stdout=2,
                   shapes=["x4=2,3,8,8"])  # fmt: skip
    (function,) = report.functions
    assert "GpuDnnConv" in {n.op.name for n in function.graph.applies}
    assert isinstance(report.process.fits, Unknown)
    assert "workspace" in report.process.fits.reason
    assert report.skipped == ()


def test_a_framework_without_a_gpu_back_end_says_so(tmp_path):
    """The graph is lifted, and cuDNN plays no part in that."""
    script = tmp_path / "model.py"
    script.write_text(HELLO)
    report = check(script, python=find("aesara"), device="4GiB", cudnn=7605, stdout=2)
    assert any(s.what == "cuDNN 7605" and "Aesara" in s.reason.title() for s in report.skipped)

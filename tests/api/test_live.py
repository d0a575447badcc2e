"""estimate and read_graph on live functions of the framework in this interpreter."""

from __future__ import annotations

import gc
import importlib.util
import json
import re
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import theanodiag
from theanodiag.ir import Role
from theanodiag.readers import graph_from_document, source_of

NAME = next((n for n in ("theano", "aesara", "pytensor") if importlib.util.find_spec(n)), None)
if NAME is None:
    pytest.skip("needs theano, aesara or pytensor beside theanodiag", allow_module_level=True)


@pytest.fixture(scope="module")
def lib() -> ModuleType:
    """The framework."""
    assert NAME is not None
    module = importlib.import_module(NAME)
    importlib.import_module(f"{NAME}.tensor")
    return module


@pytest.fixture(scope="module")
def dot(lib: Any) -> Any:
    """x (n x 784) times a shared W (784 x 10)."""
    import numpy

    x = lib.tensor.matrix("x", dtype="float32")
    W = lib.shared(numpy.zeros((784, 10), "float32"), "W")
    return lib.function([x], lib.tensor.dot(x, W), name="dot")


def test_peak_is_the_sum_of_what_is_live(dot: Any) -> None:
    """W, the copy of x and the product, each of a size that is a multiple of 64; on a device, room for a constant that may be there."""
    needed = 4 * (784 * 10 + 128 * 784 + 128 * 10)
    assert theanodiag.estimate(dot, {"x": (128, 784)}).peak_bytes == needed
    found = theanodiag.estimate(dot, {"x": (128, 784)}, device="4 GiB")
    assert needed <= found.peak_bytes <= needed + 64
    assert sum(v.nbytes for v in found.at_peak) == found.peak_bytes
    assert found.fits is (True if NAME == "theano" else None)  # no GPU of Theano's runs the others
    assert ("\nmay fit on 4 GiB" in str(found)) is (found.fits is None)
    assert found.report.fits is found.fits
    assert theanodiag.estimate(dot, {"x": (128, 784)}, device="1 MiB").fits is False


def test_small_device_is_too_small(dot: Any) -> None:
    """The same call does not fit on a device of 1 MB (its context is not counted here)."""
    tiny = theanodiag.estimate(dot, {"x": (128, 784)}, device="301 MiB")
    assert tiny.fits is (None if NAME == "theano" else False)  # what Theano would move to the GPU is an upper bound


def test_unknown_argument_is_refused_with_the_known_ones(dot: Any) -> None:
    """The help names what can be given."""
    with pytest.raises(theanodiag.UsageError, match="no argument 'z'") as caught:
        theanodiag.estimate(dot, {"z": (1, 1)})
    assert "x" in (caught.value.help or "")


def test_a_function_without_a_name_is_the_function(lib: Any) -> None:
    """In the report and in an error. Theano and Aesara name it themselves: the place where it was compiled."""
    x = lib.tensor.fmatrix("x")
    unnamed = lib.function([x], x.sum())
    name = unnamed.name or "the function"
    assert "the function needs" in str(theanodiag.estimate(unnamed, {"x": (2, 3)}))
    with pytest.raises(theanodiag.UsageError, match=f"^{re.escape(name)} has no argument 'y'"):
        theanodiag.estimate(unnamed, {"y": (2, 3)})


def test_wrong_rank_is_refused(dot: Any) -> None:
    """A matrix has two dimensions."""
    with pytest.raises(theanodiag.UsageError, match="cannot have the shape"):
        theanodiag.estimate(dot, {"x": (128,)})


def test_missing_shape_makes_a_lower_bound(dot: Any) -> None:
    """What is not given is unknown and named; what is known is counted."""
    found = theanodiag.estimate(dot, device="4 GiB")
    assert found.unknown
    assert found.peak_bytes >= 4 * 784 * 10
    assert found.fits is None


def test_graph_answers_like_its_function(dot: Any) -> None:
    """A graph that was read from a live function can be estimated for as long as it is kept."""
    graph = theanodiag.read_graph(dot)
    assert [i.role for i in graph.inputs] == [Role.ARGUMENT, Role.SHARED]
    assert theanodiag.estimate(graph, {"x": (2, 784)}).peak_bytes == theanodiag.estimate(dot, {"x": (2, 784)}).peak_bytes
    assert source_of(graph) is not None
    key = id(graph)
    del graph
    gc.collect()
    from theanodiag import readers

    assert key not in readers._WALKS


def test_what_is_no_function_is_refused() -> None:
    """A plain Python function has no graph; the message says what has one."""
    with pytest.raises(theanodiag.UnreadableError, match="neither a model of PyMC nor a compiled function: <built-in") as raised:
        theanodiag.estimate(len)
    assert "read_debugprint" in str(raised.value.help)


def test_numba_and_c_are_not_needed(lib: Any, dot: Any) -> None:
    """Estimating does not run the function: a huge batch takes no memory."""
    found = theanodiag.estimate(dot, {"x": (10**7, 784)})
    assert found.peak_bytes >= 4 * 784 * 10**7


def test_a_card_has_the_overhead_that_was_measured(dot: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As `theanodiag doctor --calibrate` keeps it."""
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert theanodiag.estimate(dot, {"x": (2, 784)}, device="k520").device.context.origin == "default"
    (tmp_path / "theanodiag").mkdir()
    (tmp_path / "theanodiag" / "devices.toml").write_text('[devices."GRID K520"]\ncontext_bytes = 1000\nblas_bytes = 200\n')
    found = theanodiag.estimate(dot, {"x": (2, 784)}, device="k520").device.context
    assert (found.bytes, found.origin) == (1200, "measured")


def test_an_estimate_shows_itself(dot: Any) -> None:
    """As the terminal report, in a short line, and as the document of `--format json`."""
    found = theanodiag.estimate(dot, {"x": (128, 784)}, device="1 MiB")
    assert "DOES NOT FIT" in str(found)
    assert repr(found).startswith("<Estimate of dot: ")
    assert json.loads(found.to_json()) == json.loads(json.dumps(found.to_dict()))
    (function,) = json.loads(found.to_json())["functions"]
    assert function["profile"]["live_peak_bytes"] == found.peak_bytes


def test_a_graph_shows_itself(dot: Any) -> None:
    """With its nodes, and as what `readers` reads."""
    graph = theanodiag.read_graph(dot)
    assert len(str(graph).splitlines()) == 1 + len(graph.applies)
    assert graph_from_document(json.loads(graph.to_json())) == graph

"""What follows from shapes alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag.agent.measure.compiled import requested_bytes
from theanodiag.confirmation.agreement import sizes
from theanodiag.confirmation.compiled import jax, torch
from theanodiag.confirmation.model import CompiledWhole
from theanodiag.ir import Op, Unknown
from theanodiag.ir.builder import GraphBuilder, tensor

XLA = {"arguments_bytes": 0, "xla_arguments_bytes": 0}
TORCH = {"arguments_bytes": 0}


def predicted(
    figures: dict[str, int], float_x: str = "float32", length: int | None = 5, whole: CompiledWhole | None = None
) -> dict[str, int | Unknown]:
    """For a graph of a matrix of float64 that is squared, and one of which the length is asked."""
    b = GraphBuilder()
    x, y = b.argument("x", tensor(3, length, dtype="float64")), b.argument("y", tensor(7))
    square = b.apply(Op("Elemwise", "sqr"), [x], tensor(3, length, dtype="float64"))
    rows = b.apply(Op("Shape_i", "Shape_i{0}"), [y], tensor(dtype="int64"))
    graph = b.build(square, rows)
    return sizes(graph, b.table(), figures, float_x, whole)


def test_jax_narrows_and_drops() -> None:
    """64 bits become 32; the vector is not passed; two results have two pointers."""
    assert predicted(XLA) == {"arguments_bytes": 60, "xla_arguments_bytes": 60, "outputs_bytes": 64, "xla_outputs_bytes": 80}


def test_jax_keeps_64_bits_with_float64() -> None:
    """The linker says so to JAX."""
    assert predicted(XLA, "float64")["arguments_bytes"] == 120


def test_dtypes_are_those_that_the_compiler_tells() -> None:
    """Also where they are wider than the graph's; where it tells of another number of arrays they are the graph's."""
    told = CompiledWhole(arguments=("float64", "float32"), results=("float64", None))
    assert (predicted(XLA, whole=told)["arguments_bytes"], predicted(XLA, whole=told)["outputs_bytes"]) == (120, 124)
    assert predicted(XLA, whole=CompiledWhole(arguments=("float64",))) == predicted(XLA)


def test_what_is_compiled_in_is_no_argument() -> None:
    """By its position."""
    assert predicted(XLA, whole=CompiledWhole(constants=(0,)))["arguments_bytes"] == 0


def test_torch_takes_all_as_it_is() -> None:
    """Nothing is dropped before it runs."""
    assert predicted(TORCH)["arguments_bytes"] == 120 + 28


def test_an_unknown_length_makes_no_figure() -> None:
    """Of arguments and of results."""
    assert isinstance(predicted(XLA, length=None)["arguments_bytes"], Unknown)


def test_other_devices_have_no_such_figures() -> None:
    """Nothing is predicted for them."""
    assert predicted({}) == {}


def test_the_limit_of_jax_is_a_share_of_the_pool() -> None:
    """Both names of the variable, and the pool is taken at once."""
    device = jax("cuda:0", 1000).limited(250)
    assert not isinstance(device, Unknown)
    env = device.environment({"HOME": "/h"}, Path("/"))
    assert env == {
        "HOME": "/h", "PYTHONWARNINGS": "ignore", "XLA_CLIENT_MEM_FRACTION": "0.250000", "XLA_PYTHON_CLIENT_MEM_FRACTION": "0.250000",
        "XLA_PYTHON_CLIENT_PREALLOCATE": "true",
    }  # fmt: skip


def test_the_limit_of_torch_is_set_inside() -> None:
    """By the instrument, before anything is allocated."""
    device = torch("cuda:0", 1000).limited(250)
    assert not isinstance(device, Unknown)
    assert device.instrument.options == {"fraction": 0.25}
    assert set(device.environment({}, Path("/"))) == {"PYTHONWARNINGS"}


def test_the_cpu_has_no_pool_to_limit() -> None:
    """The reason is given."""
    assert "no pool" in str(jax("the CPU", None).limited(250))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 86118400 bytes.", 86118400),
        ("RESOURCE_EXHAUSTED: Out of memory allocating 86118400 bytes.", 86118400),
        ("CUDA out of memory. Tried to allocate 1.50 GiB. GPU 0 has a total capacity of 4.00 GiB", 1610612736),
        ("CUDA out of memory. Tried to allocate 20.00 MiB (GPU 0", 20 << 20),
        ("no room", None),
    ],
)
def test_the_size_of_a_refused_request(text: str, expected: int | None) -> None:
    """In the words of XLA and of torch."""
    assert requested_bytes(text) == expected

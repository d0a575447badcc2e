"""What moves from flags to the environment, and the text after interpolation."""

from __future__ import annotations

import pytest

from theanodiag.flags.migrate import target_table
from theanodiag.flags.rcfile_text import effective_text, parse_rc, used_names
from theanodiag.flags.translations import environment, is_variable


def exports(to: str, **old: str) -> dict[str, str]:
    """The variables for flags that are gone."""
    return {line.name: line.value for line in environment(target_table(to), {k.replace("__", "."): v for k, v in old.items()}.items())}


@pytest.mark.parametrize(
    ("old", "name", "value"),
    [
        ({"gpuarray__preallocate": "0.8"}, "XLA_CLIENT_MEM_FRACTION", "0.8"),
        ({"lib__cnmem": "1"}, "XLA_CLIENT_MEM_FRACTION", "0.95"),
        ({"lib__cnmem": "0.3", "gpuarray__preallocate": "0.6"}, "XLA_CLIENT_MEM_FRACTION", "0.6"),
        ({"gpuarray__preallocate": "-1"}, "XLA_PYTHON_CLIENT_PREALLOCATE", "false"),
        ({"gpuarray__preallocate": "0"}, "XLA_PYTHON_CLIENT_PREALLOCATE", "false"),
        ({"gpuarray__preallocate": "500"}, "", ""),
    ],
)
def test_reserve_becomes_xlas(old: dict[str, str], name: str, value: str) -> None:
    """A fraction, none, or a remark where MB were given."""
    assert exports("pytensor", device="cuda0", **old)[name] == value


@pytest.mark.parametrize(("device", "number"), [("gpu", None), ("gpu3", "3"), ("cuda0", "0"), ("'cuda1'", "1")])
def test_number_of_the_device_is_cudas(device: str, number: str | None) -> None:
    """Where there is one."""
    assert exports("aesara", device=device).get("CUDA_VISIBLE_DEVICES") == number


def test_theano_and_the_cpu_need_nothing() -> None:
    """Their flags stay flags."""
    assert exports("theano-1.0", device="gpu0", lib__cnmem="0.8") == {}
    assert exports("pytensor", device="cpu", gpuarray__preallocate="0.8") == {}


def test_variables_among_the_flags_move_out() -> None:
    """For every target."""
    assert exports("theano-1.0", OMP_NUM_THREADS="5") == {"OMP_NUM_THREADS": "5"}


@pytest.mark.parametrize(
    ("name", "answer"), [("OMP_NUM_THREADS", True), ("CUDA_ROOT", True), ("MKL_DEBUG_CPU_TYPE", True), ("device", False), ("USER", False)]
)
def test_names_of_variables(name: str, answer: bool) -> None:
    """All capitals with an underscore."""
    assert is_variable(name) is answer


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("[a]\nx = %(y)s/%(user)s\ny = 1\n", "1/user"),
        ("[a]\nx = %(z)s\n", "%(z)s"),
        ("[a]\nx = 50%\n", "50%"),
        ("[a]\nx = 50%%\n", "50%"),
        ("[DEFAULT]\nz = d\n[a]\nx = %(Z)s\n", "d"),
    ],
)
def test_effective_text(text: str, value: str) -> None:
    """Interpolated, or as it stands where that fails."""
    document = parse_rc(text)
    entry = document.find("a", "x")
    assert entry is not None
    assert effective_text(document, entry) == value


def test_used_names() -> None:
    """Names count in lower case, in the section of the value and in [DEFAULT]."""
    assert used_names(parse_rc("[a]\nbase = 1\nx = %(Base)s\n")) == {("a", "base"), ("DEFAULT", "base")}

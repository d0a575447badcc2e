"""What makes the import fail after the flags: the same in real imports."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flags.libraries import LIBRARIES, differences, fresh, library
from tests.flags.strategies import Configuration
from tests.flags.test_differential import environment
from theanodiag.flags.model import Dialect, Host
from theanodiag.flags.resolve import resolve

FLAGS = (
    "tensor.local_elemwise_fusion=False",
    "compiledir_format=x%(nope)s",
    "cxx=/no/such/g++",
    "cxx=,compiledir_format=%d",
    "device=cuda0",
)


@pytest.mark.parametrize("flags", FLAGS)
@pytest.mark.parametrize("name", [name for name in LIBRARIES if name != "theano27"])
def test_as_in_a_real_import(name: str, flags: str, tmp_path: Path) -> None:
    """In a fresh process the library starts, or fails, as we say."""
    spelled = flags if name == "theano" else flags.replace(".", "__")
    environ = environment(name, Configuration((b"",), spelled), str(tmp_path))
    answer = fresh(name, environ, str(tmp_path))
    assert differences(library(name).resolved(environ, str(tmp_path), answer["pid"]), answer) == []


@pytest.mark.parametrize(
    ("dialect", "version", "fails"), [("aesara", "2.0", True), ("pytensor", "2.9.1", True), ("pytensor", "2.10.0", False)]
)
def test_fusion(dialect: str, version: str, fails: bool) -> None:
    """Aesara, and PyTensor before 2.10, cannot be imported with fusion switched off."""
    which = Dialect(dialect)
    environ = {which.flags_variable: "tensor__local_elemwise_fusion=False", "HOME": "/h"}
    assert bool(resolve(which, version, environ, lambda path: None, Host()).failure) is fails

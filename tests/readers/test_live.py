"""Reading a function of this very interpreter, where a framework is installed beside us."""

from __future__ import annotations

import importlib
from typing import Any

import pytest

from theanodiag.agent.walk.graph import SharedIds
from theanodiag.errors import UnreadableError
from theanodiag.ir import Role
from theanodiag.readers import read_graph


def framework() -> Any:
    """Whichever framework this interpreter has."""
    for name in ("theano", "aesara", "pytensor"):
        try:
            return importlib.import_module(name)
        except ImportError:
            continue
    pytest.skip("no framework in this interpreter")


def test_a_function_is_read_without_leaving_the_process() -> None:
    """Names, roles and nodes are there, and shared variables keep their ids."""
    lib, numpy = framework(), importlib.import_module("numpy")
    x, w = lib.tensor.matrix("x"), lib.shared(numpy.ones(2), "w")
    registry = SharedIds()
    first, second = (read_graph(lib.function([x], x.dot(w) * k), registry=registry) for k in (2, 3))
    assert [i.role for i in first.inputs] == [Role.ARGUMENT, Role.SHARED]
    assert first.inputs[1].shared == second.inputs[1].shared == 0


def test_what_is_no_function_is_refused() -> None:
    """The message says what to pass."""
    with pytest.raises(UnreadableError, match="not a compiled function: 3"):
        read_graph(3)

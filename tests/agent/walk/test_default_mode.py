"""Functions as PyTensor 3 compiles them by itself, for Numba: what the walker writes about them."""

from __future__ import annotations

from typing import Any

import pytest

from tests.loaded_by_path import answer
from theanodiag.ir import FunctionGraph
from theanodiag.readers import graph_from_document

SCRIPT = "agent/walk/scripts/walk_default.py"
SHAPES = {"inverse": [2, 3, 3], "determinant": [2], "cholesky": [2, 3, 3], "solution": [2, 3, 4]}


def row_of(name: str, which: str) -> tuple[FunctionGraph, Any]:
    """The graph of a function, and the shape of its result."""
    functions: Any = answer(name, SCRIPT)
    return graph_from_document(functions[which]["graph"]), functions[which]["shape"]


@pytest.mark.parametrize("name", ["pytensor", "pytensor_new"])
class TestByDefault:
    """Both generations that run with Numba."""

    def test_a_mean_is_read(self, name: str) -> None:
        """Up from 3.3 its division is an Op that has a class of numpy's among its parameters."""
        graph, shape = row_of(name, "mean")
        assert graph.applies[-1].op.text.replace("Scalarized", "") == "True_div"
        assert shape == [3]

    @pytest.mark.parametrize("which", SHAPES)
    def test_a_wrapped_op_is_inside_of_itself_once(self, name: str, which: str) -> None:
        """A Blockwise with its core shape holds the Blockwise that runs, which holds nothing."""
        graph, shape = row_of(name, which)
        wrapped = graph.applies[-1].op
        assert wrapped.name == "BlockwiseWithCoreShape"
        assert wrapped.inner is not None
        assert [(n.op.name, n.op.inner) for n in wrapped.inner.applies] == [("Blockwise", None)]
        assert shape == SHAPES[which]

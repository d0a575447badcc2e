"""`theano.sandbox.multinomial`: selects classes with uniform numbers, with the rounding of Theano 1.0.5's C code."""

from __future__ import annotations

import warnings
from typing import Any

import numpy
import pytensor
import pytensor.tensor as pt
from pytensor.graph.basic import Apply
from pytensor.tensor.type import discrete_dtypes

from ..ops.op import LegacyOp


class MultinomialFromUniform(LegacyOp):
    """(pvals, unis, n) -> counts: how often each class was selected in n draws, for each row of pvals.

    Each row of pvals is a distribution; unis has one uniform number for each row and draw. `odtype` is the dtype of the counts; "auto"
    means that of pvals.
    """

    __props__: tuple[str, ...] = ("odtype",)

    def __init__(self, odtype: str) -> None:
        self.odtype = odtype

    def __str__(self) -> str:
        return f"{type(self).__name__}{{{self.odtype}}}"

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"odtype": "auto"}, **state)

    def _inputs(self, pvals: Any, unis: Any, n: Any) -> list[Any]:
        pvals, unis = pt.as_tensor_variable(pvals), pt.as_tensor_variable(unis)
        if pvals.ndim != 2:
            raise NotImplementedError("pvals ndim should be 2", pvals.ndim)
        if unis.ndim != 1:
            raise NotImplementedError("unis ndim should be 1", unis.ndim)
        return [pvals, unis, pt.as_tensor_variable(n)]

    def make_node(self, pvals: Any, unis: Any, n: Any = 1) -> Any:
        """Makes the Apply node for a matrix `pvals`, a vector `unis` and a scalar `n`. Raises NotImplementedError for other ranks."""
        inputs = self._inputs(pvals, unis, n)
        dtype = inputs[0].dtype if self.odtype == "auto" else self.odtype
        return Apply(self, inputs, [pt.TensorType(dtype, shape=inputs[0].type.shape)()])

    def pullback(self, inputs: Any, outputs: Any, cotangents: Any) -> list[Any]:
        """Returns zero gradients for every input."""
        return [pt.zeros_like(x, dtype=pytensor.config.floatX) if x.dtype in discrete_dtypes else pt.zeros_like(x) for x in inputs]

    def output_shapes(self, node: Any, shapes: Any) -> list[Any]:
        """Returns the shape of pvals."""
        return [shapes[0]]

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        """Selects classes with cumulative sums in float64. Raises ValueError unless there are rows * n uniform numbers."""
        pvals, unis, n = inputs[0], inputs[1], int(inputs[2]) if len(inputs) > 2 else 1
        rows, classes = pvals.shape
        _check_uniforms(pvals, unis, n)
        # Summed in float64, as in C. The running maximum is sorted, and first exceeds a uniform where the sums first do.
        sums = numpy.fmax.accumulate(pvals.cumsum(axis=1, dtype="float64"), axis=1)
        drawn = unis.reshape(n, rows)
        counts = numpy.zeros((rows, classes), dtype=node.outputs[0].type.dtype)
        if n > 4:
            for row in range(rows):
                chosen = numpy.searchsorted(sums[row], drawn[:, row], side="right")
                counts[row] = numpy.bincount(chosen, minlength=classes + 1)[:classes]
        else:
            every = numpy.arange(rows)
            for uniforms in drawn:
                chosen = (sums <= uniforms[:, None]).sum(axis=1)
                met = chosen < classes
                counts[every[met], chosen[met]] += 1
        outputs[0][0] = counts


class ChoiceFromUniform(MultinomialFromUniform):
    """(pvals, unis, n) -> n class numbers for each row of pvals, all different unless `replace`; -1 if no class was selected."""

    __props__ = ("odtype", "replace")

    def __init__(self, odtype: str, replace: bool = False) -> None:
        self.replace = replace
        super().__init__(odtype)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"odtype": "auto", "replace": False}, **state)

    def make_node(self, pvals: Any, unis: Any, n: Any = 1) -> Any:
        """Makes the Apply node for a matrix `pvals`, a vector `unis` and a scalar `n`. Raises NotImplementedError for other ranks."""
        inputs = self._inputs(pvals, unis, n)
        # The second length is n, but its broadcast flag is that of pvals: so the legacy Op had it.
        shape = tuple(1 if flag else None for flag in inputs[0].type.broadcastable)
        return Apply(self, inputs, [pt.TensorType("int64" if self.odtype == "auto" else self.odtype, shape=shape)()])

    def output_shapes(self, node: Any, shapes: Any) -> list[Any]:
        """Returns (rows of pvals, n)."""
        return [(shapes[0][0], pt.cast(node.inputs[2], "int64"))]

    def perform(self, node: Any, inputs: Any, outputs: Any) -> None:
        """Selects classes with cumulative sums and renormalises after each draw. Raises ValueError if n exceeds the number of classes."""
        pvals, unis, n = inputs[0].copy(), inputs[1], int(inputs[2])
        rows, classes = pvals.shape
        if n > classes:
            raise ValueError("Cannot sample without replacement n samples bigger than the size of the distribution.")
        _check_uniforms(pvals, unis, n)
        chosen = numpy.full((rows, n), -1, dtype=node.outputs[0].type.dtype)
        every = numpy.arange(rows)
        for draw, uniforms in enumerate(unis.reshape(n, rows)):
            sums = pvals.cumsum(axis=1, dtype="float64")
            above = sums > uniforms[:, None]
            drawn = every[above.any(axis=1)]
            where = above.argmax(axis=1)[drawn]
            chosen[drawn, draw] = where
            if self.replace or draw == n - 1:
                continue
            # The rest of a row is summed starting from the sum before the chosen class, in the dtype of pvals, as in C.
            rest = pvals[drawn]
            among = numpy.arange(len(drawn))
            before = (sums[drawn, where] - rest[among, where]).astype(pvals.dtype)
            rest[numpy.arange(classes) <= where[:, None]] = 0
            rest[among, where] = before
            totals = rest.cumsum(axis=1, dtype=pvals.dtype)[:, -1]
            pvals[drawn, where] = 0
            pvals[drawn] /= totals[:, None]
        outputs[0][0] = chosen


class MultinomialWOReplacementFromUniform(ChoiceFromUniform):
    """Deprecated name of ChoiceFromUniform."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        warnings.warn("MultinomialWOReplacementFromUniform is deprecated, use ChoiceFromUniform instead.", DeprecationWarning, stacklevel=2)
        super().__init__(*args, **kwargs)


def _check_uniforms(pvals: Any, unis: Any, n: int) -> None:
    """Raises ValueError unless `unis` has one number for each row of `pvals` and each of the `n` draws."""
    if unis.shape[0] != pvals.shape[0] * n:
        raise ValueError("unis.shape[0] != pvals.shape[0] * n_samples", unis.shape[0], pvals.shape[0], n)

"""`theano.gradient`."""

from typing import Any

from pytensor.gradient import GradientError, ZeroGrad
from pytensor.gradient import verify_grad as _verify_grad
from pytensor.gradient import zero_grad as consider_constant

ConsiderConstant = ZeroGrad
consider_constant_ = ZeroGrad()


class _Random:
    """Theano drew its projection with `rand`, which any of numpy's old generators has."""

    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def random(self, shape: Any) -> Any:
        """Between 0 and 1."""
        return self.rng.rand(*shape) if hasattr(self.rng, "rand") else self.rng.random(shape)


def verify_grad(
    fun: Any, pt: Any, n_tests: int = 2, rng: Any = None, eps: Any = None, out_type: Any = None, abs_tol: Any = None, rel_tol: Any = None,
    mode: Any = None, cast_to_output_type: bool = False, no_debug_ref: bool = True,
) -> None:  # fmt: skip
    """Compares the gradient of `fun` at `pt` with finite differences."""
    if rng is None:
        raise TypeError(
            "rng should be a valid instance of numpy.random.RandomState. You may want to use theano.tests.unittest"
            "_tools.verify_grad instead of theano.gradient.verify_grad."
        )
    _verify_grad(fun, pt, n_tests, _Random(rng), eps, out_type, abs_tol, rel_tol, mode, cast_to_output_type, no_debug_ref)


verify_grad.E_grad = GradientError  # type: ignore[attr-defined]

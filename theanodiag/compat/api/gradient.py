"""`theano.gradient`."""

from typing import Any

from pytensor.gradient import GradientError, ZeroGrad, zero_grad
from pytensor.gradient import grad as _grad
from pytensor.gradient import pullback as _pullback
from pytensor.gradient import pushforward as _pushforward
from pytensor.gradient import verify_grad as _verify_grad
from pytensor.graph.basic import Variable
from pytensor.graph.utils import MethodNotDefined

consider_constant = zero_grad


def format_as(use_list: bool, use_tuple: bool, outputs: Any) -> Any:
    """The outputs as a list, a tuple, or the only one of them."""
    assert not (use_list and use_tuple)
    listed = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    return listed if use_list else tuple(listed) if use_tuple else listed[0] if len(listed) == 1 else outputs


ConsiderConstant = ZeroGrad
consider_constant_ = ZeroGrad()


def grad(
    cost: Any, wrt: Any, consider_constant: Any = None, disconnected_inputs: str = "raise", add_names: bool = True, known_grads: Any = None,
    return_disconnected: str = "zero", null_gradients: str = "raise",
) -> Any:  # fmt: skip
    """The gradient of `cost` for each of `wrt`, which must be variables."""
    for variable in wrt if isinstance(wrt, (list, tuple)) else [wrt]:
        if not isinstance(variable, Variable):
            raise TypeError("Expected Variable, got %r of type %s" % (variable, type(variable)))
    return _grad(cost, wrt, consider_constant, disconnected_inputs, add_names, known_grads, return_disconnected, null_gradients)


def Rop(f: Any, wrt: Any, eval_points: Any, disconnected_outputs: str = "raise", return_disconnected: str = "zero") -> Any:
    """The Jacobian of `f` times `eval_points`, by each Op's own `R_op` where it has one."""
    try:
        return _pushforward(f, wrt, eval_points, disconnected_outputs, return_disconnected, use_op_pushforward=True)
    except (NotImplementedError, MethodNotDefined):
        return _pushforward(f, wrt, eval_points, disconnected_outputs, return_disconnected)


def Lop(f: Any, wrt: Any, eval_points: Any, consider_constant: Any = None, disconnected_inputs: str = "raise") -> Any:  # noqa: F811
    """`eval_points` times the Jacobian of `f`."""
    return _pullback(f, wrt, eval_points, consider_constant, disconnected_inputs)


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

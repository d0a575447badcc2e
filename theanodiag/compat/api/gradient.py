"""Serves `theano.gradient` from pytensor.gradient, with Theano's names and argument checks."""

from typing import Any

from pytensor.gradient import GradientError, ZeroGrad, zero_grad
from pytensor.gradient import grad as _grad
from pytensor.gradient import hessian as _hessian
from pytensor.gradient import pullback as _pullback
from pytensor.gradient import pushforward as _pushforward
from pytensor.gradient import verify_grad as _verify_grad
from pytensor.graph.basic import Variable
from pytensor.graph.utils import MethodNotDefined

consider_constant = zero_grad


def format_as(use_list: bool, use_tuple: bool, outputs: Any) -> Any:
    """Returns `outputs` as a list if `use_list` is true, or as a tuple if `use_tuple` is true. Otherwise returns `outputs` unchanged,
    except that a list of one element is replaced by the element.
    """
    assert not (use_list and use_tuple)
    listed = list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]
    return listed if use_list else tuple(listed) if use_tuple else listed[0] if len(listed) == 1 else outputs


ConsiderConstant = ZeroGrad
consider_constant_ = ZeroGrad()


def grad(
    cost: Any, wrt: Any, consider_constant: Any = None, disconnected_inputs: str = "raise", add_names: bool = True, known_grads: Any = None,
    return_disconnected: str = "zero", null_gradients: str = "raise",
) -> Any:  # fmt: skip
    """Computes the gradient of `cost` with respect to each of `wrt`, as `theano.grad`.

    Raises TypeError unless cost and `wrt` are Variables, AssertionError if there is no cost.
    """
    assert cost is not None or known_grads is not None, "cost and known_grads can't both be None."
    for variable in wrt if isinstance(wrt, (list, tuple)) else [wrt]:
        if not isinstance(variable, Variable):
            raise TypeError("Expected Variable, got %r of type %s" % (variable, type(variable)))
    return _grad(cost, wrt, consider_constant, disconnected_inputs, add_names, known_grads, return_disconnected, null_gradients)


def hessian(cost: Any, wrt: Any, consider_constant: Any = None, disconnected_inputs: str = "raise") -> Any:  # noqa: F811
    """`theano.gradient.hessian`: second derivatives of a scalar. Raises AssertionError for other dimensions, as Theano did."""
    assert isinstance(cost, Variable), "tensor.hessian expects a Variable as `cost`"
    assert cost.ndim == 0, "tensor.hessian expects a 0 dimensional variable as `cost`"
    for variable in wrt if isinstance(wrt, (list, tuple)) else [wrt]:
        assert isinstance(variable, Variable), "tensor.hessian expects a (list of) Variable as `wrt`"
        assert variable.ndim == 1, "tensor.hessian expects a (list of) 1 dimensional variable as `wrt`"
    return _hessian(cost, wrt, consider_constant, disconnected_inputs)


def Rop(f: Any, wrt: Any, eval_points: Any, disconnected_outputs: str = "raise", return_disconnected: str = "zero") -> Any:
    """Computes the Jacobian of `f` times `eval_points`, as `theano.Rop`. An Op's `R_op` is used if it has one; otherwise its pullback is
    applied twice.
    """
    try:
        return _pushforward(f, wrt, eval_points, disconnected_outputs, return_disconnected, use_op_pushforward=True)
    except (NotImplementedError, MethodNotDefined):
        return _pushforward(f, wrt, eval_points, disconnected_outputs, return_disconnected)


def Lop(f: Any, wrt: Any, eval_points: Any, consider_constant: Any = None, disconnected_inputs: str = "raise") -> Any:  # noqa: F811
    """`theano.Lop`: `eval_points` times the Jacobian of `f`."""
    return _pullback(f, wrt, eval_points, consider_constant, disconnected_inputs)


class _Random:
    """A random generator with the method `random`, which uses `rand` if `rng` is one of numpy's old generators, as Theano did."""

    def __init__(self, rng: Any) -> None:
        self.rng = rng

    def random(self, shape: Any) -> Any:
        """Returns uniform numbers between 0 and 1 of this shape."""
        return self.rng.rand(*shape) if hasattr(self.rng, "rand") else self.rng.random(shape)


def verify_grad(
    fun: Any, pt: Any, n_tests: int = 2, rng: Any = None, eps: Any = None, out_type: Any = None, abs_tol: Any = None, rel_tol: Any = None,
    mode: Any = None, cast_to_output_type: bool = False, no_debug_ref: bool = True,
) -> None:  # fmt: skip
    """Compares the gradient of `fun` at `pt` with finite differences. Raises TypeError without `rng`."""
    if rng is None:
        raise TypeError(
            "rng should be a valid instance of numpy.random.RandomState. You may want to use theano.tests.unittest"
            "_tools.verify_grad instead of theano.gradient.verify_grad."
        )
    _verify_grad(fun, pt, n_tests, _Random(rng), eps, out_type, abs_tol, rel_tol, mode, cast_to_output_type, no_debug_ref)


verify_grad.E_grad = GradientError  # type: ignore[attr-defined]

"""PyMC3's functions for user-defined densities (PyMC3 3.11.5, distributions/dist_math.py)."""

import importlib
import sys
from typing import Any

import numpy as np
import pymc
import pytensor.tensor as pt


def bound(logp: Any, *conditions: Any, broadcast_conditions: bool = True) -> Any:
    """Returns the log-density if all conditions hold, else -inf: element by element, or as a whole without `broadcast_conditions`."""
    holds = alltrue_elemwise(conditions) if broadcast_conditions else alltrue_scalar(conditions)
    return pt.switch(holds, logp, -np.inf)


def alltrue_elemwise(vals: Any) -> Any:
    """Returns whether all conditions hold, element by element."""
    holds: Any = 1
    for value in vals:
        holds = holds * (1 * value)
    return holds


def alltrue_scalar(vals: Any) -> Any:
    """Returns whether all elements of all conditions hold."""
    return pt.all([pt.all(1 * value) for value in vals])


def invlogit(x: Any, eps: float = sys.float_info.epsilon) -> Any:
    """1 / (1 + exp(-x)) between `eps` and 1 - `eps`, as in PyMC3 (math.py). PyMC's reaches 0, where a density is -inf."""
    return (1.0 - 2.0 * eps) / (1.0 + pt.exp(-x)) + eps


def log1mexp(x: Any) -> Any:
    """log(1 - exp(-x)) of a positive x, as in PyMC3 (math.py). PyMC's takes -x, and gives NaN for a positive one."""
    return pt.switch(pt.lt(x, 0.6931471805599453), pt.log(-pt.expm1(-x)), pt.log1p(-pt.exp(-x)))


def logsumexp(x: Any, axis: Any = None, keepdims: bool = True) -> Any:
    """log(sum(exp(x))), which keeps its axes with length 1 by default, as in PyMC3 (math.py). PyMC's drops them."""
    kept = pt.logsumexp(pt.as_tensor(x), axis=axis, keepdims=True)
    return kept if keepdims else pt.squeeze(kept)


def stack(*tensors: Any, **kwargs: Any) -> Any:
    """`stack([a, b])` or `stack(a, b)`: Theano's. PyMC's takes a list only."""
    return importlib.import_module("..api.tensor.basic", __package__).stack(*tensors, **kwargs)


def logpow(x: Any, m: Any) -> Any:
    """`log(x**m)`, with PyMC 6.4's values; its derivative is 0 where `x` is 0, as in PyMC3.

    PyMC 6.4 guards `x**0` alone, so a probability that `clip` or `minimum` sets to 1 has the derivative inf * 0, and ADVI stops with NaN.
    """
    log_x = pt.log(x)
    return pt.switch(pt.eq(log_x, -np.inf), pt.switch(pt.eq(m, 0), 0.0, -np.inf), m * log_x)


def follow() -> None:
    """Makes PyMC 6 compute binomial, beta and gamma densities with `logpow`. PyMC 5.28 computes them as PyMC3 does."""
    plain = pymc.distributions.dist_math.logpow
    if int(pymc.__version__.partition(".")[0]) < 6 or plain is logpow:
        return
    for name, module in list(sys.modules.items()):
        if name.startswith("pymc.") and vars(module).get("logpow") is plain:
            setattr(module, "logpow", logpow)  # noqa: B010 - a module has no such attribute for mypy


i0 = pt.i0
i1 = pt.i1

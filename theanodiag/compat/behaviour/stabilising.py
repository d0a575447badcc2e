"""Gives exp, log, powers and softmax the results of Theano where they overflow or underflow.

Which of several equal expressions is computed decides whether a result is finite. PyTensor has gained rewrites that Theano lacks:
`exp(x) * exp(-x)` became 1 where Theano has NaN, and the gradient of `exp(2 * x) / exp(x)` NaN where Theano has 0. They are left out for a
script that imports Theano. Theano has rewrites that PyTensor lacks; they are added here and in ops/softmax_rewrites.py.
"""

from typing import Any, List, Tuple

from pytensor.compile.mode import optdb
from pytensor.graph.basic import Constant
from pytensor.graph.rewriting.basic import PatternNodeRewriter
from pytensor.tensor.math import exp, log1p, sigmoid, softplus, sub
from pytensor.tensor.rewriting import math
from pytensor.tensor.rewriting.basic import register_specialize, register_stabilize

LATER = (
    "local_div_exp_to_mul_exp",
    "local_exp_log",
    "local_exp_log_nan_switch",
    "local_inv_odds_sigmoid",
    "local_log1p_plusminus_exp",
    "local_log_div",
    "local_log_prod_to_sum_log",
    "local_log_sqrt",
    "local_log_sqrt_sqr",
    "local_logit_sigmoid",
    "local_mul_exp_to_exp_add",
    "local_mul_pow_to_pow_add",
    "local_odds_sigmoid",
    "local_sigmoid_logit",
    "local_softmax_stabilize",
    "local_sqrt_sqr",
    "log1p_neg_sigmoid",
    "logdiffexp_to_log1mexpdiff",
    "logmexpm1_to_log1mexp",
)
"""Rewrites of PyTensor 3.0 to 3.3 that Theano 1.0.5 lacks, and that change where a result is finite."""
_withheld: List[Tuple[Any, str, List[str]]] = []
"""(database, name of a rewrite, tags that were taken from it)."""


def _of_sigmoid(x: Any) -> bool:
    """Whether `x` is 1 - sigmoid(...), for whose logarithm there is a rewrite of its own, which must not find log1p instead."""
    if x.owner is None or x.owner.op != sub:
        return False
    one, other = x.owner.inputs
    while one.owner is not None and len(one.owner.inputs) == 1:  # DimShuffle
        (one,) = one.owner.inputs
    return isinstance(one, Constant) and bool((one.data == 1).all()) and other.owner is not None and other.owner.op == sigmoid


def apply(origin: str) -> None:
    """Leaves out the rewrites in LATER if the script imports Theano. (For Aesara, which has most of them, they stay.)"""
    if origin != "theano":
        return
    for database in (optdb["canonicalize"], optdb["stabilize"], optdb["specialize"]):
        for name in LATER:
            for rewriter in list(database.__db__.get(name, ())):
                tags = [tag for tag in ("fast_run", "fast_compile") if rewriter in database.__db__[tag]]
                database.remove_tags(name, *tags)
                _withheld.append((database, name, tags))
    from ..ops import softmax_rewrites  # noqa: F401  # the import registers them, for scripts that never use theano.tensor.nnet too

    plain = math.local_log1p.fn
    math.local_log1p.fn = lambda fgraph, node: None if _of_sigmoid(node.inputs[0]) else plain(fgraph, node)
    softplus_of_log1p = PatternNodeRewriter((log1p, (exp, "x")), (softplus, "x"), allow_multiple_clients=True, name="log1pexp_to_softplus")
    register_stabilize(softplus_of_log1p, name="log1pexp_to_softplus")
    register_specialize(math.logsigm_to_softplus, name="logsigm_to_softplus")  # of a sigmoid that stabilising left as a product with 1


def withdraw() -> None:
    """Restores the rewrites for PyMC, whose densities need them."""
    while _withheld:
        database, name, tags = _withheld.pop()
        database.add_tags(name, *tags)

"""The variables of a model that a script reads by name from the results of a sampler, so that no plan leaves them out. Pure."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from .source_changes import parsed

DEFINING = ("prior", "conditional", "marginal_likelihood")
"""Methods of Gaussian processes whose first argument names a new variable, as that of classes (`pm.Deterministic`) does."""
COMPUTING = ("sample", "compile_pymc_model", "sample_posterior_predictive", "sample_prior_predictive", "compute_deterministics")
"""Functions that compute the variables in `var_names` from the model: they need no draws of them."""


def names_read(text: str) -> frozenset[str]:
    r"""Returns the names that a script may read from a result: its strings, without those that define variables or ask for their
    computation, and the attributes that it reads. Empty if the text cannot be parsed.

    >>> sorted(names_read('mu = pm.Deterministic("mu", x)\nidata = pm.sample(var_names=["a"])\nidata.posterior["b"].mean()'))
    ['Deterministic', 'b', 'mean', 'posterior', 'sample']
    """
    tree = parsed(text)
    return frozenset() if tree is None else frozenset(_names(tree))


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        yield node.value
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield node.attr
    left_out = list(_not_read(node)) if isinstance(node, ast.Call) else []
    for child in ast.iter_child_nodes(node):
        if child not in left_out:
            yield from _names(child)


def _not_read(call: ast.Call) -> Iterator[ast.AST]:
    """The function of a call, and its arguments with names that it does not read from a result."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id if isinstance(call.func, ast.Name) else ""
    if name[:1].isupper() or name in DEFINING:
        yield from call.args[:1]
        yield from (k for k in call.keywords if k.arg == "name")
    if name in COMPUTING:
        yield from (k for k in call.keywords if k.arg == "var_names")

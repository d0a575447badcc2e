"""The names that a script reads from the result of a sampler."""

from __future__ import annotations

import pytest

from theanodiag.plans.read_variables import names_read

MODEL = """
with pm.Model() as model:
    a = pm.Normal("a")
    mu = pm.Deterministic(name="mu", var=a * x)
    f = gp.prior("f", X=x)
    pm.Normal("y", mu, observed=y)
    idata = pm.sample(var_names=["a", "mu"])
"""


@pytest.mark.parametrize(
    ("after", "read"),
    [
        ("", set()),
        ("print(idata.posterior['mu'].mean())", {"mu"}),
        ("print(idata.posterior.mu.values)", {"mu"}),
        ("az.plot_trace(idata, var_names=['a', 'f'])", {"a", "f"}),
        ("table = idata.posterior[['f', 'mu']]", {"f", "mu"}),
        ("def of(draws):\n    return draws.get('f')", {"f"}),
        ("pm.sample_posterior_predictive(idata, model=model, var_names=['mu', 'y'])", set()),
        ("pm.compute_deterministics(idata, var_names=['mu'])['mu']", {"mu"}),
        ("idata.posterior['mu'] = 1", {"mu"}),
        ("x = (", set()),
    ],
)
def test_names_read_from_a_result(after: str, read: set[str]) -> None:
    """Where a variable is defined, or asked to be computed, it is not read."""
    assert names_read(MODEL + after) & {"a", "mu", "f", "y"} == read

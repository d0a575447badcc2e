"""TD114: what PyMC 6 drops in silence, held against PyMC 6.4 itself."""

from __future__ import annotations

import json

import pytest

from tests import interpreters
from theanodiag.rules.source_hazards import SWALLOWING, TAKEN_BY_ALL
from theanodiag.scanned_files.facts import facts
from theanodiag.scanned_files.model import SourceKind


@pytest.mark.parametrize(
    ("call", "advice"),
    [
        ("pm.Normal('x', 0, sd=3)", "write sigma="),
        ("pm.Normal.dist(0, sd=3)", "write sigma="),
        ("pm.distributions.HalfNormal('x', sd=3)", "write sigma="),
        ("Half('x', 1, testval=1)", "write initval="),
        ("pm.Gamma('x', alpha=1, beta=2, scale=3)", "it takes alpha, beta, mu, sigma"),
        ("pm.Poisson('x', mu=2, sd=1)", "it takes mu"),
        ("pm.Normal('x', mu=0, sigma=1, dims='a', initval=0, observed=y, transform=None, **more)", None),
        ("pm.HalfCauchy('x', sd=1)", None),
        ("normal('x', sd=1)", None),
    ],
)
def test_an_argument_that_is_dropped_is_found(call: str, advice: str | None) -> None:
    """By whatever name the distribution is called; not where PyMC raises, and not of a `**`."""
    source = f"import pymc as pm\nfrom pymc import HalfNormal as Half\n{call}\n"
    found = facts("model.py", SourceKind.PYTHON, source.encode()).findings
    assert [(f.code, f.location.line, f.fix and f.fix.title) for f in found] == ([("TD114", 3, advice)] if advice else [])


def test_pymc3_has_these_arguments() -> None:
    """Its sources are not told."""
    source = b"import pymc3 as pm\npm.Normal('x', 0, sd=3, testval=1)\n"
    assert not [f for f in facts("model.py", SourceKind.PYTHON, source).findings if f.code == "TD114"]


def test_the_table_is_that_of_pymc() -> None:
    """Each distribution of the table has these parameters, and no error comes from one that it has not."""
    text = """
import inspect, json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np, pymc as pm
values = dict(mu=.5, sigma=1., alpha=1.5, beta=1.5, lam=1., nu=4., p=.5, n=5, lower=0., upper=1., c=.5, kappa=1., s=1., m=1., N=20, k=5,
              eta=1., cutpoints=np.array([-1., 1.]), x_points=np.array([0., 1, 2]), pdf_points=np.array([1., 1, 1]), h=1., z=0., K=3, b=1.)
special = {"Multinomial": dict(n=3, p=np.array([.5, .5])), "Dirichlet": dict(a=np.ones(3)), "MvNormal": dict(mu=np.zeros(2), cov=np.eye(2)),
           "Categorical": dict(p=np.array([.5, .5])), "SkewStudentT": dict(a=1., b=1.), "Rice": dict(nu=1., sigma=1.),
           "Exponential": dict(lam=1.), "NegativeBinomial": dict(mu=1., alpha=1.), "Wald": dict(mu=1., lam=1.),
           "Bernoulli": dict(p=.5),
           "Binomial": dict(n=5, p=.5), "Beta": dict(alpha=1., beta=1.), "Gamma": dict(alpha=1., beta=1.),
           "StudentT": dict(nu=3., sigma=1.),
           "InverseGamma": dict(alpha=1., beta=1.), "SkewNormal": dict(alpha=1.),
           "TruncatedNormal": dict(mu=0., sigma=1., lower=-1.)}
found = {}
for name in json.loads(sys.argv[1]):
    cls = getattr(pm, name)
    taken = [p for p in inspect.signature(cls.dist).parameters.values() if p.kind is not p.VAR_KEYWORD and p.kind is not p.VAR_POSITIONAL]
    given = special.get(name, {p.name: values[p.name] for p in taken if p.default is p.empty and p.name in values})
    if name in ("OrderedLogistic", "OrderedProbit"):
        given = dict(eta=0., cutpoints=values["cutpoints"])
    try:
        with pm.Model():
            cls("x", **given, nosuch=1)
        found[name] = [p.name for p in taken]
    except Exception as error:
        found[name] = repr(error)
print(json.dumps(found))
"""
    done = interpreters.python("pymc", "-c", text, json.dumps(sorted(SWALLOWING)))
    found = json.loads(done.stdout.splitlines()[-1])
    assert {name: row for name, row in found.items() if isinstance(row, str)} == {}, done.stderr
    assert {name: sorted(set(row) - TAKEN_BY_ALL) for name, row in found.items() if name not in ("OrderedLogistic", "OrderedProbit")} == {
        name: sorted(row.split()) for name, row in SWALLOWING.items() if name not in ("OrderedLogistic", "OrderedProbit")
    }

"""What scripts take from inside of PyMC3's distributions and models; prints JSON."""

import json

import matplotlib
import numpy as np
import pymc3 as pm
import pytensor
import scipy.stats as st

matplotlib.use("Agg")
X = np.random.RandomState(0).normal(size=(5, 2))
with pm.Model() as model:
    w = pm.Dirichlet("w", np.ones(2))
    means = [pm.Normal(f"mean{i}", 0, 10, shape=2) for i in range(2)]
    pairs = pm.Mixture("pairs", w=w, comp_dists=[pm.MvNormal.dist(mu=mean, chol=np.eye(2)) for mean in means], observed=X)
    numbers = pm.NormalMixture("numbers", w=w, mu=np.array([0.0, 1.0]), sd=1.0, observed=X[:, 0])
    b = pm.Normal("b[T.x]", 0, 1, shape=3)
with pm.Model() as bounded:
    parts = [pm.Bound(pm.Normal, lower=0.0).dist(mu=5.0, sigma=5.0), pm.Bound(pm.Normal, lower=-1.0, upper=3.0).dist(mu=0.0, sigma=3.0)]
    pm.Mixture("g", w=np.array([2.0, 1.0]) / 3, testval=1.0, comp_dists=parts)
point = dict(model.test_point, mean0=np.array([1.0, 2.0]))
of_pairs = model.model.fastfn(pairs.distribution._comp_logp(X))(point)
of_numbers = model.fastfn(numbers.distribution._comp_logp(X[:, 0]))(point)
draws = {"b[T.x]": np.random.RandomState(1).normal(size=(2, 30, 3))}
answers = {
    "components": [len(pairs.distribution.comp_dists), np.shape(of_pairs), np.shape(of_numbers)],
    "of pairs": bool(np.allclose(of_pairs[:, 0], st.multivariate_normal([1, 2], np.eye(2)).logpdf(X))),
    "of numbers": bool(np.allclose(of_numbers[:, 1], st.norm(1, 1).logpdf(X[:, 0]))),
    "medians": [float(d.median.eval()) for d in (pm.Uniform.dist(2, 4), pm.Exponential.dist(np.log(2.0)))],
    "bounded": [float(bounded.logp({"g": np.array(value)})) for value in (-0.5, 1.0, 3.5)],
    "none": [hasattr(b.distribution, "comp_dists")],
}
import arviz as az  # noqa: E402
import matplotlib.pyplot as plt  # noqa: E402

trace = pm.backends.base.MultiTrace(az.from_dict(posterior=draws), model=model)
figure, axes = pm.forestplot(trace, var_names=["b[T.x]"])
axes[0].set_yticklabels(["p", "q", "r"])
summed = [pm.math.logsumexp(np.zeros((2, 3)), **given).eval() for given in ({"axis": 1}, {"axis": 0, "keepdims": False}, {})]
answers["summed"] = [np.shape(part) for part in (*summed, pm.math.stack(1.0, 2.0).eval(), pm.math.stack([1.0, 2.0, 3.0]).eval())]
with pm.Model():
    number, cube = pm.Normal("number", testval=0.5), pm.Normal("cube", shape=(2, 3, 3))
    products = [np.ones((5, 1)) @ number, number @ np.ones(4), cube @ cube, np.ones((2, 3, 3)) @ cube, cube[0] @ np.ones(3)]
answers["products"] = [np.shape(product.tag.test_value) for product in products]
words = pytensor.shared(np.array(["p", "q"], dtype=object))
words.set_value(np.array(["r"]))
answers["words"] = words.get_value().tolist()
answers["rows"] = [t.get_text() for t in axes[0].get_yticklabels()]
answers["bracket"] = list(np.shape(pm.summary(trace)[["mean", "hpd_2.5"]]))
many = pm.backends.base.MultiTrace(az.from_dict(posterior={"m": np.random.RandomState(2).normal(size=(2, 9, 7))}), model=model)
answers["panels"] = pm.pairplot(many)[-1, 0].get_figure() is plt.gcf()
alone = plt.figure().gca()
answers["filled"] = len(pm.kdeplot(draws["b[T.x]"][0, :, 0], fill_kwargs={"alpha": 0.5}, ax=alone).collections)
with pm.Model() as funnel:
    scale = pm.HalfCauchy("scale", 5, testval=1e-9)
    pm.Normal("parts", 0, scale, shape=8)
    sampled = pm.sample(60, tune=0, step=pm.NUTS(step_scale=9.0), chains=2, cores=1, random_seed=1, progressbar=False)
report = sampled[5:].report
found = [[w for w in chain if w.kind.name == "DIVERGENCE"] for chain in report._chain_warnings.values()]
answers["warnings"] = [
    [len(chain) for chain in found] == [int(x.sum()) for x in sampled.get_sampler_stats("diverging", combine=False)],
    sorted(found[0][0].extra), len(sampled._report._warnings) > len(found[0] + found[1]), report.ok, "warning" in sampled.stat_names,
]  # fmt: skip
try:
    report.raise_ok()
except ValueError as error:
    answers["warnings"].append(str(error))
with pm.Model():
    pm.Deterministic("a / b", 2 * pm.Normal("odds/p"))
    sampled = pm.sample(4, tune=0, step=pm.Metropolis(), chains=2, cores=1, progressbar=False)
result = az.from_pymc3(sampled)
result.posterior["log(a / b)"] = result.posterior["a / b"] + 1
answers["slashes"] = [list(pm.summary(sampled).index), list(az.summary(result, var_names=["log(a / b)"]).index), sampled["odds/p"].size]
from pymc3.distributions.discrete import bound, draw_values, factln  # noqa: E402

answers["beside"] = [bound.__name__, draw_values.__name__, round(float(factln(3).eval()), 4)]
style = {"eval": np.array([0.0, 1.0]), "lm": lambda x, at: at["m"][0] * x, "samples": 1}
answers["style"] = []
for given in ({"color": "blue", "linewidth": 3}, {"c": "r"}):
    plt.figure()
    pm.plot_posterior_predictive_glm(many, **style, **given)
    answers["style"] += [plt.gca().lines[0].get_color(), plt.gca().lines[0].get_linewidth()]
print("ANSWERS " + json.dumps(answers))

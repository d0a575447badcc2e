"""What scripts take from inside of PyMC3's distributions and models; prints JSON."""

import json

import matplotlib
import numpy as np
import pymc3 as pm
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
answers["rows"] = [t.get_text() for t in axes[0].get_yticklabels()]
answers["bracket"] = list(np.shape(pm.summary(trace)[["mean", "hpd_2.5"]]))
many = pm.backends.base.MultiTrace(az.from_dict(posterior={"m": np.random.RandomState(2).normal(size=(2, 9, 7))}), model=model)
answers["panels"] = pm.pairplot(many)[-1, 0].get_figure() is plt.gcf()
alone = plt.figure().gca()
answers["filled"] = len(pm.kdeplot(draws["b[T.x]"][0, :, 0], fill_kwargs={"alpha": 0.5}, ax=alone).collections)
print("ANSWERS " + json.dumps(answers))

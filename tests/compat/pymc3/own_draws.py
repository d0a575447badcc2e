"""Draws of a script's own distributions and within bounds, plots without counterpart in ArviZ 1, pickled models; prints JSON."""

import json
import pickle

import arviz as az
import matplotlib.pyplot as plt
import numpy as np
from theanodiag.compat.pymc3.distributions.distribution import draw_values, generate_samples

from theanodiag.compat import pymc3 as pm

LATER = not az.__version__.startswith("0.")
answers = {}


class Plain(pm.Normal):
    """A density and draws of its own."""

    def logp(self, value):
        """The log-density."""
        return -abs(value - self.mu)

    def random(self, point=None, size=None):
        """The mean, 10 higher."""
        (mu,) = draw_values([self.mu], point=point, size=size)
        return generate_samples(lambda mu, size=None: mu + 10 + np.zeros(size), mu, dist_shape=(3,), size=size)


with pm.Model() as model:
    a = pm.Normal("a", 0, 1)
    Plain("own", mu=a, observed=np.zeros(3))
    pm.DensityDist("dens", lambda v: -((v - a) ** 2), random=lambda point=None, size=None: np.full(2, point["a"]), observed=np.zeros(2))
    pm.Poisson("seen", pm.math.exp(a), observed=[1, 2, 3, 4])
    trace = pm.sample(3, tune=2, chains=2, cores=1, progressbar=False, compute_convergence_checks=False)
    drawn = pm.sample_posterior_predictive(trace, progressbar=False)
    some = pm.sample_posterior_predictive(trace, var_names=["own"], keep_size=True, progressbar=False)
answers["predicted"] = {name: np.shape(values) for name, values in drawn.items()}
answers["of each draw"] = [bool(np.allclose(drawn["own"][:, 1] - 10, trace["a"])), bool(np.allclose(drawn["dens"][:, 0], trace["a"]))]
answers["some"] = [list(some), np.shape(some["own"])]
answers["values"] = [np.shape(v) for v in draw_values([1.0, pm.Normal.dist(0, 1), np.ones(2)], size=5)]
fixed = draw_values([a, a + 1], point={"a": 3.0}, size=4)
answers["fixed"] = [np.shape(fixed[0]), float(np.ravel(fixed[1])[0])]
answers["generated"] = generate_samples(lambda a, b, size=None: a + b + np.zeros(size), np.arange(2), 2.0, dist_shape=(3,), size=2).tolist()
answers["counted"] = generate_samples(lambda a, size: [a + n for n in range(size)], 2.0, size=3).tolist()

copy = pickle.loads(pickle.dumps({"model": model, "trace": trace}))
point = model.test_point
answers["pickled"] = [copy["trace"].model is copy["model"], float(copy["model"].logp(point)) == float(model.logp(point))]
with copy["model"]:
    answers["of the copy"] = np.shape(pm.sample_posterior_predictive(copy["trace"], var_names=["seen"], progressbar=False)["seen"])

with pm.Model():
    lowest = pm.Bound(pm.Normal, lower=1.0)("lowest", 2, 3)
    pm.Bound(pm.Normal, lower=lowest)("higher", 0, 1, shape=3)
    pm.Bound(pm.Poisson, lower=2, upper=4)("count", 3, shape=2)
    pm.Deterministic("twice", 2 * lowest)
    prior = pm.sample_prior_predictive(60, random_seed=1)
answers["within"] = [
    bool(prior["lowest"].min() > 1), bool((prior["higher"] > prior["lowest"][:, None]).all()), np.unique(prior["count"]).tolist(),
    bool(np.allclose(prior["twice"], 2 * prior["lowest"])), np.shape(prior["higher"]),
]  # fmt: skip
answers["as wide"] = bool(3 < prior["lowest"].mean() < 5)  # 2 + 3 * 0.56 by the truncated normal distribution

rng = np.random.default_rng(1)
arrays = {
    "posterior": {"x": rng.normal(size=(2, 20))}, "prior": {"x": rng.normal(size=(1, 20))},
    "posterior_predictive": {"y": (rng.random((2, 20, 6)) < 0.5).astype(float)}, "observed_data": {"y": np.array([0.0, 1, 1, 0, 0, 1])},
}  # fmt: skip
data = az.from_dict(arrays) if LATER else az.from_dict(**arrays)
likely = {"posterior": {"x": rng.normal(size=(2, 50))}, "log_likelihood": {"y": -rng.random((2, 50, 6))}}
likely = az.from_dict(likely) if LATER else az.from_dict(**likely)
plots = {
    "ecdf": lambda: az.plot_ecdf(arrays["posterior"]["x"].ravel()), "dot": lambda: pm.plot_dot(arrays["posterior"]["x"].ravel()),
    "separation": lambda: az.plot_separation(idata=data, y="y") if not LATER else pm.plot_separation(data, y="y"),
    "ts": lambda: az.plot_ts(idata=data, y="y", y_hat="y", num_samples=9),
    "u": lambda: az.plot_bpv(data),
    "p": lambda: pm.plot_bpv(data, kind="p_value"), "t": lambda: pm.plot_bpv(data, kind="t_stat", t_stat="mean"),
    "elpd": lambda: pm.plot_elpd({"a": likely, "b": likely}), "both": lambda: az.plot_dist_comparison(data),
}  # fmt: skip
drawn_plots = {name: bool(np.size(draw()) and plt.gcf().axes) for name, draw in plots.items()}
energies = {"posterior": arrays["posterior"], "sample_stats": {"energy": rng.normal(size=(2, 20))}}
panel = pm.energyplot(az.from_dict(energies) if LATER else az.from_dict(**energies)).set_title("energies").axes
answers["energies"] = [panel.get_title(), len(panel.lines) > 1]
answers["plots"] = sorted(name for name, is_drawn in drawn_plots.items() if is_drawn)
if LATER:
    steps = pm.plot_ecdf(np.array([3.0, 1.0, 2.0, 2.0])).lines[0]
    answers["steps"] = [steps.get_xdata().tolist(), steps.get_ydata().tolist()]
    numbers = {"posterior_predictive": {"y": np.arange(4.0).reshape(1, 4, 1)}, "observed_data": {"y": np.array([0.5])}}
    answers["title"] = pm.plot_bpv(az.from_dict(numbers), kind="t_stat", t_stat="mean").get_title()
print("ANSWERS " + json.dumps(answers))

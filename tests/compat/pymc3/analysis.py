"""What scripts of PyMC3 ask of ArviZ, on draws that are known; prints JSON."""

import io
import json
import platform
import sys
import warnings

import arviz as az
import matplotlib.pyplot as plt
import numba
import numpy as np
import pandas
import scipy
import scipy.optimize
import scipy.stats

from theanodiag.compat import pymc3 as pm

DRAWS = np.random.RandomState(1).normal(size=(2, 200, 3))
LATER = not az.__version__.startswith("0.")
ARRAYS = {"x": DRAWS[:, :, 0], "b": DRAWS}
trace = pm.MultiTrace(az.from_dict({"posterior": ARRAYS}) if LATER else az.from_dict(posterior=ARRAYS))
flat = np.sort(trace["x"])
widths = flat[376:] - flat[:-376]

table = az.summary(trace, var_names=["x", "b"])
lower, upper = table.loc["x", "hdi_3%"], table.loc["x", "hdi_97%"]
answers = {
    "columns": [c for c in table.columns if c in ("mean", "sd", "hdi_3%", "hdi_97%", "ess_bulk", "r_hat")],
    "rows": list(table.index),
    "mean": float(table.loc["x", "mean"]) == round(float(trace["x"].mean()), 3),
    "interval": bool(abs(upper - lower - widths.min()) < 0.1),
    "same from pymc3": bool((pm.summary(trace, ["x"]).loc["x"] == az.summary(trace, var_names=["x"]).loc["x"]).all()),
    "89 %": [c for c in az.summary(trace, var_names=["x"], hdi_prob=0.89).columns if c.startswith("hdi")],
    "own": list(az.summary(trace, var_names=["x"], stat_funcs={"largest": np.max}, extend=False).columns),
    "largest": bool(az.summary(trace, stat_funcs={"largest": np.max}).loc["b[1]", "largest"] == round(DRAWS[:, :, 1].max(), 3)),
    "of chains": bool(np.allclose(az.hdi(DRAWS[:, :, :1])[0], az.hdi(flat))) and bool(np.allclose(pm.hdi(flat), az.hdi(flat))),
    "modes": np.round(az.hdi(np.concatenate([flat - 20, flat + 20]), multimodal=True)).shape,
    "on a circle": bool(np.diff(az.hdi(np.mod(flat / 5, 2 * np.pi) - np.pi, circular=True))[0] < 0),
    "hpd": np.shape(az.hpd(trace["b"], credible_interval=0.9)),
    "hdi": sorted(map(str, az.hdi(trace, hdi_prob=0.9).data_vars)),
    "rhat": bool(abs(float(pm.gelman_rubin(trace)["x"]) - 1) < 0.1),
    "rhat of arviz": float(az.gelman_rubin(trace)["x"]) == float(az.rhat(trace)["x"]) and "x" in az.effective_n(trace),
    "traceplot": np.shape(pm.traceplot(trace, ["x"])),
}
for name in sys.argv[1:]:
    az.style.use(name)
plt.style.use("seaborn-darkgrid")  # its name before matplotlib 3.6
answers["style"] = plt.rcParams["axes.axisbelow"] is True
answers["density"] = float(plt.hist([1.0, 2.0], bins=[0, 4], normed=True)[0][0])
figure, axes = plt.subplots(1, 2)
axes[0].grid(b=False)
az.plot_kde(trace["x"], ax=axes[0], label="x", plot_kwargs={"color": "C1"})
az.plot_hpd(np.arange(3), trace["b"], credible_interval=0.5, ax=axes[1])
pm.plot_posterior(trace["x"], ref_val=0, ax=axes[0])
whole, panels = az.plot_forest(trace, var_names=["x"])
alone = pm.plot_posterior(trace, var_names=["x"])
answers["one"] = [panels[0].figure is whole, alone[0] is alone, np.shape(np.atleast_1d(alone)), isinstance(alone, plt.Axes)]
table = pandas.DataFrame({"a": [1, 1, 2], "b": [1.0, 2.0, 3.0], "c": [0, 1, 2]})
answers["indexed"] = [np.shape(table.b[:, None]), table.groupby("a")["b", "c"].sum().shape, len(table.b[1:]), float(table.b[1])]
text = table.assign(name="p")
answers["without text"] = [text.corr().shape, list(text.mean().index), list(text.groupby("a").mean().columns), list(text.cov().columns)]
kinds = pandas.DataFrame({"kind": pandas.Categorical(["p", "q"])})[:1]
kinds.kind.cat.remove_unused_categories(inplace=True)
answers["kinds"] = list(kinds.kind.cat.categories)
answers["plotted"] = plt.plot([0, 0], [scipy.stats.gaussian_kde([0.0, 1.0])(0) / 2, 0.5])[0].get_ydata()[1]
answers["number"] = "%.3f" % (1 / scipy.stats.gaussian_kde([0.0, 1.0])(0) / 2)
answers["minimum"] = "%.0f" % (scipy.optimize.fmin(lambda x: ((x - 3) ** 2).sum(), 1.0, disp=False) + 0)
answers["separated"] = pandas.read_csv(io.StringIO("a;b\n1;2"), ";").shape
answers["gone"] = [
    np.int(2.5),
    round(float(scipy.corrcoef([1, 2, 3], [1, 2, 4])[0, 1]), 4),
    pandas.Series([1, 2]).as_matrix().tolist(),
    [pandas.Series([1, 2]).append(pandas.Series([3])).ravel().tolist(), list(pandas.Series([1], ["p"]).iteritems())],
    [table.append({"a": 1, "b": 2.0, "c": 3}, ignore_index=True).shape, table.append([table, table]).shape],
    len(platform.linux_distribution()),
]
answers["posterior"] = np.size(az.plot_posterior(trace, var_names=["b"]))
fresh = plt.figure().gca()
two = [next(fresh._get_lines.prop_cycler)["color"], fresh.plot([1])[0].get_color()]
answers["color"] = two == plt.rcParams["axes.prop_cycle"].by_key()["color"][:2]
answers["drawn"] = [len(a.lines) + len(a.collections) > 0 for a in axes]
older = pm.df_summary(trace, varnames=["b", "x"])
answers["older"] = [list(older.columns), list(older.index)]
answers["older interval"] = bool(np.allclose(older.loc["x", ["hpd_2.5", "hpd_97.5"]].astype(float), pm.hpd(trace["x"], alpha=0.05)))
then = pm.summary(trace, varnames=["x"])
answers["columns of then"] = [
    list(then[["mean", "hpd_2.5", "Rhat", "n_eff", "mc_error"]].columns),
    bool(np.allclose(then[["hpd_2.5", "hpd_97.5"]].values, pm.hpd(trace["x"], alpha=0.05))),
    bool(abs(then.round(1)["hpd_3%"].iloc[0] - then["hdi_3%"].iloc[0]) < 1e-3),
    bool(300 < then["n_eff"].iloc[0] < 600),
    "hpd_2.5" in then.columns,
]
rows = pm.summary(trace)
of_vector = [rows["mean"]["b__1"], rows.loc["b__1", "mean"], rows.loc[["b__1"]]["mean"].iloc[0], rows["hpd_2.5"].loc["b__1"]]
answers["rows of then"] = [one == rows.loc["b[1]", "mean"] for one in of_vector], rows["mean"]["x"] == then["mean"].iloc[0]
try:
    then["none"]
except KeyError as error:
    answers["columns of then"].append(str(error))
answers["report"] = [trace.report.n_draws, trace.report.n_tune, *(hasattr(trace.report, n) for n in ("log_marginal_likelihood", "ok"))]
answers["of theano"] = pm.math.matrix_dot(np.eye(2), np.ones((2, 1)), np.ones((1, 3))).eval().shape
answers["quantiles"] = pm.quantiles(np.arange(100.0), (25, 50))
answers["error"] = round(float(pm.mc_error(np.repeat([1.0, 2, 3, 4, 5], 20))), 4)
answers["geweke"] = [list(pm.geweke(trace, vars=["x"])), round(float(pm.geweke(np.arange(200.0))[0, 1]), 4)]
with pm.Model() as model:
    pm.HalfNormal("scale")
    many = pm.Poisson("many", pm.math.exp(pm.Normal.dist(50, 1)), shape=2)
answers["no draw for a shape"] = pm.model_graph.fast_eval(many.shape).tolist()
with pm.Model() as model:
    pm.HalfNormal("scale")
    approximation = pm.fit(2, progressbar=False)
drawn = approximation.sample(6)
answers["name of 3.0"] = bool((drawn["scale_log_"] == drawn["scale_log__"]).all())
with warnings.catch_warnings():
    warnings.simplefilter("error", FutureWarning)  # nobody can act on what this layer's calls of PyMC are told
    found = pm.find_MAP(model=model, progressbar=False)
answers["name of 3.0"] = answers["name of 3.0"] and found["scale_log_"] == found["scale_log__"] and "scale_log_" not in found
answers["approximated"] = [sorted(drawn.varnames), list(az.summary(drawn).index)]
try:
    approximation.sample(6, vars=["scale"])
except TypeError as error:
    answers["approximated"].append(str(error))
fitted = pm.advi(n=3, model=model, progressbar=False)
answers["advi"] = [list(fitted.means), len(fitted.elbo_vals), np.shape(pm.sample_vp(fitted, 5, model=model)["scale"])]
with pm.Model() as several:
    pm.Normal("pair", shape=2), pm.Normal("matrix", shape=(3, 1))
answers["means"] = {name: np.shape(values) for name, values in pm.advi(n=2, model=several, progressbar=False).means.items()}
with pm.Model() as coin:
    pm.Bernoulli("heads", pm.Beta("bias", 1, 1), observed=np.repeat([0, 1], [1, 2]))
    drawn = pm.sample(400, step=pm.SMC(threshold=0.5), chains=2, cores=1, random_seed=1, progressbar=False)
with pm.Model() as covariances:
    covariance = pm.WishartBartlett("covariance", np.eye(2), 5, testval=[[2.0, 0.5], [0.5, 1.0]])
answers["matrix"] = np.round(covariance.tag.test_value, 6).tolist()
answers["vector"] = several.dict_to_array({"matrix": [[3], [4], [5]], "pair": [1, 2]}).tolist()
answers["marginal"] = [len(drawn), np.shape(drawn.report.log_marginal_likelihood), round(12 * coin.marginal_likelihood)]
answers["hessian"] = pm.find_hessian({"scale_log__": 0.0, "scale": 1.0}, model=model).tolist()  # as find_MAP gives a point
data = az.from_pymc3(trace, posterior_predictive={"y": np.arange(800.0).reshape(400, 2)}, prior={"x": np.zeros(5)},
                     coords={"row": ["p", "q", "r"]}, dims={"b": ["row"]})  # fmt: skip
answers["second"] = float(data.posterior_predictive["y"].values[1, 0, 0])
answers["named"] = float(data.posterior["b"].sel(row="q").values[0, 0]) == DRAWS[0, 0, 1]
answers["as a dataset"] = sorted(map(str, data.posterior.rename_dims({"row": "line"})["b"].dims))
answers["several"] = sorted(map(str, data.posterior[["x", "b"]].data_vars)), data.posterior[["x"]].mean()["x"].ndim
answers["cumulative"] = np.round(np.exp(pm.Normal.dist(0, 1).logcdf(np.array([0.0, 1.0])).eval()), 4).tolist()
answers["prior"] = np.shape(data.prior["x"].values)
with pm.Model() as model:
    rate = pm.Exponential("rate", 1.0)
    twice = pm.Deterministic("twice", 2 * rate)
    seen = pm.Poisson("seen", rate, observed=[3, 4])
rates = {"rate": np.full((2, 20), 3.0)}
known = pm.MultiTrace(az.from_dict({"posterior": rates}) if LATER else az.from_dict(posterior=rates), model=model)
mixed = pm.sample_posterior_predictive_w([known, known], samples=9, models=[model, model], weights=[1, 3], progressbar=False)
answers["mixed"] = [list(mixed), np.shape(mixed["seen"])]
alone = pm.sample_posterior_predictive(known.idata.posterior, samples=4, model=model, progressbar=False)
answers["from a posterior"] = np.shape(alone["seen"])
answers["start"] = float(twice.tag.test_value) == 2 * float(rate.tag.test_value) == float((twice + 0).tag.test_value)
answers["data"] = seen.tag.test_value.tolist()
with pm.Model():
    free = pm.Uniform("free", shape=2)
    other = pm.Normal("other", shape=2, testval=3)
    rows = pm.Normal("rows", shape=(1, 2, 3), testval=np.arange(6.0).reshape(2, 3))
    kind = pm.Categorical("kind", [0.2, 0.8])
    holed = pm.Bernoulli("holed", 0.5, observed=np.ma.masked_values([1.0, -9.0, 0.0], -9.0))
    steps = [
        pm.Metropolis(vars=[1 - free, other]),
        pm.ElemwiseCategorical(vars=[kind], values=[0, 1]),
        pm.BinaryGibbsMetropolis([holed.missing_values]),
    ]
answers["stepped"] = [[v.name for v in step.vars] for step in steps]
with pm.Model() as certain:
    pm.Binomial("one", 2, pm.math.minimum(pm.math.exp(pm.Normal("z", 0, 1)), 1), observed=1)
answers["derivative"] = certain.fastdlogp()({"z": 1.0}).tolist()  # of z's own term: the probability is 1 around there
answers["broadcast"] = [other.tag.test_value.tolist(), rows.tag.test_value.tolist()]


with pm.Model() as walks:
    length = np.int64(3)
    pm.GaussianRandomWalk("walk", sd=pm.HalfNormal("step"), shape=length)
    pm.AR("series", [0.5, 0.2], sd=1.0, shape=5)
    drawn = pm.sample_prior_predictive(4)
answers["walks"] = [np.shape(drawn["walk"]), drawn["walk"][:, 0].tolist(), drawn["series"][0, :2].tolist()]
answers["transformed"] = walks["step"].transformation.name
answers["elsewhere"] = round(float(walks["step"].logp({"step_log__": 0.0, "walk": np.zeros(3), "series": np.zeros(5)})), 4)
with pm.Model():
    narrow = pm.Flat("narrow")
    pm.Potential("inside", pm.math.switch(abs(narrow - 5) < 1e-3, 0.0, -np.inf))
    started = pm.sample(2, tune=0, start={"narrow": 5.0}, chains=2, cores=1, progressbar=False)
answers["started"] = started["narrow"].round().tolist()
points = np.linspace(0, 2, 60)[:, None]
singular = pm.gp.cov.ExpQuad(1, 0.9)(points).eval()
paths = pm.MvNormal.dist(mu=np.zeros(60), cov=singular).random(size=5)
answers["singular"] = [paths.shape, bool(np.isfinite(paths).all())]
with pm.Model() as approximated:
    pm.HalfNormal("scale"), pm.Deterministic("double", 2 * pm.Normal("pair", shape=2))
    approximation = pm.fit(2, progressbar=False)
    known_draws = pm.sample(3, tune=0, step=pm.Metropolis(), chains=2, cores=1, progressbar=False)
    empirical = pm.Empirical(known_draws)
means = approximation.bij.rmap(approximation.mean.eval())
answers["bijection"] = [
    {name: np.shape(value) for name, value in means.items()},
    bool((approximation.bij.map({**means, "more": 1}) == approximation.mean.eval()).all()),
    np.shape(empirical.histogram.eval()),
]
with pm.Model() as coin:
    pm.Bernoulli("heads", pm.Beta("bias", 1, 1), observed=np.repeat([0, 1], [1, 2]))
    drawn = pm.sample_smc(400, chains=2, cores=1, random_seed=1, progressbar=False)
answers["marginal log"] = round(12 * float(np.exp(coin.marginal_log_likelihood)))
answers["sizes"] = [np.shape(pm.sample_posterior_predictive(drawn, 5, coin, size=size, progressbar=False)["heads"]) for size in (2, (3, 2))]
with pm.Model():
    process = pm.gp.Marginal(cov_func=pm.gp.cov.ExpQuad(1, pm.Gamma("length", 2, 1)))
    process.marginal_likelihood("y", points[:3], np.ones(3), 0.1)
answers["predicted"] = [np.shape(part) for part in process.predict(points[:2], point={"length": 0.5}, diag=True)]
interval = az.hdi(known.idata.posterior["rate"])
of_a_series = az.hdi(pandas.Series([1.0, 2, 3, 4]))
answers["of an array"] = [list(interval.data_vars), interval["rate"].sel(hdi="higher").shape, np.shape(of_a_series)]
contours = plt.figure().gca().contourf(np.eye(3))
answers["contours"] = len(contours.collections)
written = pandas.DataFrame({"a": [0.0, 1.0], "b": [2.0, 3.0], "c": ["p", "q"]})
changed = written[written.c == "p"]
values = changed.a.values
values[values == 0] = 0.1
answers["written"] = [values.tolist(), changed.a.tolist(), written.a.tolist(), np.greater.outer(written.a, [0.5]).tolist()]
shared = written.rename(columns={"a": "z"}) if pandas.__version__ >= "3" else None
answers["shared"] = shared is None or not shared.z.values.flags.writeable


def groups(idata):
    """The names of the groups of a result."""
    return sorted(idata.children if LATER else idata.groups())


counted = az.from_pymc3(known, prior={"rate": np.ones(5), "seen": np.ones((5, 2))}, model=model)
apart = az.from_dict(posterior_predictive={"seen": np.ones((2, 20, 2))}, constant_data={"when": np.arange(2)})
counted.extend(apart)
predicted = az.from_pymc3_predictions({"seen": np.ones((40, 3))}, idata_orig=counted)
counted.add_groups({"predictions": {"seen": np.ones((2, 20, 3))}})
with model:
    alone = az.from_pymc3(posterior_predictive={"seen": np.ones((40, 2))})
    drawn = pm.sample(3, tune=0, step=pm.Metropolis(), chains=2, cores=1, progressbar=False, return_inferencedata=True)
answers["groups"] = [groups(counted), groups(alone), groups(az.concat(apart, az.from_dict(prior={"a": np.ones((1, 5))})))]
answers["result"] = [groups(drawn), np.shape(drawn.log_likelihood["seen"].values), isinstance(drawn, az.InferenceData)]
answers["predictions"] = [np.shape(each.predictions["seen"].values) for each in (predicted, counted)]
answers["chains"] = [np.shape(az.concat(known.idata, known.idata, dim=dim).posterior["rate"].values) for dim in ("chain", "draw")]
answers["extracted"] = [
    dict(az.extract_dataset(counted, num_samples=7).sizes),
    list(az.extract_dataset(counted, var_names=["rate"]).data_vars),
]
answers["converted"] = [groups(az.convert_to_inference_data(each)) for each in ({"a": np.ones((2, 5))}, known.idata)]
answers["r2"] = az.r2_score(np.array([1.0, 3.0]), np.array([[1.0, 3.0], [1.0, 1.0]])).to_dict()
answers["predictive"] = [isinstance(az.plot_ppc(each, group=group, num_pp_samples=5, kind="cumulative"), plt.Axes)
                         for each, group in ((counted, "posterior"), (counted, "prior"), (alone, "posterior"))]  # fmt: skip
answers["dataset"] = [type(az.ess(known)).__name__, type(az.rhat(known)).__name__]
if LATER:
    near, far = (pm.MultiTrace(az.from_dict({"posterior": {"rate": at + DRAWS[:, :20, 0] / 50}}), model=model) for at in (3.4, 2.0))
    ranked = az.compare({"far": far, "near": near}, scale="deviance")
    exact = [-2 * float(az.loo(each).elpd) for each in (near, far)]
    assert list(ranked.index) == ["near", "far"]
    assert np.allclose(ranked["loo"], exact), ranked
    assert np.allclose(ranked["d_loo"], [0, exact[1] - exact[0]]), ranked
    assert "p_loo" in ranked
    assert list(pm.compare([far, near], [model, model], ic="LOO").index) == [1, 0]  # the arguments before PyMC3 3.5
    assert isinstance(az.plot_compare(ranked), plt.Axes)


@numba.njit
def compiled(values):
    """Functions of NumPy that were wrapped are known to its compiler."""
    return np.histogram(values, bins=2, range=(0.0, 1.0))[0], np.vstack((values, np.linspace(0, 1, 3)))


answers["compiled"] = [compiled(np.array([0.1, 0.2, 0.9]))[0].tolist(), compiled(np.zeros(3))[1].tolist()]
batch = pm.Minibatch(np.arange(20).reshape(10, 2) % 2, batch_size=4)
with pm.Model() as batched:
    free, positive = pm.Normal("level"), pm.HalfNormal("spread")
    made = pm.Deterministic("made", free + 1)
    seen = pm.Bernoulli("first", 0.5, observed=batch[:, 0], total_size=10)
kinds = (pm.model.FreeRV, pm.model.TransformedRV, pm.model.ObservedRV, pm.model.DeterministicWrapper, pm.model.PyMC3Variable)
variables = (free, positive, seen, made, batched.rvs_to_values[positive], free + 1, 1.0)
answers["variables"] = ["".join("01"[isinstance(each, kind)] for kind in kinds) for each in variables]
answers["batch"] = round(float(seen.logp({"level": 0.0, "spread_log__": 0.0})) / np.log(0.5), 6)
answers["truth"] = bool(pm.math.eq(free, 0))
try:
    answers["compared"] = bool(free < 0)
except TypeError as error:
    answers["compared"] = str(error)
answers["row"] = pandas.DataFrame({"a": [1, 2], "b": [3, 4]}).loc[1,].tolist()
modes = scipy.stats.mode(np.array([[1, 2], [1, 3], [4, 3]]), axis=0)
answers["mode"] = [np.shape(modes.mode), modes.mode[0, :].tolist(), scipy.stats.mode([1, 1, 2], keepdims=False).mode]
answers["by name"] = [
    bool((pm.summary(trace=trace, varnames=["x"]) == pm.summary(trace, ["x"])).all(axis=None)),
    float(pm.gelman_rubin(mtrace=trace)["x"]) == float(pm.rhat(trace)["x"]),
]
judged = {"posterior": {"x": DRAWS[:, :, 0]}, "log_likelihood": {"y": -np.square(DRAWS)}}
judged = pm.MultiTrace(az.from_dict(judged) if LATER else az.from_dict(**judged))
criteria = [getattr(pm, kind)(judged, scale=scale) for kind in ("loo", "waic") for scale in ("log", "deviance")]
elpd = [criteria[0].loo, criteria[2]["waic"]]
of_loo = (criteria[1]["loo"], criteria[0].LOO, criteria[1].LOO, float(criteria[1].loo_i.sum()))
answers["criteria"] = [round(each / elpd[0], 3) for each in of_loo]
answers["criteria"] += [round(each / elpd[1], 3) for each in (criteria[3].waic, criteria[2].WAIC, criteria[3].waic_i.sum())]
answers["criterion"] = elpd[0] == float(criteria[0].elpd if LATER else criteria[0].elpd_loo)
answers["spread"] = [round(criteria[1].loo_se / criteria[0].loo_se, 3), criteria[1].LOO_se == criteria[1].loo_se, criteria[3].waic_scale]
judged.add_values({"twice": 2 * judged["x"], "pair": np.ones((400, 2))})
answers["added"] = [list(pm.summary(judged).index), np.shape(judged[100:]["pair"]), list(pm.summary(judged[100:], ["twice"]).index)]
answers["kde_plot"] = pm.plot_posterior(trace, varnames=["x"], kde_plot=True) is not None
answers["absent"] = not hasattr(az, "no_such_function")
print("ANSWERS " + json.dumps(answers, default=lambda value: value.item()))

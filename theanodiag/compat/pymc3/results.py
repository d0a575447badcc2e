"""Intervals, information criteria, model comparison and plots as in PyMC3 and ArviZ 0.3 to 0.23."""

from typing import Any, Callable, Dict, Optional

import numpy as np
import pymc

from ..notes import note
from .installed_arviz import called, function_named, is_one, readable, taken
from .trace import MultiTrace, as_inference_data, group_of


def hpd(
    ary: Any, alpha: Optional[float] = None, hdi_prob: Optional[float] = None, credible_interval: Optional[float] = None,
    transform: Optional[Callable[[Any], Any]] = None,
) -> Any:  # fmt: skip
    """Returns the shortest interval that contains `1 - alpha` of the draws: (lower, upper), or one such row for each element.

    The first axis is the draws, as in PyMC3 3.0 to 3.6 (stats.py), which had 95 % by default; 3.7 and 3.8 had 94 %.
    """
    if alpha is None and hdi_prob is None and credible_interval is None:
        note("hpd gives the 95 % interval, as PyMC3 3.0 to 3.6; write credible_interval=0.94 for that of 3.7 and 3.8")
    mass = hdi_prob or credible_interval or 1 - (0.05 if alpha is None else alpha)
    if isinstance(ary, MultiTrace):
        return {name: hpd(ary[name], hdi_prob=mass, transform=transform) for name in ary.varnames}
    values = np.asarray(ary) if transform is None else np.asarray(transform(np.array(ary)))
    if values.ndim > 1:
        each = [hpd(values[(slice(None),) + i], hdi_prob=mass) for i in np.ndindex(*values.shape[1:])]
        return np.array(each).reshape(values.shape[1:] + (2,))
    ordered = np.sort(values)
    inside = int(np.floor(mass * len(ordered)))
    widths = ordered[inside:] - ordered[: len(ordered) - inside]
    at = int(np.argmin(widths))
    return np.array([ordered[at], ordered[at + inside]])


def hdi(
    ary: Any, hdi_prob: Optional[float] = None, circular: bool = False, multimodal: bool = False, *,
    credible_interval: Optional[float] = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Returns the highest-density interval (default 94 %): an array (..., 2) for draws, a Dataset for a trace.

    An array has the axes (draws, ...) or, with three or more axes, (chains, draws, ...) (ArviZ 0.12, stats/stats.py).
    """
    share = hdi_prob or credible_interval or mass
    function = function_named("hdi")
    assert function is not None
    options = {**kwargs, "hdi_prob": share, **({"circular": True} if circular else {})}
    if multimodal:
        options["method" if is_one() else "multimodal"] = "multimodal" if is_one() else True
    if isinstance(ary, (np.ndarray, list)) or type(ary).__name__ == "Series":
        values = np.asarray(ary)
        draws = values.reshape(-1, *values.shape[2:]) if values.ndim > 2 else values
        if not circular and not multimodal and not kwargs:
            return hpd(draws, hdi_prob=share)
        found = function(
            draws if is_one() or draws.ndim == 1 else draws[None], **taken(function, options, "hdi"), **({"axis": 0} if is_one() else {})
        )
        return found[~np.isnan(found).all(axis=1)] if multimodal and draws.ndim == 1 else found
    data = ary.to_dataset(name=ary.name or "x") if type(ary).__name__ == "DataArray" else readable(ary)
    intervals = function(data, **taken(function, options, "hdi"))
    held = group_of(intervals, "posterior") if group_of(intervals, "posterior") is not None else intervals
    if "ci_bound" not in getattr(held, "dims", ()):
        return held
    return held.rename({"ci_bound": "hdi"}).assign_coords(hdi=["lower", "higher"])  # their names before ArviZ 1


def with_log_likelihood(trace: Any, model: Any = None) -> Any:
    """Returns the draws with the log-likelihood of each observation, and computes it if it is missing."""
    idata = as_inference_data(trace)
    if group_of(idata, "log_likelihood") is None:
        model = pymc.modelcontext(getattr(trace, "model", None) if model is None else model)
        starts = dict(model.rvs_to_initial_values)
        model.rvs_to_initial_values.update(dict.fromkeys(starts))  # PyMC converts no model with start values of its own
        try:
            pymc.compute_log_likelihood(idata, model=model, progressbar=False)
        finally:
            model.rvs_to_initial_values.update(starts)
    return idata


_SCALES = {"log": 1.0, "negative_log": -1.0, "deviance": -2.0}


def _named(kind: str, elpd: float, se: float, p: float, each: Any, scale: Optional[str]) -> Dict[str, Any]:
    """A criterion by the names of ArviZ 0.3 to 0.12 (`loo`, in a scale) and of PyMC3 before 3.7 (`LOO`, always the deviance)."""
    factor = _SCALES[(scale or "log").lower()]
    found = {kind: factor * elpd, kind + "_se": abs(factor) * se, "p_" + kind: p, kind + "_scale": (scale or "log").lower()}
    if each is not None:
        found[kind + "_i"] = factor * each
    return dict(found, **{kind.upper(): -2 * elpd, kind.upper() + "_se": 2 * se, "p_" + kind.upper(): p})


def loo(trace: Any, model: Any = None, pointwise: Optional[bool] = None, scale: Optional[str] = None, **kwargs: Any) -> Any:
    """Runs leave-one-out cross-validation with ArviZ; its result also has the older names `loo`, `loo_se`, `p_loo`, `LOO`."""
    options = dict(kwargs, **({} if pointwise is None else {"pointwise": pointwise}))
    found = called("loo", with_log_likelihood(trace, model), options)
    later = is_one()
    each = getattr(found, "elpd_i" if later else "loo_i", None)
    elpd, p = (found.elpd, found.p) if later else (found.elpd_loo, found.p_loo)
    for name, value in _named("loo", float(elpd), float(found.se), float(p), each, scale).items():
        if later:
            setattr(found, name, value)
        else:
            found[name] = value
    return found


class Waic:
    """The widely applicable information criterion: `waic` and its standard error in a scale, and `p_waic`."""

    def __init__(self, pointwise: np.ndarray, p_waic: float, scale: Optional[str] = None) -> None:
        self.scale = (scale or "log").lower()
        elpd, se = float(pointwise.sum()), float(np.sqrt(len(pointwise) * np.var(pointwise)))
        vars(self).update(_named("waic", elpd, se, p_waic, pointwise, scale))

    def __repr__(self) -> str:
        return "waic {waic:.2f}  se {waic_se:.2f}  p_waic {p_waic:.2f} ({scale} score)".format(**vars(self))

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)


def waic(trace: Any, model: Any = None, pointwise: Optional[bool] = None, scale: Optional[str] = None, **kwargs: Any) -> Waic:
    """Returns WAIC from the log-likelihood of each draw (Watanabe 2010), which ArviZ 1 removed."""
    for name in kwargs:
        note("waic({}=...) has no effect: this layer computes it".format(name))
    held = group_of(with_log_likelihood(trace, model), "log_likelihood")
    each = [np.asarray(held[n].values) for n in held.data_vars]
    terms = np.concatenate([v.reshape(v.shape[0] * v.shape[1], -1) for v in each], axis=1)
    largest = terms.max(axis=0)
    density = largest + np.log(np.mean(np.exp(terms - largest), axis=0))
    variance = np.var(terms, axis=0)
    return Waic(density - variance, float(variance.sum()), scale)


_COLUMNS = {"elpd": "loo", "p": "p_loo", "elpd_diff": "d_loo"}
"""Column of ArviZ 1's comparison -> its name in ArviZ 0.3 to 0.23."""


def compare(compare_dict: Any, models: Any = None, ic: Optional[str] = None, scale: Optional[str] = None, **kwargs: Any) -> Any:
    """Ranks models with ArviZ. Keys are names, or models as in PyMC3 before 3.7; values are traces.

    PyMC3 before 3.5 took a list of traces and a list of their models, which the table numbers from 0; later the second argument is `ic`.
    The table has the columns of ArviZ 0.3 to 0.23: `loo` in the chosen scale, `d_loo` (0 for the best model, else positive), and so on.
    """
    if isinstance(models, str):
        models, ic = None, models
    if isinstance(compare_dict, (list, tuple)):
        of_traces = models or [getattr(trace, "model", None) for trace in compare_dict]
        compare_dict = {n: with_log_likelihood(trace, model) for n, (trace, model) in enumerate(zip(compare_dict, of_traces))}
    ready = {}
    for key, trace in compare_dict.items():
        model = key if isinstance(key, pymc.Model) else None
        ready[getattr(key, "name", None) or str(key) if model is not None else key] = with_log_likelihood(trace, model)
    if not is_one():
        return called("compare", ready, {k: v for k, v in dict(kwargs, ic=ic, scale=scale).items() if v is not None})
    table = called("compare", ready, dict({"round_to": "none"}, **kwargs, **({} if ic is None or ic.lower() == "loo" else {"ic": ic})))
    factor = _SCALES[(scale or "log").lower()]
    table = table.rename(columns=_COLUMNS)
    table["loo"] *= factor
    table[["d_loo", "se", "dse"]] = (table[["d_loo", "se", "dse"]] * factor).abs()
    if "diag_elpd" in table:
        table["warning"] = [bool(text) and text == text for text in table["diag_elpd"]]
    first = [name for name in ("rank", "loo", "p_loo", "d_loo", "weight", "se", "dse", "warning") if name in table]
    return table[first + [name for name in table if name not in first]].assign(loo_scale=(scale or "log").lower())


def compared_by_arviz(table: Any) -> Any:
    """Returns the table of `compare` with the columns and the scale of the installed ArviZ, for its plot."""
    if "loo_scale" not in table or not is_one():
        return table
    factor = _SCALES[table["loo_scale"].iloc[0]]
    table = table.assign(loo=table["loo"] / factor, d_loo=-table["d_loo"] / abs(factor))
    table[["se", "dse"]] = table[["se", "dse"]] / abs(factor)
    return table.rename(columns={old: new for new, old in _COLUMNS.items()})


def r2_samples(y_true: Any, y_pred: Any) -> Any:
    """Returns R2 for each draw of a Bayesian regression: variance of the prediction / (variance of the prediction + variance of the
    residuals). Source: Gelman et al. 2018.
    """
    y_true, y_pred = np.asarray(y_true), np.asarray(y_pred)
    explained = np.var(y_pred, axis=-1)
    return explained / (explained + np.var(y_true - y_pred, axis=-1))


def r2_score(y_true: Any, y_pred: Any) -> Any:
    """Returns the mean and standard deviation of `r2_samples`, as a Series of `r2` and `r2_std`."""
    import pandas

    each = r2_samples(y_true, y_pred)
    return pandas.Series([np.mean(each), np.std(each)], index=["r2", "r2_std"])


def plot_posterior_predictive_glm(trace: Any, eval: Any = None, lm: Any = None, samples: int = 30, **kwargs: Any) -> None:
    """Plots the lines of `samples` draws: intercept + slope * x, or the function `lm(x, point)`."""
    import matplotlib.pyplot as plt

    x = np.linspace(0, 1, 100) if eval is None else eval
    line = lm or (lambda x, point: point["Intercept"] + point["x"] * x)
    points = list(trace.points())
    long = {"lw": "linewidth", "c": "color"}
    style = {**{name: value for name, value in (("lw", 0.2), ("c", "k")) if long[name] not in kwargs}, **kwargs}
    for at in np.random.randint(0, len(points), samples):
        plt.plot(x, line(x, points[at]), **style)
        style.pop("label", None)
    plt.title("Posterior predictive")


def dic(trace: Any, model: Any = None) -> float:
    """Returns the deviance information criterion (PyMC3 3.2, stats.py): twice the mean deviance minus the deviance at the mean."""
    model = pymc.modelcontext(model)
    function = model.fastlogp
    mean = -2 * np.mean([function(point) for point in trace.points()])
    free = [v.name for v in model.value_vars]
    return float(2 * mean - -2 * function({name: trace[name].mean(axis=0) for name in free}))


mass = 0.94
"""Default mass of an interval: that of ArviZ 0.3 to 0.23, or the script's rcParams["stats.hdi_prob"]."""


def _axes(ax: Any) -> Any:
    import matplotlib.pyplot as plt

    return plt.gca() if ax is None else ax


def _curve(values: np.ndarray) -> Any:
    """(x, density): points of a kernel density estimate over the range of the values."""
    from scipy.stats import gaussian_kde

    values = values[np.isfinite(values)]
    x = np.linspace(values.min(), values.max(), 256)
    return x, gaussian_kde(values)(x) if np.ptp(values) > 0 else np.zeros_like(x)


def plot_kde(
    values: Any, values2: Any = None, *args: Any, rug: bool = False, label: Optional[str] = None, plot_kwargs: Any = None,
    fill_kwargs: Any = None, ax: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Plots the density of draws as a line, or pairs of draws as points. Returns the axes."""
    ax, style = _axes(ax), dict(plot_kwargs or {})
    flat = np.ravel(np.asarray(values))
    if values2 is not None:
        ax.plot(flat, np.ravel(np.asarray(values2)), ".", alpha=0.3, label=label)
        return ax
    x, density = _curve(flat)
    lines = ax.plot(x, density, label=label, **style)
    if fill_kwargs:
        ax.fill_between(x, density, **{"color": lines[0].get_color(), **fill_kwargs})
    if rug:
        ax.plot(flat, np.zeros_like(flat), "|", color=lines[0].get_color())
    if label:
        ax.legend()
    return ax


OF_ARVIZ = ("values2", "rug", "plot_kwargs", "fill_kwargs", "rug_kwargs", "contour", "fill_last", "cumulative", "bw", "textsize", "show")
"""Arguments of `plot_kde`, which is `pm.kdeplot` since PyMC3 3.7."""


def kdeplot(trace: Any, ax: Any = None, **kwargs: Any) -> Any:
    """Plots the density of draws; for a matrix, that of each column. Returns the axes."""
    if any(key in kwargs for key in OF_ARVIZ):
        return plot_kde(trace, ax=ax, **kwargs)
    values, shade = np.asarray(trace), kwargs.pop("shade", 0)
    for column in values.T if values.ndim == 2 else [values]:
        x, density = _curve(np.ravel(column))
        ax = _axes(ax)
        lines = ax.plot(x, density, **kwargs)
        if shade:
            ax.fill_between(x, density, color=lines[0].get_color(), alpha=float(shade))
    return ax


def plot_hdi(
    x: Any, y: Any = None, hdi_prob: Optional[float] = None, hdi_data: Any = None, color: Any = "C1", plot_kwargs: Any = None,
    fill_kwargs: Any = None, ax: Any = None, credible_interval: Optional[float] = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Plots the highest-density intervals of `y`, (draws, points) or (chains, draws, points), over `x` as a band. Returns the axes."""
    ax, x = _axes(ax), np.asarray(x)
    draws = None if y is None else np.asarray(y)
    if draws is not None and draws.ndim == x.ndim + 2:
        draws = draws.reshape((-1, *draws.shape[2:]))
    band = np.asarray(hdi_data) if draws is None else hpd(draws, hdi_prob=hdi_prob or credible_interval or mass)
    order = np.argsort(x, kind="stable")
    style = {"color": color, "alpha": 0 if plot_kwargs is None else 1, **(plot_kwargs or {})}
    ax.plot(x[order], band[order], **style)
    ax.fill_between(x[order], band[order, 0], band[order, 1], **{"color": color, "alpha": 0.5, **(fill_kwargs or {})})
    return ax


def plot_draws(
    values: Any, ax: Any = None, ref_val: Any = None, rope: Any = None, point_estimate: Optional[str] = "mean", color: Any = None,
    hdi_prob: Optional[float] = None, credible_interval: Optional[float] = None, bins: Any = None, kind: str = "kde", label: Any = None,
    **kwargs: Any,
) -> Any:  # fmt: skip
    """Plots the density (a histogram with kind="hist") of draws outside a trace, with mean and interval. Returns the axes."""
    ax, flat = _axes(ax), np.ravel(np.asarray(values))
    x, density = _curve(flat)
    if kind == "hist" or bins is not None:
        ax.hist(flat, bins="auto" if bins is None else bins, density=True, color=color, label=label)
    else:
        ax.plot(x, density, color=color, label=label)
    low, high = hpd(flat, hdi_prob=hdi_prob or credible_interval or mass)
    ax.plot([low, high], [0, 0], color="k", lw=3)
    if point_estimate in ("mean", "median", "mode"):
        point = x[np.argmax(density)] if point_estimate == "mode" else getattr(np, str(point_estimate))(flat)
        ax.set_title("{} = {:.3g}".format(point_estimate, point))
    if ref_val is not None:
        ax.axvline(ref_val, color="C1")
    if rope is not None:
        ax.plot(list(rope), [0, 0], color="C2", lw=6)
    return ax

"""Intervals, information criteria and comparisons of models, as PyMC3 and ArviZ 0.3 to 0.23 compute them."""

from typing import Any, Dict, Optional

import numpy as np
import pymc

from .trace import MultiTrace, as_inference_data, group_of


def _by_arviz(name: str, data: Any, given: Dict[str, Any]) -> Any:
    """What the function of the ArviZ that is installed answers, with the arguments that it takes."""
    from .old_arviz import called

    return called(name, data, given)


def hpd(ary: Any, alpha: float = 0.05, hdi_prob: Optional[float] = None, credible_interval: Optional[float] = None, **kwargs: Any) -> Any:
    """The shortest interval that holds `1 - alpha` of the draws: (lower, upper), or a row of them for each element."""
    mass = hdi_prob or credible_interval or 1 - alpha
    if isinstance(ary, MultiTrace):
        return {name: hpd(ary[name], hdi_prob=mass) for name in ary.varnames}
    values = np.asarray(ary)
    if values.ndim > 1:
        each = [hpd(values[(slice(None),) + i], hdi_prob=mass) for i in np.ndindex(*values.shape[1:])]
        return np.array(each).reshape(values.shape[1:] + (2,))
    ordered = np.sort(values)
    inside = int(np.floor(mass * len(ordered)))
    widths = ordered[inside:] - ordered[: len(ordered) - inside]
    at = int(np.argmin(widths))
    return np.array([ordered[at], ordered[at + inside]])


hdi = hpd


def with_log_likelihood(trace: Any, model: Any = None) -> Any:
    """Draws with the log-likelihood of each observation, computed if it is not there."""
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


def loo(trace: Any, model: Any = None, pointwise: Optional[bool] = None, **kwargs: Any) -> Any:
    """Leave-one-out cross-validation by ArviZ."""
    return _by_arviz("loo", with_log_likelihood(trace, model), dict(kwargs, **({} if pointwise is None else {"pointwise": pointwise})))


class Waic:
    """The widely applicable information criterion: `waic` and its standard error on the scale of the log score, and `p_waic`."""

    def __init__(self, pointwise: np.ndarray, p_waic: float) -> None:
        self.waic_i = pointwise
        self.waic = float(pointwise.sum())
        self.waic_se = float(np.sqrt(len(pointwise) * np.var(pointwise)))
        self.p_waic = p_waic

    def __repr__(self) -> str:
        return "waic {:.2f}  se {:.2f}  p_waic {:.2f} (log score)".format(self.waic, self.waic_se, self.p_waic)

    def __getitem__(self, key: str) -> Any:
        return getattr(self, key)


def waic(trace: Any, model: Any = None, pointwise: Optional[bool] = None, **kwargs: Any) -> Waic:
    """WAIC from the log-likelihood of each draw (Watanabe 2010); ArviZ 1 has none."""
    held = group_of(with_log_likelihood(trace, model), "log_likelihood")
    each = [np.asarray(held[n].values) for n in held.data_vars]
    terms = np.concatenate([v.reshape(v.shape[0] * v.shape[1], -1) for v in each], axis=1)
    largest = terms.max(axis=0)
    density = largest + np.log(np.mean(np.exp(terms - largest), axis=0))
    variance = np.var(terms, axis=0)
    return Waic(density - variance, float(variance.sum()))


def compare(compare_dict: Any, ic: Optional[str] = None, **kwargs: Any) -> Any:
    """Models ranked by ArviZ; keys are names, or models as in PyMC3 before 3.7, values are traces."""
    ready = {}
    for key, trace in compare_dict.items():
        model = key if isinstance(key, pymc.Model) else None
        ready[getattr(key, "name", None) or str(key) if model is not None else key] = with_log_likelihood(trace, model)
    options = dict(kwargs, **({} if ic is None else {"ic": ic}))
    return _by_arviz("compare", ready, options)


def r2_score(y_true: Any, y_pred: Any, **kwargs: Any) -> Any:
    """R2 of Bayesian regression, by ArviZ."""
    return _by_arviz("r2_score", y_true, {**kwargs, "y_pred": y_pred})


def plot_posterior_predictive_glm(trace: Any, eval: Any = None, lm: Any = None, samples: int = 30, **kwargs: Any) -> None:
    """Lines of `samples` draws: intercept + slope * x, unless `lm(x, point)` says otherwise."""
    import matplotlib.pyplot as plt

    x = np.linspace(0, 1, 100) if eval is None else eval
    line = lm or (lambda x, point: point["Intercept"] + point["x"] * x)
    points = list(trace.points())
    style = {"lw": 0.2, "c": "k", **kwargs}
    for at in np.random.randint(0, len(points), samples):
        plt.plot(x, line(x, points[at]), **style)
        style.pop("label", None)
    plt.title("Posterior predictive")


def dic(trace: Any, model: Any = None) -> float:
    """The deviance information criterion (PyMC3 3.2, stats.py): twice the mean deviance, less the deviance at the mean."""
    model = pymc.modelcontext(model)
    function = model.fastlogp
    mean = -2 * np.mean([function(point) for point in trace.points()])
    free = [v.name for v in model.value_vars]
    return float(2 * mean - -2 * function({name: trace[name].mean(axis=0) for name in free}))

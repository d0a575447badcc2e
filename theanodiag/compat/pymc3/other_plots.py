"""Plots of ArviZ 0.11 to 0.23 that ArviZ 1 does not have, drawn with matplotlib; with an older ArviZ its own."""

import functools
from typing import Any, Callable, Dict, List, Optional

import numpy as np

from . import results
from .installed_arviz import function_named
from .trace import as_inference_data, group_of

STATISTICS_OF_DATA: Dict[str, Callable[..., Any]] = {"mean": np.mean, "median": np.median, "std": np.std}


def _axes(ax: Any, count: int = 1) -> List[Any]:
    """`count` axes: those that are given, else of a new figure."""
    import matplotlib.pyplot as plt

    if ax is not None:
        return list(np.ravel(np.asarray(ax, dtype=object)))[:count]
    return list(np.ravel(plt.subplots(1, count, squeeze=False)[1]))


def _several(axes: List[Any]) -> Any:
    return axes[0] if len(axes) == 1 else np.array(axes, dtype=object)


def _names(data: Any, observed: Any, wanted: Any) -> List[str]:
    names = [str(n) for n in observed.data_vars if n in data]
    chosen = [wanted] if isinstance(wanted, str) else wanted
    return names if chosen is None else [n for n in names if n in chosen]


def _group(idata: Any, name: str) -> Any:
    held = group_of(as_inference_data(idata), name)
    if held is None:
        raise TypeError("the data need a group {}".format(name))
    return held


def _flat(values: Any) -> np.ndarray:
    """Draws of all chains: (draws, ...)."""
    array = np.asarray(values)
    return array.reshape((-1, *array.shape[2:]))


def plot_ecdf(
    values: Any, values2: Any = None, cdf: Any = None, difference: bool = False, ax: Any = None, plot_kwargs: Any = None, **kwargs: Any
) -> Any:
    """Plots the empirical cumulative distribution of draws, that of `values2`, and the function `cdf` beside it. Returns the axes."""
    (axes,) = _axes(ax)
    flat = np.sort(np.ravel(np.asarray(values)))
    share = np.arange(1, len(flat) + 1) / len(flat)

    def other(x: Any) -> Any:
        ordered = np.sort(np.ravel(np.asarray(values2)))
        return np.searchsorted(ordered, x, side="right") / len(ordered)

    compared = other if values2 is not None else cdf
    axes.step(flat, share - compared(flat) if difference and compared is not None else share, where="post", **(plot_kwargs or {}))
    if compared is not None and not difference:
        axes.plot(flat, compared(flat), "--")
    return axes


def plot_dot(values: Any, nquantiles: int = 50, dotcolor: Any = "C0", ax: Any = None, **kwargs: Any) -> Any:
    """Plots quantiles of draws as dots, those close to each other one above the other. Returns the axes."""
    (axes,) = _axes(ax)
    flat = np.ravel(np.asarray(values))
    quantiles = np.quantile(flat, (np.arange(nquantiles) + 0.5) / nquantiles)
    width = max(float(np.ptp(quantiles)) / np.sqrt(nquantiles) / 2, np.finfo(float).tiny)
    column = np.floor((quantiles - quantiles[0]) / width)
    height = [int(np.sum(column[:at] == c)) for at, c in enumerate(column)]
    axes.plot(quantiles[0] + (column + 0.5) * width, height, "o", color=dotcolor)
    axes.set_yticks([])
    return axes


def plot_separation(idata: Any = None, y: Any = None, y_hat: Any = None, ax: Any = None, **kwargs: Any) -> Any:
    """Plots binary data as bars in the order of their predicted probability, and the number of events expected. Returns the axes."""
    (axes,) = _axes(ax)
    data = np.ravel(np.asarray(_group(idata, "observed_data")[y].values if isinstance(y, str) else y))
    hat = y if y_hat is None else y_hat
    predicted = _flat(_group(idata, "posterior_predictive")[hat].values) if isinstance(hat, str) else np.atleast_2d(np.asarray(hat))
    chance = predicted.reshape(len(predicted), -1).mean(axis=0)
    order = np.argsort(chance)
    at = np.arange(len(data))
    axes.bar(at, 1, width=1, color=["C1" if seen else "C0" for seen in data[order]])
    axes.plot(at, chance[order], "k")
    axes.plot(len(data) - chance.sum(), 0, "k^")
    return axes


def plot_ts(
    idata: Any, y: Any, x: Any = None, y_hat: Any = None, y_holdout: Any = None, y_forecasts: Any = None, x_holdout: Any = None,
    num_samples: int = 100, axes: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Plots a series, `num_samples` of its predictions, the values that were held back and their forecasts. Returns the axes."""
    (ax,) = _axes(axes)

    def data(which: Any) -> np.ndarray:
        if not isinstance(which, str):
            return np.asarray(which)
        groups = (group_of(as_inference_data(idata), g) for g in ("observed_data", "constant_data"))
        return np.asarray(next(g[which].values for g in groups if g is not None and which in g))

    def predictions(which: Any, group: str) -> np.ndarray:
        values = _flat(_group(idata, group)[which].values) if isinstance(which, str) else np.asarray(which)
        return values[np.linspace(0, len(values) - 1, min(num_samples, len(values))).astype(int)]

    series = data(y)
    at = np.arange(len(series)) if x is None else data(x)
    ax.plot(at, series, "C0")
    if y_hat is not None:
        ax.plot(at, predictions(y_hat, "posterior_predictive").T, "C1", alpha=0.1)
    if y_holdout is not None or y_forecasts is not None:
        later = predictions(y_forecasts, "predictions") if y_forecasts is not None else None
        length = len(data(y_holdout)) if later is None else later.shape[1]
        held = len(series) + np.arange(length) if x_holdout is None else data(x_holdout)
        if y_holdout is not None:
            ax.plot(held, data(y_holdout), "C2")
        if later is not None:
            ax.plot(held, later.T, "C3", alpha=0.1)
    return np.array([[ax]], dtype=object)


def plot_bpv(
    data: Any, kind: str = "u_value", t_stat: Any = "median", var_names: Any = None, data_pairs: Any = None, ax: Any = None,
    group: str = "posterior", **kwargs: Any,
) -> Any:  # fmt: skip
    """Plots Bayesian p-values of data. Returns the axes.

    Kind `u_value` has one for each observation, `p_value` one for each draw, `t_stat` that of a statistic of the data.
    """
    observed, predictive = _group(data, "observed_data"), _group(data, group + "_predictive")
    names = _names(data_pairs or predictive, observed, var_names)
    axes = _axes(ax, len(names))
    for name, each in zip(names, axes):
        seen = np.ravel(observed[name].values)
        drawn = _flat(predictive[(data_pairs or {}).get(name, name)].values).reshape(-1, len(seen))
        if kind == "t_stat":
            statistic = STATISTICS_OF_DATA.get(t_stat, t_stat) if isinstance(t_stat, str) else t_stat
            if isinstance(statistic, str):
                statistic = functools.partial(np.quantile, q=float(t_stat))
            values, at = np.array([statistic(row) for row in drawn]), statistic(seen)
            results.plot_kde(values, ax=each)
            each.axvline(at, color="C1")
            each.set_title("{} bpv={:.2f}".format(name, float(np.mean(values <= at))))
            continue
        if kind not in ("u_value", "p_value"):
            raise TypeError("plot_bpv takes the kinds p_value, u_value and t_stat, not {!r}".format(kind))
        results.plot_kde((drawn <= seen).mean(axis=0 if kind == "u_value" else 1), ax=each)
        each.axvline(0.5, color="k", ls="--") if kind == "p_value" else each.axhline(1, color="k", ls="--")
        each.set_title(name)
    return _several(axes)


def plot_elpd(compare_dict: Any, ax: Any = None, scale: Optional[str] = None, **kwargs: Any) -> Any:
    """Plots for each pair of models the differences of their expected densities by observation. Returns the axes."""
    each = {name: np.ravel(results.loo(trace, pointwise=True, scale=scale).loo_i) for name, trace in compare_dict.items()}
    names = list(each)
    pairs = [(a, b) for at, a in enumerate(names) for b in names[at + 1 :]]
    axes = _axes(ax, len(pairs))
    for (a, b), one in zip(pairs, axes):
        one.plot(each[a] - each[b], "+")
        one.set_title("{} - {}".format(a, b))
    return _several(axes)


def plot_dist_comparison(data: Any, kind: str = "latent", var_names: Any = None, ax: Any = None, **kwargs: Any) -> Any:
    """Plots the prior and posterior densities of each variable; with kind `observed`, the prior and posterior predictive densities. Returns
    the axes.
    """
    groups = {"latent": ("prior", "posterior"), "observed": ("prior_predictive", "posterior_predictive")}[kind]
    before, after = (_group(data, name) for name in groups)
    names = _names(before, after, var_names)
    axes = _axes(ax, len(names))
    for name, one in zip(names, axes):
        for held, label in zip((before, after), groups):
            results.plot_kde(held[name].values, label=label, ax=one)
        one.set_title(name)
    return _several(axes)


def _either(name: str, own: Callable[..., Any]) -> Callable[..., Any]:
    """The plot of the installed ArviZ if it has one, else `own`."""

    @functools.wraps(own)
    def drawn(*args: Any, **kwargs: Any) -> Any:
        plain = function_named(name)
        if plain is None:
            return own(*args, **kwargs)
        return plain(*map(as_inference_data, args), **{key: as_inference_data(value) for key, value in kwargs.items()})

    return drawn


PLOTS = {
    function.__name__: _either(function.__name__, function)
    for function in (plot_ecdf, plot_dot, plot_separation, plot_ts, plot_bpv, plot_elpd, plot_dist_comparison)
}  # type: Dict[str, Callable[..., Any]]
"""Name -> the plot."""

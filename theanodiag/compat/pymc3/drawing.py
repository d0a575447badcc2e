"""Plots of ArviZ 0.3 to 0.23 that ArviZ 1 has no counterpart for, or none that draws into axes that are given: drawn by matplotlib."""

from typing import Any, Optional

import numpy as np

from .results import hpd

mass = 0.94
"""Mass of an interval where none is given: ArviZ's of 0.3 to 0.23, or what the script sets as rcParams["stats.hdi_prob"]."""


def _axes(ax: Any) -> Any:
    import matplotlib.pyplot as plt

    return plt.gca() if ax is None else ax


def _curve(values: np.ndarray) -> Any:
    """Points of a kernel density estimate over the range of the values: (x, density)."""
    from scipy.stats import gaussian_kde

    values = values[np.isfinite(values)]
    x = np.linspace(values.min(), values.max(), 256)
    return x, gaussian_kde(values)(x) if np.ptp(values) > 0 else np.zeros_like(x)


def plot_kde(
    values: Any, values2: Any = None, *args: Any, rug: bool = False, label: Optional[str] = None, plot_kwargs: Any = None,
    fill_kwargs: Any = None, ax: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """The density of draws as a line, or of pairs of draws as points. Returns the axes."""
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


def kdeplot(trace: Any, ax: Any = None, **kwargs: Any) -> Any:
    """PyMC3's: the density of draws; of a matrix, that of each column. Returns the axes."""
    values = np.asarray(trace)
    for column in values.T if values.ndim == 2 else [values]:
        x, density = _curve(np.ravel(column))
        ax = _axes(ax)
        ax.plot(x, density, **kwargs)
    return ax


def plot_hdi(
    x: Any, y: Any = None, hdi_prob: Optional[float] = None, hdi_data: Any = None, color: Any = "C1", plot_kwargs: Any = None,
    fill_kwargs: Any = None, ax: Any = None, credible_interval: Optional[float] = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """The band of the intervals of highest density of `y`, (draws, points) or (chains, draws, points), over `x`. Returns the axes."""
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
    """The density, or with kind="hist" the histogram, of draws that are in no trace, with their mean and interval. Returns the axes."""
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

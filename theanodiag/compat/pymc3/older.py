"""Names of PyMC3 3.0 to 3.10 that 3.11 lacks: statistics of draws, and variational inference before `fit`."""

import functools
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

import numpy as np
import pymc

from . import distribution_families
from .trace import MultiTrace

StudentTpos: Any = vars(distribution_families)["HalfStudentT"]
"""The name of HalfStudentT up to PyMC3 3.3 (distributions/continuous.py)."""


def _of_each(function: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps a statistic of an array to accept a trace: {chain: {variable: value}}, or {variable: value} for one chain
    (`statfunc` of 3.7)."""

    @functools.wraps(function)
    def taken(draws: Any, *args: Any, **kwargs: Any) -> Any:
        if not isinstance(draws, MultiTrace):
            return function(np.asarray(draws), *args, **kwargs)
        options = {key: kwargs.pop(key) for key in ("burn", "thin") if key in kwargs}
        chains = kwargs.pop("chains", draws.chains)  # type: List[int]
        names = [str(getattr(v, "name", v)) for v in kwargs.pop("vars", draws.varnames)]
        combine, squeeze = kwargs.pop("combine", False), kwargs.pop("squeeze", True)
        arguments: Dict[Any, Any] = {}
        each = [chains] if combine else [[chain] for chain in chains]  # type: List[List[int]]
        for chosen in each:
            arrays = {name: draws.get_values(name, chains=chosen, **options) for name in names}
            arguments[chosen[0]] = {name: function(values, *args, **kwargs) for name, values in arrays.items()}
        return next(iter(arguments.values())) if squeeze and len(arguments) == 1 else arguments

    return taken


@_of_each
def quantiles(
    x: Any, qlist: Sequence[float] = (2.5, 25, 50, 75, 97.5), transform: Optional[Callable[[Any], Any]] = None
) -> Dict[float, Any]:
    """Returns a mapping: percentage -> the draw below which that percentage of all draws lies."""
    ordered = np.sort(x if transform is None else transform(x.copy()), axis=0)
    return {q: ordered[int(len(ordered) * q / 100.0)] for q in qlist}


@_of_each
def mc_error(x: Any, batches: int = 5) -> Any:
    """Returns the standard error of the mean, from the means of `batches` parts of the draws."""
    if batches == 1:
        return np.std(x, axis=0) / np.sqrt(len(x))
    length = len(x) // batches
    means = x[: batches * length].reshape((batches, length, *x.shape[1:])).mean(axis=1)
    return np.std(means, axis=0) / np.sqrt(batches)


@_of_each
def geweke(x: Any, first: float = 0.1, last: float = 0.5, intervals: int = 20) -> Any:
    """Returns rows (position, score): how far the mean of the draws after a position is from that of the last draws (Geweke 1992)."""
    if np.ndim(x) > 1:
        return [geweke(part, first, last, intervals) for part in np.transpose(x)]
    if not (0 < first < 1 and 0 < last < 1) or first + last >= 1:
        raise ValueError("Invalid intervals for Geweke convergence analysis", (first, last))
    end = len(x) - 1
    latest = (1 - last) * end
    rows = []
    for start in np.arange(0, int(latest), step=int(latest / (intervals - 1))):
        early, late = x[start : start + int(first * (end - start))], x[int(end - last * (end - start)) :]
        rows.append([start, (early.mean() - late.mean()) / np.sqrt(early.var() + late.var())])
    return np.array(rows)


def df_summary(
    trace: MultiTrace, varnames: Any = None, transform: Callable[[Any], Any] = lambda x: x, stat_funcs: Any = None, extend: bool = False,
    include_transformed: bool = False, alpha: float = 0.05, start: int = 0, batches: Optional[int] = None,
) -> Any:  # fmt: skip
    """Returns a table with one row for each scalar: mean, sd, mc_error, shortest interval of `1 - alpha`; n_eff and Rhat with several
    chains (3.4, stats.py).
    """
    import pandas

    from .old_arviz import statistic
    from .results import hpd

    if stat_funcs is not None:
        raise NotImplementedError("df_summary(stat_funcs=...): write summary(trace, stat_funcs=...), whose functions take arrays of draws")
    names = [n for n in trace.varnames if include_transformed or not n.endswith("_")] if varnames is None else [str(n) for n in varnames]
    labels = ["mean", "sd", "mc_error", "hpd_{:g}".format(100 * alpha / 2), "hpd_{:g}".format(100 * (1 - alpha / 2))]
    several = trace.nchains > 1
    rows = {}
    for name in names:
        draws = np.asarray(transform(trace.get_values(name, burn=start)))
        shape = draws.shape[1:]
        interval = hpd(draws, alpha)
        figures = [draws.mean(axis=0), draws.std(axis=0), mc_error(draws, min(100, len(draws)) if batches is None else batches),
                   *np.moveaxis(np.asarray(interval), -1, 0)]  # fmt: skip
        if several:
            figures += [np.asarray(statistic(each)(trace, var_names=[name])[name]) for each in ("ess", "rhat")]
        for index in np.ndindex(*shape):
            rows["__".join([name, "_".join(map(str, index))]) if index else name] = [float(np.asarray(f)[index]) for f in figures]
    return pandas.DataFrame.from_dict(rows, orient="index", columns=labels + ["n_eff", "Rhat"] * several)


class ADVIFit(NamedTuple):
    """Means and standard deviations of the sampled values by name, and the evidence lower bound at each step."""

    means: Dict[str, np.ndarray]
    stds: Dict[str, np.ndarray]
    elbo_vals: np.ndarray


class _Fit(ADVIFit):
    """An ADVIFit with its approximation, from which `sample_vp` draws."""

    approximation = None  # type: Any


def advi(
    vars: Any = None, start: Any = None, model: Any = None, n: int = 5000, accurate_elbo: bool = False, optimizer: Any = None,
    learning_rate: float = 0.001, epsilon: float = 0.1, mode: Any = None, tol_obj: float = 0.01, eval_elbo: int = 100,
    random_seed: Any = None, progressbar: bool = True,
) -> ADVIFit:  # fmt: skip
    """Variational inference with independent normal distributions; the default optimizer is Adagrad (3.4, variational/advi.py)."""
    from .samplers import fit

    if vars is not None:
        raise NotImplementedError("advi(vars=...): PyMC approximates all variables of a model")
    chosen = pymc.adagrad(learning_rate=learning_rate, epsilon=epsilon) if optimizer is None else optimizer
    options = {"obj_optimizer": chosen, "obj_n_mc": 100 if accurate_elbo else 1}
    approximation = fit(n, method="advi", model=model, start=start, random_seed=random_seed, progressbar=progressbar, **options)
    group = approximation.groups[0]
    means, stds = (dict(group.bij.rmap(each.eval())) for each in (group.mean, group.std))
    fitted = _Fit(means, stds, -np.asarray(approximation.hist))
    fitted.approximation = approximation
    return fitted


def sample_vp(
    vparams: Any, draws: int = 1000, model: Any = None, local_RVs: Any = None, random_seed: Any = None, include_transformed: bool = False,
    hide_transformed: bool = True, progressbar: bool = True,
) -> MultiTrace:  # fmt: skip
    """Draws from the approximation fitted by `advi`."""
    if getattr(vparams, "approximation", None) is None or local_RVs is not None:
        raise NotImplementedError("sample_vp takes the result of advi, without local variables")
    drawn: MultiTrace = vparams.approximation.sample(draws, include_transformed, random_seed=random_seed)
    return drawn

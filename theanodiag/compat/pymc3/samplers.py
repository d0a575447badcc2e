"""PyMC3's sampling and prediction functions, with its arguments and results, based on PyMC."""

import inspect
import sys
import warnings
from typing import Any, Dict, List, Optional, Union

import numpy as np
import pymc
from pymc.backends import NDArray
from pytensor.graph.replace import clone_replace
from pytensor.graph.traversal import ancestors

from ..notes import note
from . import results
from .drawing import own_predictions
from .models import seed_of
from .saved_traces import Text
from .trace import MultiTrace, Values, apart, as_inference_data, group_of, without_warnings
from .value_and_gradient import known_values, natural_derivative, points_for, sampled_keys

RENAMED = {"njobs": "cores", "nchains": "chains", "start": "initvals"}
"""Argument of `sample` in PyMC3 3.0 to 3.11 -> its name in PyMC."""
NO_COUNTERPART = ("live_plot", "live_plot_kwargs", "use_mmap", "pickle_backend", "chain_idx", "roundid")
"""Arguments that changed how sampling looked or ran, not what it drew."""
STEPS = ("nuts_kwargs", "step_kwargs", "nuts")
"""Dicts with arguments of the step methods; their entries are arguments of `sample` in PyMC."""


def sample(
    draws: int = 1000,
    step: Any = None,
    init: Optional[str] = "auto",
    n_init: int = 200000,
    start: Any = None,
    trace: Any = None,
    chain_idx: int = 0,
    chains: Optional[int] = None,
    cores: Optional[int] = None,
    tune: int = 1000,
    progressbar: bool = True,
    model: Any = None,
    random_seed: Any = None,
    discard_tuned_samples: bool = True,
    compute_convergence_checks: bool = True,
    callback: Any = None,
    jitter_max_retries: int = 10,
    *,
    return_inferencedata: Optional[bool] = None,
    **kwargs: Any,
) -> Any:
    """Draws from the posterior: a `MultiTrace`, or with return_inferencedata=True PyMC's own result with the group log_likelihood, which
    PyMC3 computed unless idata_kwargs={"log_likelihood": False}.

    Positional arguments are those of PyMC3 3.11 (sampling.py); the names of 3.0 to 3.10 (`njobs`, `nuts_kwargs`, ...) are accepted too.
    """
    model = pymc.modelcontext(model)
    if isinstance(step, SMC):
        return step.sample(draws, model=model, chains=chains, cores=cores, random_seed=random_seed, progressbar=progressbar)
    options = _options(kwargs)
    start = options.pop("initvals", None) if start is None else start
    cores, chains = options.pop("cores", cores), options.pop("chains", chains)
    backend = Text("mcmc") if trace == "text" else trace if isinstance(trace, Text) else None
    stored = backend.vars if backend is not None else None if isinstance(trace, NDArray) else trace
    if stored is not None:
        if not isinstance(stored, (list, tuple)):
            raise NotImplementedError("sample(trace=...) continues a trace or writes a database: PyMC has neither; leave it out")
        options["var_names"] = [str(getattr(v, "name", v)) for v in stored]
    if init is None or init == "nuts":
        init = "auto"
    if start is not None and isinstance(init, str):  # PyMC3 moves no start values that are given (3.11.5, sampling.py)
        init = {"auto": "adapt_diag", "jitter+adapt_diag": "adapt_diag", "jitter+adapt_full": "adapt_full"}.get(init, init)
    idata_kwargs = dict(options.pop("idata_kwargs", None) or {})
    idata_kwargs.pop("density_dist_obs", None)
    has_likelihood = idata_kwargs.pop("log_likelihood", True) and bool(model.observed_RVs)
    if not return_inferencedata and options.get("nuts_sampler", "pymc") == "pymc":
        idata_kwargs.setdefault("include_transformed", True)
        options["keep_warning_stat"] = True
    idata = pymc.sample(
        draws=draws, step=step, init=init, n_init=n_init, initvals=points_for(model, start), chains=chains, cores=cores, tune=tune,
        progressbar=progressbar, model=model, random_seed=seed_of(random_seed), discard_tuned_samples=discard_tuned_samples,
        compute_convergence_checks=compute_convergence_checks, callback=callback, jitter_max_retries=jitter_max_retries,
        idata_kwargs=idata_kwargs, **options,
    )  # fmt: skip
    if backend is not None:
        backend.written(MultiTrace(idata, model=model))
    if not return_inferencedata:
        idata, found = without_warnings(idata)
        return MultiTrace(apart(idata), model=model, by_chain=found)
    try:
        return results.with_log_likelihood(idata, model) if has_likelihood else idata
    except Exception as error:
        note("the result has no log_likelihood: {}: {}".format(type(error).__name__, error))
        return idata


def _options(kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """Converts PyMC3's other keyword arguments to PyMC's."""
    options = {}  # type: Dict[str, Any]
    for key, value in kwargs.items():
        if key in STEPS:
            options.update(value or {})
        elif key in NO_COUNTERPART:
            note("sample({}=...) has no effect on PyMC".format(key))
        elif value is not None or key not in RENAMED:
            options[RENAMED.get(key, key)] = value
    if "max_treedepth" in options:
        options.setdefault("nuts", {})["max_treedepth"] = options.pop("max_treedepth")
    return options


def ElemwiseCategorical(vars: Any, values: Any = None, model: Any = None) -> Any:
    """PyMC3's Gibbs sampler of categorical variables (step_methods/gibbs.py, 3.11.5), called CategoricalGibbsMetropolis in PyMC.

    `values` may only be 0 to k - 1, all values of the variables. Raises NotImplementedError for others.
    """
    step = pymc.CategoricalGibbsMetropolis(vars, model=model)
    if values is not None and any(sorted(values) != list(range(k)) for _, k in step.dimcats):
        raise NotImplementedError("ElemwiseCategorical(values=...): CategoricalGibbsMetropolis proposes all values of a variable")
    return step


def follow_step_methods() -> None:
    """Makes step methods accept expressions, which stand for the free variables they depend on (`inputvars`, PyMC3 3.11.5, theanof.py)."""
    plain = pymc.util.get_value_vars_from_user_vars
    if getattr(plain, "takes_expressions", False):
        return

    def of_expressions(vars: Any, model: Any) -> Any:
        """Returns the value variables of variables, and of the free variables on which expressions depend."""
        each = list(vars) if isinstance(vars, (list, tuple)) else [vars]
        return plain([rv for var in each for rv in _free_above(var, model)], model)

    of_expressions.takes_expressions = True  # type: ignore[attr-defined]
    for name, module in list(sys.modules.items()):
        if name.startswith("pymc.") and vars(module).get("get_value_vars_from_user_vars") is plain:
            setattr(module, "get_value_vars_from_user_vars", of_expressions)  # noqa: B010 - a module has no such attribute for mypy


def follow_scaling() -> None:
    """Makes the Hessian functions accept points with additional values, as `find_MAP` returns them, and with PyMC3's
    names of transforms."""
    scaling = pymc.tuning.scaling
    for name in ("find_hessian", "find_hessian_diag"):
        setattr(scaling, name, _at_sampled_values(getattr(scaling, name)))
        setattr(pymc, name, getattr(scaling, name))


def _at_sampled_values(plain: Any) -> Any:
    def hessian(point: Any, vars: Any = None, model: Any = None, **kwargs: Any) -> Any:
        """Returns the second derivatives of the log-density at a point."""
        model = pymc.modelcontext(model)
        derivative = {"find_hessian": "hessian", "find_hessian_diag": "hessian_diag"}[plain.__name__]
        compiled = natural_derivative(derivative, vars, model)
        if compiled is not None:
            return -compiled(points_for(model, known_values(point, model)), point)
        vars = [model.rvs_to_values.get(v, v) for v in vars] if vars and derivative == "hessian_diag" else vars
        return plain({value.name: point[key] for value, key in sampled_keys(point, model).items()}, vars, model, **kwargs)

    return hessian


def _free_above(var: Any, model: Any) -> List[Any]:
    """The free variables on which an expression depends; a variable of the model, or one unrelated to it, is returned by itself."""
    if var in model.rvs_to_values or var in model.values_to_rvs:
        return [var]
    above = set(ancestors([var])) if hasattr(var, "owner") else set()
    return [rv for rv in model.free_RVs if rv in above] or [var]


def sample_smc(draws: int = 2000, kernel: Any = "metropolis", *args: Any, **kwargs: Any) -> MultiTrace:
    """Draws with sequential Monte Carlo, as a `MultiTrace`."""
    names = ("n_steps", "start", "tune_steps", "p_acc_rate", "threshold", "save_sim_data", "save_log_pseudolikelihood", "model",
             "random_seed", "parallel", "chains", "cores")  # fmt: skip
    given = dict(zip(names, args), **kwargs)
    taken = set(inspect.signature(pymc.sample_smc).parameters)
    kernels = {"metropolis": "MH", "abc": "MH"}
    chosen = getattr(pymc.smc, kernels.get(str(kernel).lower(), "IMH")) if isinstance(kernel, str) else kernel
    seed = given.get("random_seed")
    options = {k: v for k, v in given.items() if v is not None and k in taken}
    options["random_seed"] = seed_of(None if isinstance(seed, int) and seed == -1 else seed)
    for key in sorted(set(given) - taken):
        note("sample_smc({}=...) has no effect on PyMC".format(key))
    model = pymc.modelcontext(given.get("model"))
    trace = MultiTrace(pymc.sample_smc(draws, kernel=chosen, **options), model=model)
    if hasattr(trace.report, "log_marginal_likelihood"):  # 3.8 and 3.9 (smc/smc.py)
        model.marginal_log_likelihood = float(np.mean(trace.report.log_marginal_likelihood))
    return trace


class SMC:
    """The step of PyMC3 3.4 to 3.7 that makes `sample` run sequential Monte Carlo; it holds the options of `sample_smc`."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def sample(self, draws: int, model: Any, **options: Any) -> MultiTrace:
        """Calls `sample_smc`, and sets the model's `marginal_likelihood` to the mean of the chains (3.6, step_methods/smc.py)."""
        trace = sample_smc(draws, **{**options, **self.options, "model": model})
        model.marginal_likelihood = float(np.mean(np.exp(trace.report.log_marginal_likelihood)))
        return trace


def sample_posterior_predictive(
    trace: Any,
    samples: Optional[int] = None,
    model: Any = None,
    var_names: Optional[List[str]] = None,
    size: Any = None,
    keep_size: bool = False,
    random_seed: Any = None,
    progressbar: bool = True,
    vars: Any = None,
) -> Dict[str, np.ndarray]:
    """Returns draws of observed variables for each draw of the posterior: name -> array of (samples, ...), or (chains, draws, ...) with
    keep_size.

    `size`, a number or a tuple, is how many draws each draw of the posterior gets: (samples, *size, ...).

    `samples` takes the first draws of the trace, starting again from its beginning if it is shorter, as in PyMC3 3.11 (sampling.py).
    """
    model = pymc.modelcontext(model)
    if keep_size and (samples is not None or size is not None):
        raise ValueError("keep_size needs each draw exactly once: leave out samples and size")
    names = list(var_names) if var_names is not None else [str(getattr(v, "name", v)) for v in vars] if vars is not None else None
    each = () if size is None else tuple(np.atleast_1d(size).tolist())
    posterior, shape = _posterior(trace, samples, model, int(np.prod(each)))
    own = own_predictions(model, names, posterior)
    if names is not None:
        names = [name for name in names if name not in own]
    drawn = {**(_predicted(posterior, model, names, seed_of(random_seed), progressbar) if names or names is None else {}), **own}
    lengths = shape if keep_size else (-1, *each)
    return {name: values.reshape((*lengths, *values.shape[2:])) for name, values in drawn.items()}


def _predicted(posterior: Any, model: Any, names: Optional[List[str]], seed: Any, progressbar: bool) -> Dict[str, np.ndarray]:
    predictions: Any = pymc.sample_posterior_predictive(
        posterior, model=model, var_names=names, random_seed=int(seed), progressbar=progressbar,
        return_inferencedata=False,
    )  # fmt: skip
    return {str(name): np.asarray(values) for name, values in predictions.items()}


def _posterior(trace: Any, samples: Optional[int], model: Any, times: int = 1) -> Any:
    """The draws on which predictions are based, each `times` in a row, as a Dataset of one chain, and (chains, draws) of the trace."""
    import xarray

    if isinstance(trace, (list, tuple)):  # points
        arrays = {name: np.stack([np.asarray(point[name]) for point in trace]) for name in trace[0]}
        shape = (1, len(trace))
    elif isinstance(trace, dict):
        arrays = {str(name): np.asarray(values) for name, values in trace.items()}
        shape = (1, len(next(iter(arrays.values()))))
    else:
        held = trace if isinstance(trace, MultiTrace) else MultiTrace(trace)
        arrays = {name: held.get_values(name) for name in held.varnames}
        shape = (held.nchains, len(held))
    count = shape[0] * shape[1]
    chosen: np.ndarray = np.repeat(np.arange(samples if samples is not None else count) % count, times)
    free = {rv.name for rv in model.free_RVs}  # what follows from them is computed anew: data may have been set since
    arrays = {n: v for n, v in arrays.items() if n in free}
    data = {n: (("chain", "draw", *("{}_dim_{}".format(n, i) for i in range(v.ndim - 1))), v[chosen][None]) for n, v in arrays.items()}
    return xarray.Dataset(data), shape


def sample_ppc(trace: Any, samples: Optional[int] = None, model: Any = None, vars: Any = None, size: Optional[int] = None,
               random_seed: Any = None, progressbar: bool = True) -> Dict[str, np.ndarray]:  # fmt: skip
    """Draws from the posterior predictive distribution: PyMC3's name of `sample_posterior_predictive` before 3.5."""
    return sample_posterior_predictive(trace, samples, model, None, size, False, random_seed, progressbar, vars)


def fast_sample_posterior_predictive(trace: Any, samples: Optional[int] = None, model: Any = None, var_names: Optional[List[str]] = None,
                                     keep_size: bool = False, random_seed: Any = None) -> Dict[str, np.ndarray]:  # fmt: skip
    """Same as `sample_posterior_predictive`, which is equally fast."""
    return sample_posterior_predictive(trace, samples, model, var_names, None, keep_size, random_seed)


def sample_posterior_predictive_w(
    traces: Any, samples: Optional[int] = None, models: Any = None, weights: Any = None, random_seed: Any = None, progressbar: bool = True
) -> Dict[str, np.ndarray]:  # fmt: skip
    """Returns predictions of several models in proportion to their weights, in any order: name -> array of (samples, ...).

    Variables of the same name are merged. The default number of samples is the number of draws in the shortest trace (sampling.py, 3.11).
    """
    held = [trace if isinstance(trace, MultiTrace) else MultiTrace(trace) for trace in traces]
    each = [pymc.modelcontext(None)] * len(held) if models is None else list(models)
    shares = np.ones(len(held)) if weights is None else np.asarray(weights, dtype=float)
    if not len(held) == len(each) == len(shares):
        raise ValueError("The number of traces, of models and of weights should be the same")
    rng = np.random.default_rng(seed_of(random_seed))
    lengths = [len(trace) * trace.nchains for trace in held]
    draws = {}  # type: Dict[str, List[np.ndarray]]
    for trace, model, length, count in zip(held, each, lengths, rng.multinomial(samples or min(lengths), shares / shares.sum())):
        if count:
            at = rng.integers(0, length, count)
            points = {name: trace.get_values(name)[at] for name in trace.varnames}
            drawn = sample_posterior_predictive(points, model=model, random_seed=int(rng.integers(2**31)), progressbar=progressbar)
            for name, values in drawn.items():
                draws.setdefault(name, []).append(values)
    return {name: rng.permutation(np.concatenate(values)) for name, values in draws.items()}


def sample_prior_predictive(samples: int = 500, model: Any = None, var_names: Any = None, random_seed: Any = None) -> Dict[str, np.ndarray]:
    """Returns draws of all variables from the prior: name -> array of (samples, ...)."""
    model = pymc.modelcontext(model)
    names = None if var_names is None else [n for n in var_names if not n.endswith("__")]
    if vars(model).get("bounded"):
        return _prior_within_bounds(model, samples, names, seed_of(random_seed))
    idata = pymc.sample_prior_predictive(samples, model=model, var_names=names, random_seed=seed_of(random_seed))
    out = {}
    for group in ("prior", "prior_predictive"):
        held = group_of(idata, group)
        for name in held.data_vars if held is not None else ():
            values = np.asarray(held[name].values)
            out[str(name)] = values.reshape((-1, *values.shape[2:]))
    return out


def _prior_within_bounds(model: Any, samples: int, names: Optional[List[str]], seed: Any) -> Dict[str, np.ndarray]:
    """Draws from the prior of a model with variables of `Bound`, which PyMC3 draws until they are within the bounds (3.11.5, bound.py,
    `_Bounded._random`): each element by itself, as `pymc.Truncated` does."""
    replaced: Dict[Any, Any] = {}
    for rv in model.basic_RVs:
        if rv.name in model.__dict__["bounded"]:
            lower, upper, whole = model.__dict__["bounded"][rv.name]
            if not hasattr(whole, "owner"):
                raise NotImplementedError("draws from the prior of {}: its distribution is a class of the script".format(rv.name))
            within = pymc.Truncated.dist(whole, lower=lower, upper=upper, shape=tuple(rv.shape.eval()))
            replaced[rv] = clone_replace([within], replaced, rebuild_strict=False)[0]
    wanted = [v for v in [*model.basic_RVs, *model.deterministics] if names is None or v.name in names]
    drawn = pymc.draw(clone_replace(wanted, replaced, rebuild_strict=False), draws=samples, random_seed=seed)
    return {str(v.name): np.asarray(values) for v, values in zip(wanted, drawn)}


def find_MAP(
    start: Any = None, vars: Any = None, method: str = "L-BFGS-B", return_raw: bool = False, include_transformed: bool = True,
    progressbar: bool = True, maxeval: int = 5000, model: Any = None, *args: Any, **kwargs: Any,
) -> Any:  # fmt: skip
    """Returns the point of highest density: name -> value, including transformed variables."""
    model = pymc.modelcontext(model)
    fmin = kwargs.pop("fmin", None)
    method = {"fmin_bfgs": "BFGS", "fmin_powell": "Powell", "fmin": "Nelder-Mead", "fmin_l_bfgs_b": "L-BFGS-B", "fmin_cg": "CG",
              "fmin_ncg": "Newton-CG"}.get(getattr(fmin, "__name__", ""), method)  # fmt: skip
    options = {"method": method, "progressbar": progressbar, "model": model, **kwargs}
    for name, value in (("start", points_for(model, start)), ("initvals", points_for(model, start)), ("vars", vars), ("maxeval", maxeval),
                        ("return_raw", return_raw), ("include_transformed", include_transformed)):  # fmt: skip
        if name in inspect.signature(pymc.find_MAP).parameters and value is not None:
            options[name] = value
    if return_raw and "return_raw" not in options:
        raise NotImplementedError("find_MAP(return_raw=True): this PyMC does not return the optimiser's result")
    if options.get("start") is not None and "initvals" in options:
        del options["start"]
    for name in {"jitter", "return_inferencedata"} & set(inspect.signature(pymc.find_MAP).parameters):
        options.setdefault(name, False)  # as PyMC3 had it
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "`find_MAP` will", FutureWarning)  # PyMC 6.4, on what a later one does by default
        point = pymc.find_MAP(**options)
    if not isinstance(point, dict):
        return point
    return Values({name: value for name, value in point.items() if include_transformed or not name.endswith("__")})


def fit(n: int = 10000, local_rv: Any = None, method: Any = "advi", model: Any = None, random_seed: Any = None, start: Any = None,
        inf_kwargs: Any = None, **kwargs: Any) -> Any:  # fmt: skip
    """Fits an approximation by variational inference; returns it. Raises NotImplementedError for `local_rv`, which PyMC does not have."""
    if local_rv is not None:
        raise NotImplementedError("fit(local_rv=...): PyMC has no local variables in variational inference")
    model = pymc.modelcontext(model)
    start, seed = points_for(model, start), seed_of(random_seed)
    return pymc.fit(n, method=method, model=model, random_seed=seed, start=start, inf_kwargs=inf_kwargs, **kwargs)


def trace_cov(trace: Any, vars: Any = None, model: Any = None) -> np.ndarray:
    """Returns the covariance matrix of the flattened draws of the variables (PyMC3 3.11.5, tuning/starting and scaling)."""
    names = [str(getattr(v, "name", v)) for v in vars] if vars is not None else [v for v in trace.varnames]
    flat: List[Any] = [np.reshape(trace[name], (len(trace[name]), -1)) for name in names]
    covariance: np.ndarray = np.cov(np.hstack(flat).T)
    return covariance


Names = Union[str, List[str]]

"""ArviZ's functions with the names, arguments, inputs and defaults that scripts of PyMC3 use, based on the installed ArviZ.

ArviZ 1 removed names (`plot_kde`, `plot_hdi`, `waic`), arguments (`hdi_prob`, `figsize`, `ax`) and the default of a 94 % highest-density
interval. `pm.traceplot` of PyMC3 and `arviz.plot_trace` are the same function here.
"""

from types import ModuleType
from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy as np
import pymc

from ..libraries.old_libraries import after_import
from ..notes import note
from . import other_plots, results, slashes
from .installed_arviz import PLAIN, REPLACED, arviz, as_many_panels, by_rows, function_named, is_one, readable, taken
from .summary_columns import draws_by_row, with_older_columns
from .trace import MultiTrace, as_inference_data, group_of

PLOTS = {
    "plot_trace": ("plot_trace_dist", "plot_trace"), "plot_forest": ("plot_forest",), "plot_posterior": ("plot_posterior", "plot_dist"),
    "plot_autocorr": ("plot_autocorr",), "plot_energy": ("plot_energy",), "plot_density": ("plot_density", "plot_dist"),
    "plot_pair": ("plot_pair",), "plot_joint": ("plot_pair",), "plot_compare": ("plot_compare",), "plot_ppc": ("plot_ppc", "plot_ppc_dist"),
    "plot_rank": ("plot_rank",), "plot_ess": ("plot_ess",), "plot_mcse": ("plot_mcse",), "plot_khat": ("plot_khat",),
    "plot_violin": ("plot_violin", "plot_forest"), "plot_parallel": ("plot_parallel",), "plot_loo_pit": ("plot_loo_pit",),
    "plot_dist": ("plot_dist",),
}  # fmt: skip
"""Plot of ArviZ 0.3 to 0.23 -> functions that draw it; the first existing one is used."""
OLDER = {
    "traceplot": "plot_trace", "forestplot": "plot_forest", "autocorrplot": "plot_autocorr", "energyplot": "plot_energy",
    "densityplot": "plot_density", "pairplot": "plot_pair", "compareplot": "plot_compare", "effective_n": "ess", "gelman_rubin": "rhat",
}  # fmt: skip
"""Name of PyMC3 3.0 to 3.8 -> its name in PyMC3 3.9 and in ArviZ."""
SETTINGS = {
    "stats.credible_interval": ("stats.hdi_prob", "stats.ci_prob"), "stats.hdi_prob": ("stats.ci_prob",),
    "stats.information_criterion": (), "stats.ic_scale": (), "stats.ic_pointwise": (), "stats.waic.pointwise": (),
    "stats.loo.pointwise": (), "plot.matplotlib.show": (), "plot.matplotlib.constrained_layout": (), "plot.point_estimate": (),
    "data.http_protocol": (), "data.load": (), "data.metagroups": (), "data.log_likelihood": (), "plot.bokeh.show": (),
}  # fmt: skip
"""Setting of ArviZ 0.3 to 0.23 that other releases lack -> its later names."""
OF_THE_PPC = {
    "num_pp_samples": "num_samples",
    "cumulative": "ecdf",
    "scatter": "dot",
    "posterior": "posterior_predictive",
    "prior": "prior_predictive",
}
"""Arguments of `plot_ppc` and their values -> those of ArviZ 1."""
SAMPLE_GROUPS = (
    "posterior", "posterior_predictive", "predictions", "sample_stats", "log_likelihood", "prior", "prior_predictive", "sample_stats_prior",
    "warmup_posterior", "warmup_sample_stats",
)  # fmt: skip
DATA_GROUPS = ("observed_data", "constant_data", "predictions_constant_data")
STATISTICS = ("ess", "rhat", "mcse", "bfmi")


def _several(data: Any, given: Dict[str, Any]) -> Any:
    """For a list of traces, a dict name -> trace, which ArviZ 1 needs for comparison; a single trace is converted as by `readable`."""
    labels = given.pop("model_names", None) or given.pop("data_labels", None)
    if isinstance(data, (list, tuple)) and is_one():
        names = labels or ["Model {}".format(number) for number in range(len(data))]
        return {str(name): readable(each) for name, each in zip(names, data)}
    if labels is not None:
        given["model_names"] = labels
    return [readable(each) for each in data] if isinstance(data, (list, tuple)) else readable(data)


class _OneAxes:
    """A mixin for the axes of a figure with a single plot: they can also be indexed like an array, as some releases of ArviZ returned them.

    There is no `__len__`, because NumPy would then treat them as a sequence.
    """

    def __getitem__(self, key: Any) -> Any:
        held: Any = np.empty((1, 1) if isinstance(key, tuple) and len(key) == 2 else 1, dtype=object)
        held.flat[0] = self
        return held[key]

    def __iter__(self) -> Iterator[Any]:
        yield self


class _OneForest(_OneAxes):
    """The axes of a forest plot, which unpack as `figure, axes = plot_forest(...)`, as older releases of ArviZ returned them."""

    def __iter__(self) -> Iterator[Any]:
        yield self.figure  # type: ignore[attr-defined]
        yield self


class _Forest(np.ndarray):  # type: ignore[type-arg]
    """The axes of a forest plot with further panels, which unpack as figure and axes."""

    def __iter__(self) -> Iterator[Any]:
        yield self.flat[0].figure
        yield np.asarray(self)


def _drawn(name: str, result: Any) -> Any:
    """The axes of a plot by ArviZ in the former arrangement: rows of two for traces; a single one can also be indexed like an array."""
    figure = getattr(getattr(result, "viz", None), "ds", {}).get("figure") if hasattr(result, "viz") else None
    if figure is not None:
        axes = np.array(figure.item().axes, dtype=object)
        if name == "plot_energy":  # the first ones are for the BFMI, which had no axes
            axes = axes[-1:]
        if name == "plot_pair":
            axes = by_rows(axes)
        if name == "plot_trace" and len(axes) % 2 == 0:
            return axes.reshape(-1, 2)
        if name == "plot_forest" and len(axes) > 1:  # the first ones have the labels, which were those of the ticks
            axes = np.roll(axes, -1)
            heights = result.aes["y"].to_dataset()
            heights = heights.mean([dim for dim in ("chain", "model") if dim in heights.dims])
            rows = np.unique(np.concatenate([np.ravel(heights[name].values) for name in heights.data_vars]))
            axes[0].set_yticks(rows, [""] * len(rows))
            axes[0].tick_params(axis="y", labelleft=True)
        result = axes
    if isinstance(result, np.ndarray) and result.size > 1:
        return result.view(_Forest) if name == "plot_forest" else result
    one = result.flat[0] if isinstance(result, np.ndarray) and result.size else result
    kind = _OneForest if name == "plot_forest" else _OneAxes
    if hasattr(one, "figure") and not isinstance(one, _OneAxes):
        one.__class__ = type(type(one).__name__, (kind, type(one)), {})
    return one


def plot(name: str) -> Callable[..., Any]:
    """Returns the plot `name` of ArviZ 0.3 to 0.23. It raises NotImplementedError if the installed ArviZ cannot draw it."""

    def drawn(data: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Draws with ArviZ, or with matplotlib if the data is not a trace."""
        function = next((f for f in map(function_named, PLOTS[name]) if f is not None), None)
        if function is None:
            raise NotImplementedError("{}: the ArviZ that is installed has no {}".format(name, " or ".join(PLOTS[name])))
        data = _first(data, kwargs)
        if args:
            kwargs.setdefault("var_names", args[0])
        if name in ("plot_posterior", "plot_dist", "plot_density") and is_one() and _are_draws(data):
            return results.plot_draws(data, **kwargs)
        if name == "plot_compare":
            return _drawn(name, function(results.compared_by_arviz(data), **taken(function, kwargs, name)))
        if name == "plot_ppc" and is_one():
            kwargs = {OF_THE_PPC.get(k, k): OF_THE_PPC.get(v, v) if k in ("kind", "group") else v for k, v in kwargs.items()}
        if name == "plot_loo_pit" and is_one() and isinstance(kwargs.get("y"), str):
            kwargs["var_names"] = kwargs.pop("y")
        with as_many_panels():
            return _drawn(name, function(_several(data, kwargs), **taken(function, kwargs, name)))

    drawn.__name__ = name
    return drawn


def _first(data: Any, given: Dict[str, Any]) -> Any:
    """The first argument, which is taken out of those that are given by name: `trace=` of PyMC3, `idata=` or `mtrace=`."""
    for key in ("trace", "mtrace", "idata", "comp_df"):
        data = given.pop(key, None) if data is None else data
    return data


def _are_draws(data: Any) -> bool:
    """Whether the data are draws of one variable instead of a trace."""
    return isinstance(data, np.ndarray) or type(data).__name__ in ("DataArray", "Series")


def statistic(name: str) -> Callable[..., Any]:
    """Returns the function `name` of ArviZ's statistics, which also accepts PyMC3's traces and arguments."""

    def computed(data: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Computes with ArviZ."""
        data = _first(data, kwargs)
        function = function_named(name)
        assert function is not None, name
        if args and (isinstance(args[0], (list, tuple)) or kwargs.get("var_names") is None and name != "mcse" and args[0] is not None):
            kwargs.setdefault("var_names", args[0])
        found = function(readable(data), **taken(function, kwargs, name))
        if type(found).__name__ != "DataTree":
            return found
        return (found["posterior"] if "posterior" in found.children else found).to_dataset()

    computed.__name__ = name
    return computed


def summary(
    data: Any = None, var_names: Any = None, *, stat_funcs: Any = None, extend: bool = True, round_to: Any = None, **kwargs: Any,
) -> Any:  # fmt: skip
    """Returns a table with one row for each scalar: mean, sd, highest-density interval (default 94 %) and diagnostics, rounded to three
    digits.

    `stat_funcs`, a dict or list of functions of all draws, gives additional columns, or the only ones if `extend` is False.
    """
    data = _first(data, kwargs)
    if not is_one():
        function = function_named("summary")
        assert function is not None
        options = {"var_names": var_names, "stat_funcs": stat_funcs, "extend": extend, "round_to": round_to, **kwargs}
        held = readable(data)
        table = function(held, **taken(function, {k: v for k, v in options.items() if v is not None}, "summary"))
        return with_older_columns(table, held, options)
    names = kwargs.pop("varnames", None) or var_names
    mass = kwargs.pop("hdi_prob", None) or kwargs.pop("credible_interval", None) or results.mass
    alpha = kwargs.pop("alpha", None)  # PyMC3 before 3.9
    mass = mass if alpha is None else 1 - alpha
    function, held = function_named("summary"), readable(data)
    assert function is not None
    options = taken(function, {**kwargs, "var_names": names}, "summary")
    table = function(held, **{**options, "ci_prob": mass, "ci_kind": "hdi", "round_to": "none"})
    half = (1 - mass) / 2
    bounds = {"lb": "hdi_{:g}%".format(100 * half), "ub": "hdi_{:g}%".format(100 * (1 - half))}
    table = table.rename(columns={c: bounds[c[-2:]] for c in table.columns if c.startswith("hdi") and c[-3:] in ("_lb", "_ub")})
    if stat_funcs is not None:
        by_name = stat_funcs if isinstance(stat_funcs, dict) else {f.__name__: f for f in stat_funcs}
        arrays = draws_by_row(held, table.index, options)
        own = {column: [f(values) for values in arrays] for column, f in by_name.items()}
        table = table.assign(**own) if extend else type(table)(own, index=table.index)
    table = table if round_to == "none" else table.round(3 if round_to is None else round_to)
    return with_older_columns(table, held, options)


def from_pymc3(
    trace: Any = None, *, prior: Any = None, posterior_predictive: Any = None, log_likelihood: Any = None, coords: Any = None,
    dims: Any = None, model: Any = None, save_warmup: Any = None, density_dist_obs: bool = True,
) -> Any:  # fmt: skip
    """Converts a trace and draws by name for ArviZ: groups posterior, sample_stats, log_likelihood, prior, posterior_predictive.

    The log-likelihood is computed unless `log_likelihood` is False, as ArviZ did if it knew the model. Draws of the prior are in the group
    prior_predictive for data, and in prior for all else.
    """
    groups: Dict[str, Any] = {}
    chains, draws = 1, -1
    model = getattr(trace, "model", None) if model is None else model
    model = _surrounding_model() if model is None else model
    if trace is not None:
        held = trace if isinstance(trace, MultiTrace) else MultiTrace(trace)
        chains, draws = held.nchains, len(held)
        groups["posterior"] = {n: np.stack(held.get_values(n, combine=False, squeeze=False)) for n in held.varnames if n[-2:] != "__"}
        if log_likelihood is not False and model is not None and model.observed_RVs:
            held = MultiTrace(results.with_log_likelihood(held, model))
        for group in ("sample_stats", "log_likelihood", "observed_data"):
            variables = group_of(held.idata, group)
            if variables is not None:
                groups[group] = {str(name): np.asarray(variables[name].values) for name in variables.data_vars}
    data = {} if model is None else _observations(model)
    if data and "observed_data" not in groups:
        groups["observed_data"] = data
    for group, seen in (("prior", False), ("prior_predictive", True)):
        arrays = {name: np.asarray(values)[None] for name, values in (prior or {}).items() if (name in data) == seen}
        if arrays:
            groups[group] = arrays
    if posterior_predictive is not None:
        arrays = {name: np.asarray(values) for name, values in posterior_predictive.items()}
        groups["posterior_predictive"] = {
            n: v.reshape((chains, draws, *v.shape[1:])) if len(v) == chains * draws else v[None] for n, v in arrays.items()
        }
    options = {"coords": coords, "dims": dims}
    return arviz().from_dict(groups, **options) if is_one() else arviz().from_dict(**groups, **options)


def _surrounding_model() -> Any:
    """The model of the `with` block; None outside of one."""
    try:
        return pymc.modelcontext(None)
    except TypeError:
        return None


def _observations(model: Any) -> Dict[str, Any]:
    """The data of each observed variable of a model."""
    values = {str(v.name): model.rvs_to_values[v] for v in model.observed_RVs}
    found = {name: v.get_value() if hasattr(v, "get_value") else getattr(v, "data", None) for name, v in values.items()}
    return {name: np.asarray(data) for name, data in found.items() if data is not None}


def from_pymc3_predictions(
    predictions: Any, posterior_trace: Any = None, model: Any = None, coords: Any = None, dims: Any = None, idata_orig: Any = None,
    inplace: bool = False,
) -> Any:  # fmt: skip
    """Converts predictions for new data, (draws of all chains, ...), to the group `predictions`: alone, beside the posterior of a trace, or
    in (a copy of) `idata_orig`."""
    arrays = {name: np.asarray(values)[None] for name, values in predictions.items()}
    made = arviz().from_dict(predictions=arrays, coords=coords, dims=dims)
    if idata_orig is None and posterior_trace is None:
        return made
    target = from_pymc3(posterior_trace, model=model, log_likelihood=False) if idata_orig is None else idata_orig
    target = target if inplace or idata_orig is None else target.copy()
    target.extend(made)
    return target


def from_dict(posterior: Any = None, **kwargs: Any) -> Any:
    """Makes groups of arrays by name: `from_dict(posterior={...}, observed_data={...})`. Draws are (chain, draw, ...), or (draw,)."""
    if posterior is not None and any(isinstance(values, dict) for values in posterior.values()):
        return PLAIN["from_dict"](posterior, **kwargs)
    groups: Dict[str, Any] = {}
    for name in (*SAMPLE_GROUPS, *DATA_GROUPS):
        arrays = posterior if name == "posterior" else kwargs.pop(name, None)
        if arrays is not None:
            values = {key: np.asarray(value) for key, value in arrays.items()}
            groups[name] = {k: v[None] if v.ndim == 1 and name in SAMPLE_GROUPS else v for k, v in values.items()}
    return PLAIN["from_dict"](groups, **taken(PLAIN["from_dict"], kwargs, "from_dict"))


def extract_dataset(data: Any, group: str = "posterior", *, rng: Any = None, **kwargs: Any) -> Any:
    """Returns a Dataset of a group, with chains and draws combined; `num_samples` draws are chosen at random."""
    seed = {} if rng is None or isinstance(rng, bool) else {"random_seed": rng}
    return arviz().extract(readable(data), group, keep_dataset=True, **seed, **kwargs)


def concat(*args: Any, dim: Optional[str] = None, copy: bool = True, inplace: bool = False, reset_dim: bool = True) -> Any:
    """Unites the groups of several results, or appends their chains or draws (`dim`). With `inplace`, the first one is changed."""
    import xarray

    traces = [as_inference_data(each) for each in (args[0] if len(args) == 1 and isinstance(args[0], (list, tuple)) else args)]
    target = traces[0] if inplace else traces[0].copy()
    for other in traces[1:] if dim is None else ():
        twice = sorted(set(target.children) & set(other.children))
        if twice:
            raise TypeError("concat: the groups {} are in several results: name dim, or write extend".format(", ".join(twice)))
        target.extend(other)
    for group in list(target.children) if dim is not None else ():
        if dim in target[group].sizes:
            joined: Any = xarray.concat([each[group].to_dataset() for each in traces], dim)
            target[group] = xarray.DataTree(joined.assign_coords({dim: np.arange(joined.sizes[dim])}) if reset_dim else joined)
    return None if inplace else target


def convert_to_inference_data(obj: Any, *, group: str = "posterior", **kwargs: Any) -> Any:
    """Converts a trace, arrays by name, or what ArviZ reads itself."""
    if isinstance(obj, MultiTrace):
        return from_pymc3(obj, **kwargs)
    if isinstance(obj, dict):
        return from_dict(**{group: obj}, **kwargs)
    return arviz().convert_to_datatree(obj, **({} if group == "posterior" else {"group": group}), **kwargs)


class _IsTree(type):
    """Objects of `InferenceData` are ArviZ 1's DataTrees."""

    def __instancecheck__(cls, value: Any) -> bool:
        return type(value).__name__ == "DataTree"


class InferenceData(metaclass=_IsTree):
    """ArviZ 0.3 to 0.23's class of results: makes a DataTree of Datasets by group."""

    def __new__(cls, **groups: Any) -> Any:
        """The tree of the groups."""
        import xarray

        return xarray.DataTree.from_dict(groups)

    @staticmethod
    def from_netcdf(filename: Any, **kwargs: Any) -> Any:
        """Reads a file."""
        return arviz().from_netcdf(filename, **kwargs)


def _extend(self: Any, other: Any, join: str = "left") -> None:
    """Adds the groups of another result; of those in both, keeps its own (`join="left"`) or takes the other's ("right")."""
    for name, child in as_inference_data(other).children.items():
        if join == "right" or name not in self.children:
            self[name] = child.copy()


def _add_groups(self: Any, group_dict: Any = None, coords: Any = None, dims: Any = None, **kwargs: Any) -> None:
    """Adds groups: Datasets, or arrays by name."""
    for name, held in {**(group_dict or {}), **kwargs}.items():
        made = from_dict(**{name: held}, coords=coords, dims=dims)[name] if isinstance(held, dict) else type(self)(held)
        self[name] = made


def _use(use: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps `style.use` so that it continues if a style of an older ArviZ no longer exists."""

    def used(name: Any, *args: Any, **kwargs: Any) -> None:
        """Sets the style, or prints that it no longer exists."""
        for each in [name] if isinstance(name, str) else name:
            try:
                use(each, *args, **kwargs)
            except (ValueError, OSError):
                if not str(each).startswith("arviz-"):
                    raise
                note("style.use({!r}) has no effect: the ArviZ that is installed has no such style".format(each))

    return used


def _follow_settings(kind: Any) -> None:
    """Accepts the names of settings of older releases, and prints a message if a setting no longer exists."""
    plain = kind.__setitem__

    def set_item(self: Any, key: str, value: Any) -> None:
        """Sets a setting by its old or new name."""
        if key in ("stats.hdi_prob", "stats.credible_interval"):
            results.mass = value
        name = next((n for n in (key, *SETTINGS.get(key, ())) if n in self), None)
        if name is None and key in SETTINGS:
            note("rcParams[{!r}] has no effect: the ArviZ that is installed has no such setting".format(key))
        else:
            plain(self, name or key, value)

    kind.__setitem__ = set_item


def _dataset_methods(module: ModuleType) -> None:
    """Adds InferenceData's methods to DataTree, and those of a Dataset, for `idata.posterior.rename_dims(...)` and
    `idata.posterior[["a", "b"]]`: in ArviZ 1 a group is a DataTree, which lacks a third of them."""
    slashes.follow(module)
    kind, dataset = module.DataTree, module.Dataset
    plain, plain_item = kind.__getattr__, kind.__getitem__

    def attribute(self: Any, name: str) -> Any:
        """Returns a variable, a child or an attribute of the group; if there is none, the method of the Dataset."""
        try:
            return plain(self, name)
        except AttributeError:
            if name.startswith("_") or not callable(getattr(dataset, name, None)):
                raise
            return getattr(self.to_dataset(), name)

    def item(self: Any, key: Any) -> Any:
        """Returns a variable or a child; with a list of names a Dataset of them."""
        return self.to_dataset()[key] if isinstance(key, list) else plain_item(self, key)

    kind.__getattr__, kind.__getitem__ = attribute, item
    kind.extend, kind.add_groups = _extend, _add_groups


def adapt(module: ModuleType) -> None:
    """Adapts ArviZ: adds the names, arguments and inputs of ArviZ 0.3 to 0.23."""
    if PLAIN:
        return
    drawn = {name: plot(name) for name in PLOTS}
    computed = {name: statistic(name) for name in STATISTICS}
    others: Dict[str, Callable[..., Any]] = {
        "summary": summary, "hdi": results.hdi, "hpd": results.hdi, "loo": results.loo, "waic": results.waic, "compare": results.compare,
        "from_pymc3": from_pymc3, "from_pymc3_predictions": from_pymc3_predictions, "r2_score": results.r2_score,
        "r2_samples": results.r2_samples, "gelman_rubin": statistic("rhat"),
        **{name: statistic("ess") for name in ("effective_n", "effective_sample_size")},
    }  # fmt: skip
    if hasattr(module, "extract"):  # from ArviZ 0.13 on; its own extract_dataset, as long as it had one, gave an array for one variable
        others.update(extract_dataset=extract_dataset)
    if is_one():
        others.update(
            from_dict=from_dict, concat=concat, convert_to_inference_data=convert_to_inference_data,
            InferenceData=InferenceData, to_netcdf=lambda data, filename, **kwargs: readable(data).to_netcdf(filename, **kwargs),
        )  # fmt: skip
    own: Dict[str, Callable[..., Any]] = {
        "plot_kde": results.plot_kde,
        "plot_hdi": results.plot_hdi,
        "plot_hpd": results.plot_hdi,
        **other_plots.PLOTS,
    }
    replaced: Dict[str, Callable[..., Any]] = {**drawn, **computed, **others, **{n: f for n, f in own.items() if not hasattr(module, n)}}
    PLAIN.update({name: getattr(module, name) for name in replaced if hasattr(module, name)})
    REPLACED.extend(replaced)
    for name, function in replaced.items():
        setattr(module, name, function)
    module.style.use = _use(module.style.use)
    _follow_settings(type(module.rcParams))
    if is_one():
        after_import("xarray", _dataset_methods)


def follow() -> None:
    """Adapts the installed ArviZ to older calls: immediately if it is already imported, otherwise after its import."""
    after_import("arviz", adapt)


def names() -> Dict[str, Callable[..., Any]]:
    """Returns PyMC3's plots and statistics by name, including the names of 3.0 to 3.8."""
    plots: Dict[str, Callable[..., Any]] = {name: plot(name) for name in PLOTS}
    plots.update({name: statistic(name) for name in STATISTICS}, summary=summary, plot_kde=results.plot_kde, kdeplot=results.kdeplot)
    plots.update(other_plots.PLOTS, hdi=results.hdi, plot_hdi=results.plot_hdi, plot_hpd=results.plot_hdi)
    plots.update({old: plots[new] for old, new in OLDER.items()})
    return plots

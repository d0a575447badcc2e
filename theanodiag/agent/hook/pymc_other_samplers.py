"""Other ways to sample a PyMC model than `pymc.sample`: each is intercepted and simulated, or reported as not simulated.

Source: nutpie 0.16.11, compile_pymc.py and sample.py; PyMC 6.4.0 and 5.28.5, pymc/sampling/jax.py `sample_jax_nuts` (`sample_numpyro_nuts`
and `sample_blackjax_nuts` are partial applications of it, created at import); pymc-extras 0.15.1, pymc_extras/inference.
"""

import functools
import inspect
import os
import sys

from . import pymc_external, pymc_results
from .pymc_results import groups, row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .pymc_sampling import PymcSampling


DRAWS, TUNE, CHAINS = 1000, 400, 6
"""Default draws, tuning draws and chains of nutpie, if they cannot be read from its settings (nutpie 0.16.11, `PyNutsSettings.as_dict`)."""
OUTER = ("store_unconstrained", "store_gradient", "store_mass_matrix")
"""Options of `nutpie.sample` that store more for each draw."""
JAX = ("sample_jax_nuts", "sample_numpyro_nuts", "sample_blackjax_nuts")
EXTRAS = {
    "pymc_extras.inference.pathfinder.pathfinder": (("fit_pathfinder", "num_draws"), ("fit_blackjax_pathfinder", "num_draws")),
    "pymc_extras.inference.INLA.inla": (("fit_INLA", "draws"),),
    "pymc_extras.inference.advi.fit": (("fit_advi", "draws"),),
    "pymc_extras.inference.smc.sampling": (("sample_smc_blackjax", "n_particles"),),
}
"""Module of pymc-extras -> its functions that fit a model, with the argument that is the number of draws of the result."""
PATHS = "pymc_extras.inference.pathfinder.multipath"
"""Module that runs the paths of `fit_pathfinder`."""


class UncompiledModel(object):
    """Stands in for the result of `nutpie.compile_pymc_model`; nothing is compiled."""

    def __init__(self, model: "Live", options: "dict[str, Live]") -> None:
        self.model = model
        self.options = options
        self.recorded = False  # whether its functions were: a later call compiles none

    @property
    def n_dim(self) -> int:
        """The number of values that nutpie samples: the elements of all free variables."""
        return sum(int(v.size) for v in self.model.initial_point().values())

    @property
    def coords(self) -> "Live":
        """The coordinates of the model, by dimension name."""
        return dict(self.model.coords)

    def with_data(self, **updates: "Live") -> "UncompiledModel":
        """Sets new data in the model and returns this object."""
        for name, value in updates.items():
            self.model.set_data(name, value)
        return self

    def with_transform_adapt(self, **options: "Live") -> "UncompiledModel":
        """Returns this object: the option has no effect on memory."""
        return self


class FinishedSampler(object):
    """Stands in for nutpie's sampler that runs in the background; it has already finished."""

    def __init__(self, result: "Live") -> None:
        self.result = result
        self.is_finished = True

    def wait(self, timeout: "Live" = None) -> "Live":
        """Returns the result of sampling immediately."""
        return self.result

    abort = inspect = wait

    def pause(self) -> None:
        """Does nothing: the sampler has finished."""

    resume = cancel = pause


class PymcEntries(object):
    """Intercepts the functions of other packages that sample a PyMC model."""

    def __init__(self, sampling: "PymcSampling") -> None:
        self.sampling = sampling

    def actions(self) -> "dict[str, Live]":
        """Returns a mapping: module name -> function to call after its import."""
        actions = {
            "nutpie.compile_pymc": self._nutpie_compiles,
            "nutpie.sample": self._nutpie_samples,
            "pymc.sampling.jax": self._jax,
            "pymc.smc.sampling": self._smc,
        }
        for name, entries in EXTRAS.items():
            actions[name] = functools.partial(self._extras, entries)
        return actions

    def _nutpie_compiles(self, module: "Live") -> None:
        own = getattr(module, "compile_pymc_model", None)
        if own is not None:

            def compile_pymc_model(*args: "Live", **kwargs: "Live") -> "Live":
                given = pymc_results.arguments(own, args, kwargs)
                return UncompiledModel(given.pop("model"), given)

            module.compile_pymc_model = functools.wraps(own)(compile_pymc_model)

    def _nutpie_samples(self, module: "Live") -> None:
        own = getattr(module, "sample", None)
        if own is None:
            return

        def sample(*args: "Live", **kwargs: "Live") -> "Live":
            given = pymc_results.arguments(own, args, kwargs)
            compiled = given["compiled_model"]
            if not isinstance(compiled, UncompiledModel):
                self.sampling.skipped("nutpie.sample", "its model is not a PyMC model: it runs for real, and is not counted", lost=True)
                return own(*args, **kwargs)
            for name in ("zarr_store", "return_raw_trace"):
                if given.get(name):
                    self.sampling.skipped(
                        "%s of nutpie.sample" % name, "its figures are derived from those of a store in memory", lost=True
                    )
            result = self._outside("nutpie.sample", dict(nutpie_arguments(module, compiled, given), compiled=compiled.recorded))
            compiled.recorded = True
            return result if given.get("blocking", True) else FinishedSampler(result)

        module.sample = functools.wraps(own)(sample)

    def _jax(self, module: "Live") -> None:
        for name in JAX:
            own = getattr(module, name, None)
            if own is not None:
                setattr(module, name, functools.wraps(getattr(own, "func", own))(self._jax_nuts(name, own)))

    def _jax_nuts(self, name: str, own: "Live") -> "Live":
        def sample(*args: "Live", **kwargs: "Live") -> "Live":
            given = pymc_results.arguments(own, args, kwargs)
            given["model"] = sys.modules["pymc.model"].modelcontext(given.get("model"))
            given.update(sampler=given.pop("nuts_sampler"), cores=None, discard_tuned_samples=True)
            return self._outside("pymc.sampling.jax." + name, given)

        return sample

    def _outside(self, entry: str, given: "dict[str, Live]") -> "Live":
        """Returns the result for an external sampler that the script did not call through `pymc.sample`."""
        with self.sampling.call("sample", library=pymc_external.libraries(given["sampler"])) as call:
            if call is None:
                raise RuntimeError("%s within another sampler" % entry)
            call.fields.update(entry=entry, sampler=given["sampler"])
            return self.sampling.outside(call, given)

    def _smc(self, module: "Live") -> None:
        own = getattr(module, "sample_smc", None)
        if own is not None:
            module.sample_smc = functools.wraps(own)(self._particles(module, own))

    def _particles(self, module: "Live", own: "Live") -> "Live":
        """Wraps `sample_smc`: its kernel is created for one particle, and its densities are called once."""

        def sample_smc(*args: "Live", **kwargs: "Live") -> "Live":
            given = pymc_results.arguments(own, args, kwargs)
            model = sys.modules["pymc.model"].modelcontext(given.get("model"))
            with self.sampling.call("sample_smc", library=("arviz_base", "arviz_stats", "scipy.stats")) as call:
                if call is None:
                    raise RuntimeError("sample_smc within another sampler")
                known = list(inspect.signature(own).parameters)
                options = dict((name, value) for name, value in given.items() if name not in known)
                moved = self.sampling.named(one_particle, "densities")(given, model, options)
                cores = int(given.get("cores") or module._cpu_count())
                chains = int(given.get("chains") or max(2, cores))
                cores = min(chains, cores)
                idata = dict(given.get("idata_kwargs") or {})
                call.fields.update(
                    sampler=given["kernel"].__name__, draws=int(given["draws"]), chains=chains, cores=cores, held=[moved],
                    parallel=cores > 1 and chains > 1, checks=bool(given["compute_convergence_checks"]),
                    converted=bool(given["return_inferencedata"]),
                )  # fmt: skip
                statistics = smc_statistics(module, given["kernel"].__name__, chains)
                return self.sampling.result_alone(call, model, idata.get("log_likelihood") or False, statistics)

        return sample_smc

    def _extras(self, entries: "tuple[tuple[str, str], ...]", module: "Live") -> None:
        for name, draws in entries:
            own = getattr(module, name, None)
            if own is not None:
                known = name == "fit_pathfinder" and hasattr(sys.modules.get(PATHS), "_default_cores")
                setattr(module, name, functools.wraps(own)(self._pathfinder(own) if known else self._uncounted(name, draws, own)))

    def _pathfinder(self, own: "Live") -> "Live":
        """Wraps `fit_pathfinder`: compiles what a path and the conversion call, and calls each once; no path is followed."""

        def fit_pathfinder(*args: "Live", **kwargs: "Live") -> "Live":
            given = pymc_results.arguments(own, args, kwargs)
            model = sys.modules["pymc.model"].modelcontext(given.get("model"))
            with self.sampling.call("fit_pathfinder", converts=True) as call:
                if call is None:
                    raise RuntimeError("fit_pathfinder within another sampler")
                module, paths = sys.modules[PATHS], int(given["num_paths"])
                held = self.sampling.named(one_path, "path")(given, model)
                chains, draws = (1, given["num_draws"]) if given["importance_sampling"] else (paths, given["num_draws_per_path"])
                self.sampling.named(converted_draws, "results")(given, model, chains * int(draws))
                if model.deterministics:  # computed once more, draw by draw
                    self.sampling.named(self._deterministics, "deterministics")(given, model)
                mode = dict(given["compile_kwargs"] or {}).get("mode")
                context = module._initialize_multiprocessing_context(given["mp_ctx"], mode=mode, quiet=True)
                call.fields.update(
                    entry="pymc_extras.fit_pathfinder", sampler="pathfinder", draws=int(draws), chains=chains, converted=True, held=[held],
                    parallel=bool(given["parallel"]), cores=int(module._default_cores(paths, given["cores"])),
                    start_method=context.get_start_method() if given["parallel"] else None,
                )  # fmt: skip
                return self.sampling.result_alone(call, model)

        return fit_pathfinder

    def _deterministics(self, given: "dict[str, Live]", model: "Live") -> None:
        """Calls `pymc.compute_deterministics` for one draw, as `fit_pathfinder` does for all of its result."""
        trace = pymc_external.one_draw({"model": model, "sampler": "numpyro"})
        one = groups(self.sampling.one_converted(trace, model, False))["posterior"]
        sys.modules["pymc"].compute_deterministics(
            one, model=model, extend_dataset=True, progressbar=False, compile_kwargs=dict(given["compile_kwargs"] or {})
        )

    def _uncounted(self, name: str, draws: str, own: "Live") -> "Live":
        """Wraps a function that is not simulated: its result has the right shape, and the report says that its other
        memory is not counted."""

        def fit(*args: "Live", **kwargs: "Live") -> "Live":
            given = pymc_results.arguments(own, args, kwargs)
            given["model"] = sys.modules["pymc.model"].modelcontext(given.get("model"))
            reason = "the memory that it needs while it runs is not counted: the stage contains only its result"
            self.sampling.skipped("pymc_extras.%s" % name, reason, lost=True)
            count, chains = int(given.get(draws) or DRAWS), int(given.get("chains") or 1)
            with self.sampling.call("sample", converts=True) as call:
                if call is None:
                    raise RuntimeError("%s within another sampler" % name)
                call.fields.update(entry="pymc_extras." + name, sampler=name, uncounted=True, draws=count, chains=chains, converted=True)
                return self.sampling.result_alone(call, given["model"])

        return fit


def one_path(given: "dict[str, Live]", model: "Live") -> "dict[str, object]":
    """Compiles the functions of a path of `fit_pathfinder` and calls them for its draws. Returns the row for the event with the draws of
    all paths.
    """
    numpy, module, compiled = sys.modules["numpy"], sys.modules[PATHS.replace("multipath", "single_path")], []  # type: Live, Live, list[Live]
    values = sum(int(v.size) for v in model.initial_point().values())
    config = (given["lbfgs_config"] or module.LBFGSConfig()).set_default_maxcor(values)
    makers = ("get_neg_logp_dlogp_of_ravel_inputs", "make_pathfinder_sample_fn")
    real = [getattr(module, name) for name in makers]

    def kept(make: "Live") -> "Live":
        def made(*args: "Live", **kwargs: "Live") -> "Live":
            compiled.append(make(*args, **kwargs))
            return compiled[-1]

        return made

    try:
        for name, make in zip(makers, real):
            setattr(module, name, kept(make))
        module.make_single_pathfinder_fn(
            model, given["num_draws_per_path"], given["num_elbo_draws"], given["jitter"], config, given["max_init_retries"],
            given["jacobian_correction"], given["vectorize_logp"], given["compile_kwargs"],
        )  # fmt: skip
    finally:
        for name, make in zip(makers, real):
            setattr(module, name, make)
    gradient, draw = compiled
    one, draws = numpy.zeros(values), int(given["num_draws_per_path"])
    window = numpy.zeros((values, config.maxcor))
    gradient(one)
    for count in (int(given["num_elbo_draws"]), draws):
        draw(one, one, one, window, window, numpy.broadcast_to(numpy.zeros(()), (count, values)))
    paths = int(given["num_paths"])
    return {
        "name": "draws of all paths",
        "kind": "paths",
        "dtype": "float64",
        "shape": [paths, draws, values],
        "bytes": 8 * paths * draws * values,
    }


def converted_draws(given: "dict[str, Live]", model: "Live", draws: int) -> None:
    """Compiles the function of `fit_pathfinder` that computes all variables, for this many draws, and calls it."""
    numpy, module = sys.modules["numpy"], sys.modules[PATHS.replace("multipath", "idata")]
    point, names = model.initial_point(), sys.modules["pymc.util"].get_default_varnames(model.unobserved_value_vars, False)
    draws_of = dict((k, numpy.broadcast_to(numpy.zeros((), v.dtype), (1, draws) + v.shape)) for k, v in point.items())
    transform = module._transform_draws_vectorized if given["vectorize_postprocessing"] else module._transform_draws_scan
    transform(model, list(names), draws_of, dict(given["compile_kwargs"] or {}))


def one_particle(given: "dict[str, Live]", model: "Live", options: "dict[str, Live]") -> "dict[str, object]":
    """Makes the kernel of `sample_smc` compile its densities. Returns the row for the event with one particle."""
    numpy = sys.modules["numpy"]
    options.setdefault("compile_kwargs", dict(given.get("compile_kwargs") or {}))
    with model:
        kernel = given["kernel"](draws=1, start=None, model=model, random_seed=0, **options)
    particle = numpy.zeros(sum(int(size) for _, size in kernel.var_info.values()))
    for density in (kernel.prior_logp_func, kernel.likelihood_logp_func):
        density(particle)
    return row("particle", "particle", particle)


STAGES = 10
"""Stages of `sample_smc` in its made-up statistics."""


def smc_statistics(module: "Live", kernel: str, chains: int) -> "Live":
    """Returns the statistics of `sample_smc` as a Dataset: for each chain a value of each stage, and the marginal likelihood of the last.

    Source: PyMC 5.28.5 and 6.4.0, pymc/smc/kernels.py `sample_stats`, pymc/smc/sampling.py `_save_sample_stats`: arrays of objects for
    several chains, which may have different numbers of stages.
    """
    numpy = sys.modules["numpy"]
    rates = ("mean_accept_rate", "mean_proposal_scale") if kernel == "MH" else ("accept_rate",)
    values = dict((name, numpy.full(STAGES, 0.5)) for name in rates)
    values["beta"] = numpy.linspace(1.0 / STAGES, 1.0, STAGES)
    values["log_marginal_likelihood"] = numpy.where(values["beta"] == 1.0, -1.0, numpy.nan)
    arrays = dict((name, numpy.array([v] * chains, dtype=object) if chains > 1 else v) for name, v in values.items())
    own = list(inspect.signature(module.dict_to_dataset).parameters)
    return module.dict_to_dataset(arrays, **({"sample_dims": ["chain"]} if "sample_dims" in own else {}))


def nutpie_arguments(module: "Live", compiled: UncompiledModel, given: "dict[str, Live]") -> "dict[str, Live]":
    """Returns the arguments of `nutpie.sample`, named as PyMC passes them to an external sampler."""
    defaults = {"num_draws": DRAWS, "num_tune": TUNE, "num_chains": CHAINS}
    try:
        defaults.update(module._lib.PyNutsSettings.Diag(0).as_dict()["settings"])
    except Exception:  # another release
        pass
    chains = given.get("chains") or defaults["num_chains"]
    return {
        "sampler": "nutpie",
        "draws": defaults["num_draws"] if given.get("draws") is None else given["draws"],
        "tune": defaults["num_tune"] if given.get("tune") is None else given["tune"],
        "chains": chains,
        "cores": given.get("cores") or min(int(chains), os.cpu_count() or 1),
        "model": compiled.model,
        "var_names": compiled.options.get("var_names"),
        "compute_convergence_checks": False,
        "discard_tuned_samples": not given.get("save_warmup", True),
        "nuts_kwargs": dict((name, given[name]) for name in OUTER if given.get(name)),
    }

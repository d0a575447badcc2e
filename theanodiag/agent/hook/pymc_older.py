"""Intercepts `sample` of PyMC3 (on Theano-PyMC), PyMC 4 (on Aesara) and 5.0: everything is prepared, and one draw is returned.

Source: PyMC3 3.11.5, pymc3/sampling.py; PyMC 4.4.0 and 5.0.2, pymc/sampling/mcmc.py. `sample` calls the module's functions `_mp_sample`,
`_sample_many` or `_sample_population` with keyword arguments; `draws` includes the tuning draws. Each returns a MultiTrace, which is then
cut, converted and checked; a single chain is not checked.
"""

import functools
import sys
import warnings

from . import pymc_results
from .pymc_results import row, start_method, statistics

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live
    from .pymc_sampling import PymcSampling

SAMPLERS = ("_mp_sample", "_sample_many", "_sample_population")


def is_older(module: "Live") -> bool:
    """Returns whether the `sample` of a module creates, cuts and converts its traces itself, as releases up to PyMC 5.0 do."""
    has = all(hasattr(module, name) for name in ("sample", "init_nuts", "_mp_sample", "_sample_many"))
    return has and not hasattr(module, "init_traces") and not hasattr(module, "_sample_return")


class OlderSampling(object):
    """Patches the sampling module of an older PyMC, so that it prepares everything and returns one draw."""

    def __init__(self, sampling: "PymcSampling", module: "Live") -> None:
        self.sampling = sampling
        self.package = module.__name__.partition(".")[0]  # pymc3 or pymc
        parts = (("init_nuts", "logp and gradient"), ("assign_step_methods", "steps"))
        for name, role in parts:
            own = getattr(module, name, None)
            if own is not None:
                setattr(module, name, functools.wraps(own)(sampling.named(own, role)))
        for name in SAMPLERS:
            if hasattr(module, name):
                setattr(module, name, functools.partial(self.sampled, name))
        if hasattr(module, "_choose_chains"):
            module._choose_chains = functools.wraps(module._choose_chains)(self.chosen(module._choose_chains))
        self.trace = None  # type: Live  # that of the call in progress
        self.places = [(getattr(module, "arviz", None), "from_pymc3"), (sys.modules.get(self.package), "to_inference_data")]
        module.sample = functools.wraps(module.sample)(self.sample(module.sample))

    def sample(self, own: "Live") -> "Live":
        """Wraps the module's `sample`, which is `own`."""

        def sample(*args: "Live", **kwargs: "Live") -> "Live":
            with self.sampling.call("sample") as call:
                if call is None:
                    return own(*args, **kwargs)
                call.fields.update(call_fields(own, args, kwargs))
                self.converting()
                with warnings.catch_warnings():  # of a single draw
                    warnings.simplefilter("ignore")
                    result = own(*args, **kwargs)
                self.sampling.send(call)
                return self.sampling.handed_out(call, result)

        return sample

    def converting(self) -> None:
        """Wraps the conversion functions, which exist only when PyMC is completely imported."""
        for place, name in self.places:
            if hasattr(place, name):
                setattr(place, name, self.converts(getattr(place, name)))
        self.places = []

    def sampled(self, name: str, **kwargs: "Live") -> "Live":
        """Used in place of the function that samples: returns a trace of one chain with one draw of zeros."""
        call, model, step = self.sampling.calls[-1], kwargs.get("model"), kwargs["step"]
        context = sys.modules[self.package + ".model"].modelcontext(model)
        trace_option = kwargs.get("trace")
        backend = sys.modules[self.package + ".backends.ndarray"].NDArray
        make = self.sampling.named(backend, "trace")
        trace = make(model=context, vars=trace_option if isinstance(trace_option, (list, tuple)) else None)
        trace.setup(1, 0, *([step.stats_dtypes] if getattr(step, "generates_stats", True) else []))
        for values in trace.samples.values():
            values[...] = 0
        trace.draw_idx = 1
        parallel = name == "_mp_sample" or (name == "_sample_population" and bool(kwargs.get("parallelize")))
        call.fields.update(
            draws=kwargs["draws"] - kwargs["tune"],
            tune=kwargs["tune"],
            chains=kwargs["chains"],
            cores=kwargs.get("cores"),
            parallel=parallel,
            start_method=start_method(kwargs.get("mp_ctx")) if name == "_mp_sample" else None,
            storage=None if trace_option is None or isinstance(trace_option, (list, tuple)) else "%s" % (type(trace_option).__name__,),
            variables=variables(trace, context),
            statistics=statistics(trace),
        )
        self.trace = trace
        return sys.modules[self.package + ".backends.base"].MultiTrace([trace])

    def chosen(self, own: "Live") -> "Live":
        """Makes a replacement for the function that drops chains without draws, which the first releases of PyMC 5 call after sampling."""

        def choose(traces: "Live", tune: int) -> "Live":
            return ([self.trace], 1) if self.sampling.calls else own(traces, tune)

        return choose

    def converts(self, own: "Live") -> "Live":
        """Wraps the conversion `own`: records the log-likelihood of the draw if it was computed."""

        def convert(*args: "Live", **kwargs: "Live") -> "Live":
            result = self.sampling.named(own, "log-likelihood")(*args, **kwargs)
            if self.sampling.calls and hasattr(result, "log_likelihood"):
                group = result.log_likelihood
                self.sampling.calls[-1].fields["log_likelihood"] = [
                    row(str(name), "log-likelihood", group[name].values[0, 0]) for name in group.data_vars
                ]
            return result

        return functools.wraps(own)(convert)


def call_fields(own: "Live", args: "Live", kwargs: "Live") -> "dict[str, object]":
    """Returns the arguments of the call as fields of the event."""
    given = pymc_results.arguments(own, args, kwargs)
    return {
        "sampler": "pymc",
        "checks": bool(given.get("compute_convergence_checks", True)),
        "discard_tuned": bool(given.get("discard_tuned_samples", True)),
        "converted": bool(given.get("return_inferencedata")),
        "include_transformed": bool((given.get("idata_kwargs") or {}).get("include_transformed")),
    }


def variables(trace: "Live", model: "Live") -> "list[dict[str, object]]":
    """Returns rows for the event: the arrays of one draw. In PyMC3 a transformed variable is deterministic, and its unconstrained
    counterpart free.
    """
    moved = set(v.name for v in getattr(model, "value_vars", model.free_RVs))
    deterministics = set(v.name for v in model.deterministics)
    rows = []
    for name, values in trace.samples.items():
        kind = "deterministic" if name in deterministics else "free"
        if name.endswith("__"):
            kind = "transformed"
        elif any(other.startswith(name + "_") and other.endswith("__") for other in moved):
            kind = "free"
        rows.append(dict(row(name, kind, values[0]), sampled=name in moved))
    return rows

"""What `pymc.sample` asks of samplers outside of PyMC: nutpie, numpyro and blackjax. None of them runs.

Source: PyMC 5.28.5 and 6.4.0, pymc/sampling/mcmc.py `_sample_external_nuts` and pymc/sampling/jax.py `sample_jax_nuts`,
`_postprocess_samples`. XLA compiles the post-processing, which is small, without running it, and says what it takes on this host's CPU.
"""

import contextlib
import importlib
import inspect
import io
import sys
import warnings

from .jax_sampling import LIFTED, live_bytes, programs

TYPE_CHECKING = False
if TYPE_CHECKING:
    from . import Live

STATISTICS = {
    "numpyro": {
        "acceptance_rate": "f8", "step_size": "f8", "diverging": "?", "energy": "f8", "n_steps": "i8", "tree_depth": "i8", "lp": "f8",
    },
    "blackjax": {"diverging": "?", "energy": "f8", "tree_depth": "i8", "n_steps": "i8", "acceptance_rate": "f8", "lp": "f8"},
    "nutpie": {
        "depth": "u8", "maxdepth_reached": "?", "step_size": "f8", "transformation_update_id": "i8", "step_size_bar": "f8",
        "mean_tree_accept": "f8", "mean_tree_accept_sym": "f8", "n_steps": "u8", "max_energy_error": "f8", "tuning": "?",
        "index_in_trajectory": "i8", "logp": "f8", "energy": "f8", "energy_error": "f8", "fisher_distance": "f8",
        "transformation_index": "i8", "diverging": "?", "divergence_draw": "u8", "divergence_message": "O", "divergence_energy_error": "f8",
    },
}  # fmt: skip
"""What each sampler tells of each draw (nutpie 0.16.11)."""


def arguments(own: "Live", args: "Live", kwargs: "Live") -> "dict[str, Live]":
    """The arguments of `_sample_external_nuts`, with the options that are lifted out of the kernel's."""
    bound = inspect.signature(own).bind(*args, **kwargs)
    bound.apply_defaults()
    given = dict(bound.arguments)
    given.update(given.pop("kwargs", {}))
    options = dict(given.get("nuts_kwargs") or given.get("nuts_sampler_kwargs") or {})
    given.update((name, options[name]) for name in LIFTED if name in options)
    return given


def told(given: "dict[str, Live]") -> "dict[str, object]":
    """The arguments in the words of an event; the sampler's defaults where nothing was given."""
    idata = dict(given.get("idata_kwargs") or {})
    return {
        "sampler": given["sampler"],
        "draws": given["draws"],
        "tune": 1000 if given["tune"] is None else given["tune"],
        "chains": given["chains"],
        "cores": given.get("cores"),
        "checks": bool(given["compute_convergence_checks"]) and given["sampler"] != "nutpie",
        "discard_tuned": bool(given.get("discard_tuned_samples", True)),
        "chain_method": given.get("chain_method", "parallel"),
        "vectorize": given.get("postprocessing_vectorize") or "vmap",
        "post_device": given.get("postprocessing_backend"),
        "include_transformed": bool(given.get("keep_untransformed") or idata.get("include_transformed")),
        "wants_log_likelihood": bool(idata.get("log_likelihood")),
    }


def one_draw(given: "dict[str, Live]") -> "Live":
    """A trace in memory with one draw of zeros: its arrays are those of the result, and of the unconstrained space."""
    model, sampler = given["model"], given["sampler"]
    ndarray = importlib.import_module("pymc.backends.ndarray").NDArray
    trace = ndarray(model=model)
    trace.setup(1, 0, [dict(STATISTICS[sampler])])
    for values in trace.samples.values():
        values[...] = 0
    trace.draw_idx = 1
    return trace


def chosen(given: "dict[str, Live]") -> "Live":
    """The names that the result has, None for all."""
    return None if given.get("var_names") is None else list(given["var_names"])


def post_processing(given: "dict[str, Live]", trace: "Live") -> "dict[str, object]":
    """XLA's figures for the post-processing of all draws, at once and draw by draw, and the bytes of the arrays that it holds."""
    jax = importlib.import_module("jax")
    sampling = importlib.import_module("pymc.sampling.jax")
    model, names = given["model"], chosen(given)
    wanted = [v for v in model.unobserved_value_vars if names is None or v.name in names]
    defaults = sys.modules["pymc.util"].get_default_varnames
    outputs = list(defaults(wanted, include_transformed=bool(given.get("keep_untransformed"))))
    before = live_bytes(jax)
    function = sampling.get_jaxified_graph(inputs=model.value_vars, outputs=outputs)
    constants = live_bytes(jax) - before
    rows = [trace.samples[v.name] for v in model.value_vars]
    outer, every = (given["chains"], given["draws"]), jax.vmap(function)
    at_once = [jax.ShapeDtypeStruct(outer + a.shape[1:], a.dtype) for a in rows]
    one_by_one = [jax.ShapeDtypeStruct(outer[::-1] + a.shape[1:], a.dtype) for a in rows]
    with warnings.catch_warnings():  # some donated arrays cannot be used again
        warnings.simplefilter("ignore")
        return {
            "post_constants": constants,
            "xla": {
                "vmap": figures(jax.jit(lambda samples: jax.vmap(every)(*samples), donate_argnums=0).lower(at_once).compile()),
                "scan": figures(jax.jit(lambda s: jax.lax.scan(lambda _, x: ((), every(*x)), (), s)[1]).lower(one_by_one).compile()),
            },
        }


def sampling(given: "dict[str, Live]", trace: "Live") -> "dict[str, object]":
    """XLA's figures for the programs that sample; their progress bars, which begin while they are traced, are shown nowhere."""
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = programs(given, trace)
    return dict(found, programs=[figures(executable) for executable in found["programs"]])  # type: ignore[attr-defined]


def figures(executable: "Live") -> "dict[str, int]":
    """XLA's own of a program."""
    found = executable.memory_analysis()
    return {
        "argument": found.argument_size_in_bytes,
        "output": found.output_size_in_bytes,
        "temporary": found.temp_size_in_bytes,
        "alias": found.alias_size_in_bytes,
    }

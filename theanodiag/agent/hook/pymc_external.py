"""The samplers outside PyMC that `pymc.sample` can call: nutpie, numpyro and blackjax. None of them runs.

Source: PyMC 5.28.5 and 6.4.0, pymc/sampling/mcmc.py `_sample_external_nuts` and pymc/sampling/jax.py `sample_jax_nuts`,
`_postprocess_samples`. The post-processing, which is small, is compiled by XLA for this host's CPU but not run; XLA reports its memory.
"""

import contextlib
import functools
import importlib
import io
import sys
import warnings

from . import pymc_results
from .pymc_results import row

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import Live
    from .pymc_sampling import PymcSampling


# XLA's memory figures of the programs with which numpyro and blackjax sample. They are traced and compiled as PyMC starts them, but not
# run.
#
# Source: PyMC 6.4.0, pymc/sampling/jax.py `_sample_numpyro_nuts`, `_sample_blackjax_nuts`; numpyro 0.22.0, infer/mcmc.py and util.py
# `fori_collect`; blackjax 1.2.5; JAX 0.12.0. While PyMC's own function prepares a program, the function that starts it is replaced:
#
# numpyro, and blackjax with parallel chains: `pmap`, one program that runs on a device for each chain.
#
# numpyro otherwise: `maybe_jit`, one program for one chain or for all; with a progress bar, for one draw.
#
# blackjax otherwise: `vmap`, operation by operation; each `scan` is a program, the first for tuning.

SCANS = ("scan", "while")
"""JAX's loop primitives: among operations that run one by one, only these are programs of notable size."""
ENTRY = {"numpyro": "_sample_numpyro_nuts", "blackjax": "_sample_blackjax_nuts"}
"""Sampler -> PyMC's function that runs it."""
LIFTED = ("chain_method", "postprocessing_backend", "postprocessing_vectorize", "keep_untransformed")
"""Arguments of `sample_jax_nuts` that are passed together with those of the NUTS kernel."""


class CaughtProgram(Exception):
    """Raised in place of starting a program, to stop its preparation. Carries the program, so that it can be compiled."""

    def __init__(self, function: "Live", arguments: "Live", options: "dict[str, Live]") -> None:
        super(CaughtProgram, self).__init__()
        self.function = function
        self.arguments = arguments
        self.options = options


def programs(given: "dict[str, Live]", trace: "Live") -> "dict[str, object]":
    """Returns the sampler's programs: `programs` (XLA executables, each for one device), `devices` (number used at once), `local_devices`
    (number that JAX has), `constants` (bytes of the arrays in the log-density), `sequential` (whether chains run one after the other),
    `single` (number of different operations of the log-density).

    PyMC computes the log-density at the initial points, where each operation is a program of its own. If a chain is not mapped over
    devices, numpyro computes the gradient there, too. `trace` holds one draw of the sampled variables.
    """
    jax = importlib.import_module("jax")
    before = live_bytes(jax)
    run, density, point = prepared(given, trace)
    constants, chains = live_bytes(jax) - before, int(given["chains"])
    parallel = given.get("chain_method", "parallel") == "parallel" and chains > 1
    several = parallel and jax.local_device_count() >= chains
    alone = given["sampler"] == "numpyro" and not several and given.get("chain_method") != "vectorized"
    if given["sampler"] == "blackjax":
        parallel = given.get("chain_method", "parallel") == "parallel"
        caught = start(run, [(jax, "pmap" if parallel else "vmap")])
        if parallel:
            executables = [jax.pmap(caught.function).lower(*caught.arguments).compile()]
        else:
            executables = loops(jax, jax.vmap(caught.function), caught.arguments)
    elif several:
        caught = start(run, [(importlib.import_module("numpyro.infer.mcmc"), "pmap")])
        executables = [jax.pmap(caught.function).lower(*caught.arguments).compile()]
    else:  # abstract, since the arrays for all draws are made before the program starts
        caught = start(lambda: jax.eval_shape(run), [(importlib.import_module("numpyro.util"), "maybe_jit")])
        executables = [jitted(jax, caught).compile()]
    return {
        "programs": executables,
        "devices": chains if several or given["sampler"] == "blackjax" and parallel else 1,
        "constants": constants,
        "local_devices": jax.local_device_count(),
        "sequential": parallel and not several and given["sampler"] == "numpyro",
        "single": different(jax.make_jaxpr(jax.value_and_grad(density) if alone else density)(point)),
    }


def different(traced: "Live") -> int:
    """Returns the number of different operations, by name and types, in a function that JAX traced."""
    return len(set((e.primitive.name, tuple(str(v.aval) for v in list(e.invars) + list(e.outvars))) for e in traced.jaxpr.eqns))


def prepared(given: "dict[str, Live]", trace: "Live") -> "tuple[Live, Live, list[Live]]":
    """Prepares PyMC's sampling function. Returns the function with all its arguments bound, the log-density, and a point of zeros."""
    sampling = importlib.import_module("pymc.sampling.jax")
    importlib.import_module(given["sampler"])  # which must not see what is replaced
    model, chains, numpyro = given["model"], int(given["chains"]), given["sampler"] == "numpyro"
    np = importlib.import_module("numpy")
    rows = [trace.samples[v.name] for v in model.value_vars]
    points = [np.zeros((chains,) + r.shape[1:] if chains > 1 else r.shape[1:], r.dtype) for r in rows]
    density = sampling.get_jaxified_logp(model, **({"negative_logp": False} if numpyro else {}))
    options = dict(given.get("nuts_kwargs") or given.get("nuts_sampler_kwargs") or {})
    target = options.pop("target_accept", given.get("target_accept", 0.8))
    kernel = dict((name, value) for name, value in options.items() if name not in LIFTED)

    def run() -> "Live":
        return getattr(sampling, ENTRY[given["sampler"]])(
            model=model,
            target_accept=target,
            tune=1000 if given["tune"] is None else given["tune"],
            draws=given["draws"],
            chains=chains,
            chain_method=given.get("chain_method", "parallel"),
            progressbar=bool(given.get("progressbar", True)) and not given.get("quiet"),
            random_seed=0,
            initial_points=points,
            nuts_kwargs=dict(kernel),
            logp_fn=density,
        )[0]

    return run, density, [np.zeros(r.shape[1:], r.dtype) for r in rows]


def start(run: "Live", places: "list[tuple[Live, str]]") -> CaughtProgram:
    """Calls `run` until it starts a program through one of the functions at `places`, given as (module, name), and returns that program.
    Raises ValueError if it starts none.
    """
    with replaced(places):
        try:
            run()
        except CaughtProgram as caught:
            return caught
    raise ValueError("the sampler started no program")


MISUSES = (TypeError, AttributeError, NameError)
"""Errors of code that uses what another release does not have. Errors of JAX's tracing are classes of their own below TypeError."""


def is_of_sampler(error: Exception, sampler: str) -> bool:
    """Returns whether a real run would also raise `error`, in PyMC or the sampler, for example because their releases do not fit
    together.
    """
    if isinstance(error, ImportError):
        return str(getattr(error, "name", None)).split(".")[0] in ("jax", sampler)
    if type(error) not in MISUSES:
        return False
    last = sys.exc_info()[2]
    while last is not None and last.tb_next is not None:
        last = last.tb_next
    return last is not None and str(last.tb_frame.f_globals.get("__name__")).split(".")[0] in ("pymc", sampler)


@contextlib.contextmanager
def replaced(places: "list[tuple[Live, str]]") -> "Iterator[None]":
    """Context manager in which the functions at `places`, given as (module, name), raise the program that they should start, as a
    CaughtProgram.
    """
    own = [getattr(module, name) for module, name in places]
    for module, name in places:
        setattr(module, name, functools.partial(catching, getattr(module, name), []))
    try:
        yield
    finally:
        for (module, name), value in zip(places, own):
            setattr(module, name, value)


def catching(own: "Live", caught: "list[Live]", function: "Live", **options: "Live") -> "Live":
    """Replaces `own`, which is `jit`, `pmap` or `vmap`: raises CaughtProgram at the first call; nested uses inside it still call `own`."""

    def call(*arguments: "Live") -> "Live":
        if caught:
            return own(function, **options)(*arguments)
        caught.append(function)
        raise CaughtProgram(function, arguments, options)

    return call


def jitted(jax: "Live", caught: CaughtProgram) -> "Live":
    """Returns the lowered program of a caught `jit`, for arguments that have only a shape and a dtype."""
    static = caught.options.get("static_argnums", ())
    given = [a if i in static else jax.tree_util.tree_map(abstract, a) for i, a in enumerate(caught.arguments)]
    return jax.jit(caught.function, **caught.options).lower(*given)


def abstract(value: "Live") -> "Live":
    """Replaces an array by its shape and dtype, for JAX; Python numbers are unchanged."""
    jax = importlib.import_module("jax")
    if not hasattr(value, "dtype"):
        return value
    return jax.ShapeDtypeStruct(value.shape, value.dtype, weak_type=bool(getattr(value, "weak_type", False)))


def loops(jax: "Live", function: "Live", arguments: "Live") -> "list[Live]":
    """Compiles the loops in a function whose other operations run one by one. Returns the loops' programs."""
    closed, executables = jax.make_jaxpr(function)(*arguments), []
    for equation in closed.jaxpr.eqns:
        if equation.primitive.name in SCANS:
            given = [v.val if hasattr(v, "val") else abstract(v.aval) for v in equation.invars]
            executables.append(jax.jit(bound(equation)).lower(*given).compile())
    return executables


def bound(equation: "Live") -> "Live":
    """Converts one operation of a jaxpr to a function of its operands."""

    def scan(*operands: "Live") -> "Live":
        return equation.primitive.bind(*operands, **equation.params)

    return scan


def live_bytes(jax: "Live") -> int:
    """Returns the total bytes of the JAX arrays that are live."""
    return sum(int(a.nbytes) for a in jax.live_arrays())


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
"""Sampler -> its statistics of each draw, with dtypes (nutpie 0.16.11)."""


VECTORS = {"store_unconstrained": "unconstrained_draw", "store_gradient": "gradient", "store_mass_matrix": "mass_matrix_inv"}
"""Options of nutpie -> the vector over all sampled values that it stores for each draw with this option."""


def arguments(own: "Live", args: "Live", kwargs: "Live") -> "dict[str, Live]":
    """Returns the arguments of `_sample_external_nuts` by name, including those nested in `nuts_sampler_kwargs`."""
    given = pymc_results.arguments(own, args, kwargs)
    options = dict(given.get("nuts_kwargs") or given.get("nuts_sampler_kwargs") or {})
    given.update((name, options[name]) for name in LIFTED if name in options)
    return given


def call_fields(given: "dict[str, Live]") -> "dict[str, object]":
    """Returns the arguments of the call as fields of the event, with the sampler's defaults."""
    idata = dict(given.get("idata_kwargs") or {})
    variables = given["model"].basic_RVs + given["model"].potentials
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
        "uncounted_parts": ["loops"] if given["sampler"] == "nutpie" and has_loops(variables) else [],
    }


def has_loops(variables: "list[Live]") -> bool:
    """Returns whether these variables are computed by a Scan, or by an Op whose inner graph has one."""
    seen, waiting = set(), list(variables)
    while waiting:
        node = waiting.pop().owner
        if node is None or node in seen:
            continue
        if type(node.op).__name__ == "Scan":
            return True
        seen.add(node)
        waiting.extend(node.inputs)
        waiting.extend(getattr(getattr(node.op, "fgraph", None), "outputs", ()))
    return False


def has_trees(variables: "list[Live]") -> bool:
    """Returns whether one of these variables is of PyMC-BART."""
    return any(type(v.owner.op).__module__.startswith("pymc_bart") for v in variables)


def record_nutpie(sampling: "PymcSampling", call: "Live", given: "dict[str, Live]") -> None:
    """Records the functions that nutpie compiles, under the role `nutpie`, unless an earlier call already had them compiled."""
    if given.get("compiled"):
        call.functions.setdefault("nutpie", [])
        return
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sampling.named(nutpie_functions, "nutpie")(given)
    except Exception as error:  # a model without a gradient fails in nutpie itself
        sampling.skipped("what numba compiles for nutpie", "%s: %s" % (type(error).__name__, str(error).split("\n")[0]), lost=True)


def nutpie_functions(given: "dict[str, Live]") -> None:
    """Compiles the functions that nutpie compiles with numba: density and gradient for a vector of all sampled values, and the other
    variables of the trace.

    Source: nutpie 0.16.11, compile_pymc.py `_make_functions`. Passes on any exception of the model's gradient or of these functions.
    """
    model, names = given["model"], chosen(given)
    pymc = importlib.import_module("pymc")
    tensor = importlib.import_module("pytensor.tensor")  # type: Live
    values = [model.rvs_to_values[v] for v in model.free_RVs]
    point = model.initial_point()
    graph = importlib.import_module("pytensor.graph")  # type: Live
    rewrites = ["canonicalize", "stabilize"] + ([] if model.check_bounds else ["local_remove_check_parameter"])
    density = graph.rewrite_graph(model.logp(), include=rewrites)
    gradients = importlib.import_module("pytensor.gradient").grad(density, values)
    gradient = tensor.concatenate([_plain(g).ravel() for g in gradients])
    lengths = [int(point[v.name].size) for v in values]
    joined = tensor.TensorType("float64", shape=(sum(lengths),))("joined")
    parts, start = [], 0
    for length in lengths:
        parts.append(joined[start : start + length])
        start += length
    whole = dict((v, part.reshape(point[v.name].shape).astype(v.dtype)) for v, part in zip(values, parts))
    rest = [v for v in model.unobserved_value_vars if v not in values and (names is None or v.name in names)]
    expanded = tensor.concatenate([p.ravel() for p in parts] + [_plain(v).ravel() for v in rest])
    compiles = getattr(pymc, "compile", None) or importlib.import_module("pymc.pytensorf").compile_pymc
    with model:
        compiles([joined], graph.clone_replace([density, gradient], whole), mode="NUMBA")
        compiles([joined], graph.clone_replace([expanded], whole), mode="NUMBA")


def _plain(variable: "Live") -> "Live":
    """A variable of `pymc.dims` without the names of its axes; any other as it is."""
    return variable.values if hasattr(variable, "dims") else variable


def libraries(sampler: str) -> "tuple[str, ...]":
    """Returns the names of the libraries that a call with this sampler loads for conversion and convergence checks."""
    return () if sampler == "nutpie" else ("arviz_base", "arviz_stats")


def one_draw(given: "dict[str, Live]") -> "Live":
    """Returns a trace in memory with one draw of zeros, with the variables of the result and of the unconstrained space."""
    model, sampler = given["model"], given["sampler"]
    ndarray = importlib.import_module("pymc.backends.ndarray").NDArray
    trace = ndarray(model=model)
    trace.setup(1, 0, [dict(STATISTICS[sampler])])
    for values in trace.samples.values():
        values[...] = 0
    trace.draw_idx = 1
    return trace


def vectors(given: "dict[str, Live]", trace: "Live") -> "list[dict[str, object]]":
    """Returns rows for the event: the vectors over all sampled values that nutpie stores for each draw, if requested."""
    options = dict(given.get("nuts_kwargs") or given.get("nuts_sampler_kwargs") or {})
    if dict(given.get("idata_kwargs") or {}).get("include_transformed"):
        options["store_unconstrained"] = True
    length = sum(trace.samples[v.name][0].size for v in given["model"].value_vars)
    return [{"name": name, "dtype": "float64", "bytes": 8 * int(length)} for option, name in VECTORS.items() if options.get(option)]


def chosen(given: "dict[str, Live]") -> "Live":
    """Returns the names of the variables in the result; None for all."""
    return None if given.get("var_names") is None else list(given["var_names"])


def post_processing(given: "dict[str, Live]", trace: "Live") -> "dict[str, object]":
    """Returns XLA's memory figures for post-processing all draws at once and one by one, and the bytes of the function's constants."""
    model, names = given["model"], chosen(given)
    wanted = [v for v in model.unobserved_value_vars if names is None or v.name in names]
    defaults = sys.modules["pymc.util"].get_default_varnames
    outputs = list(defaults(wanted, include_transformed=bool(given.get("keep_untransformed"))))
    figures_of, constants, _ = of_all_draws(given, trace, outputs, donated=True)
    return {"post_constants": constants, "xla": figures_of}


def log_likelihood(given: "dict[str, Live]", trace: "Live") -> "dict[str, object]":
    """Returns rows for the event that describe the log-likelihood of one draw, and XLA's figures for computing it for all draws if the
    draws may not be overwritten.
    """
    model = given["model"]
    outputs = list(model.logp(model.observed_RVs, sum=False))
    figures_of, constants, shapes = of_all_draws(given, trace, outputs, donated=False)
    rows = [row(str(v.name), "log-likelihood", shape) for v, shape in zip(model.observed_RVs, shapes)]
    return {"log_likelihood": rows, "density_constants": constants, "xla_log_likelihood": figures_of}


def asks_log_likelihood(given: "dict[str, Live]") -> "Live":
    """Returns which log-likelihoods are requested: True for all, or the names of the observed variables; False if none. PyMC 5 ignores the
    request for nutpie.
    """
    if given["sampler"] == "nutpie" and "discard_tuned_samples" not in given:
        return False
    return dict(given.get("idata_kwargs") or {}).get("log_likelihood") or False


def with_log_likelihood(result: "Live", rows: "list[dict[str, Live]]", model: "Live") -> "Live":
    """Adds zeros to the result, as the log-likelihood of one draw. Returns the result."""
    np, arviz = sys.modules["numpy"], sys.modules["pymc.backends.arviz"]
    coords, dims = arviz.coords_and_dims_for_inferencedata(model)
    values = dict((r["name"], np.zeros([1, 1] + list(r["shape"]), r["dtype"])) for r in rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        pymc_results.add_group(result, "log_likelihood", arviz.dict_to_dataset(values, coords=coords, dims=dims))
    return result


class OneShape(object):
    """Dtype and shape of an array that JAX described but did not allocate."""

    def __init__(self, dtype: "Live", shape: "tuple[int, ...]") -> None:
        self.dtype, self.shape = dtype, shape
        self.nbytes = dtype.itemsize
        for length in shape:
            self.nbytes *= length


def of_all_draws(
    given: "dict[str, Live]", trace: "Live", outputs: "list[Live]", donated: bool
) -> "tuple[dict[str, dict[str, int]], int, list[OneShape]]":
    """Returns XLA's figures for computing `outputs` for all draws, at once and one by one; the bytes of the function's constants; and the
    outputs' shapes for one draw.

    `donated`: whether the draws may be overwritten.
    """
    jax = importlib.import_module("jax")
    sampling = importlib.import_module("pymc.sampling.jax")
    before = live_bytes(jax)
    function = sampling.get_jaxified_graph(inputs=given["model"].value_vars, outputs=outputs)
    constants = live_bytes(jax) - before
    rows = [trace.samples[v.name] for v in given["model"].value_vars]
    outer, every = (given["chains"], given["draws"]), jax.vmap(function)
    at_once = [jax.ShapeDtypeStruct(outer + a.shape[1:], a.dtype) for a in rows]
    one_by_one = [jax.ShapeDtypeStruct(outer[::-1] + a.shape[1:], a.dtype) for a in rows]
    with warnings.catch_warnings():  # some donated arrays cannot be used again
        warnings.simplefilter("ignore")
        whole = jax.jit(lambda samples: jax.vmap(every)(*samples), donate_argnums=0 if donated else None).lower(at_once)
        memory = {
            "vmap": figures(whole.compile()),
            "scan": figures(jax.jit(lambda s: jax.lax.scan(lambda _, x: ((), every(*x)), (), s)[1]).lower(one_by_one).compile()),
        }
    return memory, constants, [OneShape(leaf.dtype, leaf.shape[2:]) for leaf in jax.tree_util.tree_leaves(whole.out_info)]


def sampling(given: "dict[str, Live]", trace: "Live") -> "dict[str, object]":
    """Returns XLA's figures for the sampling programs, as fields of the event. The programs' progress bars, which start during tracing, are
    suppressed.
    """
    with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fields = programs(given, trace)
    return dict(fields, programs=[figures(executable) for executable in fields["programs"]])  # type: ignore[attr-defined]


def figures(executable: "Live") -> "dict[str, int]":
    """Returns the argument, output, temporary and aliased bytes of an XLA program."""
    memory = executable.memory_analysis()
    return {
        "argument": memory.argument_size_in_bytes,
        "output": memory.output_size_in_bytes,
        "temporary": memory.temp_size_in_bytes,
        "alias": memory.alias_size_in_bytes,
    }

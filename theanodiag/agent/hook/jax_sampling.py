"""XLA's figures for the programs with which numpyro and blackjax sample: they are traced and compiled as PyMC starts them, and not run.

Source: PyMC 6.4.0, pymc/sampling/jax.py `_sample_numpyro_nuts`, `_sample_blackjax_nuts`; numpyro 0.22.0, infer/mcmc.py and util.py
`fori_collect`; blackjax 1.2.5; JAX 0.12.0. What starts a program is replaced while PyMC's own function prepares it:

    numpyro, and blackjax with parallel chains    `pmap`: one program, run on a device for each chain
    numpyro otherwise                             `maybe_jit`: one program for a chain or for all; with a progress bar, for one draw
    blackjax otherwise                            `vmap`, operation by operation: each `scan` is a program, the first for tuning
"""

import contextlib
import functools
import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import Live

SCANS = ("scan", "while")
"""JAX's primitives that loop: of the operations that run one by one, those that are programs of a size."""
ENTRY = {"numpyro": "_sample_numpyro_nuts", "blackjax": "_sample_blackjax_nuts"}
"""Sampler -> PyMC's function that runs it."""
LIFTED = ("chain_method", "postprocessing_backend", "postprocessing_vectorize", "keep_untransformed")
"""Options of `sample_jax_nuts` that come with those of the NUTS kernel."""


class CaughtProgram(Exception):
    """Ends the preparation of a program, which is then compiled."""

    def __init__(self, function: "Live", arguments: "Live", options: "dict[str, Live]") -> None:
        super(CaughtProgram, self).__init__()
        self.function = function
        self.arguments = arguments
        self.options = options


def programs(given: "dict[str, Live]", trace: "Live") -> "dict[str, object]":
    """`programs`: XLA's executables of the call, each for one device; `devices`: on how many at once; `local_devices`: how many JAX has;
    `constants`: bytes of the arrays that the log-density holds; `sequential`: whether chains run one after the other.

    `trace` has one draw of what the sampler moves.
    """
    jax = importlib.import_module("jax")
    before = live_bytes(jax)
    run = prepared(given, trace)
    constants, chains = live_bytes(jax) - before, int(given["chains"])
    parallel = given.get("chain_method", "parallel") == "parallel" and chains > 1
    several = parallel and jax.local_device_count() >= chains
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
    }


def prepared(given: "dict[str, Live]", trace: "Live") -> "Live":
    """PyMC's function with its arguments, to be called without any."""
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

    return run


def start(run: "Live", places: "list[tuple[Live, str]]") -> CaughtProgram:
    """Calls `run` up to the first program that one of `places`, (module, name), would start."""
    with replaced(places):
        try:
            run()
        except CaughtProgram as caught:
            return caught
    raise ValueError("the sampler started no program")


@contextlib.contextmanager
def replaced(places: "list[tuple[Live, str]]") -> "Iterator[None]":
    """In place of each (module, name) stands a function that catches what is started."""
    own = [getattr(module, name) for module, name in places]
    for module, name in places:
        setattr(module, name, functools.partial(catching, getattr(module, name), []))
    try:
        yield
    finally:
        for (module, name), value in zip(places, own):
            setattr(module, name, value)


def catching(own: "Live", caught: "list[Live]", function: "Live", **options: "Live") -> "Live":
    """Stands for `jit`, `pmap` and `vmap`, which is `own`; once a program was caught, what it has within it is made by `own`."""

    def call(*arguments: "Live") -> "Live":
        if caught:
            return own(function, **options)(*arguments)
        caught.append(function)
        raise CaughtProgram(function, arguments, options)

    return call


def jitted(jax: "Live", caught: CaughtProgram) -> "Live":
    """The lowered program of a caught `jit`, for abstract arguments."""
    static = caught.options.get("static_argnums", ())
    given = [a if i in static else jax.tree_util.tree_map(abstract, a) for i, a in enumerate(caught.arguments)]
    return jax.jit(caught.function, **caught.options).lower(*given)


def abstract(value: "Live") -> "Live":
    """The shape and dtype of an array; Python's numbers as they are."""
    jax = importlib.import_module("jax")
    if not hasattr(value, "dtype"):
        return value
    return jax.ShapeDtypeStruct(value.shape, value.dtype, weak_type=bool(getattr(value, "weak_type", False)))


def loops(jax: "Live", function: "Live", arguments: "Live") -> "list[Live]":
    """The programs of the loops that a function runs, where its operations run one by one."""
    closed, executables = jax.make_jaxpr(function)(*arguments), []
    for equation in closed.jaxpr.eqns:
        if equation.primitive.name in SCANS:
            given = [v.val if hasattr(v, "val") else abstract(v.aval) for v in equation.invars]
            executables.append(jax.jit(bound(equation)).lower(*given).compile())
    return executables


def bound(equation: "Live") -> "Live":
    """One operation as a function of its operands."""

    def scan(*operands: "Live") -> "Live":
        return equation.primitive.bind(*operands, **equation.params)

    return scan


def live_bytes(jax: "Live") -> int:
    """Bytes of all of JAX's arrays."""
    return sum(int(a.nbytes) for a in jax.live_arrays())

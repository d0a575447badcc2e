"""XLA's memory figures of the programs with which numpyro and blackjax sample. They are traced and compiled as PyMC starts them, but not
run.

Source: PyMC 6.4.0, pymc/sampling/jax.py `_sample_numpyro_nuts`, `_sample_blackjax_nuts`; numpyro 0.22.0, infer/mcmc.py and util.py
`fori_collect`; blackjax 1.2.5; JAX 0.12.0. While PyMC's own function prepares a program, the function that starts it is replaced:

numpyro, and blackjax with parallel chains: `pmap`, one program that runs on a device for each chain.

numpyro otherwise: `maybe_jit`, one program for one chain or for all; with a progress bar, for one draw.

blackjax otherwise: `vmap`, operation by operation; each `scan` is a program, the first for tuning.
"""

import contextlib
import functools
import importlib

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from .. import Live

SCANS = ("scan", "while")
"""JAX's loop primitives: among operations that run one by one, only these are programs of notable size."""
ENTRY = {"numpyro": "_sample_numpyro_nuts", "blackjax": "_sample_blackjax_nuts"}
"""Sampler -> PyMC's function that runs it."""
LIFTED = ("chain_method", "postprocessing_backend", "postprocessing_vectorize", "keep_untransformed")
"""Options of `sample_jax_nuts` that come with those of the NUTS kernel."""


class CaughtProgram(Exception):
    """Stops the preparation of a program and carries the program out, so that it can be compiled."""

    def __init__(self, function: "Live", arguments: "Live", options: "dict[str, Live]") -> None:
        super(CaughtProgram, self).__init__()
        self.function = function
        self.arguments = arguments
        self.options = options


def programs(given: "dict[str, Live]", trace: "Live") -> "dict[str, object]":
    """The sampler's programs: `programs` (XLA executables, each for one device), `devices` (number used at once), `local_devices` (number
    that JAX has), `constants` (bytes of the arrays in the log-density), `sequential` (whether chains run one after the other), `single`
    (number of different operations of the log-density: PyMC computes it at the initial points, where each is a program of its own).

    `trace` holds one draw of the sampled variables.
    """
    jax = importlib.import_module("jax")
    before = live_bytes(jax)
    run, density, point = prepared(given, trace)
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
        "single": different(jax.make_jaxpr(density)(point)),
    }


def different(traced: "Live") -> int:
    """The number of different operations, by name and types, of a function that JAX traced."""
    return len(set((e.primitive.name, tuple(str(v.aval) for v in list(e.invars) + list(e.outvars))) for e in traced.jaxpr.eqns))


def prepared(given: "dict[str, Live]", trace: "Live") -> "tuple[Live, Live, list[Live]]":
    """PyMC's sampling function with all its arguments bound."""
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
    """Calls `run` until it starts a program through one of `places`, given as (module, name). Raises ValueError if it starts none."""
    with replaced(places):
        try:
            run()
        except CaughtProgram as caught:
            return caught
    raise ValueError("the sampler started no program")


@contextlib.contextmanager
def replaced(places: "list[tuple[Live, str]]") -> "Iterator[None]":
    """A context in which the functions at `places`, (module, name), catch the program that they should start."""
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
    """The lowered program of a caught `jit`, for arguments of which only shape and dtype are known."""
    static = caught.options.get("static_argnums", ())
    given = [a if i in static else jax.tree_util.tree_map(abstract, a) for i, a in enumerate(caught.arguments)]
    return jax.jit(caught.function, **caught.options).lower(*given)


def abstract(value: "Live") -> "Live":
    """An array as its shape and dtype; a Python number unchanged."""
    jax = importlib.import_module("jax")
    if not hasattr(value, "dtype"):
        return value
    return jax.ShapeDtypeStruct(value.shape, value.dtype, weak_type=bool(getattr(value, "weak_type", False)))


def loops(jax: "Live", function: "Live", arguments: "Live") -> "list[Live]":
    """The compiled programs of the loops in a function whose other operations run one by one."""
    closed, executables = jax.make_jaxpr(function)(*arguments), []
    for equation in closed.jaxpr.eqns:
        if equation.primitive.name in SCANS:
            given = [v.val if hasattr(v, "val") else abstract(v.aval) for v in equation.invars]
            executables.append(jax.jit(bound(equation)).lower(*given).compile())
    return executables


def bound(equation: "Live") -> "Live":
    """One operation of a jaxpr as a function of its operands."""

    def scan(*operands: "Live") -> "Live":
        return equation.primitive.bind(*operands, **equation.params)

    return scan


def live_bytes(jax: "Live") -> int:
    """Total bytes of all live JAX arrays."""
    return sum(int(a.nbytes) for a in jax.live_arrays())

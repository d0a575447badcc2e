"""Memory of numpyro and blackjax under PyMC: JAX's arrays on its device, here the CPU and therefore host memory.

Source: PyMC 6.4.0, pymc/sampling/jax.py `sample_jax_nuts`; numpyro 0.22.0, infer/mcmc.py. What the sampler moved is kept for all draws of
all chains, without tuning; then one function makes every variable of every draw out of it, all at once (`vmap`) or draw by draw (`scan`,
whose arguments and results are transposed, hence copied). ArviZ takes JAX's arrays as they are. Log-density and post-processing each hold
the data of the model as JAX's arrays, until PyMC returns. numpyro's statistics are there twice: PyMC copies them, and numpyro's cache of
compiled functions keeps the first. PyMC has JAX make 100 devices of the CPU, so that parallel chains run at once, each with temporaries
of its own; only where JAX looked for devices before PyMC did, there is one, and chains run one after the other. Beside real runs, 800
draws of 53 numbers with 816 kB of data: XLA's figures are the same to the byte, live arrays after sampling within 0.5 %.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..memory.profile import Origin
from ..units import MIB
from .model import Amount, DrawArray, ProgramFigures, SamplingCall, Stage
from .pymc_chains import known, loaded, of_draw, ranks

SMALL = 13 * MIB
"""Bytes that remain from tracing and lowering the programs and from temporaries kept by the C library: 7 to 10 MiB in addition to JAX's
arrays after the last draw, up to 17 MiB after post-processing (blackjax and numpyro, two models)."""
EAGER = {"numpyro": 15 * MIB, "blackjax": 12 * MIB}
"""Additional bytes that remain if chains are vectorized: the first step then runs operation by operation, each as a program of its own
(numpyro, 129 programs: 27 MiB in total after the last draw; blackjax, 101 programs: 21 MiB)."""
CHECKED_BY = {"blackjax": {"arviz_stats": 32 * MIB}, "numpyro": {"arviz_stats": 40 * MIB}}
"""Bytes that the library for the convergence checks takes if the sampler has already loaded most of its dependencies: 27 MiB with
blackjax (35 without cached bytecode), 39 with numpyro; `import arviz_stats` takes 59 MiB with PyMC alone."""
COMPUTED = ("tree_depth",)
"""numpyro statistics that PyMC computes itself, as NumPy arrays."""


def stages(call: SamplingCall) -> Iterator[Stage]:
    """Yields the stages of a call that numpyro or blackjax samples."""
    entries = call.chains * call.draws
    kept = [s for s in call.statistics if call.sampler != "numpyro" or s.name not in COMPUTED]
    computed = entries * (of_draw(call.statistics) - of_draw(kept))
    moved = _on_device("draws on the unconstrained scale", entries * known([v for v in call.variables if v.sampled]))
    statistics = (
        _on_device("result: statistics", entries * of_draw(kept)),
        *([Amount("statistics of numpy", computed)] if computed else ()),
    )
    eager = EAGER[call.sampler] if call.chain_method == "vectorized" else 0
    small = Amount("small objects", SMALL + eager, Origin.MEASURED)
    density = (_on_device("data in the log-density", call.constants),) if call.constants else ()
    yield Stage("sampling", (moved, *statistics, small, *density, *_running(call, moved.bytes + statistics[0].bytes + computed)))
    if call.sampler == "numpyro":
        density = (*density, _on_device("statistics that numpyro keeps", entries * of_draw(kept)))
    if call.log_likelihood:
        own = (_at_the_end(call, "data in the log-likelihood", call.density_constants),) if call.density_constants else ()
        amounts = _of_all_draws(call, call.density, "result: log-likelihood", moved.bytes, entries * known(call.log_likelihood))
        yield Stage("log-likelihood", (moved, *statistics, small, *density, *own, *amounts))
        likelihood = amounts[:1]
        density = (*density, *likelihood)
    else:
        likelihood = ()
    held = (*density, *((_at_the_end(call, "data in the post-processing", call.post_constants),) if call.post_constants else ()))
    amounts = _of_all_draws(call, call.post_processing, "result: draws", moved.bytes, entries * known(outputs(call)))
    yield Stage("post-processing", (moved, *statistics, small, *held, *amounts))
    statistics = (Amount("result: statistics", entries * of_draw(call.statistics)),)
    result = (Amount("result: draws", entries * known(outputs(call))), *statistics, *likelihood)
    if call.checks:
        checks = ranks(call)
        result = (*result, *(_read_by_checks(call) if checks else ()))
        yield Stage("convergence checks", (*result, small, *checks))
    yield Stage("result", result)


def _read_by_checks(call: SamplingCall) -> Iterator[Amount]:
    """Memory of the library that checks the draws, and of the numpy copy of free variables on several devices, which JAX keeps."""
    yield from loaded(call, CHECKED_BY[call.sampler])
    copied = call.chains * call.draws * known([v for v in outputs(call) if v.kind == "free"])
    if call.devices > 1 and copied:
        yield Amount("result: draws of several devices as numpy's", copied)


def _running(call: SamplingCall, draw_bytes: int) -> Iterator[Amount]:
    """Memory in addition to `draw_bytes` bytes of draws: XLA's temporaries, or a second copy of the complete draws."""
    temporary = call.devices * max((p.temporary for p in call.programs), default=0)
    analysed, several = bool(call.programs), call.chains > 1
    what = "draws before they are transposed"
    again = several and call.chain_method == "vectorized"
    if call.sampler == "numpyro" and call.chain_method == "parallel":
        what, again = "chains before they are stacked", several and (call.sequential or not analysed)
    if again and draw_bytes > temporary:
        yield _on_device(what, draw_bytes, Origin.BOUNDED, live=False)
    elif analysed:
        yield _on_device("XLA's temporaries of the sampler", temporary, live=False)


def _on_device(what: str, bytes: int, origin: Origin = Origin.DERIVED, live: bool = True) -> Amount:
    return Amount(what, bytes, origin, "device", live)


def _at_the_end(call: SamplingCall, what: str, bytes: int, origin: Origin = Origin.DERIVED, live: bool = True) -> Amount:
    """The bytes as an Amount on the device that the call chose for post-processing: the host's CPU or JAX's device."""
    return Amount(what, bytes, origin, "parent" if call.post_device == "cpu" else "device", live)


def outputs(call: SamplingCall) -> list[DrawArray]:
    """Returns the variables in the result of the call."""
    names = call.var_names
    chosen = [v for v in call.variables if call.include_transformed or v.kind != "transformed"]
    return [v for v in chosen if names is None or v.name in names]


def _of_all_draws(call: SamplingCall, programs: Mapping[str, ProgramFigures], what: str, moved: int, size: int) -> tuple[Amount, ...]:
    """The memory of a function that is applied to all draws: its result first, then what is needed in addition while it is computed."""
    figures, origin = programs.get(call.vectorize), Origin.DERIVED
    if figures is None:  # each result once more while it is made
        figures, origin = ProgramFigures(moved, size, size, 0), Origin.BOUNDED
    result = _at_the_end(call, what, figures.output - figures.alias, origin)
    temporary = _at_the_end(call, "XLA's temporaries", figures.temporary, origin, live=False)
    if call.vectorize != "scan":
        return result, temporary
    return result, temporary, _at_the_end(call, "transposed arguments and results", moved + figures.output, origin, live=False)

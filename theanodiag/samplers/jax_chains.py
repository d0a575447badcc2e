"""numpyro and blackjax under PyMC: JAX's arrays on its device, here the CPU and so the host's memory.

Source: PyMC 6.4.0, pymc/sampling/jax.py `sample_jax_nuts`; numpyro 0.22.0, infer/mcmc.py. What the sampler moved is kept for all draws of
all chains, without tuning; then one function makes every variable of every draw out of it, all at once (`vmap`) or draw by draw (`scan`,
whose arguments and results are transposed, hence copied). ArviZ takes JAX's arrays as they are.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..memory.profile import Origin
from .model import Amount, DrawArray, PostProcessing, SamplingCall, Stage
from .multitrace import CHECKS, CONVERTS, SMALL, known, loaded, of_draw, ranks


def stages(call: SamplingCall) -> Iterator[Stage]:
    """The stages of a call."""
    entries = call.chains * call.draws
    moved = Amount("draws on the unconstrained scale", entries * known([v for v in call.variables if v.sampled]))
    told = Amount("result: statistics", entries * of_draw(call.statistics))
    small = Amount("small objects", SMALL, Origin.MEASURED)
    one_by_one = call.sampler == "numpyro" and call.chain_method == "parallel" and call.chains > 1
    stacked = (Amount("chains before they are stacked", moved.bytes + told.bytes, Origin.BOUNDED),) if one_by_one else ()
    yield Stage("sampling", (moved, told, small, *stacked))
    yield Stage("post-processing", (moved, told, small, *_post_processing(call, moved.bytes)))
    result = (Amount("result: draws", entries * known(outputs(call))), told, *loaded(call, CONVERTS))
    if call.checks:
        found = ranks(call)
        result = (*result, *(loaded(call, CHECKS) if found else ()))
        yield Stage("convergence checks", (*result, small, *found))
    yield Stage("result", result)


def outputs(call: SamplingCall) -> list[DrawArray]:
    """The variables of the result."""
    names = call.var_names
    chosen = [v for v in call.variables if call.include_transformed or v.kind != "transformed"]
    return [v for v in chosen if names is None or v.name in names]


def _post_processing(call: SamplingCall, moved: int) -> Iterator[Amount]:
    found, origin = call.post_processing.get(call.vectorize), Origin.DERIVED
    if found is None:  # each result once more while it is made
        made = call.chains * call.draws * known(outputs(call))
        found, origin = PostProcessing(moved, made, made, 0), Origin.BOUNDED
    yield Amount("result: draws", found.output - found.alias, origin)
    yield Amount("XLA's temporaries", found.temporary, origin)
    if call.vectorize == "scan":
        yield Amount("transposed arguments and results", moved + found.output, origin)

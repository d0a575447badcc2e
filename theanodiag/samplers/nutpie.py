"""nutpie under PyMC: its own store for all chains, then a copy as NumPy arrays; tuning draws are dropped last.

Source: nutpie 0.16.11 under PyMC 6.4.0. Its store is Arrow's: float64 whatever the model's type, with what the sampler moves in it whether
`var_names` has it or not (compile_pymc.py), and lists of the vectors that were not asked for, without values. Chains run in threads of the
process. sample.py, `_arrow_to_arviz`, copies draws and tuning into arrays while the store is still there. Measured on nine models: the
process rose by its arrays, by pages of its own libraries that are read only now (4.0 MiB while it samples, 5.2 for Arrow's functions
while it copies), and by 2 to 6 MiB. Once it is converted all but the draws are given back; a requested log-likelihood is computed
then, as `pymc.compute_log_likelihood` does it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..memory.profile import Origin
from ..units import MIB
from .jax_chains import outputs
from .model import Amount, SamplingCall, Stage
from .pymc_chains import known, loaded, log_likelihood, of_draw, points

SAMPLES, COPIES = {"nutpie": 4 * MIB}, {"nutpie": 9 * MIB}
"""Library -> bytes that nutpie's libraries take once it has sampled, and once it has copied draws, in the first call that does so."""
SMALL = 9 * MIB
"""Bytes that allocators keep in addition to the arrays: each thread has its own allocator, and growing lists leave their old memory to
it."""
OFFSET, EMPTY = 8, 11
"""Bytes of an entry in the index of a list, and lists without values."""


def stages(call: SamplingCall) -> Iterator[Stage]:
    """Yields the stages of a call that nutpie samples; it computes no convergence checks."""
    statistics, entries = of_draw(call.statistics), call.chains * (call.draws + call.tune)
    chosen = [replace(v, dtype="float64") for v in call.variables if v.sampled or v in outputs(call)]
    index = OFFSET * (EMPTY + sum(1 for v in chosen if v.shape))
    store = Amount("nutpie's store", entries * (known(chosen) + statistics + index))
    small = Amount("small objects", SMALL, Origin.MEASURED)
    yield Stage("sampling", (store, small, *loaded(call, SAMPLES)))
    copies = Amount("copies of the store", entries * (known(chosen) + statistics))
    yield Stage("conversion", (store, small, copies, *loaded(call, COPIES)))
    kept = [v for v in chosen if call.include_transformed or v.kind != "transformed"]
    result = (
        Amount("result: draws", call.entries * known(kept)),
        Amount("result: statistics", call.entries * statistics),
        *loaded(call, COPIES),
    )
    if call.log_likelihood:
        result = (*result, *log_likelihood(call))
        yield Stage("log-likelihood", (*result, small, *points(call, "log-likelihood: a dict for each draw")))
    yield Stage("result", result)

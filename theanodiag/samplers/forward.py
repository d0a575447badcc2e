"""What PyMC computes for each draw one after the other: predictions from the prior and the posterior, log-likelihood, log-prior.

Source: PyMC 5.28.5 and 6.4.0, pymc/sampling/forward.py: `sample_prior_predictive` keeps the arrays of every draw until all of a variable
are stacked; `sample_posterior_predictive` (and pymc/stats/log_density.py) goes through a list with a dict for each draw and writes into one
array for each result. ArviZ takes these as they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..memory.profile import Origin
from .model import Amount, SamplingCall, Stage
from .multitrace import ARRAY, CONVERTS, SMALL, known, loaded, points


def stages(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Stage]:
    """The stages of a call."""
    entries = call.chains * call.draws
    result = Amount("result: draws", entries * known(call.made))
    small = Amount("small objects", SMALL, Origin.MEASURED)
    running = tuple(Amount(f"function: {role}", size) for role, size in functions.items() if size)
    libraries = loaded(call, CONVERTS)
    if call.kind == "sample_prior_predictive":
        each = Amount("an array for each draw", entries * (known(call.made) + ARRAY * len(call.made)))
        yield Stage("drawing", (each, small, *running))
        yield Stage("stacking", (each, result, small))
    else:
        yield Stage("drawing", (result, small, *running, *points(call, "a dict for each draw")))
    yield Stage("result", (result, *libraries))

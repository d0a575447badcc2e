"""`pymc.sample_smc`: particles that move together on the unconstrained scale, then a trace for each chain, converted as in
`pymc.sample`.

Source: PyMC 6.4.0, pymc/smc/kernels.py and pymc/smc/sampling.py; SciPy 1.18.1, stats/_multivariate.py. At the highest point of
`IMH.mutate` there are the particles, what `Pearson` keeps of them, the proposals, and three arrays of that size within
`multivariate_normal.logpdf` (deviations, their product with the precision's root, its square). A worker sends its particles when it is
done, and they stay beside the traces that are made of them; chains that run one after the other leave those of the last.

PyMC 6 copies the densities for each chain and compiles them by numba within the call, as it does what draws from the prior and what makes
deterministic variables: a part of the whole process but where workers do it. With 4000 particles of 41 numbers and a variable of 300 the
process rose by 237.3 MiB (two chains) and by 255.7 (four), of which arrays are 35 and 56 while particles move.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..memory.profile import Origin
from .model import Amount, SamplingCall, Stage
from .pymc_chains import (
    CHECKS,
    COMPILED,
    COMPILER,
    CONVERTS,
    SMALL,
    WORKER,
    converted,
    known,
    loaded,
    log_likelihood,
    points,
    ranks,
    traced,
)

MOVING = 6
"""Number of arrays, as large as the particles, while they move."""
FUNCTIONS = 4
"""Number of functions compiled while particles move: two densities, the prior's draws, and deterministic variables."""
POINT = 240
"""Bytes of the two one-element arrays, with their list entries, that hold the densities of a particle before they are joined."""


def stages(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Stage]:
    """Yields the stages of `pymc.sample_smc`."""
    particles = call.draws * known(call.held)
    workers = min(call.cores, call.chains) if call.parallel else 0
    where, at_once = ("workers", workers) if workers else ("parent", 1)
    small = Amount("small objects", SMALL, Origin.MEASURED)
    kept = Amount("particles of finished chains", particles * (call.chains if workers else 1))
    held = (*traced(call), kept, small)
    moving = [Amount("particles while they move", at_once * (MOVING * particles + POINT * call.draws), where=where)]
    if workers:
        moving.append(Amount("worker processes", workers * WORKER, Origin.MEASURED, where))
    if call.major >= 6 and workers:
        moving.append(Amount("functions while they are compiled", workers * (COMPILER + FUNCTIONS * COMPILED), Origin.MEASURED, where))
    running = [Amount(f"function: {role}", at_once * size, where=where) for role, size in functions.items() if size and role == "densities"]
    yield Stage("sampling", (*traced(call), *moving, *running, small))
    result: tuple[Amount, ...] = ()
    if call.converted or call.checks:
        result = (*converted(call), *loaded(call, CONVERTS))
        yield Stage("conversion", (*held, *result))
        if call.log_likelihood:
            result = (*result, *log_likelihood(call))
            yield Stage("log-likelihood", (*held, *result, *points(call, "log-likelihood: a dict for each draw")))
        if call.checks:
            checked = tuple(ranks(call))
            result = (*result, *(loaded(call, CHECKS) if checked else ()))
            yield Stage("convergence checks", (*held, *result, *checked))
    yield Stage("result", result if call.converted else held)

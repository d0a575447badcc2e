"""Draws that PyMC writes to a zarr store while sampling (`trace=ZarrTrace(...)`).

Source: PyMC 5.28.5 and 6.4.0, pymc/backends/zarr.py; zarr 2.18.7. A chain collects `draws_per_chunk` draws, stacks one variable after the
other and writes it; with chains in parallel each worker does that, unless the store is in memory. After the last draw the draws of tuning
are split off: of one variable after the other, all draws of all chains are read and written once more. Measured, 4000 numbers in one
variable, 700 draws of two chains and 300 (1000, 2) of tuning by 50, which is 42.7 MiB (61.0, 42.7) read at once: the process rose by 74.8
(105.6, 75.4) MiB; by 500 draws, 104.1. So beside what is read there are its chunks as they are stored, compressed to two thirds and counted
in full, and two chunks. The result is opened, not read; the convergence checks read all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..memory.profile import Origin
from .model import Amount, DrawArray, SamplingCall, Stage
from .pymc_chains import CHECKS, CONVERTS, SMALL, converted, known, loaded, log_likelihood, of_draw, points, ranks, running

ARRAY, NUMBER = 128, 40
"""Bytes of an array's object and of a statistic's, with their places in a list, beside their values."""


def stages(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Stage]:
    """Yields the stages of a sampler call that writes its draws to a zarr store."""
    rows = [v for v in call.variables if call.storage_transformed or v.kind != "transformed"]
    workers = min(call.cores, call.chains) if call.parallel and not call.storage_in_memory else 0
    at_once = workers or (min(call.cores, call.chains) if call.parallel else 1)
    where = "workers" if workers else "parent"
    small = Amount("small objects", SMALL, Origin.MEASURED)
    stored: tuple[Amount, ...] = ()
    if call.storage_in_memory:
        every = call.chains * (call.draws + call.tune) * (known(rows) + of_draw(call.statistics))
        stored = (Amount("zarr's store, before it is compressed", every, Origin.BOUNDED),)
    chunk = min(call.storage_chunk or 1, call.draws + call.tune)
    buffer = chunk * (known(rows) + ARRAY * len(rows) + NUMBER * len(call.statistics))
    held = (*stored, small)
    written = (
        Amount("draws until they are written", at_once * buffer, where=where),
        Amount("a variable that is written", at_once * chunk * _largest(rows), where=where),
    )
    yield Stage("sampling", (*held, *written, *running(call, functions)))
    if call.tune:
        read = call.chains * max(call.draws, call.tune) * _largest(rows)
        again = Amount("its chunks as they are stored", read, Origin.BOUNDED)
        chunks = Amount("chunks that are read and written", 2 * chunk * _largest(rows), Origin.MEASURED)
        yield Stage("splitting off the tuning", (*held, Amount("a variable, all draws", read), again, chunks))
    result: tuple[Amount, ...] = loaded(call, CONVERTS) if call.converted or call.checks else ()
    if call.log_likelihood:
        result = (*result, *log_likelihood(call))
        yield Stage("log-likelihood", (*held, *converted(call), *result, *points(call, "log-likelihood: a dict for each draw")))
    if call.checks:
        checked = ranks(call)
        read_in = tuple(converted(call)) if checked else ()
        result = (*result, *(loaded(call, CHECKS) if checked else ()))
        yield Stage("convergence checks", (*held, *read_in, *result, *checked))
        result = (*result, *(read_in if call.converted else ()))
    yield Stage("result", (*stored, *result))


def _largest(rows: list[DrawArray]) -> int:
    """Bytes that the largest variable takes for one draw."""
    return max((known([v]) for v in rows), default=0)

"""PyMC's own samplers: arrays in memory for every chain, which are copied into an InferenceData or DataTree while the originals still
exist.

Source: PyMC 5.28.5 and 6.4.0, read and measured. pymc/backends/ndarray.py, `NDArray.setup`: an array of draws + tune entries for each
variable (on the unconstrained scale too) and each statistic, for each chain, in the process that called, also where chains run in worker
processes (pymc/sampling/parallel.py sends point by point through shared memory). pymc/backends/arviz.py: `np.array([values of each
chain])`, a copy of every variable but the transformed ones, without tuning unless `discard_tuned_samples=False`; the MultiTrace lives on
until `sample` returns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..memory.profile import Origin
from ..units import MIB
from .model import Amount, DrawArray, DrawStatistic, SamplingCall, Stage

WORKER = 12 * MIB
"""Memory that a forked worker does not share with its parent, in bytes (Private_Dirty of /proc/PID/smaps_rollup, PyMC 6.4.0 on CPython
3.12)."""
IMPORTED, ANEW = {5: 186 * MIB, 6: 86 * MIB}, 31 * MIB
"""What a worker that starts anew (`spawn`, `forkserver`) takes beside that, in bytes: the libraries, by PyMC's major version, and its
functions, compiled once more (Private_Dirty: `import pymc` of 5.28.5 and 6.4.0; NUTS of 6.4.0: 129.1 and 128.4 MiB in all)."""
HELPERS = {"spawn": 6 * MIB, "forkserver": 13 * MIB}
"""Bytes of multiprocessing's helper processes (resource tracker, fork server; CPython 3.12)."""
COMPILER, COMPILED = 29 * MIB, 45 * MIB
"""What a worker takes beside that where it compiles while it samples, in bytes, once and for each function of the steps. PyMC 6 runs them
by numba, which compiles at the first call; only `init_nuts` makes it before. The upper case: numba's
cache on disk is empty, as in the first run of a model (measured then, PyMC 6.4.0: one function, Slice, 76 MiB; three, of NUTS and
Metropolis, 164 in each of two workers); a later run finds its code there and takes little of it."""
CHECKED = 82
"""Bytes for each draw of one element at the peak of `rhat` (tracemalloc; the same for arviz-stats 1.3.3 and ArviZ 0.23.4): ranks, their
normal quantiles, and intermediate copies. Elements are processed one after the other."""
FEWEST_CHECKED = 100
"""PyMC skips the checks if a chain has fewer draws than this (pymc/stats/convergence.py)."""
STACKED_OBJECT = 305
"""Bytes for each draw of one chain while a statistic of Python objects is stacked (pymc/backends/base.py: `np.vstack(list(values))`)."""
ARRAY = 128
"""Overhead in bytes of the array of one draw: the NumPy object, the allocator's header and the entry in a tuple; measured."""
LEFT_OUT = ("tune", "in_warmup")
"""Statistics that the conversion leaves out."""
CONVERTS, CHECKS = {"arviz_base": 4 * MIB}, {"arviz_stats": 3 * MIB, "scipy.stats": 42 * MIB}
"""Libraries that are loaded at the first conversion and at the first check -> what they take, measured (PyMC 6.4.0, CPython 3.12); most of
what ArviZ's checks load is SciPy, which a script may have loaded before."""
GOES = ("result: ", "trace: ")
"""Prefixes of the lines whose memory is freed when the script drops the result of the call."""
SMALL = 6 * MIB
"""Bytes that the allocators of the interpreter and the C library keep in addition to the arrays; measured."""


def stages(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Stage]:
    """Yields the stages of a call that PyMC itself samples, from the first draw to what it returns."""
    held = [*traced(call), Amount("small objects", SMALL, Origin.MEASURED)]
    yield Stage("sampling", (*held, *running(call, functions)))
    result: list[Amount] = []
    if call.converted or call.checks:
        result += [*converted(call), *loaded(call, CONVERTS)]
        yield Stage("conversion", (*held, *result, *_stacked(call)))
        if call.log_likelihood:
            result += log_likelihood(call)
            yield Stage("log-likelihood", (*held, *result, *_density(call)))
        if call.checks:
            checked = ranks(call)
            result += loaded(call, CHECKS) if checked else ()
            yield Stage("convergence checks", (*held, *result, *checked))
    yield Stage("result", tuple(result if call.converted else held))


def result_alone(call: SamplingCall) -> Iterator[Stage]:
    """Yields the result as the only stage, for a call about which nothing else is known."""
    yield Stage("result", (*converted(call), *loaded(call, CONVERTS)))


def loaded(call: SamplingCall, sizes: Mapping[str, int]) -> tuple[Amount, ...]:
    """Returns the amounts of memory for the libraries that the call loads; `sizes` maps each library to its bytes."""
    return tuple(Amount(f"library {name}", size, Origin.MEASURED) for name, size in sizes.items() if name in call.loads)


def _some(what: str, count: int) -> tuple[Amount, ...]:
    """One Amount of `count` bytes under the name `what`; empty for 0 bytes."""
    return (Amount(what, count),) if count else ()


def known(arrays: Sequence[DrawArray]) -> int:
    """Returns the bytes of these arrays for one draw, without arrays of unknown size."""
    return sum(a.bytes for a in arrays if isinstance(a.bytes, int))


def of_draw(statistics: Sequence[DrawStatistic]) -> int:
    """Returns the bytes of these statistics for one draw."""
    return sum(s.bytes for s in statistics)


def traced(call: SamplingCall) -> Iterator[Amount]:
    """Yields the bytes of the traces of all chains after the last draw, by kind of variable."""
    entries = call.chains * (call.draws + call.tune)
    for kind, what in KINDS.items():
        yield from _some(f"trace: {what}", entries * known([v for v in call.variables if v.kind == kind]))
    yield from _some("trace: statistics", entries * of_draw(call.statistics))


KINDS = {"free": "free variables", "transformed": "transformed variables", "deterministic": "deterministic variables"}
"""Kind of variable -> label."""


def running(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Amount]:
    """Yields the amounts that the process holds only while draws are made."""
    workers = min(call.cores, call.chains) if call.parallel else 0
    where = "workers" if workers else "parent"
    if workers:
        compiles = call.major >= 6 and "logp and gradient" not in call.functions
        steps = max(1, len(call.functions.get("steps", ())))  # those that the script itself made are not told apart
        own = WORKER + (COMPILER + COMPILED * steps if compiles else 0)
        yield Amount("worker processes", workers * own, Origin.MEASURED, where)
        yield from anew(call, workers)
    for name in ("logp and gradient", "steps", "trace"):
        count = functions.get(name, 0)
        at_once = workers if workers and name != "trace" else 1
        if count:
            yield Amount(f"function: {name}", at_once * count, Origin.DERIVED, where if name != "trace" else "parent")


def anew(call: SamplingCall, workers: int) -> Iterator[Amount]:
    """Yields the amounts of memory that worker processes need in addition if they are not forked (`spawn`, `forkserver`)."""
    if call.start_method in HELPERS:
        each = IMPORTED.get(call.major, IMPORTED[6]) + ANEW
        yield Amount("libraries and functions of workers that start anew", workers * each, Origin.MEASURED, "workers")
        yield Amount("processes of multiprocessing", HELPERS[call.start_method], Origin.MEASURED, "workers")


def converted(call: SamplingCall) -> Iterator[Amount]:
    """Yields the amounts of the result: copies of the draws, and their coordinates."""
    chosen = [v for v in call.variables if call.include_transformed or v.kind != "transformed"]
    statistics = [s for s in call.statistics if s.name not in LEFT_OUT]
    yield from _some("result: draws", call.entries * known(chosen))
    yield from _some("result: statistics", call.entries * of_draw(statistics))
    yield from _some("result: coordinates", 2 * 8 * call.entries // max(1, call.chains))


def _stacked(call: SamplingCall) -> tuple[Amount, ...]:
    """Temporary memory while a statistic whose values are Python objects (`warning`) is stacked."""
    objects = any(s.dtype == "object" for s in call.statistics)
    return _some("stacking of warnings", STACKED_OBJECT * max(call.draws, 0 if call.discard_tuned else call.tune) if objects else 0)


def log_likelihood(call: SamplingCall) -> tuple[Amount, ...]:
    """Returns a tuple with the Amount of the log-likelihood arrays in the result; empty if there are none."""
    return _some("result: log-likelihood", call.chains * call.draws * known(call.log_likelihood))


def _density(call: SamplingCall) -> tuple[Amount, ...]:
    """Temporary memory while the log-likelihood is computed. PyMC3 and 4 collect the arrays of a chain and stack them."""
    if call.major >= 5:
        return points(call, "log-likelihood: a dict for each draw")
    largest = max((known([v]) for v in call.log_likelihood), default=0)
    return _some("log-likelihood of one chain, draw by draw and stacked", call.draws * (2 * largest + ARRAY))


def points(call: SamplingCall, what: str) -> tuple[Amount, ...]:
    """Returns a tuple with the Amount of one dict for each draw, with a view of each free variable (pymc/backends/arviz.py,
    `dataset_to_point_list`).
    """
    free = [v for v in call.variables if v.kind == "free"]
    slots = 8
    while slots * 2 // 3 < len(free):
        slots *= 2
    table = 96 + slots + 16 * (slots * 2 // 3)
    views = sum(96 + 16 * len(v.shape) for v in free)
    return _some(what, call.chains * call.draws * (8 + table + views))


def ranks(call: SamplingCall) -> tuple[Amount, ...]:
    """Returns a tuple with the Amount that the convergence checks hold; empty if there are too few draws or chains."""
    runs = call.draws >= FEWEST_CHECKED and call.chains > 1
    return _some("ranks of one element", CHECKED * call.chains * call.draws if runs else 0)

"""The profiles of a script's sampler calls, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..memory.profile import Origin
from ..units import MIB
from . import jax_chains, nutpie, post_sampling, pymc_chains, smc, zarr_store
from .model import Amount, SamplingCall, SamplingProfile, Stage
from .pymc_chains import ARRAY, COMPILER, CONVERTS, GOES, SMALL, anew, converted, known, loaded, points, traced


def stages(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Stage]:
    """Yields the stages of a call that computes something for each draw without sampling, such as predictions."""
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


WORKING: Mapping[str, tuple[int, int]] = {
    "l-bfgs-b": (0, 50), "cg": (0, 19), "tnc": (0, 23), "newton-cg": (0, 22), "trust-ncg": (0, 19), "trust-constr": (0, 51),
    "bfgs": (6, 96), "slsqp": (11, 58), "trust-krylov": (4, 117), "trust-exact": (4, 13), "dogleg": (3, 10), "powell": (1, 10),
    "nelder-mead": (3, 9),
}  # fmt: skip
"""Method -> number of float64 values at its peak, as (coefficient of n², coefficient of n) for n parameters (tracemalloc; SciPy 1.18.1,
300 and 600 parameters, rounded up; includes two arrays of n values that the function returns)."""
BLAS = 9 * MIB
"""Bytes of the buffer into which OpenBLAS packs operands: touched at the first product of large matrices, then kept (one thread; 8.6 MiB
in NumPy 2.5.5, 9.5 MiB within numba)."""
COPIES = 2
"""Additional arrays, as large as the particles, that SVGD's step holds; measured. The gradient with respect to the particles is in
reverse order, and numba's `dot` copies such an operand (one step took 26.7 MiB, of which its arrays are 19.5 and the particles 6.1); in
the loop the C library keeps another one."""
INVERSE = 7
"""Number of matrices at the peak of pymc/tuning/scipy_interface.py, `_compute_inverse_hessian`: the basis, the Hessian, its symmetric
half, and the copy, the two work arrays and the result of LAPACK's syevd."""


NUMBER, LIST = 32, 72
"""Bytes of a number in a list (CPython's float, and the place in the list), and of a list with its place in another one."""
VISITED = 130 * MIB
"""Bytes that a forked worker of `fit_pathfinder` has for itself before it compiles: Python's collector visits, and so copies, 131 of the
222 MiB of objects that the parent has (PyMC 6.3.2, pymc-extras 0.15.1)."""


def fit(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Stage]:
    """Yields the stages of `pymc.fit`, in bytes in addition to the fitted parameters, which exist before it starts."""
    losses = (Amount("losses", 8 * call.draws),) if call.scored else ()
    tracked = (Amount("result: tracked values", call.draws * known(call.variables)),) if call.variables else ()
    size = known([v for v in call.held if v.kind == "optimizer"])
    state = (Amount("state of the optimizer", size),) if size else ()
    small = Amount("small objects", SMALL, Origin.MEASURED)
    step = functions.get("step", 0)
    running = (Amount("function: step", step),) if step else ()
    if call.sampler == "svgd":
        particles = known([v for v in call.held if v.kind == "fitted"])
        running = (*running, Amount("copies of the particles", COPIES * particles, Origin.MEASURED))
    yield Stage("fitting", (*state, *losses, *tracked, *running, small))
    if losses:  # joined with those of an earlier fit
        yield Stage("joining losses", (*state, *losses, *tracked, Amount("result: losses", 8 * call.draws), small))
    kept = (Amount("result: losses", 8 * call.draws),) if losses else ()
    yield Stage("result", (*state, *kept, *tracked))


def draws(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Stage]:
    """Yields the stages of `Approximation.sample`."""
    small = Amount("small objects", SMALL, Origin.MEASURED)
    at_once = Amount("draws of the approximation", call.draws * known(call.made))
    running = max(functions.get("drawing", 0), at_once.bytes)
    trace = tuple(traced(call))
    product = (Amount("work space of BLAS", BLAS, Origin.MEASURED),) if call.sampler.startswith("fullrank") else ()
    yield Stage("drawing", (Amount("function: drawing", running), *product, small))
    # The C library does not give back what the function frees: the trace goes there, and the rest stays.
    rest = max(0, running - at_once.bytes - sum(a.bytes for a in trace))
    kept = (*product, *((Amount("memory freed by the function but kept by the C library", rest),) if rest else ()))
    held = (at_once, *trace, *kept, small)
    yield Stage("recording", held)
    result = (*converted(call), *loaded(call, CONVERTS)) if call.converted else tuple(traced(call))
    if call.converted:
        yield Stage("conversion", (*held, *result))
    yield Stage("result", (*result, *kept))


def _optimizer(call: SamplingCall) -> Amount:
    """The working arrays of SciPy's optimizer."""
    count = sum(v.shape[0] for v in call.held if v.kind == "optimized" and isinstance(v.shape[0], int))
    method = call.sampler.lower().rpartition(" ")[2]
    square, length = WORKING.get(method, WORKING["l-bfgs-b"])
    origin = Origin.MEASURED if method in WORKING else Origin.BOUNDED
    return Amount(f"working arrays of {call.sampler}", 8 * (square * count**2 + length * count), origin)


def laplace(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Stage]:
    """Yields the stages of `fit_laplace` and `fit_dadvi` of pymc-extras (0.15.1), which find an optimum and then draw around it.

    In `fit_laplace` one function makes all draws; in `fit_dadvi` a function fills the arrays of its result draw by draw.
    """
    small = Amount("small objects", SMALL, Origin.MEASURED)
    running = {role: (Amount(f"function: {role}", size),) for role, size in functions.items() if size}
    inverse = sum(v.bytes for v in call.held if v.kind == "inverse Hessian" and isinstance(v.bytes, int))
    yield Stage("fitting", (_optimizer(call), *_some(inverse), *running.get("fit", ()), small))
    moved = call.draws * known([v for v in call.variables if v.sampled]) if call.include_transformed else 0
    unconstrained = (Amount("result: draws on the unconstrained scale", moved),) if moved else ()
    given = replace(call, include_transformed=False)
    result = (*converted(given), *unconstrained, *_some(inverse), *loaded(call, CONVERTS))
    if "drawing" in running:
        yield Stage("drawing", (*result, *running["drawing"], small))
    yield Stage("result", result)


def pathfinder(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Stage]:
    """Yields the stages of `pymc_extras.fit_pathfinder` (0.15.1).

    Each path returns its draws on the unconstrained scale, by default from a worker process, which sends them as bytes. The draws are
    stacked, then joined, and some are chosen, whose numbers become Python's, in lists. Then one function computes all variables of all
    draws, and another one computes the deterministic variables again, draw by draw.
    """
    paths, of_all = call.held[0].shape[0], known(call.held)
    count = paths if isinstance(paths, int) else 1
    workers = min(call.cores, count) if call.parallel else 0
    where, at_once = ("workers", workers) if workers else ("parent", 1)
    small = Amount("small objects", SMALL, Origin.MEASURED)
    there = Amount("draws of all paths", of_all)
    running = [Amount("function: path", at_once * functions.get("path", 0), where=where)]
    if workers:
        code = COMPILER + call.worker_code_bytes
        running.append(Amount("worker processes", workers * VISITED, Origin.MEASURED, where))
        running.append(Amount("draws as bytes, on their way", workers * of_all // count, where=where))
        running.append(Amount("functions while they are compiled", workers * code, Origin.MEASURED, where))
        running += anew(call, workers)
    yield Stage("paths", (there, *running, small))
    entries, sampled = call.chains * call.draws, [v for v in call.variables if v.sampled]
    each = entries * known(sampled)
    chosen, arrays = Amount("chosen draws", each), Amount("draws of each variable", each)
    yield Stage("choosing draws", (there, Amount("draws of all paths, stacked and joined", 2 * of_all), chosen, small))
    lists = Amount("numbers in lists", NUMBER * (each // 8) + LIST * entries * len(sampled))
    yield Stage("conversion", (chosen, lists, arrays, small))
    result = (*converted(call), *loaded(call, CONVERTS))
    yield Stage("results", (chosen, arrays, Amount("function: results", functions.get("results", 0)), small))
    again = entries * known([v for v in call.variables if v.kind == "deterministic"])
    if again:
        yield Stage("deterministic variables", (chosen, *result, Amount("deterministic variables, computed again", again), small))
    yield Stage("result", result)


def optimum(call: SamplingCall, functions: Mapping[str, int]) -> Iterator[Stage]:
    """Yields the stages of `find_MAP`."""
    small = Amount("small objects", SMALL, Origin.MEASURED)
    working = _optimizer(call)
    own = functions.get("logp and gradient", 0)
    running = (Amount("function: logp and gradient", own),) if own else ()
    yield Stage("optimizing", (working, *running, small))
    inverse = sum(v.bytes for v in call.held if v.kind == "inverse Hessian" and isinstance(v.bytes, int))
    if inverse:
        yield Stage("inverse Hessian", (Amount("matrices", INVERSE * inverse), *running, small))
    result = (Amount("result: values", known(call.made)), *_some(inverse), *loaded(call, CONVERTS))
    yield Stage("result", result)


def _some(inverse: int) -> tuple[Amount, ...]:
    return (Amount("result: inverse Hessian", inverse),) if inverse else ()


KINDS: Mapping[str, Callable[[SamplingCall, Mapping[str, int]], Iterator[Stage]]] = {
    "fit": fit, "Approximation.sample": draws, "find_MAP": optimum,
    "fit_laplace": laplace, "fit_dadvi": laplace, "fit_pathfinder": pathfinder,
}  # fmt: skip
"""Kind of call -> function that yields its stages."""


EARLIER = "results of earlier calls"
UNCOUNTED = {
    "loops": "what numba compiles for nutpie of the model's loops (Scan)",
    "trees": "the trees of PyMC-BART, which a process of its own keeps",
}
"""Listed as unknown for such models: one with a Scan over 100 months took more than 200 MiB beyond what was then assumed for nutpie; 50
trees for 3000 draws together 408 MiB in PyMC-BART's server process (0.11.0, `multiprocessing.Manager`), beside 373 of the script's own."""
Functions = Mapping[str, int]
"""Purpose of a compiled function -> bytes that it needs while it runs."""


def profile(call: SamplingCall, functions: Functions | None = None, before: int = 0) -> SamplingProfile:
    """Returns the memory profile of `call`; the results of earlier calls hold `before` bytes."""
    earlier = (Amount(EARLIER, before),) if before else ()
    stages = tuple(Stage(s.name, (*earlier, *s.amounts)) for s in _stages(call, functions or {}))
    stages = (*stages, *post_sampling.stage(call, stages[-1]))
    unknown = tuple(v.name for v in (*call.variables, *call.log_likelihood, *call.made, *call.held) if not isinstance(v.bytes, int))
    return SamplingProfile(call, stages, (*unknown, *(UNCOUNTED[part] for part in call.uncounted_parts)), before)


def _stages(call: SamplingCall, functions: Functions) -> Iterator[Stage]:
    """The stages of a call, from the module that models its sampler."""
    if call.uncounted:
        return pymc_chains.result_alone(call)
    if call.kind in KINDS:
        return KINDS[call.kind](call, functions)
    if call.kind == "sample_smc":
        return smc.stages(call, functions)
    if call.kind != "sample":
        return stages(call, functions)
    if call.sampler in ("numpyro", "blackjax"):
        return jax_chains.stages(call)
    if call.storage_chunk:
        return zarr_store.stages(call, functions)
    return nutpie.stages(call) if call.sampler == "nutpie" else pymc_chains.stages(call, functions)


def profiles(calls: Sequence[SamplingCall], functions: Sequence[Functions]) -> tuple[SamplingProfile, ...]:
    """Returns the memory profiles of all sampler calls of a script; `functions` has the bytes of the functions of each call."""
    profiled: list[SamplingProfile] = []
    for position, (call, own) in enumerate(zip(calls, functions)):
        profiled.append(profile(call, own, sum(_left(p, position) for p in profiled)))
    return tuple(profiled)


def _left(earlier: SamplingProfile, position: int) -> int:
    """Bytes that an earlier call still holds when call number `position` begins; libraries stay loaded if its result is gone."""
    dropped = earlier.call.dropped_before is not None and earlier.call.dropped_before <= position
    there = sum(a.bytes for a in earlier.result.amounts if a.what != EARLIER and not (dropped and a.what.startswith(GOES)))
    return there + post_sampling.kept(earlier.call)

"""Plans: what the call would hold with other arguments; each is simulated like the call itself."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..ir import Unknown
from ..units import MIB
from . import post_sampling
from .model import OWN_CODE, DrawArray, OwnCode, ProgramFigures, SamplingCall, SamplingPlan, SamplingProfile
from .simulate import Functions, profile

SHARE = 0.1
"""Minimum share of the peak that a variable must have for a plan to leave it out."""


OLDER = (3, 4)
"""Major versions of PyMC whose `sample` has no `var_names` and computes the log-likelihood unless told not to."""
CHUNK, CHUNK_BYTES = 100, 4 * MIB
"""Draws, and bytes of draws, that a plan writes to a store at once."""
NUTPIE = "nutpie.sample"
"""Name of nutpie's own function in `SamplingCall.entry`."""
THIN = 10
"""A plan keeps one of this many draws, if the peak is in the script's own code or in values computed for each draw."""
OF_DRAWS = ("sample_posterior_predictive", "compute_log_likelihood", "compute_log_prior")
"""Kinds of calls that process the draws of an earlier call."""
ZARR = "pymc.backends.zarr.ZarrTrace"


def plans(current: SamplingProfile, functions: Functions, available: int | None = None, on_card: bool = False) -> tuple[SamplingPlan, ...]:
    """Returns the changes of a call's arguments that lower its peak on the host. The one that saves most comes first, draws on disk last.

    Args:
        current: What the call holds as it is.
        functions: Own memory of each of its functions, in bytes.
        available: Bytes of host memory that there are, for the number of draws.
        on_card: Whether JAX runs on a card: then also the plans that lower what its arrays take there.
    """
    candidates = [
        SamplingPlan(change, note, profile(call, functions, current.before_bytes))
        for change, note, call in _changes(current, functions, available)
    ]
    if on_card and current.device_bytes and current.call.post_device != "cpu":
        call = replace(current.call, post_device="cpu")
        note = "the host makes the results out of the draws"
        candidates.append(
            SamplingPlan(_option(call, "postprocessing_backend", "cpu"), note, profile(call, functions, current.before_bytes))
        )
    lower = [p for p in candidates if p.after.peak.bytes < current.peak.bytes or (on_card and p.after.device_bytes < current.device_bytes)]
    return tuple(sorted(lower, key=lambda p: (on_disk(p.change), p.after.peak.bytes)))


def _changes(current: SamplingProfile, functions: Functions, available: int | None) -> Iterator[tuple[str, str, SamplingCall]]:
    call = current.call
    if call.kind in OF_DRAWS:
        yield from _of_fewer_draws(current, functions, available)
    if call.kind != "sample" or call.uncounted:
        return
    yield from _fewer_variables(current)
    yield from _batches(current, functions, available)
    if current.peak.name == OWN_CODE:
        yield _thinned(call)
    if not call.discard_tuned and call.tune:
        yield (
            "save_warmup=False" if call.entry == NUTPIE else "discard_tuned_samples=True",
            "without the draws of tuning",
            replace(call, discard_tuned=True),
        )
    if call.log_likelihood:
        unasked = "without values that PyMC computes by default"
        note = unasked if call.major in OLDER else "pymc.compute_log_likelihood does it later, once the trace is gone"
        yield 'idata_kwargs={"log_likelihood": False}', note, replace(call, log_likelihood=(), density={}, density_constants=0)
    if call.checks:
        yield "compute_convergence_checks=False", "check rhat and ess yourself", replace(call, checks=False)
    if call.sampler in ("numpyro", "blackjax") and call.vectorize == "vmap":
        note = "results are made draw by draw instead of all at once"
        yield _option(call, "postprocessing_vectorize", "scan"), note, replace(call, vectorize="scan")
    if call.sampler in ("numpyro", "blackjax") and call.chain_method == "vectorized" and 1 < call.chains <= (call.local_devices or 0):
        note = "a device for each chain, so that no draws are transposed"
        yield _option(call, "chain_method", "parallel"), note, replace(call, chain_method="parallel", devices=call.chains)
    if call.sampler == "pymc" and call.storage is None and call.major >= 5:
        yield _store(call)
    if call.parallel:
        yield "cores=1", "chains run one after the other", replace(call, cores=1, parallel=False)
    if any(v.dtype == "float64" for v in call.variables):
        note = "single precision throughout; a Deterministic of data in float64 would stay float64"
        yield 'pytensor.config.floatX = "float32"  # before the model, and its data as float32', note, _single(call)


def _of_fewer_draws(current: SamplingProfile, functions: Functions, available: int | None) -> Iterator[tuple[str, str, SamplingCall]]:
    """Plans for calls that compute a value for each draw: parts of the draws, every tenth draw, or fewer variables."""
    call = current.call
    source = "trace" if call.kind == "sample_posterior_predictive" else "idata"
    returned = "; keep what it returns: extend_inferencedata extends the part, not idata"
    draws = _draws_at_once(current, functions, available, THIN)
    if 0 < draws < call.draws:
        note = f"{-(-call.draws // draws)} parts; each is reduced, or written to disk, and dropped before the next{returned}"
        if call.kind == "compute_log_likelihood":
            note += "; LOO then goes through parts of the rows (docs/how-to/pymc-killed.md)"
        yield f"{source}=idata.isel(draw=slice(start, start + {draws}))", note, shorter(call, draws)
    if call.draws >= THIN:
        note = f"only every {THIN}th draw; quantiles and loo are then based on a tenth of the draws{returned}"
        yield f"{source}=idata.isel(draw=slice(None, None, {THIN}))", note, shorter(call, -(-call.draws // THIN))
    large = [v for v in call.made if v.name not in call.read and _size(v) * call.chains * call.draws >= SHARE * current.peak.bytes]
    if large and len(large) < len(call.made):
        kept = [v for v in call.made if v not in large]
        dropped = ", ".join(v.name for v in large)
        note = f"without {dropped}, which another call may compute once this result is dropped"
        yield f"var_names={[v.name for v in kept]!r}", note, replace(call, made=tuple(kept))


def _thinned(call: SamplingCall) -> tuple[str, str, SamplingCall]:
    """A plan that gives the script's own code every `THIN`th draw: (change, note, call)."""
    part = shorter(call, -(-call.draws // THIN))
    size, left = (post_sampling.at(part, figure)[0] for figure in (lambda row: row.peak, lambda row: row.kept))
    note = f"your own code computes with every {THIN}th draw only"
    return (
        f"idata.isel(draw=slice(None, None, {THIN}))",
        note,
        replace(call, own_code=(OwnCode(call.draws, size, left, post_sampling.untraced(call)),)),
    )


def _option(call: SamplingCall, name: str, value: str) -> str:
    """An option of numpyro or blackjax as the call takes it: `pymc.sample` among those of NUTS in PyMC 6, which refuses it elsewhere."""
    if call.entry:  # PyMC's functions for JAX
        return f'{name}="{value}"'
    where = "nuts" if call.major >= 6 else "nuts_sampler_kwargs"
    return f'{where}={{"{name}": "{value}"}}'


def _fewer_variables(current: SamplingProfile) -> Iterator[tuple[str, str, SamplingCall]]:
    """Plans that drop large deterministic variables that the script does not read, and that can be computed again from the others."""
    call = current.call
    copies = 2 * call.chains * call.draws
    chosen = [v for v in call.variables if call.var_names is None or v.kind == "transformed" or v.name in call.var_names]
    large = [v for v in chosen if v.kind == "deterministic" and v.name not in call.read and _size(v) * copies >= SHARE * current.peak.bytes]
    if large:
        kept = [v for v in chosen if v not in large]
        names = [v.name for v in kept if v.kind != "transformed"]
        dropped = ", ".join(v.name for v in large)
        note = f"without {dropped}; pymc.compute_deterministics recomputes it for the draws that you keep"
        if call.major in OLDER:
            note = f"without {dropped}; the trace contains the values from which it is computed"
        if call.sampler == "pymc":
            left = replace(call, variables=tuple(v for v in kept if v.kind != "transformed"), var_names=tuple(names))
        else:  # what they move they keep; XLA was not asked about fewer results
            left = replace(call, var_names=tuple(names), post_processing={})
        argument = f"trace=[model[name] for name in {names!r}]" if call.major in OLDER else f"var_names={names!r}"
        if call.entry == NUTPIE:
            argument = f"nutpie.compile_pymc_model(model, {argument})"
        yield argument, note, left


def _size(v: DrawArray) -> int:
    return 0 if isinstance(v.bytes, Unknown) else v.bytes


def _batches(current: SamplingProfile, functions: Functions, available: int | None) -> Iterator[tuple[str, str, SamplingCall]]:
    """Yields a plan that draws in batches, as many draws at once as fit, else a quarter; each batch is written to disk and dropped."""
    call = current.call
    draws = _draws_at_once(current, functions, available, 4)
    if 0 < draws < call.draws:
        note = f"{-(-call.draws // draws)} batches, each written to disk (idata.to_netcdf) and dropped; or keep only some of the draws"
        yield f"draws={draws}", note, shorter(call, draws)


def _draws_at_once(current: SamplingProfile, functions: Functions, available: int | None, parts: int) -> int:
    """The largest number of draws that fits; if all fit, their number divided by `parts`."""
    if available is not None and current.peak.bytes > available:
        return _most_draws(current.call, functions, current.before_bytes, available)
    return current.call.draws // parts


def _most_draws(call: SamplingCall, functions: Functions, before: int, available: int) -> int:
    """The largest number of draws per chain that fits; 0 where not even one does."""
    low, high = 0, call.draws
    while low < high:
        middle = (low + high + 1) // 2
        if profile(shorter(call, middle), functions, before).peak.bytes <= available:
            low = middle
        else:
            high = middle - 1
    return low


def shorter(call: SamplingCall, draws: int) -> SamplingCall:
    """Returns a copy of the call with `draws` draws. XLA's figures are scaled too, except for the temporaries of a sampler, which do not
    depend on the number of draws.
    """
    post, density = ({name: scaled(p, draws, call.draws) for name, p in by_way.items()} for by_way in (call.post_processing, call.density))
    return replace(call, draws=draws, post_processing=post, density=density)


def scaled(p: ProgramFigures, part: int, whole: int) -> ProgramFigures:
    """Returns XLA's figures for `part` of `whole` draws, rounded up."""
    return ProgramFigures(*(-(-n * part // whole) for n in (p.argument, p.output, p.temporary, p.alias)))


def on_disk(change: str) -> bool:
    """Returns whether a change keeps the draws on disk, so that the call returns another object."""
    return change.startswith("trace=ZarrTrace")


def _store(call: SamplingCall) -> tuple[str, str, SamplingCall]:
    """A plan that keeps the draws on disk: (change, note, call). The draws are neither converted nor checked, which would read all of them
    into memory.
    """
    one = sum(map(_size, call.variables))
    chunk = max(1, min(CHUNK, CHUNK_BYTES // max(1, one)))
    change = f'trace=ZarrTrace(zarr.DirectoryStore("draws.zarr"), draws_per_chunk={chunk})'
    change += ", return_inferencedata=False, compute_convergence_checks=False"
    note = "ZarrTrace is in pymc.backends.zarr, which needs zarr below 3; draws go to disk as they are made"
    stored = replace(call, storage=ZARR, storage_chunk=chunk, converted=False, checks=False, log_likelihood=())
    return change, note, stored


def _single(call: SamplingCall) -> SamplingCall:
    """The call with float32 instead of float64 arrays; the sampler's statistics keep their dtypes."""

    def narrow(v: DrawArray) -> DrawArray:
        return replace(v, dtype="float32") if v.dtype == "float64" else v

    variables, densities = (tuple(map(narrow, rows)) for rows in (call.variables, call.log_likelihood))
    post, density = ({name: scaled(p, 1, 2) for name, p in by_way.items()} for by_way in (call.post_processing, call.density))
    programs = tuple(scaled(p, 1, 2) for p in call.programs)
    return replace(call, variables=variables, log_likelihood=densities, post_processing=post, density=density, programs=programs)

"""The types: a caught call of a sampler, what it holds stage by stage, and what it would hold with other arguments.

    SamplingCall     the arguments of `pymc.sample` and the arrays of one draw, as PyMC itself prepared them
    SamplingProfile  its stages in order, each with the bytes that are there at its highest, itemised
    SamplingPlan     one changed argument, and the profile of the call with it

All bytes are above what the process holds once the model is compiled. A `Stage` has those of the process that calls (`Amount.where` is
`parent`) beside those of the worker processes together (`workers`), and those of JAX's device (`device`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..ir import Shape, Site, Unknown
from ..ir.shape import nbytes
from ..memory.profile import Origin


@dataclass(frozen=True)
class DrawArray:
    """One array that is kept of each draw."""

    name: str
    kind: str
    """`free`, `transformed`, `deterministic`, `log-likelihood`, ..."""
    dtype: str
    shape: Shape
    sampled: bool = False
    """Whether it is what the sampler moves: a value on the unconstrained scale."""

    @property
    def bytes(self) -> int | Unknown:
        """Of one draw."""
        return nbytes(self.shape, self.dtype)


@dataclass(frozen=True)
class DrawStatistic:
    """One number that a step method tells of each draw."""

    name: str
    dtype: str
    """numpy's name, `object` for Python objects."""
    bytes: int
    """Of one draw."""


@dataclass(frozen=True)
class ProgramFigures:
    """XLA's figures for one program on one device, in bytes, for this host's CPU."""

    argument: int
    output: int
    temporary: int
    alias: int
    """What of the results lies in the memory of arguments."""


@dataclass(frozen=True)
class OwnCode:
    """What the script itself took between a call and the next one, run with so many draws, in bytes."""

    draws: int
    """Of each chain."""
    peak: int
    kept: int
    """What was there when the next call began."""


@dataclass(frozen=True)
class SamplingCall:
    """A call of a sampler, with the arguments that were in force."""

    number: int
    """Position among the script's calls."""
    kind: str
    """`sample`, `sample_smc`, `sample_prior_predictive`, `sample_posterior_predictive`, `compute_log_likelihood`, `compute_log_prior`,
    `fit`, `Approximation.sample` or `find_MAP`."""
    sampler: str
    """`pymc`, `nutpie`, `numpyro` or `blackjax`; of `fit` the kind of inference, of `find_MAP` scipy's method."""
    version: str
    """PyMC's."""
    draws: int
    """Of one chain, without tuning; of `fit` the iterations."""
    tune: int
    chains: int
    cores: int = 1
    """Worker processes, where chains run in parallel."""
    parallel: bool = False
    start_method: str | None = None
    """How workers begin: `fork`, `forkserver` or `spawn`."""
    variables: tuple[DrawArray, ...] = ()
    """What a chain's trace keeps."""
    statistics: tuple[DrawStatistic, ...] = ()
    log_likelihood: tuple[DrawArray, ...] = ()
    """What `idata_kwargs` asks to be computed after the last draw."""
    made: tuple[DrawArray, ...] = ()
    """What is computed for each draw by what samples nothing: predictions, densities."""
    held: tuple[DrawArray, ...] = ()
    """What is there once, whatever the number of draws: fitted parameters, what an optimizer keeps or moves."""
    rows: int | None = None
    """Of `fit`: the most rows that an observed variable has, where no minibatch is taken of them."""
    scored: bool = False
    """Whether `fit` keeps the loss of each iteration."""
    checks: bool = True
    """`compute_convergence_checks`."""
    discard_tuned: bool = True
    """`discard_tuned_samples`."""
    converted: bool = True
    """`return_inferencedata`."""
    include_transformed: bool = False
    storage: str | None = None
    """The class of another backend than arrays in memory."""
    storage_chunk: int | None = None
    """Draws of a chain that PyMC's `ZarrTrace` collects and then writes; None: another backend, or none."""
    storage_in_memory: bool = False
    """Whether what it writes stays in the process's memory."""
    storage_transformed: bool = False
    """Whether it keeps transformed variables too."""
    var_names: tuple[str, ...] | None = None
    loads: tuple[str, ...] = ()
    """Libraries that are not there yet, which the conversion or the checks load."""
    chain_method: str = "parallel"
    """How numpyro and blackjax run chains: `parallel` or `vectorized`."""
    vectorize: str = "vmap"
    """`postprocessing_vectorize` of numpyro and blackjax: `vmap`, all draws at once, or `scan`, draw by draw."""
    post_device: str | None = None
    """`postprocessing_backend`: `cpu` or `gpu`; None: JAX's default device."""
    post_processing: Mapping[str, ProgramFigures] = field(default_factory=dict)
    """XLA's figures for the function that makes all draws' variables out of what the sampler moved, for each of `vmap` and `scan`; empty
    where it was not asked or failed."""
    density: Mapping[str, ProgramFigures] = field(default_factory=dict)
    """Those for the function that makes the log-likelihood of all draws, where `idata_kwargs` asks numpyro or blackjax for it."""
    density_constants: int = 0
    """Bytes of JAX's arrays that this function holds."""
    programs: tuple[ProgramFigures, ...] = ()
    """XLA's figures for what samples, a program after the other; empty where it was not asked or failed."""
    devices: int = 1
    """On how many devices a program of `programs` runs at once. PyMC has JAX make 100 of the CPU."""
    local_devices: int | None = None
    """How many devices JAX has; None where it was not asked."""
    sequential: bool = False
    """Whether JAX has too few devices for parallel chains, which then run one after the other."""
    constants: int = 0
    """Bytes of JAX's arrays that the log-density holds, such as the data of the model."""
    post_constants: int = 0
    """Bytes of those that the post-processing holds."""
    refused: str | None = None
    """Why there are no `programs`, where XLA was asked."""
    functions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """What a compiled function is for -> those functions, by their index in the Script."""
    site: Site | None = None
    entry: str = ""
    """The function that the script called, where it is not PyMC's of the name of `kind`, such as `nutpie.sample`."""
    uncounted: bool = False
    """Whether only its result is simulated."""
    failed: str | None = None
    """The exception at which PyMC's own preparation ended; what is not set then is a default."""
    start: str | None = None
    """Which log-densities are not finite at the model's initial point; None: all are, or it was not tried."""
    imported_bytes: int | None = None
    """Resident memory of the process once PyMC was imported; None where the system does not tell, or it was imported from elsewhere."""
    resident_bytes: int | None = None
    """The same when the call began: nothing was compiled then."""
    compiled_bytes: int | None = None
    """The same once XLA had compiled the programs of the call, with what it loaded for that; None where it was not asked."""
    present: tuple[str, ...] = ()
    """Large libraries that were loaded then."""
    own_code: tuple[OwnCode, ...] = ()
    """What the script does with the result, each with another number of draws, or twice with the same."""
    compiled_after_bytes: int = 0
    """What functions take that the script's own code compiles for the first time between this call and the next, by numba."""
    dropped_before: int | None = None
    """Number of the first later call that began after the script had dropped the result; None: it holds it to its end."""

    @property
    def name(self) -> str:
        """The function that the script called, such as `pymc.sample`."""
        return self.entry or f"pymc.{self.kind}"

    @property
    def major(self) -> int:
        """The first number of PyMC's version; 0 where it has none."""
        first = self.version.partition(".")[0]
        return int(first) if first.isdecimal() else 0

    @property
    def entries(self) -> int:
        """Draws of all chains that the result has."""
        return self.chains * (self.draws + (0 if self.discard_tuned else self.tune))


@dataclass(frozen=True)
class Amount:
    """One line of a stage."""

    what: str
    bytes: int
    origin: Origin = Origin.DERIVED
    where: str = "parent"
    """`parent`, `workers` or `device`: JAX's device, which is the host where JAX runs on the CPU."""
    live: bool = True
    """False for XLA's temporaries, which another device may need more or less of."""


@dataclass(frozen=True)
class Stage:
    """A part of the run, at its highest."""

    name: str
    amounts: tuple[Amount, ...]

    @property
    def bytes(self) -> int:
        """Of all processes together."""
        return sum(a.bytes for a in self.amounts)

    @property
    def worker_bytes(self) -> int:
        """Of the worker processes."""
        return sum(a.bytes for a in self.amounts if a.where == "workers")

    @property
    def device_bytes(self) -> int:
        """Of JAX's live arrays; its device needs at least so much, whatever XLA takes beside them."""
        return sum(a.bytes for a in self.amounts if a.where == "device" and a.live)


OWN_CODE = "your own code after sampling"
"""Name of the stage that is the script's own."""


@dataclass(frozen=True)
class SamplingProfile:
    """What a call holds, stage by stage."""

    call: SamplingCall
    stages: tuple[Stage, ...]
    unknown: tuple[str, ...] = ()
    """Names of the arrays whose size is not known: without them the figures are at least so large."""
    before_bytes: int = 0
    """What the results of earlier calls hold, which is in every stage."""

    @property
    def peak(self) -> Stage:
        """The first of the highest stages."""
        return max(self.stages, key=lambda stage: stage.bytes)

    @property
    def device_bytes(self) -> int:
        """Of JAX's live arrays at their most."""
        return max((stage.device_bytes for stage in self.stages), default=0)

    @property
    def kept_bytes(self) -> int:
        """What the call leaves: its result, and libraries that were loaded."""
        return self.result.bytes - self.before_bytes

    @property
    def result(self) -> Stage:
        """The last stage of the call itself."""
        return next(stage for stage in reversed(self.stages) if stage.name != OWN_CODE)

    @property
    def own_code_bounded(self) -> bool:
        """Whether the script's own code is told by a bound, in which nothing is there before its draws."""
        return any(a.origin is Origin.BOUNDED for a in self.stages[-1].amounts) and self.stages[-1].name == OWN_CODE

    @property
    def call_peak(self) -> Stage:
        """The highest stage of the call itself."""
        return max((stage for stage in self.stages if stage.name != OWN_CODE), key=lambda stage: stage.bytes)


@dataclass(frozen=True)
class SamplingPlan:
    """What another argument would do."""

    change: str
    """As the script has to say it, such as `var_names=["mu"]`."""
    note: str
    """What it costs, in words."""
    after: SamplingProfile
    functions: Mapping[str, int] | None = None
    """What each of the call's functions then takes for itself, in bytes; None: as before."""

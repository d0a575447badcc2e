"""The types: an intercepted sampler call, what it holds in each stage, and what it would hold with other arguments.

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
    """An array of a model; the sampler keeps one such array for each draw."""

    name: str
    kind: str
    """`free`, `transformed`, `deterministic`, `log-likelihood`, ..."""
    dtype: str
    shape: Shape
    sampled: bool = False
    """Whether the sampler updates it directly: a value on the unconstrained scale."""

    @property
    def bytes(self) -> int | Unknown:
        """Bytes of the array of one draw."""
        return nbytes(self.shape, self.dtype)


@dataclass(frozen=True)
class DrawStatistic:
    """One number that a step method records for each draw."""

    name: str
    dtype: str
    """NumPy dtype, or `object` for Python objects."""
    bytes: int
    """Bytes of the statistic for one draw."""


@dataclass(frozen=True)
class ProgramFigures:
    """XLA's memory figures for one program on one device, in bytes, compiled for this host's CPU."""

    argument: int
    output: int
    temporary: int
    alias: int
    """Bytes of the results that share memory with arguments."""


@dataclass(frozen=True)
class OwnCode:
    """Memory that the script's own code took between two calls, in a run with this number of draws, in bytes."""

    draws: int
    """Draws of each chain."""
    peak: int
    kept: int
    """Bytes still held when the next call began."""
    untraced: int = 0
    """Bytes at the highest moment that Python's record of its memory does not have: libraries, and what they take themselves."""


@dataclass(frozen=True)
class SamplingCall:
    """A call of a sampler, with the argument values in effect."""

    number: int
    """Position among the script's sampler calls."""
    kind: str
    """`sample`, `sample_smc`, `sample_prior_predictive`, `sample_posterior_predictive`, `compute_log_likelihood`, `compute_log_prior`,
    `fit`, `Approximation.sample`, `find_MAP`, or of pymc-extras `fit_laplace`, `fit_dadvi` or `fit_pathfinder`."""
    sampler: str
    """`pymc`, `nutpie`, `numpyro` or `blackjax`; for `fit` the inference method, for `find_MAP`, `fit_laplace` and
    `fit_dadvi` scipy's method."""
    version: str
    """PyMC's version."""
    draws: int
    """Draws of one chain, without tuning; for `fit` the number of iterations."""
    tune: int
    chains: int
    cores: int = 1
    """Number of worker processes, if chains run in parallel."""
    parallel: bool = False
    start_method: str | None = None
    """How workers are started: `fork`, `forkserver` or `spawn`."""
    variables: tuple[DrawArray, ...] = ()
    """The arrays that a chain's trace keeps."""
    statistics: tuple[DrawStatistic, ...] = ()
    log_likelihood: tuple[DrawArray, ...] = ()
    """The log-likelihood arrays that `idata_kwargs` requests after the last draw."""
    made: tuple[DrawArray, ...] = ()
    """The arrays computed for each draw by calls that do not sample: predictions and densities."""
    held: tuple[DrawArray, ...] = ()
    """The arrays that exist once, whatever the number of draws: fitted parameters and optimizer state."""
    rows: int | None = None
    """For `fit`: the largest number of rows of an observed variable that is not minibatched."""
    scored: bool = False
    """Whether `fit` records the loss of each iteration."""
    checks: bool = True
    """The argument `compute_convergence_checks`."""
    discard_tuned: bool = True
    """The argument `discard_tuned_samples`."""
    converted: bool = True
    """The argument `return_inferencedata`."""
    include_transformed: bool = False
    storage: str | None = None
    """Class name of the storage backend, if it is not the default one (arrays in memory)."""
    storage_chunk: int | None = None
    """Number of draws of a chain that PyMC's `ZarrTrace` buffers before it writes them; None for other backends."""
    storage_in_memory: bool = False
    """Whether the data that the storage backend writes stays in the process's memory."""
    storage_transformed: bool = False
    """Whether the storage backend also stores transformed variables."""
    var_names: tuple[str, ...] | None = None
    loads: tuple[str, ...] = ()
    """Libraries that the conversion or the checks load and that were not loaded yet."""
    chain_method: str = "parallel"
    """How numpyro and blackjax run chains: `parallel` or `vectorized`."""
    vectorize: str = "vmap"
    """The argument `postprocessing_vectorize` of numpyro and blackjax: `vmap` for all draws at once, or `scan` for draw by draw."""
    post_device: str | None = None
    """The argument `postprocessing_backend`: `cpu` or `gpu`; None: JAX's default device."""
    post_processing: Mapping[str, ProgramFigures] = field(default_factory=dict)
    """XLA's figures for the function that computes all variables from the sampled values, for each of `vmap` and `scan`; empty if XLA
    was not asked or failed."""
    density: Mapping[str, ProgramFigures] = field(default_factory=dict)
    """XLA's figures for the function that computes the log-likelihood of all draws, if `idata_kwargs` requests it from numpyro or
    blackjax."""
    density_constants: int = 0
    """Bytes of JAX arrays that this function holds as constants."""
    programs: tuple[ProgramFigures, ...] = ()
    """XLA's figures for the sampling programs, in execution order; empty if XLA was not asked or failed."""
    devices: int = 1
    """Number of devices on which each of `programs` runs at once. PyMC lets JAX split the CPU into 100 devices."""
    local_devices: int | None = None
    """Number of devices that JAX has; None if it was not asked."""
    single_operations: int = 0
    """Number of different operations of the log-density, which JAX compiles one by one to compute it at the initial points; 0 if XLA was
    not asked."""
    sequential: bool = False
    """Whether JAX has too few devices to run chains in parallel, so that they run one after the other."""
    constants: int = 0
    """Bytes of JAX arrays that the log-density holds as constants, such as the data of the model."""
    post_constants: int = 0
    """Bytes of JAX arrays that the post-processing holds as constants."""
    refused: str | None = None
    """Why XLA gave no `programs`."""
    functions: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Purpose of a compiled function -> indices of these functions in the Script."""
    site: Site | None = None
    entry: str = ""
    """Name of the called function, if it is not PyMC's function called `kind`; such as `nutpie.sample`."""
    uncounted: bool = False
    """Whether only the result of the call is simulated, not the memory that it takes meanwhile."""
    uncounted_parts: tuple[str, ...] = ()
    """Parts that are not simulated: `loops` if nutpie samples a model with a Scan, `trees` if a variable is of PyMC-BART."""
    failed: str | None = None
    """The exception raised by PyMC's own preparation; attributes that were not set by then have their defaults."""
    start: str | None = None
    """Log-densities that are not finite at the model's initial point; None if all are finite or it was not checked."""
    imported_bytes: int | None = None
    """Resident memory of the process after the import of PyMC; None if the system does not report it, or PyMC was imported by a parent
    process."""
    resident_bytes: int | None = None
    """Resident memory when the call began, before anything was compiled for it."""
    llvm_bytes: int | None = None
    """Resident bytes of LLVM's library once it is loaded, which numba does; None if that could not be measured."""
    compiled_bytes: int | None = None
    """Resident memory after XLA compiled the programs of the call, including libraries loaded for that; None if XLA was not asked."""
    present: tuple[str, ...] = ()
    """Large libraries that were loaded by then."""
    own_code: tuple[OwnCode, ...] = ()
    """Memory of what the script does with the result: runs with different numbers of draws, or two runs with the same number."""
    worker_code_bytes: int = 0
    """Bytes that each worker takes for functions that numba compiles for the first time there."""
    compiled_after_bytes: int = 0
    """Bytes for functions that numba compiles for the first time in the script's own code between this call and the next."""
    read: frozenset[str] = frozenset()
    """Names that the script may read from the result: no plan leaves these variables out."""
    dropped_before: int | None = None
    """Number of the first later call that began after the script had dropped the result; None if the script keeps it to the end."""

    @property
    def name(self) -> str:
        """The function that the script called, such as `pymc.sample`."""
        return self.entry or f"pymc.{self.kind}"

    @property
    def major(self) -> int:
        """Major version of PyMC, such as 6; 0 if unknown."""
        first = self.version.partition(".")[0]
        return int(first) if first.isdecimal() else 0

    @property
    def entries(self) -> int:
        """Total number of draws of all chains in the result, with tuning draws if they are kept."""
        return self.chains * (self.draws + (0 if self.discard_tuned else self.tune))


@dataclass(frozen=True)
class Amount:
    """One line in the memory of a stage."""

    what: str
    bytes: int
    origin: Origin = Origin.DERIVED
    where: str = "parent"
    """`parent`, `workers` or `device`: JAX's device, which is the host where JAX runs on the CPU."""
    live: bool = True
    """False for XLA's temporaries, whose size may differ on another device."""


@dataclass(frozen=True)
class Stage:
    """One phase of a sampler call, at its highest memory use."""

    name: str
    amounts: tuple[Amount, ...]

    @property
    def bytes(self) -> int:
        """Bytes of the stage, in all processes together."""
        return sum(a.bytes for a in self.amounts)

    @property
    def worker_bytes(self) -> int:
        """Bytes of the stage in worker processes."""
        return sum(a.bytes for a in self.amounts if a.where == "workers")

    @property
    def device_bytes(self) -> int:
        """Bytes of JAX's live arrays in the stage; the device needs at least this much, in addition to what XLA takes."""
        return sum(a.bytes for a in self.amounts if a.where == "device" and a.live)


OWN_CODE = "your own code after sampling"
"""Name of the stage for the script's own code."""


@dataclass(frozen=True)
class SamplingProfile:
    """The memory of a sampler call, stage by stage."""

    call: SamplingCall
    stages: tuple[Stage, ...]
    unknown: tuple[str, ...] = ()
    """Names of arrays of unknown size; if there are any, the figures are lower bounds."""
    before_bytes: int = 0
    """Bytes that the results of earlier calls hold during every stage."""

    @property
    def peak(self) -> Stage:
        """The stage with the most bytes; the first one if several are equal."""
        return max(self.stages, key=lambda stage: stage.bytes)

    @property
    def device_bytes(self) -> int:
        """Peak of JAX's live arrays in bytes, over all stages."""
        return max((stage.device_bytes for stage in self.stages), default=0)

    @property
    def kept_bytes(self) -> int:
        """Returns the bytes that remain after the call: its result, and the libraries that it loaded."""
        return self.result.bytes - self.before_bytes

    @property
    def result(self) -> Stage:
        """The last stage of the call itself, without the script's own code."""
        return next(stage for stage in reversed(self.stages) if stage.name != OWN_CODE)

    @property
    def own_code_bounded(self) -> bool:
        """Whether the figures for the script's own code are an upper bound that is proportional to the number of draws."""
        return any(a.origin is Origin.BOUNDED for a in self.stages[-1].amounts) and self.stages[-1].name == OWN_CODE

    @property
    def call_peak(self) -> Stage:
        """The stage of the call itself with the most bytes, without the script's own code."""
        return max((stage for stage in self.stages if stage.name != OWN_CODE), key=lambda stage: stage.bytes)


@dataclass(frozen=True)
class SamplingPlan:
    """A changed argument of a call, and its effect."""

    change: str
    """The change as written in the script, such as `var_names=["mu"]`."""
    note: str
    """What the change costs the user, as text."""
    after: SamplingProfile
    functions: Mapping[str, int] | None = None
    """Bytes that each function of the call needs while it runs, with the change; None: as without it."""

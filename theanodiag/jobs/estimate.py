"""`theanodiag.estimate`: predicts the memory of a call of a live function, or of sampling from a live PyMC model."""

from __future__ import annotations

import contextlib
import dataclasses
import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..devices import DeviceProfile
from ..errors import UnreadableError, UsageError
from ..findings import Location
from ..ir import FunctionGraph
from ..ir.shape import Value
from ..printed import DebugPrint
from ..processes.group import temporary
from ..readers import is_compiled
from ..report.model import Report
from ..report.next_step import after_failure
from ..report.sampling import stages_text
from ..report.user_source import renamed
from ..requests import CheckRequest
from ..result_display import Shown
from ..rules.sampling import SampledCall
from ..samplers.model import Stage
from ..units import format_bytes
from .check import check
from .estimate_function import Estimate, estimate_function

PROGRAM = """\
import os, pickle, sys
with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "model"), "rb") as file:
    model, options = pickle.load(file)
import pymc
with model:
    pymc.sample(**options)
"""
"""The script that samples from the model; the call is intercepted before it samples."""
TAKEN = (
    "give a model of PyMC, what theano.function (or pytensor.function) or the model's compile_logp() returned, "
    "a FunctionGraph, or the result of read_debugprint"
)


@dataclass(frozen=True, repr=False)
class ModelEstimate(Shown):
    """Predicted memory of sampling from a model; all sizes in bytes."""

    report: Report
    """The report on a script that only samples from the model."""

    @property
    def call(self) -> SampledCall:
        """The call of `pymc.sample`, with its stages and the changes that would lower their memory."""
        return self.report.sampling[0]

    @property
    def stages(self) -> tuple[Stage, ...]:
        """The stages of sampling, each with its peak in bytes in addition to the compiled model."""
        return self.call.profile.stages

    @property
    def sampling_bytes(self) -> int:
        """Bytes of the stage that needs most, in addition to the compiled model."""
        return self.call.profile.peak.bytes

    @property
    def peak_bytes(self) -> int:
        """Bytes of the whole process at the highest stage, including libraries, model and compiled functions if the system reports them."""
        return self.report.process.live_peak_bytes

    @property
    def fits(self) -> bool | None:
        """Whether the process fits in the requested memory; None if something is unknown."""
        return self.report.fits

    def _repr_html_(self) -> str:
        """The estimate's report as an HTML page in a frame, for notebooks."""
        return self.report._repr_html_()

    def __repr__(self) -> str:
        return f"{stages_text(self.call)}\n<Estimate of {self.call.name}: {format_bytes(self.peak_bytes)} for the whole process>"

    def __str__(self) -> str:
        return str(self.report)

    def to_dict(self) -> dict[str, object]:
        """Returns the report as the document of `--format json`; sizes in bytes."""
        return self.report.to_dict()


_watching: list[list[Estimate | ModelEstimate]] = []


@contextlib.contextmanager
def watched() -> Iterator[list[Estimate | ModelEstimate]]:
    """Context manager that yields a list to which the estimates made inside the block are added."""
    estimates: list[Estimate | ModelEstimate] = []
    _watching.append(estimates)
    try:
        yield estimates
    finally:
        _watching.remove(estimates)


def estimate(
    fn_or_graph: object = None,
    shapes: Mapping[str, object] | None = None,
    device: str | DeviceProfile | None = None,
    *,
    values: Mapping[str, Value] | None = None,
    floatX: str | None = None,
    dtypes: Mapping[str, str] | None = None,
    name: str = "",
    draws: int | None = None,
    tune: int | None = None,
    chains: int | None = None,
    cores: int | None = None,
    nuts_sampler: str | None = None,
    var_names: Sequence[str] | None = None,
    idata_kwargs: Mapping[str, object] | None = None,
    host_memory: str | int | None = None,
) -> Estimate | ModelEstimate:
    """Predicts the memory of one call of a compiled function, or of sampling from a PyMC model; nothing is computed.

    Args:
        fn_or_graph: A compiled function (also one of PyMC's, such as that of `compile_logp()`), a FunctionGraph, the result of
            `read_debugprint`, or a PyMC model. None: the model of the surrounding `with`.
        shapes: Name of an argument -> its shape or its value (as in `model.initial_point()`). You can leave out scalars and, for a graph
            or a text, shared variables whose shape follows from others. In a text, name an abbreviated constant by its id: `id BC`.
        device: The memory of a device ("4 GiB"), a card ("k520"), "none" (the host) or a profile. None: the host. For a model it is always
            the host.
        values: Name of an argument -> its value, for integers on which a size depends.
        floatX: The dtype to assume for types that a text does not print.
        dtypes: Name of an input -> its dtype, if it differs from that in the text or from `floatX`.
        name: Name of the function in the report. Empty: its own name.
        draws: For a model, as in `pymc.sample`: number of draws of each chain. None: PyMC's default.
        tune: For a model: number of tuning draws of each chain.
        chains: For a model: number of chains.
        cores: For a model: number of chains that run at the same time.
        nuts_sampler: For a model: `pymc`, `nutpie`, `numpyro` or `blackjax`.
        var_names: For a model: the variables of the result. None: all.
        idata_kwargs: For a model: how the draws are converted, such as `{"log_likelihood": True}`.
        host_memory: For a model: host memory that the process can use, in bytes or as a text ("4 GiB"). None: as much as is available on
            this host.

    Returns:
        The estimate; sizes in bytes. For a model it contains the stages of sampling, and the whole process.

    Raises:
        UnreadableError: `fn_or_graph` is not a compiled function, or it is a model that cannot be pickled or sampled from.
        UsageError: An argument does not exist, cannot have the given shape or dtype, or does not apply to `fn_or_graph`.

    >>> import numpy, sys
    >>> lib = next(m for n in ("theano", "aesara", "pytensor") if (m := sys.modules.get(n)))
    >>> x = lib.tensor.matrix("x", dtype="float32")
    >>> W = lib.shared(numpy.zeros((784, 10), "float32"), "W")
    >>> fn = lib.function([x], lib.tensor.dot(x, W))
    >>> estimate(fn, {"x": (128, 784)}).peak_bytes == 4 * (784 * 10 + 128 * 784 + 128 * 10)
    True
    >>> estimate(fn, {"x": (128, 784)}, device="1 MiB").fits
    False
    """
    subject = _model_around() if fn_or_graph is None else fn_or_graph
    sampling = {
        "draws": draws, "tune": tune, "chains": chains, "cores": cores, "nuts_sampler": nuts_sampler, "var_names": var_names,
        "idata_kwargs": idata_kwargs,
    }  # fmt: skip
    options = {key: value for key, value in sampling.items() if value is not None}
    about_function = {"shapes": shapes, "device": device, "values": values, "floatX": floatX, "dtypes": dtypes, "name": name}
    estimated: Estimate | ModelEstimate
    if _is_model(subject):
        _refuse({key: value for key, value in about_function.items() if value}, "a compiled function")
        _require_counts(options)
        _require_names(subject, options)
        estimated = _of_model(subject, options, host_memory)
    else:
        _refuse({**options, **({} if host_memory is None else {"host_memory": host_memory})}, "a model of PyMC")
        if type(subject).__name__ == "PointFunc":
            subject = getattr(subject, "f", subject)
        if not (isinstance(subject, (FunctionGraph, DebugPrint)) or is_compiled(subject)):
            raise UnreadableError(f"neither a model of PyMC nor a compiled function: {subject!r}", help=TAKEN)
        lengths, numbers = _lengths(shapes or {})
        given = {**numbers, **(values or {})}
        estimated = estimate_function(subject, lengths, device, values=given, floatX=floatX, dtypes=dtypes, name=name)
    for estimates in _watching:
        estimates.append(estimated)
    return estimated


def _require_counts(options: Mapping[str, object]) -> None:
    """Raises UsageError for a number of draws, chains, cores or tuning steps that PyMC refuses."""
    for name, least in (("draws", 1), ("tune", 0), ("chains", 1), ("cores", 1)):
        count = options.get(name)
        if isinstance(count, int) and count < least:
            raise UsageError(f"{name} must be {least} or more, not {count}", help="as pymc.sample takes it")


def _require_names(model: Any, options: dict[str, Any]) -> None:
    """Raises UsageError for a variable that the model does not have; PyMC says so only once it has sampled, or never. Makes a list of the
    names, of which one may be a text."""
    if "var_names" not in options:
        return
    names = options["var_names"] = [options["var_names"]] if isinstance(options["var_names"], str) else list(options["var_names"])
    known = [str(v) for v in model.named_vars]
    unknown = [str(name) for name in names if name not in known]
    if unknown:
        raise UsageError(f"var_names: the model has no variable {unknown[0]!r}", help=f"it has {', '.join(known)}")


def _refuse(options: Mapping[str, object], what: str) -> None:
    if options:
        raise UsageError(f"{', '.join(options)} applies only to {what}", help="leave it out")


def _is_model(subject: object) -> bool:
    """Whether it is a model of PyMC or PyMC3, or of a class derived from theirs."""
    return any(c.__name__ == "Model" and c.__module__.split(".")[0] in ("pymc", "pymc3") for c in type(subject).__mro__)


def _model_around() -> object:
    """The model of the `with` block in which the call is. Raises UsageError if there is none."""
    for name in ("pymc.model.core", "pymc.model", "pymc3.model"):
        module: Any = sys.modules.get(name)
        if hasattr(module, "modelcontext"):
            with contextlib.suppress(TypeError):
                return module.modelcontext(None)
    raise UsageError("there is no model around this call", help="call it within `with model:`, or give a model or a compiled function")


def _lengths(given: Mapping[str, Any]) -> tuple[dict[str, Sequence[int]], dict[str, Value]]:
    """Splits the given values into shapes and integer values, by name: (shapes, integers)."""
    shapes: dict[str, Sequence[int]] = {}
    numbers: dict[str, Value] = {}
    for name, value in given.items():
        if hasattr(value, "shape") and hasattr(value, "dtype"):
            shapes[name] = tuple(value.shape)
            if value.dtype.kind in "iu" and value.ndim == 0:
                numbers[name] = int(value)
        elif isinstance(value, (int, float)):
            shapes[name] = ()
            if isinstance(value, int):
                numbers[name] = value
        else:
            shapes[name] = value
    return shapes, numbers


def _of_model(model: object, options: Mapping[str, object], host_memory: str | int | None) -> ModelEstimate:
    pickling: Any = importlib.import_module("cloudpickle")  # PyMC itself needs it
    with temporary() as folder:
        script = Path(folder, "model.py")
        script.write_text(PROGRAM)
        try:
            Path(folder, "model").write_bytes(pickling.dumps((model, dict(options))))
        except Exception as error:
            raise UnreadableError(f"the model cannot be pickled: {error}", help="write it as a script, for theanodiag check") from error
        request = CheckRequest(str(script), sys.executable, host_memory=host_memory, device=None if host_memory else "none")  # type: ignore[arg-type]
        report = check(request, stdout=2)
    if not report.sampling or report.script.failed:
        reason = report.script.exception or report.script.reason or "nothing was sampled"
        advice = (after_failure(report) if report.script.failed else None) or "try pymc.sample(draws=1)"
        raise UnreadableError(f"PyMC failed before it sampled from the model: {reason}", help=advice)
    name = str(getattr(model, "name", "") or "model")
    called = tuple(_without_place(call) for call in report.sampling)
    findings = tuple(dataclasses.replace(f, location=Location(f.location.path)) for f in report.findings)
    return ModelEstimate(renamed(dataclasses.replace(report, sampling=called, findings=findings), str(script), name))


def _without_place(called: SampledCall) -> SampledCall:
    """The call without its line in the generated script, which the user does not know."""
    profile = called.profile
    return dataclasses.replace(called, profile=dataclasses.replace(profile, call=dataclasses.replace(profile.call, site=None)))

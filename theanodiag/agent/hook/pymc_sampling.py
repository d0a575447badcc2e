"""Intercepts `pymc.sample`: PyMC prepares everything (arguments, steps, traces), but does not sample.

Source: PyMC 5.28.5 and 6.4.0, pymc/sampling/mcmc.py. `sample` calls functions of that module: `init_traces` (creates the trace: here for
one draw of one chain); `_mp_sample`, `_sample_many` or `_sample_population` (replaced, nothing is drawn); `_sample_return` (converts the
one draw, which is then repeated without taking memory). `_sample_external_nuts` (nutpie, numpyro, blackjax) is in `pymc_external.py`.
"""

import contextlib
import functools
import os
import re
import sys
import time
import warnings
import weakref

from . import pymc_external, pymc_older, pymc_results
from .pymc_fitting import PymcFitting
from .pymc_other_samplers import PymcEntries
from .pymc_post_sampling import After, can_fork, is_loaded, read
from .pymc_results import kinds, repeated, row, start_method, statistics, traced

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live
    from .session import HookSession

TRIED = 5000
"""Maximum number of elements of data and parameters for which the log-density is computed, in Python: an array over all their pairs takes
200 MB.
"""
PREDICTIVE = ("sample_prior_predictive", "sample_posterior_predictive")
NEEDED = ("sample", "init_traces", "_sample_return", "_mp_sample", "_sample_many")
"""Functions of `pymc.sampling.mcmc` that must exist for its calls to be intercepted."""
CONVERTS = ("arviz_base",)
LAZY = ("arviz_base", "arviz_stats", "scipy.stats")
"""Libraries that PyMC 6 loads at the first conversion, and at the first convergence check; PyMC 5 loads ArviZ at import."""
HEAVY = ("numba", "nutpie", "jax", "numpyro", "blackjax", "arviz")
"""Libraries that samplers and compilers load at their first use."""
SAMPLERS = ("_mp_sample", "_sample_many", "_sample_population")


class Sampling(object):
    """One call of `pymc.sample` while it is being prepared."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.fields = {}  # type: dict[str, object]
        self.functions = {}  # type: dict[str, list[int]]  # role -> functions compiled for it
        self.done = False  # whether its event was sent
        self.traces = []  # type: Live  # of one draw, if the script stores draws in a backend


class PymcSampling(object):
    """Patches `pymc.sampling.mcmc`, so that PyMC prepares a call and does not sample."""

    def __init__(self, session: "HookSession") -> None:
        self.session = session
        self.calls = []  # type: list[Sampling]  # those that run, the innermost last
        self.count = 0
        self.loaded = set()  # type: set[str]  # libraries that an earlier call would have loaded
        self.after = After(session)
        self.imported = None  # type: int | None  # resident bytes once PyMC was imported
        self.llvm = None  # type: int | None  # resident bytes of LLVM's library, as soon as a call began
        self.handed = 0  # bytes of the stand-ins that the script got
        self.prepared = 0  # bytes by which the process grew while calls were prepared

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Returns a mapping: module name -> function to call after its import; empty if calls are real."""
        if not self.session.options.dry:
            return {}
        forward, density = PREDICTIVE, ("compute_log_likelihood", "compute_log_prior")
        imported = dict.fromkeys(("pymc", "pymc3"), self._imported)
        return dict(
            dict(imported, **dict(PymcFitting(self).actions(), **PymcEntries(self).actions())),
            **{
                "pymc.sampling.mcmc": self._mcmc,
                "pymc.sampling": self._older,
                "pymc3.sampling": self._older,
                "pymc.sampling.forward": functools.partial(self._of_one_draw, forward),
                "pymc.stats.log_density": functools.partial(self._of_one_draw, density),
                "pymc.backends.zarr": pymc_results.without_store,
            },
        )

    def _imported(self, module: "Live") -> None:
        self.imported = resident()
        self.session.call_limits.wait_for_samplers()

    @contextlib.contextmanager
    def call(self, kind: str, again: bool = False, converts: bool = False, library: "tuple[str, ...]" = ()) -> "Iterator[Sampling | None]":
        """Context manager for a call of another function than `sample`; yields None if the call is part of an outer call.

        `again`: continue the outer call if it is of the same kind. `converts`: the result is an ArviZ object. `library`: libraries that the
        call may be the first to load.
        """
        if self.calls:
            inner = self.calls[-1]
            yield inner if again and inner.fields.get("kind") == kind and not inner.done else None
            return
        call = self.entered()
        loads = self._loads(CONVERTS if converts else library)
        call.fields.update(site=self.session.sites.here(), loads=loads, kind=kind, sampler="pymc", checks=False)
        call.fields.update(draws=1, tune=0, chains=1, variables=[], statistics=[])
        try:
            yield call
        except Exception as error:
            if not call.done:
                self.send(call, failed="%s: %s" % (type(error).__name__, str(error).split("\n")[0]))
            raise
        finally:
            self.left(call)

    def skipped(self, what: str, reason: str, lost: bool = False) -> None:
        """Reports that calls of this PyMC cannot be intercepted, so that the memory figures listed in `lost` are incomplete."""
        self.session.stream.emit("skipped", what=what, reason=reason, **({"lost": True} if lost else {}))

    def _of_one_draw(self, names: "tuple[str, ...]", module: "Live") -> None:
        """Wraps functions that compute something for each draw in turn: they run for one draw."""
        for name in names:
            own = getattr(module, name, None)
            if own is not None:
                setattr(module, name, functools.wraps(own)(self._forward(name, own)))

    def _forward(self, name: str, own: "Live") -> "Live":
        compute = self.named(own, name)

        def forward(*args: "Live", **kwargs: "Live") -> "Live":
            given = pymc_results.arguments(own, args, kwargs)
            if self.calls or not pymc_results.understood(name, given):  # within pymc.sample, it is part of that call
                return own(*args, **kwargs)
            call = self.entered()
            try:
                call.fields.update(site=self.session.sites.here(), loads=self._loads(CONVERTS), kind=name, sampler="pymc", checks=False)
                one, chains, draws, points = pymc_results.arguments_for_one_draw(name, given)
                result = compute(**one)
            finally:
                self.left(call)
            call.fields.update(
                draws=draws, chains=chains, tune=0, variables=points, made=pymc_results.arrays_of_draw(result), statistics=[]
            )
            self.send(call)
            short, held = self._standing_in(call, result)
            return self.watched(call, pymc_results.handed_back(given, short), held)

        return forward

    def _older(self, module: "Live") -> None:
        """Patches PyMC3, and PyMC 4 if its sampling is a single module."""
        if pymc_older.is_older(module):
            pymc_older.OlderSampling(self, module)

    def _mcmc(self, module: "Live") -> None:
        if pymc_older.is_older(module):
            return self._older(module)
        lacks = [name for name in NEEDED if not hasattr(module, name)]
        if lacks:
            self.skipped("calls of pymc.sample", "this PyMC has no %s: they run dry" % ", ".join(lacks))
            return
        for name, takes_over in (
            ("sample", self._sample),
            ("init_nuts", functools.partial(self.named, role="logp and gradient")),
            ("instantiate_steppers", functools.partial(self.named, role="steps")),
            ("make_initial_point_fns_per_chain", functools.partial(self.named, role="initial point")),
            ("init_traces", self._init_traces),
            ("_sample_return", self._sample_return),
            ("_sample_external_nuts", self._external),
        ):
            if hasattr(module, name):
                own = getattr(module, name)
                setattr(module, name, functools.wraps(own)(takes_over(own)))
        for name in SAMPLERS:
            if hasattr(module, name):
                setattr(module, name, functools.partial(self._sampled, name))

    def _sample(self, own: "Live") -> "Live":
        def sample(*args: "Live", **kwargs: "Live") -> "Live":
            call = self.entered()
            call.fields.update(site=self.session.sites.here(), loads=self._loads(LAZY), **call_fields(own, args, kwargs))
            try:
                return own(*args, **kwargs)
            except Exception as error:
                self._failed(call, kwargs.get("model"), error)
                raise
            finally:
                self.left(call)

        return sample

    def _loads(self, names: "tuple[str, ...]") -> "list[str]":
        """Returns the libraries that a real call would be the first to load. A library is counted once, for the first intercepted call that
        would load it.
        """
        libraries = [name for name in names if not set(sys.modules).intersection(("arviz", name)) and name not in self.loaded]
        self.loaded.update(libraries)
        return libraries

    def named(self, own: "Live", role: str) -> "Live":
        """Wraps `own`: functions that are compiled while it runs are recorded with the role `role`."""

        def part(*args: "Live", **kwargs: "Live") -> "Live":
            functions = self.session.functions
            before, first = functions.label, functions.count
            functions.label = before or role
            try:
                return own(*args, **kwargs)
            finally:
                functions.label = before
                if before is None and self.calls:
                    self.calls[-1].functions.setdefault(role, []).extend(range(first, functions.count))

        return part

    def _init_traces(self, own: "Live") -> "Live":
        prepare = self.named(own, "trace")

        def init_traces(**kwargs: "Live") -> "Live":
            call, backend, arguments = self.calls[-1], kwargs.get("backend"), dict(kwargs)
            call.fields.update(
                pymc_results.storage_fields(backend),
                draws=kwargs["expected_length"] - kwargs.get("tune", call.fields["tune"] or 0),
                tune=kwargs.get("tune", call.fields["tune"]),
                chains=kwargs["chains"],
            )
            kwargs.update(backend=None, expected_length=1, chains=1)
            if "tune" in kwargs:
                kwargs["tune"] = 0
            run, traces = prepare(**kwargs)
            for trace in traces:
                for values in trace.samples.values():
                    values[...] = 0
                trace.draw_idx = 1
            call.fields.update(traced(traces[0], kwargs["model"]), statistics=statistics(traces[0]))
            call.fields.update(uncounted_parts=["trees"] if pymc_external.has_trees(kwargs["model"].free_RVs) else [])
            if pymc_results.is_storage(backend):
                call.traces = traces
                self.named(pymc_results.filled, "trace")(backend, arguments, int(call.fields["draws"]))  # type: ignore[call-overload]
            return run, traces

        return init_traces

    def _sampled(self, name: str, **kwargs: "Live") -> None:
        """Replaces the function that draws samples."""
        self.calls[-1].fields.update(
            parallel=name == "_mp_sample" or (name == "_sample_population" and bool(kwargs.get("parallelize"))),
            cores=kwargs.get("cores"),
            start_method=start_method(kwargs.get("mp_ctx")) if name == "_mp_sample" else None,
        )

    def _sample_return(self, own: "Live") -> "Live":
        convert = self.named(own, "log-likelihood")

        def sample_return(**kwargs: "Live") -> "Live":
            call = self.calls[-1]
            options = dict(kwargs["idata_kwargs"])
            call.fields.update(
                checks=kwargs["compute_convergence_checks"],
                discard_tuned=kwargs["discard_tuned_samples"],
                converted=kwargs["return_inferencedata"],
                include_transformed=bool(options.pop("include_transformed", False)),
                save_warmup=options.pop("save_warmup", None),
            )
            kwargs.update(tune=0, compute_convergence_checks=False, discard_tuned_samples=True, idata_kwargs=options, quiet=True)
            stored = kwargs["traces"]
            if call.traces:
                kwargs["traces"] = call.traces
            with warnings.catch_warnings():  # ArviZ's about a single draw
                warnings.simplefilter("ignore")
                result = convert(**kwargs)
            call.fields.update(log_likelihood=densities(result), start=self._start(kwargs["model"]))
            self.send(call)
            if call.traces and not call.fields["converted"]:
                return self.watched(call, stored, 0)
            return self.handed_out(call, result)

        return sample_return

    def _start(self, model: "Live") -> "str | None":
        """The log-densities that are not finite at the model's initial point, as text; None if all are finite or the data are too large to
        try."""
        if sum(count(v) for v in list(model.rvs_to_values.values()) + list(model.data_vars)) > TRIED:
            return None
        numpy = sys.modules["numpy"]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                logps = self.session.folding.counting(lambda: model.point_logps(model.initial_point(), mode="FAST_COMPILE"))
            bad = ["%s is %s" % (name, value) for name, value in logps.items() if not numpy.isfinite(value)]
        except Exception:  # an Op that Python cannot compute
            return None
        return ", ".join(bad) or None

    def _external(self, own: "Live") -> "Live":
        def external(*args: "Live", **kwargs: "Live") -> "Live":
            given = pymc_external.arguments(own, args, kwargs)
            if given["sampler"] not in pymc_external.STATISTICS:  # PyMC refuses it, and lists those that it has
                return own(*args, **kwargs)
            return self.outside(self.calls[-1], given)

        return external

    def outside(self, call: Sampling, given: "dict[str, Live]") -> "Live":
        """Returns the result of a call of an external sampler, from the arguments of `_sample_external_nuts`."""
        trace = self.named(pymc_external.one_draw, "trace")(given)
        call.fields.update(pymc_external.call_fields(given), converted=True, parallel=False)
        call.fields.update(traced(trace, given["model"]), statistics=statistics(trace))
        if given.get("var_names") is not None:
            call.fields.update(var_names=list(given["var_names"]))
        wanted, jax = pymc_external.asks_log_likelihood(given), given["sampler"] != "nutpie"
        if jax:
            call.fields.update(self._of_xla("xla_error", pymc_external.post_processing, given, trace))
            call.fields.update(self._of_xla("programs_error", pymc_external.sampling, given, trace))
            call.fields.update(compiled=self._held())
        result = self.named(self.one_converted, "log-likelihood")(trace, given["model"], False if jax else wanted)
        if jax and wanted:
            fields = self._of_xla("density_error", pymc_external.log_likelihood, given, trace)  # type: Live
            call.fields.update(fields)
            if "density_error" in fields:
                self.skipped("the log-likelihood requested from pymc.sample", fields["density_error"])
            result = pymc_external.with_log_likelihood(result, fields.get("log_likelihood", []), given["model"])
        elif wanted:
            call.fields.update(log_likelihood=densities(result))
        if not jax:  # it loads ArviZ before it samples, and much of its own is read from disk only then
            call.fields["loads"] = [] if "nutpie" in self.loaded else ["nutpie"]
            self.loaded.add("nutpie")
            call.fields["statistics"] += pymc_external.vectors(given, trace)  # type: ignore[operator]
            pymc_external.record_nutpie(self, call, given)
        self.send(call)
        return self.handed_out(call, result)

    def result_alone(self, call: Sampling, model: "Live", log_likelihood: "Live" = False, statistics: "Live" = None) -> "Live":
        """Returns the result of a call that is not simulated: a record of all draws of the model's variables. `statistics`: the Dataset of
        the sampler's own statistics."""
        trace = self.named(pymc_external.one_draw, "trace")({"model": model, "sampler": "numpyro"})
        call.fields.update(traced(trace, model))
        result = self.named(self.one_converted, "log-likelihood")(trace, model, log_likelihood)
        call.fields.update(log_likelihood=densities(result))
        self.send(call)
        result, held = self._standing_in(call, result)
        if statistics is not None:
            pymc_results.add_group(result, "sample_stats", statistics)
        return self.watched(call, result, held)

    def _of_xla(self, name: str, ask: "Live", given: "Live", trace: "Live") -> "dict[str, object]":
        """XLA's figures from `ask`; if that fails, the error message under `name`. Raises what PyMC or the sampler would raise too."""
        try:
            return dict(ask(given, trace))
        except Exception as error:
            if pymc_external.is_of_sampler(error, str(given["sampler"])):
                raise
            return {name: "%s: %s" % (type(error).__name__, str(error).split("\n")[0])}

    def one_converted(self, trace: "Live", model: "Live", log_likelihood: "Live") -> "Live":
        """Converts the one draw to the object that the script gets."""
        base = sys.modules["pymc.backends.base"]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            convert = sys.modules["pymc"].to_inference_data
            return convert(base.MultiTrace([trace]), model=model, save_warmup=False, log_likelihood=log_likelihood)

    def _failed(self, call: Sampling, given: "Live", error: Exception) -> None:
        """Reports what is known of a call whose preparation failed in PyMC."""
        if call.done:
            return
        try:
            model = modelcontext(given)
            call.fields.update(by_type(model), failed="%s: %s" % (type(error).__name__, str(error).split("\n")[0]))
            self.send(call)
        except Exception as other:
            self.session.stream.emit("skipped", what="a call of pymc.sample", reason="it was not recorded: %r" % (other,), lost=True)

    def send(self, call: Sampling, **fields: object) -> None:
        """Writes the event of a call, after the event of its framework; `fields` override the call's own."""
        call.done = True
        call.fields.setdefault("version", getattr(sys.modules.get("pymc") or sys.modules.get("pymc3"), "__version__", None))
        call.fields.update(fields)
        for name in ("draws", "tune", "chains", "cores"):
            value = call.fields.get(name)
            if isinstance(value, float):  # as in sample(1e3)
                call.fields[name] = int(value)
        self.session.framework_ready(next(root for root in ("pytensor", "aesara", "theano") if root in sys.modules))
        self.session.stream.emit("sampling", number=call.number, functions=call.functions, **call.fields)

    def entered(self) -> Sampling:
        """Starts a call inside the calls in progress."""
        self.after.ends()
        self.session.stream.step(of="call")
        call = Sampling(self.count)
        self.count += 1
        self.calls.append(call)
        if self.llvm is None and "numba" not in sys.modules:
            self.llvm = llvm_bytes()
        call.fields.update(
            imported=self.imported,
            llvm=self.llvm,
            resident=self._held(),
            present=loaded_libraries(),
        )
        return call

    def left(self, call: Sampling) -> None:
        """Ends a call. The memory by which the process grew while PyMC prepared the call is not part of later calls.

        That memory belongs to PyMC's compilers and libraries (`samplers/process_memory.py`), and is measured from the beginning of the
        call. Later calls find in the process what XLA compiled, and large libraries that were loaded.
        """
        self.calls.remove(call)
        before = call.fields.get("resident")  # type: Live
        now = self._held()
        if before is not None and now is not None and "compiled" not in call.fields and call.fields["present"] == loaded_libraries():
            self.prepared += max(0, now - before)

    def _held(self) -> "int | None":
        """Resident bytes of this process, less the draws that were returned to the script, and what its own code keeps of them."""
        held = resident()
        return None if held is None else held - self.handed - self.after.kept - self.prepared

    def _standing_in(self, call: Sampling, result: "Live") -> "tuple[Live, int]":
        """The result repeated as all draws, or as many as the script gets, and their number; 0 if it could not be repeated."""
        if getattr(self.session.instrument, "draws_alike", False) and has_draws(result):
            return pymc_results.alike(result, int(call.fields["draws"]), int(call.fields["chains"])), 0  # type: ignore[call-overload]
        if not hasattr(result, "groups") and not hasattr(result, "data_vars"):
            self.skipped("what the script does with its draws", "they are not converted: its trace has one, and figures end with the call")
            return result, 0
        draws, chains = int(call.fields["draws"]), int(call.fields["chains"])  # type: ignore[call-overload]
        sizes = [v["bytes"] or 0 for v in call.fields.get("made") or call.fields["variables"]]  # type: ignore[attr-defined]
        held = self.after.held(draws, chains, sum(sizes))
        if held < draws:
            reason = "the script gets %d of %d, and the memory of its own processing is extrapolated" % (held, draws)
            self.session.stream.emit("skipped", what="draws of each chain", reason=reason)
        self.handed += pymc_results.stored_bytes(sizes, chains * held)
        return repeated(result, draws, held, chains), held

    def handed_out(self, call: Sampling, result: "Live") -> "Live":
        """Returns the result that the script gets, in place of the real one."""
        return self.watched(call, *self._standing_in(call, result))

    def watched(self, call: Sampling, result: "Live", held: int) -> "Live":
        """Returns `result`, which has `held` draws, to the script, and informs the runner when the script drops it."""
        try:
            weakref.finalize(result, self.session.stream.emit, "sampling_end", number=call.number).atexit = False
        except TypeError:  # no reference to it can be weak: it stays
            pass
        if held:
            self.after.begins(call.number, held)
        return result


def has_draws(result: "Live") -> bool:
    """Returns whether a result is a trace, an InferenceData or a DataTree with draws."""
    return hasattr(result, "_straces") or hasattr(result, "groups")


def loaded_libraries() -> "list[str]":
    """Returns the names of the large libraries that are loaded."""
    return [name for name in HEAVY if is_loaded(name)]


def resident() -> "int | None":
    """Returns the resident bytes of this process; None if the system does not report them."""
    try:
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except EnvironmentError:
        return None


def llvm_bytes() -> "int | None":
    """Returns the resident bytes of LLVM's library once it is loaded, which a forked child measures by loading it. None if LLVM is not
    installed or no child is possible.

    Since Linux 6.18 a page fault in a file makes all pages of its folio resident. The sizes of folios depend on how the file was read: of
    one copy of llvmlite 0.50's library 36 MiB become resident, of another copy on the same machine 69.
    """
    import importlib.util  # CPython 2.7 has none

    found = importlib.util.find_spec("llvmlite") if sys.platform == "linux" and can_fork() else None
    path = os.path.join(os.path.dirname(found.origin), "binding", "libllvmlite.so") if found is not None and found.origin else ""
    if not os.path.exists(path):
        return None
    reading, writing = os.pipe()
    with warnings.catch_warnings():  # CPython's about threads
        warnings.simplefilter("ignore")
        pid = os.fork()
    if not pid:
        try:
            importlib.import_module("ctypes").CDLL(path)
            os.write(writing, b"%d" % resident_bytes_of(path))
        finally:
            os._exit(0)
    os.close(writing)
    text = read(reading, time.time() + 10.0, pid)
    return int(text) if text.isdigit() else None


def resident_bytes_of(path: str) -> int:
    """Returns the resident bytes of the mapped file `path` in this process."""
    total, inside = 0, False
    with open("/proc/self/smaps") as file:
        for line in file:
            if re.match("[0-9a-f]+-[0-9a-f]+ ", line):
                inside = os.path.basename(path) in line
            elif inside and line.startswith("Rss:"):
                total += int(line.split()[1]) * 1024
    return total


def count(variable: "Live") -> int:
    """Returns the number of elements of a variable, from its data or type; 0 if unknown."""
    shape, number = getattr(getattr(variable, "data", None), "shape", None) or variable.type.shape, 1
    for length in shape:
        number *= length or 0
    return int(number)


def call_fields(own: "Live", args: "Live", kwargs: "Live") -> "dict[str, object]":
    """Returns the arguments of the call as fields of the event; missing arguments have their default."""
    given = pymc_results.arguments(own, args, kwargs)
    return {
        "kind": "sample",
        "sampler": given.get("nuts_sampler") or "pymc",
        "draws": given.get("draws"),
        "tune": given.get("tune"),
        "chains": given.get("chains"),
        "cores": given.get("cores"),
        "var_names": None if given.get("var_names") is None else list(given["var_names"]),
    }


def modelcontext(model: "Live") -> "Live":
    """Returns the model given to a call, else that of the surrounding `with`."""
    return sys.modules["pymc.model"].modelcontext(model)


def densities(result: "Live") -> "list[dict[str, object]]":
    """Returns rows for the event: the log-likelihood of one draw; empty if it was not requested."""
    group = None if getattr(result, "groups", None) is None else result.get("log_likelihood")
    return [] if group is None else [row(str(name), "log-likelihood", group[name].values[0, 0]) for name in group.data_vars]


def by_type(model: "Live") -> "dict[str, object]":
    """Returns rows for the event: the arrays of one draw whose shapes follow from static types."""
    of, moved = kinds(model), set(v.name for v in model.value_vars)
    rows = []
    for variable in model.unobserved_value_vars:
        kind, shape = of.get(variable.name, "free"), list(variable.type.shape)
        entry = {"name": variable.name, "kind": kind, "dtype": str(variable.dtype), "shape": shape, "bytes": None}
        rows.append(dict(entry, sampled=variable.name in moved))
    return {"variables": rows, "statistics": []}

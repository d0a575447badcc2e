"""Records the log-density of each model of PyMC3, PyMC 4, 5 or 6 that a script creates: an instrument for the hook.

Options: {"file": path of the JSON output, "points": null, or the output of the first run, whose points are used again, "count": number of
points besides the start, "seed": seed of `random`, `numpy.random` and the points}. Output: {"library": name and version, "failed":
[[name of the file or cell, line, exception], ...], "reads" and "sampled": see `draws_read.py`, "drawn": see
`own_draws.py`, "models": one object for each model, see `figures_of` in `density_points.py`}.

If a statement of the script raises, its line and exception are recorded and execution continues with the next statement: no samples are
drawn, so the analysis of samples often fails, and a later notebook cell may define another model.

A model is evaluated when a sampler or `set_data` is called, before the script replaces its data, and again at the end if variables were
added since. Nothing is sampled.
"""

import functools
import json
import random
import sys
import time

from . import density_points
from .density_model import is_root, parts
from .draws_read import DrawsRead
from .own_draws import OwnDraws, unmoved_generators

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live

SAMPLERS = (
    "sample", "fit", "find_MAP", "sample_smc", "sample_prior_predictive", "sample_posterior_predictive", "sample_ppc",
    "fast_sample_posterior_predictive", "sample_posterior_predictive_w", "iter_sample", "compute_log_likelihood", "set_data",
)  # fmt: skip
"""Functions of `pymc3` and `pymc` before whose calls the models are evaluated."""
PREDICTIONS = ("sample_posterior_predictive", "sample_ppc", "fast_sample_posterior_predictive")
"""Functions that draw data for each draw of a trace, one after the other in PyMC3."""


class KnownModel(object):
    """A model that the script created, and the result of its last evaluation."""

    def __init__(self, model: "Live", adapter: "Live") -> None:
        self.model, self.adapter = model, adapter
        self.variables = ()  # type: tuple[tuple[str, ...], ...]  # its `parts` at the last evaluation
        self.figures = None  # type: dict[str, Live] | None
        self.failed = None  # type: str | None  # why the last evaluation failed
        self.variable = None  # type: str | None  # the global variable that held it at its last evaluation
        self.partner = None  # type: int | None  # index of the first run's model with which this one of the second run is compared
        self.is_copy = any(frame.f_code.co_name == "model_from_fgraph" for frame in callers(sys._getframe(1)))


def callers(frame: "Live") -> "Iterator[Live]":
    """Yields the frame and those that called it, up to six: PyMC's metaclass calls `Model.__init__`."""
    for _ in range(6):
        if frame is None:
            return
        yield frame
        frame = frame.f_back


def predicted(own: "Live", args: "tuple[Live, ...]", kwargs: "dict[str, Live]") -> "Live":
    """Returns the result of a function of `PREDICTIONS`. For a trace of PyMC3 only one draw is computed, and repeated for the number of
    draws that the call requests.
    """
    trace = args[0] if args else kwargs.get("trace")  # type: Live
    if not hasattr(trace, "_straces") or len(args) > 2:
        return own(*args, **kwargs)
    given = args[1] if len(args) > 1 else kwargs.get("samples")
    shape = (trace.nchains, len(trace)) if kwargs.get("keep_size") else (given or len(trace) * trace.nchains,)
    once = dict((k, v) for k, v in kwargs.items() if k not in ("trace", "keep_size"))
    numpy, found = sys.modules["numpy"], own(trace, **dict(once, samples=1))
    if not isinstance(found, dict):
        return found
    arrays = dict((name, numpy.asarray(values)[0]) for name, values in found.items())
    return dict((name, numpy.broadcast_to(one, shape + one.shape).copy()) for name, one in arrays.items())


class DensityInstrument(object):
    """The instrument that records the densities of models."""

    to_the_end = True
    lends = True
    needs_functions = False
    draws_alike = True
    """Whether the draws that a script gets depend on the names of variables alone, and are as many as it asks for."""
    computing = staticmethod(lambda compute: compute())
    """Calls its argument in a way in which functions compiled inside return real values; set by the hook."""
    is_library = staticmethod(lambda path: False)
    """Whether a source file belongs to a library or to theanodiag; set by the hook."""

    def __init__(self, emit: "Callable[..., None]", options: "dict[str, Live]", shared: "Callable[[], Live]") -> None:
        self.options, self.models, self.looking = options, [], False  # type: dict[str, Live], list[KnownModel], bool
        self.library, self.first = None, None  # type: str | None, list[Live] | None
        given = None
        if options.get("points"):
            with open(str(options["points"])) as file:
                before = json.load(file)
            self.first, given = before["models"], before.get("drawn")
        self.own_draws = OwnDraws(lambda path: bool(self.is_library(path)), given)
        self.draws = DrawsRead(lambda path: bool(self.is_library(path)))
        self.failures = []  # type: list[tuple[str, int, str]]
        random.seed(options["seed"])

    def failed(self, name: str, line: int, exception: str) -> None:
        """Records that a statement of the script at this line of the file or cell raised an exception."""
        self.failures.append((name, line, exception))

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Returns a mapping: module name -> function to call after that module was imported."""
        classes = ("pymc3.model", "pymc.model", "pymc.model.core")
        table = dict((name, self._models) for name in classes)  # type: dict[str, Callable[[Live], None]]
        table.update(self.draws.actions())
        table.update(numpy=lambda numpy: numpy.random.seed(self.options["seed"]), pymc3=self._samplers, pymc=self._samplers)
        return table

    def _models(self, module: "Live") -> None:
        """Patches `Model.__init__` so that each new model is registered."""
        cls = vars(module).get("Model")
        if cls is None or cls.__module__ != module.__name__:
            return
        if module.__name__.startswith("pymc3"):
            from . import densities_pymc3 as adapter
        else:
            from . import densities_pymc as adapter  # type: ignore[no-redef]
        own = cls.__init__

        @functools.wraps(own)
        def __init__(*args: "Live", **kwargs: "Live") -> None:  # may get model=, its parent
            model = args[0]
            if not any(known.model is model for known in self.models):
                self.models.append(KnownModel(model, adapter))
            own(*args, **kwargs)

        cls.__init__ = __init__

    def _samplers(self, package: "Live") -> None:
        for name in SAMPLERS:
            own = getattr(package, name, None)
            if callable(own) and not getattr(own, "looks_at_models", False):
                setattr(package, name, self._looks(own))
        self.own_draws.follow(package)
        if self.library is None or package.__name__ == "pymc":
            self.library = "%s %s" % ({"pymc3": "PyMC3"}.get(package.__name__, "PyMC"), package.__version__)

    def _looks(self, own: "Live") -> "Live":
        @functools.wraps(own)
        def sampler(*args: "Live", **kwargs: "Live") -> "Live":
            self.look()
            if own.__name__ == "sample":
                self.draws.samples(own, args, kwargs)
            with unmoved_generators():
                return predicted(own, args, kwargs) if own.__name__ in PREDICTIONS else own(*args, **kwargs)

        sampler.looks_at_models = True  # type: ignore[attr-defined]
        return sampler

    def look(self) -> None:
        """Evaluates the densities of all models whose variables changed since their last evaluation."""
        if self.looking:
            return
        self.looking = True
        try:
            with unmoved_generators():
                for index, known in enumerate(self._compared()):
                    names = parts(known.model)
                    if names != known.variables:
                        known.variables = names
                        self._look_at(known, index)
        finally:
            self.looking = False

    def _compared(self) -> "list[KnownModel]":
        """The script's models: without submodels, models that have no density, and copies that PyMC makes for its own use, as for the
        log-likelihood. The result of `pymc.do` or `pymc.observe` is no such copy: other variables are free.
        """
        models = [known for known in self.models if is_root(known.model) and any(parts(known.model))]
        originals = [parts(known.model) for known in models if not known.is_copy]
        return [known for known in models if not (known.is_copy and parts(known.model) in originals)]

    def _partner(self, known: KnownModel, index: int, described: "dict[str, Live]") -> "dict[str, Live] | None":
        """The record of the first run to compare a model with, None if there is none. Of those that no other model has: the model that the
        same global variable held when it was evaluated (of several, which notebooks often call `model`, the one with most names of
        variables in common, then the one with this index), the one with this index if most names are equal, one with all names equal,
        the one with this index if any name is. So a model more or less in one run leaves the others in place.
        """
        records = self.first or []
        taken = set(other.partner for other in self.models if other is not known)
        left = [n for n in range(len(records)) if n not in taken]
        name, names = known.variable, density_points.names_of(described)
        theirs = [(n, density_points.names_of(records[n])) for n in left]
        shared = dict((n, float(len(names & other)) / max(1, len(names | other))) for n, other in theirs)
        own = [n for n in left if name is not None and records[n]["variable"] == name and shared[n]]
        own.sort(key=lambda n: (-shared[n], n != index))
        here = [n for n in left if n == index and (shared[n] or records[n].get("failed"))]
        same = [n for n in left if shared[n] == 1]
        ranked = own + [n for n in here if shared[n] >= 0.5] + same + here
        known.partner = ranked[0] if ranked else None
        return records[ranked[0]] if ranked else None

    @staticmethod
    def _variable(known: KnownModel) -> "str | None":
        """The first global variable of the script that holds a model; None if there is none."""
        return next((name for name, value in vars(sys.modules["__main__"]).items() if value is known.model), None)

    def _look_at(self, known: KnownModel, index: int) -> None:
        known.variable = self._variable(known) or known.variable
        partner = None if self.first is None else functools.partial(self._partner, known, index)
        numpy = sys.modules["numpy"]
        known.failed = "the run ended while it was computed"
        try:
            with numpy.errstate(all="ignore"), known.adapter.prepared():
                known.figures = self.computing(
                    lambda: density_points.figures_of(known.adapter.Density(known.model), partner, self.options, time.time)
                )
            known.failed = None
        except Exception as error:
            lines = [line.strip() for line in str(error).split("\n") if line.strip()]
            known.failed = "%s: %s" % (type(error).__name__, lines[0] if lines else "")

    def finish(self) -> None:
        """Evaluates all models a last time and writes the output file."""
        if "numpy" in sys.modules:
            self.look()
        models = [
            dict(k.figures or {}, failed=k.failed, variable=k.variable or self._variable(k), partner=k.partner)
            for k in self.models
            if k.variables
        ]
        with open(str(self.options["file"]), "w") as file:
            json.dump(
                {
                    "library": self.library,
                    "failed": self.failures,
                    "reads": self.draws.reads,
                    "sampled": self.draws.sampled,
                    "drawn": self.own_draws.made,
                    "models": models,
                },
                file,
            )

    def making(self, fgraph: "Live") -> None:
        """Does nothing: graphs are left unchanged."""

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """Does nothing: compiled functions are not recorded."""

    def entered(self, vm: "Live", recorded: bool) -> None:
        """Does nothing: calls are not recorded."""

    def recorded(self, program: "Live", values: "Live") -> None:
        """Does nothing: calls are not recorded."""


Instrument = DensityInstrument

"""Writes down the log-density of each model of PyMC3, PyMC 4, 5 or 6 that a script makes: the instrument that the hook loads.

Options: {"file": where the JSON goes, "points": null or the file of the first run, whose points are taken, "count": points beside the
start, "seed": of `random`, of `numpy.random` and of the points}. The file: {"library": name and version, "failed": [[line, exception]],
"models": a list of what `Models` of `densities_pymc3.py` and `densities_pymc.py` tell}.

A statement of the script that raises is written down, with its line, and the next one is executed: analyses of draws often fail where
nothing is drawn, and a notebook's next cell has another model.

A model is looked at when a sampler is called, before the script sets data to other values, and once more at the end where it has got more
variables since. Nothing is sampled.
"""

import functools
import json
import random
import sys
import time

from . import density_points
from .density_model import is_root, parts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

SAMPLERS = (
    "sample", "fit", "find_MAP", "sample_smc", "sample_prior_predictive", "sample_posterior_predictive", "sample_ppc",
    "fast_sample_posterior_predictive", "sample_posterior_predictive_w", "iter_sample", "compute_log_likelihood", "set_data",
)  # fmt: skip
"""Names of `pymc3` and `pymc` at whose calls models are looked at."""


class Known(object):
    """A model of the script."""

    def __init__(self, model: "Live", adapter: "Live") -> None:
        self.model, self.adapter = model, adapter
        self.variables = ()  # type: tuple[str, ...]  # names of its parts when it was looked at last
        self.figures = None  # type: dict[str, Live] | None
        self.failed = None  # type: str | None  # why the last look told nothing


class DensityInstrument(object):
    """What the hook calls."""

    to_the_end = True
    computing = staticmethod(lambda compute: compute())
    """Runs its argument so that functions made meanwhile compute; the hook sets it."""

    def __init__(self, emit: "Callable[..., None]", options: "dict[str, Live]", shared: "Callable[[], Live]") -> None:
        self.options, self.models, self.looking = options, [], False  # type: dict[str, Live], list[Known], bool
        self.library, self.first = None, None  # type: str | None, list[Live] | None
        if options.get("points"):
            with open(str(options["points"])) as file:
                self.first = json.load(file)["models"]
        self.failures = []  # type: list[tuple[int, str]]
        random.seed(options["seed"])

    def failed(self, line: int, exception: str) -> None:
        """Notes a statement of the script that raised."""
        self.failures.append((line, exception))

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Module name -> what to do after it was imported."""
        classes = ("pymc3.model", "pymc.model", "pymc.model.core")
        table = dict((name, self._models) for name in classes)  # type: dict[str, Callable[[Live], None]]
        table.update(numpy=lambda numpy: numpy.random.seed(self.options["seed"]), pymc3=self._samplers, pymc=self._samplers)
        return table

    def _models(self, module: "Live") -> None:
        """Follows the models that are made."""
        cls = vars(module).get("Model")
        if cls is None or cls.__module__ != module.__name__:
            return
        if module.__name__.startswith("pymc3"):
            from . import densities_pymc3 as adapter
        else:
            from . import densities_pymc as adapter  # type: ignore[no-redef]
        own = cls.__init__

        @functools.wraps(own)
        def __init__(*args: "Live", **kwargs: "Live") -> None:  # a model is made with model=, the one that it is part of
            model = args[0]
            if not any(known.model is model for known in self.models):
                self.models.append(Known(model, adapter))
            own(*args, **kwargs)

        cls.__init__ = __init__

    def _samplers(self, package: "Live") -> None:
        for name in SAMPLERS:
            own = getattr(package, name, None)
            if callable(own) and not getattr(own, "looks_at_models", False):
                setattr(package, name, self._looks(own))
        if self.library is None or package.__name__ == "pymc":
            self.library = "%s %s" % ({"pymc3": "PyMC3"}.get(package.__name__, "PyMC"), package.__version__)

    def _looks(self, own: "Live") -> "Live":
        @functools.wraps(own)
        def sampler(*args: "Live", **kwargs: "Live") -> "Live":
            self.look()
            return own(*args, **kwargs)

        sampler.looks_at_models = True  # type: ignore[attr-defined]
        return sampler

    def look(self) -> None:
        """Computes the densities of all models that have got variables since the last look."""
        if self.looking:
            return
        self.looking = True
        numpy = sys.modules["numpy"]
        state, own = numpy.random.get_state(), random.getstate()
        try:
            roots = [known for known in self.models if is_root(known.model)]
            models = [known for known in roots if parts(known.model)]
            for index, known in enumerate(models):
                names = parts(known.model)
                if names != known.variables:
                    known.variables = names
                    self._look_at(known, index)
        finally:
            numpy.random.set_state(state)
            random.setstate(own)
            self.looking = False

    def _look_at(self, known: Known, index: int) -> None:
        if self.first is not None and (index >= len(self.first) or self.first[index].get("points") is None):
            return
        first = None if self.first is None else self.first[index]
        numpy = sys.modules["numpy"]
        try:
            with numpy.errstate(all="ignore"), known.adapter.prepared():
                known.figures = self.computing(
                    lambda: density_points.figures_of(known.adapter.Density(known.model), first, self.options, time.time)
                )
            known.failed = None
        except Exception as error:
            lines = [line.strip() for line in str(error).split("\n") if line.strip()]
            known.failed = "%s: %s" % (type(error).__name__, lines[0] if lines else "")

    def finish(self) -> None:
        """Looks once more, and writes the file."""
        if "numpy" in sys.modules:
            self.look()
        names = dict((id(value), name) for name, value in vars(sys.modules["__main__"]).items())
        nonempty = [k for k in self.models if k.variables]
        models = [dict(k.figures or {}, failed=k.failed, variable=names.get(id(k.model))) for k in nonempty]
        with open(str(self.options["file"]), "w") as file:
            json.dump({"library": self.library, "failed": self.failures, "models": models}, file)

    def making(self, fgraph: "Live") -> None:
        """Does nothing: the graph stays as it is."""

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """Does nothing: functions of the script are not looked at."""

    def entered(self, vm: "Live", recorded: bool) -> None:
        """Does nothing, as above."""

    def recorded(self, program: "Live", values: "Live") -> None:
        """Does nothing, as above."""


Instrument = DensityInstrument

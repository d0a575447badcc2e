"""`import pymc3.X.Y`: modules of PyMC3, each with names of this layer and of a module of PyMC."""

import importlib
import importlib.abc
import sys
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any, List, Optional

from . import linear_models, saved_traces, user_distributions
from .reasons import GONE
from .variable_kinds import KINDS

MODULES = {
    "backends": "pymc.backends", "backends.base": "pymc.backends.base", "backends.ndarray": "pymc.backends.ndarray",
    "backends.tracetab": "",
    "backends.text": "", "blocking": "pymc.blocking", "data": "pymc.data", "diagnostics": "", "distributions": "pymc.distributions",
    "distributions.bart": "", "distributions.bound": "", "distributions.continuous": "pymc.distributions.continuous",
    "distributions.discrete": "pymc.distributions.discrete", "distributions.dist_math": "pymc.distributions.dist_math",
    "distributions.distribution": "pymc.distributions.distribution", "distributions.mixture": "pymc.distributions.mixture",
    "distributions.multivariate": "pymc.distributions.multivariate", "distributions.simulator": "pymc.distributions.simulator",
    "distributions.special": "pymc.math", "distributions.timeseries": "pymc.distributions.timeseries",
    "distributions.transforms": "pymc.distributions.transforms", "exceptions": "pymc.exceptions", "gp": "pymc.gp", "gp.cov": "pymc.gp.cov",
    "glm": "", "glm.families": "", "glm.glm": "", "glm.linear": "", "glm.utils": "",
    "gp.gp": "pymc.gp.gp", "gp.mean": "pymc.gp.mean", "gp.util": "pymc.gp.util", "math": "pymc.math", "model": "pymc.model",
    "model_graph": "pymc.model_graph", "ode": "pymc.ode", "plots": "", "sampling": "pymc.sampling", "sampling_jax": "pymc.sampling.jax",
    "smc": "pymc.smc", "stats": "", "step_methods": "pymc.step_methods", "step_methods.arraystep": "pymc.step_methods.arraystep",
    "step_methods.compound": "pymc.step_methods.compound", "step_methods.hmc": "pymc.step_methods.hmc",
    "step_methods.metropolis": "pymc.step_methods.metropolis", "step_methods.slicer": "pymc.step_methods.slicer",
    "step_methods.step_sizes": "pymc.step_methods.step_sizes", "theanof": "pymc.pytensorf", "tuning": "pymc.tuning",
    "tuning.scaling": "pymc.tuning.scaling", "tuning.starting": "pymc.tuning.starting", "util": "pymc.util",
    "variational": "pymc.variational", "variational.approximations": "pymc.variational.approximations",
    "variational.callbacks": "pymc.variational.callbacks", "variational.inference": "pymc.variational.inference",
    "variational.operators": "pymc.variational.operators", "variational.opvi": "pymc.variational.opvi",
    "variational.updates": "pymc.variational.updates", "vartypes": "pymc.vartypes",
    "backends.report": "pymc.backends.report", "distributions.shape_utils": "pymc.distributions.shape_utils", "ode.ode": "pymc.ode.ode",
    "ode.utils": "pymc.ode.utils", "parallel_sampling": "pymc.sampling.parallel", "plots.posteriorplot": "",
    "smc.sample_smc": "pymc.smc.sampling", "smc.smc": "pymc.smc.kernels", "step_methods.hmc.base_hmc": "pymc.step_methods.hmc.base_hmc",
    "step_methods.hmc.hmc": "pymc.step_methods.hmc.hmc", "step_methods.hmc.integration": "pymc.step_methods.hmc.integration",
    "step_methods.hmc.nuts": "pymc.step_methods.hmc.nuts", "step_methods.hmc.quadpotential": "pymc.step_methods.hmc.quadpotential",
    "plots.kdeplot": "", "plots.utils": "", "step_methods.quadpotential": "pymc.step_methods.hmc.quadpotential", "step_methods.smc": "",
    "variational.advi": "", "variational.stein": "pymc.variational.stein", "variational.test_functions": "pymc.variational.test_functions",
}  # fmt: skip
"""Module of PyMC3 -> the module of PyMC with its names; "" if only this layer defines them."""
PROCESSES = ("Latent", "TP", "Marginal", "MarginalSparse", "LatentKron", "MarginalKron")
"""The classes of `gaussian_processes`."""
_MODULES_BY_LAST_NAME = {
    name.rpartition(".")[2]: name
    for name in MODULES
    if name.startswith(("step_methods.", "tuning.", "variational.")) or name in ("distributions.transforms", "glm.families", "glm.linear")
}
"""`pm.updates` is `pm.variational.updates`: PyMC3's star imports brought the modules too."""
_SEARCHED = ("pymc", "pymc.math", "pymc.pytensorf", "pymc.distributions.transforms", "pymc.gp.util", "arviz")
"""Modules in which a name is searched that is not in the module of its name."""
LINEAR_ALGEBRA = ("pytensor.tensor.linalg", "pytensor.tensor.nlinalg")
"""Modules with functions that `pymc3.math` imports from Theano, such as `matrix_dot`; the second is PyTensor 2's."""
RENAMED = {
    ".approx_hessian": "find_hessian", "tuning.scaling.approx_hessian": "find_hessian",
    "math.abs_": "abs", "math.tround": "round", "distributions.transforms.stick_breaking": "simplex",
    "distributions.transforms.StickBreaking": "SimplexTransform", "distributions.transforms.Log": "LogTransform",
    "distributions.transforms.LogOdds": "LogOddsTransform", "distributions.transforms.Circular": "CircularTransform",
    "distributions.transforms.interval": "Interval",
}  # fmt: skip
"""Name of PyMC3 -> its name in the same module of PyMC."""


class ServedModule(ModuleType):
    """A module of PyMC3: its names are searched in this layer, then in PyMC."""

    def __init__(self, fullname: str) -> None:
        super().__init__(fullname, "Serves {} over PyMC".format(fullname))
        self.__path__: List[str] = []  # a package: modules below it are found by the finder of their names

    def __getattr__(self, name: str) -> Any:
        module = self.__name__.partition(".")[2]
        if name == "__all__":
            return exported(self)
        if not module and name == "__version__":
            return vars(_layer())[name]
        if name.startswith("__"):
            raise AttributeError(name)
        return elsewhere(module, name) if module else getattr(_layer(), name)

    def __dir__(self) -> List[str]:
        module = self.__name__.partition(".")[2]
        if not module:
            return dir(_layer())
        theirs = MODULES.get(module)
        return sorted(set(super().__dir__()) | (set(dir(importlib.import_module(theirs))) if theirs else set()))


def exported(module: ModuleType) -> List[str]:
    """Returns the names that `from module import *` imports."""
    return [n for n in dir(module) if not n.startswith("_")]


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules of PyMC3 inside this package: `theanodiag.compat.pymc3.gp.cov`."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Optional[ModuleSpec]:
        """Returns the spec of a module inside this package. Raises ImportError for a module without a counterpart."""
        root = (__package__ or "") + "."
        if not name.startswith(root):
            return None
        check(name[len(root) :])
        return ModuleSpec(name, self, is_package=True)

    def exec_module(self, module: ModuleType) -> None:
        """Replaces the new module in sys.modules by the shared module of that name."""
        sys.modules[module.__name__] = served_module(module.__name__[len(__package__ or "") + 1 :])


def _layer() -> ModuleType:
    return sys.modules[__package__ or ""]


def elsewhere(module: str, name: str) -> Any:
    """Returns the object `name` of PyMC3's `module`. Raises AttributeError if there is none, with the reason if known."""
    if module + "." + name in RENAMED:
        name = RENAMED[module + "." + name]
    if module.startswith("glm") and name in linear_models.SERVED:
        return getattr(linear_models, name)
    if module in ("gp", "gp.gp") and name in PROCESSES:
        return getattr(importlib.import_module((__package__ or "") + ".gaussian_processes"), name)
    # `gp.cov.Exponential` and `gp.mean.Constant` are no distributions.
    served = vars(_layer()).get(name) if not name.startswith("_") and not module.startswith("gp") else None
    if served is None and module.startswith("distributions"):
        served = vars(user_distributions).get(name)
    if served is not None and not isinstance(served, ModuleType) and getattr(served, "__module__", "").startswith(__package__ or "?"):
        return served
    if name == "Text" or (module == "backends.text" and name in ("load", "dump")):
        return getattr(saved_traces, name)
    if name in ("draw_values", "generate_samples"):
        return getattr(importlib.import_module((__package__ or "") + ".drawing"), name)
    if module.startswith("distributions.") and name in ("bound", "alltrue_elemwise", "alltrue_scalar"):
        return getattr(importlib.import_module((__package__ or "") + ".dist_math"), name)
    if name in KINDS:
        return KINDS[name]
    if name in GONE:
        raise AttributeError("pymc3.{} has no counterpart in PyMC: {}".format(name, GONE[name]))
    inner = (module + "." if module else "") + name
    if inner in MODULES and (not module or served is None or isinstance(served, ModuleType)):
        return served_module(inner)
    if not module and name in _MODULES_BY_LAST_NAME:
        return served_module(_MODULES_BY_LAST_NAME[name])
    if name == "theano" or (name == "tt"):
        return _of_theano("" if name == "theano" else ".tensor")
    if name in ("lowerbound", "upperbound"):
        return _one_sided(name)
    beside = ("pymc.distributions.dist_math",) if module.startswith("distributions.") else ()  # which the modules of densities import
    for theirs in (MODULES.get(module) or "pymc", *beside, *_SEARCHED, *(LINEAR_ALGEBRA if module == "math" else ())):
        value = getattr(importlib.import_module(theirs), name, None) if theirs else None
        if value is not None:
            return value
    raise AttributeError("pymc3{} has no {!r} that this layer provides on PyMC".format("." + module if module else "", name))


def _of_theano(inner: str) -> ModuleType:
    """A module of Theano: the served one, or this layer's file if `theano` is not served."""
    try:
        return importlib.import_module("theano" + inner)
    except ImportError:
        return importlib.import_module((__package__ or "").rpartition(".")[0] + ".api" + inner)


def _one_sided(name: str) -> Any:
    """`lowerbound(a)` or `upperbound(b)`: the transform for a variable with one bound."""
    from pymc.distributions.transforms import Interval

    return (lambda a: Interval(a, None)) if name == "lowerbound" else (lambda b: Interval(None, b))


def check(name: str) -> None:
    """Raises ImportError for a module of PyMC3 without a counterpart; "" is PyMC3 itself."""
    last = name.rpartition(".")[2]
    if name and name not in MODULES:
        reason = next((GONE[part] for part in (last, *name.split(".")) if part in GONE), "")
        raise ImportError("pymc3.{} has no counterpart in PyMC{}".format(name, ": " + reason if reason else ""), name="pymc3." + name)


def served_module(name: str) -> ModuleType:
    """Returns the module of PyMC3 of that name, created once."""
    fullname = "pymc3." + name
    if fullname not in sys.modules:
        sys.modules[fullname] = ServedModule(fullname)
    return sys.modules[fullname]

"""PyMC3's distributions that a script defines: `DensityDist`, and the classes from which its own derive."""

import functools
import numbers
import warnings
from typing import Any, Dict, Optional

import numpy as np
import pymc
import pytensor.tensor as pt
from pymc.distributions import transforms as modern_transforms
from pymc.logprob.transforms import Transform as _Transform
from pytensor.graph.traversal import ancestors

from . import distribution_arguments

# A variable that contributes nothing is drawn by Python: PyTensor's linker for numba says so at each compilation.
warnings.filterwarnings("ignore", "Numba will use object mode to run CustomDist", UserWarning)


class Density:
    """The parts of a variable of `DensityDist` or of a user's class: a variable without density, and its density as a Potential.

    In PyMC3 a density function may use any variable of the model; PyMC's CustomDist may use only its parameters.
    """

    def __init__(self, logp: Any, values: Dict[str, Any], discrete: bool = False, default: Any = None, random: Any = None) -> None:
        self.logp = logp
        self.random = random
        self.values = values
        self.discrete = discrete
        self.default = default

    def variable(self, name: str) -> Any:
        """Returns the random variable `name`, or the observed data."""
        observed = self.values.get("observed")
        if observed is None:
            return self._free(name)
        if self.random is not None:
            model = pymc.modelcontext(None)
            vars(model).setdefault("drawn_by", {})[model.name_for(name)] = self.random
        scale = self._scale(observed)
        if isinstance(observed, dict):
            pymc.Potential(name, scale * pt.sum(self.logp(**{key: pt.as_tensor(value) for key, value in observed.items()})))
            return observed
        value = pt.as_tensor(np.asarray(observed) if not hasattr(observed, "owner") else observed)
        pymc.Potential(name, scale * pt.sum(self.logp(value)))
        return value

    def _scale(self, observed: Any) -> Any:
        """The factor of a minibatch's density: the size of all data, the rows or each length, by the batch's."""
        total = self.values.get("total_size")
        if not total:
            return 1.0
        shape = pt.as_tensor(next(iter(observed.values())) if isinstance(observed, dict) else observed).shape
        totals = list(total) if isinstance(total, (list, tuple)) else [total]
        at = totals.index(Ellipsis) if Ellipsis in totals else len(totals)
        lengths = {**dict(enumerate(totals[:at])), **{k - len(totals): totals[k] for k in range(at + 1, len(totals))}}
        return pt.prod([float(length) / shape[k] for k, length in lengths.items() if length is not None])

    def _free(self, name: str) -> Any:
        values = {
            k: v
            for k, v in distribution_arguments.common(dict(self.values)).items()
            if k in ("shape", "dims", "initval", "transform", "default_transform")
        }
        start = values.get("initval", self.default)
        if start is not None:
            values["initval"] = start if isinstance(start, str) or "shape" not in values else np.broadcast_to(start, values["shape"])
        if self.discrete:
            variable = pymc.CustomDist(name, logp=no_density, random=_zeros_of_integers, dtype="int64", **values)
        else:
            variable = pymc.Flat(name, **values)
        pymc.Potential(name + "_density", pt.sum(self.logp(variable)))
        return variable


def no_density(value: Any, *parameters: Any) -> Any:
    """Returns a log-density of 0 everywhere."""
    return pt.zeros_like(value, dtype="float64")


def zeros(*parameters: Any, rng: Any = None, size: Any = None) -> Any:
    """Returns zeros as the draws of a variable without density."""
    return np.zeros(size or ())


def _zeros_of_integers(*parameters: Any, rng: Any = None, size: Any = None) -> Any:
    return np.zeros(size or (), dtype="int64")


class DensityDist:
    """A variable, or data, whose density is a function of its value and of any variable of the model."""

    def __new__(cls, name: str, logp: Any, *args: Any, **kwargs: Any) -> Any:
        """The variable, or the data if `observed` is given (an array, or a dict of arguments of `logp`)."""
        order = ("shape", "dtype", "initval", "random")
        values = distribution_arguments.bound("DensityDist", order, args, kwargs)
        return Density(logp, values, random=values.pop("random", None)).variable(name)

    @classmethod
    def dist(cls, logp: Any, *args: Any, **kwargs: Any) -> Any:
        """Returns a distribution without a model, for a mixture."""
        return pymc.CustomDist.dist(logp=logp, **{k: v for k, v in kwargs.items() if k == "shape"})


def empty(kind: type) -> Any:
    """Returns an object of a class, which is not initialized: for `pickle`."""
    return object.__new__(kind)


class Distribution:
    """Base class of users' distributions: `__init__` stores the parameters, `logp` returns the density.

    As in PyMC3, `__init__` may set the attributes `transform`, and one of `median`, `mean`, `mode` as initial value.
    """

    discrete = False
    transform = None  # type: Any

    def __new__(cls, name: str, *args: Any, **kwargs: Any) -> Any:
        """The random variable `name` of the model whose `with` block contains the call."""
        outside = {key: kwargs.pop(key) for key in ("observed", "total_size", "dims") if key in kwargs}
        dist = cls.dist(*args, **kwargs)
        values = {**outside, **{k: v for k, v in dist.given.items() if v is not None}}
        if dist.transform is not None:
            values["transform"] = dist.transform
        default = next((_value(getattr(dist, a)) for a in ("median", "mean", "mode") if getattr(dist, a, None) is not None), None)
        return Density(dist.logp, values, cls.discrete, default, getattr(dist, "random", None)).variable(name)

    @classmethod
    def dist(cls, *args: Any, **kwargs: Any) -> Any:
        """Returns the distribution as an object, with its parameters."""
        self = object.__new__(cls)
        self.given = {}
        self.__init__(*args, **kwargs)  # type: ignore[misc]
        return self

    def __init__(
        self, shape: Any = (), dtype: Any = None, defaults: Any = (), transform: Any = None, testval: Any = None, **kwargs: Any
    ) -> None:
        self.given = {"shape": shape if shape != () else None, "testval": testval, "initval": kwargs.get("initval")}
        self.shape = shape
        self.dtype = "int64" if self.discrete else "float64"
        if transform is not None:
            self.transform = transform

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickles the object: to call its class would make a variable."""
        return empty, (type(self),), vars(self)


def _value(variable: Any) -> Optional[np.ndarray]:
    """The value of a variable that does not depend on random variables; None if it does, or if it cannot be computed."""
    if not hasattr(variable, "owner"):
        return np.asarray(variable)
    ops = [v.owner.op for v in ancestors([variable]) if v.owner is not None]
    if any(getattr(op, "rng_param", None) is not None or type(op).__name__.endswith("RV") for op in ops):
        return None
    value: np.ndarray = np.asarray(variable.eval())
    return value


class Continuous(Distribution):
    """A continuous distribution defined by the user."""


class Discrete(Distribution):
    """A discrete distribution defined by the user."""

    discrete = True


class PositiveContinuous(Continuous):
    """A distribution of positive numbers, sampled as their logarithms."""

    transform = modern_transforms.log


class UnitContinuous(Continuous):
    """A distribution on (0, 1), sampled as log-odds."""

    transform = modern_transforms.logodds


class BoundedContinuous(Continuous):
    """A distribution between numbers, sampled on the whole line."""

    def __init__(self, transform: Any = "auto", lower: Any = None, upper: Any = None, *args: Any, **kwargs: Any) -> None:
        lower, upper = (None if isinstance(b, numbers.Real) and np.isinf(b) else b for b in (lower, upper))
        if transform == "auto":
            transform = None if lower is None and upper is None else modern_transforms.Interval(lower, upper)
        super().__init__(*args, **dict(kwargs, transform=transform))


class EulerMaruyama(Continuous):
    """A stochastic differential equation; as in PyMC3 (timeseries.py, 3.11.5) the first value has no density, which PyMC gives one."""

    def __init__(self, dt: Any, sde_fn: Any, sde_pars: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dt = pt.as_tensor(dt)
        self.sde_fn = sde_fn
        self.sde_pars = sde_pars

    def logp(self, x: Any) -> Any:
        """Returns the log-density of the steps."""
        drift, diffusion = self.sde_fn(x[:-1], *self.sde_pars)
        steps = pymc.Normal.dist(mu=x[:-1] + self.dt * drift, sigma=pt.sqrt(self.dt) * diffusion)
        return pt.sum(pymc.logp(steps, x[1:]))


class NoDistribution(Distribution):
    """A placeholder for `isinstance` checks in old code."""


class Transform(_Transform):  # type: ignore[misc]
    """Base class of a script's transforms, whose methods get a value alone; those of PyMC also get the parameters of the variable."""

    ndim_supp = 0

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        own = vars(cls)
        for name, plain in (("forward", "forward"), ("backward", "backward"), ("log_jac_det", "jacobian_det")):
            if plain in own:
                setattr(cls, name, _of_value(own[plain]))


def _of_value(plain: Any) -> Any:
    @functools.wraps(plain)
    def computed(self: Any, value: Any, *inputs: Any) -> Any:
        return plain(self, value)

    return computed


class ElemwiseTransform(Transform):
    """A script's transform of each element; its Jacobian is derived if there is no `jacobian_det` (PyMC3 3.11.5, transforms.py)."""

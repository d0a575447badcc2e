"""A script's classes that derive from a distribution of PyMC3, such as `class Rayleigh(pm.Weibull)`."""

from typing import Any, Dict, Optional, Type

import numpy as np
import pymc
import pytensor.tensor as pt
from pymc.distributions import transforms as modern_transforms
from pymc.distributions.distribution import support_point
from pymc.logprob.transforms import Transform

from . import distribution_arguments
from .models import draws, test_value
from .user_distributions import Density, empty

_PACKAGE = __package__ or ""
OF_VARIABLES = ("observed", "total_size", "dims")
"""Arguments of a variable, which its distribution does not get."""


def is_derived(kind: type) -> bool:
    """Returns whether a class is defined outside of the PyMC3 layer, by a script."""
    return not kind.__module__.startswith(_PACKAGE)


def base_of(kind: type) -> Any:
    """Returns the class of the PyMC3 layer from which a script's class is derived."""
    return next(c for c in kind.__mro__ if c.__module__.startswith(_PACKAGE))


def variable(kind: Any, name: str, args: Any, kwargs: Dict[str, Any]) -> Any:
    """Makes the random variable `name` of a script's class, or its data. Its density is that of the class's method `logp`, or of its base
    class.
    """
    outside = {key: kwargs.pop(key) for key in OF_VARIABLES if key in kwargs}
    made = instance(kind, args, kwargs)
    base = base_of(kind)
    if kind.logp is base.logp:
        return base.made(name, {**made.given, **outside})
    values = {**outside, **{key: made.given[key] for key in ("shape", "testval", "initval") if made.given.get(key) is not None}}
    values["transform"] = made.given["transform"] if "transform" in made.given else _transform_of(made.variable)
    random = made.random if kind.random is not base.random else None
    discrete = str(made.variable.dtype).startswith(("int", "uint", "bool"))
    return Density(made.logp, values, discrete, _start_of(made.variable), random).variable(name)


def instance(kind: Any, args: Any, kwargs: Dict[str, Any]) -> Any:
    """Returns the distribution as an object, with its parameters as attributes."""
    made = object.__new__(kind)
    made.__init__(*args, **kwargs)
    return made


def unnamed(kind: Any, args: Any, kwargs: Dict[str, Any]) -> Any:
    """Makes the distribution of a script's class without a model: a variable if its density is that of its base class, else the object."""
    made = instance(kind, args, kwargs)
    return made.variable if kind.logp is base_of(kind).logp else made


class Members:
    """The methods and attributes that a script's class gets from a distribution of PyMC3."""

    variable = None  # type: Any
    given = {}  # type: Dict[str, Any]

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        base: Type[Any] = base_of(type(self))
        self.given = distribution_arguments.bound(base.__name__, base.form.arguments, args, kwargs)
        self.variable = base.unnamed(self.given)
        parameters = {**self.given, **base.cast_values(self.given)}
        if "sigma" in parameters:
            parameters.update(sd=parameters["sigma"], tau=pt.as_tensor(parameters["sigma"]) ** -2.0)
        for key, value in parameters.items():
            if key in base.form.arguments or key in base.form.renamed.values():
                setattr(self, key, pt.as_tensor(value))
        shape = self.given.get("shape", ())
        self.shape = tuple(int(n) for n in np.atleast_1d(shape)) if np.size(shape) else ()
        self.dtype = self.variable.dtype

    def logp(self, value: Any) -> Any:
        """Returns the log-density at a value."""
        return pymc.logp(self.variable, pt.as_tensor(value))

    def random(self, point: Any = None, size: Any = None) -> Any:
        """Returns draws as an array."""
        return draws(self.variable, point, size)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickles the object: to call its class would make a variable."""
        return empty, (type(self),), vars(self)


def _transform_of(variable: Any) -> Any:
    """The transform with which PyMC samples a variable; None without one."""
    transform = modern_transforms._default_transform(variable.owner.op, variable)
    return None if transform is None else WithParameters(transform, variable.owner.inputs)


def _start_of(variable: Any) -> Optional[np.ndarray]:
    point = support_point(variable)
    try:
        start = test_value(point)
    except AttributeError:  # it depends on no variable of a model
        start = np.asarray(point.eval())
    return start


class WithParameters(Transform):  # type: ignore[misc]
    """A transform of another variable's distribution, with the parameters of that variable."""

    ndim_supp = 0

    def __init__(self, transform: Any, parameters: Any) -> None:
        self.transform = transform
        self.parameters = parameters
        self.name = transform.name
        self.ndim_supp = getattr(transform, "ndim_supp", 0)

    def forward(self, value: Any, *inputs: Any) -> Any:
        """Returns the value that is sampled."""
        return self.transform.forward(value, *self.parameters)

    def backward(self, value: Any, *inputs: Any) -> Any:
        """Returns the variable's value."""
        return self.transform.backward(value, *self.parameters)

    def log_jac_det(self, value: Any, *inputs: Any) -> Any:
        """Returns the logarithm of the Jacobian determinant."""
        return self.transform.log_jac_det(value, *self.parameters)

"""PyMC3's classes of a model's variables (model.py, 3.11.5), for `isinstance`: in PyMC all are plain tensors, known to their model."""

from typing import Any

from .models import models


class _Kind(type):
    """A class whose instances are the variables that `holds` says of their model."""

    def __instancecheck__(cls, variable: Any) -> bool:
        model = next((m for m in models if _is_of(m, variable)), None)
        return model is not None and bool(getattr(cls, "holds")(model, variable))


def _is_of(model: Any, variable: Any) -> bool:
    """Whether a variable, or the value that stands for it in the sampler, is one of a model."""
    named = model.named_vars.get(getattr(variable, "name", None))
    return named is variable or any(value is variable for value in model.value_vars)


class PyMC3Variable(metaclass=_Kind):
    """A variable of a model, of any kind."""

    @staticmethod
    def holds(model: Any, variable: Any) -> bool:
        """Returns whether a variable of the model is of this kind."""
        return True


class TransformedRV(PyMC3Variable):
    """A free variable that is sampled by a transform."""

    @staticmethod
    def holds(model: Any, variable: Any) -> bool:
        """Returns whether a variable of the model is of this kind."""
        return model.rvs_to_transforms.get(variable) is not None


class FreeRV(PyMC3Variable):
    """A variable that is sampled: without a transform, or the sampled value of a transformed one (`x_log__`)."""

    @staticmethod
    def holds(model: Any, variable: Any) -> bool:
        """Returns whether a variable of the model is of this kind."""
        return any(v is variable for v in (*model.free_RVs, *model.value_vars)) and not isinstance(variable, TransformedRV)


class ObservedRV(PyMC3Variable):
    """A variable with data."""

    @staticmethod
    def holds(model: Any, variable: Any) -> bool:
        """Returns whether a variable of the model is of this kind."""
        return any(v is variable for v in model.observed_RVs)


class MultiObservedRV(ObservedRV):
    """A variable with several data, `observed={...}`. In PyMC it is a term of the density, so no variable is of this kind."""

    @staticmethod
    def holds(model: Any, variable: Any) -> bool:
        """Returns whether a variable of the model is of this kind."""
        return False


class DeterministicWrapper(PyMC3Variable):
    """A named expression."""

    @staticmethod
    def holds(model: Any, variable: Any) -> bool:
        """Returns whether a variable of the model is of this kind."""
        return any(v is variable for v in model.deterministics)


KINDS = {kind.__name__: kind for kind in (PyMC3Variable, TransformedRV, FreeRV, ObservedRV, MultiObservedRV, DeterministicWrapper)}
"""Name of a class of PyMC3 -> the class."""

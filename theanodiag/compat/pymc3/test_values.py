"""`x.tag.test_value`: PyMC3 computed every variable of a model at the point from which sampling starts."""

import weakref
from typing import Any, Dict

import numpy as np
import pymc
from pytensor.graph.replace import clone_replace
from pytensor.graph.traversal import ancestors
from pytensor.graph.utils import Scratchpad
from pytensor.tensor.variable import TensorVariable

models: "weakref.WeakSet[Any]" = weakref.WeakSet()
"""Models whose variables have a test value."""


def test_value(variable: Any) -> np.ndarray:
    """The variable at the start of its model, an observed one as its data. Raises AttributeError for one of no model."""
    above = set(ancestors([variable]))
    model = next((m for m in models if above & set(m.basic_RVs)), None)
    if model is None:
        raise AttributeError("test_value: this variable follows from no variable of a model")
    found: Dict[Any, np.ndarray] = {rv: np.asarray(model.rvs_to_values[rv].eval()) for rv in above & set(model.observed_RVs)}
    free = above & set(model.free_RVs)
    if free:
        start = pymc.initial_point.make_initial_point_fn(model=model, return_transformed=False)(None)
        found.update({rv: np.asarray(start[rv.name], dtype=rv.dtype) for rv in free})
    if variable in found:
        return found[variable]
    replaced: Any = clone_replace([variable], {rv: rv.type.filter_variable(value, allow_convert=True) for rv, value in found.items()})
    return np.asarray(replaced[0].eval())


def _tag_of(variable: Any) -> Any:
    return variable.__dict__["tag"]


def _set_tag(variable: Any, tag: Any) -> None:
    variable.__dict__["tag"] = tag
    tag.__dict__["variable_"] = variable


def _missing(tag: Any, name: str) -> Any:
    """Attribute of a tag that is not there."""
    if name == "test_value" and "variable_" in tag.__dict__:
        return test_value(tag.__dict__["variable_"])
    raise AttributeError("{!r} object has no attribute {!r}".format(type(tag).__name__, name))


def follow() -> None:
    """Gives variables of PyTensor their `tag.test_value`, computed when it is asked for."""
    TensorVariable.tag = property(_tag_of, _set_tag)
    Scratchpad.__getattr__ = _missing

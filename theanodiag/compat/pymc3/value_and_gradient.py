"""PyMC3's `model.logp_dlogp_function()`: the log-density and its gradient as a function of one vector (PyMC3 3.11.5, model.py)."""

from typing import Any, Dict, List, Tuple

import numpy as np
import pymc


def sampled_name(point: Dict[str, Any], name: str, variable: str) -> str:
    """Returns the key of `point` for the sampled value `name` of `variable`: PyMC3 and PyMC name some transforms differently."""
    if name in point or not name.endswith("__"):
        return name
    return next((key for key in point if key.startswith(variable + "_") and key.endswith("__")), name)


def sampled_keys(point: Dict[str, Any], model: Any) -> Dict[Any, str]:
    """Sampled value of a model -> its key in `point`."""
    return {value: sampled_name(point, value.name, model.values_to_rvs[value].name) for value in model.value_vars}


def known_values(point: Dict[str, Any], model: Any) -> Dict[str, Any]:
    """The part of a point that has values of free variables, on their own scale or as they are sampled."""
    keys = {*(rv.name for rv in model.free_RVs), *sampled_keys(point, model).values()}
    return {key: value for key, value in point.items() if key in keys}


def points_for(model: Any, start: Any) -> Any:
    """Converts start values for PyMC: names of the free variables, values on their own scale; transformed values are transformed back."""
    if start is None:
        return None
    if isinstance(start, (list, tuple)):
        return [points_for(model, point) for point in start]
    out = {}  # type: Dict[str, Any]
    for rv in model.free_RVs:
        value, transform = model.rvs_to_values[rv], model.rvs_to_transforms.get(rv)
        key = sampled_name(start, value.name, rv.name)
        if rv.name in start:
            out[rv.name] = start[rv.name]
        elif key in start and transform is not None:
            out[rv.name] = transform.backward(np.asarray(start[key]), *rv.owner.inputs).eval()
    unknown = [str(name) for name in start if str(name) not in model.named_vars and not str(name).endswith("__")]
    if unknown:
        raise ValueError("start has values of {}, which the model does not have".format(", ".join(sorted(unknown))))
    return out


def natural_derivative(name: str, vars: Any, model: Any) -> Any:
    """Returns a function of the free variables' values, and of a point, for the derivative of the log-density by variables on their own
    scale, not by their sampled values; None if none of `vars` is transformed.

    The terms of the transformed variables themselves are not part of it: in PyMC3 their densities are functions of the sampled values
    (3.11.5, model.py, `TransformedRV`). `name` is that of PyMC's function: gradient, hessian or hessian_diag.
    """
    own = {rv.name for rv in vars or () if model.rvs_to_transforms.get(rv) is not None}
    if not own:
        return None
    from pymc.model.transform.conditioning import remove_value_transforms

    held = remove_value_transforms(model, [model[rv] for rv in own])
    density = held.logp(vars=[v for v in (*held.basic_RVs, *held.potentials) if v.name not in own])
    values = [held.rvs_to_values[held[v.name]] if v.name in held.named_vars else held[v.name] for v in vars]
    options = {} if name == "gradient" else {"negate_output": False}
    compiled = held.compile_fn(getattr(pymc.pytensorf, name)(density, values, **options), on_unused_input="ignore")

    def derivative(natural: Dict[str, Any], point: Dict[str, Any]) -> Any:
        keys = sampled_keys(point, held)
        found = {v.name: natural[v.name] if v.name in own else point[key] for v, key in keys.items()}
        return compiled({v.name: np.asarray(found[v.name], dtype=v.dtype) for v in held.value_vars})

    return derivative


class ValueGradFunction:
    """A function of a vector with the values of some sampled variables; the values of all others are held."""

    def __init__(self, function: Any, model: Any) -> None:
        """`function` is PyMC's, of one vector."""
        self._function = function
        self._model = model
        point = model.initial_point()
        self._places = []  # type: List[Tuple[str, slice, Any]]
        end = 0
        for variable in function._grad_vars:
            value = np.asarray(point[variable.name])
            self._places.append((variable.name, slice(end, end + value.size), value))
            end += value.size
        self.size = end
        self.dtype = function.dtype
        self._are_set = not function._extra_vars

    @property
    def profile(self) -> Any:
        """What PyTensor measured, if the function was compiled with `profile=True`."""
        return self._function.profile

    def set_weights(self, values: Any) -> None:
        """Sets the factor of the data's log-density, as an array of one number (`tempered=True`)."""
        self._function.set_weights(values)

    def set_extra_values(self, extra_vars: Dict[str, Any]) -> None:
        """Holds the values that a point has for the other variables."""
        names = [variable.name for variable in self._function._extra_vars]
        self._function.set_extra_values({name: np.asarray(extra_vars[self._key(extra_vars, name)]) for name in names})
        self._are_set = True

    def get_extra_values(self) -> Dict[str, Any]:
        """Returns the values that are held. Raises ValueError before they are set."""
        self._check()
        return dict(self._function.get_extra_values())

    def __call__(self, array: Any, grad_out: Any = None, extra_vars: Any = None) -> Any:
        """(log-density, gradient) at a vector; the log-density alone with `grad_out`, into which the gradient is written."""
        if extra_vars is not None:
            self.set_extra_values(extra_vars)
        self._check()
        if np.shape(array) != (self.size,):
            raise ValueError("Invalid shape for array. Must be {} but is {}.".format((self.size,), np.shape(array)))
        value, gradient = self._function([np.asarray(array, dtype=self.dtype)])
        if grad_out is None:
            return [value, gradient]
        np.copyto(grad_out, gradient)
        return value

    def dict_to_array(self, point: Dict[str, Any]) -> np.ndarray:
        """Returns the values of a point as the vector."""
        array = np.empty(self.size, dtype=self.dtype)
        for name, place, _ in self._places:
            array[place] = np.ravel(point[self._key(point, name)])
        return array

    def array_to_dict(self, array: Any) -> Dict[str, Any]:
        """Returns the vector as a point."""
        if np.shape(array) != (self.size,):
            raise ValueError("Array should have shape ({},) but has {}".format(self.size, np.shape(array)))
        return {name: np.reshape(array[place], value.shape).astype(value.dtype) for name, place, value in self._places}

    def array_to_full_dict(self, array: Any) -> Dict[str, Any]:
        """Returns the vector and the values that are held as a point."""
        return dict(self.array_to_dict(array), **self.get_extra_values())

    def _key(self, point: Dict[str, Any], name: str) -> str:
        variable = next(rv.name for value, rv in self._model.values_to_rvs.items() if value.name == name)
        return sampled_name(point, name, variable)

    def _check(self) -> None:
        if not self._are_set:
            raise ValueError("Extra values are not set.")

"""PyMC3's `Model`: its attributes and compiled functions, based on PyMC's, and `x.tag.test_value` of every variable of a model."""

import functools
import importlib
import sys
import weakref
from pathlib import Path
from typing import Any, Callable, Dict, Iterator, List, Optional

import numpy as np
import pymc
from pytensor import shared
from pytensor.compile.sharedvalue import shared_constructor
from pytensor.graph.op import Op
from pytensor.graph.replace import clone_replace
from pytensor.graph.traversal import ancestors
from pytensor.graph.utils import Scratchpad
from pytensor.tensor.random.type import RandomType
from pytensor.tensor.variable import TensorVariable

from ..behaviour.tensors import with_truth
from ..callers import is_of_a_package
from ..notes import note
from .batches import as_data
from .value_and_gradient import ValueGradFunction, known_values, natural_derivative, points_for, sampled_name

models: "weakref.WeakSet[Any]" = weakref.WeakSet()
"""Models whose variables have a test value."""


def test_value(variable: Any) -> np.ndarray:
    """Returns the value of a variable at its model's initial point; an observed variable has its data. Raises AttributeError if it has no
    model.
    """
    above = set(ancestors([variable]))
    model = next((m for m in models if above & set(m.basic_RVs)), None)
    if model is None:
        raise AttributeError("test_value: this variable follows from no variable of a model")
    known: Dict[Any, np.ndarray] = {rv: np.asarray(model.rvs_to_values[rv].eval()) for rv in above & set(model.observed_RVs)}
    free = above & set(model.free_RVs)
    if not free <= set(model.rvs_to_transforms):
        raise AttributeError("test_value: the model does not have the whole variable yet")
    if free:
        start = pymc.initial_point.make_initial_point_fn(model=model, return_transformed=False)(None)
        known.update({rv: np.asarray(start[rv.name], dtype=rv.dtype) for rv in free})
    if variable in known:
        return known[variable]
    replaced: Any = clone_replace([variable], {rv: rv.type.filter_variable(value, allow_convert=True) for rv, value in known.items()})
    return np.asarray(replaced[0].eval())


def _tag_of(variable: Any) -> Any:
    return variable.__dict__["tag"]


def _set_tag(variable: Any, tag: Any) -> None:
    variable.__dict__["tag"] = tag
    tag.__dict__["variable_"] = variable


def _missing(tag: Any, name: str) -> Any:
    """`__getattr__` of tags: computes `test_value` on demand. Raises AttributeError for other names."""
    if name == "test_value" and "variable_" in tag.__dict__:
        return test_value(tag.__dict__["variable_"])
    raise AttributeError("{!r} object has no attribute {!r}".format(type(tag).__name__, name))


def follow() -> None:
    """Adds `tag.test_value` to PyTensor's variables, computed on demand, and Theano's truth values."""
    with_truth()
    TensorVariable.tag = property(_tag_of, _set_tag)
    Scratchpad.__getattr__ = _missing
    pymc.Model._validate_name = staticmethod(lambda name: name)  # which refuses a slash; see slashes.py
    # The shape of a variable for `model_to_graphviz`, without a draw of it: PyMC draws, which fails for a rate such as exp(50).
    vars(pymc.model_graph)["_cheap_eval_mode"] = "FAST_COMPILE"


class _Named(pymc.util.treedict):  # type: ignore[misc]
    """The variables of a model by name; also the sampled value of a transformed one (`x_log__`), which PyMC keeps apart."""

    model = None  # type: Any

    def __missing__(self, name: str) -> Any:
        for value, rv in self.model.values_to_rvs.items() if str(name).endswith("__") and self.model is not None else ():
            if value.name == name or (value.name != rv.name and rv.name == _stem(name)):
                return value
        raise KeyError(name)


def _stem(name: str) -> str:
    """The variable of `x_log__`."""
    return name[:-2].rpartition("_")[0]


class Model(pymc.Model):  # type: ignore[misc]
    """A model; `logp`, `fastlogp` and similar methods take a point: a dict of values, with transformed variables under their own names."""

    def __new__(cls, *args: Any, **kwargs: Any) -> Any:
        """Creates an empty model; the arguments are those of `__init__`."""
        parent = kwargs.get("model")
        plain = super().__new__
        return plain(cls) if parent is None or plain is object.__new__ else plain(cls, model=parent)

    def __init__(
        self,
        name: str = "",
        model: Any = None,
        theano_config: Optional[Dict[str, Any]] = None,
        coords: Any = None,
        check_bounds: bool = True,
    ) -> None:
        if theano_config and set(theano_config) - {"compute_test_value"}:
            note("Model(theano_config=...) has no effect: set the flags of PyTensor")
        super().__init__(name, coords=coords, check_bounds=check_bounds, **({} if model is None else {"model": model}))
        if self.parent is None:
            named = _Named(vars(self)["named_vars"])
            named.model = self
            self.named_vars = named
        models.add(self)

    def __reduce_ex__(self, protocol: Any) -> Any:
        """Pickles a model for `pickle`, which cannot pickle what PyMC's variables hold, by cloudpickle."""
        if any(frame.f_globals.get("__name__", "").partition(".")[0] in ("cloudpickle", "copy") for frame in _callers()):
            return super().__reduce_ex__(protocol)
        cloudpickle: Any = importlib.import_module("cloudpickle")  # PyMC itself needs it
        return cloudpickle.loads, (cloudpickle.dumps(self),)

    def __getattr__(self, name: str) -> Any:
        held = self.__dict__.get("named_vars", {})
        try:
            return held[name]
        except KeyError:
            pass
        raise AttributeError("{!r} object has no attribute {!r}".format(type(self).__name__, name))

    @property
    def prefix(self) -> str:
        """The prefix of the variables' names in a named model, `name_`; PyMC's own is `name::`."""
        return "{}_".format(self.name) if self.name else ""

    def name_for(self, name: Any) -> Any:
        """Returns the name of a variable with the prefix."""
        return name if not name or name.startswith(self.prefix) else self.prefix + name

    def name_of(self, name: Any) -> Any:
        """Returns the name of a variable without the prefix."""
        return name[len(self.prefix) :] if name and self.prefix and name.startswith(self.prefix) else name

    @property
    def vars(self) -> List[Any]:
        """The free variables in the transformed form in which they are sampled."""
        return list(self.value_vars)

    @property
    def cont_vars(self) -> List[Any]:
        """The continuous variables in `vars`."""
        return list(self.continuous_value_vars)

    @property
    def disc_vars(self) -> List[Any]:
        """The discrete variables in `vars`."""
        return list(self.discrete_value_vars)

    @property
    def test_point(self) -> Dict[str, np.ndarray]:
        """The initial point of sampling: name -> value."""
        return {str(name): value for name, value in self.initial_point().items()}

    @property
    def ndim(self) -> int:
        """The number of sampled scalars."""
        return int(sum(np.size(value) for value in self.initial_point().values()))

    @property
    def logpt(self) -> Any:
        """The log-density, symbolic."""
        return super().logp()

    def logp(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the log-density at a point; without a point, the symbolic one that PyMC's `logp` returns."""
        if args and isinstance(args[0], dict):
            return self.fastlogp(args[0])
        return super().logp(*args, **kwargs)

    def logp_nojac(self, point: Dict[str, Any]) -> Any:
        """Returns the log-density at a point, without the Jacobian terms of the transforms."""
        return self.compile_logp(jacobian=False)(self._point(point))

    def dlogp(self, vars: Any = None, jacobian: Any = None) -> Any:
        """Returns a function of a point that returns the gradient; with `jacobian`, which PyMC passes, the symbolic gradient."""
        if jacobian is not None:
            return super().dlogp(vars=vars, jacobian=jacobian)
        return self.fastdlogp(vars)

    @property
    def fastlogp(self) -> Callable[[Dict[str, Any]], Any]:
        """A function of a point that returns the log-density."""
        compiled = self.compile_logp()
        return lambda point: compiled(self._point(point))

    def fastdlogp(self, vars: Any = None) -> Callable[[Dict[str, Any]], Any]:
        """Returns a function of a point that returns the gradient with respect to `vars`."""
        natural = natural_derivative("gradient", vars if isinstance(vars, (list, tuple)) else None if vars is None else [vars], self)
        if natural is not None:
            return lambda point: natural(points_for(self, known_values(point, self)), point)
        compiled = self.compile_dlogp(vars=vars)
        return lambda point: compiled(self._point(point))

    def logp_dlogp_function(self, grad_vars: Any = None, tempered: bool = False, **kwargs: Any) -> Any:
        """Returns a function of a vector that computes log-density and gradient. If one of PyMC's samplers calls it with its own arguments,
        it returns PyMC's function.
        """
        if "ravel_inputs" in kwargs or "initial_point" in kwargs:
            return super().logp_dlogp_function(grad_vars, tempered=tempered, **kwargs)
        return ValueGradFunction(super().logp_dlogp_function(grad_vars, tempered=tempered, ravel_inputs=True, **kwargs), self)

    def _point(self, point: Dict[str, Any]) -> Dict[str, Any]:
        """The values of `vars` in a point, which may contain other values and may use PyMC3's names of transforms (`x_lowerbound__`)."""
        return {v.name: point[sampled_name(point, v.name, self.values_to_rvs[v].name)] for v in self.value_vars}

    def dict_to_array(self, point: Dict[str, Any]) -> np.ndarray:
        """Returns the values of `vars` in a point as one vector, in the order of `vars`."""
        return np.concatenate([np.ravel(value) for value in self._point(point).values()])

    @property
    def model(self) -> Any:
        """The model itself."""
        return self

    def fastfn(self, outs: Any, mode: Any = None, *args: Any, **kwargs: Any) -> Any:
        """Returns a compiled function of a point that returns the values of expressions of the model."""
        values = self.replace_rvs_by_values(outs if isinstance(outs, list) else [outs])
        compiled = self.compile_fn(values, inputs=self.value_vars, mode=mode, on_unused_input="ignore")

        def of_point(point: Optional[Dict[str, Any]] = None, **values: Any) -> Any:
            """Returns the values at a point."""
            results = compiled(self._point(dict(point or {}, **values)))
            return results if isinstance(outs, list) else results[0]

        return of_point

    fn = makefn = fastfn

    def check_test_point(self, test_point: Any = None, round_vals: int = 2) -> Any:
        """Returns the log-density of each variable at the initial point, as a Series."""
        import pandas

        return pandas.Series(self.point_logps(test_point, round_vals=round_vals), name="Log-probability of test_point")

    def register_rv(self, rv_var: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        """Adds a variable to the model. Values that are missing in the data of `x` become the variable `x_missing`, which PyMC calls
        `x_unobserved`.
        """
        data, _, last = name.rpartition("_")
        missing = last == "unobserved" and data + "_observed" in self.named_vars
        if kwargs.get("observed") is not None:
            kwargs["observed"] = as_data(kwargs["observed"])
        return super().register_rv(rv_var, data + "_missing" if missing else name, *args, **kwargs)

    def Var(self, name: str, dist: Any, data: Any = None, total_size: Any = None, dims: Any = None) -> Any:
        """Adds the unnamed variable `dist` to the model, observed if there is data; a variable that has a name is copied first."""
        return self.register_rv(dist if dist.name is None else _another(dist), name, observed=data, total_size=total_size, dims=dims)


def _callers() -> Iterator[Any]:
    frame: Any = sys._getframe(2)
    while frame is not None:
        yield frame
        frame = frame.f_back


def _another(variable: Any) -> Any:
    """A variable with the same distribution but its own random generator."""
    node = variable.owner
    inputs = [shared(np.random.default_rng()) if isinstance(i.type, RandomType) else i for i in node.inputs]
    return node.clone_with_new_inputs(inputs).outputs[node.outputs.index(variable)]


def Deterministic(name: str, var: Any, model: Any = None, dims: Any = None) -> Any:
    """Returns a named expression, which is stored with the draws."""
    return pymc.Deterministic(name, _symbolic(var), model=model, dims=dims)


def Potential(name: str, var: Any, model: Any = None) -> Any:
    """Returns a term of the log-density."""
    return pymc.Potential(name, _symbolic(var), model=model)


def _symbolic(var: Any) -> Any:
    import pytensor.tensor as pt

    return pt.as_tensor(var)


class DistributionOf:
    """PyMC3's `x.distribution`: density, draws and parameters of a variable."""

    def __init__(self, variable: Any) -> None:
        self._variable = variable

    def logp(self, value: Any) -> Any:
        """Returns the symbolic log-density at a value."""
        return pymc.logp(self._variable, value)

    def random(self, point: Any = None, size: Any = None) -> np.ndarray:
        """Returns draws of the variable as an array."""
        return draws(self._variable, point, size)

    @property
    def comp_dists(self) -> List[Any]:
        """The components of a mixture: several, or one whose last axis enumerates the components. Raises AttributeError for other
        variables.
        """
        node = self._variable.owner
        if not type(node.op).__name__.startswith(("Mixture", "MarginalMixture")):
            raise AttributeError("the distribution of {} has no components".format(self._variable))
        _, *parts = [i for i in node.inputs if not isinstance(i.type, RandomType)]  # the first one is the weights
        return [part for part in parts if getattr(part.owner, "op", None) is not None]

    def _comp_logp(self, value: Any) -> Any:
        """The log-density of each component of a mixture at a value, along a last axis; scripts take this from PyMC3 3.11 (mixture.py)."""
        import pytensor.tensor as pt

        parts = self.comp_dists
        if len(parts) > 1:
            return pt.stack([pymc.logp(part, pt.as_tensor(value)) for part in parts], axis=-1)
        many = pt.as_tensor(value)
        return pymc.logp(parts[0], many if many.ndim and many.type.shape[-1] == 1 else many[..., None])

    def unnamed(self) -> Any:
        """Returns a variable without a name that has the distribution, for a mixture."""
        copy = _another(self._variable)
        copy.name = None
        return copy


_seeded: List[Any] = [None, 0]
"""The state of NumPy's global generator at the last call of `seed_of` without a seed, and how often that state was seen in a row."""


def seed_of(given: Any) -> Any:
    """Returns the seed that a call gives; otherwise one made from the state of NumPy's global generator, which is not advanced.

    After `np.random.seed`, draws are therefore the same in each run, as in PyMC3.
    """
    if given is not None:
        return given
    legacy: Any = np.random.get_state()
    _, key, *rest = legacy
    state = (key.tobytes(), *rest)
    _seeded[:] = [state, _seeded[1] + 1 if _seeded[0] == state else 0]
    at, has_normal = rest[:2]  # of the two normal numbers that it draws at once, one may be left
    return int(np.random.SeedSequence([*key[:8].tolist(), at, has_normal, _seeded[1]]).generate_state(1)[0])


def draws(variable: Any, point: Any = None, size: Any = None) -> np.ndarray:
    """Returns `size` draws of a variable, or one: an array of shape (*size, *shape). `point` fixes the values of variables on which it
    depends.
    """
    if point:
        import pytensor
        from pytensor.graph.traversal import ancestors

        named = {v: point[v.name] for v in ancestors([variable]) if v is not variable and v.name in point}
        variable = pytensor.clone_replace([variable], {v: pytensor.tensor.as_tensor(x) for v, x in named.items()})[0]
    if size is None:
        return np.asarray(pymc.draw(variable, random_seed=seed_of(None)))
    shape = tuple(np.atleast_1d(size))
    drawn = np.asarray(pymc.draw(variable, draws=int(np.prod(shape)), random_seed=seed_of(None)))
    return (
        drawn.reshape((*shape, *drawn.shape[1:]))
        if int(np.prod(shape)) > 1
        else drawn.reshape((*shape, *np.shape(drawn)[np.ndim(drawn) - variable.ndim :]))
    )


def _logp(self: Any, value: Any) -> Any:
    """The log-density of a variable: a number at a point of the model, symbolic at a value."""
    if isinstance(value, dict):
        model = _model_of(self)
        rv = model[self.name]
        return model.compile_logp(vars=[rv])({v.name: value[v.name] for v in model.value_vars})
    return pymc.logp(self, value)


def _model_of(variable: Any) -> Any:
    """The model to which a variable belongs; else that of the `with` block. Raises TypeError outside of one."""
    return next((m for m in models if m.named_vars.get(variable.name) is variable), None) or pymc.modelcontext(None)


def _logcdf(self: Any, value: Any) -> Any:
    """The symbolic logarithm of the cumulative distribution at a value."""
    return pymc.logcdf(self, value)


def _median(self: Any) -> Any:
    """The symbolic median of a distribution. Raises AttributeError if it is not known."""
    try:
        return pymc.icdf(self, 0.5)
    except (NotImplementedError, TypeError, ValueError) as error:
        raise AttributeError("the median of {} is not known: {}".format(self, error)) from None


def _missing_values(self: Any) -> Any:
    """The free variable for the masked values in an observed variable's data; None if nothing is masked."""
    return _model_of(self).named_vars.get("{}_missing".format(self.name))


def _matmul(left: Any, right: Any) -> Any:
    """`left @ right`. Of a model's variable it is PyMC3's `dot` (model.py, 3.11.5), also of a scalar and of more than two axes."""
    a, b = _symbolic(left), _symbolic(right)
    if a.ndim == 0 or b.ndim == 0:
        return a * b
    named = any(model.named_vars.get(getattr(v, "name", None)) is v for model in models for v in (left, right))
    return a.dot(b) if named and max(a.ndim, b.ndim) > 2 else importlib.import_module("pytensor.tensor").matmul(a, b)


def _shared_array(plain: Callable[..., Any], value: np.ndarray, *args: Any, **kwargs: Any) -> Any:
    """A shared array; one of objects or text is a shared variable of any kind of value, as in Theano (compile/sharedvalue.py, 1.0)."""
    return (shared_constructor.dispatch(object) if value.dtype.kind in "OSU" else plain)(value, *args, **kwargs)


def follow_variables() -> None:
    """Adds the methods of PyMC3's random variables and distributions to PyTensor's variables."""
    TensorVariable.__matmul__ = _matmul
    TensorVariable.__rmatmul__ = lambda right, left: _matmul(left, right)
    shared_constructor.register(np.ndarray, functools.partial(_shared_array, shared_constructor.dispatch(np.ndarray)))
    Op.__call__ = _node(Op.__call__)  # type: ignore[method-assign]
    TensorVariable.random = draws
    TensorVariable.logp = _logp
    TensorVariable.logcdf = _logcdf
    TensorVariable.distribution = property(DistributionOf)
    TensorVariable.transformation = property(lambda self: _model_of(self).rvs_to_transforms[self])
    TensorVariable.median = property(_median)
    TensorVariable.missing_values = property(_missing_values)
    TensorVariable.init_value = property(lambda self: _model_of(self).initial_point()[self.name])


_OURS = str(Path(__file__).parents[2])
"""The folder of theanodiag, whose Ops are not a script's own, wherever it is installed."""


def _node(plain: Callable[..., Any]) -> Callable[..., Any]:
    """A script's own Op that says `[x.type()]` for its output means the dtype and the number of axes: Theano's types have no lengths."""

    @functools.wraps(plain)
    def called(self: Any, *args: Any, **kwargs: Any) -> Any:
        found = plain(self, *args, **kwargs)
        code = getattr(type(self).make_node, "__code__", None)
        if code is not None and not (is_of_a_package(code.co_filename) or code.co_filename.startswith(_OURS)):
            for output in found if isinstance(found, list) else [found]:
                lengths = getattr(output.type, "shape", ())
                if any(length not in (None, 1) for length in lengths):
                    output.type = output.type.clone(shape=tuple(1 if length == 1 else None for length in lengths))
        return found

    return called


def fastfn(outs: Any, mode: Any = None, model: Any = None) -> Any:
    """Returns a compiled function of a point that returns the values of expressions."""
    return pymc.modelcontext(model).fastfn(outs, mode)


def Point(*args: Any, **kwargs: Any) -> Dict[str, Any]:
    """Returns a point: name of each given variable -> its value as an array."""
    kwargs.pop("model", None)
    point = dict(*args, **kwargs)
    return {str(getattr(key, "name", key)): np.asarray(value) for key, value in point.items()}

"""Accepts Ops that users wrote for Theano: with `grad`, `R_op`, `infer_shape(node, shapes)`, `params_type`, C code, or
without `perform`."""

import inspect
from typing import Any, Callable

from pytensor.gradient import DisconnectedType, disconnected_type, pushforward_through_pullback
from pytensor.graph.basic import Constant
from pytensor.graph.op import Op
from pytensor.graph.type import Type
from pytensor.graph.utils import MetaType, MethodNotDefined

from .. import pytensor_versions as versions
from . import c_code


def _takes_node_first(function: Any) -> bool:
    """Whether `function`, an `infer_shape`, has Theano's arguments (self, node, shapes)."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    plain = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty]
    return len(plain) == 3 and not any(p.kind is p.VAR_POSITIONAL for p in parameters)


def adapt_infer_shape(function: Callable[..., Any]) -> Callable[..., Any]:
    """Turns `function(self, node, shapes)` into a method that also accepts (self, fgraph, node, shapes)."""

    def infer_shape(self: Any, *args: Any) -> Any:
        return function(self, *args[-2:])

    infer_shape.__doc__ = function.__doc__
    infer_shape.legacy = function  # type: ignore[attr-defined]
    return infer_shape


def adapt_infer_shape_function(function: Any) -> Any:
    """Turns a function of (node, shapes) into a picklable callable that also accepts (fgraph, node, shapes)."""
    return _InferShape(function) if function is not None and _required(function) == 2 else function


class _InferShape:
    """Calls `function` with the last two arguments."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __call__(self, *args: Any) -> Any:
        return self.function(*args[-2:])


def perform(self: Any, node: Any, inputs: Any, output_storage: Any, *rest: Any) -> None:
    """The default `perform`: raises MethodNotDefined."""
    raise MethodNotDefined(c_code.message(node, "it has no `perform`"))


perform.is_default = True  # type: ignore[attr-defined]


def make_node(self: Any, *inputs: Any) -> Any:
    """The default `make_node`, based on `itypes` and `otypes`. Raises MethodNotDefined if the Op lacks them."""
    if getattr(self, "itypes", None) is None or getattr(self, "otypes", None) is None:
        raise MethodNotDefined("make_node", type(self), type(self).__name__)
    return _plain_make_node(self, *inputs)


_plain_make_node = Op.make_node


def adapt_perform(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adapts `perform` of an Op with `params_type`, which takes the parameters as its last argument."""

    def perform(self: Any, node: Any, inputs: Any, output_storage: Any) -> Any:
        params = self.get_params(node)
        kind = getattr(self, "params_type", None)
        return function(self, node, inputs, output_storage, kind.filter(params) if kind is not None else params)

    perform.__doc__ = function.__doc__
    return perform


def _get_params(self: Any, node: Any) -> Any:
    """The parameters of an Op, filtered by its `params_type`. Raises MethodNotDefined if it has none."""
    kind = getattr(self, "params_type", None)
    if kind is None:
        raise MethodNotDefined("get_params")
    return kind.filter(self) if hasattr(kind, "fields") else getattr(self, "params", self)


def _required(function: Any) -> int:
    """The number of positional arguments that `function` requires; 0 if it takes any number."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 0
    if any(p.kind is p.VAR_POSITIONAL for p in parameters):
        return 0
    return sum(p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and p.default is p.empty for p in parameters)


def _no_filter(self: Any, data: Any, strict: bool = False, allow_downcast: Any = None) -> Any:
    """The default `filter` of a Type: raises MethodNotDefined."""
    raise MethodNotDefined("filter", type(self), type(self).__name__)


def _without_owners(node_inputs: Any, op: Any) -> Any:
    """(new inputs, outputs) of `op` applied to inputs without owner, so that no path leads from one input to another.
    Constants are kept."""
    own = [v if isinstance(v, Constant) else v.type() for v in node_inputs]
    return own, op.make_node(*own).outputs


def _differentiable(v: Any) -> bool:
    """Whether the Variable `v` can have a tangent: a float or complex Variable that is not constant."""
    return str(getattr(v.type, "dtype", "")).startswith(("float", "complex")) and not isinstance(v, Constant)


def pushforward(self: Any, inputs: Any, outputs: Any, tangents: Any) -> Any:
    """Tangents of the outputs: from the Op's `R_op` if it has one, else by applying its pullback twice."""
    if type(self).R_op is not Op.R_op:
        return _plain_pushforward(self, inputs, outputs, tangents)
    own, computed = _without_owners(inputs, self)
    chosen = [i for i, t in enumerate(tangents) if not isinstance(t.type, DisconnectedType) and _differentiable(own[i])]
    if not chosen:
        return [disconnected_type() for _ in outputs]
    floats = [i for i, out in enumerate(computed) if _differentiable(out)]
    results = pushforward_through_pullback(
        [computed[i] for i in floats], [own[i] for i in chosen], [tangents[i] for i in chosen], "ignore", "disconnected"
    )
    back = {a: b for a, b in zip(own, inputs) if a is not b}
    pushed = [r if isinstance(r.type, DisconnectedType) else versions.clone_replace(r, replace=back, rebuild_strict=False) for r in results]
    by_position = dict(zip(floats, pushed))
    return [by_position.get(i) or disconnected_type() for i in range(len(outputs))]


def no_c_code(self: Any, *args: Any, **kwargs: Any) -> str:
    """The default `c_code`: raises MethodNotDefined."""
    raise MethodNotDefined("c_code", type(self), type(self).__name__)


def foreign(kind: Type) -> bool:
    """Returns whether `kind` is a Type that a script defines and whose values are not numbers, so that only the C back-end can have it."""
    return not hasattr(kind, "dtype") and type(kind).__module__.partition(".")[0] not in ("pytensor", __name__.partition(".")[0])


_plain_pushforward = Op.pushforward


def _pullback(plain: Callable[..., Any]) -> Callable[..., Any]:
    """Wraps `Op.pullback` so that an Op without a gradient raises Theano's error: it has no `grad`."""

    def pullback(self: Any, inputs: Any, outputs: Any, cotangents: Any) -> Any:
        if type(self).L_op is Op.L_op and type(self).grad is Op.grad:
            raise AttributeError(f"'{type(self).__name__}' object has no attribute 'grad'")
        return plain(self, inputs, outputs, cotangents)

    pullback.__doc__ = plain.__doc__
    return pullback


def apply(origin: str) -> None:
    """Replaces defaults of Op and Type, and adapts each Op class that is defined from now on."""
    Op.perform = perform
    Op.pullback = _pullback(Op.pullback)
    Op.make_node = make_node
    Op.pushforward = pushforward
    Op.c_code = no_c_code
    Op.get_params = _get_params
    Op.__abstractmethods__ = frozenset()
    Type.filter = _no_filter
    Type.__abstractmethods__ = frozenset()
    plain_new = MetaType.__new__

    def __new__(cls: Any, name: str, bases: Any, dct: Any, *args: Any, **kwargs: Any) -> Any:
        if "infer_shape" in dct and _takes_node_first(dct["infer_shape"]) and not dct.get("__module__", "").startswith("pytensor."):
            dct["infer_shape"] = adapt_infer_shape(dct["infer_shape"])
        if "perform" in dct and _required(dct["perform"]) == 5:
            dct["perform"] = adapt_perform(dct["perform"])
        for old, new in (("Variable", "variable_type"), ("Constant", "constant_type")):
            if isinstance(dct.get(old), type) and new not in dct:
                dct[new] = dct[old]
        if dct.get("__module__", "").startswith("pytensor."):
            return plain_new(cls, name, bases, dct, *args, **kwargs)
        created = plain_new(cls, name, c_code.with_base(bases, dct), dct, *args, **kwargs)
        c_code.adapt(created)
        return created

    MetaType.__new__ = __new__

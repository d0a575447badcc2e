"""Ops created from a graph or a function, with Theano's arguments, and functions of `theano.compile.function_module`."""

from typing import Any, List

from pytensor.compile.aliasing import Supervisor, alias_root, infer_reuse_pattern, insert_deepcopy, view_tree_set
from pytensor.compile.builders import OpFromGraph as _OpFromGraph
from pytensor.compile.executor import DUPLICATE, AliasedMemoryError, Function
from pytensor.compile.maker import FunctionMaker, UnusedInputError
from pytensor.compile.ops import as_op as _as_op
from pytensor.gradient import DisconnectedType
from pytensor.graph.basic import Variable
from pytensor.graph.null_type import NullType

from ... import pytensor_versions as versions
from ...behaviour.functions import convert_function_input, orig_function
from ...behaviour.user_ops import adapt_infer_shape_function


def _plain(result: Any) -> bool:
    return isinstance(result, Variable) and isinstance(result.type, (NullType, DisconnectedType))


class _Pullback:
    """Adapts an override given as Theano's `grad_overrides`: a function of (inputs, gradients of the outputs)."""

    def __init__(self, override: Any) -> None:
        self.override = override

    def __call__(self, inputs: Any, outputs: Any, gradients: Any) -> Any:
        return self.override(inputs, gradients)


class _Outputs:
    """Adapts an override given as an OpFromGraph: applies the Op and returns a list."""

    def __init__(self, op: Any, with_outputs: bool = False) -> None:
        self.op = op
        self.with_outputs = with_outputs

    def __call__(self, inputs: Any, *more: Any) -> Any:
        rest = more if self.with_outputs else more[-1:]
        outputs = self.op(*inputs, *[v for part in rest for v in part])
        return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def _one(override: Any, wrap: Any, with_outputs: bool) -> Any:
    """`override` in PyTensor's form; None if it is "default"."""
    if override is None or (isinstance(override, str) and override == "default"):
        return None
    if _plain(override):
        return override
    if isinstance(override, _OpFromGraph):
        override.kwargs.setdefault("on_unused_input", "ignore")
        return _Outputs(override, with_outputs)
    return wrap(override) if wrap else override


def _overrides(given: Any, wrap: Any, with_outputs: bool) -> Any:
    """`given`, a single override or a list with one for each input, in PyTensor's form."""
    if isinstance(given, list):
        return [_one(o, wrap, with_outputs) for o in given]
    if isinstance(given, _OpFromGraph) and wrap is None:
        return given
    override = _one(given, wrap, with_outputs)
    return (lambda *args: [given]) if _plain(override) else override


class _OfGiven:
    """Calls an override with the first `given` inputs only; the `others` shared variables after them get disconnected gradients."""

    def __init__(self, override: Any, given: int, others: int) -> None:
        self.override, self.given, self.others = override, given, others

    def __call__(self, inputs: Any, *rest: Any) -> Any:
        return [*self.override(inputs[: self.given], *rest), *(DisconnectedType()() for _ in range(self.others))]


def _pullback_of_given(override: Any, given: int, others: int) -> Any:
    """Adapts `override` to an Op with `others` shared variables after the given inputs; see _OfGiven."""
    if override is None or not others:
        return override
    if isinstance(override, list):
        return override + [None] * others
    return _OfGiven(_Outputs(override, True) if isinstance(override, _OpFromGraph) else override, given, others)


class OpFromGraph(_OpFromGraph):
    """`theano.OpFromGraph`: an Op defined by a graph, with `inline`, `lop_overrides`, `grad_overrides` and `rop_overrides`.

    Raises ValueError if both lop_overrides and grad_overrides are given.
    """

    def __init__(
        self, inputs: List[Any], outputs: List[Any], inline: bool = False, lop_overrides: Any = "default", grad_overrides: Any = "default",
        rop_overrides: Any = "default", connection_pattern: Any = None, name: Any = None, **kwargs: Any,
    ) -> None:  # fmt: skip
        if isinstance(grad_overrides, str) and isinstance(lop_overrides, str):
            pullback = kwargs.pop("pullback", None)
        elif isinstance(grad_overrides, str):
            pullback = _overrides(lop_overrides, None, True)
        elif isinstance(lop_overrides, str):
            pullback = _overrides(grad_overrides, _Pullback, False)
        else:
            raise ValueError("lop_overrides and grad_overrides are mutually exclusive")
        pushforward = kwargs.pop("pushforward", None) if isinstance(rop_overrides, str) else _overrides(rop_overrides, None, True)
        self._pattern_given = connection_pattern is not None
        self.set_grad_overrides_type = "grad" if not isinstance(grad_overrides, str) else "lop"
        self._given = len(inputs)
        self._read = versions.shared_not_given(inputs, outputs)
        others = len(self._read)
        pullback = _pullback_of_given(pullback, self._given, others)
        if connection_pattern is not None:
            connection_pattern = [*connection_pattern, *([True] * len(outputs) for _ in range(others))]
        super().__init__(
            [*inputs, *self._read], list(outputs), inline=inline, pullback=pullback, pushforward=pushforward,
            connection_pattern=connection_pattern, name=name, **kwargs,
        )  # fmt: skip

    def make_node(self, *inputs: Any) -> Any:
        """Makes the Apply node for the given inputs and the shared variables that the graph uses."""
        return super().make_node(*inputs, *(self._read if len(inputs) == self._given else ()))

    def connection_pattern(self, node: Any) -> Any:
        """Returns PyTensor's pattern, with one change: an input whose gradient is overridden as disconnected is connected to no output."""
        pattern = [list(row) for row in super().connection_pattern(node)]
        overrides = self.pullback_overrides
        if not self._pattern_given and isinstance(overrides, list):
            for i, override in enumerate(overrides):
                if isinstance(override, Variable) and isinstance(override.type, DisconnectedType):
                    pattern[i] = [False] * len(pattern[i])
        return pattern

    @property
    def local_inputs(self) -> Any:
        """Inputs of the inner graph."""
        return self.inner_inputs

    @property
    def local_outputs(self) -> Any:
        """Outputs of the inner graph."""
        return self.inner_outputs


def as_op(itypes: Any, otypes: Any, infer_shape: Any = None) -> Any:
    """Returns a decorator that turns a function on arrays into an Op; `infer_shape` is a function of (node, shapes of the inputs)."""
    return _as_op(itypes, otypes, adapt_infer_shape_function(infer_shape))


def std_fgraph(input_specs: Any, output_specs: Any, accept_inplace: bool = False) -> Any:
    """Returns (FunctionGraph, its additional outputs for updates) of a function with these input and output specifications."""
    return FunctionMaker.create_fgraph(input_specs, output_specs, accept_inplace)


def fgraph_updated_vars(fgraph: Any, expanded_inputs: Any) -> Any:
    """Returns a mapping: updated input -> the output that holds its new value."""
    updated = [(i, e) for i, e in zip(fgraph.inputs, expanded_inputs) if e.update is not None]
    return {i: out for (i, _), out in zip(reversed(updated), reversed(fgraph.outputs))}

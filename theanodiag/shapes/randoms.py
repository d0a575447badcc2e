"""Shape rules of random draws: RandomFunction (Theano), mrg_uniform, RandomVariable (Aesara, PyTensor), draws from given probabilities."""

from __future__ import annotations

import re

from ..agent.shapes.dimensions import NoShape, broadcast
from ..ir import TypeKind
from ..ir.shape import Shape, Unknown
from .registry import Rule, Shapes, like
from .state import Node

_SIGNATURE = re.compile(r"(?P<into>.*)->(?P<out>.*)")
_SIZED_BY_LAST = ("MvNormalRV", "MultivariateNormalRV", "DirichletRV", "MultinomialRV")


def sample(node: Node) -> Shapes:
    """mrg_uniform of (state, size): the next state, and a sample of that size."""
    return [node.maybe(0), _size(node, 1, node.out_ndim(1))]


def random_function(node: Node) -> Shapes:
    """RandomFunction of (generator, size, ...): a sample of that size."""
    return [None, _size(node, 1, node.out_ndim(1))]


def _size(node: Node, position: int, ndim: int | None) -> Shape:
    dims = node.entries(position)
    if dims is not None and (ndim is None or len(dims) == ndim):
        return tuple(dims)
    if ndim is None:
        raise NoShape(node.reason(position))
    return (Unknown(node.reason(position)),) * ndim


def random_variable(node: Node) -> Shapes:
    """RandomVariable of (generator, size, parameters): that size, or else the broadcast parameters, then the dimensions of one draw."""
    first = 3 if _has_dtype(node) else 2
    ndims, supports = _core(node)
    shapes = [node.shape(i) for i in range(first, node.n_inputs)]
    ndims = [*ndims, *[0] * (len(shapes) - len(ndims))]
    batch = broadcast([s[: len(s) - n] for s, n in zip(shapes, ndims)])
    core: Shape = ()
    if node.op.name == "PermutationRV":  # permutes an array, or range(n) for a scalar n
        core = shapes[0][len(shapes[0]) - ndims[0] :] or (node.number(first),)
    elif supports:
        if node.op.name not in _SIZED_BY_LAST:
            raise NoShape(f"no size rule for {node.op.name}")
        sized = [s for s, n in zip(shapes, ndims) if n]
        if not sized:
            raise NoShape(f"what {node.op.name} draws from is not printed")
        core = sized[0][-1:]
    asked = _asked(node)
    return [None, (batch if asked is None else asked) + core]


def with_core_shape(node: Node) -> Shapes:
    """RandomVariableWithCoreShape: as `random_variable`, with the shape of one draw as its first input."""
    ndims, supports = _core(node)
    shapes = [node.shape(i) for i in range(3, node.n_inputs)]
    ndims = [*ndims, *[0] * (len(shapes) - len(ndims))]
    batch = broadcast([s[: len(s) - n] for s, n in zip(shapes, ndims)])
    drawn = _size(node, 0, supports) if supports else ()
    asked = _asked(node, 2)
    return [None, (batch if asked is None else asked) + drawn]


def _has_dtype(node: Node) -> bool:
    """Whether the third input is a number for the dtype, as in Aesara and early PyTensor: (generator, size, dtype, parameters)."""
    rest = node.n_inputs - 2
    known = len(_core(node)[0])
    return rest == known + 1 if known else False


def _core(node: Node) -> tuple[list[int], int]:
    """Numbers of dimensions of each parameter of one draw, and of one draw."""
    ndims, supports = node.integers("ndims_params"), node.integer("ndim_supp")
    if ndims is not None and supports is not None:
        return ndims, supports
    said = node.params.get("signature")
    match = _SIGNATURE.search(said) if isinstance(said, str) else None
    if match is None:
        raise NoShape(f"the parameters of {node.op.name} are not known")
    parts = [[p for p in inside.split(",") if p.strip()] for inside in re.findall(r"\(([^)]*)\)", match["into"])]
    return [len(p) for p in parts], len([p for p in re.findall(r"\w+", match["out"]) if p])


def _asked(node: Node, position: int = 1) -> Shape | None:
    """The size input; None where it is left to the parameters."""
    if node.type(position).kind is TypeKind.OTHER and node.array(position) is None and node.is_nothing(position):
        return None
    if node.maybe(position) == (0,):
        return None
    ndim = node.out_ndim(node.n_outputs - 1)
    return _size(node, position, None if ndim is None else ndim - _core(node)[1])


def choice(node: Node) -> Shapes:
    """ChoiceFromUniform: for each row of probabilities as many numbers as the third input says."""
    return [(node.shape(0, least=1)[0], node.number(2))]


RULES: dict[str, Rule] = {
    **dict.fromkeys(("mrg_uniform", "GPUA_mrg_uniform", "GPU_mrg_uniform", "mrg_uniform_base"), sample),
    "RandomFunction": random_function, "RandomVariableWithCoreShape": with_core_shape,
    **dict.fromkeys(("MultinomialFromUniform", "GPUAMultinomialFromUniform"), like(0)),
    **dict.fromkeys(("ChoiceFromUniform", "GPUAChoiceFromUniform", "MultinomialWOReplacementFromUniform",
                     "GPUAMultinomialWOReplacementFromUniform"), choice),
}  # fmt: skip
"""Shape rule by class name of the Op, without `Gpu`."""

"""Ops that draw random numbers.

Sources: Theano 1.0.5 tensor/raw_random.py, sandbox/rng_mrg.py; PyTensor 3.3.7 tensor/random/basic.py.
"""

from __future__ import annotations

import re

from ..agent.shapes.dimensions import (
    NoShape,
    broadcast,
)
from ..ir import Shape, TypeKind, Unknown
from ..ir.shape import is_dtype
from .dtypes import INDEX, Dtypes, TypeQuery
from .memory_effects import Work, in_c
from .node import Like, Node, Shapes
from .parameters import Groups, Params, split_top
from .spec import GpuLowering, OpSpec, ScratchQuery, alike

_SIGNATURE = re.compile(r"(?P<into>.*)->(?P<out>.*)")
_SIZED_BY_LAST = ("MvNormalRV", "MultivariateNormalRV", "DirichletRV", "MultinomialRV")


def sample(node: Node) -> Shapes:
    """Returns the output shapes of mrg_uniform of (state, size): those of the next state, and of a sample of that size."""
    return [node.maybe(0), _size(node, 1, node.out_ndim(1))]


def random_function(node: Node) -> Shapes:
    """Returns the output shapes of RandomFunction of (generator, size, ...): a sample of that size."""
    return [None, _size(node, 1, node.out_ndim(1))]


def _size(node: Node, position: int, ndim: int | None) -> Shape:
    dims = node.entries(position)
    if dims is not None and (ndim is None or len(dims) == ndim):
        return tuple(dims)
    if ndim is None:
        raise NoShape(node.reason(position))
    return (Unknown(node.reason(position)),) * ndim


def random_variable(node: Node) -> Shapes:
    """Returns the output shapes of RandomVariable of (generator, size, parameters): the sample has the requested size, or the broadcast
    shape of the parameters if no size is given, followed by the dimensions of one draw.
    """
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
            raise NoShape(f"the distribution of {node.op.name} is not printed")
        core = sized[0][-1:]
    size = _size_input(node)
    return [None, (batch if size is None else size) + core]


def with_core_shape(node: Node) -> Shapes:
    """Returns the output shapes of RandomVariableWithCoreShape: as `random_variable`, with the shape of one draw as its first input."""
    ndims, supports = _core(node)
    shapes = [node.shape(i) for i in range(3, node.n_inputs)]
    ndims = [*ndims, *[0] * (len(shapes) - len(ndims))]
    batch = broadcast([s[: len(s) - n] for s, n in zip(shapes, ndims)])
    drawn = _size(node, 0, supports) if supports else ()
    size = _size_input(node, 2)
    return [None, (batch if size is None else size) + drawn]


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
    signature = node.params.get("signature")
    match = _SIGNATURE.search(signature) if isinstance(signature, str) else None
    if match is None:
        raise NoShape(f"the parameters of {node.op.name} are not known")
    parts = [[p for p in inside.split(",") if p.strip()] for inside in re.findall(r"\(([^)]*)\)", match["into"])]
    return [len(p) for p in parts], len([p for p in re.findall(r"\w+", match["out"]) if p])


def _size_input(node: Node, position: int = 1) -> Shape | None:
    """The size input; None if it is left to the parameters."""
    if node.type(position).kind is TypeKind.OTHER and node.array(position) is None and node.is_nothing(position):
        return None
    if node.maybe(position) == (0,):
        return None
    ndim = node.out_ndim(node.n_outputs - 1)
    return _size(node, position, None if ndim is None else ndim - _core(node)[1])


def choice(node: Node) -> Shapes:
    """Returns the output shape of ChoiceFromUniform: for each row of probabilities as many numbers as the third input's value."""
    return [(node.shape(0, least=1)[0], node.number(2))]


@in_c
def mrg_uniform_memory(work: Work) -> None:
    """Memory of GPUA_mrg_uniform: allocates the sample first, then the state; the outputs are (state, sample)."""
    if work.watches(1):
        work.reuse(1)
    state = work.input(0)
    if state is not None and work.node.op.destroy_map:
        work.share(0, state)
    elif state is not None:
        work.replace(0, state.shape)


@in_c
def choice_memory(work: Work) -> None:
    """Memory of GPUAChoiceFromUniform: copies the probabilities if it draws without replacement."""
    source = work.input(0)
    copy = None if source is None or work.params.get("replace") else work.copied(source, "copy of the probabilities")
    work.reuse(0)
    work.release(copy)


_INTEGERS = frozenset(
    {f"{word}RV" for word in (
        "Bernoulli", "Binomial", "BetaBinomial", "Categorical", "Choice", "ChoiceWithoutReplacement", "Geometric", "HyperGeometric",
        "Integers", "Multinomial", "NegBinomial", "NegativeBinomial", "Poisson", "RandInt", "RandomIntegers",
    )}
)  # fmt: skip
"""RandomVariables whose draws are integers."""


def random_dtype(query: TypeQuery) -> Dtypes:
    """Returns the dtypes of RandomVariable's outputs, generator and numbers: integers if the distribution has only integers."""
    dtype = query.param()
    if dtype is None and query.name == "PermutationRV":
        dtype = query.at(-1)
    return [None, dtype or (INDEX if query.name in _INTEGERS else query.floatX)]


_WHOLE_FUNCTIONS = ("binomial", "randint", "random_integers", "permutation", "multinomial", "poisson", "shuffle", "choice")


def _random_function_dtype(query: TypeQuery) -> Dtypes:
    """RandomFunction{normal}: the text does not say the dtype. Source: Theano 1.0.5 tensor/raw_random.py."""
    args = query.params.get("args")
    word = str(args[0]) if isinstance(args, list) and args else ""
    return [None, INDEX if any(word.startswith(w) for w in _WHOLE_FUNCTIONS) else query.floatX]


def _with_core_shape_dtype(query: TypeQuery) -> Dtypes:
    """`[normal_rv{...}]`: behind the shape of one draw the same."""
    name = "".join(p.capitalize() for p in str(query.params.get("core_op", "")).partition("_rv")[0].split("_"))
    return random_dtype(TypeQuery(f"{name}RV", query.params, query.inputs[1:], query.n_outputs, query.floatX))


def _mrg_dtype(query: TypeQuery) -> Dtypes:
    """`mrg_uniform{TensorType(float32, matrix),inplace}`: (state, numbers)."""
    match = re.search(r"\((\w+)", str(query.params.get("output_type", "")))
    return ["int32", match[1] if match and is_dtype(match[1]) else query.floatX]


DIRECT = (
    "NormalRV", "UniformRV", "HalfNormalRV", "LogNormalRV", "BernoulliRV", "ExponentialRV", "GumbelRV", "LogisticRV", "LaplaceRV",
    "CauchyRV", "HalfCauchyRV", "IntegersRV", "RandIntRV", "ParetoRV", "WeibullRV", "GeometricRV", "TriangularRV", "TruncExponentialRV",
)  # fmt: skip
"""Distributions each of whose numbers is computed from one random number."""
FROM_NORMAL = ("NormalRV", "HalfNormalRV", "LogNormalRV")
"""Distributions whose numbers are made from normally distributed ones."""
CHOSEN = ("CategoricalRV", "MultinomialRV", "ChoiceRV", "ChoiceWithoutReplacementRV", "PermutationRV", "MvNormalRV", "DirichletRV")
"""Distributions that choose among several values, or permute."""
BY_REJECTION = {"GammaRV": 26, "PoissonRV": 8, "BinomialRV": 16}
"""Distribution drawn by rejection -> its workspace as a multiple of the result."""
OF_GAMMAS = 32
"""The workspace of all other distributions, which are made from gamma-distributed numbers, as a multiple of the result."""


def random_scratch(query: ScratchQuery) -> int:
    """Returns the bytes of workspace for random draws in XLA: random bits as wide as the numbers, and intermediate values of the
    distribution.

    Rejection sampling needs more, because it draws until all numbers are accepted, and so does a choice among several draws for each
    number.
    """
    name, drawn = query.op.name, sum(query.outputs)
    if name in CHOSEN:
        return drawn * (4 + 3 * max(query.inputs, default=0) // 8)
    if name in DIRECT:
        return 0 if query.on_gpu else drawn * (5 if name == "BernoulliRV" else 3)  # its numbers are wider than its results
    return drawn * BY_REJECTION.get(name, OF_GAMMAS)


def _mrg_parameters(groups: Groups) -> Params:
    """`{TensorType(float64, matrix),inplace}`."""
    items = split_top(groups[0][1]) if groups else []
    return {"output_type": items[0] if items else "", "inplace": "inplace" in items[1:]}


OPS = (
    OpSpec("ChoiceFromUniform", shape=choice, gpu=GpuLowering("GPUAChoiceFromUniform")),
    OpSpec("GPUA_mrg_uniform", n_outputs=2, integer_input=1, shape=sample, dtype=_mrg_dtype, memory=mrg_uniform_memory,
        printed_parameters=_mrg_parameters),
    OpSpec("RandomFunction", n_outputs=2, integer_input=1, overwrites={}, shape=random_function, dtype=_random_function_dtype,
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("mrg_uniform", n_outputs=2, integer_input=1, shape=sample, dtype=_mrg_dtype, printed_parameters=_mrg_parameters,
        gpu=GpuLowering("GPUA_mrg_uniform", host_inputs_from=1)),
    *alike("BernoulliRV BinomialRV NormalRV UniformRV", shape=random_variable, dtype=random_dtype, xla_scratch=random_scratch,
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("RandomVariable", gpu=GpuLowering(stays_on_host=True)),
    OpSpec("*RV", shape=random_variable, dtype=random_dtype, xla_scratch=random_scratch),
    *alike("GPUAChoiceFromUniform GPUAMultinomialWOReplacementFromUniform", shape=choice, memory=choice_memory),
    *alike("GPUAMultinomialFromUniform MultinomialFromUniform", shape=Like(0)),
    OpSpec("GPU_mrg_uniform", shape=sample, dtype=_mrg_dtype, printed_parameters=_mrg_parameters),
    OpSpec("MultinomialWOReplacementFromUniform", shape=choice),
    OpSpec("RandomVariableWithCoreShape", shape=with_core_shape, dtype=_with_core_shape_dtype),
    OpSpec("mrg_uniform_base", shape=sample, dtype=_mrg_dtype),
)  # fmt: skip
"""The catalogue entries of this family of Ops."""

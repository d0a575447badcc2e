"""Ops that draw random numbers.

Sources: Theano 1.0.5 tensor/raw_random.py, sandbox/rng_mrg.py; PyTensor 3.3.7 tensor/random/basic.py.
"""

from __future__ import annotations

import re

from ..ir.dtype import is_dtype
from .dtypes import INDEX, Dtypes, TypeQuery
from .parameters import Groups, Params, split_top
from .scratch import ScratchQuery
from .spec import GpuLowering, OpSpec, alike
from .work import Work, in_c


@in_c
def mrg_uniform_memory(work: Work) -> None:
    """GPUA_mrg_uniform: allocates the sample first, then the state; the outputs are (state, sample)."""
    if work.watches(1):
        work.reuse(1)
    state = work.input(0)
    if state is not None and work.node.op.destroy_map:
        work.share(0, state)
    elif state is not None:
        work.replace(0, state.shape)


@in_c
def choice_memory(work: Work) -> None:
    """GPUAChoiceFromUniform: copies the probabilities where it draws without replacement."""
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


def random_dtype(asked: TypeQuery) -> Dtypes:
    """RandomVariable: (generator, numbers). Whole numbers where the distribution has no others."""
    said = asked.param()
    if said is None and asked.name == "PermutationRV":
        said = asked.at(-1)
    return [None, said or (INDEX if asked.name in _INTEGERS else asked.floatX)]


_WHOLE_FUNCTIONS = ("binomial", "randint", "random_integers", "permutation", "multinomial", "poisson", "shuffle", "choice")


def _random_function_dtype(asked: TypeQuery) -> Dtypes:
    """RandomFunction{normal}: the text does not say the dtype. Source: Theano 1.0.5 tensor/raw_random.py."""
    args = asked.params.get("args")
    word = str(args[0]) if isinstance(args, list) and args else ""
    return [None, INDEX if any(word.startswith(w) for w in _WHOLE_FUNCTIONS) else asked.floatX]


def _with_core_shape_dtype(asked: TypeQuery) -> Dtypes:
    """`[normal_rv{...}]`: behind the shape of one draw the same."""
    name = "".join(p.capitalize() for p in str(asked.params.get("core_op", "")).partition("_rv")[0].split("_"))
    return random_dtype(TypeQuery(f"{name}RV", asked.params, asked.inputs[1:], asked.n_outputs, asked.floatX))


def _mrg_dtype(asked: TypeQuery) -> Dtypes:
    """`mrg_uniform{TensorType(float32, matrix),inplace}`: (state, numbers)."""
    said = re.search(r"\((\w+)", str(asked.params.get("output_type", "")))
    return ["int32", said[1] if said and is_dtype(said[1]) else asked.floatX]


DIRECT = (
    "NormalRV", "UniformRV", "HalfNormalRV", "LogNormalRV", "BernoulliRV", "ExponentialRV", "GumbelRV", "LogisticRV", "LaplaceRV",
    "CauchyRV", "HalfCauchyRV", "IntegersRV", "RandIntRV", "ParetoRV", "WeibullRV", "GeometricRV", "TriangularRV", "TruncExponentialRV",
)  # fmt: skip
"""Distributions whose numbers are each computed from one random number."""
FROM_NORMAL = ("NormalRV", "HalfNormalRV", "LogNormalRV")
"""Distributions whose numbers are made from normal ones."""
CHOSEN = ("CategoricalRV", "MultinomialRV", "ChoiceRV", "ChoiceWithoutReplacementRV", "PermutationRV", "MvNormalRV", "DirichletRV")
"""Distributions that choose among several, or permute."""
BY_REJECTION = {"GammaRV": 26, "PoissonRV": 8, "BinomialRV": 16}
"""Distributions drawn by rejection -> their workspace as a multiple of the result."""
OF_GAMMAS = 32
"""The workspace of all other distributions, which are made from gamma-distributed numbers, as a multiple of the result."""


def random_scratch(asked: ScratchQuery) -> int:
    """Random draws: random bits as wide as the numbers, and what they become before they follow the distribution.

    Rejection sampling draws until all are accepted; a choice among several draws for each of them.
    """
    name, drawn = asked.op.name, sum(asked.outputs)
    if name in CHOSEN:
        return drawn * (4 + 3 * max(asked.inputs, default=0) // 8)
    if name in DIRECT:
        return 0 if asked.on_gpu else drawn * (5 if name == "BernoulliRV" else 3)  # its numbers are wider than its results
    return drawn * BY_REJECTION.get(name, OF_GAMMAS)


def _mrg_parameters(found: Groups) -> Params:
    """`{TensorType(float64, matrix),inplace}`."""
    items = split_top(found[0][1]) if found else []
    return {"output_type": items[0] if items else "", "inplace": "inplace" in items[1:]}


OPS = (
    OpSpec("ChoiceFromUniform", gpu=GpuLowering("GPUAChoiceFromUniform")),
    OpSpec("GPUA_mrg_uniform", n_outputs=2, integer_input=1, dtype=_mrg_dtype, memory=mrg_uniform_memory,
        printed_parameters=_mrg_parameters),
    OpSpec("RandomFunction", n_outputs=2, integer_input=1, overwrites={}, dtype=_random_function_dtype,
        gpu=GpuLowering(stays_on_host=True)),
    OpSpec("mrg_uniform", n_outputs=2, integer_input=1, dtype=_mrg_dtype, printed_parameters=_mrg_parameters,
        gpu=GpuLowering("GPUA_mrg_uniform", host_inputs_from=1)),
    *alike("BernoulliRV BinomialRV NormalRV UniformRV", dtype=random_dtype, scratch=random_scratch, gpu=GpuLowering(stays_on_host=True)),
    OpSpec("RandomVariable", gpu=GpuLowering(stays_on_host=True)),
    OpSpec("*RV", dtype=random_dtype, scratch=random_scratch),
    *alike("GPUAChoiceFromUniform GPUAMultinomialWOReplacementFromUniform", memory=choice_memory),
    OpSpec("GPU_mrg_uniform", dtype=_mrg_dtype, printed_parameters=_mrg_parameters),
    OpSpec("RandomVariableWithCoreShape", dtype=_with_core_shape_dtype),
    OpSpec("mrg_uniform_base", dtype=_mrg_dtype),
)  # fmt: skip
"""The entries of this family."""

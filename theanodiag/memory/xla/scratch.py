"""Workspace that XLA takes beside the results of an Op: sort buffers, random bits, partial sums, copies in a library's layout."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from math import isqrt

from ...ir import Op, Shape, Unknown, numel
from .fusion import REDUCTIONS

Sizes = Sequence[int]
"""Bytes of the inputs or outputs of a node."""


def _sorted(inputs: Sizes, outputs: Sizes) -> int:
    """Sorting: none, since keys are sorted where the result will be."""
    return 0


def _placed(inputs: Sizes, outputs: Sizes) -> int:
    """Sorting of positions: a copy of the keys, which are sorted along, and the positions before."""
    return inputs[0] + sum(outputs)


def _drawn(name: str, inputs: Sizes, outputs: Sizes, on_gpu: bool) -> int:
    """Random draws: random bits as wide as the numbers, and what they become before they follow the distribution.

    Rejection sampling draws until all are accepted; a choice among several draws for each of them.
    """
    drawn = sum(outputs)
    if name in CHOSEN:
        return drawn * (4 + 3 * max(inputs, default=0) // 8)
    if name in DIRECT:
        return 0 if on_gpu else drawn * (5 if name == "BernoulliRV" else 3)  # its numbers are wider than its results
    return drawn * BY_REJECTION.get(name, OF_GAMMAS)


def _summed(shape: Shape | Unknown, axis: object, outputs: Sizes, on_gpu: bool) -> int:
    """Cumulative sums: a padded copy, and partial sums at each level; on the CPU each part is copied once more."""
    along = shape[axis] if isinstance(axis, int) and not isinstance(shape, Unknown) and -len(shape) <= axis < len(shape) else None
    padded = sum(outputs)
    if isinstance(along, int) and along:
        padded = padded * (-(-along // PART) * PART) // along
    return padded * (9 if on_gpu else 20) // 8


PART = 16
"""Number of terms of a cumulative sum that are added up together (openxla/xla, `ReduceWindowRewriter`)."""


def _factored(matrices: int, others: int) -> Callable[[Sizes, Sizes], int]:
    """The rule of a decomposition: so many copies of its matrix, the first input, and of its other inputs."""
    return lambda inputs, outputs: matrices * inputs[0] + others * sum(inputs[1:])


def _orthogonal(inputs: Sizes, outputs: Sizes) -> int:
    """QR: both factors, whether they are asked for or not, and a copy of the matrix."""
    return inputs[0] + sum(outputs)


def _indexed(inputs: Sizes, outputs: Sizes) -> int:
    """Indexing by arrays: the positions, checked and put together."""
    return 2 * sum(inputs[1:])


def _singular(shape: Shape | Unknown, inputs: Sizes) -> int:
    """Singular values: a copy of the matrix, and square matrices of both sides, whether they are asked for or not."""
    count = Unknown("no shape") if isinstance(shape, Unknown) else numel(shape)
    if isinstance(shape, Unknown) or isinstance(count, Unknown) or not count:
        return 0
    return inputs[0] + inputs[0] * sum(n * n for n in shape[-2:] if isinstance(n, int)) // count


def _reduced(terms: int, outputs: Sizes, on_gpu: bool) -> int:
    """Reductions: on a GPU long ones are cut into about as many parts as each part has terms; on the CPU into parts of 32.

    Source: openxla/xla, service/gpu/transforms/tree_reduction_rewriter.cc, service/cpu/cpu_compiler.cc.
    """
    result = max(sum(outputs), 1)
    if not on_gpu:
        return (-(-terms // 32) + -(-terms // 1024)) * result if terms > 32 else 0
    return result * (isqrt(terms) + 2) * (2 if terms > VERY_LONG else 1) if terms > LONG else 0


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
HEAVY = ("gammaln", "psi", "trigamma", "gammainc", "betainc", "erfinv", "erfcx")
"""Scalar functions with too much code to be fused with others: their results are written to memory."""
LONG = 1024
"""Number of terms up to which a GPU reduces in one step."""
VERY_LONG = 1 << 26
"""Number of terms from which on each of two axes is cut."""


def _convolved(inputs: Sizes, outputs: Sizes) -> int:
    """Convolutions: both operands in the library's layout, and the result before it is turned back."""
    return 2 * sum(inputs) + 2 * sum(outputs)


SCRATCH: Mapping[str, Callable[[Sizes, Sizes], int]] = {
    **dict.fromkeys(("Convolve1d", "Convolve2d", "AbstractConv2d", "AbstractConv3d"), _convolved),
    "SortOp": _sorted,
    "ArgSortOp": _placed,
    **dict.fromkeys(("LU", "LUFactor", "Det", "SLogDet", "Eig"), _factored(1, 0)),
    "QR": _orthogonal,
    **dict.fromkeys(("Argmax", "Argmin", "MaxAndArgmax"), lambda inputs, outputs: sum(outputs)),
    **dict.fromkeys(("AdvancedSubtensor", "AdvancedSubtensor1"), _indexed),
    **dict.fromkeys(("AdvancedIncSubtensor", "AdvancedIncSubtensor1"), lambda inputs, outputs: 2 * sum(inputs[2:])),
    "Eigh": lambda inputs, outputs: 0 if outputs[-1] else 2 * inputs[0],
    "FillDiagonal": lambda inputs, outputs: 8 * isqrt(sum(outputs)),
    "SearchsortedOp": lambda inputs, outputs: 4 * sum(outputs),
    "SolveTriangular": _factored(1, 0),
    "CholeskySolve": _factored(1, 2),
    **dict.fromkeys(("Solve", "MatrixInverse", "MatrixPinv", "Lstsq"), _factored(2, 2)),
}
"""Workspace in bytes from the bytes of inputs and outputs, by the class name of the Op."""


def scratch(op: Op, shape: Shape | Unknown, inputs: Sizes, outputs: Sizes, *, terms: int, on_gpu: bool) -> int:
    """Workspace in bytes of a node beside its results; `shape` is that of its first input.

    `terms` is the number of elements of that for each of the result.
    """
    name, text = op.name, op.text
    if name.endswith("RV"):
        return _drawn(name, inputs, outputs, on_gpu)
    if name == "CumOp":
        return _summed(shape, op.params.get("axis"), outputs, on_gpu)
    if name == "SVD":
        return _singular(shape, inputs)
    if name == "Elemwise":
        return 3 * sum(outputs) * sum(text.lower().count(word) for word in HEAVY)
    if name in REDUCTIONS:
        return _reduced(terms, outputs, on_gpu)
    rule = SCRATCH.get(core(op))
    return 0 if rule is None or not inputs else rule(inputs, outputs)


def core(op: Op) -> str:
    """The class of the Op that works on each matrix of a stack, or the Op itself."""
    inside = op.text[len("Blockwise{") :] if op.name == "Blockwise" and op.text.startswith("Blockwise{") else op.name
    return re.split("[{,]", inside)[0]


DECOMPOSITIONS = ("Cholesky", "Eigh", "LU", "LUFactor", "SVD", "Eig", "SolveTriangular", "CholeskySolve", "Solve", "MatrixInverse")


def kept_beside(op: Op, readers: int, *, on_gpu: bool) -> int:
    """How many more values of the size of a result are there as long as it is read.

    Source: jax/_src/lax/linalg.py: a decomposition gives NaN for what has none, and the choice is made where the result is read, from what
    the library gave. Random numbers are made likewise from steps before.
    """
    if core(op) in DECOMPOSITIONS:
        if on_gpu and core(op) == "SolveTriangular":
            return 0
        return 1 if readers < 3 else 2
    if op.name.endswith("RV"):
        return 2 if op.name in FROM_NORMAL and not on_gpu else 0
    return int(op.name == "Elemwise" and any(word in op.text.lower() for word in HEAVY))

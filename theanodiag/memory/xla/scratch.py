"""Workspace that XLA takes beside the results of an Op: sort buffers, random bits, partial sums, copies in a library's layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Sizes = Sequence[int]
"""Bytes of the inputs or outputs of a node."""


def _sorted(inputs: Sizes, outputs: Sizes) -> int:
    """Sorting: none, since keys are sorted where the result will be."""
    return 0


def _placed(inputs: Sizes, outputs: Sizes) -> int:
    """Sorting of positions: a copy of the keys, which are sorted along."""
    return inputs[0]


def _drawn(name: str, inputs: Sizes, outputs: Sizes, on_gpu: bool) -> int:
    """Random draws: random bits as wide as the numbers, and what they become before they follow the distribution.

    Rejection sampling draws until all are accepted; a choice among several draws for each of them.
    """
    drawn = sum(outputs)
    if name in CHOSEN:
        return drawn * (4 + 3 * max(inputs, default=0) // 8)
    if name in DIRECT:
        return drawn if on_gpu else 3 * drawn
    return drawn * BY_REJECTION.get(name, OF_GAMMAS)


def _summed(inputs: Sizes, outputs: Sizes) -> int:
    """Cumulative sums: partial sums at each level."""
    return 2 * sum(outputs)


def _decomposed(inputs: Sizes, outputs: Sizes) -> int:
    """Decompositions: the matrix in the library's layout, and the library's workspace."""
    return 2 * sum(inputs) + 2 * sum(outputs)


DIRECT = (
    "NormalRV", "UniformRV", "HalfNormalRV", "LogNormalRV", "BernoulliRV", "ExponentialRV", "GumbelRV", "LogisticRV", "LaplaceRV",
    "CauchyRV", "HalfCauchyRV", "IntegersRV", "RandIntRV", "ParetoRV", "WeibullRV", "GeometricRV", "TriangularRV", "TruncExponentialRV",
)  # fmt: skip
"""Distributions whose numbers are each computed from one random number."""
CHOSEN = ("CategoricalRV", "MultinomialRV", "ChoiceRV", "ChoiceWithoutReplacementRV", "PermutationRV", "MvNormalRV", "DirichletRV")
"""Distributions that choose among several, or permute."""
BY_REJECTION = {"GammaRV": 24, "PoissonRV": 8, "BinomialRV": 16}
"""Distributions drawn by rejection -> their workspace as a multiple of the result."""
OF_GAMMAS = 32
"""The workspace of all other distributions, which are made from gamma-distributed numbers, as a multiple of the result."""
HEAVY = ("gammaln", "psi", "trigamma", "gammainc", "betainc", "erfinv", "erfcx")
"""Scalar functions with too much code to be fused with others: their results are written to memory."""
REDUCTIONS = ("CAReduce", "Sum", "Max", "Min", "Prod", "All", "Any")
"""Ops that reduce axes."""


def _convolved(inputs: Sizes, outputs: Sizes) -> int:
    """Convolutions: both operands in the library's layout, and the result before it is turned back."""
    return 2 * sum(inputs) + 2 * sum(outputs)


SCRATCH: Mapping[str, Callable[[Sizes, Sizes], int]] = {
    **dict.fromkeys(("Convolve1d", "Convolve2d", "AbstractConv2d", "AbstractConv3d"), _convolved),
    "SortOp": _sorted,
    "ArgSortOp": _placed,
    "CumOp": _summed,
    **dict.fromkeys(
        ("Cholesky", "CholeskySolve", "Solve", "SolveTriangular", "LU", "LUFactor", "SVD", "QR", "Eigh", "Eig", "MatrixInverse", "Det"),
        _decomposed,
    ),
}
"""Workspace in bytes from the bytes of inputs and outputs, by the class name of the Op."""


def scratch(name: str, text: str, inputs: Sizes, outputs: Sizes, *, on_gpu: bool) -> int:
    """Workspace in bytes of a node of Op class `name`, printed as `text`, beside its results."""
    if name.endswith("RV"):
        return _drawn(name, inputs, outputs, on_gpu)
    if name == "CumOp" and on_gpu:
        return sum(outputs) // 4
    if name == "Elemwise":
        return sum(outputs) * sum(text.lower().count(word) for word in HEAVY)
    if name in REDUCTIONS:
        return 2 * sum(outputs)
    rule = SCRATCH.get(name)
    return 0 if rule is None or not inputs else rule(inputs, outputs)

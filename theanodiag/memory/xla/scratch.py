"""What XLA takes beside the results of an Op: buffers to sort in, bits of random numbers, copies that a scan of sums works on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Sizes = Sequence[int]
"""Bytes of the inputs or outputs of a node."""


def _sorted(inputs: Sizes, outputs: Sizes) -> int:
    """Keys are sorted where the result will be."""
    return 0


def _placed(inputs: Sizes, outputs: Sizes) -> int:
    """The keys once more, which are sorted beside their places."""
    return inputs[0]


def _drawn(name: str, inputs: Sizes, outputs: Sizes, on_gpu: bool) -> int:
    """Random bits, as wide as the numbers, and what they become before they are numbers of the distribution.

    Rejection draws until all are accepted; a choice among several draws for each of them.
    """
    drawn = sum(outputs)
    if name in CHOSEN:
        return drawn * (4 + 3 * max(inputs, default=0) // 8)
    if name in DIRECT:
        return drawn if on_gpu else 3 * drawn
    return drawn * BY_REJECTION.get(name, OF_GAMMAS)


def _summed(inputs: Sizes, outputs: Sizes) -> int:
    """Partial sums at each level."""
    return 2 * sum(outputs)


def _decomposed(inputs: Sizes, outputs: Sizes) -> int:
    """The matrix in the layout of the library, and what it works in."""
    return 2 * sum(inputs) + 2 * sum(outputs)


DIRECT = (
    "NormalRV", "UniformRV", "HalfNormalRV", "LogNormalRV", "BernoulliRV", "ExponentialRV", "GumbelRV", "LogisticRV", "LaplaceRV",
    "CauchyRV", "HalfCauchyRV", "IntegersRV", "RandIntRV", "ParetoRV", "WeibullRV", "GeometricRV", "TriangularRV", "TruncExponentialRV",
)  # fmt: skip
"""A number of each kind is computed from one random number."""
CHOSEN = ("CategoricalRV", "MultinomialRV", "ChoiceRV", "ChoiceWithoutReplacementRV", "PermutationRV", "MvNormalRV", "DirichletRV")
BY_REJECTION = {"GammaRV": 24, "PoissonRV": 8, "BinomialRV": 16}
OF_GAMMAS = 32
"""What is made of numbers that follow a gamma distribution, as are those of all other distributions."""
HEAVY = ("gammaln", "psi", "trigamma", "gammainc", "betainc", "erfinv", "erfcx")
"""Functions whose code is too long to be put into a loop with others: their results are written."""
REDUCTIONS = ("CAReduce", "Sum", "Max", "Min", "Prod", "All", "Any")


def _convolved(inputs: Sizes, outputs: Sizes) -> int:
    """Both in the layout of the library, and the result before it is turned back."""
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
"""By the class name of the Op."""


def scratch(name: str, text: str, inputs: Sizes, outputs: Sizes, *, on_gpu: bool) -> int:
    """Bytes beside the results of a node of the Op called `name` and printed as `text`."""
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

"""What XLA takes beside the results of an Op: buffers to sort in, bits of random numbers, copies that a scan of sums works on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

Sizes = Sequence[int]
"""Bytes of the inputs or outputs of a node."""


def _sorted(inputs: Sizes, outputs: Sizes) -> int:
    """The keys once more, and their places."""
    return inputs[0] + sum(outputs)


def _drawn(inputs: Sizes, outputs: Sizes) -> int:
    """Random bits, as wide as the numbers, and what they become before they are numbers of the distribution."""
    return 3 * sum(outputs)


def _summed(inputs: Sizes, outputs: Sizes) -> int:
    """Partial sums at each level."""
    return 2 * sum(outputs)


def _decomposed(inputs: Sizes, outputs: Sizes) -> int:
    """The matrix in the layout of the library, and what it works in."""
    return 2 * sum(inputs) + 2 * sum(outputs)


SCRATCH: Mapping[str, Callable[[Sizes, Sizes], int]] = {
    **dict.fromkeys(("SortOp", "ArgSortOp"), _sorted),
    "CumOp": _summed,
    **dict.fromkeys(
        ("Cholesky", "CholeskySolve", "Solve", "SolveTriangular", "LU", "LUFactor", "SVD", "QR", "Eigh", "Eig", "MatrixInverse", "Det"),
        _decomposed,
    ),
}
"""By the class name of the Op."""


def scratch(name: str, inputs: Sizes, outputs: Sizes) -> int:
    """Bytes beside the results of a node of the Op called `name`."""
    if name.endswith("RV"):
        return _drawn(inputs, outputs)
    rule = SCRATCH.get(name)
    return 0 if rule is None or not inputs else rule(inputs, outputs)

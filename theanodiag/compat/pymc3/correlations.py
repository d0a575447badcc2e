"""Density and draws of PyMC3's LKJCorr: the correlations above the diagonal of a matrix (multivariate.py, 3.11.5)."""

from typing import Any, Dict

import numpy as np
import pytensor.tensor as pt
from pymc.distributions.transforms import Interval


class BetweenOnes(Interval):  # type: ignore[misc]
    """The transform of n (n - 1) / 2 correlations, which are between -1 and 1.

    PyMC3 adds the density of a sampled LKJCorr, a number, to each element of the transform's Jacobian, and sums: the density counts
    once for each correlation (transforms.py, `TransformedDistribution.logp`, 3.11.5). This class adds all but the first, which PyMC adds.
    """

    ndim_supp = 1

    def __init__(self, n: int) -> None:
        super().__init__(-1, 1)
        self.n = n

    def log_jac_det(self, value: Any, *inputs: Any) -> Any:
        """Returns the logarithm of the Jacobian determinant, and PyMC3's further densities."""
        eta = inputs[-1]
        further = self.n * (self.n - 1) // 2 - 1
        return super().log_jac_det(value, *inputs).sum(axis=-1) + further * log_density(self.backward(value, *inputs), eta, self.n)


def log_density(value: Any, eta: Any, n: int) -> Any:
    """Returns the log-density of correlations: a constant + (eta - 1) log det; -inf where no matrix has these correlations."""
    matrix = pt.eye(n)
    rows, columns = np.triu_indices(n, 1)
    matrix = pt.set_subtensor(pt.set_subtensor(matrix[rows, columns], value)[columns, rows], value)
    factor = pt.linalg.cholesky(matrix, on_error="nan")
    log_det = 2 * pt.sum(pt.log(pt.diagonal(factor)))
    return pt.switch(pt.isnan(log_det), -np.inf, constant(eta, n) + (eta - 1.0) * log_det)


def functions(n: int) -> Dict[str, Any]:
    """Returns the arguments with which PyMC's CustomDist, with the only parameter `eta`, becomes the distribution of n (n - 1) / 2
    correlations.
    """

    def logp(value: Any, eta: Any) -> Any:
        return log_density(value, eta, n)

    def random(eta: Any, rng: Any = None, size: Any = None) -> Any:
        """Draws by the onion method (Lewandowski, Kurowicka and Joe 2009)."""
        outer = tuple(size) if size is not None and np.size(size) else np.shape(eta)
        return drawn(rng, np.asarray(eta), n, outer)

    return {"logp": logp, "random": random, "signature": "()->({})".format(n * (n - 1) // 2)}


def constant(eta: Any, n: int) -> Any:
    """Returns the logarithm of the density's constant as in PyMC3 (multivariate.py, `_lkj_normalizing_constant`). For eta = 1 PyMC3's
    constant differs from the general formula.
    """
    uniform: Any = pt.sum(pt.gammaln(2.0 * np.arange(1, int((n - 1) / 2) + 1)))
    if n % 2 == 1:
        uniform += 0.25 * (n**2 - 1) * np.log(np.pi) - 0.25 * (n - 1) ** 2 * np.log(2.0) - (n - 1) * pt.gammaln(float((n + 1) // 2))
    else:
        uniform += 0.25 * n * (n - 2) * np.log(np.pi) + 0.25 * (3 * n**2 - 4 * n) * np.log(2.0)
        uniform += n * pt.gammaln(n / 2.0) - (n - 1) * pt.gammaln(float(n))
    k = np.arange(1, n)
    other = -(n - 1) * pt.gammaln(eta + 0.5 * (n - 1))
    other += pt.sum(0.5 * k * np.log(np.pi) + pt.gammaln(eta + 0.5 * (n - 1 - k)))
    return pt.switch(pt.eq(eta, 1), uniform, other)


def drawn(rng: Any, eta: np.ndarray, n: int, outer: Any) -> np.ndarray:
    """Returns draws of shape (*outer, n (n - 1) / 2)."""
    beta = np.broadcast_to(eta - 1.0 + n / 2.0, outer)
    factor = np.zeros((*outer, n, n))  # upper triangular
    factor[..., 0, 0] = 1.0
    factor[..., 0, 1] = 2.0 * rng.beta(beta, beta) - 1.0
    factor[..., 1, 1] = np.sqrt(1.0 - factor[..., 0, 1] ** 2)
    for column in range(2, n):
        beta = beta - 0.5
        share = rng.beta(column / 2.0, beta)
        direction = rng.normal(size=(*outer, column))
        direction /= np.linalg.norm(direction, axis=-1, keepdims=True)
        factor[..., :column, column] = np.sqrt(share)[..., None] * direction
        factor[..., column, column] = np.sqrt(1.0 - share)
    matrix = np.swapaxes(factor, -1, -2) @ factor
    rows, columns = np.triu_indices(n, 1)
    return matrix[..., rows, columns]

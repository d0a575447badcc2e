"""PyMC3's Gaussian processes, in which the noise of marginal processes has another name."""

from typing import Any

import pymc
import pytensor.tensor as pt
from pymc.gp.util import stabilize


class Marginal(pymc.gp.Marginal):  # type: ignore[misc]
    """A Gaussian process whose function values are integrated out."""

    def marginal_likelihood(self, name: str, X: Any, y: Any, noise: Any = None, is_observed: bool = True, **kwargs: Any) -> Any:
        """The observed `y`; `noise` is a standard deviation or a covariance function."""
        if not is_observed:
            raise NotImplementedError("marginal_likelihood(is_observed=False): PyMC takes observed outcomes alone")
        return super().marginal_likelihood(name, X, y, **_noise(noise, kwargs))


class MarginalSparse(pymc.gp.MarginalApprox):  # type: ignore[misc]
    """A sparse approximation of such a process with inducing points: FITC by default, as in PyMC3; VFE in PyMC."""

    def __init__(self, mean_func: Any = None, cov_func: Any = None, approx: str = "FITC") -> None:
        given = {"mean_func": mean_func, "cov_func": cov_func}
        super().__init__(approx, **{key: value for key, value in given.items() if value is not None})

    def marginal_likelihood(self, name: str, X: Any, Xu: Any, y: Any, noise: Any = None, is_observed: bool = True, **kwargs: Any) -> Any:
        """The observed `y`; `noise` is a standard deviation."""
        return super().marginal_likelihood(name, X, Xu, y, **_noise(noise, kwargs))


class TP(pymc.gp.TP):  # type: ignore[misc]
    """A Student's T process, whose values depend on one chi-squared variable, as in PyMC3; in PyMC on one for each value."""

    def _build_prior(self, name: str, X: Any, reparameterize: bool = True, jitter: float = 1e-6, **kwargs: Any) -> Any:
        if not reparameterize:
            return super()._build_prior(name, X, reparameterize=False, jitter=jitter, **kwargs)
        chi2 = pymc.ChiSquared(name + "_chi2_", self.nu)
        v = pymc.Normal(name + "_rotated_", mu=0.0, sigma=1.0, shape=len(X), **kwargs)
        whole = self.mean_func(X) + pt.linalg.cholesky(stabilize(self.cov_func(X), jitter)).dot(v)
        return pymc.Deterministic(name, pt.sqrt(self.nu) / chi2 * whole)


def _noise(noise: Any, given: "dict[str, Any]") -> "dict[str, Any]":
    """The arguments with `noise` called `sigma`."""
    return given if noise is None else dict(given, sigma=noise)

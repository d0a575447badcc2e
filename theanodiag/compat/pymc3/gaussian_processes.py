"""PyMC3's Gaussian processes, in which the noise of marginal processes has another name."""

from typing import Any

import pymc


class Marginal(pymc.gp.Marginal):  # type: ignore[misc]
    """A Gaussian process whose function values are integrated out."""

    def marginal_likelihood(self, name: str, X: Any, y: Any, noise: Any = None, is_observed: bool = True, **kwargs: Any) -> Any:
        """The observed `y`; `noise` is a standard deviation or a covariance function."""
        if not is_observed:
            raise NotImplementedError("marginal_likelihood(is_observed=False): PyMC takes observed outcomes alone")
        return super().marginal_likelihood(name, X, y, **_noise(noise, kwargs))


class MarginalSparse(pymc.gp.MarginalApprox):  # type: ignore[misc]
    """A sparse approximation of such a process with inducing points."""

    def marginal_likelihood(self, name: str, X: Any, Xu: Any, y: Any, noise: Any = None, is_observed: bool = True, **kwargs: Any) -> Any:
        """The observed `y`; `noise` is a standard deviation."""
        return super().marginal_likelihood(name, X, Xu, y, **_noise(noise, kwargs))


def _noise(noise: Any, given: "dict[str, Any]") -> "dict[str, Any]":
    """The arguments with `noise` called `sigma`."""
    return given if noise is None else dict(given, sigma=noise)

"""PyMC3's Gaussian processes (3.11.5, gp/gp.py): mean and covariance by position, `noise`, and no jitter where PyMC3 has none."""

from typing import Any, Dict, Tuple

import pymc
import pytensor.tensor as pt
from pymc.gp.util import replace_with_values, stabilize
from pytensor.graph.traversal import ancestors

from . import distribution_arguments
from .models import models


class Latent(pymc.gp.Latent):  # type: ignore[misc]
    """A Gaussian process whose function values are variables of the model."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**_by_name(("mean_func", "cov_func"), args, kwargs))

    def prior(self, name: str, X: Any, reparameterize: bool = True, **kwargs: Any) -> Any:
        """Returns the values at `X`; the third argument is `reparameterize`, which in PyMC is the number of outputs."""
        return super().prior(name, X, reparameterize=reparameterize, **_of_variable(kwargs))

    def conditional(self, name: str, Xnew: Any, given: Any = None, **kwargs: Any) -> Any:
        """Returns the values at `Xnew`, given those of `prior`."""
        return super().conditional(name, Xnew, given=given, **_of_variable(kwargs))


class TP(pymc.gp.TP):  # type: ignore[misc]
    """A Student's T process. As in PyMC3, its values depend on one chi-squared variable; in PyMC on one for each value."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**_by_name(("mean_func", "cov_func", "nu"), args, kwargs))

    def _build_prior(self, name: str, X: Any, reparameterize: bool = True, jitter: float = 1e-6, **kwargs: Any) -> Any:
        kwargs = _of_variable(kwargs)
        if not reparameterize:
            return super()._build_prior(name, X, reparameterize=False, jitter=jitter, **kwargs)
        chi2 = pymc.ChiSquared(name + "_chi2_", self.nu)
        v = pymc.Normal(name + "_rotated_", mu=0.0, sigma=1.0, shape=X.shape[0], **kwargs)
        whole = self.mean_func(X) + pt.linalg.cholesky(stabilize(self.cov_func(X), jitter)).dot(v)
        return pymc.Deterministic(name, pt.sqrt(self.nu) / chi2 * whole)

    def conditional(self, name: str, Xnew: Any, **kwargs: Any) -> Any:
        """Returns the values at `Xnew`, given those of `prior`."""
        return super().conditional(name, Xnew, **_of_variable(kwargs))


class _Predicting:
    """What the marginal processes share: predictions at a point, also outside of the model's `with` block."""

    model = None  # type: Any
    """The model of the observations; None for a part of a sum."""

    def marginal_likelihood(self, *args: Any, **kwargs: Any) -> Any:
        """Returns the observed variable."""
        self.model = pymc.modelcontext(kwargs.get("model"))
        return super().marginal_likelihood(*args, **kwargs)  # type: ignore[misc]

    def predict(self, Xnew: Any, point: Any = None, diag: bool = False, pred_noise: bool = False, given: Any = None) -> Any:
        """Returns the mean and the covariance, or the variances with `diag`, at `Xnew` for the values of a point."""
        predicted = self.predictt(Xnew, diag, pred_noise, given)  # type: ignore[attr-defined]
        above = set(ancestors(predicted)) if self.model is None else set()
        model = self.model or next((m for m in models if above & set(m.basic_RVs)), None)
        return replace_with_values(list(predicted), replacements=point, model=model)


class _WithNoise(_Predicting):
    """What the marginal processes share: the noise in `given` has another name in PyMC."""

    def _get_given_vals(self, given: Any) -> Any:
        return super()._get_given_vals(None if given is None else _noise(given))  # type: ignore[misc]

    def predictt(self, Xnew: Any, diag: bool = False, pred_noise: bool = False, given: Any = None) -> Tuple[Any, Any]:
        """Returns the symbolic mean and covariance, or variances with `diag`, at `Xnew`."""
        mean, covariance = self._predict_at(Xnew, diag, pred_noise, given)  # type: ignore[attr-defined]
        return mean, covariance


class Marginal(_WithNoise, pymc.gp.Marginal):  # type: ignore[misc]
    """A Gaussian process whose function values are integrated out."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**_by_name(("mean_func", "cov_func"), args, kwargs))

    def marginal_likelihood(self, name: str, X: Any, y: Any, noise: Any = None, is_observed: bool = True, **kwargs: Any) -> Any:
        """Returns the observed `y`; `noise` is a standard deviation or a covariance function. PyMC adds 1e-6 to the variances, PyMC3 does
        not.
        """
        _refuse_unobserved(is_observed)
        return super().marginal_likelihood(name, X, y, **_noise(dict({"jitter": 0.0}, **kwargs, noise=noise)))

    def conditional(self, name: str, Xnew: Any, pred_noise: bool = False, given: Any = None, **kwargs: Any) -> Any:
        """Returns the values at `Xnew`, with noise if `pred_noise`."""
        return super().conditional(name, Xnew, pred_noise, given, **_of_variable(kwargs))


class MarginalSparse(_WithNoise, pymc.gp.MarginalApprox):  # type: ignore[misc]
    """A sparse approximation of such a process with inducing points: FITC by default, as in PyMC3; VFE in PyMC."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**dict({"approx": "FITC"}, **_by_name(("mean_func", "cov_func", "approx"), args, kwargs)))

    def marginal_likelihood(self, name: str, X: Any, Xu: Any, y: Any, noise: Any = None, is_observed: bool = True, **kwargs: Any) -> Any:
        """Returns the term `name` of the density for the observed `y`; `noise` is a standard deviation."""
        _refuse_unobserved(is_observed)
        noise = _noise(dict(kwargs, noise=noise)).get("sigma")
        if noise is None:
            raise ValueError("noise argument must be specified")
        self.X, self.Xu, self.y, self.sigma, self.model = X, Xu, y, noise, pymc.modelcontext(None)
        return pymc.Potential(name, self._build_marginal_likelihood_loglik(y=y, X=X, Xu=Xu, sigma=noise, jitter=1e-6))

    def conditional(self, name: str, Xnew: Any, pred_noise: bool = False, given: Any = None, **kwargs: Any) -> Any:
        """Returns the values at `Xnew`, with noise if `pred_noise`."""
        return super().conditional(name, Xnew, pred_noise, given, **_of_variable(kwargs))


class LatentKron(pymc.gp.LatentKron):  # type: ignore[misc]
    """A latent process whose covariance is a Kronecker product."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**_by_name(("mean_func", "cov_funcs"), args, kwargs))

    def prior(self, name: str, Xs: Any, **kwargs: Any) -> Any:
        """Returns the values at the grid of `Xs`."""
        return super().prior(name, Xs, **_of_variable(kwargs))

    def conditional(self, name: str, Xnew: Any, **kwargs: Any) -> Any:
        """Returns the values at `Xnew`, given those of `prior`."""
        return super().conditional(name, Xnew, **_of_variable(kwargs))


class MarginalKron(_Predicting, pymc.gp.MarginalKron):  # type: ignore[misc]
    """A marginal process whose covariance is a Kronecker product."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(**_by_name(("mean_func", "cov_funcs"), args, kwargs))

    def conditional(self, name: str, Xnew: Any, pred_noise: bool = False, **kwargs: Any) -> Any:
        """Returns the values at `Xnew`, with noise if `pred_noise`."""
        return super().conditional(name, Xnew, pred_noise, **_of_variable(kwargs))

    def predictt(self, Xnew: Any, diag: bool = False, pred_noise: bool = False, given: Any = None) -> Tuple[Any, Any]:
        """Returns the symbolic mean and covariance, or variances with `diag`, at `Xnew`."""
        mean, covariance = self._predict_at(Xnew, diag, pred_noise)
        return mean, covariance


def _refuse_unobserved(is_observed: bool) -> None:
    if not is_observed:
        raise NotImplementedError("marginal_likelihood(is_observed=False): PyMC accepts only observed outcomes")


def _by_name(order: Tuple[str, ...], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """PyMC takes by name what PyMC3 takes by position too."""
    if len(args) > len(order):
        raise TypeError("PyMC3 takes {} arguments by position here, not {}".format(len(order), len(args)))
    twice = [name for name in order[: len(args)] if name in kwargs]
    if twice:
        raise TypeError("got {!r} twice".format(twice[0]))
    return {key: value for key, value in dict(zip(order, args), **kwargs).items() if value is not None}


def _of_variable(kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """Arguments of the variable in PyMC's form, without its shape, which is that of the inputs."""
    return distribution_arguments.common({key: value for key, value in kwargs.items() if key != "shape"})


def _noise(given: Dict[str, Any]) -> Dict[str, Any]:
    """The arguments with `noise` called `sigma`."""
    noise = given.get("noise")
    rest = {key: value for key, value in given.items() if key != "noise"}
    return rest if noise is None else dict(rest, sigma=noise)

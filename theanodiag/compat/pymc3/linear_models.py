"""PyMC3's `GLM` and `LinearComponent` with its families: the priors and likelihoods of PyMC3 3.11.5 (pymc3/glm) as a PyMC model."""

import numbers
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import pytensor.tensor as pt

from . import distribution_families
from .models import Deterministic, Model

distributions: Any = distribution_families  # whose classes are made from tables, which mypy does not see
SERVED = (
    "GLM", "glm", "LinearComponent", "Family", "Normal", "StudentT", "Binomial", "Poisson", "NegativeBinomial", "Identity", "identity",
    "logit", "inverse", "exp", "any_to_tensor_and_labels",
)  # fmt: skip
"""Names of `pymc3.glm` and its modules that this module defines."""


class Identity:
    """The link function of the normal family."""

    def __call__(self, x: Any) -> Any:
        """Returns the linear predictor unchanged."""
        return x


identity, logit, inverse, exp = Identity(), pt.sigmoid, pt.reciprocal, pt.exp


class Family:
    """A likelihood, its link function, and the priors of its parameters; a number as prior fixes the parameter."""

    priors: Dict[str, Any] = {}
    link: Any = None
    likelihood: Any = None
    parent = "mu"

    def __init__(self, **kwargs: Any) -> None:
        self.priors = {**self.priors, **kwargs.pop("priors", {})}
        for name, value in kwargs.items():
            setattr(self, name, value)

    def create_likelihood(self, name: str, y_est: Any, y_data: Any, model: Any) -> Any:
        """Returns the observed variable `y`, whose parameters are variables of the model."""
        prefix = name + "_" if name else ""
        fixed = (numbers.Number, np.ndarray, np.generic)
        priors = {k: v if isinstance(v, fixed) else model.Var(prefix + k, v) for k, v in self.priors.items()}
        priors[self.parent] = self.link(y_est)
        return self.likelihood(prefix + "y", observed=y_data, **priors)


def _half_cauchy() -> Any:
    return distributions.HalfCauchy.dist(beta=10)


class Normal(Family):
    """Normal errors with an unknown standard deviation."""

    link, likelihood, priors = identity, distributions.Normal, {"sd": _half_cauchy()}


class StudentT(Family):
    """Errors with heavy tails (Student's t)."""

    link, likelihood, priors = identity, distributions.StudentT, {"lam": _half_cauchy(), "nu": 1}


class Binomial(Family):
    """The family of counts of successes in one trial; priors={"n": ...} sets another number of trials."""

    link, likelihood, priors, parent = logit, distributions.Binomial, {"n": 1}, "p"


class Poisson(Family):
    """The family of counts. As in PyMC3, a variable `mu` is created that the likelihood does not use."""

    link, likelihood, priors = exp, distributions.Poisson, {"mu": _half_cauchy()}


class NegativeBinomial(Family):
    """The family of counts with a larger variance than Poisson's; `mu` is as for Poisson."""

    link, likelihood, priors = exp, distributions.NegativeBinomial, {"mu": _half_cauchy(), "alpha": _half_cauchy()}


FAMILIES = {"normal": Normal, "student": StudentT, "binomial": Binomial, "poisson": Poisson, "negative_binomial": NegativeBinomial}


def any_to_tensor_and_labels(x: Any, labels: Any = None) -> Tuple[Any, List[str]]:
    """Returns (matrix, names of its columns). The names are `labels`, or those of a DataFrame, Series or dict, or else x0, x1, ..."""
    labels = [labels] if isinstance(labels, str) else labels
    if isinstance(x, dict):
        labels = list(x)
        x = pt.stack([pt.as_tensor(v) for v in x.values()], axis=1)
    elif hasattr(x, "columns"):
        labels = list(x.columns) if not labels else labels
        x = x.to_numpy()
    elif hasattr(x, "to_numpy"):
        labels = [x.name] if not labels else labels
        x = x.to_numpy()
    elif not hasattr(x, "type"):
        x = np.asarray(x)
    if x.ndim == 0:
        raise ValueError("Cannot use scalars")
    x = x[:, None] if x.ndim == 1 else x
    if labels is None and not isinstance(x, np.ndarray):
        raise ValueError("Please provide labels as we cannot infer shape of input")
    labels = ["x%d" % i for i in range(x.shape[1])] if labels is None else ["x%d" % n if isinstance(n, int) else n for n in labels]
    if isinstance(x, np.ndarray) and len(labels) != x.shape[1]:
        raise ValueError(
            "Please provide full list of labels for coefficients, got len(labels)=%d instead of %d" % (len(labels), x.shape[1])
        )
    return pt.as_tensor(x), labels


class LinearComponent(Model):
    """The linear predictor `y_est`, with one variable for each coefficient; default priors: Flat (intercept), Normal(0,
    tau=1e-6) (others)."""

    def __init__(
        self, x: Any, y: Any, intercept: bool = True, labels: Any = None, priors: Optional[Dict[str, Any]] = None,
        vars: Optional[Dict[str, Any]] = None, name: str = "", model: Any = None, offset: Any = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(name, model)
        if len(y.shape) > 1:
            raise TypeError("Only one-dimensional observed variable objects (i.e. of shape `(n, )`) are supported")
        priors, given = priors or {}, vars or {}
        x, labels = any_to_tensor_and_labels(x, labels)
        if intercept:
            x, labels = pt.concatenate([pt.ones((x.shape[0], 1), x.dtype), x], axis=1), ["Intercept", *labels]
        with self:
            coeffs = [Deterministic(n, given[n]) if n in given else self.Var(n, self._prior(n, priors)) for n in labels]
        self.coeffs = pt.stack(coeffs, axis=0)
        self.y_est = x.dot(self.coeffs) + offset

    @staticmethod
    def _prior(name: str, priors: Dict[str, Any]) -> Any:
        if name in priors:
            return priors[name]
        if name == "Intercept":
            return distributions.Flat.dist()
        return priors["Regressor"] if "Regressor" in priors else distributions.Normal.dist(mu=0, tau=1.0e-6)

    @classmethod
    def from_formula(
        cls, formula: str, data: Any, priors: Any = None, vars: Any = None, name: str = "", model: Any = None, offset: Any = 0.0,
        eval_env: Any = 0,
    ) -> Any:  # fmt: skip
        """Creates the component from a formula, which patsy parses; its names refer to `data` and to the caller's variables."""
        x, y, labels = _design(formula, data, eval_env)
        return cls(x, y, intercept=False, labels=labels, priors=priors, vars=vars, name=name, model=model, offset=offset)


class GLM(LinearComponent):
    """A generalized linear model, with the observed variable `y` and the parameters of its family."""

    def __init__(
        self, x: Any, y: Any, intercept: bool = True, labels: Any = None, priors: Any = None, vars: Any = None, family: Any = "normal",
        name: str = "", model: Any = None, offset: Any = 0.0,
    ) -> None:  # fmt: skip
        super().__init__(x, y, intercept, labels, priors, vars, name, model, offset)
        family = FAMILIES[family]() if isinstance(family, str) else family
        with self:
            self.y_est = family.create_likelihood(name="", y_est=self.y_est, y_data=y, model=self)

    @classmethod
    def from_formula(  # type: ignore[override]
        cls, formula: str, data: Any, priors: Any = None, vars: Any = None, family: Any = "normal", name: str = "", model: Any = None,
        offset: Any = 0.0, eval_env: Any = 0,
    ) -> Any:  # fmt: skip
        """Creates the model from a formula, which patsy parses; its names refer to `data` and to the caller's variables."""
        x, y, labels = _design(formula, data, eval_env)
        return cls(x, y, intercept=False, labels=labels, priors=priors, vars=vars, family=family, name=name, model=model, offset=offset)


glm = GLM


def _design(formula: str, data: Any, eval_env: Any) -> Tuple[np.ndarray, np.ndarray, List[str]]:
    """(design matrix, dependent variable, names of the columns)."""
    import patsy  # type: ignore[import-not-found,unused-ignore]

    env = patsy.EvalEnvironment.capture(eval_env, reference=2)
    y, x = patsy.dmatrices(formula, data, eval_env=env)
    return np.asarray(x), np.asarray(y)[:, -1], list(x.design_info.column_names)

"""PyMC3's arguments of each distribution in their order, and their names in PyMC 5 and 6.

The orders are those of `Class.__init__` in PyMC3 3.11.5 (pymc3/distributions/*.py). PyMC3 3.6 to 3.10 have the same order, except `sd`: it
was the third or fourth argument until 3.7 put `sigma` there, and is the last since.
"""

from typing import Any, Dict, NamedTuple, Tuple

import numpy as np


class Form(NamedTuple):
    """How a distribution is called."""

    arguments: Tuple[str, ...]
    """PyMC3's parameters in the order in which they may be given by position."""
    renamed: Dict[str, str] = {}
    """Parameter of PyMC3 -> parameter of PyMC, where the name differs and the meaning does not."""
    modern: str = ""
    """Class of PyMC, where its name differs."""


def _form(arguments: str, modern: str = "", **renamed: str) -> Form:
    return Form(tuple(arguments.split()), renamed, modern)


FORMS = {
    "AsymmetricLaplace": _form("b kappa mu"),
    "Bernoulli": _form("p logit_p"),
    "Beta": _form("alpha beta mu sigma sd"),
    "BetaBinomial": _form("alpha beta n"),
    "Binomial": _form("n p"),
    "Cauchy": _form("alpha beta"),
    "ChiSquared": _form("nu"),
    "Constant": _form("c", "DiracDelta"),
    "ConstantDist": _form("c", "DiracDelta"),
    "DirichletMultinomial": _form("n a shape"),
    "DiscreteUniform": _form("lower upper"),
    "DiscreteWeibull": _form("q beta"),
    "ExGaussian": _form("mu sigma nu sd"),
    "Exponential": _form("lam"),
    "Flat": _form(""),
    "GARCH11": _form("omega alpha_1 beta_1 initial_vol"),
    "Gamma": _form("alpha beta mu sigma sd"),
    "Geometric": _form("p"),
    "Gumbel": _form("mu beta"),
    "HalfCauchy": _form("beta"),
    "HalfFlat": _form(""),
    "HalfNormal": _form("sigma tau sd"),
    "HalfStudentT": _form("nu sigma lam sd"),
    "HyperGeometric": _form("N k n"),
    "Interpolated": _form("x_points pdf_points"),
    "InverseGamma": _form("alpha beta mu sigma sd"),
    "KroneckerNormal": _form("mu covs chols evds sigma"),
    "Kumaraswamy": _form("a b"),
    "Laplace": _form("mu b"),
    "LogNormal": _form("mu sigma tau sd"),
    "Lognormal": _form("mu sigma tau sd", "LogNormal"),
    "Logistic": _form("mu s"),
    "LogitNormal": _form("mu sigma tau sd"),
    "Moyal": _form("mu sigma"),
    "Multinomial": _form("n p"),
    "MvNormal": _form("mu cov tau chol lower"),
    "MvStudentT": _form("nu Sigma mu cov tau chol lower", Sigma="scale", cov="scale"),
    "NegativeBinomial": _form("mu alpha p n"),
    "Normal": _form("mu sigma tau sd"),
    "OrderedLogistic": _form("eta cutpoints"),
    "OrderedProbit": _form("eta cutpoints"),
    "Pareto": _form("alpha m transform"),
    "Poisson": _form("mu"),
    "Rice": _form("nu sigma b sd"),
    "SkewNormal": _form("mu sigma tau alpha sd"),
    "StudentT": _form("nu mu lam sigma sd"),
    "Triangular": _form("lower upper c"),
    "TruncatedNormal": _form("mu sigma tau lower upper transform sd"),
    "Uniform": _form("lower upper"),
    "VonMises": _form("mu kappa transform"),
    "Wald": _form("mu lam phi alpha"),
    "Weibull": _form("alpha beta"),
    "Wishart": _form("nu V"),
    "ZeroInflatedBinomial": _form("psi n p"),
    "ZeroInflatedNegativeBinomial": _form("psi mu alpha"),
    "ZeroInflatedPoisson": _form("psi theta", theta="mu"),
}  # type: Dict[str, Form]
"""Distributions that differ only in the names and the order of their arguments."""
PRECISION = ("sigma", "tau")
"""PyMC3's default for the standard deviation is 1; PyMC has none (`get_tau_sigma`, PyMC3 3.11.5, continuous.py)."""
_AS_GIVEN = (
    "Constant", "ConstantDist", "DirichletMultinomial", "DiscreteUniform", "GARCH11", "Interpolated", "KroneckerNormal", "Multinomial",
    "MvNormal", "MvStudentT", "Wishart",
)  # fmt: skip
"""Distributions whose parameters PyMC3 does not cast with floatX."""
_OF_ALL = ("shape", "dims", "observed", "total_size", "transform", "testval", "initval")
_WITHOUT_EFFECT = ("broadcastable", "dtype", "wrap_random_with_dist_shape", "check_shape_in_random", "defaults")


def bound(name: str, order: Tuple[str, ...], args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Dict[str, Any]:
    """Binds the arguments of a call to names as PyMC3 does. Raises TypeError for arguments that PyMC3's class `name` does not have."""
    if len(args) > len(order):
        raise TypeError("{} of PyMC3 takes {} arguments by position, not {}".format(name, len(order), len(args)))
    values = dict(zip(order, args))
    for key, value in kwargs.items():
        if key in values:
            raise TypeError("{} of PyMC3 got {!r} twice".format(name, key))
        if key not in order and key not in _OF_ALL and key not in _WITHOUT_EFFECT:
            raise TypeError("{} of PyMC3 has no argument {!r}".format(name, key))
        values[key] = value
    return {key: value for key, value in values.items() if key not in _WITHOUT_EFFECT}


def modern(name: str, values: Dict[str, Any]) -> Dict[str, Any]:
    """Converts PyMC3's arguments of the distribution `name` to PyMC's, by name, including the arguments that all distributions have."""
    form = FORMS.get(name, Form(()))
    out = {form.renamed.get(key, key): value for key, value in values.items() if value is not None or key == "transform"}
    if "sd" in out:
        out["sigma"] = out.pop("sd")  # with both, PyMC3 takes `sd`
    if "sigma" in form.arguments and "tau" in form.arguments and not {"sigma", "tau"} & set(out):
        out["sigma"] = 1.0
    if name in ("StudentT", "HalfStudentT") and not {"sigma", "lam"} & set(out):
        out["sigma"] = 1.0
    if name == "HalfStudentT":
        out.setdefault("nu", 1.0)
    return common(out)


def in_float_x(name: str, values: Dict[str, Any], dtype: str) -> Dict[str, Any]:
    """Returns the arguments of the distribution `name`, with numbers, arrays and variables of narrower types than `dtype` (floatX) cast to
    it.

    PyMC3 casts the parameters of univariate distributions (`floatX`, 3.11.5, continuous.py and discrete.py). PyMC does not: PyTensor
    makes 1e10 a float32 and 3 an int8, whose lgamma and logarithm it computes in single precision.
    """
    if name in _AS_GIVEN or (name not in FORMS and name != "NormalMixture"):
        return values
    return {
        key: value if key in _OF_ALL or key in ("n", "N", "k") or not _is_narrower(value, dtype) else _cast(value, dtype)
        for key, value in values.items()
    }


def _is_narrower(value: Any, dtype: str) -> bool:
    if isinstance(value, (bool, int, float)) and not isinstance(value, np.floating):
        return True
    given = getattr(value, "dtype", None)
    return isinstance(given, (str, np.dtype)) and np.dtype(given).itemsize < np.dtype(dtype).itemsize


def _cast(value: Any, dtype: str) -> Any:
    return value.astype(dtype) if hasattr(value, "astype") else np.asarray(value, dtype)


def common(values: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the arguments that all distributions have, in PyMC's form.

    A transform of PyMC3 replaces the distribution's own, one of PyMC is added to it. An observed variable has the shape of its data, even
    if `shape` differs.
    """
    if "testval" in values:
        value = values.pop("testval")
        values.setdefault("initval", value)
    if "transform" in values:
        chosen = values.pop("transform")
        if not isinstance(chosen, str):  # "auto", "lowerbound", "circular", "interval": the distribution's own
            values.update(default_transform=None, transform=chosen)
    observed = values.get("observed")
    if observed is None:
        values.pop("observed", None)
        values.pop("total_size", None) if values.get("total_size") is None else None
    elif "shape" in values:
        del values["shape"]
    if "shape" in values and values["shape"] is not None and not isinstance(values["shape"], int):
        values["shape"] = _plain_shape(values["shape"])
    if values.get("initval") is not None and _is_fixed(values.get("shape")):
        values["initval"] = _start(values["initval"], values["shape"])
    return values


def _plain_shape(shape: Any) -> Any:
    """A shape of Python's numbers, for one of NumPy's; a symbolic one as it is."""
    if hasattr(shape, "owner"):
        return shape
    if np.ndim(shape) == 0:
        return int(shape)
    return tuple(length if hasattr(length, "owner") else int(length) for length in shape)


def _start(value: Any, shape: Any) -> Any:
    """A start value in the shape of its variable, if it is of numbers and fits: one for all elements, or for each row (`FreeRV`, PyMC3
    3.11.5, model.py)."""
    if not isinstance(value, (int, float, np.number, np.ndarray, list, tuple)):
        return value
    try:
        array = np.asarray(value)
        return np.broadcast_to(array, shape).copy() if array.dtype.kind in "biuf" else value
    except (ValueError, TypeError):  # PyMC names the shapes; a list of variables is no array
        return value


def _is_fixed(shape: Any) -> bool:
    """Returns whether all lengths of a shape are known numbers."""
    return all(isinstance(length, (int, np.integer)) for length in (shape if isinstance(shape, tuple) else (shape,)))

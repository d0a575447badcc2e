"""The parameters of PyMC's distributions that drop other arguments in silence: tried on PyMC 6.4.0, where 5.28.5 raises TypeError."""

from __future__ import annotations

SWALLOWING = {
    "Bernoulli": "p logit_p", "Beta": "alpha beta mu sigma nu", "BetaBinomial": "alpha beta n", "Binomial": "n p logit_p",
    "Categorical": "p logit_p", "Cauchy": "alpha beta", "ChiSquared": "nu", "Dirichlet": "a", "DiscreteUniform": "lower upper",
    "Exponential": "lam scale", "Flat": "", "Gamma": "alpha beta mu sigma", "Geometric": "p", "Gumbel": "mu beta", "HalfFlat": "",
    "HalfNormal": "sigma tau", "HyperGeometric": "N k n", "Interpolated": "x_points pdf_points", "InverseGamma": "alpha beta mu sigma",
    "Laplace": "mu b", "LogNormal": "mu sigma tau", "Logistic": "mu s", "Lognormal": "mu sigma tau", "Moyal": "mu sigma",
    "Multinomial": "n p", "MvNormal": "mu cov tau chol lower", "NegativeBinomial": "mu alpha p n", "Normal": "mu sigma tau",
    "OrderedLogistic": "eta cutpoints compute_p", "OrderedProbit": "eta cutpoints sigma compute_p", "Pareto": "alpha m", "Poisson": "mu",
    "PolyaGamma": "h z", "Rice": "nu sigma b", "SkewNormal": "alpha mu sigma tau", "SkewStudentT": "a b mu sigma lam",
    "StickBreakingWeights": "alpha K", "StudentT": "nu mu sigma lam", "Triangular": "lower upper c",
    "TruncatedNormal": "mu sigma tau lower upper", "Uniform": "lower upper", "VonMises": "mu kappa", "Wald": "mu lam phi alpha",
}  # fmt: skip
"""Distribution -> its parameters."""
OF_ALL = frozenset((
    "name", "rng", "dims", "initval", "observed", "total_size", "transform", "default_transform", "shape", "size", "dtype",
    "return_next_rng",
))  # fmt: skip
"""What every distribution takes. (PyMC 6.4.0, distributions/distribution.py.)"""
RENAMED = {"sd": "sigma", "testval": "initval"}
"""Argument of PyMC3 -> the one that PyMC takes."""

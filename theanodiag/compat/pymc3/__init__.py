"""`import pymc3` with the installed PyMC: names, arguments, densities and results of PyMC3 3.0 to 3.11.

`theanodiag run` serves this package as `pymc3`; a ported script imports it with `from theanodiag.compat import pymc3 as pm`. Names that are
not defined here are PyMC's own. A name without a counterpart in PyMC raises AttributeError with what to write instead.
"""

import sys as _sys
from typing import Any, List

import pymc

from ..libraries import old_libraries as _old_libraries
from . import dist_math as _dist_math
from . import fitted as _fitted
from . import models as _models
from . import modules as _modules
from . import old_arviz as _old_arviz
from . import samplers as _samplers
from .batches import Data, Minibatch, align_minibatches
from .dist_math import invlogit, log1mexp, logsumexp, stack
from .distribution_arguments import FORMS as _FORMS
from .distribution_families import (
    AR,
    AR1,
    Bound,
    Categorical,
    Dirichlet,
    GaussianRandomWalk,
    LKJCholeskyCov,
    LKJCorr,
    MatrixNormal,
    Mixture,
    MixtureSameFamily,
    MvGaussianRandomWalk,
    MvStudentTRandomWalk,
    NormalMixture,
    Simulator,
    WishartBartlett,
)  # fmt: skip
from .linear_models import GLM, LinearComponent
from .models import Deterministic, Model, Point, Potential, fastfn
from .older import ADVIFit, StudentTpos, advi, df_summary, geweke, mc_error, quantiles, sample_vp
from .reasons import GONE as _GONE
from .results import compare, dic, hpd, loo, plot_posterior_predictive_glm, r2_samples, r2_score, waic
from .samplers import (
    SMC,
    ElemwiseCategorical,
    fast_sample_posterior_predictive,
    find_MAP,
    fit,
    sample,
    sample_posterior_predictive,
    sample_posterior_predictive_w,
    sample_ppc,
    sample_prior_predictive,
    sample_smc,
    trace_cov,
)  # fmt: skip
from .saved_traces import load_trace, save_trace
from .trace import MultiTrace, trace_to_dataframe
from .user_distributions import Continuous, DensityDist, Discrete, Distribution, NoDistribution

__version__ = "3.11.5"
from . import distribution_families as _families

globals().update({name: getattr(_families, name) for name in _FORMS})
globals().update(_old_arviz.names())
_models.follow_variables()
_models.follow()
_dist_math.follow()
_sys.meta_path.append(_modules.Finder())
_fitted.follow()
_samplers.follow_step_methods()
_samplers.follow_scaling()
_old_arviz.follow()
_old_libraries.follow()


def set_tt_rng(new_rng: Any) -> None:
    """Does nothing: PyMC seeds each call with random_seed."""


sample_ppc_w = sample_posterior_predictive_w


def floatX(X: Any) -> Any:
    """Converts an array or variable to floatX."""
    return pymc.pytensorf.floatX(X)


def __getattr__(name: str) -> Any:
    if name == "__all__":
        return _modules.exported(_sys.modules[__name__])
    if name in _GONE:
        raise AttributeError("pymc3.{} has no counterpart in PyMC {}: {}".format(name, pymc.__version__, _GONE[name]))
    return _modules.elsewhere("", name)


def __dir__() -> List[str]:
    return sorted({n for n in globals() if not n.startswith("_")} | {n for n in dir(pymc) if not n.startswith("_")})

"""PyMC3's distributions, based on PyMC's: the same arguments, defaults and densities."""

import numbers
from typing import Any, Dict, List, Optional, Tuple

import numpy as np
import pymc
import pytensor
import pytensor.tensor as pt
from pymc.distributions import transforms as modern_transforms
from pytensor.graph.traversal import ancestors
from pytensor.tensor.random.op import RandomVariable

from ..notes import note
from . import correlations, derived_distributions, distribution_arguments
from .models import DistributionOf, test_value
from .user_distributions import Density, no_density, zeros


class ServedDistribution(derived_distributions.Members):
    """A distribution class of PyMC3: calling it creates a random variable of the model, `dist` one without a model."""

    form = distribution_arguments.Form(())

    def __new__(cls, name: str, *args: Any, **kwargs: Any) -> Any:
        """The random variable `name` of the model whose `with` block contains the call."""
        if derived_distributions.is_derived(cls):
            return derived_distributions.variable(cls, name, args, kwargs)
        return cls.made(name, distribution_arguments.bound(cls.__name__, cls.form.arguments, args, kwargs))

    @classmethod
    def dist(cls, *args: Any, **kwargs: Any) -> Any:
        """Returns a random variable without a name, for a mixture, a bound, an initial value or draws."""
        if derived_distributions.is_derived(cls):
            return derived_distributions.unnamed(cls, args, kwargs)
        return cls.unnamed(distribution_arguments.bound(cls.__name__, cls.form.arguments, args, kwargs))

    @classmethod
    def modern(cls) -> Any:
        """Returns PyMC's class."""
        return getattr(pymc, cls.form.modern or cls.__name__)

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's."""
        return with_shape_of_parameters(distribution_arguments.modern(cls.__name__, given))

    @classmethod
    def cast_values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Returns PyMC's arguments, with the parameters in floatX where PyMC3 casts them."""
        return distribution_arguments.in_float_x(cls.__name__, cls.values(given), pytensor.config.floatX)

    @classmethod
    def made(cls, name: str, given: Dict[str, Any]) -> Any:
        """Creates the random variable of the model; for data computed from other variables, such as errors, a term of the density."""
        data = given.get("observed")
        if getattr(data, "owner", None) is not None and set(ancestors([data])) & set(pymc.modelcontext(None).basic_RVs):
            own = cls.unnamed({key: value for key, value in given.items() if key != "shape"})
            return Density(lambda value: pymc.logp(own, value), given).variable(name)
        return cls.modern()(name, **with_repeated_data(name, cls.modern(), cls.cast_values(given)))

    @classmethod
    def unnamed(cls, given: Dict[str, Any]) -> Any:
        """Creates the random variable without a model; arguments that apply only to variables of a model are dropped."""
        values = cls.cast_values(given)
        for key in ("initval", "transform", "default_transform", "observed", "total_size", "dims"):
            values.pop(key, None)
        return cls.modern().dist(**values)


def with_shape_of_parameters(values: Dict[str, Any]) -> Dict[str, Any]:
    """Adds a `shape` that depends on the parameters to the arguments, if one of them depends on a shared variable.

    In PyMC3 an observed variable is drawn with the shape of its parameters. In PyMC it has the shape of its data unless `shape` is given,
    so a predictor set to new values would change nothing.
    """
    observed = values.get("observed")
    if observed is None or "shape" in values or "dims" in values:
        return values
    ndim = getattr(observed, "ndim", None)
    for value in values.values():
        if value is not observed and getattr(value, "owner", None) is not None and value.ndim == ndim and _follows_shared(value):
            return dict(values, shape=value.shape)
    return values


def with_repeated_data(name: str, modern: Any, values: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the arguments, with data repeated to the shape that they have with the parameters: (n,) of data and parameters of (1, n) or
    (n, 1), or data of (n, 1) and parameters of (n,).

    PyMC3 broadcasts both against each other in the log-density, where PyMC raises. Distributions of vectors are left alone.
    """
    observed = values.get("observed")
    core = getattr(getattr(modern, "rv_op", None), "ndims_params", None)
    if core is None or any(core) or hasattr(observed, "owner") or np.ma.isMaskedArray(observed):
        return values
    data = np.asarray(observed)
    parameters = [
        v for key, v in values.items() if key not in ("observed", "initval") and (hasattr(v, "owner") or isinstance(v, np.ndarray))
    ]
    longer = [v for v in parameters if v.ndim > data.ndim or 1 in data.shape]
    if observed is None or not longer or data.dtype == object:
        return values
    shapes = [_shape_at_start(v) for v in longer]
    shape = np.broadcast_shapes(data.shape, *shapes)
    if shape == data.shape:
        return values
    if np.prod(shape) != data.size:
        note(f"{name}: data of shape {data.shape} are compared with each row of parameters of shape {shape}, as by PyMC3")
    return dict(values, observed=np.broadcast_to(data, shape))


def _shape_at_start(parameter: Any) -> Any:
    """The shape of an array, or of a variable at the start of its model."""
    if isinstance(parameter, np.ndarray) or None not in parameter.type.shape:
        return parameter.shape if isinstance(parameter, np.ndarray) else parameter.type.shape
    try:
        return test_value(parameter).shape
    except AttributeError:  # it depends on no variable of a model
        return parameter.eval().shape


def _follows_shared(variable: Any) -> bool:
    """Whether `variable` depends on a shared variable with data, that is, not a random generator or a scalar."""
    return any(hasattr(v, "get_value") and getattr(v, "ndim", 0) > 0 for v in ancestors([variable]))


class Categorical(ServedDistribution):
    """Divides the probabilities by their sum, as PyMC3 does (discrete.py, `Categorical.logp`)."""

    form = distribution_arguments.Form(("p",))

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's."""
        values = super().values(given)
        p = values["p"]
        p = pt.as_tensor_variable(p) if isinstance(p, (list, tuple)) else p
        total = p.sum(axis=-1, keepdims=True) if hasattr(p, "sum") else np.sum(p, axis=-1, keepdims=True)
        return dict(values, p=p / total)


class Multinomial(Categorical):
    """Divides the probabilities by their sum, as PyMC3 does (multivariate.py, `Multinomial.__init__`)."""

    form = distribution_arguments.FORMS["Multinomial"]


class LogitNormal(ServedDistribution):
    """Samples the log-odds, as PyMC3 does; PyMC 6.4 has no transform for it."""

    form = distribution_arguments.FORMS["LogitNormal"]

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's."""
        values = super().values(given)
        values.setdefault("default_transform", modern_transforms.logodds)
        return values


class MvNormal(ServedDistribution):
    """MvNormal. Without a model, it can also be drawn from a covariance that is singular to rounding, such as that of a Gaussian process,
    as in PyMC3 before 3.10 (multivariate.py). PyMC's Cholesky decomposition fails for it, and under numba gives NaN.
    """

    form = distribution_arguments.FORMS["MvNormal"]

    @classmethod
    def unnamed(cls, given: Dict[str, Any]) -> Any:
        """Creates the random variable without a model."""
        return super().unnamed(dict(given, method="svd") if given.get("cov") is not None else given)


class Dirichlet(ServedDistribution):
    """Dirichlet, with an optional `shape`, whose default is the shape of `a`."""

    form = distribution_arguments.Form(("a", "transform"))


class MatrixNormal(ServedDistribution):
    """Converts precisions of rows and columns to covariances, since PyMC accepts only those."""

    form = distribution_arguments.Form(("mu", "rowcov", "rowchol", "rowtau", "colcov", "colchol", "coltau", "shape"))

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's."""
        given = dict(given)
        for side in ("row", "col"):
            tau = given.pop(side + "tau", None)
            if tau is not None:
                given[side + "cov"] = pt.linalg.inv(pt.as_tensor(tau))
        given.setdefault("mu", 0.0)
        return super().values(given)


class NormalMixture(ServedDistribution):
    """NormalMixture, whose shape of the components (`comp_shape`) is derived from mu and sigma."""

    form = distribution_arguments.Form(("w", "mu", "sigma", "tau", "sd", "comp_shape"))

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's."""
        given = {key: value for key, value in given.items() if key != "comp_shape"}
        if "sd" in given:
            given["sigma"] = given.pop("sd")
        if not {"sigma", "tau"} & {key for key, value in given.items() if value is not None}:
            given["sigma"] = 1.0
        return super().values(given)


class Mixture(ServedDistribution):
    """Mixture. The components are results of `dist`, or distributions of variables (`x.distribution`): a single one whose last axis
    enumerates the components, or a list.
    """

    form = distribution_arguments.Form(("w", "comp_dists"))

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's."""
        parts = given["comp_dists"]
        several = isinstance(parts, (list, tuple))
        unnamed = [part.unnamed() if isinstance(part, DistributionOf) else part for part in (parts if several else [parts])]
        return super().values(dict(given, comp_dists=unnamed if several else unnamed[0]))


class MixtureSameFamily(ServedDistribution):
    """A mixture whose components are enumerated by an axis."""

    form = distribution_arguments.Form(("w", "comp_dists", "mixture_axis"), {}, "Mixture")

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's."""
        given = dict(given)
        axis = given.pop("mixture_axis", -1)
        dist = given["comp_dists"]
        batch = dist.ndim - dist.owner.op.ndim_supp
        if axis % dist.ndim != batch - 1:
            raise NotImplementedError("a mixture along axis {} of {}: PyMC mixes along the last axis of the batch".format(axis, dist.ndim))
        return super().values(given)


def first_value(init: Any, ndim: Optional[int] = None) -> Any:
    """Returns the distribution of a series' first value: `init` if it is given. Otherwise it is a distribution that contributes nothing to
    the density and is drawn as 0, the value from which PyMC3 draws a walk (timeseries.py, 3.11.5).
    """
    return init if init is not None else pymc.CustomDist.dist(logp=no_density, random=zeros, **({} if ndim is None else {"shape": ndim}))


def flat_vector(length: int) -> Any:
    """Returns an unnamed vector variable that contributes nothing to the density."""
    return pymc.CustomDist.dist(np.zeros(length), logp=_no_density_of_vector, random=_zeros_of_vector, signature="(n)->(n)")


def _no_density_of_vector(value: Any, zeros: Any) -> Any:
    return pt.zeros(value.shape[:-1])


def _zeros_of_vector(zeros: np.ndarray, rng: Any = None, size: Any = None) -> np.ndarray:
    return np.zeros(tuple(size or ()) + np.shape(zeros)[-1:])


def at_zero(values: Dict[str, Any]) -> Dict[str, Any]:
    """Returns the arguments of an unobserved series with initial value 0, as in PyMC3: PyMC would draw the first value, but Flat cannot be
    drawn.
    """
    if values.get("observed") is None and values.get("shape") is not None:
        values.setdefault("initval", np.zeros(values["shape"]))
    return values


def standard_deviation(given: Dict[str, Any]) -> Any:
    """Returns the standard deviation from `sigma`, `sd` or `tau`; 1 if none is given. Removes them from `given`."""
    sigma, sd, tau = (given.pop(name, None) for name in ("sigma", "sd", "tau"))
    sigma = sd if sd is not None else sigma
    if tau is not None:
        if sigma is not None:
            raise ValueError("Can't pass both tau and sigma")
        return 1.0 / pt.sqrt(pt.as_tensor(tau))
    return 1.0 if sigma is None else sigma


class GaussianRandomWalk(ServedDistribution):
    """GaussianRandomWalk. The first argument is the precision; the first value is Flat unless `init` is given (PyMC3 3.11.5,
    timeseries.py).
    """

    form = distribution_arguments.Form(("tau", "init", "sigma", "mu", "sd"))

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's. PyMC3 ignores the first element of a sigma or mu with one element for each step."""
        given = dict(given)
        sigma, mu, init = standard_deviation(given), given.pop("mu", 0.0), given.pop("init", None)
        mu, sigma = (_of_steps(v) for v in (mu, sigma))
        return dict(distribution_arguments.common(given), mu=mu, sigma=sigma, init_dist=first_value(init))

    @classmethod
    def made(cls, name: str, given: Dict[str, Any]) -> Any:
        """Creates the walk. Several series go along the first axis, but in PyMC along the last."""
        if _dimensions(given) < 2:
            return super().made(name, given)
        note(f"{name}: as in PyMC3, each step of a GaussianRandomWalk with several series counts once for every series")
        given = dict(given)
        sigma, mu, init = standard_deviation(given), given.pop("mu", 0.0), given.pop("init", None)
        mu, sigma = (_of_steps(v) for v in (mu, sigma))

        def logp(x: Any) -> Any:
            """Returns PyMC3's density: that of the first values, and for each of them that of all steps (timeseries.py, 3.11.5)."""
            first = pt.zeros_like(x[0]) if init is None else pymc.logp(init, x[0])
            return first + pt.sum(pymc.logp(pymc.Normal.dist(x[:-1] + mu, sigma), x[1:]))

        return Density(logp, given).variable(name)

    @classmethod
    def unnamed(cls, given: Dict[str, Any]) -> Any:
        """Returns a walk of one series without a model. Raises NotImplementedError for several."""
        if _dimensions(given) < 2:
            return super().unnamed(given)
        raise NotImplementedError("GaussianRandomWalk.dist of several series: PyMC walks along another axis than PyMC3")


def _of_steps(value: Any) -> Any:
    """A parameter without its first element, which PyMC3 ignores, if it has one for each step."""
    tensor = pt.as_tensor(value)
    return tensor[1:] if tensor.ndim else tensor


def _dimensions(given: Dict[str, Any]) -> int:
    """The number of dimensions of a variable, by its data, its shape or its dims."""
    if given.get("observed") is not None:
        return int(getattr(given["observed"], "ndim", np.ndim(given["observed"])))
    lengths = given["shape"] if given.get("shape") is not None else given.get("dims")
    return len(lengths) if isinstance(lengths, (tuple, list)) else int(np.size(lengths)) if isinstance(lengths, np.ndarray) else 1


class AR(ServedDistribution):
    """AR. The first values are Flat unless `init` is given (PyMC3 3.11.5, timeseries.py)."""

    form = distribution_arguments.Form(("rho", "sigma", "tau", "constant", "init", "sd"))

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's."""
        given = dict(given)
        sigma, constant, init = standard_deviation(given), bool(given.pop("constant", False)), given.pop("init", None)
        rho = pt.atleast_1d(pt.as_tensor(given.pop("rho")))
        if rho.type.shape[-1] is None:
            raise ValueError("AR: the number of coefficients must be known: pass rho as a list or with a shape")
        order = rho.type.shape[-1] - constant
        return dict(
            at_zero(distribution_arguments.common(given)), rho=rho, sigma=sigma, constant=constant, init_dist=first_value(init, order),
            ar_order=order,
        )  # fmt: skip


class AR1(ServedDistribution):
    """An autoregression whose first value has the stationary distribution (PyMC3 3.11.5, timeseries.py)."""

    form = distribution_arguments.Form(("k", "tau_e"), {}, "AR")

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's."""
        given = dict(given)
        k, tau = pt.as_tensor(given.pop("k")), pt.as_tensor(given.pop("tau_e"))
        first = pymc.Normal.dist(mu=0.0, tau=tau * (1 - k**2), shape=1)
        return dict(distribution_arguments.common(given), rho=pt.atleast_1d(k), tau=tau, init_dist=first, ar_order=1, constant=False)


class MvGaussianRandomWalk(ServedDistribution):
    """MvGaussianRandomWalk. The first value is Flat unless `init` is given."""

    form = distribution_arguments.Form(("mu", "cov", "tau", "chol", "lower", "init"))

    @classmethod
    def values(cls, given: Dict[str, Any]) -> Dict[str, Any]:
        """Converts PyMC3's arguments to PyMC's."""
        given = dict(given)
        lengths = [
            pt.as_tensor(given[k]).type.shape[-1] for k in ("cov", "tau", "chol", "mu") if given.get(k) is not None and np.ndim(given[k])
        ]
        shape = given.get("shape")
        if shape is not None and np.ndim(shape) == 1:
            lengths.append(tuple(shape)[-1])
        width = next((length for length in lengths if length is not None), None)
        if width is None:
            raise ValueError("MvGaussianRandomWalk: the number of series must be known: pass a shape")
        values = {key: value for key, value in given.items() if value is not None and key != "init"}
        values["mu"] = values.get("mu", 0.0) + np.zeros(width)
        init = given.get("init")
        return dict(at_zero(distribution_arguments.common(values)), init_dist=flat_vector(width) if init is None else init)


class MvStudentTRandomWalk(MvGaussianRandomWalk):
    """MvStudentTRandomWalk. The first value is Flat unless `init` is given."""

    form = distribution_arguments.Form(("nu", "mu", "cov", "tau", "chol", "lower", "init"))


class LKJCorr(ServedDistribution):
    """LKJCorr: the correlations above the diagonal, row by row. PyMC 6 has a Cholesky factor instead, PyMC 5 a matrix or these
    correlations.
    """

    form = distribution_arguments.Form(("eta", "n", "p", "transform"))

    @classmethod
    def made(cls, name: str, given: Dict[str, Any]) -> Any:
        """Returns the correlations as a variable of the model, sampled between -1 and 1 as PyMC3 does."""
        eta, n, values = _eta_and_n(given)
        values.setdefault("default_transform", correlations.BetweenOnes(n))
        values.setdefault("initval", np.zeros(n * (n - 1) // 2))
        return pymc.CustomDist(name, eta, **correlations.functions(n), **values)

    @classmethod
    def unnamed(cls, given: Dict[str, Any]) -> Any:
        """Returns the correlations without a model."""
        eta, n, _ = _eta_and_n(given)
        return pymc.CustomDist.dist(eta, **correlations.functions(n))


def _eta_and_n(given: Dict[str, Any]) -> Tuple[Any, int, Dict[str, Any]]:
    """The parameters of LKJCorr, which were `n` and `p` before 3.2 (multivariate.py, 3.11.5), and PyMC's other arguments."""
    values = {key: value for key, value in given.items() if key != "shape" and (key, value) != ("transform", "interval")}
    eta, n, p = (values.pop(key, None) for key in ("eta", "n", "p"))
    if eta is None and p is not None:
        eta, n = n, p
    if eta is None or n is None:
        raise ValueError("LKJCorr needs eta, the shape parameter, and n, the dimension")
    return pt.as_tensor(eta), int(n), distribution_arguments.common(values)


def LKJCholeskyCov(
    name: str, eta: Any, n: Any, sd_dist: Any, compute_corr: bool = False, store_in_trace: bool = True, *args: Any, **kwargs: Any
) -> Any:
    """Returns the packed Cholesky factor, or (factor, correlations, standard deviations) with `compute_corr`, as in PyMC3."""
    kwargs.pop("shape", None)
    values = distribution_arguments.common(dict(kwargs))
    return pymc.LKJCholeskyCov(name, eta=eta, n=n, sd_dist=sd_dist, compute_corr=compute_corr, store_in_trace=store_in_trace, **values)


def WishartBartlett(name: str, S: Any, nu: Any, is_cholesky: bool = False, return_cholesky: bool = False, testval: Any = None) -> Any:
    """Returns a Wishart matrix that starts at `testval`; PyMC 5.28 samples its Bartlett decomposition, PyMC 6.4 its Cholesky factor."""
    if testval is None or int(pymc.__version__.partition(".")[0]) < 6:
        return pymc.WishartBartlett(name, S, nu, is_cholesky=is_cholesky, return_cholesky=return_cholesky, initval=testval)
    scale = {"scale_chol" if is_cholesky else "V": S}
    matrix = pymc.Wishart("_{}_wishart".format(name) if return_cholesky else name, nu=nu, initval=np.asarray(testval), **scale)
    return pymc.Deterministic(name, pt.linalg.cholesky(matrix)) if return_cholesky else matrix


class Bound:
    """Restricts a distribution to an interval: `Bound(pm.Normal, lower=0)('x', mu=1)`.

    As in PyMC3, the density is that of the unrestricted distribution: it is not divided by the probability of the interval (bound.py,
    3.11.5).
    """

    def __init__(self, distribution: Any, lower: Any = None, upper: Any = None) -> None:
        self.distribution = distribution
        # An infinite bound is none (bound.py, `Bound.__init__`).
        self.lower = None if isinstance(lower, numbers.Real) and lower == -np.inf else lower
        self.upper = None if isinstance(upper, numbers.Real) and upper == np.inf else upper

    def __call__(self, name: str, *args: Any, **kwargs: Any) -> Any:
        """The bounded random variable `name` of the model."""
        if kwargs.get("observed") is not None:
            raise ValueError("Bound takes no observed data, in PyMC3 either: write pm.Truncated, which divides by the mass")
        if self.lower is None and self.upper is None:
            return self.distribution(name, *args, **kwargs)
        if getattr(self.distribution, "discrete", False) or self._counts(args, kwargs):
            return self._of_integers(name, args, kwargs)
        kwargs = dict(kwargs)
        kwargs.setdefault("testval", self._start(kwargs))
        if all(limit is None or (not hasattr(limit, "owner") and np.ndim(limit) == 0) for limit in (self.lower, self.upper)):
            variable = self.distribution(name, *args, **dict(kwargs, transform=modern_transforms.Interval(self.lower, self.upper)))
        else:
            variable = self._between_variables(name, args, kwargs)
        return self._registered(variable, args, kwargs)

    def dist(self, *args: Any, **kwargs: Any) -> Any:
        """Returns a variable without a name, as a component of a mixture: its density is -inf outside of the bounds. It cannot be drawn."""
        node = self._unbounded(args, kwargs).owner
        limits = [pt.as_tensor(limit) for limit in (self.lower, self.upper) if limit is not None]
        generator, size, *parameters = node.inputs

        def density(value: Any, *given: Any) -> Any:
            inner = pymc.logp(node.op.make_node(generator, size, *given[len(limits) :]).outputs[-1], value)
            inside = pt.ge(value, given[0]) if self.lower is not None else pt.ones_like(value, dtype="bool")
            return pt.switch(inside & pt.le(value, given[len(limits) - 1]) if self.upper is not None else inside, inner, -np.inf)

        return pymc.CustomDist.dist(*limits, *parameters, logp=density, dtype=str(node.outputs[-1].dtype))

    def _registered(self, variable: Any, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """The variable, whose model knows how to draw it from its prior."""
        between = self.lower, self.upper, self._unbounded(args, kwargs)
        vars(pymc.modelcontext(None)).setdefault("bounded", {})[variable.name] = between
        return variable

    def _unbounded(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """The unrestricted distribution, without a model."""
        return self.distribution.dist(*args, **{k: v for k, v in kwargs.items() if k not in ("transform", "testval", "initval")})

    def _counts(self, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> bool:
        return str(self._unbounded(args, kwargs).dtype).startswith("int")

    def _between_variables(self, name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        """A variable between bounds given by other variables or arrays, as a CustomDist: a transform may use only its variable's own
        parameters."""
        whole = self._unbounded(args, {k: v for k, v in kwargs.items() if k != "shape"})
        node, limits = whole.owner, [pt.as_tensor(limit) for limit in (self.lower, self.upper) if limit is not None]
        if node.op.ndim_supp or not isinstance(node.op, RandomVariable):
            raise NotImplementedError(
                "Bound of {} by a variable or an array: write a Potential that is -inf outside of the bounds".format(node.op)
            )
        generator, size, *parameters = node.inputs

        def density(value: Any, *given: Any) -> Any:
            return pymc.logp(node.op.make_node(generator, size, *given[len(limits) :]).outputs[whole.index], value)

        def bounds(rng: Any, size: Any, *given: Any) -> Any:
            lower = given[0] if self.lower is not None else None
            return lower, given[len(limits) - 1] if self.upper is not None else None

        options = {k: v for k, v in kwargs.items() if k in ("shape", "dims", "testval", "initval")}
        options = distribution_arguments.common(dict(options, transform=modern_transforms.Interval(bounds_fn=bounds)))
        return pymc.CustomDist(name, *limits, *parameters, logp=density, **options)

    def _of_integers(self, name: str, args: Tuple[Any, ...], kwargs: Dict[str, Any]) -> Any:
        kwargs.setdefault("testval", self._start(kwargs).astype("int64"))
        variable = self.distribution(name, *args, **kwargs)
        inside = [pt.ge(variable, self.lower)] if self.lower is not None else []
        inside += [pt.le(variable, self.upper)] if self.upper is not None else []
        pymc.Potential(name + "_bounds", pt.switch(pt.all([pt.all(i) for i in inside]), 0.0, -np.inf))
        return self._registered(variable, args, kwargs)

    def _start(self, kwargs: Dict[str, Any]) -> np.ndarray:
        """An initial value between the bounds; as in PyMC3 the middle, or at distance 1 from a single bound (bound.py,
        `_ContinuousBounded`)."""
        lower, upper = (test_value(b) if hasattr(b, "owner") else b for b in (self.lower, self.upper))
        if lower is not None and upper is not None:
            start = 0.5 * (lower + upper)
        else:
            start = lower + 1 if lower is not None else upper - 1 if upper is not None else 0.0
        shape = kwargs.get("shape")
        return np.broadcast_to(start, np.shape(start) if shape is None else shape if np.iterable(shape) else (shape,)).astype(float)


def Simulator(name: str, function: Any, *args: Any, params: Any = None, **kwargs: Any) -> Any:
    """Returns a simulator for approximate Bayesian computation. PyMC passes a random generator to the function as its first argument, PyMC3
    does not.
    """
    inputs = params if params is not None else args

    def simulated(rng: Any, *values: Any) -> Any:
        return function(*values[:-1])  # the last one is PyMC's size

    return pymc.Simulator(name, simulated, *inputs, **distribution_arguments.common(dict(kwargs)))


def _serve() -> None:
    for name, form in distribution_arguments.FORMS.items():
        if name not in globals():
            described = "{} as PyMC3 takes it: {}.".format(name, ", ".join(form.arguments) or "no argument of its own")
            globals()[name] = type(name, (ServedDistribution,), {"form": form, "__doc__": described, "__module__": __name__})


_serve()

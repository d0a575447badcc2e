"""Log-densities of small models that are written for PyMC3, at fixed points; prints JSON: model -> list of numbers, or the error."""

import json
import zlib

import numpy as np
import pymc3 as pm
import theano.tensor as tt
from pymc3.distributions.continuous import BoundedContinuous
from pymc3.distributions.timeseries import EulerMaruyama  # noqa: F401 - the models below use it
from pymc3.distributions.transforms import ElemwiseTransform

COUNTS = np.array([0, 1, 2, 4])
REALS = np.array([-1.5, -0.2, 0.3, 2.0])
POSITIVE = np.array([0.1, 0.7, 1.5, 4.0])
UNIT = np.array([0.05, 0.3, 0.6, 0.97])
COV = np.array([[2.0, 0.3], [0.3, 1.0]])
ROWS = np.array([[0.1, -0.2], [1.0, 0.4], [-2.0, 3.0]])

FREE = """
pm.Normal('x', 1, 2, shape=3)
pm.Normal('x', 1, sd=2, shape=3)
pm.Normal('x', mu=1, tau=2, shape=3)
pm.Normal('x', 1, 2, sd=3, shape=3)
pm.Normal('x', shape=2)
pm.HalfNormal('x', 2)
pm.HalfNormal('x', sd=2)
pm.HalfNormal('x', tau=2)
pm.HalfNormal('x')
pm.HalfCauchy('x', 2, shape=2)
pm.HalfStudentT('x', 3, sd=2)
pm.HalfStudentT('x', nu=3, lam=2)
pm.HalfStudentT('x')
pm.StudentT('x', 3, 1, 2)
pm.StudentT('x', nu=3, mu=1, sd=2)
pm.StudentT('x', 3)
pm.Cauchy('x', 1, 2)
pm.Laplace('x', 1, 2)
pm.Logistic('x', 1, 2)
pm.Gumbel('x', 1, 2)
pm.Uniform('x', -1, 3)
EulerMaruyama('x', .1, lambda x, a: (a * x, .3), (-.5,), shape=(3, 2), testval=np.ones((3, 2)))
Between('x')
pm.Gamma('x', 2, 3, transform=Root())
pm.Gamma('x', 2, 3, transform=PlainRoot())
pm.Uniform('x')
pm.Beta('x', 2, 3)
pm.Beta('x', mu=.3, sd=.2)
pm.Beta('x', mu=.3, sigma=.2)
pm.Exponential('x', 2)
pm.Gamma('x', 2, 3)
pm.Gamma('x', mu=2, sd=3)
pm.InverseGamma('x', 2, 3)
pm.InverseGamma('x', mu=2, sd=3)
pm.InverseGamma('x', 3)
pm.ChiSquared('x', 3)
pm.Lognormal('x', 1, 2)
pm.Lognormal('x', 1, sd=2)
pm.Lognormal('x', mu=1, tau=3)
pm.Lognormal('x')
pm.LogitNormal('x', 0, sd=2)
pm.Weibull('x', 2, 3)
pm.Pareto('x', 2, 1)
pm.Wald('x', 2, 3)
pm.Wald('x', mu=2, phi=1.5, alpha=.1)
pm.Kumaraswamy('x', 2, 3)
pm.SkewNormal('x', 1, sd=2, alpha=3)
pm.SkewNormal('x', mu=1, tau=2, alpha=3)
pm.ExGaussian('x', 1, 2, 3)
pm.ExGaussian('x', mu=1, sd=2, nu=3)
pm.VonMises('x', 1, 2)
pm.Triangular('x', 0, 4, 1)
pm.TruncatedNormal('x', 1, 2, lower=0, upper=3)
pm.TruncatedNormal('x', mu=1, sd=2, lower=0)
pm.TruncatedNormal('x', mu=1, tau=2, upper=3)
pm.Rice('x', nu=1, sd=2)
pm.Rice('x', b=1, sd=2)
pm.Moyal('x', 1, 2)
pm.AsymmetricLaplace('x', 1, 2, 3)
pm.Interpolated('x', np.linspace(0, 4, 9), np.array([1, 2, 4, 7, 9, 7, 4, 2, 1.]))
pm.Flat('x')
pm.HalfFlat('x')
pm.MvNormal('x', np.zeros(2), COV, shape=2)
pm.MvNormal('x', np.zeros(2), tau=COV, shape=2)
pm.MvNormal('x', mu=np.zeros(2), chol=np.linalg.cholesky(COV), shape=2)
pm.MvNormal('x', mu=np.zeros(2), chol=np.linalg.cholesky(COV), shape=(3, 2))
pm.MvStudentT('x', 3, COV, np.zeros(2), shape=2)
pm.MvStudentT('x', nu=3, mu=np.zeros(2), cov=COV, shape=2)
pm.Dirichlet('x', a=np.array([1., 2., 3.]))
pm.Dirichlet('x', a=np.array([1., 2., 3.]), shape=3)
pm.MatrixNormal('x', mu=np.zeros((3, 2)), rowcov=np.eye(3) * 2, colcov=COV, shape=(3, 2))
pm.GaussianRandomWalk('x', sd=.5, shape=5)
pm.GaussianRandomWalk('x', 3., shape=5)
pm.GaussianRandomWalk('x', sigma=.5, mu=.1, init=pm.Normal.dist(0, 2), shape=5)
pm.GaussianRandomWalk('x', sigma=.5, shape=(3, 2))
pm.GaussianRandomWalk('x', mu=.1, tau=pm.HalfNormal('t', 1), init=pm.Normal.dist(0, 2), shape=(4, 3))
pm.AR('x', rho=[.5, .2], sd=2., shape=6)
pm.AR('x', rho=np.array([.1, .5]), tau=2., constant=True, init=pm.Normal.dist(0, 1), shape=6)
pm.AR1('x', k=.5, tau_e=2., shape=5)
pm.MvGaussianRandomWalk('x', mu=np.zeros(2), cov=COV, shape=(4, 2))
pm.MvGaussianRandomWalk('x', mu=np.zeros(2), chol=np.linalg.cholesky(COV), shape=(4, 2))
pm.MvStudentTRandomWalk('x', nu=4, mu=np.zeros(2), cov=COV, shape=(4, 2))
pm.Potential('x', pm.math.log1mexp(pm.HalfNormal('a', 1, shape=3)).sum())
pm.gp.TP(cov_func=pm.gp.cov.Matern32(1, .5), nu=3).prior('x', X=np.linspace(0, 1, 4)[:, None])
pm.gp.TP(cov_func=pm.gp.cov.Matern32(1, .5), nu=3).prior('x', X=np.linspace(0, 1, 4)[:, None], reparameterize=False)
pm.gp.Latent(pm.gp.mean.Constant(.1), pm.gp.cov.Exponential(1, .5)).prior('x', REALS[:, None], False, shape=4)
pm.gp.Latent(cov_func=pm.gp.cov.Constant(2.) + pm.gp.cov.Matern32(1, .5)).prior('x', X=REALS[:, None], shape=4, testval=UNIT)
pm.gp.LatentKron(pm.gp.mean.Zero(), [pm.gp.cov.ExpQuad(1, .5), pm.gp.cov.Periodic(1, .9, .7)]).prior('x', [REALS[:, None], ROWS[:, :1]])
pm.LKJCorr('x', eta=1.0, n=2)
pm.LKJCorr('x', eta=2.5, n=3)
pm.LKJCorr('x', n=3.5, p=2)
pm.LKJCorr('x', eta=2.5, n=3, observed=np.array([0.1, -0.3, 0.4]))
Steeper('x', 1.0, shape=3)
Steeper('x', 1.0, observed=REALS)
Shifted('x', 2.0, offset=-1.0)
pm.Bound(Shifted, lower=0.25)('x', lam=2.0, offset=-1.0, shape=2)
InSteps('x', [0.5, 0.2, 0.3], observed=np.array([0, 2, 1]))
Wider('x', lower=-1.0, upper=2.0)
pm.LKJCholeskyCov('x', n=2, eta=2., sd_dist=pm.HalfCauchy.dist(2.5))
pm.LKJCholeskyCov('x', n=3, eta=2., sd_dist=pm.Exponential.dist(1.), compute_corr=True)
pm.Bound(pm.Normal, lower=0)('x', mu=1, sd=2)
pm.Bound(pm.Normal, lower=0., upper=3)('x', mu=1, sd=2, shape=2)
pm.Bound(pm.Normal, lower=-1., upper=np.inf)('x', mu=0, sd=1)
pm.Bound(pm.Normal, lower=-np.inf, upper=np.inf)('x', mu=0, sd=1)
pm.Bound(pm.StudentT, upper=3)('x', nu=4, mu=1, sd=2)
pm.Bound(pm.Exponential, upper=3)('x', 2.)
pm.Bound(pm.Normal, lower=np.array([0., 1.]))('x', mu=1, sd=2, shape=2)
pm.Bound(pm.Normal, upper=1 - pm.Normal('a', 0, 1, shape=3))('x', 0, sd=2, shape=3)
pm.Bound(pm.StudentT, lower=pm.Normal('a', 0, 1), upper=pm.HalfNormal('b', 1) + 4)('x', nu=4, mu=1, sd=2)
pm.NormalMixture('x', w=np.array([.2, .8]), mu=np.array([0., 2.]), sd=np.array([1., .5]))
pm.NormalMixture('x', w=np.array([.2, .8]), mu=np.array([0., 2.]), tau=2.)
pm.Mixture('x', w=np.array([.2, .8]), comp_dists=pm.Normal.dist(np.array([0., 2.]), sd=2., shape=2))
pm.Mixture('x', w=np.array([.2, .8]), comp_dists=[pm.Normal.dist(0, sd=2.), pm.StudentT.dist(nu=3, mu=1., sd=1.)])
pm.DensityDist('x', lambda v: -tt.sqr(v - 1), testval=.5)
pm.DensityDist('x', lambda v: -abs(v), shape=3)
pm.Normal('x', pm.HalfNormal('s', sd=3), 1.)
pm.Normal('x', 0, sd=pm.HalfNormal('s', sd=3), shape=4)
pm.Normal('x', 0, 1, shape=3, transform=pm.distributions.transforms.ordered, testval=[-1, 0, 1.])
pm.Normal('x', 0, 1, transform=pm.distributions.transforms.log, testval=1.)
pm.Uniform('x', -9, 9, transform=None, testval=.3)
"""
"""Models of free variables: compared at points of the space that is sampled, so that transforms and their Jacobians count."""

OBSERVED = """
pm.Normal('y', pm.Normal('x', 0, 1, shape=(1, 4)), 1, observed=REALS)
pm.Poisson('y', tt.exp(pm.Normal('x', 0, 1, shape=(4, 1))), observed=COUNTS)
pm.Normal('y', pm.Normal('x', 0, 1), np.array([[1.], [2.]]), observed=REALS)
pm.Normal('y', pm.Normal('x', 0, 1, shape=4), 1, observed=REALS[:, None])
pm.Normal('y', pm.Normal('x', 0, 1, shape=4), 1, observed=REALS[:1])
pm.Bernoulli('y', pm.invlogit(pm.Normal('x', -50, 1)), observed=np.array([0, 1, 1]))
pm.Normal('x', 1, sd=2, observed=REALS)
pm.Normal('x', 1, sd=2, observed=REALS, total_size=100)
pm.Normal('x', 0, tau=np.array([1., 2, 3, 4]), observed=REALS)
pm.Poisson('x', 2, observed=COUNTS)
pm.Binomial('x', 5, .3, observed=COUNTS)
pm.Binomial('x', n=5, p=.3, observed=COUNTS)
pm.BetaBinomial('x', 2, 3, 5, observed=COUNTS)
pm.BetaBinomial('x', alpha=2, beta=3, n=5, observed=COUNTS)
pm.Bernoulli('x', .3, observed=np.array([0, 1, 1]))
pm.Bernoulli('x', logit_p=.3, observed=np.array([0, 1, 1]))
pm.Geometric('x', .3, observed=COUNTS + 1)
pm.NegativeBinomial('x', 2, 3, observed=COUNTS)
pm.NegativeBinomial('x', n=2, p=.3, observed=COUNTS)
pm.DiscreteUniform('x', 0, 9, observed=COUNTS)
pm.DiscreteWeibull('x', .5, 2, observed=COUNTS)
pm.HyperGeometric('x', 20, 8, 6, observed=COUNTS)
pm.Categorical('x', np.array([.1, .2, .3, .2, .2]), observed=COUNTS)
pm.Categorical('x', np.array([1., 2, 3, 2, 2]), observed=COUNTS)
pm.Constant('x', 2, observed=np.array([2, 2]))
pm.ZeroInflatedPoisson('x', .7, 2, observed=COUNTS)
pm.ZeroInflatedPoisson('x', psi=.7, theta=2, observed=COUNTS)
pm.ZeroInflatedBinomial('x', .7, 5, .3, observed=COUNTS)
pm.ZeroInflatedNegativeBinomial('x', .7, 2, 3, observed=COUNTS)
pm.OrderedLogistic('x', eta=.5, cutpoints=np.array([-1., 0, 1, 2]), observed=COUNTS)
pm.OrderedProbit('x', eta=.5, cutpoints=np.array([-1., 0, 1, 2]), observed=COUNTS)
pm.Multinomial('x', 6, np.array([.2, .3, .5]), observed=np.array([[1, 2, 3], [0, 2, 4]]))
pm.DirichletMultinomial('x', n=6, a=np.array([1., 2, 3]), shape=(2, 3), observed=np.array([[1, 2, 3], [0, 2, 4]]))
pm.MvNormal('x', mu=np.zeros(2), cov=COV, observed=ROWS)
pm.MvNormal('x', np.zeros(2), tau=COV, observed=ROWS)
pm.MvStudentT('x', nu=3, Sigma=COV, mu=np.zeros(2), observed=ROWS)
pm.Dirichlet('x', a=np.array([1., 2.]), observed=np.array([[.2, .8], [.5, .5]]))
pm.Wishart('x', nu=4, V=COV, observed=COV)
pm.Beta('x', 2, 3, observed=UNIT)
pm.Gamma('x', 2, 3, observed=POSITIVE)
pm.Pareto('x', alpha=2, m=.05, observed=POSITIVE)
pm.Exponential('x', 2, observed=POSITIVE)
pm.NormalMixture('x', w=np.array([.2, .8]), mu=np.array([0., 2.]), sd=np.array([1., .5]), observed=REALS)
pm.Mixture('x', w=[.2, .8], comp_dists=[pm.Normal('p', sd=2.).distribution, pm.Normal('q', 3).distribution], observed=REALS)
pm.Mixture('x', w=np.array([.2, .8]), comp_dists=[pm.Poisson.dist(1.), pm.Poisson.dist(4.)], observed=COUNTS)
pm.Mixture('x', w=np.array([.2, .8]), comp_dists=pm.Poisson.dist(np.array([1., 4.]), shape=2), observed=COUNTS)
pm.StudentT('x', nu=1e6, mu=0, sd=1, observed=REALS)
pm.StudentT('x', np.float32(1e6), observed=REALS)
pm.NegativeBinomial('x', 2, 1e6, observed=COUNTS)
pm.BetaBinomial('x', 1e6, 2e6, 5, observed=COUNTS)
pm.Mixture('x', w=np.array([.2, .8]), comp_dists=[pm.StudentT.dist(nu=1e6, mu=0, sd=1), pm.Normal.dist(0, 1)], observed=REALS)
pm.DensityDist('x', lambda v: -tt.sqr(v - 1), observed=REALS)
pm.DensityDist('x', lambda value, t: t - value, observed={'value': REALS, 't': 2.})
pm.GaussianRandomWalk('x', sd=.5, observed=REALS)
pm.AR1('x', .5, 2., observed=REALS)
pm.Normal('x', 0, sd=2, observed=REALS - pm.Normal('m', 0, 1))
pm.StudentT('x', 3, 0, sd=pm.HalfNormal('s'), observed=REALS - pm.Normal('m', 0, 1))
pm.GaussianRandomWalk('x', sd=.5, observed=ROWS)
EulerMaruyama('x', .1, lambda x, a: (a * x, .3), (-.5,), observed=REALS)
pm.DensityDist('x', lambda v: -tt.sqr(v - 1), observed=ROWS, total_size=30)
pm.DensityDist('x', lambda v: -tt.sqr(v - 1), observed=ROWS, total_size=[30, Ellipsis, 4])
pm.gp.MarginalSparse(cov_func=pm.gp.cov.ExpQuad(1, .5)).marginal_likelihood('x', REALS[:, None], ROWS[:2, :1], REALS, noise=.1)
pm.gp.MarginalSparse(cov_func=pm.gp.cov.ExpQuad(1, .5), approx='VFE').marginal_likelihood('x', REALS[:, None], ROWS[:2, :1], REALS, .1)
pm.gp.Marginal(pm.gp.mean.Constant(.1), pm.gp.cov.Exponential(1, .5)).marginal_likelihood('x', REALS[:, None], REALS, .1)
pm.gp.Marginal(cov_func=pm.gp.cov.Cosine(1, .7)).marginal_likelihood('x', REALS[:, None], REALS, noise=pm.gp.cov.WhiteNoise(.1))
pm.gp.Marginal(cov_func=pm.gp.cov.Coregion(1, W=COV, kappa=COV[0])).marginal_likelihood('x', np.array([[0], [1], [1], [0]]), REALS, .1)
part_of_a_sum(pm.gp.Marginal(cov_func=pm.gp.cov.ExpQuad(1, .5)), pm.gp.Marginal(cov_func=pm.gp.cov.Matern32(1, .5)))
"""
"""Models of data alone."""


class Between(BoundedContinuous):
    """A script's own distribution between 2 and 5."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, lower=2.0, upper=5.0, **kwargs)
        self.mean = tt.as_tensor_variable(3.0)

    def logp(self, value):
        """Its log-density."""
        return -value


class PlainRoot(ElemwiseTransform):
    """A script's own transform."""

    name = "root"

    def forward(self, x):
        """The sampled value."""
        return tt.sqrt(x)

    def forward_val(self, x, point=None):
        """The sampled value of a number."""
        return np.sqrt(x)

    def backward(self, z):
        """The value."""
        return tt.sqr(z)


class Root(PlainRoot):
    """The same, with its Jacobian."""

    def jacobian_det(self, z):
        """The logarithm of the derivative."""
        return tt.log(2 * abs(z))


class Steeper(pm.Normal):
    """A density of its own, with the parameters of the normal one."""

    def logp(self, value):
        """The log-density."""
        return -3 * abs(value - self.mu) * self.sigma


class Shifted(pm.Exponential):
    """The density of its base at another place."""

    def __init__(self, lam, offset=0.0, *args, **kwargs):
        super().__init__(lam, *args, **kwargs)
        self.offset = offset

    def logp(self, value):
        """The log-density."""
        return super().logp(value - self.offset)


class InSteps(pm.Categorical):
    """Another parameter than its base."""

    def __init__(self, steps, *args, **kwargs):
        super().__init__(tt.as_tensor_variable(steps)[::-1], *args, **kwargs)


class Wider(pm.Uniform):
    """Its base's bounds, and another density between them."""

    def logp(self, value):
        """The log-density."""
        return super().logp(value) + value


def part_of_a_sum(one, other):
    """The sum of two processes, observed, and what the first one contributes elsewhere."""
    both = one + other
    both.marginal_likelihood("x", REALS[:, None], REALS, 0.1)
    one.conditional("part", ROWS[:, :1], given={"X": REALS[:, None], "y": REALS, "noise": 0.1, "gp": both})


def at(name, shape, scale):
    """Fixed values for the sampled variable `name`, whatever the library calls its transform."""
    return scale * np.random.RandomState(zlib.crc32(name.partition("_")[0].encode()) % 1000).randn(*shape)


def densities(text):
    """The log-density of a model at three points."""
    with pm.Model() as model:
        pm.Normal("spare", 0, 1)
        eval(text)
    shapes = {name: np.shape(value) for name, value in model.test_point.items()}
    points = [{name: at(name, shape, scale) for name, shape in shapes.items()} for scale in (0.1, 0.4, 1.0)]
    return [float(model.logp(point)) for point in points]


def answers():
    """Model -> its numbers, or the error."""
    found = {}
    for text in (FREE + OBSERVED).strip().splitlines():
        if text.strip():
            try:
                found[text] = densities(text)
            except Exception as error:
                found[text] = f"{type(error).__name__}: {error}"
    return found


if __name__ == "__main__":
    print("ANSWERS " + json.dumps(answers()))

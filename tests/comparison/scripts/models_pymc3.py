"""Models of PyMC3, one a line of `models_pymc.py`; the names say what was changed there."""

import numpy as np
import pymc3 as pm
import theano
import theano.tensor as tt

y = np.array([28, 8, -3, 7, -1, 1, 18, 12.0])
counts = np.array([0, 1, 4, 2])
masked = np.ma.masked_values([1.0, -9.0, 0.5, 2.0], -9.0)
walk = np.array([0.1, 0.4, -0.2, 0.3])
v = tt.dvector("v")
squares, powers, steps = theano.function([v], v**2)(walk), theano.function([v], v**2)(walk), (tt.arange(4) * 1.5).eval()

with pm.Model() as same:
    mu = pm.Normal("mu", 0.0, sd=5.0)
    tau = pm.HalfCauchy("tau", beta=5.0, testval=2.0)
    eta = pm.Normal("eta", 0.0, sd=1.0, shape=8)
    theta = pm.Deterministic("theta", mu + tau * eta)
    pm.Normal("obs", mu=theta, sd=15.0, observed=y)
    pm.Potential("extra", -0.5 * mu**2)
with pm.Model() as same_transforms:
    u = pm.Uniform("u", -1.0, 4.0)
    p = pm.Beta("p", 2.0, 3.0)
    w = pm.Dirichlet("w", np.array([1.0, 2.0, 3.0]))
    b = pm.Bound(pm.Normal, lower=0.0)("b", mu=u, sd=2.0)
    o = pm.Normal("o", 0.0, 1.0, shape=3, transform=pm.distributions.transforms.ordered, testval=[-1.0, 0.0, 1.0])
    k = pm.Poisson("k", 3.0)
    c = pm.Categorical("c", np.array([0.2, 0.3, 0.5]))
    pm.Normal("m", u, sd=1.0, observed=masked)
with pm.Model() as lkj:
    chol = pm.LKJCholeskyCov("chol", n=2, eta=2.0, sd_dist=pm.Exponential.dist(1.0))
    pm.MvNormal("x", np.zeros(2), chol=pm.expand_packed_triangular(2, chol), observed=np.ones((3, 2)))
with pm.Model() as empty:
    pm.Normal("x", 0.0, 1.0)
with pm.Model() as tau_for_sigma:
    s = pm.Normal("s", 0.0, tau=4.0)
with pm.Model() as tau_for_sigma_of_data:
    s = pm.HalfNormal("s", sd=2.0)
    pm.Normal("d", 0.0, tau=s, observed=y)
with pm.Model() as bound_dropped:
    pm.Bound(pm.Normal, lower=0.0)("x", mu=1.0, sd=2.0)
with pm.Model() as bound_of_counts_dropped:
    pm.Bound(pm.Poisson, upper=7)("x", mu=2.0)
with pm.Model() as bound_moved:
    pm.Bound(pm.Normal, upper=3.0)("x", mu=1.0, sd=2.0)
with pm.Model() as bound_became_truncated:
    mu = pm.Normal("mu", 0.0, 1.0)
    pm.Bound(pm.Normal, lower=0.0)("x", mu=mu, sd=2.0)
with pm.Model() as default_of_sigma:
    pm.StudentT("x", nu=3.0, mu=0.0)
with pm.Model() as sd_swallowed:
    pm.Normal("x", 0.0, sd=10.0)
with pm.Model() as walk_begins_elsewhere:
    pm.GaussianRandomWalk("x", sd=0.5, observed=walk)
with pm.Model() as precision_by_position:
    pm.GaussianRandomWalk("x", 4.0, shape=4)
with pm.Model() as gamma_scale_for_rate:
    pm.Gamma("x", alpha=2.0, beta=3.0)
with pm.Model() as zero_inflation_turned:
    psi = pm.Beta("psi", 2.0, 2.0)
    pm.ZeroInflatedPoisson("z", psi, 2.0, observed=counts)
with pm.Model() as other_data:
    pm.Normal("d", pm.Normal("x", 0.0, 1.0), 1.0, observed=y)
with pm.Model() as data_missing:
    pm.Normal("d", pm.Normal("x", 0.0, 1.0), 1.0, observed=y)
with pm.Model() as lost_potential:
    x = pm.Normal("x", 0.0, 1.0)
    pm.Potential("extra", -tt.sqr(x))
with pm.Model() as lost_scale:
    pm.Normal("d", pm.Normal("x", 0.0, 1.0), 1.0, observed=y, total_size=80)
with pm.Model() as other_index:
    x = pm.Normal("x", 0.0, 1.0, shape=3)
    pm.Normal("d", x[np.array([0, 1, 2, 2])], 1.0, observed=walk)
with pm.Model() as other_expression:
    x = pm.Normal("x", 0.0, 1.0)
    pm.Deterministic("odds", tt.exp(x))
with pm.Model() as scalar_for_vector:
    pm.Normal("x", 0.0, 1.0, shape=2)
with pm.Model() as one_sigma_more:
    pm.HalfNormal("s", 1.0)
with pm.Model() as laplace_of_rate:
    pm.Exponential("x", 2.0)
with pm.Model() as upper_of_uniform:
    pm.Uniform("x", 0.0, 10.0)
with pm.Model() as order_dropped:
    pm.Normal("x", 0.0, 1.0, shape=3, transform=pm.distributions.transforms.ordered, testval=[-1.0, 0.0, 1.0])
with pm.Model() as covariance_for_precision:
    pm.MvNormal("x", np.zeros(2), tau=np.array([[2.0, 0.5], [0.5, 1.0]]), shape=2)
with pm.Model() as weights_in_another_order:
    pm.NormalMixture("x", w=np.array([0.2, 0.8]), mu=np.array([-1.0, 1.0]), sd=2.0)
with pm.Model() as mean_for_shape:
    pm.Gamma("x", mu=2.0, sd=3.0)
with pm.Model() as one_trial_less:
    pm.Binomial("d", n=9, p=pm.Beta("x", 1.0, 1.0), observed=counts)
with pm.Model() as intercept_dropped:
    pm.Normal("d", pm.Normal("x", 0.0, 1.0) + 1.0, 1.0, observed=walk)
with pm.Model() as branches_turned:
    x = pm.Normal("x", 0.5, 1.0)
    pm.Normal("d", tt.switch(np.arange(4) < 2, x, 0.0), 1.0, observed=walk)
with pm.Model() as first_datum_lost:
    pm.Normal("d", pm.Normal("x", 0.0, 1.0), 1.0, observed=walk)
with pm.Model() as precision_of_student:
    pm.StudentT("x", nu=3.0, mu=0.0, lam=4.0)
with pm.Model() as dispersion_for_mean:
    pm.NegativeBinomial("x", mu=2.0, alpha=5.0)
with pm.Model() as choice:
    which = pm.Categorical("which", np.array([0.3, 0.7]))
    x = pm.Normal("x", 0.0, 1.0, shape=2)
    pm.Normal("d", x[which], 1.0, observed=walk)
with pm.Model() as rounded_choice:
    which = tt.cast(tt.round(pm.Normal("which", 0.5, 0.4)), "int64")
    x = pm.Normal("x", 0.0, 1.0, shape=2)
    pm.Deterministic("chosen", x[which])
    pm.Normal("d", x[which], 1.0, observed=walk)
with pm.Model() as correlation:
    r = pm.Normal("r", 0.0, 1.0)
    pm.Potential("root", -tt.sum(tt.slinalg.cholesky(tt.stacklists([[tt.constant(1.0), r], [r, tt.constant(1.0)]])) ** 2))
with pm.Model() as computed:
    pm.Normal("d", pm.Normal("x", 0.0, 1.0) * squares + steps, 1.0, observed=walk)
with pm.Model() as computed_by_another_function:
    pm.Normal("d", pm.Normal("x", 0.0, 1.0) * powers, 1.0, observed=walk)
with pm.Model() as other_degrees:
    pm.StudentT("x", nu=3.0, mu=0.0, sd=2.0)
with pm.Model() as cauchy_became_normal:
    pm.HalfCauchy("s", beta=2.5)
with pm.Model() as half_student_of_other_degrees:
    pm.HalfStudentT("s", nu=3.0, sd=2.0)
with pm.Model() as other_link:
    pm.Bernoulli("d", p=pm.math.sigmoid(pm.Uniform("x", -2.0, 2.0) + walk), observed=counts % 2)
with pm.Model() as logits_for_probabilities:
    pm.Bernoulli("d", p=pm.Beta("x", 2.0, 2.0), observed=counts % 2)
with pm.Model() as truncated_became_censored:
    pm.TruncatedNormal("d", mu=pm.Uniform("x", -2.0, 2.0), sd=1.0, lower=-1.0, observed=walk)
with pm.Model() as size_for_mean:
    pm.NegativeBinomial("d", mu=pm.HalfNormal("m", 3.0), alpha=2.0, observed=counts)
with pm.Model() as other_tail:
    pm.Potential("above", pm.Normal.dist(pm.Uniform("x", -2.0, 2.0), 1.0).logcdf(0.5))
with pm.Model() as scale_for_rate:
    pm.Exponential("x", 2.0)
with pm.Model() as mean_for_first_shape:
    pm.Beta("x", mu=0.4, sd=0.1)
with pm.Model() as parameters_turned:
    pm.Wald("x", mu=1.0, lam=2.0)
with pm.Model() as precision_of_lognormal:
    pm.Lognormal("x", mu=0.0, tau=4.0)
with pm.Model() as sign_of_skewness:
    pm.SkewNormal("x", mu=0.0, sd=1.0, alpha=3.0)
with pm.Model() as weights_became_ones:
    pm.Dirichlet("x", np.array([1.0, 2.0, 3.0]))
with pm.Model() as factor_transposed:
    pm.MvNormal("x", np.zeros(2), chol=np.array([[2.0, 0.0], [0.5, 1.0]]), shape=2)
with pm.Model() as other_axis:
    x = pm.Normal("x", 0.0, 1.0)
    pm.Normal("d", tt.sum(tt.outer(tt.exp(x * walk), tt.constant(walk)), axis=0), 1.0, observed=walk)
with pm.Model() as standardised_otherwise:
    pm.Normal("d", pm.Normal("x", 0.0, 1.0) * (walk - walk.mean()) / walk.std(), 1.0, observed=walk)
with pm.Model() as level_cut:
    s = pm.HalfNormal("s", 1.0)
    x = pm.Normal("x", 0.0, sd=s)
with pm.Model() as one_scale_for_all:
    s = pm.HalfNormal("s", 1.0, shape=2)
    pm.Normal("d", 0.0, sd=s[np.array([0, 0, 1, 1])], observed=walk)
with pm.Model() as amplitude_not_squared:
    process = pm.gp.Marginal(cov_func=pm.HalfNormal("s", 1.0) ** 2 * pm.gp.cov.ExpQuad(1, 0.5))
    process.marginal_likelihood("d", X=np.arange(4.0)[:, None], y=walk, noise=0.5)

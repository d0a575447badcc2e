"""A latent Gaussian process under a Bernoulli likelihood, with the probabilities at each point."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(11)
x = np.sort(rng.uniform(0, 3, size=60))[:, None]
y = rng.binomial(1, 0.5 + 0.4 * np.sin(3 * x[:, 0]))

with pm.Model():
    ell = pm.InverseGamma("ell", 3, 2)
    eta = pm.Exponential("eta", 1)
    gp = pm.gp.Latent(cov_func=eta**2 * pm.gp.cov.ExpQuad(1, ell))
    f = gp.prior("f", X=x)
    p = pm.Deterministic("p", pm.math.invlogit(f))
    pm.Bernoulli("y", p=p, observed=y)
    idata = pm.sample(1500, tune=300, chains=2, cores=2, random_seed=11, progressbar=False, nuts={"max_treedepth": 4})

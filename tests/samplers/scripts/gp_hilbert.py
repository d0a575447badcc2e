"""A Gaussian process by its Hilbert space approximation."""

import numpy as np
import pymc as pm

rng = np.random.default_rng(1)

x = np.linspace(-1, 1, 1000)[:, None]
with pm.Model():
    ell = pm.InverseGamma("ell", 5, 1)
    gp = pm.gp.HSGP(m=[15], c=1.5, cov_func=pm.gp.cov.ExpQuad(1, ell))
    f = gp.prior("f", X=x)
    pm.Normal("y", f, pm.HalfNormal("s", 1), observed=rng.normal(size=1000))
    idata = pm.sample(3000, tune=300, chains=2, cores=2, random_seed=1, progressbar=False, nuts={"max_treedepth": 3})

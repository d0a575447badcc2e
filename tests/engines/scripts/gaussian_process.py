"""The log-likelihood of a Gaussian process and its gradient: a graph around decompositions."""

import numpy as np
import pytensor
import pytensor.tensor as pt

rng = np.random.default_rng(1)
places = pytensor.shared(rng.normal(size=(160, 3)).astype(pytensor.config.floatX), "places")
log_length, observed = pt.scalar("log_length"), pt.vector("observed")
distances = pt.sqr(places[:, None, :] - places[None, :, :]).sum(-1)
L = pt.linalg.cholesky(pt.exp(-0.5 * distances / pt.exp(2 * log_length)) + 1e-3 * pt.eye(160))
whitened = pt.linalg.solve_triangular(L, observed, lower=True)
logp = -0.5 * pt.sqr(whitened).sum() - pt.log(pt.diag(L)).sum()
f = pytensor.function([log_length, observed], [logp, *pt.grad(logp, [log_length, observed])], name="process")
f(np.asarray(0.3, pytensor.config.floatX), rng.normal(size=160).astype(pytensor.config.floatX))

"""Functions of many kinds for XLA's compiler; each is called once with the shapes that are compiled for."""

import numpy as np
import pytensor
import pytensor.tensor as pt

rng = np.random.default_rng(1)
F = pytensor.config.floatX


def array(*shape):
    """Numbers."""
    return rng.normal(size=shape).astype(F)


x, y, t = pt.matrix("x"), pt.vector("y"), pt.tensor3("t")
W1 = pytensor.shared(array(300, 200), "W1")
W2 = pytensor.shared(array(200, 10), "W2")
hidden = pt.tanh(x @ W1)
loss = pt.sqr(hidden @ W2).mean()
gradients = pt.grad(loss, [W1, W2])
train = pytensor.function([x], loss, updates=[(p, p - 0.1 * g) for p, g in zip((W1, W2), gradients)], name="train")
train(array(64, 300))
train(array(128, 300))

softmax = pytensor.function([x], pt.special.softmax(x @ W1, axis=1), name="softmax")
softmax(array(64, 300))

S = x @ x.T + 100 * pt.eye(x.shape[0])
cholesky = pytensor.function([x], pt.linalg.cholesky(S), name="cholesky")
cholesky(array(150, 40))
solve = pytensor.function([x, y], pt.linalg.solve(S, y), name="solve")
solve(array(100, 30), array(100))

ordered = pytensor.function([x], pt.sort(x, axis=0), name="ordered")
ordered(array(4000, 8))
places = pytensor.function([x], pt.argsort(x, axis=0), name="places")
places(array(4000, 8))

states = pytensor.scan(lambda s, c: pt.tanh(c @ s), sequences=t, outputs_info=pt.zeros_like(t[0]), return_updates=False)
loop = pytensor.function([t], states, name="loop")
loop(array(20, 32, 32))
back = pytensor.function([t], pt.grad(pt.sqr(pytensor.scan(
    lambda s, c: pt.tanh(c @ s), sequences=t, outputs_info=pt.ones_like(t[0]), return_updates=False)[-1]).sum(), t), name="back")  # fmt: skip
back(array(20, 32, 32))

scattered = pytensor.function([x, y], pt.set_subtensor(x[:, 0], y), name="scattered")
scattered(array(500, 60), array(500))
many = pytensor.function([x, y], pt.outer(y, y) + x.sum() + pt.log1p(pt.exp(x)).sum(), name="many")
many(array(90, 33), array(400))
distances = pytensor.function([x], pt.sqr(x[:, None, :] - x[None, :, :]).sum(-1), name="distances")
distances(array(120, 20))
joined = pytensor.function([x], pt.concatenate([pt.exp(x), pt.sin(x)], axis=1)[::-1], name="joined")
joined(array(700, 41))
statistics = pytensor.function([x], [x.mean(0), x.std(0), x.max(1), pt.cumsum(x, axis=0)], name="statistics")
statistics(array(700, 41))

state = pytensor.shared(np.random.default_rng(3), "state")
following, drawn = pt.random.normal(0, 1, size=(500, 30), rng=state).owner.outputs
noise = pytensor.function([], drawn, updates={state: following}, name="noise")
noise()
logp = -0.5 * pt.sqr((y - (x @ W1).sum(1)) / 2).sum()
energy = pytensor.function([x, y], [logp, pt.grad(logp, x)], name="energy")
energy(array(256, 300), array(256))

single = pt.fmatrix("single")
average = pytensor.shared(np.zeros(5000, "float32"), "average")
following = np.float32(0.9) * average + np.float32(0.1) * single.mean(axis=0)  # JAX sums a mean in float64, and it stays so
running = pytensor.function([single], pt.tanh(average).sum(), updates={average: following}, name="running")
running(np.ones((2, 5000), "float32"))
running(np.ones((2, 5000), "float32"))
average.set_value(np.zeros(5000, "float32"))
running(np.ones((2, 5000), "float32"))

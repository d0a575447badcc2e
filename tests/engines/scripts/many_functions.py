"""About a hundred functions of all kinds for XLA's compiler, with sizes drawn from the seed in THEANODIAG_SEED."""

import os

import numpy as np
import pytensor
import pytensor.tensor as pt

rng = np.random.default_rng(int(os.environ.get("THEANODIAG_SEED", "0")))
F = pytensor.config.floatX
x, y, v, w, t, index = pt.matrix("x"), pt.matrix("y"), pt.vector("v"), pt.vector("w"), pt.tensor3("t"), pt.lvector("index")


def array(*shape):
    """Numbers."""
    return rng.normal(size=shape).astype(F)


def length(low, high):
    """A length between two, small ones as often as large ones."""
    return int(round(np.exp(rng.uniform(np.log(low), np.log(high)))))


def call(name, arguments, results, *values, updates=()):
    """Compiles a function and calls it once."""
    pytensor.function(arguments, results, name=name, updates=list(updates), on_unused_input="ignore")(*values)


def gradients(of, to):
    """A value and its gradients."""
    return [of, *pt.grad(of, to)]


a, b, c = length(20, 3000), length(20, 800), length(4, 500)
X, U, V = array(a, b), array(a), array(b)
square = np.eye(length(10, 300)).astype(F) * 3
m = len(square)
centred = x - x.mean(0)
OF_A_MATRIX = {
    "plain": pt.exp(x) * 2 + 1, "sum_all": x.sum(), "sum0": x.sum(0), "sum1": x.sum(1), "mean_square": pt.sqr(centred).mean(),
    "std": x.std(1), "var0": x.var(0), "extremes": [x.max(0), x.min(1)], "logsumexp1": pt.logsumexp(x, axis=1),
    "logsumexp0": pt.logsumexp(x, axis=0), "softmax1": pt.special.softmax(x, axis=1), "softmax0": pt.special.softmax(x, axis=0),
    "log_softmax": pt.special.log_softmax(x, axis=1), "argmax": pt.argmax(x, axis=1), "product": pt.prod(x, axis=0),
    "norm": pt.sqrt(pt.sqr(x).sum()), "normalised": centred / (x.std(0) + 1e-6), "layer": x / (x.std(1, keepdims=True) + 1e-6),
    "twice": [pt.exp(x), pt.exp(x).sum(0)], "turned": pt.exp(x.T) + 1, "summed_up": pt.cumsum(x, axis=1),
    "where": pt.switch(x > 0, x, pt.expm1(x)), "clipped": pt.clip(x, -1, 1).sum(1), "set": pt.set_subtensor(x[:5], 0.0),
    "sliced": x[::2, 1:] * 2, "sorted": pt.sort(x, axis=1), "flipped": x[::-1] + 1, "flat": pt.exp(x.reshape((-1,)))[:7],
    "joined0": pt.concatenate([x, x * 2], axis=0), "joined1": pt.concatenate([pt.exp(x), x * 2], axis=1),
}  # fmt: skip
for name, results in OF_A_MATRIX.items():
    call(name, [x], results, X)
for name, results in {"cumsum": pt.cumsum(v), "dot": (v * v).sum(), "places": pt.argsort(v), "repeated": pt.repeat(v, 3)}.items():
    call(name, [v], results, array(length(1000, 10**5)))
call("with_vector", [x, v], pt.tanh(x * v) + pt.sin(x), X, V)
call("stacked", [v, w], pt.stack([v, w, v + w]), U, U)
call("diagonal", [v], pt.diag(v), array(m))
call("gammaln", [v], pt.gammaln(v).sum(), np.abs(U))

points = array(length(20, 300), length(2, 30))
differences = pt.sqr(x[:, None, :] - x[None, :, :]).sum(-1)
call("distances", [x], pt.sqrt(differences + 1e-6), points)
call("kernel", [x], pt.exp(-0.5 * differences), points)
call("outer_sum", [x, y], (x[:, None, :] * y[None, :, :]).sum(-1), array(length(20, 200), c), array(length(20, 200), c))

i, j, k = length(8, 2000), length(8, 1000), length(8, 1000)
for name, result, *values in (
    ("product_of_two", x @ y, array(i, j), array(j, k)), ("turned_product", x.T @ y, array(j, i), array(j, k)),
    ("einsum", pt.einsum("ij,jk->ik", x, y), array(i, j), array(j, k)),
):  # fmt: skip
    call(name, [x, y], result, *values)
for name, result, vector in (("times_vector", x @ v, array(j)), ("vector_times", v @ x, array(i)), ("logistic", pt.sigmoid(x @ v), array(j))):
    call(name, [x, v], result, array(i, j), vector)
call("gram", [x], x.T @ x, array(i, min(j, 300)))
call("inner", [v, w], v @ w, array(i * 10), array(i * 10))
call("outer", [v, w], pt.outer(v, w), array(i), array(k))
batch = array(length(2, 40), length(8, 200), length(8, 200))
call("batched", [t], pt.matmul(t, t.dimshuffle(0, 2, 1)), batch)
call("tensordot", [t, x], pt.tensordot(t, x, axes=[[2], [0]]), batch, array(batch.shape[2], length(8, 300)))


def network(name, sizes, rows, activation, step):
    """A training step and a prediction of layers."""
    weights = [pytensor.shared(array(*pair) * 0.1, f"W{n}") for n, pair in enumerate(zip(sizes, sizes[1:]))]
    biases = [pytensor.shared(array(n), "b") for n in sizes[1:]]
    found = x
    for n, (W, bias) in enumerate(zip(weights, biases)):
        found = found @ W + bias
        found = found if n == len(weights) - 1 else activation(found)
    loss = -pt.special.log_softmax(found, axis=1)[:, 0].mean() if sizes[-1] > 1 else pt.sqr(found).mean()
    parameters = weights + biases
    updates = [row for p, g in zip(parameters, pt.grad(loss, parameters)) for row in step(p, g)]
    call(name, [x], loss, array(rows, sizes[0]), updates=updates)
    call(f"{name}_predicts", [x], found, array(rows, sizes[0]))


def plain(p, g):
    """Gradient descent."""
    return [(p, p - 0.1 * g)]


def momentum(p, g):
    """Gradient descent with momentum."""
    m_ = pytensor.shared(np.zeros_like(p.get_value()), "m")
    return [(m_, 0.9 * m_ - 0.1 * g), (p, p + 0.9 * m_ - 0.1 * g)]


def adam(p, g):
    """Adam without its corrections."""
    m_, s_ = (pytensor.shared(np.zeros_like(p.get_value()), n) for n in "ms")
    new, scale = 0.9 * m_ + 0.1 * g, 0.99 * s_ + 0.01 * pt.sqr(g)
    return [(m_, new), (s_, scale), (p, p - 0.01 * new / (pt.sqrt(scale) + 1e-8))]


network("trained", (length(20, 800), length(20, 500), length(2, 30)), length(16, 512), pt.tanh, plain)
network("momentum", (length(20, 800), length(20, 500), length(20, 500), length(2, 30)), length(16, 512), lambda h: pt.maximum(h, 0), momentum)
network("adam", (length(20, 800), length(20, 500), 1), length(16, 512), pt.sigmoid, adam)

steps, width = length(5, 100), length(4, 100)
W = pytensor.shared(array(width, width) * 0.1, "W")
kept = {"sequences": t, "outputs_info": pt.zeros_like(t[0]), "return_updates": False}
states = pytensor.scan(lambda s, h: pt.tanh(s + h @ W), **kept)
sequence = array(steps, 16, width)
call("last_state", [t], states[-1], sequence)
call("all_states", [t], states, sequence)
call("through_time", [t], pt.grad(pt.sqr(states[-1]).sum(), W), sequence)
call("running_sum", [t], pytensor.scan(lambda s, h: h + s, **kept), sequence)

S = x @ x.T + 100 * pt.eye(x.shape[0])
factor = pt.linalg.cholesky(S)
normal = -pt.log(pt.diag(factor)).sum() - 0.5 * pt.sqr(pt.linalg.solve_triangular(factor, v, lower=True)).sum()
Q = pt.exp(-0.5 * differences / v[0]) + pt.eye(x.shape[0])
root = pt.linalg.cholesky(Q)
process = -pt.log(pt.diag(root)).sum() - 0.5 * pt.sqr(pt.linalg.solve_triangular(root, w, lower=True)).sum()
for name, result in {
    "cholesky": pt.linalg.cholesky(x), "inverse": pt.linalg.inv(x), "det": pt.linalg.det(x), "slogdet": pt.linalg.slogdet(x)[1],
    "eigh": pt.linalg.eigh(x)[0], "tril": pt.tril(x), "svd": pt.linalg.svd(x, compute_uv=False), "qr": pt.linalg.qr(x)[0],
}.items():  # fmt: skip
    call(name, [x], result, square)
call("solved", [x, v], pt.linalg.solve(x, v), square, array(m))
call("solved_matrix", [x, y], pt.linalg.solve(x, y), square, array(m, length(2, 50)))
call("triangular", [x, v], pt.linalg.solve_triangular(x, v, lower=True), square, array(m))
call("factor_of_product", [x], factor, array(m, length(5, 100)))
call("normal", [x, v], normal, array(m, length(5, 100)), array(m))
call("gaussian_process", [x, v, w], gradients(process, [v]), array(m, 3), np.ones(3, F), array(m))

K = rng.integers(0, a, size=length(50, 3000))
call("taken", [x, index], x[index], X, K)
call("taken_and_summed", [v, index], pt.exp(v[index]).sum(), U, K)
call("gradient_of_taken", [v, index], pt.grad(pt.exp(v[index]).sum(), v), U, K)
call("incremented", [x, index, y], pt.inc_subtensor(x[index], y), X, K, array(len(K), b))

mu, sigma = pt.vector("mu"), pt.scalar("sigma")
groups = rng.integers(0, 40, size=a)
hierarchy = (-0.5 * pt.sqr((pt.constant(U) - mu[groups]) / sigma) - pt.log(sigma)).sum()
call("hierarchy", [mu, sigma], gradients(hierarchy, [mu, sigma]), array(40), np.array(1.0, F))
mixed = pt.logsumexp(-0.5 * pt.sqr(pt.constant(U)[:, None] - mu[None, :]) + pt.log(pt.special.softmax(w)), axis=1).sum()
call("mixture", [mu, w], gradients(mixed, [mu, w]), array(5), array(5))
for name, data in (("of_constants", pt.constant(X)), ("of_shared", pytensor.shared(X, "X"))):
    eta = data @ v
    call(f"poisson_{name}", [v], gradients((eta - pt.exp(eta)).sum(), [v]), V)

for name, draw in {
    "normal": lambda **k: pt.random.normal(0, 1, **k), "uniform": lambda **k: pt.random.uniform(0, 1, **k),
    "gamma": lambda **k: pt.random.gamma(2.0, scale=1.0, **k), "categorical": lambda **k: pt.random.categorical(np.ones(4) / 4, **k),
    "bernoulli": lambda **k: pt.random.bernoulli(0.3, **k), "exponential": lambda **k: pt.random.exponential(2.0, **k),
    "laplace": lambda **k: pt.random.laplace(0, 1, **k), "beta": lambda **k: pt.random.beta(2.0, 3.0, **k),
    "poisson": lambda **k: pt.random.poisson(3.0, **k), "integers": lambda **k: pt.random.integers(0, 9, **k),
    "logistic": lambda **k: pt.random.logistic(0, 1, **k), "gumbel": lambda **k: pt.random.gumbel(0, 1, **k),
    "cauchy": lambda **k: pt.random.cauchy(0, 1, **k), "student": lambda **k: pt.random.t(3.0, 0, 1, **k),
}.items():  # fmt: skip
    state = pytensor.shared(np.random.default_rng(3), "state")
    try:
        following, drawn = draw(size=(length(10, 2000), length(2, 50)), rng=state).owner.outputs
        call(f"draws_{name}", [], drawn, updates=[(state, following)])
    except NotImplementedError:
        pass

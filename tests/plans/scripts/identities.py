"""Functions that make a large matrix and only multiply, sum or read it; each prints a few of the numbers that it computes."""

import numpy as np
import theano
import theano.tensor as T
import theano.tensor.slinalg

rng = np.random.RandomState(0)
N, D, M = 900, 20, 1300
X = theano.shared(rng.randn(N, D), "X")
Y = theano.shared(rng.randn(N, D), "Y")
w = T.dvector("w")
ids, jds = T.ivector("ids"), T.ivector("jds")
given = {"w": rng.rand(N), "ids": rng.permutation(N).astype("int32"), "jds": rng.randint(0, M, N).astype("int32")}


def run(name, out, updates=()):
    """Compiles a function of the three arguments and prints what it returns, and what it leaves in the parameters."""
    f = theano.function([w, ids, jds], out, updates=list(updates), name=name, on_unused_input="ignore")
    values = np.asarray(f(given["w"], given["ids"], given["jds"])).ravel()
    left = [p.get_value().sum() for p, _ in updates]
    print(name + " " + " ".join("%.9g" % v for v in [*values[:3], values.sum(), *left]))


def weighted(weights, rows):
    """Weighted normal equations."""
    return T.dot(rows.T.dot(T.diag(weights)), rows)


def step(cost, *params):
    """Gradient descent."""
    return [(p, p - 0.01 * g) for p, g in zip(params, T.grad(cost, list(params)))]


run("scaled_rows", T.dot(T.diag(w), X))
run("scaled_columns", weighted(w, X))
Dm = T.diag(T.sqrt(w))
run("scaled_vector", T.dot(Dm, Y[:, 0]))
K = T.dot(X, X.T)
L = T.dot(Y, Y.T)
run("chain_left", T.dot(K, w))
run("chain_right", T.dot(T.dot(w, K), K))
run("chain_turned", T.dot(T.dot(X, Y.T).T, w))
run("outer", T.dot(T.outer(w, w), Y[:, 1]))
run("trace", T.nlinalg.trace(T.dot(X, Y.T)))
run("trace_of_four", T.nlinalg.trace(T.dot(K, L)) / N)
run("diagonal", T.diag(T.dot(X, Y.T)))
run("sum", T.dot(X, Y.T).sum())
run("mean", T.mean(T.dot(X, Y.T)))
run("sum_of_rows", T.dot(X, Y.T).sum(axis=1))
run("mean_of_columns", T.dot(X, Y.T).mean(0))
run("squares", T.sqr(K).sum())
run("two_products", (K * L).sum())
U, V = theano.shared(rng.randn(N, D), "U"), theano.shared(rng.randn(M, D), "V")
rated = T.dot(U, V.T)
run("entries", rated[ids, jds])
error = ((w - T.dot(U, V.T)[ids, jds]) ** 2).mean()
run("factorisation", error, step(error, U, V))
shown = T.extra_ops.to_one_hot(jds, M)
run("rows", T.dot(shown, V))
compared = T.cast(T.eq(jds[:, None], T.arange(M)[None, :]), "float64")
run("rows_compared", T.dot(compared, V))
spread = (T.dot(U, U.T) ** 2).sum()
run("trained_squares", spread, step(spread, U))
p = theano.shared(rng.rand(N), "p")
energy = T.nnet.softplus(T.dot(X.T, p)).mean()
g = T.grad(energy, p)
H = theano.gradient.hessian(energy, p)
run("hessian", T.dot(H, w))
rows, _ = theano.scan(lambda i, g, p: T.grad(g[i], p), sequences=T.arange(p.shape[0]), non_sequences=[g, p])
run("hessian_by_hand", T.dot(w, T.dot(rows, w)))
y = T.tanh(T.dot(X, T.dot(Y.T, p)))
J = theano.gradient.jacobian(y, p)
run("jacobian", T.dot(J, w))
run("jacobian_turned", T.dot(w, J))
P, Q = theano.shared(rng.randn(30, 20), "P"), theano.shared(rng.randn(30, 45), "Q")
PQ = (P[:, None, :, None] * Q[None, :, None, :]).reshape((900, 900))
run("kronecker", T.dot(PQ, w))
misfit = T.sqr(T.dot(PQ, w) - w).sum()
run("trained_kronecker", misfit, step(misfit, P, Q))
entries = T.sqr(T.dot(theano.tensor.slinalg.kron(P, Q), w)).sum()
run("trained_kron", entries, step(entries, P, Q))
run("needed", [K.sum(), K.max()])

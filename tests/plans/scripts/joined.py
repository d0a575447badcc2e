"""Functions of rows: those of `JOINED` give for parts of the rows what can be joined, those of `MIXED` do not."""

import numpy as np
import theano
import theano.tensor as T
from theano.tensor.signal.pool import pool_2d

one = lambda *shape: theano.shared(np.ones(shape, "float32"))
X, S, I = T.fmatrix("X"), T.ftensor3("S"), T.ftensor4("I")
y, ids = T.ivector("y"), T.imatrix("ids")
W, b, U, E, F = one(20, 7), one(7), one(7, 7), one(50, 20), one(6, 3, 3, 3)
p = T.nnet.softmax(T.dot(X, W) + b)
nll = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
start = T.zeros((S.shape[1], 7), "float32")
states, _ = theano.scan(lambda x, h: T.tanh(T.dot(x, W) + T.dot(h, U)), sequences=S, outputs_info=start)
centred, _ = theano.scan(lambda x, h: T.tanh(T.dot(x, W) + T.dot(h, U) - h.mean(0)), sequences=S, outputs_info=start)
JOINED = {
    "probabilities": ([X], p),
    "loss": ([X, y], nll),
    "errors": ([X, y], T.mean(T.neq(p.argmax(1), y))),
    "loss_and_penalty": ([X, y], nll + 0.01 * (W**2).sum()),
    "sum_of_squares": ([X], T.sqr(X).sum()),
    "mean_square": ([X], T.mean((T.dot(X, W) - 1) ** 2)),
    "covariance": ([X], T.dot(X.T, X) / X.shape[0]),
    "last_state": ([S], states[-1]),
    "features": ([I], pool_2d(T.nnet.relu(T.nnet.conv2d(I, F)), (2, 2), ignore_border=True).flatten(2)),
    "words": ([ids], T.dot(E[ids].mean(1), W)),
    "unit_rows": ([X], X / T.sqrt((X**2).sum(1, keepdims=True))),
    "gradient": ([X, y], T.grad(nll, W)),
}
MIXED = {
    "kernel": ([X], T.exp(-T.dot(X, X.T))),
    "standardized": ([X], (X - X.mean(0)) / X.std(0)),
    "root_of_mean": ([X], T.sqrt(T.mean((T.dot(X, W) - 1) ** 2))),
    "nearest": ([X], T.argmax(T.dot(X, W), axis=0)),
    "log_of_sum": ([X], T.log(T.exp(X).sum())),
    "softmax_over_rows": ([X], T.nnet.softmax(X.T)),
    "sum_and_penalty": ([X], T.sqr(X).sum() + (W**2).sum()),
    "centred_states": ([S], centred[-1]),
}
UNKNOWN = {"inverse": ([X], T.nlinalg.matrix_inverse(T.dot(X.T, X))), "running": ([X], T.cumsum(X, 0)), "middle": ([X], X[X.shape[0] // 2])}
values = {X: (12, 20), S: (5, 12, 20), I: (12, 3, 9, 9), y: (12,), ids: (12, 4)}
for functions in (JOINED, MIXED, UNKNOWN):
    for name, (inputs, result) in functions.items():
        call = theano.function(inputs, result, name=name)
        call(*[np.zeros(values[v], v.dtype) for v in inputs])

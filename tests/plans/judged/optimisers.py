"""Two large layers, trained by one of several optimisers."""

import numpy as np
import theano
import theano.tensor as T

optimiser = "adam"
floatX = theano.config.floatX
x, y = T.matrix("x"), T.ivector("y")
W1, W2 = (theano.shared(np.zeros(s, floatX), name=n) for s, n in (((3000, 4000), "W1"), ((4000, 2000), "W2")))
cost = T.nnet.categorical_crossentropy(T.nnet.softmax(T.dot(T.tanh(T.dot(x, W1)), W2)), y).mean()
updates, lr = [], np.asarray(0.01, floatX)
for p, g in zip([W1, W2], T.grad(cost, [W1, W2])):
    kept = {"sgd": 0, "adam": 2, "adadelta": 2}.get(optimiser, 1)
    m, v = [theano.shared(np.zeros_like(p.get_value())) for _ in range(kept)] + [None] * (2 - kept)
    if optimiser == "sgd":
        updates += [(p, p - lr * g)]
    elif optimiser == "momentum":
        new = np.asarray(0.9, floatX) * m - lr * g
        updates += [(m, new), (p, p + np.asarray(0.9, floatX) * new - lr * g)]
    elif optimiser == "velocity":
        new = np.asarray(0.9, floatX) * m - lr * g
        updates += [(m, new), (p, p + new)]
    elif optimiser == "decay":
        new = np.asarray(0.9, floatX) * m - lr * (g + np.asarray(1e-4, floatX) * p)
        updates += [(m, new), (p, p + new)]
    elif optimiser == "adagrad":
        new = m + g**2
        updates += [(m, new), (p, p - lr * g / T.sqrt(new + lr))]
    elif optimiser == "rmsprop":
        new = np.asarray(0.9, floatX) * m + np.asarray(0.1, floatX) * g * g
        updates += [(m, new), (p, p - lr * g / T.sqrt(new + lr))]
    elif optimiser == "adam":
        new, square = (np.asarray(b, floatX) * s + np.asarray(1 - b, floatX) * d for b, s, d in ((0.9, m, g), (0.999, v, g**2)))
        updates += [(m, new), (v, square), (p, p - lr * new / (T.sqrt(square) + lr))]
    elif optimiser == "adadelta":
        new = np.asarray(0.9, floatX) * m + np.asarray(0.1, floatX) * g**2
        step = T.sqrt(v + lr) / T.sqrt(new + lr) * g
        updates += [(m, new), (v, np.asarray(0.9, floatX) * v + np.asarray(0.1, floatX) * step**2), (p, p - step)]
train = theano.function([x, y], cost, updates=updates, name="train")
for _ in range(2):
    train(np.zeros((64, 3000), floatX), np.zeros(64, "int32"))

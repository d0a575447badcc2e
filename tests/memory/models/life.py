"""What scripts do around functions: other shapes, borrowed values, results kept, copies, functions with defaults, old names."""

import numpy as np
import theano
import theano.tensor as T
from theano.ifelse import ifelse

rng = np.random.RandomState(0)
fx = theano.config.floatX
F = lambda *s: rng.uniform(-1, 1, s).astype(fx)
x, k, lr = T.matrix("x"), T.iscalar("k"), T.scalar("lr")
data, W, b = theano.shared(F(1000, 50), "data"), theano.shared(F(50, 20), "W"), theano.shared(F(20), "b")
count, scale = theano.shared(0, "count"), theano.shared(np.array(1, fx), "scale")
K = T.constant(F(50, 50), "K")
big = T.constant(F(20, 20))
y = T.nnet.sigmoid(T.dot(x, W) + b)
cost = ((y - T.dot(T.dot(x, K)[:, :20], big) - T.dot(y, big.T)) ** 2).mean()
gW, gb = T.grad(cost, [W, b])
train = theano.function([x, theano.In(lr, value=np.float32(0.1))], cost, updates=[(W, W - lr * gW), (b, b - lr * gb), (count, count + 1)])
window = theano.function([k], y, givens={x: data[k : k + 100]})
following = theano.function([], y.sum(), givens={x: data[count * 70 : count * 70 + 100]})
decide = theano.function([lr, x], ifelse(lr > 0.5, T.dot(T.dot(x, K), W), ifelse(lr > 0.2, T.dot(x, W) * 2, T.dot(x, W[:, ::-1]) - b)))
for n in (30, 30, 200, 10):
    train(F(n, 50))
train(F(30, 50), 0.05)
for start in (0, 900, 950, 990):
    window(start)
following(), following()
for value in (0.9, 0.3, 0.1, 0.9):
    decide(np.float32(value), F(40, 50))
kept = [window(0), window(100)]
data.set_value(F(3000, 50))
window(500)
data.set_value(F(100, 50), borrow=True)
window(0)
data.set_value(data.get_value(borrow=True, return_internal_type=True), borrow=True)
W.set_value(np.asfortranarray(W.get_value()))
train(F(30, 50))
del kept
shape = T.ivector("shape")
moved = theano.function([x, theano.In(k, value=2)], [x[:k], x.T, x.reshape((-1, 25)), T.zeros((k, 30)) + 1, x.repeat(2, 0)])
r = moved(F(20, 50))
r2 = moved(F(20, 50), 7)
del r
twin = train.copy(share_memory=True)
other = train.copy()
other(F(60, 50)), twin(F(60, 50)), train(F(60, 50))
swapped = window.copy(swap={data: theano.shared(F(400, 50))})
swapped(10)
window(0)

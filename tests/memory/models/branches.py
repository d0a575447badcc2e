"""IfElse on arguments and on a shared number, swapped shared variables, old values returned, and slices of a dataset."""

import numpy as np
import theano
import theano.tensor as T
from theano.ifelse import ifelse

rng = np.random.RandomState(0)
A, B = [theano.shared(rng.uniform(size=(200, 200)).astype("float32")) for _ in "AB"]
data = theano.shared(rng.uniform(size=(5000, 200)).astype("float32"))
flag, start, x = T.iscalar("flag"), T.lscalar("start"), T.fmatrix("x")

chosen = theano.function([flag, x], ifelse(T.eq(flag, 1), T.dot(T.dot(x, A), B), x * 2).sum())
swap = theano.function([], [], updates=[(A, B), (B, A)])
old = theano.function([], A + 1, updates=[(A, T.dot(A, B))])
batch = theano.function([start], T.dot(x, A).mean(axis=0), givens={x: data[start : start + 500]})
z, use = T.fscalar("z"), theano.shared(np.array(1, "float32"))
scaled = theano.function([z], updates=[(A, ifelse(T.gt(z, 1), T.dot(A, B), B * z))])
noisy = theano.function([x], ifelse(T.gt(use, 0.5), T.dot(T.dot(x, A), B), x * 2).sum())

for value in (1, 0, 1):
    chosen(value, rng.uniform(size=(300, 200)).astype("float32"))
for _ in range(2):
    swap()
    old()
for begin in (0, 500, 4500):
    batch(begin)
data.set_value(rng.uniform(size=(3000, 200)).astype("float32"))
batch(1000)
for value in (2.0, 0.0):
    scaled(np.float32(value))
    use.set_value(np.array(value, "float32"))
    noisy(rng.uniform(size=(300, 200)).astype("float32"))

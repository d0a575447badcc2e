"""Functions with fixed lengths, as JAX needs them; each tests something that decides what XLA counts."""

import numpy
import pytensor
import pytensor.tensor as pt

floatX = pytensor.config.floatX
rng = numpy.random.default_rng(1)


def value(*shape):
    return rng.normal(size=shape).astype(floatX)


def shared(name, *shape):
    return pytensor.shared(value(*shape), name=name)


x = pt.tensor("x", dtype=floatX, shape=(64, 300))
y = pt.tensor("y", dtype="int64", shape=(64,))
W1, b1, W2, b2 = shared("W1", 300, 200), shared("b1", 200), shared("W2", 200, 10), shared("b2", 10)
hidden = pt.tanh(x @ W1 + b1)
p = pt.special.softmax(hidden @ W2 + b2, axis=-1)
cost = -pt.log(p[pt.arange(64), y]).mean()
params = [W1, b1, W2, b2]
updates = [(w, w - 0.01 * g) for w, g in zip(params, pytensor.grad(cost, params))]
train = pytensor.function([x, y], cost, updates=updates, name="train")
for _ in range(2):
    train(value(64, 300), rng.integers(0, 10, 64))

two = pytensor.function([x], [hidden, x.sum(axis=0)], name="two_results")
two(value(64, 300))

z = pt.tensor("z", dtype=floatX, shape=(7, 5))
length = pytensor.function([x, z], z * z.shape[0] + x.shape[1], name="only_its_shape")
length(value(64, 300), value(7, 5))

table = pt.constant(value(500, 40))
looked_up = pytensor.function([y], table[y], name="constant_table")
looked_up(rng.integers(0, 10, 64))

twice = pytensor.function([z], [z + 1, z + 1], name="same_result_twice")
twice(value(7, 5))

through = pytensor.function([z], [z, z.T], name="argument_as_result")
through(value(7, 5))

state = shared("state", 400, 400)
power = pytensor.function([], [], updates=[(state, state @ state)], name="no_arguments")
power()

generator = pytensor.shared(numpy.random.default_rng(3), name="generator")
after, noise = pt.random.normal(0, 1, size=(20, 30), rng=generator).owner.outputs
noisy = pytensor.function([z], [z, noise], updates=[(generator, after)], name="noise")
noisy(value(7, 5))
same_noise = pytensor.function([], noise, name="same_noise")
same_noise()

sequence = pt.tensor("sequence", dtype=floatX, shape=(50, 8))
steps = pytensor.scan(lambda a, h: pt.tanh(a + h), sequences=[sequence], outputs_info=[pt.zeros(8, dtype=floatX)], return_updates=False)
loop = pytensor.function([sequence], steps, name="loop")
loop(value(50, 8))

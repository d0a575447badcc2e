"""The gradient of a recurrence over 144 steps: as it is, cut off after 12 steps, with checkpoints; and the last state of others."""

import numpy as np
import theano
import theano.tensor as T
from theano.scan_module.scan_checkpoints import scan_checkpoints

H, BATCH, STEPS = 64, 32, 144
W = theano.shared(np.zeros((H, H), "float32"), "W")
P = theano.shared(np.zeros((8, H), "float32"), "P")
s0 = T.fmatrix("s0")
x = T.ftensor3("x")


def step(h, W):
    return T.tanh(T.dot(h, W))


def fed(x_t, h, W):
    return T.tanh(x_t + T.dot(h, W))


def projecting(x_t, h, W, P):
    return T.tanh(T.dot(x_t, P) + T.dot(h, W))


def ending(h, W):
    new = step(h, W)
    return new, theano.scan_module.until(T.all(new > 9))


def waiting(h, W):
    return T.switch(T.all(h > 9), h, step(h, W))


def trained(name, last):
    cost = T.sqr(last).mean()
    arguments = [s0] if name != "fed" and "seq" not in name else [s0, x]
    return theano.function(arguments, cost, updates=[(W, W - np.float32(0.1) * T.grad(cost, W))], name=name)


def scanned(**options):
    return theano.scan(step, outputs_info=[s0], non_sequences=[W], n_steps=STEPS, **options)[0][-1]


projected = theano.scan(fed, sequences=[T.dot(x, P)], outputs_info=[s0], non_sequences=[W])[0][-1]
in_steps = theano.scan(projecting, sequences=[x], outputs_info=[s0], non_sequences=[W, P])[0][-1]
functions = [
    trained("whole", scanned()),
    trained("every step", theano.scan(step, outputs_info=[s0], non_sequences=[W], n_steps=STEPS)[0]),
    trained("cut off", scanned(truncate_gradient=12)),
    trained("checkpoints", scan_checkpoints(step, outputs_info=[s0], non_sequences=[W], n_steps=STEPS, save_every_N=12)[0][-1]),
    trained("seq whole", theano.scan(fed, sequences=[x], outputs_info=[s0], non_sequences=[W])[0][-1]),
    trained("seq cut off", theano.scan(fed, sequences=[x], outputs_info=[s0], non_sequences=[W], truncate_gradient=12)[0][-1]),
    theano.function([s0], scanned(), name="last, unoptimised", mode="FAST_COMPILE"),
    theano.function([s0], scanned(), name="last"),
    theano.function([s0], theano.scan(ending, outputs_info=[s0], non_sequences=[W], n_steps=STEPS)[0][-1], name="until"),
    theano.function([s0], theano.scan(waiting, outputs_info=[s0], non_sequences=[W], n_steps=STEPS)[0][-1], name="waiting"),
    theano.function([s0, x], projected, name="narrow projected"),
    theano.function([s0, x], in_steps, name="narrow in steps"),
]
for f in functions:
    arguments = [np.zeros((BATCH, H), "float32")]
    if "seq" in f.name:
        arguments.append(np.zeros((STEPS, BATCH, H), "float32"))
    if "narrow" in f.name:
        arguments.append(np.zeros((STEPS, BATCH, 8), "float32"))
    f(*arguments)

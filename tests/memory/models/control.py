"""Reinforcement and search: a DQN with a target net, REINFORCE, evolution strategies, one flat vector of parameters with line search."""

import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng, srng = np.random.RandomState(0), MRG_RandomStreams(2)
fx = theano.config.floatX
S = lambda *s: theano.shared((0.1 * rng.normal(size=s)).astype(fx))
s, s2, r, done, a = T.matrix("s"), T.matrix("s2"), T.vector("r"), T.vector("done"), T.ivector("a")
sizes = [(12, 320), (320,), (320, 4), (4,)]
online, target = [S(*z) for z in sizes], [S(*z) for z in sizes]
q = lambda v, p: T.dot(T.nnet.relu(T.dot(v, p[0]) + p[1]), p[2]) + p[3]


def rmsprop(cost, params, rate=0.01, rho=0.9):
    out = []
    for p, g in zip(params, T.grad(cost, params)):
        acc = theano.shared(np.zeros_like(p.get_value()))
        new = rho * acc + (1 - rho) * T.sqr(g)
        out += [(acc, new), (p, p - rate * g / T.sqrt(new + 1e-6))]
    return out


# DQN, its replay memory on the device
memory, rewards = theano.shared(rng.normal(size=(50000, 12)).astype(fx)), theano.shared(rng.normal(size=50000).astype(fx))
acts, ends = theano.shared(rng.randint(0, 4, 50000).astype("int32")), theano.shared(np.zeros(50000, fx))
rows = T.lvector("rows")
best = (q(s, online) * T.eq(T.arange(4).dimshuffle("x", 0), a.dimshuffle(0, "x"))).sum(axis=1)
goal = r + 0.9 * (1 - done) * q(s2, target).max(axis=1)
diff = theano.gradient.disconnected_grad(goal) - best
huber = T.switch(abs(diff) < 1, 0.5 * T.sqr(diff), abs(diff) - 0.5).mean()
learn = theano.function(
    [rows],
    huber,
    updates=rmsprop(huber, online),
    givens={s: memory[rows], s2: memory[rows + 1], r: rewards[rows], done: ends[rows], a: acts[rows]},
)
copy = theano.function([], [], updates=list(zip(target, online)))
soft = theano.function([], [], updates=[(t, 0.99 * t + 0.01 * o) for t, o in zip(target, online)])
act = theano.function([s], T.argmax(q(s, online), axis=1))

# REINFORCE
policy, value = [S(*z) for z in sizes], [S(12, 16), S(16), S(16, 1), S(1)]
probs = T.nnet.softmax(q(s, policy))
draw = theano.function([s], srng.multinomial(pvals=probs, dtype=fx))
base = q(s, value).flatten()
chosen = T.log(probs)[T.arange(a.shape[0]), a]
gain = -(chosen * theano.gradient.disconnected_grad(r - base)).mean() - 0.01 * -(probs * T.log(probs + 1e-6)).sum(1).mean()
fit = T.sqr(r - base).mean()
improve = theano.function([s, a, r], [gain, fit], updates=rmsprop(gain, policy) + rmsprop(fit, value))
discount = theano.function(
    [r, done],
    theano.scan(lambda r, d, acc: r + 0.9 * acc * (1 - d), sequences=[r, done], outputs_info=[np.float32(0)], go_backwards=True)[0][::-1],
)

# evolution strategies
genes = S(20000)
noise = srng.normal((16, 20000), dtype=fx)
children = genes + 0.1 * T.concatenate([noise, -noise], axis=0)
fitness = -T.sqr(children - 1).sum(axis=1)
rank = (fitness - fitness.mean()) / (fitness.std() + 1e-6)
evolve = theano.function([], fitness.max(), updates=[(genes, genes + 0.01 * T.dot(rank[:16] - rank[16:], noise))])

# one vector of parameters
flat = S(sum(int(np.prod(z)) for z in sizes))
parts, start = [], 0
for z in sizes:
    n = int(np.prod(z))
    parts.append(flat[start : start + n].reshape(z))
    start += n
y = T.matrix("y")
cost = T.sqr(q(s, parts) - y).mean() + 1e-3 * T.sqr(flat).sum()
grad = T.grad(cost, flat)
vg = theano.function([s, y], [cost, grad])
v = T.vector("v")
hv = theano.function([s, y, v], T.Rop(grad, flat, v))
step = T.scalar("step")
history, place = theano.shared(np.zeros((5, flat.get_value().size), fx)), theano.shared(np.array(0))
move = theano.function(
    [v, step], [], updates=[(flat, flat + step * v), (history, T.set_subtensor(history[place % 5], v)), (place, place + 1)]
)

F = lambda *z: rng.normal(size=z).astype(fx)
for n in (256, 256, 300):
    learn(rng.randint(0, 49999, n)), soft(), act(F(n, 12)), draw(F(n, 12))
    improve(F(n, 12), rng.randint(0, 4, n).astype("int32"), F(n)), discount(F(n), np.zeros(n, fx)), evolve()
    c, g = vg(F(n, 12), F(n, 4))
    hv(F(n, 12), F(n, 4), g), move(-g, 0.1)
copy()
flat.set_value(flat.get_value() * 0)
vg(F(8, 12), F(8, 4))

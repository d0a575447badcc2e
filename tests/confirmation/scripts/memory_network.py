"""An end-to-end memory network: sentences as bags of words with positions, three hops over the memory, noise on clipped gradients."""
import numpy as np
import theano
import theano.tensor as T
from theano.sandbox.rng_mrg import MRG_RandomStreams

rng, srng = np.random.RandomState(5), MRG_RandomStreams(8)
WORDS, WIDTH, HOPS, LONGEST, SLOTS = 120, 24, 3, 9, 15


def table(*shape):
    return theano.shared((rng.randn(*shape) * 0.1).astype("float32"))


A, B, C, W = table(WORDS, WIDTH), table(WORDS, WIDTH), table(WORDS, WIDTH), table(WIDTH, WORDS)
TA, TC, H = table(SLOTS, WIDTH), table(SLOTS, WIDTH), table(WIDTH, WIDTH)
params = [A, B, C, W, TA, TC, H]
j, k = np.arange(1, LONGEST + 1)[:, None] / LONGEST, np.arange(1, WIDTH + 1)[None, :] / WIDTH
position = theano.shared((1 - j - k * (1 - 2 * j)).astype("float32"), name="position")

story, question, answer, rate = T.itensor3("story"), T.imatrix("question"), T.ivector("answer"), T.scalar("rate", dtype="float32")


def sentences(words, embedding):
    vectors = embedding[words.flatten()].reshape((words.shape[0], words.shape[1], LONGEST, WIDTH))
    present = T.neq(words, 0).astype("float32").dimshuffle(0, 1, 2, "x")
    return (vectors * present * position).sum(axis=2)


keys = sentences(story, A) + TA[: story.shape[1]].dimshuffle("x", 0, 1)
contents = sentences(story, C) + TC[: story.shape[1]].dimshuffle("x", 0, 1)
state = sentences(question.dimshuffle(0, "x", 1), B)[:, 0]
weights = []
for _ in range(HOPS):
    p = T.nnet.softmax(T.batched_dot(keys, state.dimshuffle(0, 1, "x")).flatten(2))
    weights.append(p)
    state = T.dot(state, H) + T.batched_dot(p.dimshuffle(0, "x", 1), contents)[:, 0]
probabilities = T.nnet.softmax(T.dot(state, W))
cost = T.nnet.categorical_crossentropy(probabilities, answer).sum()
grads = T.grad(cost, params)
norm = T.sqrt(sum(T.sqr(g).sum() for g in grads))
grads = [g * np.float32(40) / T.maximum(norm, np.float32(40)) for g in grads]
noisy = [g + srng.normal(p.shape, std=0.01, dtype="float32") for p, g in zip(params, grads)]
updates = [(p, p - rate * g) for p, g in zip(params, noisy)]
updates[0] = (A, T.set_subtensor(updates[0][1][0], np.float32(0)))
train = theano.function([story, question, answer, rate], [cost, norm], updates=updates, name="train")
look = theano.function([story, question], [T.argmax(probabilities, axis=1)] + weights, name="look")

for n, slots in ((32, 15), (32, 8), (5, 11)):
    words = rng.randint(0, WORDS, (n, slots, LONGEST)).astype("int32")
    asked = rng.randint(0, WORDS, (n, LONGEST)).astype("int32")
    train(words, asked, rng.randint(0, WORDS, n).astype("int32"), 0.01)
    look(words[:2], asked[:2])

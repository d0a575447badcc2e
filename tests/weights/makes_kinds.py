# ruff: noqa: UP004, UP032 (CPython 2.7 runs it too)
"""Makes files of weights of one small net, by Theano itself: FOLDER."""

import io
import sys
import tarfile

import numpy
import theano
import theano.tensor as T
from theano.misc import pkl_utils

try:
    import cPickle as pickle
except ImportError:
    import pickle
FOLDER = sys.argv[1]
rng = numpy.random.RandomState(1)
VALUES = {"W": rng.normal(size=(3, 4)).astype("float32"), "b": rng.normal(size=4), "u": numpy.arange(3.0), "plain": rng.normal(size=2)}


class Net(object):
    """A net or a layer of one."""


def net():
    """Two named shared variables in a layer and in a list, one without a name, an array, and the graph over them."""
    made = Net()
    made.layers = [Net()]
    made.layers[0].W = theano.shared(VALUES["W"], name="W")
    made.layers[0].b = theano.shared(VALUES["b"], name="b")
    made.x = T.fmatrix("x")
    made.y = T.tanh(T.dot(made.x, made.layers[0].W) + made.layers[0].b)
    made.params = [made.layers[0].W, made.layers[0].b, theano.shared(VALUES["u"])]
    made.plain = VALUES["plain"]
    return made


def persistent(thing):
    """As Blocks names the arrays of its `_parameters`."""
    return {id(value): "#theano_parameter.{}".format(name) for name, value in STORED.items()}.get(id(thing))


def add(tar, name, data):
    """A file in a tar archive."""
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    tar.addfile(entry, io.BytesIO(data))


numpy.savez(FOLDER + "/expected.npz", **VALUES)
for protocol in (0, 1, 2):
    with open("{}/net{}.pkl".format(FOLDER, protocol), "wb") as file:
        pickle.dump(net(), file, protocol)
    with open("{}/dump{}.zip".format(FOLDER, protocol), "wb") as file:
        pkl_utils.dump(net(), file, protocol=protocol)
with open(FOLDER + "/arrays.zip", "wb") as file:
    pkl_utils.dump(net(), file, persistent_id=pkl_utils.PersistentNdarrayID)
model = net()
held = [p.container.storage[0] for p in model.params]
STORED = {"|mlp|linear_0.W": held[0], "|mlp|linear_0.b": held[1]}
archive, pickled = io.BytesIO(), io.BytesIO()
numpy.savez(archive, **STORED)
pickler = getattr(pickle, "_Pickler", None)
pickler = (pickler or __import__("pickle").Pickler)(pickled, 2)
pickler.persistent_id = persistent
pickler.dump(model)
with tarfile.open(FOLDER + "/blocks.tar", "w") as tar:
    add(tar, "_parameters", archive.getvalue())
    add(tar, "_pkl", pickled.getvalue())

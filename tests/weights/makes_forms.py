# ruff: noqa: UP004, UP032 (CPython 2.7 runs it too)
"""Makes files of weights as Keras 2.3.1, Lasagne 0.1, the Deep Learning Tutorials and numpy write them: FOLDER, and the forms' library."""

import gzip
import json
import pickle
import sys

import numpy

try:
    import cPickle as pickle
except ImportError:
    pass
FOLDER, LIBRARY = sys.argv[1:]
NAMES = []


def save(name, arrays, write):
    """One form: `write` takes the open file, or its path for what ends on h5; beside it the arrays that it holds."""
    path = "{}/{}".format(FOLDER, name)
    if name.endswith(".h5"):
        write(path)
    else:
        with (gzip.open if name.endswith("gz") else open)(path, "wb") as file:
            write(file)
    numpy.savez("{}.expected.npz".format(path), *arrays)
    NAMES.append(name)


def keras_forms():
    """A dense, a convolutional and a recurrent model."""
    from keras.layers import GRU, LSTM, BatchNormalization, Conv2D, Dense, Embedding, Flatten
    from keras.models import Sequential

    dense = Sequential([Dense(5, input_dim=3, activation="relu"), Dense(2)])
    conv = Sequential([Conv2D(2, (3, 3), input_shape=(6, 6, 1)), BatchNormalization(), Flatten(), Dense(2)])
    recurrent = Sequential([Embedding(7, 3, input_length=4), GRU(3, return_sequences=True), LSTM(2)])
    dense.compile("sgd", "mse")
    for name, model in (("dense", dense), ("conv", conv), ("recurrent", recurrent)):
        arrays = model.get_weights()
        save("keras-{}-weights.h5".format(name), arrays, model.save_weights)
        save("keras-{}-list.pkl".format(name), arrays, lambda file, a=arrays: pickle.dump(a, file, 2))
        layers = {layer.name: layer.get_weights() for layer in model.layers}
        save("keras-{}-layers.pkl".format(name), arrays, lambda file, d=layers: pickle.dump(d, file))
        save("keras-{}.npz".format(name), arrays, lambda file, a=arrays: numpy.savez(file, *a))
    save("keras-model.h5", dense.get_weights(), lambda path: dense.save(path, include_optimizer=False))
    save("keras-model.pkl", dense.get_weights(), lambda file: pickle.dump(dense, file))


def lasagne_forms():
    """A network with a convolution."""
    from collections import OrderedDict

    from theanodiag.compat import install

    install()  # Lasagne 0.1 imports names that Theano 1.0 lost
    import theano
    from lasagne import layers

    net = layers.InputLayer((None, 1, 6, 6))
    net = layers.Conv2DLayer(net, 2, (3, 3))
    net = layers.DenseLayer(net, 3)
    values, params = layers.get_all_param_values(net), layers.get_all_params(net)
    save("lasagne.npz", values, lambda file: numpy.savez(file, *values))
    save("lasagne-values.pkl", values, lambda file: pickle.dump(values, file, 2))
    save("lasagne-values.pkl.gz", values, lambda file: pickle.dump(values, file, 2))
    save("lasagne-params.pkl", values, lambda file: pickle.dump(params, file))
    save("lasagne-named.pkl", values, lambda file: pickle.dump(OrderedDict(zip("abcd", values)), file, 0))
    save("lasagne-network.pkl", values, lambda file: pickle.dump(net, file, 2))
    velocity = [theano.shared(v * 0 + 2, name="velocity") for v in values]
    save("lasagne-training.pkl", values + [v.get_value() for v in velocity], lambda file: pickle.dump((net, velocity), file, 2))


def tutorial_forms():
    """Classes as logistic_sgd.py, mlp.py, dA.py and lstm.py have them."""
    import theano
    import theano.tensor as T

    rng = numpy.random.RandomState(3)
    x = T.matrix("x")

    class LogisticRegression(object):
        def __init__(self, input):
            self.W = theano.shared(rng.normal(size=(4, 3)), name="W", borrow=True)
            self.b = theano.shared(rng.normal(size=3), name="b", borrow=True)
            self.p_y_given_x = T.nnet.softmax(T.dot(input, self.W) + self.b)
            self.params, self.input = [self.W, self.b], input

    globals()["LogisticRegression"] = LogisticRegression
    LogisticRegression.__qualname__ = "LogisticRegression"
    model = LogisticRegression(x)
    values = [p.get_value() for p in model.params]
    for protocol in (0, 1, 2):
        save("tutorial-best_model-{}.pkl".format(protocol), values, lambda file, p=protocol: pickle.dump(model, file, p))
    save("tutorial-params.pkl", values, lambda file: pickle.dump(model.params, file, pickle.HIGHEST_PROTOCOL))

    def one_by_one(file):
        for value in values:
            pickle.dump(value, file, -1)

    save("tutorial-save.pkl", values, one_by_one)
    save("tutorial-state.pkl", values, lambda file: pickle.dump(dict(model.__dict__, input=None, p_y_given_x=None), file, 2))
    lstm = {"lstm_W": values[0], "U": values[0].T.copy()}
    costs = numpy.asarray([0.5, 0.25])
    save("tutorial-lstm.npz", list(lstm.values()) + [costs], lambda file: numpy.savez(file, history_errs=costs, **lstm))
    save("tutorial-packed.pkl.gz", values, lambda file: pickle.dump((values[0], values[1]), file, 2))


{"keras": keras_forms, "lasagne": lasagne_forms, "tutorials": tutorial_forms}[LIBRARY]()
print(json.dumps(NAMES))

"""Runs in an interpreter with a framework in it: evaluates the cases named on the command line and prints what came out, as JSON.

    python probe.py FOLDER_OF_COMPAT|- CASE...

With `-` the legacy names must be installed natively. Nothing of ours is imported by name: compat is loaded by its path.
"""

import json
import sys
import warnings

warnings.simplefilter("ignore")
M = [[1.0, -2.0, 3.0], [0.5, 0.25, -4.0]]
V = [0.1, 2.0, -1.0]
P = [[0.2, 0.5, 0.3], [0.7, 0.1, 0.2]]
CASES = {
    "softmax": lambda T: T.nnet.softmax(T.constant(M)),
    "softmax of a vector": lambda T: T.nnet.softmax(T.constant(V)),
    "softmax by its old place": lambda T: T.nnet.nnet.softmax(T.constant(M)),
    "logsoftmax": lambda T: T.nnet.logsoftmax(T.constant(M)),
    "sigmoid": lambda T: T.nnet.sigmoid(T.constant(M)),
    "hard_sigmoid": lambda T: T.nnet.hard_sigmoid(T.constant(M)),
    "ultra_fast_sigmoid": lambda T: T.nnet.ultra_fast_sigmoid(T.constant([[-9.0, -5.0, -1.0, 0.0], [0.5, 3.0, 5.0, 9.0]])),
    "softplus": lambda T: T.nnet.softplus(T.constant(M)),
    "softsign": lambda T: T.nnet.nnet.softsign(T.constant(M)),
    "relu": lambda T: T.nnet.relu(T.constant(M)),
    "leaky relu": lambda T: T.nnet.relu(T.constant(M), alpha=0.1),
    "elu": lambda T: T.nnet.elu(T.constant(M), 0.5),
    "selu": lambda T: T.nnet.selu(T.constant(M)),
    "binary_crossentropy": lambda T: T.nnet.binary_crossentropy(T.constant(P), T.constant([[1.0, 0.0, 1.0], [0.0, 0.0, 1.0]])),
    "sigmoid_binary_crossentropy": lambda T: T.nnet.sigmoid_binary_crossentropy(T.constant(M) + 0, T.constant(P) + 0),
    "categorical_crossentropy by class": lambda T: T.nnet.categorical_crossentropy(T.constant(P), T.constant([2, 0])),
    "categorical_crossentropy by probability": lambda T: T.nnet.categorical_crossentropy(T.constant(P), T.constant(P)),
    "crossentropy_softmax_1hot": lambda T: T.nnet.crossentropy_softmax_1hot(T.constant(M), T.constant([2, 0]))[0],
    "batch_normalization": lambda T: T.nnet.bn.batch_normalization(T.constant(M), T.constant(V), 1.0, 0.5, 2.0, mode="high_mem"),
    "confusion_matrix": lambda T: T.nnet.confusion_matrix(T.constant([0, 1, 2, 1]), T.constant([0, 2, 2, 1]))[0],
    "sqr": lambda T: T.sqr(T.constant(M)),
    "inv": lambda T: T.inv(T.constant(M)),
    "abs_": lambda T: T.abs_(T.constant(M)),
    "int_div": lambda T: T.int_div(T.constant([7, -7]), 2),
    "eq": lambda T: T.eq(T.constant(M), 3.0),
    "cast": lambda T: T.cast(T.constant(M), "int32"),
    "stack as arguments": lambda T: T.stack(T.constant(V), T.constant(V)),
    "stack as a list": lambda T: T.stack([T.constant(V), T.constant(V)], axis=1),
    "flatten with outdim": lambda T: T.flatten(T.zeros((2, 3, 4)), outdim=2),
    "flatten": lambda T: T.flatten(T.constant(M)),
    "tile with ndim": lambda T: T.tile(T.constant(V), (2,), ndim=1),
    "batched_dot": lambda T: T.batched_dot(T.constant([M, M]), T.constant([V, V]).dimshuffle(0, 1, "x")),
    "batched_dot of matrices": lambda T: T.batched_dot(T.constant(M), T.constant(P)),
    "inc_subtensor": lambda T: T.inc_subtensor(T.constant(M)[:, 1], 10.0),
    "alloc": lambda T: T.alloc(2.5, 2, 3),
    "tanh": lambda T: T.tanh(T.constant(M)),
    "argmax": lambda T: T.argmax(T.constant(M), axis=1),
    "max_and_argmax": lambda T: T.max_and_argmax(T.constant(M), axis=0)[1],
    "topk": lambda T: T.sort(T.topk(T.constant(V), 2, sorted=False)),
    "patternbroadcast": lambda T: T.patternbroadcast(T.constant([V]), (True, False)) + T.constant(M),
    "addbroadcast": lambda T: T.addbroadcast(T.zeros((1, 3)), 0) + T.constant(M),
    "set_subtensor": lambda T: T.set_subtensor(T.constant(V)[1:], 0.0),
}


def main(folder, names):
    """Evaluates the cases and prints {case: [dtype, ndim, value] or error}."""
    if folder != "-":
        import importlib.util

        spec = importlib.util.spec_from_file_location("compat_by_path", folder + "/__init__.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.install()
    import theano
    import theano.tensor as T

    mode = theano.Mode(linker="py", optimizer=None)
    results = {}
    for name in names or sorted(CASES):
        variable = CASES[name](T)
        value = theano.function([], variable, mode=mode)()
        results[name] = [str(value.dtype), value.ndim, value.tolist()]
    sys.stdout.write("\n" + json.dumps(results) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])

"""Runs in an interpreter with Theano, or with PyTensor under our layer: draws random numbers and prints them, as JSON.

    python streams.py FOLDER_OF_COMPAT|- MODE CASES

CASES is JSON: a list of [stream, seed, method, arguments, floatX, calls]. With `-` Theano itself draws. An argument {"shape": [...]} is
the symbolic shape of a shared array. Printed are, for each case, dtype, shape and bytes (base64) of each call's result, and of the
states that are left.
"""

import base64
import json
import sys
import warnings

warnings.simplefilter("ignore")


def packed(value):
    """dtype, shape and bytes of an array; for a RandomState, of its key and position."""
    import numpy

    if isinstance(value, numpy.random.RandomState):
        _, key, position, has_gauss, gauss = value.get_state()
        value = numpy.concatenate([key.astype("float64"), [position, has_gauss, gauss if has_gauss else 0]])
    value = numpy.ascontiguousarray(value)
    return [str(value.dtype), list(value.shape), base64.b64encode(value.tobytes()).decode()]


def main(folder, mode, cases):
    """Prints the draws of each case."""
    if folder != "-":
        import importlib.util

        spec = importlib.util.spec_from_file_location("compat_by_path", folder + "/__init__.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        module.install("pytensor")
    import numpy
    import theano
    from theano.sandbox.rng_mrg import MRG_RandomStreams
    from theano.tensor.shared_randomstreams import RandomStreams

    results = []
    for stream, seed, method, arguments, floatX, calls in cases:
        theano.config.floatX = floatX
        kinds = {"mrg": MRG_RandomStreams, "numpy": RandomStreams}
        rng = kinds[stream](seed)
        arguments = dict(arguments)
        for name, value in arguments.items():
            if isinstance(value, dict):
                arguments[name] = theano.shared(numpy.zeros(value["shape"], dtype=floatX)).shape
            elif name == "size" and isinstance(value, list):
                arguments[name] = tuple(value)
            elif isinstance(value, list) and (stream, name) != ("numpy", "p"):  # Theano takes no array there
                arguments[name] = numpy.asarray(value, dtype="float64").astype(floatX)
        f = theano.function([], getattr(rng, method)(**arguments), mode=mode or None)
        drawn = [packed(f()) for _ in range(calls)]
        results.append([drawn, [packed(update[0].get_value()) for update in rng.state_updates]])
    sys.stdout.write("\n" + json.dumps(results) + "\n")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))

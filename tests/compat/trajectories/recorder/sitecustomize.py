"""Run by Python at start-up where a script is measured: seeds the generators, and writes down what its training functions return.

A training function is one that has updates. Of each call the first output with floats is written, a line of JSON each, with the time
that it took. After TRAJECTORY_STEPS calls the process ends. Read by CPython 2.7 too.
"""

import json
import os
import random
import sys
import time

try:
    import __builtin__ as builtins
except ImportError:
    import builtins

SCALARS = bool(os.environ.get("TRAJECTORY_ALL"))
"""Whether functions without updates count too, those that give one number."""
STEPS = int(os.environ.get("TRAJECTORY_STEPS", "0"))
_depth = [0]
_calls = [0]
_functions = [0]
_plain_import = builtins.__import__


def _seed():
    """One seed for everything that draws without one of its own."""
    import numpy

    random.seed(1234)
    numpy.random.seed(1234)


def _write(**row):
    """A line of the log."""
    with open(os.environ["TRAJECTORY_LOG"], "a") as file:
        file.write(json.dumps(row) + "\n")


class Recorded(object):
    """A compiled function that writes down what its calls return."""

    def __init__(self, function, number):
        self.__dict__.update(_function=function, _number=number)

    def __call__(self, *args, **kwargs):
        import numpy

        start = time.time()
        result = self._function(*args, **kwargs)
        took = time.time() - start
        values = result if isinstance(result, (list, tuple)) else list(result.values()) if isinstance(result, dict) else [result]
        for value in values:
            if getattr(value, "dtype", None) is not None and value.dtype.kind == "f" and (not SCALARS or numpy.size(value) == 1):
                _write(function=self._number, loss=float(numpy.mean(value, dtype="float64")), seconds=took, at=time.time())
                _calls[0] += 1
                break
        if _calls[0] >= STEPS:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)
        return result

    def __getattr__(self, name):
        return getattr(self._function, name)

    def __setattr__(self, name, value):
        setattr(self._function, name, value)

    def __getitem__(self, key):
        return self._function[key]

    def __setitem__(self, key, value):
        self._function[key] = value


def _pickles():
    """numpy.load reads pickles again, as it did when the scripts were written; on both sides, whose NumPy is newer."""
    import numpy

    plain = numpy.load

    def load(file, mmap_mode=None, allow_pickle=True, fix_imports=True, encoding="latin1"):
        return plain(file, mmap_mode, allow_pickle, fix_imports, encoding)

    numpy.load = load


def _rooted():
    """Files in folders of somebody's machine are read from the copy of the repository."""
    import io

    roots = json.loads(os.environ.get("TRAJECTORY_ROOTS") or "{}")
    plain = builtins.open

    def opened(path, *args, **kwargs):
        for root, there in roots.items():
            if isinstance(path, str) and path.startswith(str(root)):
                path = str(there) + path[len(root) :]
        return plain(path, *args, **kwargs)

    if roots:
        if io.open is plain:
            io.open = opened
        builtins.open = opened


def _has_updates(args, kwargs):
    """Whether a call of theano.function gives updates that change something."""
    updates = kwargs.get("updates", args[3] if len(args) > 3 else None)
    return bool(updates) or any(getattr(i, "update", None) is not None for i in (kwargs.get("inputs") or (args[0] if args else None) or ()))


def _record(theano):
    """Puts a recording function in the place of theano.function."""
    plain = theano.function

    def function(*args, **kwargs):
        start = time.time()
        made = plain(*args, **kwargs)
        if not (os.environ.get("TRAJECTORY_ALL") or _has_updates(args, kwargs)):
            return made
        _functions[0] += 1
        _write(function=_functions[0], compiled=time.time() - start)
        return Recorded(made, _functions[0])

    theano.function = function


def _give_back_modules():
    """On Theano 1.0.5 itself: the module that became `pool`, `compat.python2x`, `compat.six` and a pickler, for scripts of before 0.9."""
    import collections
    import types

    import theano.compat
    import theano.misc.pkl_utils as pkl_utils
    import theano.tensor.signal as signal
    from theano.tensor.signal import pool

    def max_pool_2d(input, ds, ignore_border=False, st=None, padding=(0, 0), mode="max"):
        return pool.pool_2d(input, ws=ds, ignore_border=ignore_border, stride=st, pad=padding, mode=mode)

    module = types.ModuleType("theano.tensor.signal.downsample")
    module.max_pool_2d = max_pool_2d
    module.pool_2d, module.Pool, module.DownsampleFactorMax = pool.pool_2d, pool.Pool, pool.Pool
    pkl_utils.PersistentCudaNdarrayID = pkl_utils.PersistentNdarrayID
    sys.modules[module.__name__] = signal.downsample = module
    import six

    cuda = types.ModuleType("theano.sandbox.cuda")  # its type is asked for by scripts; the rest raises ImportError, and not SkipTest
    cuda.type = types.ModuleType("theano.sandbox.cuda.type")
    cuda.dnn = types.ModuleType("theano.sandbox.cuda.dnn")
    cuda.dnn.dnn_available, cuda.dnn.dnn_pool = lambda: False, None
    cuda.cuda_available = cuda.cuda_enabled = False
    cuda.type.CudaNdarrayType = type("CudaNdarrayType", (object,), {})
    sys.modules.update((module.__name__, module) for module in (cuda, cuda.type, cuda.dnn))
    sys.modules["theano.compat.six"], sys.modules["theano.compat.six.moves"] = six, six.moves
    theano.compat.six = six
    python2x = types.ModuleType("theano.compat.python2x")
    python2x.OrderedDict, python2x.Counter = collections.OrderedDict, collections.Counter
    sys.modules[python2x.__name__] = theano.compat.python2x = python2x


NEED_C = ("mrg_uniform", "Corr", "Conv", "BaseCorr", "Pool", "MaxPool", "AveragePool", "Downsample")
"""Ops whose C code computes otherwise than their Python code, or that have none."""


def _mostly_in_python(theano):
    """On Theano 1.0.5 itself: C code only where it matters. To compile all of it takes minutes a script."""
    from theano.gof import op

    plain = op.Op.make_thunk

    def make_thunk(self, node, storage_map, compute_map, no_recycling, impl=None):
        if impl is None and not type(self).__name__.startswith(NEED_C):
            impl = "py"
        known = getattr(getattr(self, "scalar_op", None), "nfunc_spec", None)
        if type(self).__name__ == "Elemwise" and (not known or known[1] != len(node.inputs)):
            impl = None  # in Python it would go element by element
        return plain(self, node, storage_map, compute_map, no_recycling, impl)

    op.Op.make_thunk = make_thunk


def _import(name, *args, **kwargs):
    """Python's own import; when that of Theano is done, its `function` is replaced."""
    mine = name.split(".")[0] == "theano"
    if mine and not _depth[0]:
        _depth[0] += 1
        try:
            _plain_import("theano")
        finally:
            builtins.__import__ = _plain_import
        _record(sys.modules["theano"])
        if os.environ.get("TRAJECTORY_REFERENCE"):
            _give_back_modules()
        if os.environ.get("TRAJECTORY_REFERENCE") == "mixed":
            _mostly_in_python(sys.modules["theano"])
    return _plain_import(name, *args, **kwargs)


if STEPS:
    _seed()
    _rooted()
    _pickles()
    builtins.__import__ = _import

"""Names that Theano itself lost before 1.0.5 and what replaced them: for older scripts that run on Theano.

Sources: the modules of Theano 0.6 to 0.9 that cannot be imported in 1.0.5, and the release notes (NEWS.txt).
"""

import re
from typing import Dict, Optional

_POOL = "theano.tensor.signal.pool: pool_2d(x, ws, ignore_border=True) stands for max_pool_2d(x, ds), Pool for DownsampleFactorMax"
_GPU = "theano.gpuarray (THEANO_FLAGS=device=cuda0); whether a GPU is there says theano.config.device"
_CONV3D = "theano.tensor.nnet.conv3d, whose axes are (batch, channel, time, row, column)"

GONE: Dict[str, str] = {
    "tensor.signal.downsample": _POOL,
    "sandbox.downsample": _POOL,
    "tensor.signal.pool.max_pool_2d": _POOL,
    "sandbox.cuda": _GPU,
    "sandbox.gpuarray": "theano.gpuarray",
    "compat.python2x": "the standard library: collections.OrderedDict and Counter, functools.partial",
    "gof.python25": "the standard library: collections.OrderedDict, functools.partial, all and any",
    "tensor.nnet.Conv3D": _CONV3D,
    "tensor.nnet.conv3D": _CONV3D,
    "tensor.nnet.ConvGrad3D": _CONV3D,
    "tensor.nnet.ConvTransp3D": _CONV3D,
    "sandbox.scan": "theano.scan",
    "lazycond": "theano.ifelse.ifelse",
    "tensor.shared": "theano.shared",
    "floatx": "theano.config.floatX",
    "sandbox.samples_MRG31k3p": "theano.sandbox.rng_mrg.MRG_RandomStreams",
    "compile.module": "theano.function, one for each method, and shared variables for what they keep",
    "module": "theano.function, one for each method, and shared variables for what they keep",
    "Module": "theano.function, one for each method, and shared variables for what they keep",
    "Method": "theano.function, one for each method, and shared variables for what they keep",
    "misc.gnumpy_utils": "numpy arrays: theano.shared(x.as_numpy_array())",
    "misc.cudamat_utils": "numpy arrays: theano.shared(x.asarray())",
}
"""Lost name, without the root -> what to write."""
_NAMES = (
    re.compile(r"cannot import name '?(?P<name>\w+)'?(?: from '(?P<parent>[\w.]+)')?"),
    re.compile(r"[Nn]o module named '?(?:(?P<parent>[\w.]+)\.)?(?P<name>\w+)'?"),
    re.compile(r"module '(?P<parent>[\w.]+)' has no attribute '(?P<name>\w+)'"),
    re.compile(r"'module' object has no attribute '(?P<name>\w+)'"),
)
"""Messages of CPython 2.7 and 3 for a missing name; the older ones leave its module out."""
_OLD_GPU = re.compile(r"theano[\\/]sandbox[\\/]cuda[\\/]__init__\.py")
"""Matches the file that raises in place of theano.sandbox.cuda; its exception is that of another missing module."""


def gone(exception: str, traceback: str = "") -> Optional[str]:
    """Sentence about the lost Theano name that an exception message complains of, with what to write; None for any other exception.

    >>> gone("ModuleNotFoundError: No module named 'theano.sandbox.scan'")
    'theano.sandbox.scan is no part of this Theano; write theano.scan'
    """
    if _OLD_GPU.search(traceback):
        return _said("sandbox.cuda")
    if "theano" not in exception + traceback:
        return None
    for pattern in _NAMES:
        match = pattern.search(exception)
        if match:
            parent = (match.groupdict().get("parent") or "").split(".")
            full = ".".join([part for part in parent if part and part != "theano"] + [match.group("name")])
            found = [
                name
                for name in GONE
                if full == name or full.startswith(name + ".") or (parent[0] != "theano" and name.endswith("." + full))
            ]
            return _said(max(found, key=len)) if found else None
    return None


def _said(name: str) -> str:
    return "theano." + name + " is no part of this Theano; write " + GONE[name]

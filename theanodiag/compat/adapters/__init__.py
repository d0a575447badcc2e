"""Adapters: functions with the arguments and the meaning that they have in Theano 1.0.5, over whichever framework is installed.

They serve the rows of `names/renames.py` whose `new` is `=name`, for Aesara and PyTensor alike; `api/` serves PyTensor alone.
"""

from . import arrays, legacy, nnet, random, settings

_FILES = (nnet, arrays, random, legacy, settings)


def get(name: str) -> object:
    """The adapter called `name`; `LookupError` where there is none."""
    if name == "config":
        return settings.config()
    for module in _FILES:
        if name in module.__all__:
            return getattr(module, name)
    raise LookupError(name)


def names() -> frozenset:  # type: ignore[type-arg]
    """Names of all adapters."""
    return frozenset(name for module in _FILES for name in module.__all__) | {"config"}


def __getattr__(name: str) -> object:
    """`from theanodiag.compat.adapters import stack`, in source that was moved."""
    try:
        return get(name)
    except LookupError:
        raise AttributeError(name) from None

"""Functions that behave as Theano 1.0.5's do, written with the functions of the framework that is installed."""

from . import arrays, legacy, nnet, random, settings

_FILES = (nnet, arrays, random, legacy, settings)


def get(name: str) -> object:
    """The counterpart `name`."""
    if name == "config":
        return settings.config()
    for module in _FILES:
        if name in module.__all__:
            return getattr(module, name)
    raise LookupError(name)


def names() -> frozenset:  # type: ignore[type-arg]
    """All counterparts."""
    return frozenset(name for module in _FILES for name in module.__all__) | {"config"}

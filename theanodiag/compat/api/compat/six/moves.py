"""Serves `theano.compat.six.moves`: six.moves if six is installed, else the names that legacy scripts use, from the standard library."""

import builtins
import configparser
import functools
import importlib
import io
import itertools
import pickle
import urllib
from typing import Any

__all__ = ["builtins", "cPickle", "configparser", "urllib"]
xrange = range
range, zip, map, filter, input = range, zip, map, filter, input
reduce, reload_module, zip_longest = functools.reduce, importlib.reload, itertools.zip_longest
filterfalse = itertools.filterfalse
StringIO = cStringIO = io.StringIO
cPickle = pickle


def __getattr__(name: str) -> Any:
    """Any other name, from six.moves. Raises AttributeError if six is not installed."""
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        return getattr(importlib.import_module("six.moves"), name)
    except ImportError:
        raise AttributeError(name) from None

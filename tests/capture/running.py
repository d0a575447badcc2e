"""Scripts that the tests run, and how they run them."""

from __future__ import annotations

import sys
import textwrap
from pathlib import Path

from tests.interpreters import find
from theanodiag.capture.model import Capture
from theanodiag.capture.runner import run_script

PACKAGES = {"theano": "theano", "theano27": "theano", "aesara": "aesara", "pytensor": "pytensor", "pytensor_new": "pytensor"}
"""The package that each interpreter of `tests.interpreters` has."""
PORTABLE = tuple(PACKAGES)
FLAGS = {"THEANO_FLAGS": "", "AESARA_FLAGS": "", "PYTENSOR_FLAGS": ""}
"""No flags from outside of the test."""

MLP = """
import numpy as np
import {package} as lib
import {package}.tensor as T

fx = lib.config.floatX
x, y = T.matrix("x"), T.ivector("y")
W = lib.shared(np.ones((20, 8), fx), name="W")
b = lib.shared(np.zeros(8, fx), name="b")
V = lib.shared(np.ones((8, 3), fx), name="V")
e = T.exp(T.dot(T.tanh(T.dot(x, W) + b), V))
p = e / e.sum(axis=1, keepdims=True)
cost = -T.mean(T.log(p)[T.arange(y.shape[0]), y])
grad = lib.grad if hasattr(lib, "grad") else T.grad
step = [(v, v - 0.1 * g) for v, g in zip([W, b, V], grad(cost, [W, b, V]))]
train = lib.function([x, y], cost, updates=step, name="train")
predict = lib.function([x], T.argmax(p, axis=1))
"""
"""A small model, with the names that all frameworks share."""


def write(folder: Path, text: str, name: str = "model.py") -> Path:
    """Writes a script."""
    path = folder / name
    path.write_text(textwrap.dedent(text), encoding="utf-8")
    return path


def plain(folder: Path, text: str, *args: str, **options: object) -> Capture:
    """Runs a script that needs no framework in the interpreter that runs the tests."""
    return run_script(write(folder, text), sys.executable, args, **{"timeout": 60, **options})  # type: ignore[arg-type]


def framework(folder: Path, name: str, text: str, *args: str, **options: object) -> Capture:
    """Runs a script in the interpreter `name`; {package} in the text becomes its package."""
    script = write(folder, textwrap.dedent(text).replace("{package}", PACKAGES.get(name, "theano")))
    return run_script(script, find(name), args, **{"timeout": 300, "env": FLAGS, **options})  # type: ignore[arg-type]

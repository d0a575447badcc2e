"""Serves `theano.tests.unittest_tools` and `test_rop`: the functions that tests of libraries based on Theano use."""

import unittest
from typing import Any, Optional, Tuple
from unittest import SkipTest

import numpy as np
import pytensor
from pytensor.gradient import GradientError, grad_undefined
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.tensor.basic import arange
from pytensor.tensor.type import matrix, vector

from ...behaviour.config import config
from .. import gradient
from ..gradient import verify_grad as _verify_grad
from ..scan_module.scan import scan
from ..tensor.basic import _allclose


class WrongValue(Exception):
    """Raised if two values are not as close as required."""

    def __init__(self, expected_val: Any, val: Any, rtol: Any, atol: Any) -> None:
        super().__init__("expected {}, got {} (rtol {}, atol {})".format(expected_val, val, rtol, atol))
        self.expected_val, self.val, self.rtol, self.atol = expected_val, val, rtol, atol


def fetch_seed(pseed: Any = None) -> Optional[int]:
    """Returns `pseed`, or else the flag unittests.rseed, as an int; None for "random"."""
    seed = pseed or config.unittests.rseed
    return None if seed == "random" or not seed else int(seed)


def seed_rng(pseed: Any = None) -> Optional[int]:
    """Seeds numpy's global generator with fetch_seed(pseed), and returns that seed."""
    seed = fetch_seed(pseed)
    np.random.seed(seed)
    return seed


def verify_grad(op: Any, pt: Any, n_tests: int = 2, rng: Any = None, *args: Any, **kwargs: Any) -> None:
    """`theano.gradient.verify_grad`, with numpy's newly seeded global generator if `rng` is None."""
    if rng is None:
        seed_rng()
        rng = np.random
    _verify_grad(op, pt, n_tests, rng, *args, **kwargs)


verify_grad.E_grad = GradientError  # type: ignore[attr-defined]


def assert_allclose(expected: Any, value: Any, rtol: Any = None, atol: Any = None) -> None:
    """Raises WrongValue unless `value` is close to `expected`; tolerances default to those of theano.tensor.basic."""
    if not _allclose(expected, value, rtol, atol):
        raise WrongValue(expected, value, rtol, atol)


class BreakRop(Op):
    """The identity without a derivative."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        """Makes the Apply node, whose output has the type of `x`."""
        return Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Passes the input on."""
        output_storage[0][0] = inputs[0]

    def grad(self, inputs: Any, output_gradients: Any) -> Any:
        """Marks the gradient as undefined."""
        return [grad_undefined(self, 0, inputs[0])]

    def R_op(self, inputs: Any, eval_points: Any) -> Any:
        """Returns None: there is no derivative."""
        return [None]


break_op = BreakRop()


class RopLop_checker(unittest.TestCase):
    """A base class for tests: its methods compare Rop and Lop of an expression of `self.x` or `self.mx` with the Jacobian from Scan.

    One of Theano's checks is omitted: that Rop rejects an expression behind an Op without a derivative. PyTensor uses 0 for it.
    """

    def setUp(self) -> None:
        """Creates the variables and draws the lengths of their values."""
        seed_rng()
        self.x, self.v, self.mx, self.mv = vector("x"), vector("v"), matrix("mx"), matrix("mv")
        self.rng = np.random.RandomState(fetch_seed())
        self.in_shape = (5 + self.rng.randint(3),)
        self.mat_in_shape = (5 + self.rng.randint(3), 5 + self.rng.randint(3))

    def _drawn(self, shape: Tuple[int, ...]) -> Any:
        return np.asarray(self.rng.uniform(size=shape), pytensor.config.floatX)

    def _same(self, name: str, inputs: Any, first: Any, second: Any, values: Any) -> None:
        """Fails unless both outputs have the same value for `values`."""
        a, b = (pytensor.function(inputs, out, on_unused_input="ignore")(*values) for out in (first, second))
        assert np.allclose(a, b), "{} mismatch: {} {}".format(name, a, b)

    def check_nondiff_rop(self, y: Any) -> None:
        """Fails unless Rop of `y` with respect to `self.x` raises ValueError."""
        try:
            gradient.Rop(y, self.x, self.v)
        except ValueError:
            return
        self.fail("Op did not raise an error even though the function is not differentiable")

    def _check(self, y: Any, x: Any, v: Any, in_shape: Tuple[int, ...], out_shape: Tuple[int, ...]) -> None:
        rows, _ = scan(lambda i, y, x, v: (gradient.grad(y[i], x) * v).sum(), sequences=arange(y.shape[0]), non_sequences=[y, x, v])
        point = self._drawn(in_shape)
        self._same("ROP", [x, v], gradient.Rop(y, x, v), rows, [point, self._drawn(in_shape)])
        weights = self._drawn(out_shape)
        self._same("LOP", [x, self.v], gradient.Lop(y, x, self.v), gradient.grad((self.v * y).sum(), x), [point, weights])

    def check_mat_rop_lop(self, y: Any, out_shape: Tuple[int, ...]) -> None:
        """Checks `y`, a vector of the shape `out_shape`, as a function of the matrix `self.mx`."""
        self._check(y, self.mx, self.mv, self.mat_in_shape, out_shape)

    def check_rop_lop(self, y: Any, out_shape: Tuple[int, ...]) -> None:
        """Checks `y`, a vector of the shape `out_shape`, as a function of the vector `self.x`."""
        self._check(y, self.x, self.v, self.in_shape, out_shape)

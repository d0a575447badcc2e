"""Serves `theano.tests.test_rop`: the base class with which Ops of one's own test their `R_op` and `grad` against a Jacobian."""

import unittest
from typing import Any, Tuple

import numpy as np
import pytensor
from pytensor.gradient import grad_undefined
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op
from pytensor.tensor.basic import arange
from pytensor.tensor.type import matrix, vector

from .. import gradient
from ..scan_module.scan import scan
from . import unittest_tools


class BreakRop(Op):
    """The identity without a derivative."""

    __props__ = ()

    def make_node(self, x: Any) -> Apply:
        """Node with the type of `x` as its output's."""
        return Apply(self, [x], [x.type()])

    def perform(self, node: Any, inputs: Any, output_storage: Any) -> None:
        """Gives the input on."""
        output_storage[0][0] = inputs[0]

    def grad(self, inputs: Any, output_gradients: Any) -> Any:
        """Marks the gradient as undefined."""
        return [grad_undefined(self, 0, inputs[0])]

    def R_op(self, inputs: Any, eval_points: Any) -> Any:
        """None: there is no derivative."""
        return [None]


break_op = BreakRop()


class RopLop_checker(unittest.TestCase):
    """Tests nothing itself: its methods compare Rop and Lop of an expression of `self.x` or `self.mx` with the Jacobian by Scan.

    They leave out one check of Theano's, that Rop refuses the expression behind an Op without a derivative: PyTensor takes 0 for it.
    """

    def setUp(self) -> None:
        """Makes the variables and draws the lengths of their values."""
        unittest_tools.seed_rng()
        self.x, self.v, self.mx, self.mv = vector("x"), vector("v"), matrix("mx"), matrix("mv")
        self.rng = np.random.RandomState(unittest_tools.fetch_seed())
        self.in_shape = (5 + self.rng.randint(3),)
        self.mat_in_shape = (5 + self.rng.randint(3), 5 + self.rng.randint(3))

    def _drawn(self, shape: Tuple[int, ...]) -> Any:
        return np.asarray(self.rng.uniform(size=shape), pytensor.config.floatX)

    def _same(self, name: str, inputs: Any, first: Any, second: Any, values: Any) -> None:
        """Fails unless both outputs have the same value for `values`."""
        a, b = (pytensor.function(inputs, out, on_unused_input="ignore")(*values) for out in (first, second))
        assert np.allclose(a, b), "{} mismatch: {} {}".format(name, a, b)

    def check_nondiff_rop(self, y: Any) -> None:
        """Fails unless Rop of `y` with respect to `self.x` is refused."""
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

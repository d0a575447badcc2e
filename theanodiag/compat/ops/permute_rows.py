"""`PermuteRowElements` of `theano.tensor.basic`: `inverse` is an input there, and an option of the Op in PyTensor."""

from typing import Any

import pytensor.tensor as pt
from pytensor.tensor.exceptions import NotScalarConstantError

from ..instance_check import OpInstanceCheck


class PermuteRowElements(metaclass=OpInstanceCheck):
    """Permutes each row of `x` by the same row of indices in `y`, or undoes that permutation where `inverse` is not 0."""

    op = pt.basic.PermuteRowElements

    def __call__(self, x: Any, y: Any, inverse: Any = False) -> Any:
        try:
            return self.op(inverse=bool(pt.get_underlying_scalar_constant_value(inverse)))(x, y)
        except NotScalarConstantError:
            return pt.switch(inverse, self.op(inverse=True)(x, y), self.op(inverse=False)(x, y))

    def make_node(self, x: Any, y: Any, inverse: Any = False) -> Any:
        """The node that computes the permuted `x`; a Switch over both permutations where `inverse` is not constant."""
        return self(x, y, inverse).owner


def permute_row_elements(x: Any, y: Any, inverse: Any = 0) -> Any:
    """`theano.tensor.permute_row_elements`: see PermuteRowElements."""
    return PermuteRowElements()(x, y, inverse)

"""PermuteRowElements, which took what kind of permutation it is as an input; PyTensor's Op is told when it is made."""

from typing import Any

import pytensor.tensor as pt
from pytensor.tensor.exceptions import NotScalarConstantError

from ..instance_check import OpInstanceCheck


class PermuteRowElements(metaclass=OpInstanceCheck):
    """Each row of `x` in the order that `y` gives it, or brought back from that order where `inverse` is not 0."""

    op = pt.basic.PermuteRowElements

    def __call__(self, x: Any, y: Any, inverse: Any = False) -> Any:
        try:
            return self.op(inverse=bool(pt.get_underlying_scalar_constant_value(inverse)))(x, y)
        except NotScalarConstantError:
            return pt.switch(inverse, self.op(inverse=True)(x, y), self.op(inverse=False)(x, y))

    def make_node(self, x: Any, y: Any, inverse: Any = False) -> Any:
        """The node of the rows."""
        return self(x, y, inverse).owner


def permute_row_elements(x: Any, y: Any, inverse: Any = 0) -> Any:
    """theano.tensor.permute_row_elements."""
    return PermuteRowElements()(x, y, inverse)

"""Functions that compilers do not take, or not as they are."""

import numpy as np
import pytensor
import pytensor.tensor as pt
from pytensor.graph.basic import Apply
from pytensor.graph.op import Op


class Mine(Op):
    """An Op of the script's own."""

    __props__ = ()

    def make_node(self, x):
        """One matrix in, one out."""
        return Apply(self, [x], [x.type()])

    def perform(self, node, inputs, outputs):
        """The same."""
        outputs[0][0] = inputs[0]

    def infer_shape(self, fgraph, node, shapes):
        """The same."""
        return shapes


x, n = pt.matrix("x"), pt.lscalar("n")
mine = pytensor.function([x], Mine()(pt.exp(x)), name="mine")
mine(np.ones((3, 3)))
rows = x[:n]
first = pytensor.function([x, n], pt.exp(rows), name="first")
first(np.ones((30, 3)), 4)
chosen = pytensor.function([x], pt.nonzero(x)[0].sum(), name="chosen")
chosen(np.ones((3, 3)))
counted = pytensor.function([n], pt.exp(pt.arange(n)), name="counted")
counted(4)
plain = pytensor.function([x], pt.exp(x), name="plain")
plain(np.ones((30, 3)))

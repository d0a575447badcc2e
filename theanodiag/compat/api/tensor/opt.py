"""theano.tensor.opt: what other modules read from the file of the tensor rewrites."""

from pytensor.graph.rewriting.basic import node_rewriter as local_optimizer
from pytensor.raise_op import Assert, assert_op
from pytensor.tensor.basic import MakeVector, make_vector
from pytensor.tensor.rewriting.basic import (
    register_canonicalize,
    register_specialize,
    register_stabilize,
    register_uncanonicalize,
    register_useless,
)
from pytensor.tensor.rewriting.elemwise import FusionOptimizer, InplaceElemwiseOptimizer
from pytensor.tensor.rewriting.shape import ShapeFeature, ShapeOptimizer, UnShapeOptimizer
from pytensor.tensor.shape import Shape, Shape_i

from ...ops.arrays import local_useless_rebroadcast
from ...ops.topk import TopKOp, local_useless_topk

assert_ = assert_op
register_specialize_device = register_specialize


def apply_rebroadcast_opt(rval: object) -> object:
    """The variable: a Rebroadcast that changes nothing is not made."""
    return rval

"""Serves `theano.tensor.opt`: names that scripts import from the module of tensor rewrites, from pytensor.tensor.rewriting."""

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
    """`rval` itself: no Rebroadcast without effect is ever made here."""
    return rval

"""Serves `theano.gof.null_type` from pytensor.graph.null_type."""

from pytensor.graph.null_type import NullType, null_type

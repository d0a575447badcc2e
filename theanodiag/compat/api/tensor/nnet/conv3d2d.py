"""Serves `theano.tensor.nnet.conv3d2d` from this layer's ops/conv/conv3d2d.py."""

from ....ops.conv.conv3d2d import (
    DiagonalSubtensor,
    IncDiagonalSubtensor,
    conv3d,
    diagonal_subtensor,
    get_diagonal_subtensor_view,
    inc_diagonal_subtensor,
    local_inplace_DiagonalSubtensor,
)

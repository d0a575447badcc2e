"""conv3D of Theano until 0.9 and its transposes over PyTensor."""

import pytensor.tensor as pt

from ...old_conv3d import Volumes
from .functions import conv3d, conv3d_grad_wrt_inputs, conv3d_grad_wrt_weights

_volumes = Volumes(pt, conv3d, conv3d_grad_wrt_inputs, conv3d_grad_wrt_weights)
conv3D, convGrad3D, convTransp3D = _volumes.conv3D, _volumes.convGrad3D, _volumes.convTransp3D

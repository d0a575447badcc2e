"""`theano.tensor`."""

from pytensor.tensor.type import TensorType as Tensor

from ..gradient import consider_constant, verify_grad

"""Serves `theano.tensor.nnet.sigm` from PyTensor's sigmoid and softplus and this layer's ops/activations.py."""

from pytensor.scalar.math import Sigmoid as ScalarSigmoid
from pytensor.scalar.math import Softplus as ScalarSoftplus
from pytensor.scalar.math import sigmoid as scalar_sigmoid
from pytensor.scalar.math import softplus as scalar_softplus
from pytensor.tensor.elemwise import Elemwise
from pytensor.tensor.math import sigmoid, softplus
from pytensor.tensor.rewriting.math import (
    compute_mul,
    is_1pexp,
    is_exp,
    is_mul,
    is_neg,
    local_sigm_times_exp,
    parse_mul_tree,
    partition_num_or_denom,
    perform_sigm_times_exp,
    replace_leaf,
    simplify_mul,
)

from ....ops.activations import (
    UltraFastScalarSigmoid,
    hard_sigmoid,
    local_hard_sigmoid,
    local_ultra_fast_sigmoid,
    ultra_fast_scalar_sigmoid,
    ultra_fast_sigmoid,
)
from ....ops.scalars import transfer_type

sigmoid_inplace = Elemwise(ScalarSigmoid(transfer_type(0)), {0: 0}, name="sigmoid_inplace")
ultra_fast_sigmoid_inplace = Elemwise(UltraFastScalarSigmoid(transfer_type(0)), {0: 0}, name="ultra_fast_sigmoid_inplace")
register_local_1msigmoid = False

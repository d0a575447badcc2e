"""Neural-network Ops, on the CPU and with cuDNN: softmax, cross-entropy, batch normalisation, CTC, image neighbourhoods, recurrent layers.

Sources: Theano 1.0.5 tensor/nnet/nnet.py, gpuarray/dnn.py.
"""

from __future__ import annotations

from .dtypes import Dtypes, TypeQuery, as_input
from .parameters import numbered
from .spec import GpuLowering, OpSpec, alike
from .work import by_maps_in_c, with_workspace


def _classes_dtype(asked: TypeQuery) -> Dtypes:
    """CrossentropySoftmaxArgmax1HotWithBias of (x, bias, classes)."""
    return [asked.at(0), asked.at(0), asked.at(2)]


OPS = (
    OpSpec("CrossentropyCategorical1Hot", integers_from=1, dtype=as_input(0)),
    OpSpec("CrossentropyCategorical1HotGrad", integers_from=2),
    OpSpec("CrossentropySoftmax1HotWithBiasDx", input_ranks=(1, 2, 1), output_ranks=(2,), integers_from=2, dtype=as_input(1)),
    OpSpec("CrossentropySoftmaxArgmax1HotWithBias", input_ranks=(2, 1, 1), output_ranks=(1, 2, 1), integers_from=2, dtype=_classes_dtype,
        gpu_memory=by_maps_in_c),
    OpSpec("LogSoftmax", dtype=as_input(0), gpu=GpuLowering(needs_cudnn=True)),
    OpSpec("SoftmaxGrad", gpu=GpuLowering(needs_cudnn=True)),
    OpSpec("SoftmaxWithBias", input_ranks=(2, 1), output_ranks=(2,)),
    OpSpec("Conv2d", gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    OpSpec("Images2Neibs", integers_from=1, dtype=as_input(0), printed_parameters=numbered("mode"), gpu=GpuLowering(host_inputs_from=1)),
    OpSpec("DnnRNNGradInputs", overwrites={1: (2,)}, gpu_memory=with_workspace("cuDNN's recurrent nets")),
    OpSpec("ConnectionistTemporalClassification", gpu_memory=with_workspace("warp-ctc")),
    *alike("DnnBatchNorm DnnBatchNormGrad", gpu_memory=by_maps_in_c),
    *alike("DnnRNNGradWeights DnnRNNOp", gpu_memory=with_workspace("cuDNN's recurrent nets")),
    OpSpec("Softmax", dtype=as_input(0)),
)  # fmt: skip
"""The entries of this family."""

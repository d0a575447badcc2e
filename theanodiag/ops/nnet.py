"""Catalogue entries of neural-network Ops: classes, convolutions, pooling, image neighbourhoods, cuDNN's recurrent layers.

Sources: Theano 1.0.5 tensor/nnet/nnet.py, abstract_conv.py, signal/pool.py, gpuarray/dnn.py.
"""

from __future__ import annotations

from .spec import GpuLowering, OpSpec, alike

OPS = (
    OpSpec("CrossentropyCategorical1Hot", integers_from=1),
    OpSpec("CrossentropyCategorical1HotGrad", integers_from=2),
    OpSpec("CrossentropySoftmax1HotWithBiasDx", input_ranks=(1, 2, 1), output_ranks=(2,), integers_from=2),
    OpSpec("CrossentropySoftmaxArgmax1HotWithBias", input_ranks=(2, 1, 1), output_ranks=(1, 2, 1), integers_from=2),
    *alike("LogSoftmax SoftmaxGrad", gpu=GpuLowering(needs_cudnn=True)),
    OpSpec("SoftmaxWithBias", input_ranks=(2, 1), output_ranks=(2,)),
    *alike("AbstractConv2d ConvOp Conv2d", gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    OpSpec("AbstractConv2d_gradInputs", gpu=GpuLowering("GpuCorrMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("AbstractConv2d_gradWeights", gpu=GpuLowering("GpuCorrMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("AbstractConv3d", gpu=GpuLowering("GpuCorr3dMM", contiguous_inputs=2)),
    OpSpec("AbstractConv3d_gradInputs", gpu=GpuLowering("GpuCorr3dMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("AbstractConv3d_gradWeights", gpu=GpuLowering("GpuCorr3dMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("Corr3dMM", input_ranks=(5, 5), output_ranks=(5,), gpu=GpuLowering("GpuCorr3dMM", contiguous_inputs=2)),
    OpSpec("Corr3dMM_gradInputs", gpu=GpuLowering("GpuCorr3dMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("Corr3dMM_gradWeights", gpu=GpuLowering("GpuCorr3dMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("CorrMM_gradInputs", gpu=GpuLowering("GpuCorrMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("CorrMM_gradWeights", gpu=GpuLowering("GpuCorrMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("CorrMM", input_ranks=(4, 4), output_ranks=(4,), gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    *alike("DnnConv DnnConvGradI DnnConvGradW", overwrites={0: (2,)}),
    OpSpec("AveragePoolGrad", gpu=GpuLowering(host_inputs_from=2, contiguous_inputs=2)),
    OpSpec("DownsampleFactorMaxGradGrad", gpu=GpuLowering(host_inputs_from=3)),
    OpSpec("MaxPoolGrad", gpu=GpuLowering(host_inputs_from=3, contiguous_inputs=3)),
    OpSpec("Pool", integers_from=1, gpu=GpuLowering(host_inputs_from=1, contiguous_inputs=1, under_same_rules=True)),
    OpSpec("Images2Neibs", integers_from=1, gpu=GpuLowering(host_inputs_from=1)),
    OpSpec("DnnRNNGradInputs", overwrites={1: (2,)}),
)
"""The entries of this family."""

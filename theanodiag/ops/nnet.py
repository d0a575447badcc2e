"""Catalogue entries of neural-network Ops: classes, convolutions, pooling, image neighbourhoods, cuDNN's recurrent layers.

Sources: Theano 1.0.5 tensor/nnet/nnet.py, abstract_conv.py, signal/pool.py, gpuarray/dnn.py.
"""

from __future__ import annotations

from .model import GpuLowering, OpInfo, alike

OPS = (
    OpInfo("CrossentropyCategorical1Hot", integers_from=1),
    OpInfo("CrossentropyCategorical1HotGrad", integers_from=2),
    OpInfo("CrossentropySoftmax1HotWithBiasDx", input_ranks=(1, 2, 1), output_ranks=(2,), integers_from=2),
    OpInfo("CrossentropySoftmaxArgmax1HotWithBias", input_ranks=(2, 1, 1), output_ranks=(1, 2, 1), integers_from=2),
    *alike("LogSoftmax SoftmaxGrad", gpu=GpuLowering(needs_cudnn=True)),
    OpInfo("SoftmaxWithBias", input_ranks=(2, 1), output_ranks=(2,)),
    *alike("AbstractConv2d ConvOp Conv2d", gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    OpInfo("AbstractConv2d_gradInputs", gpu=GpuLowering("GpuCorrMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpInfo("AbstractConv2d_gradWeights", gpu=GpuLowering("GpuCorrMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpInfo("AbstractConv3d", gpu=GpuLowering("GpuCorr3dMM", contiguous_inputs=2)),
    OpInfo("AbstractConv3d_gradInputs", gpu=GpuLowering("GpuCorr3dMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpInfo("AbstractConv3d_gradWeights", gpu=GpuLowering("GpuCorr3dMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpInfo("Corr3dMM", input_ranks=(5, 5), output_ranks=(5,), gpu=GpuLowering("GpuCorr3dMM", contiguous_inputs=2)),
    OpInfo("Corr3dMM_gradInputs", gpu=GpuLowering("GpuCorr3dMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpInfo("Corr3dMM_gradWeights", gpu=GpuLowering("GpuCorr3dMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpInfo("CorrMM_gradInputs", gpu=GpuLowering("GpuCorrMM_gradInputs", host_inputs_from=2, contiguous_inputs=2)),
    OpInfo("CorrMM_gradWeights", gpu=GpuLowering("GpuCorrMM_gradWeights", host_inputs_from=2, contiguous_inputs=2)),
    OpInfo("CorrMM", input_ranks=(4, 4), output_ranks=(4,), gpu=GpuLowering("LiftedCorrMM", contiguous_inputs=2)),
    *alike("DnnConv DnnConvGradI DnnConvGradW", overwrites={0: (2,)}),
    OpInfo("AveragePoolGrad", gpu=GpuLowering(host_inputs_from=2, contiguous_inputs=2)),
    OpInfo("DownsampleFactorMaxGradGrad", gpu=GpuLowering(host_inputs_from=3)),
    OpInfo("MaxPoolGrad", gpu=GpuLowering(host_inputs_from=3, contiguous_inputs=3)),
    OpInfo("Pool", integers_from=1, gpu=GpuLowering(host_inputs_from=1, contiguous_inputs=1, under_same_rules=True)),
    OpInfo("Images2Neibs", integers_from=1, gpu=GpuLowering(host_inputs_from=1)),
    OpInfo("DnnRNNGradInputs", overwrites={1: (2,)}),
)
"""The entries of this family."""

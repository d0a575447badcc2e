"""Memory effects of Ops that call cuDNN, cuSOLVER, MAGMA, cuFFT or warp-ctc, whose workspace only the library knows.

Source: Theano 1.0.5, gpuarray/c_code/dnn_fwd.c, dnn_gw.c, dnn_gi.c (`cudnnGetConvolution*WorkspaceSize`), gpuarray/linalg.py,
gpuarray/fft.py, gpuarray/c_code/ctc_wrapper.c. gpuarray/cudnn_defs.py: `none` is CUDNN_CONVOLUTION_FWD_ALGO_IMPLICIT_GEMM, and
..._BWD_FILTER_ALGO_0 and ..._BWD_DATA_ALGO_0 for gradients; `small` is ..._IMPLICIT_PRECOMP_GEMM and ..._BWD_FILTER_ALGO_3. NVIDIA's
documentation of cudnnConvolutionFwdAlgo_t and cudnnConvolutionBwdFilterAlgo_t: the former form no matrix and need no workspace, the latter
take some for precomputed indices.
"""

from __future__ import annotations

from ...ir import Unknown
from .base import Rule, Work, by_maps

WITHOUT_WORKSPACE = frozenset({"none"})
"""cuDNN algorithms that need no workspace."""


def dnn_conv(work: Work) -> None:
    """cuDNN convolutions: the output; the workspace is unknown unless the algorithm needs none."""
    by_maps(work)
    algorithm = work.params.get("algo")
    if algorithm not in WITHOUT_WORKSPACE:
        work.frame.note_unknown(work.node.outputs[0], Unknown(f"the workspace of cuDNN's algorithm {algorithm!r} is not known"))


def with_workspace(library: str) -> Rule:
    """The rule of Ops whose `library` takes a workspace of unknown size."""

    def rule(work: Work) -> None:
        by_maps(work)
        work.frame.note_unknown(work.node.outputs[0], Unknown(f"the workspace of {library} is not known"))

    return rule


RULES: dict[str, Rule] = {
    **dict.fromkeys(("GpuDnnConv", "GpuDnnConvGradW", "GpuDnnConvGradI"), dnn_conv),
    **dict.fromkeys(("GpuDnnRNNOp", "GpuDnnRNNGradInputs", "GpuDnnRNNGradWeights"), with_workspace("cuDNN's recurrent nets")),
    **dict.fromkeys(("GpuCusolverSolve", "GpuCublasTriangularSolve", "GpuCholesky"), with_workspace("cuSOLVER")),
    **dict.fromkeys(("GpuMagmaSVD", "GpuMagmaMatrixInverse", "GpuMagmaCholesky", "GpuMagmaQR", "GpuMagmaEigh"), with_workspace("MAGMA")),
    **dict.fromkeys(("CuRFFTOp", "CuIRFFTOp"), with_workspace("cuFFT")),
    "GpuConnectionistTemporalClassification": with_workspace("warp-ctc"),
}
"""Memory rule by class name of the Op."""

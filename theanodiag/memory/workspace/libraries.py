"""Ops that hand their work to cuDNN, cuSOLVER, MAGMA, cuFFT or warp-ctc: what those take beside the outputs only they can tell.

Source: Theano 1.0.5, gpuarray/c_code/dnn_fwd.c, dnn_gw.c, dnn_gi.c (`cudnnGetConvolution*WorkspaceSize`), gpuarray/linalg.py,
gpuarray/fft.py, gpuarray/c_code/ctc_wrapper.c. NVIDIA's documentation of cuDNN: the implicit product of matrices (`small`) and the
plain algorithms for gradients (`none`) need no workspace.
"""

from __future__ import annotations

from ...ir import Unknown
from .base import Rule, Work, by_maps

WITHOUT_WORKSPACE = frozenset({"small", "none"})


def dnn_conv(work: Work) -> None:
    """The output; the workspace is that of the algorithm, which the library may choose."""
    by_maps(work)
    algorithm = work.params.get("algo")
    if algorithm not in WITHOUT_WORKSPACE:
        work.frame.note_unknown(work.node.outputs[0], Unknown(f"the workspace of cuDNN's algorithm {algorithm!r} is not known"))


def with_workspace(library: str) -> Rule:
    """The rule of an op whose library takes a workspace that depends on it."""

    def rule(work: Work) -> None:
        by_maps(work)
        work.frame.note_unknown(work.node.outputs[0], Unknown(f"the workspace of {library} is not known"))

    return rule


RULES: dict[str, Rule] = {
    **dict.fromkeys(("GpuDnnConv", "GpuDnnConvGradW", "GpuDnnConvGradI"), dnn_conv),
    **dict.fromkeys(("GpuDnnRNNOp", "GpuDnnRNNGradInputs", "GpuDnnRNNGradWeights"), with_workspace("cuDNN's recurrent nets")),
    **dict.fromkeys(("GpuCusolverSolve", "GpuCublasTriangularSolve", "GpuCholesky"), with_workspace("cuSOLVER")),
    **dict.fromkeys(
        ("GpuMagmaSVD", "GpuMagmaMatrixInverse", "GpuMagmaCholesky", "GpuMagmaQR", "GpuMagmaEigh"), with_workspace("MAGMA")
    ),
    **dict.fromkeys(("CuRFFTOp", "CuIRFFTOp"), with_workspace("cuFFT")),
    "GpuConnectionistTemporalClassification": with_workspace("warp-ctc"),
}

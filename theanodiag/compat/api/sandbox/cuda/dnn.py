"""Serves `theano.sandbox.cuda.dnn` without cuDNN."""


def dnn_available() -> bool:
    """Always False: there is no GPU."""
    return False


dnn_available.msg = "PyTensor has no CUDA back-end"  # type: ignore[attr-defined]


def version() -> int:
    """Raises RuntimeError: there is no cuDNN."""
    raise RuntimeError("cuDNN is not available: PyTensor has no CUDA back-end")

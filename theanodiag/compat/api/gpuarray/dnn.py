"""Serves `theano.gpuarray.dnn` without cuDNN."""


def dnn_available() -> bool:
    """Always False: there is no GPU."""
    return False


def dnn_present() -> bool:
    """Always False: there is no GPU."""
    return False


for _asked in (dnn_available, dnn_present):
    _asked.avail, _asked.msg = False, "PyTensor has no CUDA back-end"  # type: ignore[attr-defined]


def version() -> int:
    """Raises RuntimeError: there is no cuDNN."""
    raise RuntimeError("cuDNN is not available: PyTensor has no CUDA back-end")

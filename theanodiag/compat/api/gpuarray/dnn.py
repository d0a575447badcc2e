"""`theano.gpuarray.dnn`: there is no cuDNN."""


def dnn_available() -> bool:
    """False: there is no GPU."""
    return False


def dnn_present() -> bool:
    """False: there is no GPU."""
    return False


for _asked in (dnn_available, dnn_present):
    _asked.avail, _asked.msg = False, "PyTensor has no CUDA back-end"  # type: ignore[attr-defined]


def version() -> int:
    """There is no cuDNN to have one."""
    raise RuntimeError("cuDNN is not available: PyTensor has no CUDA back-end")

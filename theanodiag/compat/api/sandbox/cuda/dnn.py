"""`theano.sandbox.cuda.dnn`: there is no cuDNN."""


def dnn_available() -> bool:
    """False: there is no GPU."""
    return False


dnn_available.msg = "PyTensor has no CUDA back-end"  # type: ignore[attr-defined]


def version() -> int:
    """There is no cuDNN to have one."""
    raise RuntimeError("cuDNN is not available: PyTensor has no CUDA back-end")

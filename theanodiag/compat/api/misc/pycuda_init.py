"""`theano.misc.pycuda_init`, which scripts ask whether there is PyCUDA."""

pycuda_available = False


def set_gpu_context() -> None:
    """Nothing: there is no context."""

"""Serves `theano.misc.pycuda_init`, by which scripts ask whether PyCUDA is available: it is not."""

pycuda_available = False


def set_gpu_context() -> None:
    """Does nothing: there is no GPU context."""

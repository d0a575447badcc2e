"""Serves `theano.gpuarray.subtensor` without a GPU: its Ops are placeholders for `isinstance` checks; no Op is an instance."""


class GpuSubtensor:
    """Placeholder for Theano's Op."""


class GpuIncSubtensor:
    """Placeholder for Theano's Op."""


class GpuAdvancedSubtensor1:
    """Placeholder for Theano's Op."""


class GpuAdvancedSubtensor:
    """Placeholder for Theano's Op."""


class GpuAdvancedIncSubtensor1:
    """Placeholder for Theano's Op."""


class GpuAdvancedIncSubtensor:
    """Placeholder for Theano's Op."""

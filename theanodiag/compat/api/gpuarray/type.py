"""Serves `theano.gpuarray.type` without a GPU: classes that nothing is an instance of, for `isinstance` checks."""


class GpuArrayType:
    """Placeholder for `isinstance` checks: no type is an instance."""


class GpuArrayVariable:
    """Placeholder for `isinstance` checks: no Variable is an instance."""


class GpuArrayConstant:
    """Placeholder for `isinstance` checks: no constant is an instance."""


class GpuArraySharedVariable:
    """Placeholder for `isinstance` checks: no shared variable is an instance."""


class ContextNotDefined(ValueError):
    """Raised by no function here: for `except` clauses."""

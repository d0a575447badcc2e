"""Reduction kernels as in pygpu/reduction.py 0.7.6.

Theano creates them during optimization and calls them only when functions run, which never happens here.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live


class ReductionKernel(object):
    """A reduction kernel that cannot be called."""

    def __init__(self, context: "Live", dtype_out: "Live", neutral: "Live", reduce_expr: str, redux: "Live", **options: "Live") -> None:
        self.context, self.dtype_out, self.redux = context, dtype_out, redux

    def __call__(self, *args: object, **kwargs: object) -> "Live":
        """Always raises NotImplementedError."""
        raise NotImplementedError("no reduction is computed without a device")

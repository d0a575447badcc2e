"""Reductions: pygpu/reduction.py 0.7.6. Theano makes kernels of this class only to call them, which nothing does here."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from ... import Live


class ReductionKernel(object):
    """A reduction that was never compiled."""

    def __init__(self, context: "Live", dtype_out: "Live", neutral: "Live", reduce_expr: str, redux: "Live", **options: "Live") -> None:
        self.context, self.dtype_out, self.redux = context, dtype_out, redux

    def __call__(self, *args: object, **kwargs: object) -> "Live":
        """Refuses."""
        raise NotImplementedError("no reduction is computed without a device")

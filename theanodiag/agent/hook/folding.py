"""Constant folding without a C compiler: while graphs are optimized, Ops with a Python implementation run in Python.

constant_folding of Theano and Aesara calls `op.make_thunk(...)`, which compiles C first (theano/tensor/opt.py 1.0.5,
aesara/tensor/rewriting/basic.py 2.9), and so do test values; values and types are the same in Python. Ops without a Python implementation
are compiled as usual. Functions that such an Op compiles for itself really compute, in Python.
"""

import functools

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .functions import Depths


class Folding(object):
    """Patches `make_thunk` of Ops so that the Python implementation is tried first."""

    def __init__(self, depths: "Depths") -> None:
        self.depths = depths

    def wrap(self, cls: "Live") -> None:
        """Wraps `cls.make_thunk` if the class itself defines it."""
        original = cls.__dict__.get("make_thunk")
        if original is not None:
            cls.make_thunk = functools.wraps(original)(self._python_first(original))

    def _python_first(self, original: "Live") -> "Live":
        def make_thunk(op: "Live", node: "Live", storage: "Live", computed: "Live", no_recycling: "Live", impl: "Live" = None) -> "Live":
            def make(kind: "Live") -> "Live":
                return self.counting(lambda: original(op, node, storage, computed, no_recycling, impl=kind))

            if impl is not None:
                return make(impl)
            try:
                thunk = make("py")
            except NotImplementedError:
                return make(impl)
            return PythonFirstThunk(self, thunk, lambda: make(impl))

        return make_thunk

    def counting(self, compute: "Callable[[], Live]") -> "Live":
        """Runs `compute` with computation enabled: functions compiled inside return real values, except while inner
        functions are prepared."""
        if self.depths.inner:
            return compute()
        self.depths.rewriting += 1
        try:
            return compute()
        finally:
            self.depths.rewriting -= 1


def seed_quickly(module: "Live") -> None:
    """Replaces the computation of thousands of random stream states in `sandbox/rng_mrg.py` by copies of one: no shape depends on them."""

    def get_substream_rstates(streams: "Live", n_streams: int, dtype: str, inc_rstate: bool = True) -> "Live":
        import numpy

        return numpy.tile(numpy.asarray(streams.rstate, dtype="int32"), (n_streams, 1))

    for value in list(vars(module).values()):
        if isinstance(value, type) and "get_substream_rstates" in value.__dict__:
            setattr(value, "get_substream_rstates", get_substream_rstates)


class PythonFirstThunk(object):
    """A Python thunk that switches to the compiled one if its first call shows that the Op has no Python implementation."""

    def __init__(self, folding: Folding, thunk: "Live", compiled: "Callable[[], Live]") -> None:
        self.folding = folding
        self.thunk = thunk
        self.compiled = compiled
        self.lazy = getattr(thunk, "lazy", False)
        self.inputs = getattr(thunk, "inputs", None)
        self.outputs = getattr(thunk, "outputs", None)

    def __call__(self) -> "Live":
        """Computes the node, in Python or with the compiled thunk."""
        return self.folding.counting(self._compute)

    def _compute(self) -> "Live":
        import numpy

        try:
            with numpy.errstate(all="ignore"):  # compiled C does not warn of infinities either
                return self.thunk()
        except Exception as error:
            if not isinstance(error, NotImplementedError) and type(error).__name__ != "MethodNotDefined":
                raise
            self.thunk = self.compiled()
            return self.thunk()

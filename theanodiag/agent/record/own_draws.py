"""Numbers that a script itself draws from distributions, by PyMC3's `.random()` or by `pm.draw`: data of its models may come from them.

They differ between libraries, so the second run gets those of the first, in the order of the calls.
"""

import contextlib
import functools
import os
import random
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live

MOST = 1000000
"""Number of elements up to which draws are kept."""
OURS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder of theanodiag, whose layer for PyMC3 calls `pm.draw` for a script."""


@contextlib.contextmanager
def unmoved_generators() -> "Iterator[None]":
    """Context manager that restores the states of NumPy's and Python's random generators at the end.

    Two releases of a sampler may draw from the generators in different ways; after the restoration, what a script draws is equal in both
    runs.
    """
    numpy = sys.modules["numpy"]
    state, own = numpy.random.get_state(), random.getstate()
    try:
        yield
    finally:
        numpy.random.set_state(state)
        random.setstate(own)


@contextlib.contextmanager
def moved_alike() -> "Iterator[None]":
    """Context manager after which the generators of NumPy and Python have moved by the same amount in both runs, whatever was drawn."""
    try:
        with unmoved_generators():
            yield
    finally:
        sys.modules["numpy"].random.random_sample(7)


class OwnDraws(object):
    """The draws of one run."""

    def __init__(self, is_library: "Callable[[str], bool]", given: "list[Live] | None") -> None:
        """`given`: the draws of the first run, None in that run itself."""
        self.is_library, self.given = is_library, given
        self.made = []  # type: list[Live]

    def follow(self, package: "Live") -> None:
        """Wraps the functions of `pymc3` or `pymc` that draw, after the package was imported."""
        if package.__name__ == "pymc" and callable(getattr(package, "draw", None)):
            package.draw = self._wrapped(package.draw)
        elif package.__name__ == "pymc3" and getattr(package, "__file__", None):  # the served one has no file, and draws by `pymc.draw`
            kinds = [package.distributions.distribution.Distribution]
            while kinds:
                kind = kinds.pop()
                kinds.extend(kind.__subclasses__())
                if callable(vars(kind).get("random")):
                    kind.random = self._wrapped(vars(kind)["random"])

    def _wrapped(self, own: "Live") -> "Live":
        @functools.wraps(own)
        def drawn(*args: "Live", **kwargs: "Live") -> "Live":
            if not self._is_of_script(sys._getframe(1)):
                return own(*args, **kwargs)
            with moved_alike():
                return self._same(own(*args, **kwargs))

        return drawn

    def _is_of_script(self, frame: "Live") -> bool:
        """Whether a script calls, also through the layer's `.random()`, which is its function `draws`, or through PyMC3's
        `InstanceMethod.__call__` (model.py).
        """
        if frame.f_code.co_name == "__call__" and frame.f_globals.get("__name__") == "pymc3.model":
            frame = frame.f_back
        if frame.f_code.co_filename.startswith(OURS) and frame.f_code.co_name == "draws":
            while frame is not None and frame.f_code.co_filename.startswith(OURS):
                frame = frame.f_back
        return frame is not None and not frame.f_code.co_filename.startswith(OURS) and not self.is_library(frame.f_code.co_filename)

    def _same(self, values: "Live") -> "Live":
        """The values, recorded; those of the first run if they have the same shape."""
        numpy = sys.modules["numpy"]
        if isinstance(values, (list, tuple)) or numpy.size(values) > MOST or numpy.asarray(values).dtype.kind not in "biuf":
            self.made.append(None)
            return values
        here = numpy.asarray(values)
        at = len(self.made)
        self.made.append(here.tolist())
        first = None if self.given is None or at >= len(self.given) else self.given[at]
        if first is None or numpy.shape(first) != here.shape:
            return values
        return numpy.asarray(first, dtype=here.dtype)

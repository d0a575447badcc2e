"""Keeps the numbers that random streams draw, or replaces them by those that another run kept (`--same-draws`).

Each variable that a stream returns passes through an Op of ours, numbered in the order in which the script asks for them. Its values are
files of the folder, numbered by how often it was computed.
"""

import functools
import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

MRG = ("uniform", "binomial", "multinomial", "choice", "multinomial_wo_replacement", "normal", "truncated_normal")
"""Methods of MRG streams that draw."""
STREAMS = {
    "theano.tensor.shared_randomstreams": {"RandomStreams": ("gen",)},
    "theano.sandbox.rng_mrg": {"MRG_RandomStreams": MRG},
    "aesara.tensor.random.utils": {"RandomStream": ("gen",)},
    "aesara.sandbox.rng_mrg": {"MRG_RandomStream": MRG, "MRG_RandomStreams": MRG},
    "pytensor.tensor.random.utils": {"RandomStream": ("gen",)},
    "_theanodiag_compat.random.streams": {"RandomStreams": ("gen",)},
    "_theanodiag_compat.random.mrg": {"MRG_RandomStreams": MRG},
    "theanodiag.compat.random.streams": {"RandomStreams": ("gen",)},
    "theanodiag.compat.random.mrg": {"MRG_RandomStreams": MRG},
}  # type: dict[str, dict[str, tuple[str, ...]]]
"""Module -> class of streams -> methods that return what is drawn."""
ALL = 1 << 30
"""Bytes of draws that are kept."""


class Draws(object):
    """The draws of one run; `keeps`: whether it writes them, else it reads them."""

    def __init__(self, folder: str, keeps: bool) -> None:
        self.folder, self.keeps, self.left = folder, keeps, ALL
        self.asked = 0  # streams were asked for so many variables
        self.depth = 0  # a method of a stream may call another
        self.times = {}  # type: dict[int, int]
        self.fed = self.own = 0
        self.peeking = False  # a value is computed a second time, and does not count
        self.op = None  # type: Live

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Module name -> what to do after it was imported."""
        return dict((name, functools.partial(self._wrap, classes)) for name, classes in STREAMS.items())

    def _wrap(self, classes: "dict[str, tuple[str, ...]]", module: "Live") -> None:
        for name, methods in classes.items():
            cls = getattr(module, name, None)
            for method in methods if isinstance(cls, type) else ():
                if method in cls.__dict__:
                    setattr(cls, method, self._wrapped(cls.__dict__[method]))

    def _wrapped(self, original: "Live") -> "Live":
        @functools.wraps(original)
        def method(*args: object, **kwargs: object) -> "Live":
            self.depth += 1
            try:
                drawn = original(*args, **kwargs)
            finally:
                self.depth -= 1
            return drawn if self.depth else self.passed(drawn)

        return method

    def passed(self, drawn: "Live") -> "Live":
        """The variable behind our Op, with the attributes that streams give what they return."""
        number, self.asked = self.asked, self.asked + 1
        through = self._op_of(drawn)(self, number)(drawn)
        for name in ("rng", "update"):
            if hasattr(drawn, name):
                setattr(through, name, getattr(drawn, name))
        through.name = drawn.name
        return through

    def _op_of(self, drawn: "Live") -> "Live":
        """The class of our Op, which is made once the framework is there."""
        if self.op is None:
            root = type(drawn.owner).__module__.split(".")[0]
            self.op = op_class(sys.modules[root + (".gof.op" if root == "theano" and root + ".gof.op" in sys.modules else ".graph.op")].Op)
        return self.op

    def value(self, number: int, drawn: "Live") -> "Live":
        """What the variable is to be: what was drawn, or what the other run drew there."""
        import numpy

        time = self.times.get(number, 0)
        if not self.peeking:
            self.times[number] = time + 1
        path = os.path.join(self.folder, "d%d-%d.npy" % (number, time))
        array = numpy.asarray(drawn)
        if self.keeps:
            if array.nbytes <= self.left and not os.path.exists(path):
                self.left -= array.nbytes
                numpy.save(path, array)
            return drawn
        kept = numpy.load(path, allow_pickle=False) if os.path.exists(path) else None
        if kept is None or kept.shape != array.shape:
            self.own += not self.peeking
            return drawn
        self.fed += not self.peeking
        return kept.astype(array.dtype)


def op_class(base: "Live") -> "Live":
    """An Op that hands its input on, through `Draws.value`."""

    class Drawn(base):  # type: ignore[misc]
        """What a stream draws."""

        __props__ = ("number",)

        def __init__(self, draws: Draws, number: int) -> None:
            self.draws, self.number = draws, number

        def make_node(self, drawn: "Live") -> "Live":
            """The node that reads the variable."""
            return type(drawn.owner)(self, [drawn], [drawn.type()])

        def perform(self, node: "Live", inputs: "Live", outputs: "Live", params: "Live" = None) -> None:
            """Hands the value on."""
            outputs[0][0] = self.draws.value(self.number, inputs[0])

        def infer_shape(self, *args: "Live") -> "Live":
            """The shape of the input."""
            return [args[-1][0]]

        def grad(self, inputs: "Live", gradients: "Live") -> "Live":
            """That of the identity."""
            return gradients

        def L_op(self, inputs: "Live", outputs: "Live", gradients: "Live") -> "Live":  # noqa: N802
            """That of the identity."""
            return gradients

        pullback = L_op

        def R_op(self, inputs: "Live", points: "Live") -> "Live":  # noqa: N802
            """That of the identity."""
            return points

        def pushforward(self, inputs: "Live", outputs: "Live", tangents: "Live") -> "Live":
            """That of the identity."""
            return tangents

        def do_constant_folding(self, *args: "Live") -> bool:
            """Never: it is computed as often as it is read."""
            return False

        def __str__(self) -> str:
            return "Drawn{%d}" % self.number

    return Drawn

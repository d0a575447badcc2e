"""Decides whether the stand-in is needed, and gives Theano the flags that it takes to start its GPU back-end.

That happens while Theano is imported, after it read THEANO_FLAGS and the rc files and before it looks at any flag, so that what the
script itself puts into os.environ counts too.
"""

import os

from . import compiler, cudnn, loading
from .device_request import CUDNN, DeviceRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from ..options import Options
    from ..stream import Stream

KINDS = ("cuda", "opencl")


class Unasked(object):
    """What there is where nobody asked about a GPU, or where values are computed."""

    assumed = None

    @staticmethod
    def actions() -> "dict[str, Callable[[Live], None]]":
        """Nothing to do."""
        return {}


def asked(options: "Options", stream: "Stream") -> "Activation | Unasked":
    """The stand-in that the options ask for."""

    def skip(what: str, reason: str) -> None:
        stream.emit("skipped", what=what, reason=reason)

    return Activation(DeviceRequest(options.gpu), skip) if options.gpu and options.dry else Unasked()


class Activation(object):
    """The stand-in in one process. `skip(what, reason)` tells the user why it was not used."""

    def __init__(self, request: DeviceRequest, skip: "Callable[[str, str], None]") -> None:
        self.request = request
        self.skip = skip
        self.active = False
        self.replaced = {}  # type: dict[str, object]  # flag -> what it would have been; None where nobody had set it
        self.cudnn = None  # type: int | None  # the version that is assumed

    @property
    def assumed(self) -> "dict[str, object] | None":
        """What the event `framework` tells of it: the flags that were replaced, and cuDNN's version."""
        return {"flags": dict(self.replaced), "cudnn": self.cudnn} if self.active else None

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """What to do after each module was imported, in the order in which Theano imports them."""
        return {
            "theano.configparser": self.flags_read,
            "theano.misc.windows": self.compiler_asked,
            "theano.gpuarray.dnn": self.cudnn_asked,
            "theano.gpuarray": self.started,
        }

    def flags_read(self, parser: "Live") -> None:
        """Theano knows the user's flags and has not used them yet."""
        reason = self.obstacle(parser)
        if reason is not None:
            self.skip("the graph on the GPU", reason)
        elif not self.real(parser):
            self.start(parser)

    def obstacle(self, parser: "Live") -> "str | None":
        """Why this Theano cannot run on a GPU through pygpu."""
        folder = os.path.dirname(os.path.abspath(parser.__file__))
        if not os.path.isdir(os.path.join(folder, "gpuarray")):
            return "this Theano is older than its gpuarray back-end (0.9)"
        if os.path.isdir(os.path.join(folder, "compile", "function")):  # Theano-PyMC: its `use` calls optdb.add_tags, which is gone
            return "Theano-PyMC's gpuarray back-end does not start on any GPU"
        if (self.flag(parser, "device") or self.flag(parser, "init_gpu_device") or "").startswith("gpu"):
            return "the flags ask for Theano's old CUDA back-end (device=gpu), which has no stand-in; device=cuda is the new one"
        return None

    @staticmethod
    def flag(parser: "Live", name: str) -> "str | None":
        """What the user set, in THEANO_FLAGS or an rc file."""
        try:
            return str(parser.fetch_val_for_key(name)).strip()
        except KeyError:
            return None

    def devices(self, parser: "Live") -> "list[str]":
        """The devices that the user's flags name, CPU apart."""
        contexts = self.flag(parser, "contexts") or ""
        named = [self.flag(parser, "device"), self.flag(parser, "init_gpu_device")]
        named += [part.split("->")[-1].strip() for part in contexts.split(";")]
        return [name for name in named if name and name.startswith(KINDS)]

    def dnn(self, parser: "Live") -> str:
        """The flag dnn.enabled in lower case."""
        return (self.flag(parser, "dnn.enabled") or "auto").lower()

    def real(self, parser: "Live") -> bool:
        """Whether the script opens a device that is there, and the graph depends on what only that knows: if there is cuDNN.

        Otherwise the stand-in is better: it takes no memory of a device that others use, and is of the size asked about.
        """
        named = self.devices(parser)
        if not named or self.dnn(parser) == "false" or self.request.cudnn is not None:
            return False
        return all(loading.has_device("cuda" if name.startswith("cuda") else "opencl") for name in named)

    def start(self, parser: "Live") -> None:
        """Puts the stand-in in place."""
        self.active = True
        loading.load(self.request)
        os.environ.pop("THEANO_GPU_IS_ALREADY_ACTIVE", None)
        if not self.devices(parser):
            self.replace(parser, "device", "cuda0")
        if self.flag(parser, "print_active_device") is None:
            self.replace(parser, "print_active_device", "False")
        wanted = self.dnn(parser)
        if wanted != "false":
            self.cudnn = self.request.cudnn or (CUDNN if wanted == "true" else None)
            self.replace(parser, "dnn.enabled", "False")

    def replace(self, parser: "Live", name: str, value: str) -> None:
        """Sets a flag as THEANO_FLAGS would."""
        self.replaced[name] = self.flag(parser, name)
        parser.THEANO_FLAGS_DICT[name] = value

    def compiler_asked(self, windows: "Live") -> None:
        """Theano is about to look for a compiler."""
        compiler.seen(windows, lambda: self.active)

    def cudnn_asked(self, dnn: "Live") -> None:
        """Theano has looked for cuDNN; it was told not to find it."""
        if self.active and self.cudnn is not None:
            cudnn.seen(dnn, self.cudnn)

    def started(self, backend: "Live") -> None:
        """Theano's back-end is complete and has opened its devices."""
        if self.active:
            from . import folding  # numpy is there by now

            folding.seen(backend)

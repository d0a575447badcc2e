"""Decides whether the stand-in for a GPU is needed, and sets the flags with which Theano starts its GPU back-end.

The flags are set while Theano is imported, after it read THEANO_FLAGS and the rc files and before it looks at any flag, so that what the
script itself puts into os.environ counts too.
"""

import os

from . import device, toolchain
from .device import CUDNN, DeviceRequest

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from ..hook.options import Options
    from ..hook.stream import Stream

KINDS = ("cuda", "opencl")
"""Prefixes of the names of devices that gpuarray serves."""


class NoStandIn(object):
    """No stand-in: nobody asked about a GPU, or values are really computed."""

    assumed = None

    @staticmethod
    def actions() -> "dict[str, Callable[[Live], None]]":
        """Module name -> what to do after it was imported: nothing."""
        return {}


def activation_of(options: "Options", stream: "Stream") -> "Activation | NoStandIn":
    """The Activation for the device of the options; NoStandIn where there is none or calls are real."""

    def skip(what: str, reason: str) -> None:
        stream.emit("skipped", what=what, reason=reason)

    return Activation(DeviceRequest(options.gpu), skip) if options.gpu and options.dry else NoStandIn()


class Activation(object):
    """The stand-in in one process. `skip(what, reason)` reports why it was not used."""

    def __init__(self, request: DeviceRequest, skip: "Callable[[str, str], None]") -> None:
        self.request = request
        self.skip = skip
        self.active = False
        self.replaced = {}  # type: dict[str, object]  # flag -> what it would have been; None where nobody had set it
        self.cudnn = None  # type: int | None  # the version that is assumed

    @property
    def assumed(self) -> "dict[str, object] | None":
        """The field `assumed` of the event `framework`: the replaced flags and the version of cuDNN; None while inactive."""
        return {"flags": dict(self.replaced), "cudnn": self.cudnn} if self.active else None

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Module name -> what to do after it was imported, in the order in which Theano imports them."""
        return {
            "theano.configparser": self.flags_read,
            "theano.misc.windows": self.compiler_asked,
            "theano.gpuarray.dnn": self.cudnn_asked,
            "theano.gpuarray": self.started,
        }

    def flags_read(self, parser: "Live") -> None:
        """Starts the stand-in if it is needed: called after theano.configparser was imported, when the user's flags are read and none was
        used.
        """
        reason = self.obstacle(parser)
        if reason is not None:
            self.skip("the graph on the GPU", reason)
        elif not self.real(parser):
            self.start(parser)

    def obstacle(self, parser: "Live") -> "str | None":
        """Why this Theano cannot run on a GPU through pygpu; None where it can."""
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
        """The value that the user gave a flag in THEANO_FLAGS or an rc file; None where it was not given."""
        try:
            return str(parser.fetch_val_for_key(name)).strip()
        except KeyError:
            return None

    def devices(self, parser: "Live") -> "list[str]":
        """The GPUs that the user's flags name."""
        contexts = self.flag(parser, "contexts") or ""
        named = [self.flag(parser, "device"), self.flag(parser, "init_gpu_device")]
        named += [part.split("->")[-1].strip() for part in contexts.split(";")]
        return [name for name in named if name and name.startswith(KINDS)]

    def dnn(self, parser: "Live") -> str:
        """The flag dnn.enabled in lower case, `auto` where it was not given."""
        return (self.flag(parser, "dnn.enabled") or "auto").lower()

    def real(self, parser: "Live") -> bool:
        """Whether the real device is to be used: the script opens one that is there, and the graph depends on whether it has cuDNN.

        Otherwise the stand-in is better: it takes no memory of a device that others use, and has the size asked about.
        """
        named = self.devices(parser)
        if not named or self.dnn(parser) == "false" or self.request.cudnn is not None:
            return False
        return all(device.has_device("cuda" if name.startswith("cuda") else "opencl") for name in named)

    def start(self, parser: "Live") -> None:
        """Puts the stand-in for pygpu in place and sets the flags for it."""
        self.active = True
        device.load(self.request)
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
        """Sets a flag as if it stood in THEANO_FLAGS, and remembers the user's value."""
        self.replaced[name] = self.flag(parser, name)
        parser.THEANO_FLAGS_DICT[name] = value

    def compiler_asked(self, windows: "Live") -> None:
        """Makes the check for a C++ compiler succeed: called after theano.misc.windows was imported."""
        toolchain.present_compiler(windows, lambda: self.active)

    def cudnn_asked(self, dnn: "Live") -> None:
        """Sets the assumed version of cuDNN, which Theano was told not to look for: called after theano.gpuarray.dnn was imported."""
        if self.active and self.cudnn is not None:
            toolchain.present_cudnn(dnn, self.cudnn)

    def started(self, backend: "Live") -> None:
        """Replaces what Theano would compute on the device: called after theano.gpuarray was imported."""
        if self.active:
            from . import folding  # numpy is there by now

            folding.seen(backend)

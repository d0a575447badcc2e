"""The simulated GPU: decides whether it is needed, sets the flags that start Theano's GPU back-end, and makes `pygpu` importable.

The flags are set during the import of Theano: after it has read THEANO_FLAGS and the rc files, so that changes of os.environ by the script
count, and before it uses any flag.

Theano's checks for a C++ compiler and for cuDNN succeed also where there is neither. Without a compiler Theano opens no device
(theano/gpuarray/__init__.py: init_dev), skips the optimizations tagged `cxx_only` (compile/mode.py) and selects another linker
(configdefaults.py), so the graph would differ from that on the machine with the card. Of cuDNN only its presence and version are simulated,
since graphs depend on nothing else (theano/gpuarray/dnn.py).
"""

import importlib
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from ..hook.session import Options
    from ..hook.stream import Stream


CAPABILITY = (6, 1)
"""Compute capability where none was given: Pascal, for which Theano 1.0 was tuned.

Graphs depend on it below 3.0 (no cuDNN) and, in Theano 0.9, below 2.0.
"""
CUDNN = 7605
"""The version of cuDNN where the script insists on one: the last cuDNN 7, the newest that Theano 1.0.5 knows (theano/gpuarray/dnn.py:
_dnn_check_version).
"""


class DeviceRequest(object):
    """The GPU to simulate, from the `gpu` object of the options; sizes in bytes."""

    def __init__(self, data: "dict[str, Live]") -> None:
        self.name = str(data.get("name") or "stand-in")
        self.total_bytes = int(data["total_bytes"])
        free = data.get("free_bytes")
        self.free_bytes = self.total_bytes if free is None else int(free)
        self.capability = tuple(data.get("capability") or CAPABILITY)  # type: Live
        self.cudnn = data.get("cudnn")  # type: int | None  # version; None: no cuDNN, unless the script's flags require it


FOLDER = os.path.dirname(os.path.abspath(__file__))
"""The folder that holds the stand-in's package `pygpu`."""


def has_device(kind: str) -> bool:
    """Whether an installed pygpu finds a device of this kind, `cuda` or `opencl`."""
    try:
        return bool(importlib.import_module("pygpu.gpuarray").count_devices(kind, 0))
    except Exception:  # no pygpu, no libgpuarray, no driver: each fails in its own way
        return False


def forget() -> None:
    """Removes pygpu, or the rest of a failed import of it, from sys.modules."""
    for name in list(sys.modules):
        if name == "pygpu" or name.startswith("pygpu."):
            del sys.modules[name]


def load(request: DeviceRequest) -> None:
    """Imports the simulated package as `pygpu` and sets its device. Writes no bytecode files."""
    forget()
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    sys.path.insert(0, FOLDER)
    try:
        importlib.import_module("pygpu")
    finally:
        sys.path.remove(FOLDER)
        sys.dont_write_bytecode = keep
    context = sys.modules["pygpu.gpuarray"]
    context.chosen[0] = context.Device(request.name, request.total_bytes, request.free_bytes, request.capability)


LAZY_LINKER = "theano.gof.lazylinker_c"
"""The module of the virtual machine in C, whose import must fail as it does without a compiler."""


class EmptyModule(types.ModuleType):
    """An empty module in place of one that Theano 0.9 compiles at import (theano/gof/cutils.py). Theano 1.0 compiles it only to run C
    code."""

    inplace_increment = None


CUTILS = ("theano.gof.cutils", "cutils_ext", "cutils_ext.cutils_ext")
"""Modules that are replaced by empty ones."""


def present_compiler(windows: "Live", wanted: "Callable[[], bool]") -> None:
    """Wraps `call_subprocess_Popen` of theano.misc.windows so that `g++ -v` succeeds while `wanted()` is true.

    Other compiler runs still fail.
    """
    original = windows.call_subprocess_Popen

    def call_subprocess_Popen(command: "Live", **params: "Live") -> "Live":  # noqa: N802  # Theano's own name
        if not wanted():
            return original(command, **params)
        code = status(original, command, params)
        if code and list(command) == ["g++", "-v"]:
            sys.modules.setdefault(LAZY_LINKER, None)  # type: ignore[arg-type]  # its import fails at once, as without a compiler
            for name in CUTILS:
                sys.modules.setdefault(name, EmptyModule(name))
            return 0
        return code

    windows.call_subprocess_Popen = call_subprocess_Popen


def status(original: "Live", command: "Live", params: "Live") -> "Live":
    """The exit status of a command; 1 if it does not exist."""
    try:
        return original(command, **params)
    except OSError:
        return 1


class Library(object):
    """Replaces the loaded cuDNN library."""

    @staticmethod
    def cudnnCreate(handle: "Live") -> int:  # noqa: N802  # cuDNN's own name
        """Returns CUDNN_STATUS_SUCCESS and creates nothing."""
        return 0


def present_cudnn(dnn: "Live", version: int) -> None:
    """Marks cuDNN as found, with this version, in theano.gpuarray.dnn. Theano still checks whether the device supports it."""
    dnn.dnn_present.avail, dnn.dnn_present.msg = True, None
    dnn.version.v = version
    if hasattr(dnn, "_dnn_lib"):
        dnn._dnn_lib.handle = Library()
    else:
        dnn._make_handle = lambda context: None


KINDS = ("cuda", "opencl")
"""Prefixes of the names of devices that gpuarray serves."""


class NoStandIn(object):
    """Used instead of an Activation if no GPU was requested or if functions really compute."""

    assumed = None

    @staticmethod
    def actions() -> "dict[str, Callable[[Live], None]]":
        """Module name -> function to call after its import: empty."""
        return {}


def activation_of(options: "Options", stream: "Stream") -> "Activation | NoStandIn":
    """The Activation for the GPU in the options; NoStandIn if no GPU was requested or functions really compute."""

    def skip(what: str, reason: str) -> None:
        stream.emit("skipped", what=what, reason=reason)

    return Activation(DeviceRequest(options.gpu), skip) if options.gpu and options.dry else NoStandIn()


class Activation(object):
    """The simulated GPU of one process. `skip(what, reason)` reports why it was not used."""

    def __init__(self, request: DeviceRequest, skip: "Callable[[str, str], None]") -> None:
        self.request = request
        self.skip = skip
        self.active = False
        self.replaced = {}  # type: dict[str, object]  # flag -> the user's value; None if it was not set
        self.cudnn = None  # type: int | None  # the assumed version

    @property
    def assumed(self) -> "dict[str, object] | None":
        """The field `assumed` of the event `framework`: replaced flags and assumed cuDNN version; None while inactive."""
        return {"flags": dict(self.replaced), "cudnn": self.cudnn} if self.active else None

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Module name -> function to call after its import, in the order in which Theano imports them."""
        return {
            "theano.configparser": self.after_configparser,
            "theano.misc.windows": self.after_windows,
            "theano.gpuarray.dnn": self.after_dnn,
            "theano.gpuarray": self.after_gpuarray,
        }

    def after_configparser(self, parser: "Live") -> None:
        """Starts the simulation if it is needed. Called after the import of theano.configparser: the flags have been read, none has been
        used."""
        reason = self.obstacle(parser)
        if reason is not None:
            self.skip("the graph on the GPU", reason)
        elif not self.uses_real_device(parser):
            self.start(parser)

    def obstacle(self, parser: "Live") -> "str | None":
        """Why this Theano cannot run on a GPU through pygpu; None if it can."""
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
        """The user's value of a flag, from THEANO_FLAGS or an rc file; None if it is not set."""
        try:
            return str(parser.fetch_val_for_key(name)).strip()
        except KeyError:
            return None

    def devices(self, parser: "Live") -> "list[str]":
        """The GPU devices named in the user's flags."""
        contexts = self.flag(parser, "contexts") or ""
        named = [self.flag(parser, "device"), self.flag(parser, "init_gpu_device")]
        named += [part.split("->")[-1].strip() for part in contexts.split(";")]
        return [name for name in named if name and name.startswith(KINDS)]

    def dnn_enabled(self, parser: "Live") -> str:
        """The flag dnn.enabled in lower case; `auto` if it is not set."""
        return (self.flag(parser, "dnn.enabled") or "auto").lower()

    def uses_real_device(self, parser: "Live") -> bool:
        """Whether to use the real device: the script's flags name one that exists, and the graph depends on whether cuDNN is available.

        Otherwise the simulation is preferred: it takes no memory on a device that others use, and has the requested size.
        """
        named = self.devices(parser)
        if not named or self.dnn_enabled(parser) == "false" or self.request.cudnn is not None:
            return False
        return all(has_device("cuda" if name.startswith("cuda") else "opencl") for name in named)

    def start(self, parser: "Live") -> None:
        """Makes the simulated pygpu importable and sets the flags for it."""
        self.active = True
        load(self.request)
        os.environ.pop("THEANO_GPU_IS_ALREADY_ACTIVE", None)
        if not self.devices(parser):
            self.replace(parser, "device", "cuda0")
        if self.flag(parser, "print_active_device") is None:
            self.replace(parser, "print_active_device", "False")
        wanted = self.dnn_enabled(parser)
        if wanted != "false":
            self.cudnn = self.request.cudnn or (CUDNN if wanted == "true" else None)
            self.replace(parser, "dnn.enabled", "False")

    def replace(self, parser: "Live", name: str, value: str) -> None:
        """Sets a flag as if it stood in THEANO_FLAGS, and stores the user's value in `replaced`."""
        self.replaced[name] = self.flag(parser, name)
        parser.THEANO_FLAGS_DICT[name] = value

    def after_windows(self, windows: "Live") -> None:
        """Makes the check for a C++ compiler succeed. Called after the import of theano.misc.windows."""
        present_compiler(windows, lambda: self.active)

    def after_dnn(self, dnn: "Live") -> None:
        """Sets the assumed cuDNN version; Theano's own search is switched off. Called after the import of theano.gpuarray.dnn."""
        if self.active and self.cudnn is not None:
            present_cudnn(dnn, self.cudnn)

    def after_gpuarray(self, backend: "Live") -> None:
        """Replaces the computations that Theano would run on the device. Called after the import of theano.gpuarray."""
        if self.active:
            from . import gpu_folding  # numpy has been imported at this point

            gpu_folding.patch_folding(backend)

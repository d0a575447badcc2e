"""Restores the names that Theano lost from 0.6 to 1.0.5, so that older scripts run on Theano itself. For CPython 2.7 and 3.

An existing module is not replaced; missing names are added to it right after its import.
"""

import importlib
import sys
import types
import warnings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

CHANNELS_FIRST = (0, 4, 1, 2, 3)
"""Order of axes that turns (batch, row, column, time, channel) into (batch, channel, row, column, time)."""
CHANNELS_LAST = (0, 2, 3, 4, 1)
"""Order of axes that turns (batch, channel, row, column, time) into (batch, row, column, time, channel)."""


class Volumes(object):
    """conv3D of Theano until 0.9 and its two gradients, with the axes (batch, row, column, time, channel), based on later convolutions.

    Nothing is flipped: output[b, r, c, t, j] = bias[j] + the sum of W[j, k, l, m, z] * V[b, d0 r + k, d1 c + l, d2 t + m, z]. They work
    with any framework: its `tensor` module, conv3d and the two gradients of conv3d are passed to the constructor.
    """

    def __init__(self, tensor: "Any", conv3d: "Any", wrt_inputs: "Any", wrt_weights: "Any") -> None:
        self.tensor, self.conv3d, self.wrt_inputs, self.wrt_weights = tensor, conv3d, wrt_inputs, wrt_weights

    def _strides(self, d: "Any") -> "Any":
        """The strides `d` as ints. Raises NotImplementedError if they are symbolic."""
        try:
            given = d if isinstance(d, (tuple, list)) else self.tensor.as_tensor_variable(d).data
            return tuple(int(n.data if hasattr(n, "data") else n) for n in given)
        except (AttributeError, TypeError):
            raise NotImplementedError("conv3D takes strides that are known when the graph is built, such as (1, 1, 1)")

    def _first(self, x: "Any") -> "Any":
        """`x` with its channels as axis 1."""
        return self.tensor.as_tensor_variable(x).dimshuffle(*CHANNELS_FIRST)

    def _last(self, x: "Any", b: "Any" = None) -> "Any":
        """`x` with its channels as the last axis, plus the bias `b` of each channel."""
        out = x.dimshuffle(*CHANNELS_LAST)
        return out if b is None else out + self.tensor.as_tensor_variable(b)

    def conv3D(self, V: "Any", W: "Any", b: "Any", d: "Any") -> "Any":
        """Returns the cross-correlation of the volumes `V` with the filters `W` at strides `d`, plus the bias `b` of each filter."""
        out = self.conv3d(self._first(V), self._first(W), border_mode="valid", subsample=self._strides(d), filter_flip=False)
        return self._last(out, b)

    def convGrad3D(self, V: "Any", d: "Any", WShape: "Any", dCdH: "Any") -> "Any":
        """Returns the gradient of the filters of conv3D, of shape `WShape`, from the output's gradient `dCdH`."""
        lengths = self.tensor.as_tensor_variable(WShape)
        options = {"border_mode": "valid", "subsample": self._strides(d), "filter_flip": False}
        shape = (None, None, lengths[1], lengths[2], lengths[3])
        return self._last(self.wrt_weights(self._first(V), self._first(dCdH), shape, **options))

    def convTransp3D(self, W: "Any", b: "Any", d: "Any", H: "Any", RShape: "Any" = None) -> "Any":
        """Returns the gradient of the volumes of conv3D from the output's gradient `H`, plus the bias `b` of each channel.

        `RShape` is (rows, columns, times) of the volumes; the default and minimum is the smallest shape that gives this output.
        """
        t, strides = self.tensor, self._strides(d)
        filters, given = t.as_tensor_variable(W), t.as_tensor_variable(H)
        lengths = [(given.shape[axis + 1] - 1) * strides[axis] + filters.shape[axis + 1] for axis in range(3)]
        if RShape is not None:
            shape = t.as_tensor_variable(RShape)
            lengths = [t.maximum(shape[axis], lengths[axis]) for axis in range(3)]
        options = {"border_mode": "valid", "subsample": strides, "filter_flip": False}
        return self._last(self.wrt_inputs(self._first(given), self._first(filters), (None, None) + tuple(lengths), **options), b)


_NO_CUDA = "theano.sandbox.cuda is not part of this Theano; its GPU back-end is theano.gpuarray (THEANO_FLAGS=device=cuda0)"


def _from(*names: str) -> "Any":
    """A function that returns the public names of the modules `names` as a dict."""
    return lambda: dict((n, v) for name in names for n, v in vars(importlib.import_module(name)).items() if not n.startswith("__"))


def max_pool_2d(
    input: "Any", ds: "Any", ignore_border: "Any" = None, st: "Any" = None, padding: "Any" = (0, 0), mode: str = "max"
) -> "Any":
    """`theano.tensor.signal.downsample.max_pool_2d`: pool_2d with its older argument names."""
    pool = importlib.import_module("theano.tensor.signal.pool")
    if ignore_border is None:
        warnings.warn("max_pool_2d() without ignore_border takes False here, as it did; pool_2d takes True", stacklevel=2)
    return pool.pool_2d(input, ws=ds, ignore_border=bool(ignore_border), stride=st, pad=padding, mode=mode)


class DownsampleFactorMax(object):
    """The former pooling Op: window, stride and padding are constructor arguments, while Pool takes them as inputs."""

    def __init__(self, ds: "Any", ignore_border: bool = False, st: "Any" = None, padding: "Any" = (0, 0), mode: str = "max") -> None:
        self.ds, self.ignore_border, self.st, self.padding, self.mode = tuple(ds), ignore_border, st, padding, mode

    def __call__(self, x: "Any") -> "Any":
        """The images `x`, pooled."""
        return max_pool_2d(x, self.ds, self.ignore_border, self.st, self.padding, self.mode)

    @staticmethod
    def out_shape(imgshape: "Any", ds: "Any", ignore_border: bool = False, st: "Any" = None, padding: "Any" = (0, 0)) -> "Any":
        """Returns the shape of the pooled array for images of shape `imgshape`."""
        pool = importlib.import_module("theano.tensor.signal.pool").Pool
        return pool.out_shape(imgshape, ds, ignore_border=ignore_border, stride=st, pad=padding)


def _downsample() -> "dict[str, Any]":
    """Names of `theano.tensor.signal.downsample`."""
    names = _from("theano.tensor.signal.pool")()  # type: dict[str, Any]
    names.update(max_pool_2d=max_pool_2d, max_pool2D=max_pool_2d, DownsampleFactorMax=DownsampleFactorMax)
    names["DownsampleFactorMaxGrad"] = names["MaxPoolGrad"]
    return names


def _python2x() -> "dict[str, Any]":
    """Names of `theano.compat.python2x` and `theano.gof.python25`: parts of the standard library that Python 2.4 lacked."""
    import collections
    import functools
    import itertools

    names = _from("theano.compat")()  # type: dict[str, Any]
    names.update(OrderedDict=collections.OrderedDict, Counter=collections.Counter, deque=collections.deque, maxsize=sys.maxsize)
    names.update(partial=functools.partial, combinations=itertools.combinations, product=itertools.product, all=all, any=any)
    names["defaultdict"] = collections.defaultdict
    return names


def _conv3d() -> "dict[str, Any]":
    """Names of `theano.tensor.nnet.Conv3D`, ConvGrad3D and ConvTransp3D."""
    conv = importlib.import_module("theano.tensor.nnet.abstract_conv")
    tensor = importlib.import_module("theano.tensor")
    volumes = Volumes(tensor, conv.conv3d, conv.conv3d_grad_wrt_inputs, conv.conv3d_grad_wrt_weights)
    return {"conv3D": volumes.conv3D, "convGrad3D": volumes.convGrad3D, "convTransp3D": volumes.convTransp3D}


def _use(device: "Any", *args: "Any", **kwargs: "Any") -> None:
    """`theano.sandbox.cuda.use`: does nothing for "cpu". Raises RuntimeError for another device."""
    if str(device) != "cpu":
        raise RuntimeError(_NO_CUDA)


def _cuda() -> "dict[str, Any]":
    """The names of `theano.sandbox.cuda`, with values that report that there is no GPU."""
    return {
        "cuda_available": False, "cuda_enabled": False, "cuda_initialization_error_message": _NO_CUDA, "use": _use,
        "CudaNdarrayType": type("CudaNdarrayType", (), {}), "CudaNdarrayVariable": type("CudaNdarrayVariable", (), {}),
        "CudaNdarraySharedVariable": type("CudaNdarraySharedVariable", (), {}),
    }  # fmt: skip


def _dnn() -> "dict[str, Any]":
    """The names of `theano.sandbox.cuda.dnn`, with values that report that there is no cuDNN."""

    def dnn_available() -> bool:
        """Always False."""
        return False

    dnn_available.msg = _NO_CUDA  # type: ignore[attr-defined]
    return {"dnn_available": dnn_available}


def _hash() -> "dict[str, Any]":
    """The hash of the flags under its old name; empty for Theano-PyMC, where it is a method of the flags."""
    own = getattr(importlib.import_module("theano.configparser"), "get_config_hash", None)  # type: Any
    return {} if own is None else {"get_config_md5": own}


MODULES = {
    "theano.tensor.signal.downsample": _downsample,
    "theano.sandbox.downsample": _downsample,
    "theano.compat.python2x": _python2x,
    "theano.gof.python25": _python2x,
    "theano.tensor.randomstreams": _from("theano.tensor.shared_randomstreams"),
    "theano.tensor.nnet.Conv3D": _conv3d,
    "theano.tensor.nnet.ConvGrad3D": _conv3d,
    "theano.tensor.nnet.ConvTransp3D": _conv3d,
    "theano.sandbox.scan": _from("theano.scan_module"),
    "theano.sandbox.linalg.kron": _from("theano.tensor.slinalg"),
    "theano.sandbox.cuda": _cuda,
    "theano.sandbox.cuda.dnn": _dnn,
    "theano.sandbox.cuda.type": _from("theano.sandbox.cuda"),
    "theano.sandbox.cuda.var": _from("theano.sandbox.cuda"),
}
"""Name of a removed module -> function that returns its names."""
_RUINS = "theano.sandbox.cuda"
"""A package that consists only of a file that raises an exception in Theano 0.10 and later."""
ADDED = {
    "theano.tensor": lambda: {"shared": importlib.import_module("theano.compile").shared},
    "theano.tensor.nnet": _conv3d,
    "theano.updates": lambda: {"Updates": importlib.import_module("theano.updates").OrderedUpdates},
    "theano.configparser": _hash,
}
"""Name of a module that lost names -> function that returns them."""
_SIX = "theano.compat.six"


def _theano() -> "tuple[int, ...]":
    """(major, minor) of the Theano that is being imported; (1, 0) until its version is known."""
    version = getattr(sys.modules.get("theano"), "__version__", "1.0.5")
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


class OldNames(object):
    """An import finder and loader that serves the removed modules and adds names to those in ADDED."""

    def __init__(self) -> None:
        self.busy = set()  # type: set[str]

    def gone(self, name: str) -> bool:
        """Returns whether `name` is one of the removed modules and this Theano lacks it."""
        if name in self.busy or not (name in MODULES or name == _SIX or name.startswith(_SIX + ".")) or _theano() < (0, 10):
            return False
        return name.startswith(_RUINS) or not self._there(name)

    def _there(self, name: str) -> bool:
        """Whether another finder finds the module `name`."""
        parent, _, last = name.rpartition(".")
        path = getattr(sys.modules.get(parent), "__path__", None)
        self.busy.add(name)
        try:
            if sys.version_info[0] == 2:
                import imp

                imp.find_module(last, path)
                return True
            import importlib.util

            return importlib.util.find_spec(name) is not None
        except (ImportError, ValueError):
            return False
        finally:
            self.busy.discard(name)

    def find_spec(self, name: str, path: object = None, target: object = None) -> "Any":
        """CPython 3: the spec of a removed module, or of one in ADDED with a loader that adds the names; None for others."""
        if self.gone(name):
            from importlib.machinery import ModuleSpec

            return ModuleSpec(name, self, is_package=True)  # type: ignore[arg-type]
        if name not in ADDED or name in self.busy:
            return None
        import importlib.util

        self.busy.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.busy.discard(name)
        if spec is not None and hasattr(spec.loader, "exec_module"):
            _add_after(spec.loader)
        return spec

    def create_module(self, spec: "Any") -> "Any":
        """CPython 3: the library six for `theano.compat.six`, else None for an ordinary module."""
        return importlib.import_module(spec.name[len("theano.compat.") :]) if spec.name.startswith(_SIX) else None

    def exec_module(self, module: "Any") -> None:
        """Fills the removed module with its names (CPython 3)."""
        if module.__name__ in MODULES:
            vars(module).update(MODULES[module.__name__]())

    def find_module(self, name: str, path: object = None) -> "Any":
        """CPython 2.7: this object as the loader of a module in MODULES or ADDED, else None."""
        return self if sys.version_info[0] == 2 and (self.gone(name) or (name in ADDED and name not in self.busy)) else None

    def load_module(self, name: str) -> "Any":
        """Loader for CPython 2.7: returns the removed module with its names, or the existing module with its lost names added."""
        if name.startswith(_SIX):
            sys.modules[name] = importlib.import_module(name[len("theano.compat.") :])
        elif name in MODULES:
            module = sys.modules[name] = types.ModuleType(name)
            module.__path__ = []
            module.__file__, module.__loader__ = __file__, self
            vars(module).update(MODULES[name]())
        else:
            self.busy.add(name)
            try:
                __import__(name)
            finally:
                self.busy.discard(name)
            _add(sys.modules[name])
        return sys.modules[name]


def _add(module: "Any") -> None:
    """Adds to `module` the names that it lost, unless they exist."""
    if _theano() >= (0, 10):
        given = ADDED[module.__name__]  # type: Any
        for name, value in given().items():
            if not hasattr(module, name):
                setattr(module, name, value)


def _add_after(loader: "Any") -> None:
    """Makes `loader` add the lost names after it has executed its module."""
    execute = loader.exec_module  # type: Any

    def exec_module(module: "Any") -> None:
        execute(module)
        _add(module)

    loader.exec_module = exec_module


def install() -> None:
    """Installs the finder, once; modules that are already imported get their names immediately."""
    if any(type(finder).__name__ == "OldNames" for finder in sys.meta_path):
        return
    sys.meta_path.insert(0, OldNames())
    for name in ADDED:
        if sys.modules.get(name) is not None and not hasattr(sys.modules["theano"], "__theanodiag_alias_of__"):
            _add(sys.modules[name])

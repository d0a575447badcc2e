"""`theano.config`: every flag of Theano 0.6 to 1.0.5 under its old name. Setting one that PyTensor removed warns once that it has no
effect."""

import os
import struct
from typing import Any, Dict, Iterable, Iterator, List, Tuple

import pytensor
from pytensor import configparser
from pytensor.configparser import BoolParam, ConfigParam, EnumStr, FloatParam, IntParam, StrParam

from .. import environment
from ..errors import NoSuchAttribute, call_prefix
from ..framework import current
from ..notes import note

_GPU = "there is no pygpu back-end: a GPU is reached with theanodiag run --mode jax, or mode='JAX'"
_GONE = "PyTensor no longer does this"
_PROFILE = "say profile=True, or profile_memory=True"
_OURS = ""  # obeyed by this layer
_RELEASES = "0.9 0.10 0.3 0.4 0.4.1 0.5 0.6 0.7 0.8 0.8.1 0.8.2 1.0 1.0.1 1.0.2 1.0.3 1.0.4 1.0.5 None all"
_ON_OFF = "off ignore warn raise pdb"
_CONV_TIMED = "guess_once guess_on_shape_change time_once time_on_shape_change"
_TABLE: Tuple[Tuple[str, Any, str, str], ...] = (
    ("assert_no_cpu_op", "ignore", "ignore warn raise pdb", _GPU),
    ("cache_optimizations", False, "", _GONE),
    ("cmodule.mac_framework_link", False, "", _GONE),
    ("compute_test_value", "off", _ON_OFF, _OURS),
    ("compute_test_value_opt", "off", _ON_OFF, _GONE),
    ("contexts", "", "", _GPU),
    ("conv.assert_shape", False, "", _OURS),
    ("ctc.root", "", "", "CTC is computed in numpy"),
    ("cublas.lib", "cublas", "", _GPU),
    ("cuda.enabled", True, "", _GPU),
    ("cuda.include_path", "", "", _GPU),
    ("cuda.nvccflags", "", "", _GPU),
    ("cuda.root", "", "", _GPU),
    ("deterministic", "default", "default more", _GONE),
    ("device", "cpu", "", _GPU),
    ("dnn.base_path", "", "", _GPU),
    ("dnn.bin_path", "", "", _GPU),
    ("dnn.conv.algo_bwd", "", "", _GPU),
    ("dnn.conv.algo_bwd_data", "none", "none deterministic fft fft_tiling winograd winograd_non_fused " + _CONV_TIMED, _GPU),
    ("dnn.conv.algo_bwd_filter", "none", "none deterministic fft small winograd_non_fused fft_tiling " + _CONV_TIMED, _GPU),
    ("dnn.conv.algo_fwd", "small", "small none large fft fft_tiling winograd winograd_non_fused " + _CONV_TIMED, _GPU),
    ("dnn.conv.precision", "as_input_f32", "as_input_f32 as_input float16 float32 float64", _GPU),
    ("dnn.conv.workmem", "", "", _GPU),
    ("dnn.conv.workmem_bwd", "", "", _GPU),
    ("dnn.enabled", "auto", "auto True False no_check", _GPU),
    ("dnn.include_path", "", "", _GPU),
    ("dnn.library_path", "", "", _GPU),
    ("enable_initial_driver_test", True, "", _GPU),
    ("experimental.local_alloc_elemwise", True, "", _GONE),
    ("experimental.local_alloc_elemwise_assert", True, "", _GONE),
    ("experimental.mrg", False, "", _GONE),
    ("experimental.unpickle_gpu_on_cpu", False, "", _OURS),
    ("force_device", False, "", _GPU),
    ("gpu.local_elemwise_fusion", True, "", _GPU),
    ("gpuarray.cache_path", "", "", _GPU),
    ("gpuarray.init_device", "", "", _GPU),
    ("gpuarray.preallocate", 0.0, "", _GPU),
    ("gpuarray.sched", "default", "default multi single", _GPU),
    ("gpuarray.single_stream", True, "", _GPU),
    ("gpuarray.sync", False, "", _GPU),
    ("gpuelemwise.sync", True, "", _GPU),
    ("home", True, "", _GONE),
    ("init_gpu_device", "", "", _GPU),
    ("int_division", "int", "int raise floatX", _OURS),
    ("lib.cnmem", 0.0, "", _GPU),
    ("magma.enabled", False, "", _GPU),
    ("magma.include_path", "", "", _GPU),
    ("magma.library_path", "", "", _GPU),
    ("metaopt.optimizer_excluding", "", "", _GONE),
    ("metaopt.optimizer_including", "", "", _GONE),
    ("metaopt.verbose", 0, "", _GONE),
    ("numpy.seterr_all", "ignore", "ignore warn raise call print log None", _OURS),
    ("numpy.seterr_divide", "None", "ignore warn raise call print log None", _OURS),
    ("numpy.seterr_invalid", "None", "ignore warn raise call print log None", _OURS),
    ("numpy.seterr_over", "None", "ignore warn raise call print log None", _OURS),
    ("numpy.seterr_under", "None", "ignore warn raise call print log None", _OURS),
    ("nvcc.compiler_bindir", "", "", _GPU),
    ("nvcc.cudafe", "always", "always heuristic", _GPU),
    ("nvcc.fastmath", False, "", _GPU),
    ("nvcc.flags", "", "", _GPU),
    ("pickle_test_value", True, "", _OURS),
    ("print_active_device", True, "", _GPU),
    ("print_test_value", False, "", _OURS),
    ("ProfileMode.min_memory_size", 1024, "", _PROFILE),
    ("ProfileMode.n_apply_to_print", 15, "", _PROFILE),
    ("ProfileMode.n_ops_to_print", 20, "", _PROFILE),
    ("ProfileMode.profile_memory", False, "", _PROFILE),
    ("pycuda.init", False, "", _GPU),
    ("reoptimize_unpickled_function", False, "", _OURS),
    ("scan.debug", False, "", _GONE),
    ("tensor.local_elemwise_fusion", True, "", "say optimizer_excluding=fusion"),
    ("unittests.rseed", "666", "", _OURS),
    ("warn.argmax_pushdown_bug", False, "", _OURS),
    ("warn.gpu_set_subtensor1", False, "", _OURS),
    ("warn.gpusum_01_011_0111_bug", False, "", _OURS),
    ("warn.identify_1pexp_bug", False, "", _OURS),
    ("warn.ignore_bug_before", "0.9", _RELEASES, _OURS),
    ("warn.inc_set_subtensor1", False, "", _OURS),
    ("warn.inc_subtensor1_opt", True, "", _OURS),
    ("warn.reduce_join", False, "", _OURS),
    ("warn.round", False, "", _OURS),
    ("warn.signal_conv2d_interface", False, "", _OURS),
    ("warn.subtensor_merge_bug", False, "", _OURS),
    ("warn.sum_div_dimshuffle_bug", False, "", _OURS),
    ("warn.sum_sum_bug", False, "", _OURS),
    ("warn.vm_gc_bug", False, "", _OURS),
)
"""Flags of Theano 0.6 to 1.0.5 that PyTensor lost: (name, default, choices separated by spaces, why setting it has no effect)."""
_without_effect: Dict[str, Tuple[Any, str]] = {name.replace(".", "__"): (default, why) for name, default, _, why in _TABLE if why}
_said: List[str] = []


_VERBOSITY = "exception_verbosity"


def _in_pytensor(full: str, value: Any) -> Any:
    """Converts Theano's value of a flag to PyTensor's: Theano's verbosity `low` also names the node of an error and its inputs."""
    return "medium" if (full, value) == (_VERBOSITY, "low") else value


def _in_theano(full: str, value: Any) -> Any:
    """Converts PyTensor's value of a flag to Theano's."""
    return "low" if (full, value) == (_VERBOSITY, "medium") else value


def _parameter(default: Any, choices: str) -> Any:
    """A PyTensor config parameter for a flag with this default and these choices."""
    if choices:
        return EnumStr(default, choices.split())
    kinds = {bool: BoolParam, int: IntParam, float: FloatParam}
    return kinds.get(type(default), StrParam)(default)


def names() -> List[str]:
    """Returns the full names of all flags, with `__` between their parts."""
    return list(pytensor.config._config_var_dict)


def _say_without_effect(name: str, value: Any) -> None:
    """Says, once for each flag, that setting a value other than the default has no effect."""
    default, why = _without_effect[name]
    if value != default and name not in _said:
        _said.append(name)
        note("{}theano.config.{} has no effect: {}".format(call_prefix(), name.replace("__", "."), why))


def forget_modes(changed: Iterable[str]) -> None:
    """Clears PyTensor's cache of modes if one of the `changed` flags affects the modes."""
    if any(name.startswith(("optimizer", "linker")) for name in changed):
        from pytensor.compile import mode

        mode._CACHED_RUNTIME_MODES.clear()


class Config:
    """Reads and sets flags by their old names: `config.blas.ldflags` is PyTensor's `blas__ldflags`. Raises NoSuchAttribute for an unknown
    flag."""

    def __init__(self, prefix: str = "") -> None:
        object.__setattr__(self, "_prefix", prefix)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        full = self._prefix + name
        flags = pytensor.config._config_var_dict
        if full in flags:
            value = _in_theano(full, getattr(pytensor.config, full))
            return str(value) if full in ("base_compiledir", "compiledir") else value
        if any(flag.startswith(full + "__") for flag in flags):
            return Config(full + "__")
        if not self._prefix and not name.startswith("_") and hasattr(pytensor.config, name):
            return getattr(pytensor.config, name)
        raise NoSuchAttribute("theano.config." + full.replace("__", "."), str(current), "")

    def __setattr__(self, name: str, value: Any) -> None:
        full = self._prefix + name
        if full not in pytensor.config._config_var_dict:
            raise NoSuchAttribute("theano.config." + full.replace("__", "."), str(current), "a flag of theano.config")
        if full in _without_effect:
            _say_without_effect(full, value)
        setattr(pytensor.config, full, _in_pytensor(full, value))
        forget_modes([full])

    def __dir__(self) -> List[str]:
        start = len(self._prefix)
        return sorted({flag[start:].split("__")[0] for flag in names() if flag.startswith(self._prefix)})

    def __str__(self) -> str:
        lines = ["{} (default: {})\n    Value:  {}\n".format(n.replace("__", "."), p.default, getattr(pytensor.config, n))
                 for n, p in pytensor.config._config_var_dict.items()]  # fmt: skip
        return "\n".join(lines)


class change_flags:
    """A context manager and decorator that changes flags temporarily; names with dots are given as a mapping or as pairs."""

    def __init__(self, args: Any = (), **kwargs: Any) -> None:
        values = {name.replace(".", "__"): value for name, value in dict(dict(args), **kwargs).items()}
        for name in values:
            assert name in pytensor.config._config_var_dict, name
        self.new_vals = {name: _in_pytensor(name, value) for name, value in values.items()}
        self._open: List[Any] = []

    def __call__(self, f: Any) -> Any:
        from functools import wraps

        @wraps(f)
        def changed(*args: Any, **kwargs: Any) -> Any:
            with self:
                return f(*args, **kwargs)

        return changed

    def __enter__(self) -> None:
        manager = pytensor.config.change_flags(**self.new_vals)
        manager.__enter__()
        forget_modes(self.new_vals)
        self._open.append(manager)

    def __exit__(self, *args: Any) -> None:
        self._open.pop().__exit__(*args)
        forget_modes(self.new_vals)


config = Config()
"""`theano.config`."""


def add(name: str, doc: str, configparam: Any, root: Any = None, in_c_key: bool = True) -> None:
    """`theano.configparser.AddConfigVar`: adds a flag of the script. Raises AttributeError if the name is already used."""
    full = name.replace(".", "__")
    if full in pytensor.config._config_var_dict:
        raise AttributeError("This name is already taken", name)
    configparam.fullname = name
    pytensor.config.add(full, doc, configparam, in_c_key)


def _set_from(pairs: Iterator[Tuple[str, str]]) -> None:
    """Sets the removed flags from rc files and environment variables. Raises PyTensor's error for an invalid value."""
    for name, value in pairs:
        full = name.replace(".", "__")
        if any(full == row[0].replace(".", "__") for row in _TABLE):
            if full in _without_effect and not (full == "device" and not value.startswith(("cuda", "gpu", "opencl"))):
                parameter = pytensor.config._config_var_dict[full]
                _say_without_effect(full, parameter.apply(value))
            setattr(pytensor.config, full, value)


def seterr() -> None:
    """Sets numpy's error handling from the flags numpy.seterr_*; Theano ignored all errors by default."""
    import numpy

    chosen = {kind: getattr(pytensor.config, "numpy__seterr_" + kind) for kind in ("all", "divide", "over", "under", "invalid")}
    numpy.seterr(**{kind: None if value == "None" else value for kind, value in chosen.items()})


def bits(code: str) -> int:
    """Returns the width in bits of the C type with this struct code."""
    return struct.calcsize(code) * 8


class _FastRun(Dict[str, Any]):
    """The mode that "FAST_RUN" means beside a value of the flag `linker`: beside those for which PyTensor has none (py, c|py), Theano's."""

    def __missing__(self, linker: str) -> Any:
        from pytensor.compile import mode

        return mode.CVM if pytensor.config.cxx else mode.VM


def default_linker() -> None:
    """Selects the C linker, as in Theano, if no flag selects one and a C++ compiler exists, because compilation with numba takes far
    longer. Allows mode="FAST_RUN" together with every linker.
    """
    if pytensor.config.linker == "auto" and current.prefers_c:
        pytensor.config.linker = "cvm" if pytensor.config.cxx else "vm"
    from pytensor.compile import mode

    if isinstance(mode.VM, tuple):  # PyTensor 3.0: a comma too many, so that mode="FAST_RUN" fails beside linker=vm
        mode.VM = mode.fast_run_linkers_to_mode["vm"] = mode.predefined_modes["VM"] = mode.VM[0]
    mode.fast_run_linkers_to_mode = _FastRun(mode.fast_run_linkers_to_mode)


def apply(origin: str) -> None:
    """Adds the removed flags and reads their values from the legacy environment variables and rc files."""
    for name, default, choices, _ in _TABLE:
        full = name.replace(".", "__")
        if full not in pytensor.config._config_var_dict:
            pytensor.config.add(full, "Flag of Theano", _parameter(default, choices), False)
    for name in ("optimizer", "linker", "openmp", "allow_gc", "scan__allow_output_prealloc"):
        pytensor.config._config_var_dict[name]._mutable = True  # as in Theano
    _set_from(iter(environment.legacy(origin, os.environ)))
    pytensor.config.exception_verbosity = _in_pytensor(_VERBOSITY, pytensor.config.exception_verbosity)
    seterr()
    default_linker()

"""Adapter for theano.config: flags by their old names, on the framework's config."""

from typing import List

from ..errors import NoSuchAttribute
from ..framework import current

__all__ = ["change_flags"]

NEUTRAL: "dict[str, object]" = {
    "device": "cpu", "init_gpu_device": "", "force_device": False, "contexts": "", "compute_test_value": "off", "print_test_value": False,
    "assert_no_cpu_op": "ignore", "int_division": "int", "lib__cnmem": 0.0, "gpuarray__preallocate": 0.0, "gpuarray__sync": False,
    "gpuarray__single_stream": True, "dnn__enabled": "auto", "nvcc__fastmath": False, "nvcc__flags": "", "warn__ignore_bug_before": "0.9",
    "unpickle_function": True, "reoptimize_unpickled_function": False, "experimental__unpickle_gpu_on_cpu": False,
}  # fmt: skip
"""Flags that the framework may have lost -> the value that describes its behaviour without them."""


class FlagsByAnyName:
    """Flags read and set by their names of any release: `config.blas.ldflags` is `blas__ldflags`.

    NoSuchAttribute for an unknown flag, and for a value of a lost flag other than the one in NEUTRAL.
    """

    def __init__(self, prefix: str = "") -> None:
        object.__setattr__(self, "_prefix", prefix)

    def _name(self, name: str) -> str:
        """Full name of the flag, as the installed framework spells it."""
        return str(object.__getattribute__(self, "_prefix")) + name

    def __getattr__(self, name: str) -> object:
        full, config = self._name(name), current.module().config
        if name.startswith("__"):
            raise AttributeError(name)
        if any(flag.startswith(full + "__") for flag in [*NEUTRAL, *flags()]):
            return FlagsByAnyName(full + "__")
        if hasattr(config, full):
            return getattr(config, full)
        if full in NEUTRAL:
            return NEUTRAL[full]
        raise NoSuchAttribute("config." + full.replace("__", "."), str(current), "")

    def __setattr__(self, name: str, value: object) -> None:
        full, config = self._name(name), current.module().config
        if full in flags():
            setattr(config, full, value)
        elif full not in NEUTRAL:
            raise NoSuchAttribute("config." + full.replace("__", "."), str(current), "the flags of " + current.root + ".config")
        elif value != NEUTRAL[full]:
            advice = "{!r}, or leave the flag out: {} has no such choice".format(NEUTRAL[full], current.root)
            raise NoSuchAttribute("config." + full.replace("__", ".") + " = " + repr(value), str(current), advice)


def flags() -> List[str]:
    """Names of all flags that the framework has, with `__` between their parts."""
    config = current.module().config
    known = getattr(config, "_config_var_dict", None) or vars(type(config))
    return [str(name) for name in known]


def config() -> FlagsByAnyName:
    """`theano.config`."""
    return FlagsByAnyName()


class change_flags:
    """`theano.configparser.change_flags(floatX="float32")`: context manager and decorator that sets flags for a while."""

    def __new__(cls, *args: object, **kwargs: object) -> object:  # type: ignore[misc]
        """The framework's own change_flags, with translated names and without lost flags."""
        renamed = {name.replace(".", "__"): value for name, value in kwargs.items()}
        kept = {name: value for name, value in renamed.items() if name in flags() or name not in NEUTRAL}
        return current.module().config.change_flags(*args, **kept)

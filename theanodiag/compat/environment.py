"""Translates THEANO_FLAGS and .theanorc into the flags variable of the framework that replaces Theano."""

import configparser
import os
from typing import Dict, List, Mapping, Sequence, Tuple

KEPT = frozenset(
    """floatX mode optimizer linker allow_gc optimizer_including optimizer_excluding optimizer_requiring optimizer_verbose on_opt_error
    on_unused_input exception_verbosity profile profile_memory profile_optimizer profiling__min_peak_memory profiling__n_apply
    profiling__n_ops profiling__destination cxx blas__ldflags gcc__cxxflags openmp openmp_elemwise_minsize cast_policy warn_float64
    base_compiledir scan__allow_gc scan__allow_output_prealloc traceback__limit traceback__compile_limit cmodule__mac_framework_link
    compile__wait compile__timeout NanGuardMode__nan_is_error NanGuardMode__inf_is_error NanGuardMode__big_is_error numpy__seterr_all
    DebugMode__patience DebugMode__check_c DebugMode__check_py""".split()
)
"""Flags that mean the same in Theano 1.0.5, Aesara 2.9.4 and PyTensor (configdefaults.py of each), with `__` between their parts."""
Pairs = List[Tuple[str, str]]
"""(flag, value) pairs in order."""


def parse(text: str) -> Pairs:
    """Returns (name, value) pairs of a flags variable such as THEANO_FLAGS, in order."""
    return [(name.strip(), value.strip()) for name, mark, value in (item.partition("=") for item in text.split(",")) if mark]


def read_rc(paths: Sequence[str]) -> Pairs:
    """Returns (name, value) pairs of rc files: `[global]` contains plain names, `ldflags` in `[blas]` is `blas.ldflags`.

    [] if a file cannot be parsed; missing files are skipped.
    """
    parser = configparser.RawConfigParser(allow_no_value=True, strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read([os.path.expanduser(path) for path in paths])
    except (configparser.Error, UnicodeDecodeError):
        return []
    entries = []
    for section in parser.sections():
        prefix = "" if section == "global" else section + "."
        entries += [(prefix + name, value) for name, value in parser.items(section) if value is not None]
    return entries


def legacy(name: str, environment: Mapping[str, str]) -> Pairs:
    """Returns all flags that the framework `name` would have read: rc files first, then the flags variable, which takes precedence."""
    upper = name.upper()
    paths = environment.get(upper + "RC", "~/." + name + "rc").split(os.pathsep)
    return read_rc(paths) + parse(environment.get(upper + "_FLAGS", ""))


def translate(names: Sequence[str], target: str, environment: Mapping[str, str]) -> Tuple[Dict[str, str], List[str]]:
    """Returns ({flags variable of `target`: its new value}, legacy flags that `target` lacks).

    Flags that the user set for the target itself take precedence; the dict is empty if there is nothing to set.
    """
    kept, dropped = {}, []  # type: Dict[str, str], List[str]
    for name in names:
        for flag, value in legacy(name, environment):
            key = flag.replace(".", "__")
            if key not in KEPT:
                dropped.append(flag + "=" + value)
            elif key == "base_compiledir":  # two frameworks must not share one folder of compiled code
                kept[key] = os.path.join(value, target)
            else:
                kept[key] = value
    variable = target.upper() + "_FLAGS"
    if not kept:
        return {}, dropped
    text = ",".join(flag + "=" + value for flag, value in sorted(kept.items()))
    own = environment.get(variable, "")
    return {variable: text + ("," + own if own else "")}, dropped


def flags_for_pytensor(text: str) -> str:
    """Converts a text of THEANO_FLAGS, or a part of one, to PYTENSOR_FLAGS. Commas stay where they are; flags that PyTensor lacks are
    removed.

    >>> flags_for_pytensor(",floatX=float32,device=gpu,blas.ldflags=")
    ',floatX=float32,blas__ldflags='
    """
    kept = []
    for item in text.split(","):
        name, mark, value = item.partition("=")
        flag = name.strip().replace(".", "__")
        if not mark and not name.strip():
            kept.append(item)
        elif flag == "base_compiledir":  # two frameworks must not share one folder of compiled code
            kept.append(flag + mark + os.path.join(value.strip(), "pytensor"))
        elif flag in KEPT:
            kept.append(flag + mark + value)
    return ",".join(kept)

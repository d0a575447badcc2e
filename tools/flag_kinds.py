"""Turns what `flag_probe.py` saw (how a flag reacts to a panel of texts) into the facts of the table."""

from __future__ import annotations

import bisect
import functools
from collections.abc import Callable
from typing import Any

from theanodiag.flags.defaults import flag_of
from theanodiag.flags.model import Dialect, Flag, FlagKind
from theanodiag.flags.values import Refused, parse_value

Facts = dict[str, Any]
Described = dict[str, Facts]
Probe = Callable[[str], dict[str, Any]]

HOW = {
    "cxx": "the full path of g++ (of clang++ on a Mac), empty if there is none",
    "compiledir": "a folder in base_compiledir named by compiledir_format",
    "base_compiledir": "a folder of the library in the home folder",
    "compile.timeout": "24 times compile.wait",
    "DebugMode.check_c": "whether cxx is set",
    "gpuarray.cache_path": "gpuarray_kernels in compiledir",
    "cuda.root": "CUDA_ROOT, or CUDA_PATH, or the folder above the nvcc on PATH",
    "cuda.include_path": "include in cuda.root",
    "dnn.base_path": "cuda.root where it holds include/cudnn.h",
    "dnn.include_path": "include in dnn.base_path",
    "dnn.library_path": "lib64 in dnn.base_path",
    "dnn.bin_path": "dnn.library_path",
    "blas.ldflags": "what numpy was linked with, if a trial program links with it",
    "gcc_version_str": "what cxx says of its version",
    "home": "HOME",
}
"""What the functions behind computed defaults do (Theano 1.0.5, Aesara 2.9.4, PyTensor 3.3.7, configdefaults.py)."""

CONDITIONS: tuple[tuple[str, Callable[[float], bool]], ...] = (
    ("> 0", lambda n: n > 0),
    (">= 0", lambda n: n >= 0),
    ("in (0, 1, 2)", lambda n: n in (0, 1, 2)),
)


def describe_flags(found: dict[str, Any], probe: Probe, home: str) -> Described | None:
    """Name -> facts of every flag, in the order of registration; None if there is no flag at all."""
    if not found["flags"]:
        return None
    flags: Described = {flag["name"]: facts(flag, home) for flag in found["flags"]}
    for name, choices in without_compiler(probe, flags).items():
        flags[name]["without_cxx"] = choices
    for name, version in warnings_by_version(probe, flags).items():
        flags[name]["warns_before"] = version
    return flags


def facts(flag: dict[str, Any], home: str) -> Facts:
    """The facts of one flag; what is at its usual value is left out."""
    kind, extra = kind_of(flag)
    made: Facts = {"name": flag["name"], "kind": kind, "default": default_of(flag, kind, home), **extra}
    if not flag["mutable"]:
        made["mutable"] = False
    if flag["in_c_key"]:
        made["in_c_key"] = True
    made["doc"] = first_sentence(flag["doc"])
    return made


def unexplained(dialect: Dialect, flag: dict[str, Any], made: Facts) -> list[str]:
    """The texts of the panel to which the library reacts otherwise than the facts say: a kind that does not fit, or is not known yet."""
    known = flag_of(dialect, {"first": "0", "last": "0", **made})
    return [text for text, answer in flag["panel"].items() if _reaction(known, text) != _answer(answer, made["kind"])]


def _reaction(flag: Flag, text: str) -> object:
    try:
        value = parse_value(flag, text)
    except Refused:
        return "refused"
    if flag.kind in (FlagKind.PATH, FlagKind.ANY):
        return "taken"
    return value if isinstance(value, (bool, int, float, type(None))) else str(value)


def _answer(answer: dict[str, Any], kind: str) -> object:
    if "error" in answer:
        return "refused"
    return "taken" if kind in ("path", "any") else answer["value"]


def first_sentence(doc: str) -> str:
    """The beginning of a description, in one line."""
    line = " ".join(doc.split())
    return line.split(". ")[0][:160]


def default_of(flag: dict[str, Any], kind: str, home: str) -> object:
    """The value, or how it is computed: a dictionary with "computed"."""
    dotted = flag["name"].replace("__", ".")
    given = flag["default"]
    if kind == "retired":
        return flag["panel"][""]["value"]
    if "value" in given and dotted not in HOW and not (isinstance(given["value"], str) and given["value"].startswith(home)):
        return given["value"]
    return {"computed": HOW.get(dotted, f"the library's {given.get('computed', 'own')}")}


def accepted(flag: dict[str, Any]) -> dict[str, Any]:
    """Text of the panel -> value, for those that the flag takes."""
    return {text: answer["value"] for text, answer in flag["panel"].items() if "error" not in answer}


def kind_of(flag: dict[str, Any]) -> tuple[str, Facts]:
    """The kind that explains the reactions, with choices, aliases and check."""
    if not flag["panel"]:
        return "compiledir", {}
    takes, types = accepted(flag), {a["type"] for a in flag["panel"].values() if "error" not in a}
    if flag["choices"]:
        return "enum", enum_facts(flag, takes)
    if "Mode" in takes and "x" not in takes:
        return "mode", {"choices": list(takes)}
    if flag["class"] in ("DeviceParam", "ContextsParam"):
        return ("device", {"choices": device_prefixes(takes)}) if flag["class"] == "DeviceParam" else ("contexts", {})
    if "x" in takes:
        return ("path" if takes["~/x"] != "~/x" else "str" if flag["class"] in ("TypedParam", "StrParam") else "any"), {}
    if types <= {"bool", "NoneType"}:
        return boolean(takes)
    return numeric_or_text(takes, types)


def enum_facts(flag: dict[str, Any], takes: dict[str, Any]) -> Facts:
    """Choices with the default first, and texts that stand for another (`32` for float32)."""
    default = flag["default"]["value"]
    # From Theano-PyMC 1.1 on, choices are a set.
    ordered = [default, *sorted(set(flag["choices"]) - {default})]
    aliases = {text: value for text, value in takes.items() if text != value and text not in flag["choices"]}
    return {"choices": ordered, **({"aliases": aliases} if aliases else {})}


def device_prefixes(takes: dict[str, Any]) -> list[str]:
    """Beginnings of device names that are taken."""
    return [prefix for prefix, text in (("cpu", "cpu->gpu0"), ("gpu", "gpu"), ("cuda", "cuda"), ("opencl", "opencl")) if text in takes]


def boolean(takes: dict[str, Any]) -> tuple[str, Facts]:
    """A bool, a bool that may be None, or a flag that only takes an empty text."""
    if takes.get("None", True) is None:
        return "lazy", {}
    if set(takes) == {""}:
        return "retired", {}
    return "bool", {} if "False" in takes else {"check": "true"}


def numeric_or_text(takes: dict[str, Any], types: set[str]) -> tuple[str, Facts]:
    """A number, or a text with a condition."""
    if types == {"int"}:
        return "int", condition(takes, ("-2", "-1", "0", "1", "2", "3", "7"))
    if types == {"float"}:
        return "float", condition(takes, ("-2", "-1", "0", "1", "2", "3", "7"))
    if "random" in takes:
        return "str", {"check": "random or a whole number"}
    if "-O3 -m64" in takes:
        return "str", {"check": "words that begin with -"}
    return "str", {"check": "joined by :", "choices": [t for t in takes if ":" not in t]}


def condition(takes: dict[str, Any], panel: tuple[str, ...]) -> Facts:
    """The condition on a number that explains which are taken."""
    if all(text in takes for text in panel):
        return {}
    return {"check": next(name for name, holds in CONDITIONS if all((t in takes) == holds(float(t)) for t in panel))}


def without_compiler(probe: Probe, flags: Described) -> dict[str, list[str]]:
    """Enum -> its choices where there is no C++ compiler, if they are others."""
    bare = {f["name"]: f for f in probe("cxx=")["flags"] if f["choices"]}
    changed = {}
    for name, flag in bare.items():
        choices = enum_facts(flag, accepted(flag))["choices"]
        if name in flags and flags[name]["choices"] != choices:
            changed[name] = choices
    return changed


def warnings_by_version(probe: Probe, flags: Described) -> dict[str, str]:
    """Flags `warn.*` that are on by default unless `warn.ignore_bug_before` names this version or a later one."""
    name = next((n for n in flags if n.replace("__", ".") == "warn.ignore_bug_before"), None)
    if name is None:
        return {}

    @functools.cache
    def on(value: str) -> set[str]:
        return {f["name"] for f in probe(f"{name}={value}")["flags"] if f["default"].get("value") is True and f["name"].startswith("warn")}

    known = sorted((c for c in flags[name]["choices"] if c[0].isdigit()), key=lambda c: [int(p) for p in c.split(".")])
    depends = on("None") - on("all")
    return {flag: known[bisect.bisect_left(known, True, key=lambda version: flag not in on(version))] for flag in depends}

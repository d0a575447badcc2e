"""Parses printed Ops into class name and parameters, named as in live graphs (`scalar_op`, `inplace_pattern`, `idx_list`, `axis`)."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..ops import op_info
from ..ops.parameters import Groups, Params, generic, groups
from ..ops.registry import PRINTED_AS
from ..ops.scalars import PRINTED, THEANO_NAMES

_SCAN_PREFIXES = ("forall_inplace,", "do_whileall_inplace,", "for{", "do_while{")
"""How a printed Scan begins. Source: Theano 1.0.5 scan_module/scan_op.py `Scan.__str__` (the first two have lost a brace)."""
_ELEMWISE = frozenset({"Composite", "Cast", "Switch", "Clip"})
"""Elemwise Ops of PyTensor that are printed with braces, or with a name that other Ops have too."""
_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_OBJECT = re.compile(r"<(?:[\w.<>]*\.)?(\w+) object at 0x[0-9a-fA-F]+>")
NAMED_ON_GPU = re.compile(r"Gpu[a-z]\w*$")
"""Elementwise Ops with a name; classes have a capital behind `Gpu`. Source: Theano 1.0.5 gpuarray/opt.py, `local_gpua_elemwise`."""
_SCAN = re.compile(
    r"(?P<loop>for|do_while)(?P<inplace>all_inplace|\{inplace\{(?P<which>[\d,\s]*)\}[,\s]*\}?)?[,{]+(?P<unit>cpu|gpu),(?P<name>.*?)\}*$"
)


class Parsed(NamedTuple):
    """Class name and parameters of a printed Op."""

    name: str
    """Class name of the Op."""
    params: Params
    """Parameters of the Op, named as in live graphs."""


@lru_cache(maxsize=8192)
def parse_op(text: str) -> Parsed:
    """Parses a printed Op into class name and parameters."""
    object_match = _OBJECT.match(text)
    if object_match:
        return Parsed(object_match[1], {})
    if text.startswith("[") and text.endswith("]"):
        inner = parse_op(text[1:-1])
        name = "RandomVariableWithCoreShape" if inner.name.endswith("RV") else "BlockwiseWithCoreShape"
        return Parsed(name, {**inner.params, "core_op": text[1:-1]})
    if text.startswith(_SCAN_PREFIXES):
        return Parsed("Scan", _old_scan(text))
    match = _NAME.match(text)
    if not match:
        return Parsed(text[:80], {})
    parsed = _named(match[0], groups(text[match.end() :]))
    return parsed if parsed.name != "Blockwise" else Parsed("Blockwise", {**parsed.params, **_of_core(parsed.params)})


def _of_core(params: Params) -> Params:
    """Parameters of a Blockwise that say what it overwrites, from those of its core Op."""
    args = params.get("args")
    core = args[0] if isinstance(args, list) and args else None
    if not isinstance(core, str) or core.startswith("Blockwise"):
        return {}
    name, of_core = parse_op(core)
    kept = {k: v for k, v in of_core.items() if k.startswith("overwrite_") or k in ("destructive", "inplace", "permute_l")}
    return {**kept, "core_name": name} if kept else {}


def _named(word: str, brackets: Groups) -> Parsed:
    """The Op whose printed name is `word`, with bracket groups `brackets`."""
    name, implied = PRINTED_AS.get(word, (word, {}))
    if word not in PRINTED_AS and _is_elemwise(word):
        return Parsed("Elemwise", {"scalar_op": PRINTED.get(word.lower(), word), "scalar_text": word + _braces(brackets)})
    if NAMED_ON_GPU.match(word):
        return Parsed("GpuElemwise", _named_on_gpu(word, brackets))
    if word.startswith("Scalarized") and word != "ScalarizedJoin":
        return Parsed("ScalarizedElemwise", {})
    if word in PRINTED and word not in PRINTED_AS:
        return Parsed(PRINTED[word], {})
    if word.endswith("_rv") and word not in PRINTED_AS:
        return Parsed("".join(p.capitalize() for p in word[:-3].split("_")) + "RV", _random(brackets))
    return Parsed(name, {**op_info(name).printed_parameters(brackets), **implied})


def _named_on_gpu(word: str, brackets: Groups) -> Params:
    """Parameters of an elementwise Op that has a name of its own, which its counterpart on the GPU keeps: `Gpusigmoid`."""
    name = word[len("Gpu") :]
    plain = name.removesuffix("_inplace")
    params: Params = {"scalar_op": THEANO_NAMES.get(plain.lower(), plain), "scalar_text": plain + _braces(brackets)}
    return {**params, "inplace_pattern": {"0": 0}} if name != plain else params


def _is_elemwise(word: str) -> bool:
    """Whether `word` is how PyTensor prints an Elemwise: `Add`, `True_div`, `Composite`."""
    return word in _ELEMWISE or (word[0].isupper() and word == word.capitalize() and word.lower() in PRINTED and word != "Mean")


def _braces(brackets: Groups) -> str:
    return f"{{{brackets[0][1]}}}" if brackets and brackets[0][0] == "{" else ""


def looks_like_op(text: str) -> bool:
    """Returns whether the text of a leaf is an Op whose inputs are not printed, and not a name given by the user."""
    match = _NAME.match(text)
    if not match or match.end() == len(text):
        word = match[0] if match else ""
        known = word in PRINTED_AS and word not in ("if", "dot")
        return known or (len(word) > 1 and _is_elemwise(word))
    rest = text[match.end() :]
    return rest[0] == "{" and rest.endswith(("}", "]", ">")) and not any(w in match[0] for w in ("Const", "Variable"))


def _old_scan(text: str) -> Params:
    """Parameters of Theano's forms of Scan: `for{cpu,f}`, `forall_inplace,cpu,f}`, `do_while{inplace{0,1,},gpu,f}`."""
    match = _SCAN.match(text)
    if not match:
        return {}
    inplace: object = "all" if match["inplace"] == "all_inplace" else "none"
    if match["which"] is not None:
        inplace = [int(i) for i in re.findall(r"\d{1,6}", match["which"])]
    return {"name": match["name"], "gpu": match["unit"] == "gpu", "as_while": match["loop"] == "do_while", "inplace_outputs": inplace}


def _random(brackets: Groups) -> Params:
    """Parameters of `{"(),()->()"}` (PyTensor) or `{0, (0, 0), floatX, True}` (Aesara: ndim_supp, ndims_params, dtype, inplace)."""
    args = generic(brackets).get("args", [])
    if isinstance(args, list) and len(args) == 4:
        return {"ndim_supp": args[0], "ndims_params": args[1], "dtype": args[2], "inplace": args[3]}
    return {"signature": args[0]} if isinstance(args, list) and args else {}

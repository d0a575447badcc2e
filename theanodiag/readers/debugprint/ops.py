"""Printed Ops -> class name and parameters, in the words that live graphs use (`scalar_op`, `inplace_pattern`, `idx_list`, `axis`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from typing import NamedTuple

from . import aesara, pytensor, theano
from .literals import groups, literal, split_top

Params = dict[str, object]
SCALARS = {**aesara.SCALARS, **pytensor.SCALARS, **theano.SCALARS, "sigmoid": "Sigmoid", "softplus": "Softplus"}
OPS = {**theano.OPS, **aesara.OPS, **pytensor.OPS}

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_OBJECT = re.compile(r"<(?:[\w.<>]*\.)?(\w+) object at 0x[0-9a-fA-F]+>")
_SCAN = re.compile(
    r"(?P<loop>for|do_while)(?P<inplace>all_inplace|\{inplace\{(?P<which>[\d,\s]*)\}[,\s]*\}?)?[,{]+(?P<unit>cpu|gpu),(?P<name>.*?)\}*$"
)


class Parsed(NamedTuple):
    """An Op of a text."""

    name: str
    """Class name."""
    params: Params


@lru_cache(maxsize=8192)
def parse_op(text: str) -> Parsed:
    """The class and the parameters of the Op that is printed as `text`."""
    made = _OBJECT.match(text)
    if made:
        return Parsed(made[1], {})
    if text.startswith("[") and text.endswith("]"):
        inner = parse_op(text[1:-1])
        return Parsed("RandomVariableWithCoreShape" if inner.name.endswith("RV") else "BlockwiseWithCoreShape", {"core_op": text[1:-1]})
    if text.startswith(theano.SCAN_PREFIXES):
        return Parsed("Scan", _old_scan(text))
    match = _NAME.match(text)
    if not match:
        return Parsed(text[:80], {})
    return _named(match[0], groups(text[match.end() :]))


def _named(word: str, found: list[tuple[str, str]]) -> Parsed:
    """An Op by the word that it begins with."""
    name, said = OPS.get(word, (word, {}))
    if word not in OPS and _is_elemwise(word):
        return Parsed("Elemwise", {"scalar_op": SCALARS.get(word.lower(), word), "scalar_text": word + _braces(found)})
    if word in SCALARS and word not in OPS:
        return Parsed(SCALARS[word], {})
    if word.endswith("_rv") and word not in OPS:
        return Parsed("".join(p.capitalize() for p in word[:-3].split("_")) + "RV", _random(found))
    special = HANDLERS.get(name[3:] if name.startswith("Gpu") and name[3:] in HANDLERS else name)
    params = special(found) if special else generic(found)
    return Parsed(name, {**params, **said})


def _is_elemwise(word: str) -> bool:
    """Whether `word` is how PyTensor prints an Elemwise: `Add`, `True_div`, `Composite`."""
    return word in pytensor.ELEMWISE or (word[0].isupper() and word == word.capitalize() and word.lower() in SCALARS and word != "Mean")


def _braces(found: list[tuple[str, str]]) -> str:
    return f"{{{found[0][1]}}}" if found and found[0][0] == "{" else ""


def looks_like_op(text: str) -> bool:
    """Whether a leaf's text is that of an Op whose inputs are not printed, rather than a name that a user gave."""
    match = _NAME.match(text)
    if not match or match.end() == len(text):
        word = match[0] if match else ""
        return bool(word) and ((word in OPS and word not in ("if", "dot")) or (_is_elemwise(word) and len(word) > 1 and not word[-1].isdigit()))
    rest = text[match.end() :]
    return rest[0] == "{" and rest.endswith(("}", "]", ">")) and "Const" not in match[0]


def generic(found: list[tuple[str, str]]) -> Params:
    """Parameters of an Op without rules of its own: `k=v`, `inplace`, and what else is listed (`args`)."""
    params: Params = {}
    for opening, body in found:
        if opening == "<":
            params["context_name"] = body
        if opening != "{":
            continue
        for item in split_top(body):
            _take(item, params)
    return params


def _take(item: str, params: Params) -> None:
    key, equals, value = item.partition("=")
    if equals and key.strip().replace(".", "_").isidentifier():
        name = key.strip().removeprefix("self.")
        params.setdefault({"axes": "axis", "acc": "acc_dtype"}.get(name, name), literal(value))
    elif item in ("inplace", "no_inplace"):
        params["inplace"] = item == "inplace"
    elif item in ("destructive", "non-destructive"):
        params["destructive"] = item == "destructive"
    else:
        rest = params.setdefault("args", [])
        if isinstance(rest, list):
            rest.append(literal(item))


def _old_scan(text: str) -> Params:
    """`for{cpu,f}`, `forall_inplace,cpu,f}`, `do_while{inplace{0,1,},gpu,f}`."""
    match = _SCAN.match(text)
    if not match:
        return {}
    inplace: object = "all" if match["inplace"] == "all_inplace" else "none"
    if match["which"] is not None:
        inplace = [int(i) for i in re.findall(r"\d{1,6}", match["which"])]
    return {"name": match["name"], "gpu": match["unit"] == "gpu", "as_while": match["loop"] == "do_while", "inplace_outputs": inplace}


def _scan(found: list[tuple[str, str]]) -> Params:
    """`Scan{f, while_loop=False, inplace=all}`."""
    params = generic(found)
    names = params.pop("args", [])
    return {"name": names[0] if isinstance(names, list) and names else None, "as_while": params.get("while_loop", False),
            "inplace_outputs": params.get("inplace", "none")}  # fmt: skip


def _elemwise(found: list[tuple[str, str]]) -> Params:
    """`{add,no_inplace}`, `{Mul}[(0, 1)]`, `{Composite{...}}[(0, 0), (1, 2)]<gpuarray>`."""
    body = found[0][1] if found else ""
    pattern: dict[str, object] = {}
    for ending in (",no_inplace", ",inplace"):
        if body.endswith(ending):
            body = body[: -len(ending)]
            pattern = {"0": 0} if ending == ",inplace" else {}
            break
    for opening, pairs in found[1:]:
        if opening == "[":
            pattern = {out: int(i) for out, i in re.findall(r"\((\d{1,6}), ?(\d{1,6})\)", pairs)}
    word = _NAME.match(body)
    scalar = word[0] if word else body
    return {"scalar_op": SCALARS.get(scalar.lower(), scalar), "scalar_text": body, "inplace_pattern": pattern}


def _dimshuffle(found: list[tuple[str, str]]) -> Params:
    """`{x,0}`, `{order=[x,0]}`, `{axis=0}`, `{axes=[1, 0]}`."""
    params = generic(found)
    order = params.pop("order", None) or params.pop("args", None)
    return {**params, "new_order": order} if order is not None else params


def _reduction(found: list[tuple[str, str]]) -> Params:
    """`{axis=[0], acc_dtype=float64}`, `{maximum}{0, 1}`, `{pre=sqr,red=add}{1}`, `{axes=None}`."""
    params = generic(found)
    args = params.pop("args", [])
    words = [a for a in args if isinstance(a, str)] if isinstance(args, list) else []
    numbers = [a for a in args if isinstance(a, int)] if isinstance(args, list) else []
    scalar = str(params.pop("red", words[0] if words else ""))
    if scalar:
        params["scalar_op"] = SCALARS.get(scalar.lower(), scalar)
    axis = params.get("axis", numbers or None)
    params["axis"] = [axis] if isinstance(axis, int) else axis
    return params


def _index(found: list[tuple[str, str]]) -> Params:
    """`{int64:int64:, int64}`, `{start:stop}`, `{InplaceSet;:int64:}`."""
    body = found[0][1] if found else ""
    params: Params = {}
    head, semicolon, rest = body.partition(";")
    if semicolon:
        params = {"inplace": "Inplace" in head, "set_instead_of_inc": head.endswith("Set")}
        body = rest
    return {"idx_list": [_index_entry(e) for e in split_top(body)], **params}


def _index_entry(text: str) -> object:
    if ":" not in text:
        return _index_part(text)
    parts = [_index_part(p) for p in text.split(":")[:3]]
    return {"slice": [*parts, *[None] * (3 - len(parts))]}


def _index_part(text: str) -> object:
    """A number that is written in the pattern; "i" for the next input; None for nothing."""
    value = literal(text)
    return value if isinstance(value, int) else "i" if text.strip() and value is not None else None


def _numbered(key: str) -> Callable[[list[tuple[str, str]]], Params]:
    """For `Op{2}`: the number is parameter `key`."""

    def read(found: list[tuple[str, str]]) -> Params:
        params = generic(found)
        args = params.pop("args", [])
        return {**params, key: args[0]} if isinstance(args, list) and args else params

    return read


def _advanced_inc(found: list[tuple[str, str]]) -> Params:
    """`{inplace,set}`, `{inplace=False,  set_instead_of_inc=True}`."""
    params = generic(found)
    args = params.pop("args", [])
    if isinstance(args, list) and args and args[0] in ("set", "inc"):
        params["set_instead_of_inc"] = args[0] == "set"
    return params


def _rebroadcast(found: list[tuple[str, str]]) -> Params:
    """`{?,1,0}`: by position, 1 means broadcastable; Aesara writes `{(0, False)}`."""
    items = split_top(found[0][1]) if found else []
    if any(i.startswith("(") for i in items):
        pairs = [literal(i) for i in items]
        return {"axis": {str(p[0]): p[1] for p in pairs if isinstance(p, list) and len(p) == 2}}
    return {"axis": {str(i): item == "1" for i, item in enumerate(items) if item in "01"}}


def _random(found: list[tuple[str, str]]) -> Params:
    """`{"(),()->()"}` (PyTensor), `{0, (0, 0), floatX, True}` (Aesara: ndim_supp, ndims_params, dtype, inplace)."""
    args = generic(found).get("args", [])
    if isinstance(args, list) and len(args) == 4:
        return {"ndim_supp": args[0], "ndims_params": args[1], "dtype": args[2], "inplace": args[3]}
    return {"signature": args[0]} if isinstance(args, list) and args else {}


def _mrg(found: list[tuple[str, str]]) -> Params:
    """`{TensorType(float64, matrix),inplace}`."""
    items = split_top(found[0][1]) if found else []
    return {"output_type": items[0] if items else "", "inplace": "inplace" in items[1:]}


def _cumulative(found: list[tuple[str, str]]) -> Params:
    """`{0, add}`, `{axis=0}`."""
    params = generic(found)
    args = params.pop("args", None)
    return {"axis": args[0], "mode": args[1], **params} if isinstance(args, list) and len(args) == 2 else params


def _corr(found: list[tuple[str, str]]) -> Params:
    """`{valid, (1, 1), (1, 1), 1 False}`."""
    args = generic(found).get("args", [])
    keys = ("border_mode", "subsample", "filter_dilation", "num_groups", "unshared")
    flat = [v for a in args for v in ([literal(w) for w in a.split()] if isinstance(a, str) else [a])] if isinstance(args, list) else []
    return dict(zip(keys, flat))


_REDUCTIONS = ("CAReduce", "CAReduceDtype", "CAReduceCuda", "CAReduceCPY", "Sum", "Prod", "Any", "All", "Max", "Min", "MaxAndArgmax", "Argmax",
               "ProdWithoutZeros", "ReduceDtype", "Reduce")  # fmt: skip
HANDLERS: dict[str, Callable[[list[tuple[str, str]]], Params]] = {
    **dict.fromkeys(_REDUCTIONS, _reduction),
    **dict.fromkeys(("Subtensor", "IncSubtensor", "ScalarSubtensor"), _index),
    **dict.fromkeys(("AdvancedIncSubtensor1", "AdvancedIncSubtensor", "AdvancedIncSubtensor1_dev20"), _advanced_inc),
    **dict.fromkeys(("CorrMM", "CorrMM_gradWeights", "CorrMM_gradInputs", "Corr3dMM", "Corr3dMM_gradWeights", "Corr3dMM_gradInputs"), _corr),
    "Elemwise": _elemwise, "DimShuffle": _dimshuffle, "Scan": _scan, "Shape_i": _numbered("i"), "Reshape": _numbered("ndim"),
    "Flatten": _numbered("outdim"), "Split": _numbered("len_splits"), "Rebroadcast": _rebroadcast, "mrg_uniform": _mrg,
    "GPUA_mrg_uniform": _mrg, "GPU_mrg_uniform": _mrg, "CumOp": _cumulative,
}  # fmt: skip
"""Class name (of a Gpu form: without `Gpu`) -> how its parameters are read."""

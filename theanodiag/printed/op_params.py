"""Parses the parameters inside the braces of printed Ops, named as in live graphs (`scalar_op`, `inplace_pattern`, `idx_list`, `axis`)."""

from __future__ import annotations

import re
from collections.abc import Callable

from . import aesara, pytensor, theano
from .constants import literal, split_top

Params = dict[str, object]
"""Parameters by name, with JSON values."""
Groups = list[tuple[str, str]]
"""Bracket groups behind the name, as (opening bracket, content)."""
SCALARS = {**aesara.SCALARS, **pytensor.SCALARS, **theano.SCALARS, "sigmoid": "Sigmoid", "softplus": "Softplus"}
"""Name of a scalar Op as printed, in lower case -> class name, for all frameworks."""
_WORD = re.compile(r"[A-Za-z_]\w*")


def generic(found: Groups) -> Params:
    """Parameters of an Op without a handler: `k=v`, `inplace`, and a list `args` of all else."""
    params: Params = {}
    for opening, body in found:
        if opening == "<":
            params["context_name"] = literal(body)
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


def _scan(found: Groups) -> Params:
    """`Scan{f, while_loop=False, inplace=all}`."""
    params = generic(found)
    names = params.pop("args", [])
    return {"name": names[0] if isinstance(names, list) and names else None, "as_while": params.get("while_loop", False),
            "inplace_outputs": params.get("inplace", "none")}  # fmt: skip


def _elemwise(found: Groups) -> Params:
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
    word = _WORD.match(body)
    scalar = word[0] if word else body
    return {"scalar_op": SCALARS.get(scalar.lower(), scalar), "scalar_text": body, "inplace_pattern": pattern}


def _dimshuffle(found: Groups) -> Params:
    """`{x,0}`, `{order=[x,0]}`, `{axis=0}`, `{axes=[1, 0]}`; `{}` where all dimensions are dropped."""
    params = generic(found)
    order = params.pop("order", None) or params.pop("args", None) or ([] if found == [("{", "")] else None)
    return {**params, "new_order": order} if order is not None else params


def _reduction(found: Groups) -> Params:
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


def _index(found: Groups) -> Params:
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
    """An integer of the pattern; "i" for the next input; None for an omitted part."""
    value = literal(text)
    return value if isinstance(value, int) else "i" if text.strip() and value is not None else None


def _numbered(key: str) -> Callable[[Groups], Params]:
    """A handler for `Op{2}` or `Op{valid}`: the content of the braces is parameter `key`."""

    def read(found: Groups) -> Params:
        params = generic(found)
        args = params.pop("args", [])
        return {**params, key: args[0]} if isinstance(args, list) and args else params

    return read


def _advanced_inc(found: Groups) -> Params:
    """`{inplace,set}`, `{inplace=False,  set_instead_of_inc=True}`."""
    params = generic(found)
    args = params.pop("args", [])
    if isinstance(args, list) and args and args[0] in ("set", "inc"):
        params["set_instead_of_inc"] = args[0] == "set"
    return params


def _rebroadcast(found: Groups) -> Params:
    """`{?,1,0}`: by position, 1 means broadcastable; Aesara prints `{(0, False)}`."""
    items = split_top(found[0][1]) if found else []
    if any(i.startswith("(") for i in items):
        pairs = [literal(i) for i in items]
        return {"axis": {str(p[0]): p[1] for p in pairs if isinstance(p, list) and len(p) == 2}}
    return {"axis": {str(i): item == "1" for i, item in enumerate(items) if item in "01"}}


def _mrg(found: Groups) -> Params:
    """`{TensorType(float64, matrix),inplace}`."""
    items = split_top(found[0][1]) if found else []
    return {"output_type": items[0] if items else "", "inplace": "inplace" in items[1:]}


def _cumulative(found: Groups) -> Params:
    """`{0, add}`, `{axis=0}`."""
    params = generic(found)
    args = params.pop("args", None)
    return {"axis": args[0], "mode": args[1], **params} if isinstance(args, list) and len(args) == 2 else params


def _corr(found: Groups) -> Params:
    """`{valid, (1, 1), (1, 1), 1 False}`."""
    args = generic(found).get("args", [])
    keys = ("border_mode", "subsample", "filter_dilation", "num_groups", "unshared")
    rows = [[literal(w) for w in a.split()] if isinstance(a, str) else [a] for a in args] if isinstance(args, list) else []
    return dict(zip(keys, [v for row in rows for v in row]))


_REDUCTIONS = (
    "CAReduce", "CAReduceDtype", "CAReduceCuda", "CAReduceCPY", "Sum", "Prod", "Any", "All", "Max", "Min", "MaxAndArgmax", "Argmax",
    "ProdWithoutZeros", "ReduceDtype", "Reduce",
)  # fmt: skip
HANDLERS: dict[str, Callable[[Groups], Params]] = {
    **dict.fromkeys(_REDUCTIONS, _reduction),
    **dict.fromkeys(("Subtensor", "IncSubtensor", "ScalarSubtensor"), _index),
    **dict.fromkeys(("AdvancedIncSubtensor1", "AdvancedIncSubtensor", "AdvancedIncSubtensor1_dev20"), _advanced_inc),
    **dict.fromkeys([f"{c}{k}" for c in ("CorrMM", "Corr3dMM") for k in ("", "_gradWeights", "_gradInputs")], _corr),
    "Elemwise": _elemwise, "DimShuffle": _dimshuffle, "Scan": _scan, "Shape_i": _numbered("i"), "Reshape": _numbered("ndim"),
    "Flatten": _numbered("outdim"), "Split": _numbered("len_splits"), "Rebroadcast": _rebroadcast, "mrg_uniform": _mrg,
    "Images2Neibs": _numbered("mode"), "GPUA_mrg_uniform": _mrg, "GPU_mrg_uniform": _mrg, "CumOp": _cumulative, "Cumsum": _numbered("axis"),
}  # fmt: skip
"""Class name (without `Gpu`) -> how its parameters are parsed."""

"""Prints each function in every mode of this generation's `debugprint`, beside its live graph: one JSON row a function."""

import importlib
import json
import os
import sys

StringIO = importlib.import_module("StringIO" if sys.version_info < (3,) else "io").StringIO

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.environ["THEANODIAG_ROOT"]]
sys.setrecursionlimit(20000)

import families  # noqa: E402


def small_walk(fn):
    """The graph in the walker's form, as far as the comparison looks at it, for interpreters in which the walker does not run."""
    fgraph = fn.maker.fgraph if hasattr(fn.maker, "fgraph") else fn.maker.env
    order, ids, rows = list(fgraph.toposort()), {}, []

    def number(variable):
        if variable not in ids:
            ids[variable] = len(rows)
            kind = variable.type
            shape = [1 if b else None for b in getattr(kind, "broadcastable", ())]
            kinds = {"TensorType": "tensor", "Scalar": "scalar", "RandomStateType": "random", "GpuArrayType": "gpuarray"}
            row = {"kind": kinds.get(type(kind).__name__, "other"), "text": str(kind), "shape": shape}
            rows.append({"name": variable.name, "type": row})
            if any(c.__name__ == "Constant" for c in type(variable).__mro__):
                rows[-1]["constant"] = {"shape": list(getattr(variable.data, "shape", ()))}
        return ids[variable]

    applies = []
    for node in order:
        op = {"text": str(node.op), "name": type(node.op).__name__, "view_map": {}, "destroy_map": {}}
        for key in ("view_map", "destroy_map"):
            op[key] = dict((str(k), v) for k, v in (getattr(node.op, key, None) or {}).items())
        applies.append({"op": op, "inputs": [number(v) for v in node.inputs], "outputs": [number(v) for v in node.outputs]})
    return {"variables": rows, "applies": applies, "outputs": [number(v) for v in fgraph.outputs]}


try:
    Walk = importlib.import_module("theanodiag.agent.walk.graph").Walk
except Exception:  # the walker needs a newer Python
    Walk = None


def walk(fn):
    """The graph of a compiled function as JSON values."""
    return small_walk(fn) if Walk is None else Walk(fn.maker, fn.name or "").graph()


MODES = {
    "plain": {},
    "types": {"print_type": True},
    "int": {"ids": "int"},
    "id": {"ids": "id", "print_type": True},
    "none": {"ids": "", "print_type": True},
    "auto": {"ids": "auto"},
    "clients": {"print_clients": True},
    "storage": {"print_storage": True, "print_type": True},
    "op_info": {"print_op_info": True, "print_type": True},
    "memory_map": {"print_destroy_map": True, "print_view_map": True, "print_type": True},
    "inputs": {"print_fgraph_inputs": True, "print_type": True},
    "shapes": {"print_shape": True},
    "named": {"stop_on_name": True},
    "shallow": {"depth": 3},
}


def show(thing, options):
    """The text of one mode; None where this generation does not have it."""
    out = StringIO()
    for names in (options, dict(("id_type" if k == "ids" else k, v) for k, v in options.items())):
        try:
            families.fw.printing.debugprint(thing, file=out, **names)
            return out.getvalue()
        except (TypeError, KeyError, UnboundLocalError):
            out = StringIO()
    return None


def main():
    for name, fn, outputs in families.functions():
        if outputs is None:
            print(json.dumps({"name": name, "error": fn}))
            continue
        row = {"name": name, "graph": walk(fn), "prints": {}}
        for mode, options in MODES.items():
            text = show(fn, options)
            if text is not None:
                row["prints"][mode] = text
        print(json.dumps(row))
        sys.stdout.flush()


main()

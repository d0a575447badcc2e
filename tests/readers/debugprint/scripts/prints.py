"""Prints each function in every mode of this generation's `debugprint`, beside its live graph: one JSON row a function."""

import importlib
import io
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.environ["THEANODIAG_ROOT"]]
sys.setrecursionlimit(20000)

import families  # noqa: E402

WALK = importlib.import_module("theanodiag.readers.fgraph_walk")
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
    out = io.StringIO()
    for names in (options, dict(("id_type" if k == "ids" else k, v) for k, v in options.items())):
        try:
            families.fw.printing.debugprint(thing, file=out, **names)
            return out.getvalue()
        except (TypeError, KeyError, UnboundLocalError):
            out = io.StringIO()
    return None


def main():
    for name, fn, outputs in families.functions():
        if outputs is None:
            print(json.dumps({"name": name, "error": fn}))
            continue
        row = {"name": name, "graph": WALK.walk_function(fn), "prints": {}}
        for mode, options in MODES.items():
            text = show(fn, options)
            if text is not None:
                row["prints"][mode] = text
        print(json.dumps(row))
        sys.stdout.flush()


main()

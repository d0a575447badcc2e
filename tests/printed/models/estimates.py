"""python estimates.py PACKAGE_FOLDER FRAMEWORK: compiled functions with their live graphs, the shapes by the live rules, and their printed texts.

Each function is compiled as the framework would by default, but for C code: the thunks are Python's.
"""

import importlib
import json
import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "..", "capture", "scripts")]
sys.setrecursionlimit(20000)

from families import FAMILIES, Kit  # noqa: E402
from live_check import load  # noqa: E402
from training import MODELS  # noqa: E402

StringIO = importlib.import_module("StringIO" if sys.version_info < (3,) else "io").StringIO
FORMS = {
    "types": ({"print_type": True}, {"print_type": True}),
    "int": ({"print_type": True, "ids": "int"}, {"print_type": True, "id_type": "int"}),
    "storage": ({"print_type": True, "print_storage": True},),
    "maps": ({"print_type": True, "print_destroy_map": True, "print_view_map": True},),
    "info": ({"print_type": True, "print_op_info": True},),
    "default": ({},),
}


def without_c(package):
    """Makes the default machine run Python's thunks, with all rewrites that it has otherwise."""
    modes = importlib.import_module(package + ".compile.mode")
    for name, kind in ((".gof.vm", "VM_Linker"), (".link.vm", "VMLinker")):
        try:
            linker = getattr(importlib.import_module(package + name), kind)
        except (ImportError, AttributeError):
            continue
        modes.predefined_linkers["cvm"] = linker(use_cloop=False, c_thunks=False)
        return


def text_of(kit, function, ways):
    """The printed graph; None where this generation has no such form."""
    for options in ways:
        out = StringIO()
        try:
            kit.root.printing.debugprint(function, file=out, **options)
            return out.getvalue()
        except (TypeError, AttributeError, KeyError):
            continue
    return None


def row(kit, build, Walk, LiveShapes):
    """One function."""
    built = build(kit)
    updates = built[3] if len(built) > 3 and built[3] != "default" else []
    function = kit.root.function(built[0], built[1], updates=updates, on_unused_input="ignore")
    walk, shapes, values, named = Walk(function.maker), {}, {}, {}
    for i, (spec, cell) in enumerate(zip(walk.specs, function.input_storage)):
        value = built[2][i] if i < len(built[2]) else cell.storage[0]
        shapes[i] = [int(d) for d in getattr(value, "shape", ())]
        if i < len(built[2]) and getattr(getattr(value, "dtype", None), "kind", "i") in "iu" and getattr(value, "size", 1) == 1:
            values[i] = int(value)
        if hasattr(value, "shape") or isinstance(value, int):
            named[walk.fgraph.inputs[i].name] = (shapes[i], values.get(i))
    return {
        "graph": walk.graph(), "table": LiveShapes(walk).table(shapes, values), "named": named,
        "depth_first": hasattr(function.maker.linker, "use_cloop"), "numba": "Numba" in type(function.maker.linker).__name__,
        "texts": {form: text for form in FORMS for text in [text_of(kit, function, FORMS[form])] if text is not None},
    }  # fmt: skip


def main(root, package, *names):
    """All functions that the framework has."""
    Walk, LiveShapes = load(root)
    kit, rows = Kit(package), {}
    without_c(package)
    for name, build in sorted(dict(FAMILIES, **MODELS).items()):
        if names and name not in names:
            continue
        try:
            rows[name] = row(kit, build, Walk, LiveShapes)
        except KeyboardInterrupt:
            raise
        except BaseException:  # Aesara has one that is no Exception
            rows[name] = {"missing": traceback.format_exc()}
    return rows


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(*sys.argv[1:])))

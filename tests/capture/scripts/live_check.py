"""python live_check.py PACKAGE_FOLDER FRAMEWORK [FAMILY...]: runs functions for real and prints, as JSON, where the predicted shapes differ."""

import importlib
import json
import os
import sys
import time
import traceback
import types

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))


def load(root):
    """The walker and LiveShapes, loaded by path as the hook does."""
    module = sys.modules["_theanodiag_agent"] = types.ModuleType("_theanodiag_agent")
    module.__path__ = [os.path.join(root, "agent")]
    walk = importlib.import_module("_theanodiag_agent.walk.graph")
    return walk.Walk, importlib.import_module("_theanodiag_agent.shapes.infer").LiveShapes


def vm_linker(package):
    """The linker of the virtual machine."""
    try:
        return importlib.import_module(package + ".gof.vm").VM_Linker
    except ImportError:
        return importlib.import_module(package + ".link.vm").VMLinker


def instrumented(package, c_thunks):
    """A Mode whose machine tells the shape of every value that a node makes, and where it tells."""
    import numpy

    seen = {}

    def note(node, thunk, storage_map, compute_map):
        for variable in node.outputs:
            value = storage_map[variable][0]
            if hasattr(value, "shape"):
                seen[variable] = (tuple(int(d) for d in value.shape), numpy.array(value) if value.size < 100 else None)

    mode = importlib.import_module(package + ".compile.mode").Mode
    made = mode(vm_linker(package)(callback=note, use_cloop=False, c_thunks=c_thunks), "fast_run")
    on_device = not getattr(importlib.import_module(package).config, "device", "cpu").startswith("cpu")
    return made.including("gpuarray") if on_device else made, seen


def compare(walk, table, seen):
    """(what differs, how many Variables were compared, how many are bounds, how many are unknown)."""
    wrong, counts = [], [0, 0, 0, 0]
    host = importlib.import_module(type(walk.fgraph).__module__.split(".")[0] + ".tensor").TensorType  # a device may be simulated
    for variable, (shape, value) in seen.items():
        key = str(walk.ids[variable])
        found, name = table["shapes"].get(key), "%s.%d" % (variable.owner.op, variable.owner.outputs.index(variable))
        counts[0] += 1
        if found is None or None in found:
            counts[2] += 1
            wrong.append([name[:100], "unknown", table["unknown"].get(key), list(shape)])
        elif walk.ids[variable] in table["bounded"]:
            counts[1] += 1
            if any(a < b for a, b in zip(found, shape)):
                wrong.append([name[:100], "bound too low", found, list(shape)])
        elif tuple(found) != shape:
            wrong.append([name[:100], "differs", found, list(shape)])
        known = table["values"].get(key)
        if known is not None and isinstance(variable.type, host):
            counts[3] += 1
            if not same(known, value):
                wrong.append([name[:100], "value", known, repr(value)[:80]])
    return wrong, counts


def same(known, value):
    """Whether a predicted value is the real one, up to rounding."""
    import numpy

    return numpy.allclose(numpy.asarray(known, dtype="float64"), numpy.asarray(value, dtype="float64"), rtol=1e-5)


def check(function, arguments, seen, Walk, LiveShapes):
    """One family: predict, call, compare."""
    begin = time.time()
    walk = Walk(function.maker)
    walked = time.time() - begin
    live = LiveShapes(walk)
    shapes, values = {}, {}
    cells = [c.storage[0] for c in function.input_storage]
    for i, spec in enumerate(walk.specs):
        value = arguments[i] if i < len(arguments) else cells[i]
        shapes[i] = tuple(getattr(value, "shape", ()))
        if i < len(arguments) and getattr(getattr(value, "dtype", None), "kind", "i") in "iu":
            values[i] = value
    begin = time.time()
    table = live.table(shapes, values)
    first = time.time() - begin
    begin = time.time()
    live.table(shapes, values)
    again = time.time() - begin
    json.dumps([walk.graph(), table])
    function(*arguments)
    wrong, counts = compare(walk, table, seen)
    return {"wrong": wrong, "counts": counts, "nodes": len(walk.order), "walk": walked, "first": first, "again": again}


def main(root, package, names):
    """All families, or the named ones."""
    from families import FAMILIES, Kit

    Walk, LiveShapes = load(root)
    kit, results = Kit(package), {}
    for name in names or sorted(FAMILIES):
        c_thunks = None if "scan" in name or os.environ.get("C_THUNKS") else "conv" in name or "pool" in name
        try:
            function, arguments, seen = compile_family(kit, name, c_thunks)
        except Exception as error:  # not every framework has every family
            results[name] = {"missing": "%s: %s" % (type(error).__name__, error)}
            continue
        try:
            results[name] = check(function, arguments, seen, Walk, LiveShapes)
        except Exception:
            results[name] = {"failed": traceback.format_exc()}
    return results


def compile_family(kit, name, c_thunks):
    """The function, its arguments, and where its machine tells what it saw."""
    from families import FAMILIES

    built = FAMILIES[name](kit)
    mode, seen = instrumented(kit.package, c_thunks)
    updates = built[3] if len(built) > 3 and built[3] != "default" else []
    return kit.root.function(built[0], built[1], updates=updates, mode=mode, on_unused_input="ignore"), built[2], seen


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], sys.argv[2], sys.argv[3:])))

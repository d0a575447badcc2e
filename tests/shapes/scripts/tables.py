"""python tables.py PACKAGE_FOLDER FRAMEWORK: for each family of functions its graph, its text, and the shapes by the framework's own rules, as JSON."""

import importlib
import json
import os
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "capture", "scripts"))

from families import FAMILIES, Kit  # noqa: E402
from live_check import load  # noqa: E402

StringIO = importlib.import_module("StringIO" if sys.version_info < (3,) else "io").StringIO


def text_of(kit, function):
    """The printed graph, with types and with what links inner inputs to outer ones where this generation can."""
    for options in ({"print_type": True, "print_op_info": True}, {"print_type": True}):
        out = StringIO()
        try:
            kit.root.printing.debugprint(function, file=out, **options)
            return out.getvalue()
        except (TypeError, AttributeError):
            continue
    return ""


def row(kit, name, Walk, LiveShapes):
    """One family."""
    built = FAMILIES[name](kit)
    updates = built[3] if len(built) > 3 and built[3] != "default" else []
    mode = importlib.import_module(kit.package + ".compile.mode").Mode("py", "fast_run")
    function = kit.root.function(built[0], built[1], updates=updates, mode=mode, on_unused_input="ignore")
    walk, shapes, values = Walk(function.maker), {}, {}
    for i, (spec, cell) in enumerate(zip(walk.specs, function.input_storage)):
        value = built[2][i] if i < len(built[2]) else cell.storage[0]
        shapes[i] = [int(d) for d in getattr(value, "shape", ())]
        if i < len(built[2]) and getattr(getattr(value, "dtype", None), "kind", "i") in "iu" and getattr(value, "size", 1) < 60:
            values[i] = getattr(value, "tolist", lambda value=value: value)()
    live = LiveShapes(walk)
    made = {"graph": walk.graph(), "table": live.table(shapes, values), "shapes": shapes, "values": values}
    return dict(made, text=text_of(kit, function), variants=list(variants(live, shapes, values)))


def variants(live, shapes, values):
    """The same graph where less is known of its inputs: [shapes, values, table] each; ["<=", n] is a bound, None is not known."""
    bound = importlib.import_module("_theanodiag_agent.shapes.dimensions").Bound
    arrays = [i for i in sorted(shapes) if shapes[i]]
    known = dict((i, list(shapes[i])) for i in shapes)
    cases = [(known, {})] if values else []
    for chosen in [arrays] + [[i] for i in arrays if len(arrays) > 1]:
        cases.append((changed(known, chosen, lambda axis, d: ["<=", d]), values))
        cases.append((changed(known, chosen, lambda axis, d: None), values))
    for axis in range(4):
        cases.append((changed(known, arrays, lambda a, d, axis=axis: ["<=", d] if a == axis else d), values))
        cases.append((changed(known, arrays, lambda a, d, axis=axis: None if a == axis else d), values))
    for sizes, numbers in cases:
        given = dict((i, tuple(bound(d[1]) if isinstance(d, list) else d for d in dims)) for i, dims in sizes.items())
        yield [sizes, numbers, live.table(given, numbers)]


def changed(shapes, chosen, change):
    """The shapes with every dimension of the chosen inputs changed."""
    made = dict(shapes)
    for i in chosen:
        made[i] = [change(axis, d) for axis, d in enumerate(shapes[i])]
    return made


def main(root, package):
    """All families that the framework has."""
    Walk, LiveShapes = load(root)
    kit, rows = Kit(package), {}
    for name in sorted(FAMILIES):
        try:
            rows[name] = row(kit, name, Walk, LiveShapes)
        except Exception:
            rows[name] = {"missing": traceback.format_exc()}
    return rows


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], sys.argv[2])))

"""python live_cases.py PACKAGE_FOLDER FRAMEWORK: shape tables of single functions that say something special, as JSON by name."""

import importlib
import json
import sys

from live_check import load


def tell(walk, table):
    """What a table says of each output of the function: shape, whether it is a bound, value, why it is unknown."""
    rows = []
    for variable in walk.fgraph.outputs:
        i = walk.ids[variable]
        rows.append([table["shapes"].get(str(i)), i in table["bounded"], table["values"].get(str(i)), table["unknown"].get(str(i))])
    return rows


def cases(root, T, walker, live_of):
    """Name -> (function, tables to make of it: shapes, values)."""
    x, n, m = T.fmatrix("x"), T.lscalar("n"), T.ivector("m")
    nonzero = x.flatten().nonzero()[0]
    yield "open input", ([x, n], [x * 2, x.sum(axis=0), x.sum(), T.zeros((n, 3)) + 1]), [({}, {})]
    yield "half open", ([x, n], [x[:n] + 1, T.zeros((x.shape[0], n)) + 1]), [({0: (5, 3)}, {}), ({0: (5, 3)}, {1: 2})]
    yield (
        "mask",
        ([x], [nonzero + 1, nonzero[: nonzero.shape[0] // 2] + 1, x.flatten()[nonzero] * 2, T.zeros_like(nonzero).sum()]),
        [({0: (4, 5)}, {})],
    )
    yield (
        "arithmetic",
        ([x], [x.shape[0] * 3 + x.shape[1], T.stack([x.shape[1], x.shape[0]])[::-1], x.size]),
        [({0: (4, 5)}, {}), ({0: (2, 5)}, {})],
    )
    yield (
        "data",
        ([x, m], [T.arange(T.cast(x.sum(), "int64")) + 1, x.reshape(m, ndim=3) + 1]),
        [({0: (4, 5), 1: (3,)}, {}), ({0: (4, 5), 1: (3,)}, {1: [2, 5, -1]})],
    )


def main(folder, package):
    """All cases on one framework."""
    Walk, LiveShapes = load(folder)
    root = importlib.import_module(package)
    mode = "FAST_COMPILE" if package == "theano" else None
    results = {}
    for name, (inputs, outputs), signatures in cases(root, importlib.import_module(package + ".tensor"), Walk, LiveShapes):
        walk = Walk(root.function(inputs, outputs, mode=mode, on_unused_input="ignore").maker)
        live = LiveShapes(walk)
        results[name] = [tell(walk, live.table(shapes, values)) for shapes, values in signatures]
    return results


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], sys.argv[2])))

"""python walk_default.py PACKAGE_FOLDER FRAMEWORK: graphs of functions compiled as the framework would by itself, as JSON by name."""

import importlib
import json
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "capture", "scripts"))

from live_check import load  # noqa: E402


def functions(root, T):
    """Name -> inputs, output, shapes of the inputs."""
    x, a, b = T.fmatrix("x"), T.ftensor3("a"), T.ftensor3("b")
    yield "mean", [x], x.mean(axis=0), [(5, 3)]
    yield "inverse", [a], T.linalg.inv(a), [(2, 3, 3)]
    yield "determinant", [a], T.linalg.det(a), [(2, 3, 3)]
    yield "cholesky", [a], T.linalg.cholesky(a), [(2, 3, 3)]
    yield "solution", [a, b], T.linalg.solve(a, b), [(2, 3, 3), (2, 3, 4)]


def main(folder, package):
    """The graph of each function, and the shape of its result."""
    Walk, LiveShapes = load(folder)
    root, results = importlib.import_module(package), {}
    for name, inputs, output, shapes in functions(root, importlib.import_module(package + ".tensor")):
        walk = Walk(root.function(inputs, [output]).maker)
        table = LiveShapes(walk).table(dict(enumerate(shapes)))
        results[name] = {"graph": walk.graph(), "shape": table["shapes"][str(walk.ids[walk.fgraph.outputs[0]])]}
    return results


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1], sys.argv[2])))

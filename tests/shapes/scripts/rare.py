"""python rare.py PACKAGE_FOLDER FRAMEWORK: Ops that few functions have, run as they are: graphs, their shape tables by the live rules, shapes of inputs and results, as JSON."""

import importlib
import json
import os
import sys
import traceback

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "..", "capture", "scripts"))

from families import Kit, rand  # noqa: E402
from live_check import load  # noqa: E402
from tables import variants  # noqa: E402

CASES = {}


def case(function):
    """Registers a builder: Kit -> (inputs, outputs, arguments)."""
    CASES[function.__name__] = function
    return function


def sparse(k, form="csc"):
    """A sparse input and its value."""
    import scipy.sparse as sp

    s = k.part("sparse")
    make = getattr(s, form + "_matrix", None) or s.matrix
    x = make("x", dtype="float32") if make is not s.matrix else make(form, name="x", dtype="float32")
    return s, x, getattr(sp, form + "_matrix")(np.eye(5, 7, dtype="float32") + np.eye(5, 7, 2, dtype="float32"))


@case
def sparse_views(k):
    s, x, value = sparse(k)
    outs = [s.dense_from_sparse(x), s.transpose(x), s.dense_from_sparse(s.clean(x))]
    return [x], outs + [s.sp_sum(x, axis=0), s.sp_sum(x, axis=1), s.sp_sum(x)], [value]


@case
def sparse_products(k):
    s, x, value = sparse(k, "csr")
    d = k.fmatrix("d")
    return [x, d], [s.structured_dot(x, d), s.dot(x, d), s.true_dot(x, d)], [value, rand(7, 3)]


@case
def sparse_stacked(k):
    s, x, value = sparse(k)
    return [x], [s.hstack([x, x]), s.vstack([x, x, x])], [value]


@case
def sparse_sums(k):
    s, x, value = sparse(k)
    d, v = k.fmatrix("d"), k.fvector("v")
    return [x, d, v], [s.add(x, d), s.add(x, x), s.mul(x, x), s.mul(x, d), s.col_scale(x, v)], [value, rand(5, 7), rand(7)]


@case
def sparse_parts(k):
    s, x, value = sparse(k)
    data, indices, indptr, shape = s.csm_properties(x)
    return [x], [s.CSC(data, indices, indptr, shape), indptr, shape, x[1:3, 2:], x[[0, 2, 4]]], [value]


@case
def sparse_squares(k):
    s, x, _ = sparse(k)
    v = k.fvector("v")
    diagonal = s.square_diagonal(v) if hasattr(s, "square_diagonal") else s.sp_ones_like(x)
    import scipy.sparse as sp

    return [x, v], [s.diag(x), diagonal], [sp.csc_matrix(np.eye(4, dtype="float32")), rand(4)]


@case
def least_squares(k):
    a, b = k.dmatrix("a"), k.dmatrix("b")
    made = k.named("lstsq")
    solved = made()(a, b, np.float64(0.01)) if isinstance(made, type) else made(a, b, np.float64(0.01))
    return [a, b], [solved[0], solved[2], solved[3]], [rand(7, 3).astype("float64"), rand(7, 2).astype("float64")]


@case
def tensor_inverse(k):
    a = k.dtensor4("a")
    return [a], [k.named("tensorinv")(a)], [np.eye(12).reshape(4, 3, 6, 2)]


@case
def tensor_solution(k):
    a, b = k.dtensor3("a"), k.dvector("b")
    return [a, b], [k.named("tensorsolve")(a, b)], [np.eye(6).reshape(6, 2, 3), rand(6).astype("float64")]


@case
def tensor_solution_by_axes(k):
    a, b = k.dtensor4("a"), k.dmatrix("b")
    return [a, b], [k.named("tensorsolve")(a, b, axes=(0, 2))], [np.eye(30).reshape(5, 6, 3, 10).transpose(2, 0, 3, 1), rand(5, 6)]


@case
def factors(k):
    a = k.fmatrix("a")
    made = list(k.named("lu")(a)) + list(k.named("lu")(a, permute_l=True)) + list(k.named("lu_factor")(a))
    return [a], made + [k.named("pivot_to_permutation")(made[-1])], [rand(4, 4)]


@case
def orthogonal_factors(k):
    a, b = k.dmatrix("a"), k.dmatrix("b")
    modes = ["full", "economic", "raw"] if k.package == "pytensor" else ["full", "complete", "reduced", "r", "raw"]
    made = [v for mode in modes for x in (a, b) for v in listed(k.named("qr")(x, mode=mode))]
    return [a, b], made, [rand(6, 4).astype("float64"), rand(3, 5).astype("float64")]


@case
def unbatched_factors(k):
    a, b = k.dmatrix("a"), k.dmatrix("b")
    kind = k.part("tensor.linalg.decomposition.qr").QR
    made = [v for mode in ("full", "economic", "raw") for x in (a, b) for v in kind(mode=mode)(x)]
    return [a, b], made + [kind(mode="r")(b)], [rand(6, 4).astype("float64"), rand(3, 5).astype("float64")]


@case
def pivoted_factors(k):
    a, b = k.dmatrix("a"), k.dmatrix("b")
    made = [v for mode in ("full", "economic", "raw") for x in (a, b) for v in k.named("qr")(x, mode=mode, pivoting=True)]
    return [a, b], made, [rand(6, 4).astype("float64"), rand(3, 5).astype("float64")]


@case
def batched_factors(k):
    a = k.dtensor3("a")
    made = [v for mode in ("full", "economic", "r", "raw") for v in listed(k.named("qr")(a, mode=mode))]
    return [a], made + list(k.named("svd")(a)) + list(k.named("svd")(a, full_matrices=False)), [rand(2, 6, 4).astype("float64")]


def listed(made):
    """One result or several, as a list."""
    return list(made) if isinstance(made, (list, tuple)) else [made]


@case
def schur(k):
    a = k.fmatrix("a")
    return [a], list(k.named("schur")(a)), [rand(4, 4)]


@case
def positions(k):
    i, x = k.lmatrix("i"), k.fmatrix("x")
    made = [k.ravel_multi_index((i, i), (5, 6)), k.unravel_index(i, (5, 6))[1]]
    return [i, x], made + [k.choose(i, [x, x + 1, x + 2], mode="clip")], [np.array([[0, 1, 2], [2, 1, 0]]), rand(2, 3)]


@case
def frequencies(k):
    x = k.dmatrix("x")
    return [x], [k.part("tensor.fourier").fft(x, 8, 1)], [rand(3, 8).astype("float64")]


@case
def diagonal_views(k):
    x = k.part("tensor").TensorType("float32", (False,) * 5)("x")
    part = k.part("tensor.nnet.conv3d2d")
    return [x], [part.diagonal_subtensor(x, 1, 3), part.diagonal_subtensor(x, 0, 4)], [rand(6, 7, 2, 3, 4)]


@case
def convolved(k):
    x, y = k.fvector("x"), k.fvector("y")
    part = k.part("tensor.signal.conv")
    made = [part.Convolve1d()(x, y, k.constant(np.bool_(full))) for full in (True, False)]
    return [x, y], made, [rand(9), rand(4)]


def row(kit, build, Walk, LiveShapes):
    """One case: nothing is rewritten."""
    inputs, outputs, values = build(kit)
    mode = importlib.import_module(kit.package + ".compile.mode").Mode("py", None)
    function = kit.root.function(inputs, outputs, mode=mode, on_unused_input="ignore")
    walk = Walk(function.maker)
    made = function(*values)
    small = dict((i, v.tolist()) for i, v in enumerate(values) if hasattr(v, "tolist") and v.dtype.kind == "i")
    shapes = [list(np.shape(v) if not hasattr(v, "nnz") else v.shape) for v in made]
    given = [list(v.shape) for v in values]
    live = LiveShapes(walk)
    told = {"table": live.table(dict(enumerate(given)), small), "variants": list(variants(live, dict(enumerate(given)), small))}
    return dict(told, graph=walk.graph(), shapes=given, values=small, made=shapes)


def main(root, package):
    """All cases that the framework has."""
    Walk, LiveShapes = load(root)
    kit, rows = Kit(package), {}
    for name in sorted(CASES):
        try:
            rows[name] = row(kit, CASES[name], Walk, LiveShapes)
        except Exception:
            rows[name] = {"missing": traceback.format_exc()}
    return rows


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(*sys.argv[1:])))

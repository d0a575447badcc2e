"""Lengths that integer arguments decide; where numbers are computed they are compared with numpy's."""

import sys

import numpy as np
import pytensor
import pytensor.tensor as pt

data = pytensor.shared(np.arange(300, dtype="float32").reshape((100, 3)), "data")
W = pytensor.shared(np.zeros((3, 3), "float32"), "W")
i, n = pt.lscalar("i"), pt.iscalar("n")
x = pt.fmatrix("x")
computed = False


def equal(value, expected):
    """Where functions compute, which the first of them tells."""
    assert not computed or np.allclose(value, expected), (value, expected)


rows = pytensor.function([i], data[i * 10 : (i + 1) * 10].sum(axis=1), name="rows")
for k in range(3):
    found = rows(k)
    computed = computed or bool(np.asarray(found).any())
    equal(found, data.get_value()[k * 10 : (k + 1) * 10].sum(axis=1))
grow = pytensor.function([n], [], updates=[(W, pt.ones((n, n), dtype="float32"))], name="grow")
for size in (5, 8):
    grow(size)
    equal(W.get_value().sum(), size * size)
count = pytensor.function([n], pt.arange(n).sum(), name="count")
equal(count(10), 45)
folded = pytensor.function([x, n], x.reshape((n, -1)).sum(axis=1), name="folded")
equal(folded(np.ones((6, 4), "float32"), 8), [3] * 8)
last = pytensor.function([n], data[-n:].mean(axis=0), name="last")
equal(last(2), data.get_value()[-2:].mean(axis=0))
scale = pt.fscalar("scale")
mixed = pytensor.function([x, n, scale], x[:n] * scale, name="mixed")
for size in (2, 4):
    equal(mixed(np.ones((6, 4), "float32"), size, 3.0), np.full((size, 4), 3))
tokens, E = pt.imatrix("tokens"), pytensor.shared(np.arange(50, dtype="float32").reshape((10, 5)), "E")
long = pytensor.function([tokens], pt.zeros((tokens.shape[0] * tokens.shape[1], 5), dtype="float32") + E[0], name="long")
for size in (3, 6):
    equal(long(np.zeros((2, size), "int32")), np.tile(np.arange(5, dtype="float32"), (2 * size, 1)))
print("computed" if computed else "not computed", file=sys.stderr)

"""Arithmetic of sources written for NumPy 1, under NumPy 2."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests import interpreters

PROGRAM = """import operator
import numpy as np
import theano
arrays = [np.array([1, 2], t) for t in ("bool", "uint8", "int8", "int32", "int64", "float16", "float32", "float64", "complex64")]
values = [True, 3, -3, 300, 70000, 2.5, 1e300, 1e6, 2j, np.sqrt(2.0), np.float32(2.5), np.float64(1e300), np.int64(7), np.int64(-7),
          np.int64(300), np.uint8(200), np.bool_(True), np.complex128(1j), np.array(1.5), np.array(9), np.array([2.5]), np.arange(2)]
def shown(function):
    try:
        with np.errstate(all="ignore"):
            result = function()
    except (TypeError, ValueError, OverflowError) as error:
        return type(error).__name__
    return getattr(result, "dtype", type(result).__name__), np.asarray(result).tolist()
for a in arrays:
    for v in values:
        if a.dtype.kind == "b" and isinstance(v, (bool, np.bool_)):
            continue
        print(a.dtype, repr(v), shown(lambda: a + v), shown(lambda: v * a), shown(lambda: a / v), shown(lambda: v - a))
        if a.dtype.kind in "iufc":
            print(shown(lambda: a ** 2.0), shown(lambda: v / a))
print([1] * 2, (1,) + (2,), "%s" % 3, 7 // 2, np.dtype([("start", np.int64, 1), ("name", "S3")])["start"].shape)
print(np.zeros(1, dtype=[("a", float, 1)])["a"].shape, float(np.sqrt(6.0)) * 2, type(np.sqrt(6.0) * 2).__name__)
"""


def printed(*words: str, interpreter: str = "pytensor", folder: Path | None = None) -> str:
    """What `theanodiag run` with these arguments prints."""
    command = [sys.executable, "-m", "theanodiag", "run", "--python", interpreters.find(interpreter), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("option", ["--fix-numpy", "--python2"])
def test_arrays_keep_their_dtype_beside_a_number(tmp_path: Path, option: str) -> None:
    """In the script and in its modules: what NumPy 1 (1.21, with Theano 1.0.5) prints."""
    (tmp_path / "part.py").write_text(("from __future__ import division, print_function\n" if option == "--python2" else "") + PROGRAM)
    script = tmp_path / "script.py"
    script.write_text("import part\n")
    done = interpreters.python("theano", str(script))
    assert done.returncode == 0, done.stderr
    assert printed(option, str(script)) == done.stdout


OLD_PROGRAM = """# encoding: latin-1
from __future__ import print_function
import sys
import random, numpy as np
random.seed(3); print([random.randint(0, 9) for _ in range(8)], random.choice("abcdef"))
print(random.randrange(0, 100, 7), random.randrange(9, 0, -2))
x = range(30); random.shuffle(x); print(x)
print(random.sample(range(1000), 12), random.sample(range(5), 3), random.sample(set(range(100)), 4))
print(random.sample({1: 2, 3: 4}, 2), random.sample("abcdef", 6), random.sample([1], 0))
random.seed("theano"); print("%.12f" % random.random(), random.gauss(0, 1) > 9, random.uniform(1, 2) > 3)
r = random.Random(5); y = [1, 2, 3, 4]; r.shuffle(y); print(y, r.randint(1, 10 ** 20), r.sample(y, 2))
random.shuffle(y, lambda: 0.3); print(y)
random.seed(3.0); print(random.randint(0, 1000)); random.seed(2**70); print(random.randint(0, 1000))
random.seed((1, 2)); random.seed(-4); print(random.randint(0, 99))
print([round(v) for v in (2.5, 0.5, -0.5, -2.5, 0.49999999999999994, 1e300, 4, np.float32(2.5))])
print(round(2.675, 2), round(1.005, 2), round(1234.5, -2), round(0.125, 2), int(round(3.5)), round(-1.25, 1))
a = np.zeros(3); a[1] = np.array([2.5]); i = [slice(0, 2)] * 1; print(a[i], a[[[0, 1]]])
class H(object):
    def __init__(self):
        self.__v = np.uint8(200); self.__v += 100; self.v = 7
        self.v /= 2; self.w = [1.5, 3]; self.w[len(self.w) - 1] /= 2; self.__v *= 2
    def get(self): return self.__v
h = H(); print(h.get(), h.v, h.w); total = 0
for v in np.arange(3, dtype="float32"): total += v / np.float32(3)
print(total, type(total).__name__, type(sum(np.ones(2, "float32"))).__name__)
f = np.arange(3, dtype="float32"); g = f; f += np.sqrt(2.0); f[1:] *= np.sqrt(2.0)
u = np.arange(3, dtype="uint8"); u += 300; print(g.tolist(), u.tolist(), f is g)
d = {"a": 1, (1, 2): 3}; d["a"] += 1; d[1, 2] += 1; print(d["a"], d[(1, 2)]); l = [1]; m = l; l += [2]; print(m)
print(np.array([1, 2], dtype="float32", copy=False).tolist(), np.sum(v for v in [1, 2]), f.tostring() == f.tobytes(), f.ptp() > 0)
from numpy.linalg.linalg import LinAlgError
from numpy.lib.function_base import percentile
print(LinAlgError.__name__, percentile([1, 2, 3], 50, interpolation="lower"), np.NAN != np.NAN, np.math.pi > 3, np.rank(f))
print(np.lib.pad(u, 1, "constant").tolist(), np.issubdtype(np.float32, float), issubclass(np.ComplexWarning, Warning), np.alen(u))
print(np.fft.fft(f).dtype, np.histogram2d([1, 2], [1, 2], 2, normed=True)[0].tolist())
print("%d %.2f %s" % (np.array([2]), np.array([[1.5]]), "a"))
print(float(np.array([2.5])), int(np.array([[2]])), np.where(f > 1, np.float64(0), f).dtype, np.maximum(f, np.float64(2)).dtype)
print(np.clip(f, np.float64(1), np.float64(2)).dtype, f.clip(np.float64(1), np.float64(2)).dtype)
print(np.uint8(200) + 100, np.int32(2 ** 30) * 4)
import hashlib
digest = hashlib.md5("text"); digest.update("more"); print(digest.hexdigest())
print(hashlib.new("sha1", "x").hexdigest(), hashlib.sha256(b"y").digest_size)
print(np.asarray([0, np.array([3])], dtype="float32").tolist())
f.itemset(1, 5); f.itemset((0,), 3); print(f.tolist(), f.newbyteorder().newbyteorder().tolist(), np.add(u, np.int64(3)).dtype)
"""


def test_python2_program_prints_the_same(tmp_path: Path) -> None:
    """Draws of `random`, `round`, scalars, assignments in place, old methods, names, modules and arguments: as under CPython 2.7."""
    script = tmp_path / "script.py"
    script.write_text(OLD_PROGRAM)
    done = interpreters.python("theano27", "-W", "ignore", str(script))
    assert done.returncode == 0, done.stderr
    assert printed("--python2", "--fix-numpy", str(script)).splitlines() == done.stdout.splitlines()


FOLDS = """from sklearn.externals import joblib
from sklearn.cross_validation import KFold, ShuffleSplit, StratifiedKFold, train_test_split
from sklearn.grid_search import ParameterGrid
import h5py, sklearn.externals.six
from scipy.sparse.linalg.eigen.arpack import eigsh
print([test.tolist() for _, test in KFold(7, n_folds=3)], len(KFold(7, 3)))
print([test.tolist() for _, test in StratifiedKFold([0, 1, 0, 1, 1, 1], n_folds=2)])
print([test.tolist() for _, test in ShuffleSplit(6, n_iter=2, test_size=0.5, random_state=0)])
print(train_test_split(list(range(6)), random_state=1), len(ParameterGrid({"a": [1, 2]})))
file = h5py.File("data.h5")
file["x"] = [1.5]
print(file["x"].value)
"""


def test_modules_of_old_libraries(tmp_path: Path) -> None:
    """What scikit-learn 0.18.2 prints, and h5py 2."""
    script = tmp_path / "script.py"
    script.write_text(FOLDS)
    folds = ["[[0, 1, 2], [3, 4], [5, 6]] 3", "[[0, 1, 3], [2, 4, 5]]"]
    expected = [*folds, "[[5, 2, 1], [1, 3, 4]]", "[[4, 0, 3, 5], [2, 1]] 2", "[1.5]"]
    assert printed("--fix-numpy", str(script), interpreter="libraries", folder=tmp_path).splitlines() == expected


ORDERS = """from __future__ import print_function
import numpy as np
r = np.random.RandomState(0)
for n in (10, 50, 5000):
    for dtype in ("int32", "int64", "float32", "float64", "uint8"):
        a = r.randint(0, 9, n).astype(dtype)
        m, k, b = a.reshape(-1, 5), n // 2, a.copy()
        b.partition(k)
        found = [np.argsort(a), a.argsort(), np.argpartition(a, k), a.argpartition(k), np.partition(a, k), b, np.argsort(list(a)),
                 np.argsort(a, kind="mergesort"), np.argsort(m, axis=0), m.argsort(-1), np.argpartition(-a.astype("float32"), (3, k))]
        print(n, dtype, [int((np.asarray(x, "int64").ravel() * np.arange(n)).sum()) for x in found], np.partition(a, k).dtype)
print(np.array([np.nan, 1, np.nan, 0, -0.0, 0.0, np.inf] * 9).argsort().tolist(), np.argsort(["b", "a"]).tolist(), "a.b".partition("."))
f, one = np.arange(4, dtype="float32") / 10, np.float32(0.1)
print(one == 0.1, one < 0.1, 0.1 < one < 0.2, 0.1 < np.float32(0.1) < 0.2, np.array(0.1, "float32") != 0.1, 0.0 < one <= 0.1)
print((f == np.float64(0.1)).tolist(), (f == 0.1).tolist(), (f >= np.float64(0.2)).tolist(), np.equal(f, np.float64(0.1)).tolist())
print(np.less(one, 0.1), np.float64(0.1) == one, (np.float64(0.1) == f).tolist(), np.uint8(200) > 300, np.int64(3) == 3.0, one == None)
print(np.arange(2) == np.arange(3), np.arange(2) != [1, 2, 3], np.divmod(f, np.float64(0.3))[0].dtype, divmod(f, np.float64(2))[0].dtype)
print(np.uint8(-1), np.uint8(300), np.uint32(-1), np.int8(200), np.uint64(-1), np.uint8(7.9), np.int32("12"), divmod(7, 2))
print(np.array([-1, 300], dtype="uint8").tolist(), np.asarray([300, 2], "int8").tolist(), np.full(3, -1, dtype="uint8").tolist())
print(np.full_like(np.zeros(2, "uint8"), 261).tolist(), np.array([1, 2]).tolist(), np.full(2, 300).tolist())
u, i, v = np.zeros(5, "uint8"), np.zeros(2, "int32"), np.zeros(1, object)
u[0] = -1; u[1] = 300; u[2:4] = [257, 258]; u[4] = 2.7; i[1] = 2**31; v[0] = [1, 2]
print(u.tolist(), i.tolist(), v.tolist())
for bad in (lambda: np.uint8(2**70), lambda: np.array([2**70], "int64")):
    try: print(bad())
    except OverflowError: print("too large")
import theano, theano.tensor as T
x = T.ivector()
places = theano.function([x], [T.argsort(x), T.argtopk(x, 7, sorted=False)], mode="FAST_COMPILE")
print([part.tolist() for part in places(r.randint(0, 5, 40).astype("int32"))])
"""


def test_sorts_comparisons_and_integers_are_those_of_numpy1(tmp_path: Path) -> None:
    """Equal numbers in their old order, comparisons in the old dtype, integers reduced to the range of a dtype: as under NumPy 1.16."""
    script = tmp_path / "script.py"
    script.write_text(ORDERS)
    done = interpreters.python("theano27", "-W", "ignore", str(script))
    assert done.returncode == 0, done.stderr
    for option in ("--python2", "--fix-numpy"):
        assert printed(option, str(script)).splitlines() == done.stdout.splitlines()

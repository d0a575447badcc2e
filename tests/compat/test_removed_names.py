"""What `--fix-numpy` gives back is what stood behind the name in the NumPy of the time."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import pytest

from tests import interpreters
from theanodiag.compat.libraries import removed_names

FILE = Path(removed_names.__file__)
LOAD = (
    f"import importlib.util as u; s = u.spec_from_file_location('removed_names', {str(FILE)!r}); "
    "m = u.module_from_spec(s); s.loader.exec_module(m)"
)
DESCRIBE = """
import json, sys, warnings
warnings.simplefilter("ignore")
import numpy as np
def value(x):
    if isinstance(x, float): return repr(x)
    if isinstance(x, type) and issubclass(x, (np.generic, bool, int, float, complex, str)): return np.dtype(x).name
    if isinstance(x, type): return x.__name__
    for arguments in (([[3.0, 1.0], [0.0, 2.0]],), (np.array([2.5]),), (np.array([1.0, 2.0]), [1.0])):
        try: return np.asarray(x(*arguments)).tolist()
        except Exception: pass
names = [n for n in sys.argv[1:] if hasattr(np, n)]
print(json.dumps({n: value(getattr(np, n)) for n in names if n not in ("cast", "find_common_type", "set_string_function", "math")}))
"""


def described(interpreter: str, prelude: str = "") -> dict[str, object]:
    """What each name of NumPy is in an interpreter."""
    names = [row.name for row in removed_names.TABLE if row.module == "numpy"]
    done = interpreters.python(interpreter, "-c", prelude + DESCRIBE, *names)
    assert done.returncode == 0, done.stderr
    found: dict[str, object] = json.loads(done.stdout)
    return found


def test_names_mean_what_they_meant() -> None:
    """Type by type and value by value beside NumPy 1.21, in an interpreter that has NumPy 2."""
    old = described("theano")
    new = described("pytensor", f"{LOAD}; m.give_back()\n")
    assert len(new) > 40
    assert {n: old[n] for n in new if n in old} == {n: new[n] for n in new if n in old}


def test_what_is_there_is_left_alone() -> None:
    """A second time there is nothing to give."""
    program = f"{LOAD}; import numpy; kept = numpy.prod; first = m.give_back(); print(len(first) > 40, m.give_back(), numpy.prod is kept)"
    done = interpreters.python("pytensor", "-W", "ignore", "-c", program)
    assert done.stdout.split() == ["True", "()", "True"], done.stderr


STANDARD = """
import configparser, io, random, threading
parser = configparser.SafeConfigParser()
parser.readfp(io.StringIO("[net]\\nlayers = 3"))
ends = random.Random(1).random
letters = list("abcdef")
random.shuffle(letters, ends)
random.seed(5)
print(parser.getint("net", "layers"), threading.Thread().isAlive(), "".join(letters))
print(sorted(random.sample({1, 2}, 2)), random.randint(3.0, 3))
print(sorted(random.Random(1).sample({1, 2}, 2)), random.Random(1).sample(bytearray(2), k=1))
"""


@pytest.mark.parametrize("interpreter", ["pytensor", "pytensor_new"])
def test_what_the_standard_library_lost(interpreter: str) -> None:
    """Parsers of configuration files, floats, sets and a generator for `random`: as CPython 3.8 prints."""
    done = interpreters.python(interpreter, "-W", "ignore", "-c", f"{LOAD}; m.give_back()\n{STANDARD}")
    old = interpreters.python("theano", "-W", "ignore", "-c", STANDARD.replace("isAlive", "is_alive"))
    assert done.stdout == old.stdout != "", (done.stderr, old.stderr)


def test_cast_gives_arrays_of_a_dtype() -> None:
    """`np.cast['float32'](values)`, as in every script of the time."""
    program = f"{LOAD}; m.give_back(); import numpy as np; a = np.cast['float32']([1, 2]); print(a.dtype, *a, np.cast['int8'](3.7))"
    done = interpreters.python("pytensor", "-W", "ignore", "-c", program)
    assert done.stdout.split("\n")[0] == "float32 1.0 2.0 3", done.stderr


def test_functions_that_took_more(tmp_path: Path) -> None:
    """`np.load` reads the pickles of either Python, `np.fromstring` bytes, `np.linspace` takes a float; what they took, they take."""
    two = interpreters.python("theano27", "-c", f"import numpy as np; np.save({str(tmp_path / 'two.npy')!r}, np.array(['caf\\xe9', None]))")
    assert two.returncode == 0, two.stderr
    program = f"""{LOAD}; m.give_back(); import numpy as np, os; os.chdir({str(tmp_path)!r})
np.save("a.npy", np.array([dict(a=1), None]), allow_pickle=True)
np.savez("b.npz", rows=np.arange(3))
print(np.load("a.npy")[0], np.load("b.npz")["rows"], np.load("two.npy"))
print(np.fromstring(b"12", dtype="uint8"), np.fromstring("1 2", sep=" "), np.fromstring("12", "uint8").flags.writeable)
print(np.linspace(0, 1, np.sqrt(9)), np.linspace(0, 4, num=2, endpoint=False))
print(np.vstack(np.ones(2) for _ in range(2)).shape, np.hstack([np.ones(2)] * 2).shape)
print(np.histogram([1, 2, 2, 9], [0, 2, 10], normed=True)[0].round(4), np.histogram([1, 2, 2, 9], bins=[0, 2, 10], density=True)[0])
"""
    done = interpreters.python("pytensor", "-W", "ignore", "-c", program)
    loaded, read, spaced, stacked, counted = done.stdout.splitlines()
    assert (loaded, read) == ("{'a': 1} [0 1 2] ['café' None]", "[49 50] [1. 2.] True"), done.stderr
    assert (spaced, stacked) == ("[0.  0.5 1. ] [0. 2.]", "(2, 2) (4,)"), done.stderr
    assert counted == "[0.0385 0.1154] [0.125   0.09375]", done.stderr  # as NumPy 1.23: 1 and 3 of 26, and the densities


RAGGED = """
rows = [[1, 2], [3]]
for make in (np.array, np.asarray, np.asanyarray):
    made = make(rows)
    print(made.dtype, made.shape, made.tolist(), make(3.0).dtype, make([1, 2]).dtype)
print(np.array([np.zeros(2), np.zeros(3)]).shape)
for wrong in (lambda: np.array(rows, dtype=float), lambda: np.array([np.zeros((2, 3)), np.zeros((2, 4))])):
    try:
        print(wrong())
    except ValueError:
        print("refused")
"""


@pytest.mark.parametrize("interpreter", ["pytensor", "pytensor_new"])
def test_rows_of_unequal_length_are_an_array_of_objects(interpreter: str) -> None:
    """As in NumPy 1.21; with a dtype they are an error there too."""
    begin = "import warnings; warnings.simplefilter('ignore')\nimport numpy as np\n"
    old = interpreters.python("theano", "-c", begin + RAGGED)
    new = interpreters.python(interpreter, "-c", f"{LOAD}; m.give_back()\n" + begin + RAGGED)
    assert old.stdout.count("\n") == 6
    assert new.stdout == old.stdout, new.stderr


def test_arguments_of_a_function() -> None:
    """`getargspec` gives the four fields that it gave."""

    def function(a: int, b: int = 2, *rest: int, **named: int) -> None: ...

    assert tuple(removed_names.getargspec(function)) == (["a", "b"], "rest", "named", (2,))
    assert removed_names.formatargspec(*removed_names.getargspec(function)) == "(a, b=2, *rest, **named)"


def test_scipy_had_functions_of_numpy() -> None:
    """The roots and logarithms are those of `numpy.lib.scimath`, complex for negative numbers, as in SciPy 1.9."""
    names = [row.name for row in removed_names.TABLE if row.module == "scipy"]
    show = f"import scipy; print([scipy.sqrt(-4), scipy.log(-1), *(n for n in {names!r} if not hasattr(scipy, n))])"
    old = interpreters.python("theano", "-W", "ignore", "-c", show)
    new = interpreters.python("pytensor", "-W", "ignore", "-c", f"{LOAD}; m.give_back(); {show}")
    assert eval(old.stdout) == eval(new.stdout) == [2j, 3.141592653589793j], new.stderr


IMP = """
import imp, os
os.makedirs("pack", exist_ok=True)
for path, text in (("one.py", "a = 3"), ("pack/__init__.py", "b = 5"), ("pack/two.py", "c = 7")):
    with open(path, "w") as file:
        file.write(text)
m = imp.load_source("one", "one.py")
print(m.a, m.__name__, os.path.basename(m.__file__))
file, path, details = imp.find_module("one", ["."])
n = imp.load_module("second", file, path, details)
file.close()
print(n.a, path, details[1:])
print(imp.load_module("pack", *imp.find_module("pack", ["."])).b, imp.reload(m) is m, imp.load_source("pack.two", "pack/two.py").c)
print(imp.new_module("q").__name__, imp.find_module("sys")[2], imp.lock_held(), len(imp.get_magic()))
try:
    imp.find_module("nowhere")
except ImportError as error:
    print(error)
"""


def test_imp_imports_files_by_path(tmp_path: Path) -> None:
    """As CPython 3.8's own module does, where CPython has none."""
    outputs = []
    for name, start in (("theano", ""), ("pytensor_new", f"{LOAD}; m.give_back()\n")):
        folder = tmp_path / name
        folder.mkdir()
        done = interpreters.python(name, "-W", "ignore", "-c", f"{start}import os; os.chdir({str(folder)!r})\n" + IMP)
        assert done.returncode == 0, done.stderr
        outputs.append(done.stdout)
    assert outputs[0] == outputs[1]


PICTURES = """
import io
import numpy as np
from scipy.misc import bytescale, fromimage, imread, imresize, imrotate, imsave, toimage
rng = np.random.RandomState(1)
grey, colour = rng.randn(6, 5).astype("float32"), rng.rand(3, 6, 5)
last, file = np.ascontiguousarray(colour.transpose(1, 2, 0)), io.BytesIO()
found = [bytescale(grey), bytescale(last, low=10, high=200), bytescale(np.ones((2, 2))), bytescale(np.arange(6) * 100, cmin=50, cmax=400)]
imsave(file, last, "png")
found += [imread(file), imread(file, flatten=True), imread(file, mode="RGB"), fromimage(toimage(colour))]
found += [fromimage(toimage(grey, mode="P"))]
found += [imresize(grey, 50), imresize(last, 0.5), imresize(grey, (12, 10), "nearest"), imrotate(last, 90)]
print([(a.dtype.name, a.shape, int(a.astype("float64").sum())) for a in found])
"""
SHOWN = [
    ("uint8", (6, 5), 4237),
    ("uint8", (6, 5, 3), 9460),
    ("uint8", (2, 2), 0),
    ("uint8", (6,), 837),
    ("uint8", (6, 5, 3), 11488),
    ("float32", (6, 5), 4009),
    ("uint8", (6, 5, 3), 11488),
    ("uint8", (6, 5, 3), 11488),
    ("uint8", (6, 5, 3), 12711),
    ("uint8", (3, 2), 843),
    ("uint8", (3, 2, 3), 2277),
    ("uint8", (12, 10), 16948),
    ("uint8", (6, 5, 3), 9270),
]


def test_functions_for_pictures() -> None:
    """What SciPy 1.2.3 with Pillow 6.2.2 printed."""
    done = interpreters.python("pymc", "-W", "ignore", "-c", f"{LOAD}; m.give_back()\n{PICTURES}")
    assert done.returncode == 0, done.stderr
    assert ast.literal_eval(done.stdout) == SHOWN

"""Pickles of old models, made by the libraries themselves where these are here; and pickles that nobody should load."""

from __future__ import annotations

import argparse
import collections
import datetime
import gzip
import io
import json
import logging
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from theanodiag.errors import UnreadableError
from theanodiag.weights.collect import Weight
from theanodiag.weights.file_formats import weights

from ..cli.run import theanodiag
from ..interpreters import find

ARRAYS = (
    np.arange(6.0).reshape(2, 3),
    np.asfortranarray(np.arange(6, dtype="float32").reshape(2, 3)),
    np.arange(4, dtype=">i4"),
    np.zeros((0, 3)),
    np.ones((2, 1, 3, 3), dtype="float16"),
    np.array([True, False]),
    np.array([1 + 2j]),
)


def arrays(data: bytes) -> tuple[Weight, ...]:
    """What a file of these bytes holds."""
    return weights(data, "m.pkl").weights


MAKES = """
import sys, numpy, theano, theano.tensor as T
try:
    import cPickle as pickle
except ImportError:
    import pickle
folder, protocol = sys.argv[1], int(sys.argv[2])
rng = numpy.random.RandomState(1)
values = {"W": rng.normal(size=(3, 4)).astype("float32"), "b": rng.normal(size=4), "k": rng.normal(size=(2, 1, 3, 3)).astype("float32")}
shared = [theano.shared(v, name=n) for n, v in sorted(values.items())]
class Layer(object):
    def __init__(self, W, b):
        self.W, self.b, self.params = W, b, [W, b]
forms = {
    "params": shared,
    "layers": [Layer(shared[0], shared[1])],
    "values": [s.get_value() for s in shared],
    "dict": dict((s.name, s.get_value()) for s in shared),
}
numpy.savez(folder + "/expected.npz", **values)
for name, form in forms.items():
    with open(folder + "/" + name + ".pkl", "wb") as file:
        pickle.dump(form, file, protocol)
with open(folder + "/several.pkl", "wb") as file:
    for s in shared:
        pickle.dump(s.get_value(borrow=True), file, protocol)
"""


@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_arrays_of_numpy_come_back(protocol: int) -> None:
    """Of any dtype, order and protocol."""
    found = arrays(pickle.dumps({"a": list(ARRAYS), "n": 3}, protocol))
    assert [w.name for w in found] == [f"a[{n}]" for n in range(len(ARRAYS))]
    for weight, array in zip(found, ARRAYS):
        assert weight.array.dtype == array.dtype.newbyteorder("=")
        np.testing.assert_array_equal(weight.array, array)
    assert [bool(w.note) for w in found] == [a.ndim == 4 for a in ARRAYS]


@pytest.mark.parametrize(
    ("name", "protocol"), [("theano", 0), ("theano", 2), ("theano", 4), ("theano27", 0), ("theano27", 1), ("theano27", 2)]
)
def test_pickles_of_theano(name: str, protocol: int, tmp_path: Path) -> None:
    """Shared variables, layers that hold them, lists, dictionaries, one pickle behind the other: equal to what was saved."""
    (tmp_path / "make.py").write_text(MAKES, encoding="utf-8")
    env = {**os.environ, "THEANO_FLAGS": "cxx=,device=cpu"}
    subprocess.run([find(name), str(tmp_path / "make.py"), str(tmp_path), str(protocol)], check=True, env=env, timeout=300)
    expected = dict(np.load(tmp_path / "expected.npz"))
    names = {
        "params": ["[0]", "[1]", "[2]"], "layers": ["[0].W", "[0].b"], "values": ["[0]", "[1]", "[2]"], "dict": ["W", "b", "k"],
        "several": ["[0]", "[1]", "[2]"],
    }  # fmt: skip
    for form, wanted in names.items():
        path = tmp_path / f"{form}.pkl"
        found = arrays(path.read_bytes())
        assert sorted(w.name for w in found) == wanted, form
        for w in found:
            own = w.name.rpartition(".")[2]
            own = own if own in expected else "Wbk"[int(own[1])]
            np.testing.assert_array_equal(w.array, expected[own], strict=True)
            assert w.variable == (own if form in ("params", "layers") else ""), form
        shared = form in ("params", "layers")
        assert {w.origin for w in found} == ({"TensorSharedVariable"} if shared else {"array"})


def test_lines_that_windows_ended() -> None:
    """Protocol 0 in a file that was opened for texts, one pickle and two; not where the bytes are of another protocol."""
    data = pickle.dumps({"a": ARRAYS[0], "text": "x\r"}, 0).replace(b"\n", b"\r\n")
    assert [w.name for w in arrays(data)] == ["a"]
    np.testing.assert_array_equal(arrays(data)[0].array, ARRAYS[0])
    assert [w.name for w in arrays(data + data)] == ["[0].a", "[1].a"]
    np.testing.assert_array_equal(arrays(pickle.dumps(np.frombuffer(b"\r\n" * 8, "u1"), 2))[0].array, [13, 10] * 8)


def on_device(module: str, name: str, array: Any) -> bytes:
    """A pickle of protocol 2 that calls `module.name(array)`."""
    inside = pickle.dumps(array, 2)[2:-1]
    return b"\x80\x02c" + module.encode() + b"\n" + name.encode() + b"\n" + inside + b"\x85R."


@pytest.mark.parametrize(
    ("module", "name"),
    [("theano.sandbox.cuda.type", "CudaNdarray_unpickler"), ("theano.gpuarray.type", "GpuArray_unpickler")],
)
def test_arrays_on_a_device_are_arrays(module: str, name: str) -> None:
    """Their pickles hold the array of numpy."""
    found = arrays(on_device(module, name, ARRAYS[1]))
    np.testing.assert_array_equal(found[0].array, ARRAYS[1])


def test_packed_and_ordered(tmp_path: Path) -> None:
    """A gzip file of an OrderedDict, converted to both formats."""
    path = tmp_path / "m.pkl.gz"
    path.write_bytes(gzip.compress(pickle.dumps(collections.OrderedDict(a=ARRAYS[0], b=ARRAYS[1]), 2)))
    done = theanodiag("weights", str(path), "--to", "npz", "--format", "json")
    assert done.returncode == 0, done.stderr
    made = np.load(f"{path}.npz")
    np.testing.assert_array_equal(made["a"], ARRAYS[0])
    assert theanodiag("weights", str(path), "--to", "npz").returncode == 3  # it exists
    safetensors = pytest.importorskip("safetensors.numpy")
    done = theanodiag("weights", str(path), "--to", "safetensors", "--into", str(tmp_path / "m.safetensors"))
    assert done.returncode == 0, done.stderr
    np.testing.assert_array_equal(safetensors.load_file(str(tmp_path / "m.safetensors"))["b"], ARRAYS[1])


def hostile(module: str, name: str, *args: object) -> bytes:
    """A pickle that calls a function."""
    inside = b"".join(pickle.dumps(a, 2)[2:-1] for a in args)
    return b"\x80\x02c" + module.encode() + b"\n" + name.encode() + b"\n(" + inside + b"tR."


@pytest.mark.parametrize(
    ("module", "name"),
    [("os", "system"), ("posix", "system"), ("subprocess", "Popen"), ("builtins", "eval"), ("__builtin__", "exec"), ("timeit", "timeit"),
     ("importlib", "import_module"), ("sys", "exit"), ("os.path", "join"), ("runpy", "run_path"), ("torch", "load"), ("numpy", "load")],
)  # fmt: skip
def test_a_hostile_pickle_runs_nothing_and_is_named(module: str, name: str, tmp_path: Path) -> None:
    """The call is named with its place, whatever it is called with, and the arrays beside it are numbers as any."""
    made = tmp_path / "made"
    path = tmp_path / "m.pkl"
    path.write_bytes(hostile(module, name, f"touch {made}"))
    done = theanodiag("weights", str(path))
    assert (done.returncode, done.stdout) == (3, "")
    call = path.read_bytes().rindex(b"R")
    assert f"loading this pickle calls {module}.{name} (byte {call}); nothing of it was run here" in done.stderr
    path.write_bytes(b"\x80\x02(" + hostile(module, name, f"touch {made}")[2:-1] + pickle.dumps(ARRAYS[0], 2)[2:-1] + b"t.")
    done = theanodiag("weights", str(path), "--format", "json")
    assert done.returncode == 1
    found = json.loads(done.stdout)
    assert [(f["code"], f["severity"], f["location"]["detail"]) for f in found["findings"]] == [("TD104", "error", f"{module}.{name}")]
    assert [w["name"] for w in found["weights"]] == ["[1]"]
    assert not made.exists()


def test_what_only_names_code_is_found_and_what_belongs_in_models_is_not() -> None:
    """A function of Python's own that is never called; classes and functions that pickles of models have."""
    named = b"\x80\x02(cos\nsystem\n" + pickle.dumps(ARRAYS[0], 2)[2:-1] + b"t."
    assert [(c.name, c.called, c.sure) for c in weights(named, "m").calls] == [("os.system", False, True)]
    model = {"a": ARRAYS[0], "o": collections.OrderedDict(x=1), "f": np.tanh, "r": np.random.RandomState(1), "p": Path("x"), "s": {1, 2}}
    model |= {
        "options": argparse.Namespace(rate=0.1),
        "log": logging.getLogger("a"),
        "when": datetime.datetime(2020, 1, 1),
        "io": io.BytesIO(b"x"),
    }
    for protocol in range(pickle.HIGHEST_PROTOCOL + 1):
        assert weights(pickle.dumps({**model, "io": io.BytesIO(b"x") if protocol > 1 else None}, protocol), "m").calls == ()
    layer = b"\x80\x02(cntm.heads\nWriteHead\n)\x81cmy.layers\nCall\n)R" + pickle.dumps(ARRAYS[0], 2)[2:-1] + b"t."
    assert weights(layer, "m").calls == ()


def test_what_is_not_known_is_not_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A module beside the pickle is not run, nor is anything that is installed."""
    (tmp_path / "evil.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\ndef make(x): return x\n", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.chdir(tmp_path)
    found = weights(hostile("evil", "make", ARRAYS[0]), "m.pkl")
    np.testing.assert_array_equal(found.weights[0].array, ARRAYS[0])
    assert [(c.name, c.called, c.sure) for c in found.calls] == [("evil.make", True, False)]
    arrays(hostile("lib2to3.refactor", "RefactoringTool", []))
    assert not (tmp_path / "ran").exists()
    assert "evil" not in sys.modules


@pytest.mark.parametrize("data", [b"", b"x", b"\x80", b"not a pickle", b"\x1f\x8bxx", b"\x80\x02]q\x00(", pickle.dumps(ARRAYS[0], 2)[:-9]])
def test_a_damaged_file_is_named(data: bytes, tmp_path: Path) -> None:
    """Exit code 3, and no traceback; an empty one is most likely the rest of a copy that failed."""
    path = tmp_path / "m.pkl"
    path.write_bytes(data)
    done = theanodiag("weights", str(path))
    assert (done.returncode, done.stdout) == (3, "")
    assert ("the file is empty" in done.stderr) is (not data)
    assert "Traceback" not in done.stderr


def test_an_array_with_too_few_bytes_is_named() -> None:
    """It asks for a shape that its bytes do not fill: no memory is taken for it."""
    data = pickle.dumps(np.zeros(3), 2).replace(b"K\x03\x85", b"J\xff\xff\xff\x7f\x85")
    with pytest.raises(UnreadableError, match="2147483647 numbers with 24 bytes"):
        arrays(data)

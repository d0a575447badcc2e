"""Each kind of file gives its arrays, under their paths; what is left out is told, and nothing is never called success."""

from __future__ import annotations

import bz2
import gzip
import importlib.util
import io
import json
import lzma
import os
import pickle
import shutil
import subprocess
import tarfile
import warnings
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from theanodiag.errors import UnreadableError
from theanodiag.weights.collect import Contents
from theanodiag.weights.file_formats import weights

from ..cli.run import theanodiag
from ..interpreters import find

W = np.arange(12.0).reshape(3, 4)
B = np.arange(4, dtype="float32")
PICKLE = pickle.dumps({"layers": [{"W": W, "b": B}]}, 2)
MAKER = Path(__file__).with_name("makes_kinds.py")


def equal(found: Contents, wanted: dict[str, np.ndarray]) -> None:
    """The same names, each with the same array."""
    assert sorted(w.name for w in found.weights) == sorted(wanted)
    for w in found.weights:
        np.testing.assert_array_equal(w.array, wanted[w.name], strict=True)


def objects(*things: object) -> np.ndarray:
    """An array of objects."""
    made = np.empty(len(things), dtype=object)
    made[:] = things
    return made


def saved(*arrays: np.ndarray) -> bytes:
    """A npy file, or several, one behind the other."""
    file = io.BytesIO()
    for array in arrays:
        np.save(file, array, allow_pickle=True)
    return file.getvalue()


PACKERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": gzip.compress,
    "bz2": bz2.compress,
    "xz": lzma.compress,
    "lzma": lambda data: lzma.compress(data, format=lzma.FORMAT_ALONE),
    "zlib": zlib.compress,
}


@pytest.mark.parametrize("packer", PACKERS)
def test_what_is_packed_is_unpacked(packer: str) -> None:
    """Also twice."""
    wanted = {"layers[0].W": W, "layers[0].b": B}
    equal(weights(PACKERS[packer](PICKLE), "m"), wanted)
    equal(weights(PACKERS[packer](gzip.compress(PICKLE)), "m"), wanted)


@pytest.mark.parametrize("packer", ["gzip", "bz2", "xz"])
def test_several_streams_are_one_file(packer: str) -> None:
    """As pbzip2, pigz and `cat a.gz b.gz` make them; what stands behind the last one is told."""
    pack = PACKERS[packer]
    data = b"".join(pack(PICKLE[n : n + 40]) for n in range(0, len(PICKLE), 40))
    found = weights(data + b"rest", "m")
    equal(found, {"layers[0].W": W, "layers[0].b": B})
    assert [one.reason for one in found.left_out] == ["4 bytes after the packed data"]
    equal(weights(data + bytes(512), "m"), {"layers[0].W": W, "layers[0].b": B})
    with pytest.raises(UnreadableError, match="cut off"):
        weights(data[:-9], "m")


def test_npy_files() -> None:
    """One array, several, a list of arrays; records and texts are left out, and told."""
    equal(weights(saved(W), "m"), {"array": W})
    equal(weights(saved(np.asfortranarray(W), B.astype(">f4")), "m"), {"array": W, "[1]": B})
    equal(weights(saved(objects(W, [B, "x"])), "m"), {"[0]": W, "[1][0]": B})
    found = weights(saved(B, np.array(["a", "b"])), "m")
    assert [(one.name, one.reason) for one in found.left_out] == [("[1]", "an array of U1, not of numbers")]
    records = np.zeros(3, dtype=[("x", "f4"), ("y", "i4")])
    for left, dtype in (
        (np.array(["a", "b"]), "U1"),
        (np.array([b"xyz"]), "S3"),
        (records, "V"),
        (np.array(["2020-01-01"], "M8[D]"), "M8[D]"),
    ):
        found = weights(saved(B, left, W), "m")
        assert [w.array.shape for w in found.weights] == [B.shape, W.shape], "what stands behind it is not lost"
        assert [(one.name, one.reason) for one in found.left_out] == [("[1]", f"an array of {dtype}, not of numbers")]


def test_an_npz_of_objects(tmp_path: Path) -> None:
    """`np.savez(f, params=[...])` of arrays of other shapes pickles them."""
    np.savez(tmp_path / "m.npz", params=objects(W, B), plain=B)
    equal(weights((tmp_path / "m.npz").read_bytes(), "m"), {"params[0]": W, "params[1]": B, "plain": B})


def test_archives_in_archives() -> None:
    """A tar archive of a pickle, a npz, a npy file and a text."""
    npz, out = io.BytesIO(), io.BytesIO()
    np.savez_compressed(npz, k=W)
    with tarfile.open(fileobj=out, mode="w:gz") as tar:
        for name, data in (
            ("net.pkl", PICKLE),
            ("more/w.npz", npz.getvalue()),
            ("b.npy", saved(B)),
            ("README", b"words"),
            ("COPYING", b"copyright by us."),
        ):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    found = weights(out.getvalue(), "m")
    assert {w.name for w in found.weights} == {w.path for w in found.weights} == {"layers[0].W", "layers[0].b", "more/w.npz/k", "b"}
    assert {one.name for one in found.left_out} == {"README", "COPYING"}


@pytest.mark.parametrize("name", ["theano", "theano27"])
def test_files_of_theano_and_blocks(name: str, tmp_path: Path) -> None:
    """Pickles of a net, archives of `pkl_utils.dump`, a tar archive as Blocks makes it: named by path, or as the archive names them."""
    env = {**os.environ, "THEANO_FLAGS": f"cxx=,device=cpu,base_compiledir={tmp_path}"}
    subprocess.run([find(name), str(MAKER), str(tmp_path)], check=True, env=env, timeout=300)
    e = dict(np.load(tmp_path / "expected.npz"))
    by_path = {"layers[0].W": e["W"], "layers[0].b": e["b"], "params[2]": e["u"], "plain": e["plain"]}
    files = {
        **{f"net{protocol}.pkl": by_path for protocol in (0, 1, 2)},
        **{f"dump{protocol}.zip": {"W": e["W"], "b": e["b"], "params[2]": e["u"], "plain": e["plain"]} for protocol in (0, 1, 2)},
        "arrays.zip": by_path,
        "blocks.tar": {"|mlp|linear_0.W": e["W"], "|mlp|linear_0.b": e["b"], "params[2]": e["u"], "plain": e["plain"]},
    }
    for file, wanted in files.items():
        found = weights((tmp_path / file).read_bytes(), file)
        equal(found, wanted)
        assert {w.path: w.variable for w in found.weights} == {"layers[0].W": "W", "layers[0].b": "b", "params[2]": "", "plain": ""}, file
        assert found.left_out == (), file
        assert found.calls == (), file


@pytest.mark.parametrize("compress", [0, "zlib", "gzip", "bz2", "lzma", "xz"])
def test_files_of_joblib(compress: str | int, tmp_path: Path) -> None:
    """Arrays stand in the stream behind their objects; those of objects are pickles in the pickle."""
    joblib = pytest.importorskip("joblib")
    path = tmp_path / "m.joblib"
    joblib.dump(
        {"W": W, "F": np.asfortranarray(W), "o": objects(B, [W + 1]), "b": [B + 1]}, path, compress=(compress, 3) if compress else 0
    )
    equal(weights(path.read_bytes(), "m"), {"W": W, "F": W, "o[0]": B, "o[1][0]": W + 1, "b[0]": B + 1})


def old_joblib(folder: Path) -> Path:
    """A file as joblib 0.9 writes it, with arrays in files beside it: one of numpy, one packed (numpy_pickle.py of that release)."""
    np.save(folder / "m.pkl_01.npy", W)
    length = hex(B.nbytes).encode().ljust(19)
    (folder / "m.pkl_02.npy.z").write_bytes(b"ZF" + length + zlib.compress(B.tobytes()))
    kind = b"cjoblib.numpy_pickle\n%s\n)\x81}(%sub"
    dtype = pickle.dumps(B.dtype, 2)[2:-1]
    text = lambda word: b"X" + len(word).to_bytes(4, "little") + word.encode()  # noqa: E731
    plain = kind % (b"NDArrayWrapper", text("filename") + text("m.pkl_01.npy") + text("allow_mmap") + b"\x88")
    state = b"(K\x01K\x04\x85" + dtype + b"\x89t"
    packed = kind % (b"ZNDArrayWrapper", text("filename") + text("m.pkl_02.npy.z") + text("state") + state)
    (folder / "m.pkl").write_bytes(b"\x80\x02(" + plain + packed + b"t.")
    return folder / "m.pkl"


def test_files_of_old_joblib(tmp_path: Path) -> None:
    """The files beside are found from another folder too; one that is missing is named, and one of another folder is not read."""
    path = old_joblib(tmp_path)
    done = theanodiag("weights", str(path), "--to", "npz")
    assert done.returncode == 0, done.stderr
    made = np.load(f"{path}.npz")
    np.testing.assert_array_equal(made["[0]"], W, strict=True)
    np.testing.assert_array_equal(made["[1]"], B, strict=True)
    (tmp_path / "m.pkl_01.npy").unlink()
    done = theanodiag("weights", str(path))
    assert (done.returncode, "m.pkl_01.npy" in done.stderr) == (3, True)
    (tmp_path / "inner").mkdir()
    shutil.copy(tmp_path / "m.pkl_02.npy.z", tmp_path / "inner" / "m.pkl_02.npy.z")
    np.save(tmp_path / "a.pkl_01.npy", W)
    (tmp_path / "inner" / "m.pkl").write_bytes(path.read_bytes().replace(b"m.pkl_01.npy", b"../a.pkl_01."))
    done = theanodiag("weights", str(tmp_path / "inner" / "m.pkl"))
    assert (done.returncode, "other files" in done.stderr) == (3, True)


def test_hdf5_of_each_layout(tmp_path: Path) -> None:
    """As Keras 0.3, 1.2 and 2 lay it out; links and texts are told, and without h5py the extra that brings it."""
    reader = find("gpu_keras")
    path = tmp_path / "m.h5"
    program = f"""
import h5py, numpy as np
with h5py.File({str(path)!r}, "w") as f:
    f["layer_0/param_0"] = np.ones((2, 3))
    f["convolution2d_1/convolution2d_1_W"] = np.ones((4, 1, 3, 3), "f4")
    f["model_weights/dense_1/dense_1/kernel:0"] = np.ones((3, 4), "f4")
    f["model_config"] = "text"
    f["outside"] = h5py.ExternalLink("other.h5", "/x")
    f["again"] = f["layer_0"]
"""
    subprocess.run([reader, "-c", program], check=True, timeout=120)
    env = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    command = [reader, "-m", "theanodiag", "weights", str(path), "--format", "json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=env)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    shapes = {w["name"].removeprefix("again/").removeprefix("layer_0/"): w["shape"] for w in found["weights"]}
    kernel = "model_weights/dense_1/dense_1/kernel:0"
    assert shapes == {"param_0": [2, 3], "convolution2d_1/convolution2d_1_W": [4, 1, 3, 3], kernel: [3, 4]}
    assert {one["name"] for one in found["left_out"]} > {"model_config", "outside"}


def test_hdf5_without_h5py(tmp_path: Path) -> None:
    """Exit code 2, and the extra that brings it; where it is there, such a file is a damaged one."""
    path = tmp_path / "m.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(99))
    done = theanodiag("weights", str(path))
    there = importlib.util.find_spec("h5py") is not None
    assert done.returncode == (3 if there else 2)
    assert ("no HDF5" if there else "pip install 'theanodiag[weights]'") in done.stderr


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (pickle.dumps({"a": [1, 2], "b": "words"}), "it contains no numeric arrays"),
        (saved(np.array(["a", "b"])), "an array of U1, not of numbers"),
        (pickle.dumps(np.array(["a", "b"])), "an array of U1, not of numbers"),
        (saved(B).replace(b"<f4", b"<f3").replace(b"(4,)", b"(5,)")[:-1], "an array of <f3, which numpy does not have here"),
        (b"\x04\x22\x4d\x18" + bytes(40), "lz4 packed it"),
    ],
)
def test_nothing_is_never_success(data: bytes, told: str, tmp_path: Path) -> None:
    """Exit code 3, with what there is instead; nothing is written."""
    path = tmp_path / "m"
    path.write_bytes(data)
    done = theanodiag("weights", str(path), "--to", "npz")
    assert done.returncode == 3
    assert told in done.stderr
    assert os.listdir(tmp_path) == ["m"]


def test_an_archive_without_arrays_is_no_success(tmp_path: Path) -> None:
    """What it holds is told."""
    path = tmp_path / "m.zip"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("config.json", "{}")
    done = theanodiag("weights", str(path))
    assert done.returncode == 3
    assert "config.json: 2 bytes that are not an array" in done.stderr


def test_what_is_left_out_is_listed(tmp_path: Path) -> None:
    """Beside the arrays, in the text and in JSON; the mask of a masked array, and an array that the pickle drops."""
    path = tmp_path / "m.pkl"
    masked = np.ma.masked_array(W, mask=W > 3)
    dropped = b"\x80\x02" + pickle.dumps(B, 2)[2:-1] + b"0"
    path.write_bytes(dropped + pickle.dumps({"m": masked, "names": np.array(["a"])}, 2)[2:])
    done = theanodiag("weights", str(path))
    assert done.returncode == 0, done.stderr
    wanted = {"m: its mask", "names: an array of S1, not of numbers", "1 arrays: the pickle creates them but does not keep them"}
    found = {line.removeprefix("left out: ").replace("U1", "S1") for line in done.stdout.splitlines() if line.startswith("left out")}
    assert found == wanted
    done = theanodiag("weights", str(path), "--format", "json")
    assert {f"{one['name']}: {one['reason']}".replace("U1", "S1") for one in json.loads(done.stdout)["left_out"]} == wanted


def test_paths_are_best_paths() -> None:
    """The same with the keys in any order; an array under two names of the file's own dictionary is listed under both."""
    layer = {"W": W, "b": B}
    for net in ({"params": [W, B], "layers": [layer]}, {"layers": [layer], "params": [W, B]}):
        found = weights(pickle.dumps(net, 2), "m")
        assert {w.name: w.also for w in found.weights} == {"layers[0].W": ("params[0]",), "layers[0].b": ("params[1]",)}
    equal(weights(pickle.dumps({"a": W, "b": W}, 2), "m"), {"a": W, "b": W})
    equal(weights(pickle.dumps({"x": {"a.b": W, 0: B, (1, 2): B + 1}}, 2), "m"), {"x['a.b']": W, "x[0]": B, "x[2]": B + 1})


def test_no_two_arrays_have_one_name(tmp_path: Path) -> None:
    """An archive may have two files of one name, and names that look like ours for the second."""
    path = tmp_path / "m.zip"
    names = ["x~2~2", "x", "x", "x~2", "x", "x~2"]
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # two files of one name are meant
        for n, name in enumerate(names):
            archive.writestr(f"{name}.npy", saved(np.full(2, n)))
    done = theanodiag("weights", str(path), "--to", "npz")
    assert done.returncode == 0, done.stderr
    with np.load(f"{path}.npz") as made:
        assert sorted(int(made[name][0]) for name in made.files) == list(range(6))

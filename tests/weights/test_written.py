"""What `--to` says that it has written is in the file: each array under a name of its own."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import numpy as np
import pytest

from theanodiag.errors import UnreadableError
from theanodiag.weights.collect import Weight
from theanodiag.weights.file_formats import weights
from theanodiag.weights.write import encoded, stored_names

from ..cli.run import theanodiag

NAMES = (
    "a/b", "a|b", "a\\b", "allow_pickle", "file", "args", "kwds", "\udc80", "", "..", "../x", "__/x", "/etc/passwd", "C:x", "a//b", "a/./b",
    "x", "x.npy", "x_npy", "x.npy.npy", "a\0b", "a\nb", "a%0b", "W" * 70_000, "W" * 70_001, "é" * 150, "__metadata__", "a/", "/", ".", "~2",
    "x~2", "aux.npy/..", "\u202e", " ", "arr_0",
)  # fmt: skip


@pytest.mark.parametrize("to", ["npz", "safetensors"])
def test_each_array_has_its_name(to: str, tmp_path: Path) -> None:
    """Names that libraries take for something else: none is lost, none leads out of a folder, and those that are changed are told."""
    path, made = tmp_path / "m.pkl", tmp_path / f"m.{to}"
    arrays = {name: np.full((2, 3), n, dtype="f4") for n, name in enumerate(NAMES)}
    path.write_bytes(pickle.dumps(arrays, 4))
    done = theanodiag("weights", str(path), "--to", to, "--into", str(made), "--format", "json")
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["weights"]
    assert f"written, {len(NAMES)} arrays" in done.stderr
    if to == "npz":
        read = dict(np.load(made))
    else:
        read = pytest.importorskip("safetensors.numpy").load_file(str(made))
    assert len(read) == len(rows) == len(NAMES)
    stored = [row["written_as"] for row in rows]
    assert sorted(int(read[name][0, 0]) for name in stored) == list(range(len(NAMES)))
    for row, (name, array) in zip(rows, arrays.items()):
        np.testing.assert_array_equal(read[row["written_as"]], array, err_msg=name[:50])
    for name in stored:
        parts = name.split("/")
        assert not {"", ".", ".."} & set(parts), name
        assert name.isprintable(), name
        assert "\\" not in name, name
        assert len(name.encode()) <= 200, name
    same = {name for name in NAMES if name in ("a/b", "a|b", "allow_pickle", "file", "args", "x", "arr_0", "~2", "__/x", "x_npy")}
    assert same <= set(stored)


def test_what_a_format_lacks_is_an_error(tmp_path: Path) -> None:
    """safetensors has no complex numbers of 128 bits; nothing is written, and npz has them."""
    pytest.importorskip("safetensors")
    path = tmp_path / "m.pkl"
    path.write_bytes(pickle.dumps(np.ones(3, dtype="c16"), 2))
    done = theanodiag("weights", str(path), "--to", "safetensors")
    assert (done.returncode, "complex128" in done.stderr, "npz" in done.stderr) == (3, True, True)
    assert [p.name for p in tmp_path.iterdir()] == ["m.pkl"]
    assert theanodiag("weights", str(path), "--to", "npz").returncode == 0


def test_bits_are_compared() -> None:
    """NaN, zeros of both signs, an array without numbers, one of Fortran's order; all come back as they were."""
    arrays = {
        "nan": np.array([np.nan, -0.0, 0.0]), "none": np.zeros((0, 3)), "f": np.asfortranarray(np.arange(6.0).reshape(2, 3)),
        "scalar": np.array(3.0), "big": np.arange(3, dtype=">i8"), "bool": np.array([True, False]),
    }  # fmt: skip
    found = weights(pickle.dumps({**arrays, "scalar": [arrays["scalar"]]}, 2), "m").weights
    assert {w.name for w in found} == set(arrays) - {"scalar"}
    data = encoded(found, "npz", stored_names(found, "npz"))
    assert data == encoded(found, "npz", stored_names(found, "npz"))


def test_two_arrays_never_share_a_name() -> None:
    """Names are given to those first that may keep theirs."""
    one = np.ones(1)
    made = [Weight(name, name, "", "array", one) for name in ("x.npy", "x_npy", "..", "__", "x_npy~2")]
    names = stored_names(made, "npz")
    assert len(set(names.values())) == 5
    assert {names[n] for n in ("x_npy", "__", "x_npy~2")} == {"x_npy", "__", "x_npy~2"}


def test_an_output_that_exists_is_kept(tmp_path: Path) -> None:
    """It is asked for before the file is read."""
    path = tmp_path / "m.pkl"
    path.write_bytes(b"damaged")
    (tmp_path / "m.pkl.npz").write_bytes(b"mine")
    done = theanodiag("weights", str(path), "--to", "npz")
    assert (done.returncode, "exists" in done.stderr) == (3, True)
    assert (tmp_path / "m.pkl.npz").read_bytes() == b"mine"
    with pytest.raises(UnreadableError):
        weights(b"damaged", "m")

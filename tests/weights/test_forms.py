"""Files of weights that the real libraries wrote, listed and converted without them: the arrays are those that were saved."""

from __future__ import annotations

import functools
import json
import os
import subprocess
import tempfile
from pathlib import Path

import numpy as np
import pytest

from theanodiag.errors import UnreadableError
from theanodiag.weights.collect import kernel_note
from theanodiag.weights.file_formats import weights

from ..interpreters import ROOT, find, python

MAKER = Path(__file__).with_name("makes_forms.py")
MADE = {"keras": ("gpu_keras", 14), "lasagne": ("gpu_keras", 7), "tutorials": ("theano27", 8)}
"""Library -> the interpreter that has it, and how many forms it writes."""


@functools.cache
def made(library: str) -> tuple[tempfile.TemporaryDirectory[str], tuple[str, ...]]:
    """A folder with the forms of a library, and their names."""
    folder = tempfile.TemporaryDirectory()
    env = {"THEANO_FLAGS": f"cxx=,device=cpu,base_compiledir={folder.name}", "KERAS_BACKEND": "theano", "PYTHONPATH": str(ROOT)}
    done = python(MADE[library][0], str(MAKER), folder.name, library, env=env, timeout=300)
    assert done.returncode == 0, done.stderr[-2000:]
    return folder, tuple(json.loads(done.stdout.splitlines()[-1]))


def left_of(found: list[np.ndarray], wanted: list[np.ndarray]) -> list[np.ndarray]:
    """The found arrays without those wanted, each of which is there once, equal in dtype and in each element."""
    left = list(found)
    for array in wanted:
        same = [n for n, f in enumerate(left) if f.dtype == array.dtype and f.shape == array.shape and np.array_equal(f, array)]
        assert same, array
        del left[same[0]]
    return left


@pytest.mark.parametrize("library", MADE)
def test_what_the_library_saved_comes_back(library: str) -> None:
    """Each form converts to npz with the arrays that were saved; beside them networks hold constants of their graph, and nothing else."""
    folder, names = made(library)
    assert len(names) == MADE[library][1]
    reader = find("gpu_keras")  # it has h5py and numpy, as the extra `weights` brings them
    for name in names:
        path = Path(folder.name, name)
        command = [reader, "-m", "theanodiag", "weights", str(path), "--to", "npz", "--format", "json"]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == 0, (name, done.stderr)
        with np.load(f"{path}.npz") as arrays, np.load(f"{path}.expected.npz") as expected:
            assert len(json.loads(done.stdout)["weights"]) == len(arrays.files), name
            left = left_of([arrays[n] for n in arrays.files], [expected[n] for n in expected.files])
        assert not left or (name.startswith("tutorial-best_model") and all(a.size == 1 for a in left)), (name, left)


@pytest.mark.parametrize(
    ("name", "shape", "flipped"),
    [
        ("convolution2d_1/convolution2d_1_W", (4, 1, 3, 3), "w[:, :, ::-1, ::-1]"),
        ("convolution1d_1/convolution1d_1_W", (3, 1, 2, 4), "w[::-1]"),
        ("convolution3d_1/convolution3d_1_W", (2, 1, 3, 3, 3), "w[:, :, ::-1, ::-1, ::-1]"),
        ("dense_1/dense_1_W", (3, 4), None),
    ],
)
def test_which_axes_of_a_kernel_are_flipped(name: str, shape: tuple[int, ...], flipped: str | None) -> None:
    """By the number of axes, and for Keras 1's convolution of sequences by its name: the layouts that Keras 1.2.2 writes over Theano."""
    note = kernel_note(name, np.zeros(shape))
    assert flipped in note if flipped is not None else not note


class Hostile:
    """Its pickle makes a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, ...]:
        return os.system, (f"touch {self.path}",)


def test_an_array_of_objects_is_read_and_runs_nothing(tmp_path: Path) -> None:
    """numpy.savez pickles objects: their arrays come back, and what they would run is named."""
    objects = np.empty(2, dtype=object)
    objects[:] = Hostile(str(tmp_path / "made")), np.ones(2)
    np.savez(tmp_path / "m.npz", objects=objects, w=np.arange(3.0))
    found = weights((tmp_path / "m.npz").read_bytes(), "m.npz")
    assert [(w.name, w.array.tolist()) for w in found.weights] == [("objects[1]", [1.0, 1.0]), ("w", [0.0, 1.0, 2.0])]
    assert [(c.name, c.called, c.inside) for c in found.calls] == [(f"{os.system.__module__}.system", True, "objects")]
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("data", [b"PK\x03\x04", b"PK\x03\x04" + bytes(99)])
def test_a_damaged_npz_is_named(data: bytes) -> None:
    """No traceback of another library."""
    with pytest.raises(UnreadableError, match="not a npz"):
        weights(data, "m.npz")


def test_a_damaged_hdf5_is_named(tmp_path: Path) -> None:
    """The head of one, and the rest cut off; exit code 3."""
    path = tmp_path / "m.h5"
    path.write_bytes(b"\x89HDF\r\n\x1a\n" + bytes(50))
    command = [find("gpu_keras"), "-m", "theanodiag", "weights", str(path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.returncode, "Traceback" in done.stderr) == (3, False)
    assert "no HDF5" in done.stderr

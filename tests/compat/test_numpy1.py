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


def printed(*words: str) -> str:
    """What `theanodiag run` with these arguments prints."""
    command = [sys.executable, "-m", "theanodiag", "run", "--python", interpreters.find("pytensor"), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=200, check=False)
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

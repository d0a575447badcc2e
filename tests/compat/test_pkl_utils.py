"""Archives of `theano.misc.pkl_utils`: what Theano 1.0.5 itself writes and reads, in names and arrays."""

from __future__ import annotations

from pathlib import Path

from tests import interpreters

from .conftest import START, Run

PROGRAM = """
import io, os, zipfile
import numpy as np
import theano
from theano.misc import pkl_utils
os.chdir({folder!r})
foo, second, unnamed = theano.shared(0, name="foo"), theano.shared(1, name="foo"), theano.shared(np.arange(3.0))
W = theano.shared(np.arange(2.0).reshape(1, 2), name="W")
with open("m.zip", "wb") as f:
    pkl_utils.dump({{"all": (foo, second, unnamed, W), "again": W, "array": np.array(2)}}, f)
print(sorted(zipfile.ZipFile("m.zip").namelist()))
print(np.load("m.zip")["W"].tolist(), np.load("m.zip")["foo_2"].tolist())
with open("m.zip", "rb") as f:
    found = pkl_utils.load(f)
print([v.get_value().tolist() for v in found["all"]], found["again"] is found["all"][3], found["array"].tolist())
with open("p.zip", "wb") as f:
    pkl_utils.dump([W, foo], f, 2, pkl_utils.PersistentNdarrayID)
print(sorted(zipfile.ZipFile("p.zip").namelist()))
with open("a.zip", "wb") as f:
    pkl_utils.dump([np.ones(2), "text"], f, 2)
for options in ({{"allow_duplicates": False}}, {{"allow_unnamed": False}}):
    try:
        pkl_utils.dump((unnamed, foo, second), io.BytesIO(), persistent_id=lambda z: pkl_utils.PersistentSharedVariableID(z, **options))
    except ValueError as error:
        print(str(error)[:30])
"""
OTHER = """
from theano.misc import pkl_utils
with open({path!r}, "rb") as f:
    print([getattr(x, "tolist", lambda: x)() for x in pkl_utils.load(f)])
"""


def test_the_archive_is_theanos(legacy: Run, tmp_path: Path) -> None:
    """Names of members, `numpy.load` of one, an array that two variables share, what is refused."""
    ours = legacy(PROGRAM.format(folder=str(tmp_path)))
    assert "'W', 'array_0', 'array_1', 'foo', 'foo_2', 'pkl'" in ours
    done = interpreters.python("theano", "-c", PROGRAM.format(folder=str(tmp_path)), env={"THEANO_FLAGS": "cxx="})
    assert done.returncode == 0, done.stderr
    assert ours == done.stdout.strip()
    assert legacy(OTHER.format(path=str(tmp_path / "a.zip"))) == "[[1.0, 1.0], 'text']", "what Theano wrote last"


def test_the_pickler_of_theano_0_8() -> None:
    """Blocks 0.1 imports it by this name; on the CPU it stored numpy's arrays, as the later one."""
    names = "PersistentCudaNdarrayID as old, PersistentGpuArrayID as new"
    done = interpreters.python("pytensor", "-c", f"{START}from theano.misc.pkl_utils import {names}; print(old is new)")
    assert done.stdout == "True\n", done.stderr

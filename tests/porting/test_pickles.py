"""Pickles in sources of Python 2: a port reads and writes them as the source did."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.interpreters import find
from theanodiag.porting.model import PortOptions, Safety
from theanodiag.porting.python2 import to_python3

LATIN = ', encoding="latin1"'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = cPickle.load(open(p))", f'x = pickle.load(open(p, "rb"){LATIN})'),
        ("x = cPickle.load(open(p, 'rU'))", f"x = pickle.load(open(p, 'rb'){LATIN})"),
        ("x = cPickle.load(open(p, 'rb'))", f"x = pickle.load(open(p, 'rb'){LATIN})"),
        ("x = cPickle.loads(s)", f"x = pickle.loads(s{LATIN})"),
        ("x = cPickle.load(f, encoding='bytes')", "x = pickle.load(f, encoding='bytes')"),
        ("f = open(p, 'w')\ncPickle.dump(x, f)\nf.close()", "f = open(p, 'wb')\npickle.dump(x, f)\nf.close()"),
        ("with open(p, mode='w') as f:\n    cPickle.dump(x, f, -1)", "with open(p, mode='wb') as f:\n    pickle.dump(x, f, -1)"),
        ("f = gzip.open(p)\nx = cPickle.load(f)", f"f = gzip.open(p)\nx = pickle.load(f{LATIN})"),
    ],
)
def test_modes_and_texts(before: str, after: str) -> None:
    """Files for bytes, and texts of Python 2 as Latin-1; what the source says stays."""
    text, _ = to_python3(f"import cPickle\nprint 1\n{before}\n", "m.py", PortOptions(python2to3=True))
    assert text == f"import pickle\nprint(1)\n{after}\n"


@pytest.mark.parametrize(
    "source",
    [
        "f = open(p, 'w')\nf.write('head')\ncPickle.dump(x, f)",
        "f = open(p, m)\ncPickle.dump(x, f)",
        "f = open(p, 'w')\ncPickle.dump(x, f)\ng(f)",
    ],
)
def test_a_file_with_another_use_is_left_to_the_user(source: str) -> None:
    """Bytes and text in one file, or a mode that the text does not show."""
    text, changes = to_python3(f"import cPickle\nprint 1\n{source}\n", "m.py", PortOptions(python2to3=True))
    assert source.replace("cPickle", "pickle") in text
    assert [c.advice for c in changes if c.safety is Safety.BY_HAND] == ["open the file with b in its mode, if it holds only pickles"]


def test_a_pickle_of_python2_is_read_by_the_port(tmp_path: Path) -> None:
    """The file that CPython 2.7 writes with text in it, in a mode for text, is read with the same value."""
    read = "else:\n    print cPickle.load(open(sys.argv[1]))[1]\n"
    source = "import cPickle, sys\nif sys.argv[2] == 'w':\n    cPickle.dump(['caf\\xe9', 3], open(sys.argv[1], 'w'))\n" + read
    (tmp_path / "old.py").write_text(source)
    subprocess.run([find("theano27"), str(tmp_path / "old.py"), str(tmp_path / "x"), "w"], check=True, timeout=60)
    text, _ = to_python3(source, "old.py", PortOptions(python2to3=True))
    (tmp_path / "new.py").write_text(text)
    done = subprocess.run(
        [sys.executable, str(tmp_path / "new.py"), str(tmp_path / "x"), "r"], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.stdout, done.stderr) == ("3\n", "")

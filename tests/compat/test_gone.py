"""What Theano lost on its way to 1.0.5."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.capture.running import framework
from tests.interpreters import python
from theanodiag.compat.names.reasons import GONE, gone


@pytest.mark.parametrize(
    ("exception", "name"),
    [
        ("ModuleNotFoundError: No module named 'theano.tensor.signal.downsample'", "tensor.signal.downsample"),
        ("ImportError: cannot import name 'downsample' from 'theano.tensor.signal' (/x/theano/__init__.py)", "tensor.signal.downsample"),
        ("ImportError: cannot import name downsample", "tensor.signal.downsample"),
        ("ImportError: No module named signal.downsample", "tensor.signal.downsample"),
        ("AttributeError: module 'theano.tensor.nnet' has no attribute 'conv3D'", "tensor.nnet.conv3D"),
        ("AttributeError: 'module' object has no attribute 'python2x'", "compat.python2x"),
        ("ImportError: No module named theano.sandbox.cuda.dnn", "sandbox.cuda"),
    ],
)
def test_it_is_known_by_what_python_says(exception: str, name: str) -> None:
    """CPython 2.7 does not say of which module."""
    said = gone(exception, 'File "model.py", line 1, in <module>\n    from theano.tensor.signal import downsample')
    assert said is not None
    assert said.startswith(f"theano.{name} is no part of this Theano; write ")


def test_the_old_back_end_says_it_by_another_s_name() -> None:
    """Its file raises SkipTest of nose, which is not there."""
    trace = 'File "/e/theano/sandbox/cuda/__init__.py", line 2, in <module>\n    from nose.plugins.skip import SkipTest'
    assert "theano.sandbox.cuda" in (gone("ModuleNotFoundError: No module named 'nose'", trace) or "")
    assert gone("ModuleNotFoundError: No module named 'nose'", 'File "model.py", line 1\n    import nose, theano') is None


@pytest.mark.parametrize(
    "exception", ["ValueError: theano", "ImportError: No module named 'my_scan'", "ImportError: cannot import name 'x' from 'theano'"]
)
def test_other_exceptions_are_none_of_it(exception: str) -> None:
    """A name that Theano never had is the script's own matter."""
    assert gone(exception, "import theano") is None


def test_what_is_said_to_be_gone_is_gone() -> None:
    """And what is to be written is there: held against Theano 1.0.5 itself."""
    program = """
import importlib, json, operator, re, sys
def there(name):
    try:
        importlib.import_module(name)
        return True
    except Exception:
        import theano
        try:
            return operator.attrgetter(name.partition(".")[2])(theano) is not None
        except AttributeError:
            return False
rows = json.loads(sys.argv[1])
news = sorted(set(re.findall("theano[.][a-zA-Z_.]*[a-zA-Z]", " ".join(rows.values()))))
print(json.dumps([[n for n in rows if there("theano." + n)], [n for n in news if not there(n)]]))
"""
    done = python("theano", "-c", program, json.dumps(GONE))
    assert json.loads(done.stdout.splitlines()[-1]) == [[], []], done.stderr


def test_the_report_says_what_to_write(tmp_path: Path) -> None:
    """In place of 'install what the script imports'."""
    capture = framework(tmp_path, "theano", "import theano\nfrom theano.compile import module\n")
    said = "theano.compile.module is no part of this Theano; write theano.function"
    assert (capture.end.reason or "").startswith(said)

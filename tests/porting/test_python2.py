"""Sources of Python 2 that become sources of Python 3."""

from __future__ import annotations

import ast

import pytest

from theanodiag.porting.model import Style, Wish
from theanodiag.porting.moving import port_text


def translated(text: str, *, style: Style = Style.NATIVE, unsafe: bool = False) -> str:
    """The source in Python 3."""
    after = port_text(text, "model.py", Wish(style=style, unsafe=unsafe, python2to3=True)).after
    ast.parse(after)
    return after


def test_fixers_run_first() -> None:
    """Print, exceptions, iterators and what is no name of Theano's; then the names."""
    text = "import theano, cPickle\ntry:\n    print theano.config.floatX\nexcept IOError, e: pass\nfor k in d.iteritems(): pass\n"
    after = translated(text)
    assert after.startswith("import pytensor, pickle\n")
    assert "print(pytensor.config.floatX)\nexcept IOError as e: pass\nfor k in d.items(): pass\n" in after


@pytest.mark.parametrize(
    ("before", "safe", "unsafe"),
    [
        ("x.shape[0] / 2", "x.shape[0] // 2", "x.shape[0] // 2"),
        ("len(x) / n", "divide(len(x), n)", "len(x) // n"),
        ("a / b", "divide(a, b)", "a / b"),
        ("a / b / c", "divide(divide(a, b), c)", "a / b / c"),
        ("a / 2.", "a / 2.", "a / 2."),
        ("1 / numpy.sqrt(n)", "1 / numpy.sqrt(n)", "1 / numpy.sqrt(n)"),
    ],
)
def test_divisions(before: str, safe: str, unsafe: str) -> None:
    """Of integers downwards; of what may be some by compat's `divide`, which asks when it runs."""
    head = "from theanodiag.compat.running.python2 import divide\n" if "divide" in safe else ""
    assert translated(f"print 1\ny = {before}\n") == f"{head}print(1)\ny = {safe}\n"
    assert translated(f"print 1\ny = {before}\n", unsafe=True) == f"print(1)\ny = {unsafe}\n"


def test_a_source_that_asks_for_true_division_has_it() -> None:
    """And one of Python 3 is left alone."""
    text = "from __future__ import division\nprint 1\ny = a / b\n"
    assert translated(text).endswith("print(1)\ny = a / b\n")
    assert translated("y = a / b\n") == "y = a / b\n"


def test_the_moved_division_divides_as_python_2_did() -> None:
    """Run, with integers and floats."""
    space: dict[str, float] = {}
    exec(translated("print '',\ny = 7 / n\nz = y\nz /= n\n").replace("print('', end=' ')", ""), {"n": 2}, space)
    assert space["y"] == 3
    assert space["z"] == 1


def test_tabs_and_spaces_that_python_3_does_not_mix() -> None:
    """Indentation becomes spaces where it must, by Python 2's rule; the text of a string keeps its tabs."""
    text = 'import theano\nif True:\n        a = 1\n\tb = """\n\tx"""\n\tprint a, repr(b)\n'
    wish = Wish(python2to3=True)
    after = port_text(text, "model.py", wish).after
    assert after == 'import pytensor\nif True:\n        a = 1\n        b = """\n\tx"""\n        print(a, repr(b))\n'
    assert port_text(after, "model.py", wish).after == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import cPickle\nx = len(a) / 2\n", "import pickle\nx = len(a) // 2\n"),
        (
            "import time\nt = time.clock()  # time.clock\nfor n in xrange(3): pass\n",
            "import time\nt = time.perf_counter()  # time.clock\nfor n in range(3): pass\n",
        ),
        ("try:\n    import cPickle\nexcept ImportError:\n    import pickle\n", None),
        ("from six.moves import xrange\nxrange(3)\n", None),
        ("x = len(a) / 2\n", None),
        ("from itertools import izip\nx = izip(a, b)\n", "\nx = zip(a, b)\n"),
        (
            "import sys\nn = sys.version_info[0]\nfor a in xrange(3): pass\n",
            "import sys\nn = sys.version_info[0]\nfor a in range(3): pass\n",
        ),
        ("import sys\nif sys.version_info[0] > 2:\n    xrange = range\nxrange(3)\n", None),
    ],
)
def test_sources_that_both_read_and_only_python_2_runs(before: str, after: str | None) -> None:
    """They are translated for the names in them; not where a library or a `try` serves both Pythons."""
    wish = Wish(python2to3=True)
    made = port_text(before, "model.py", wish).after
    assert made == (after if after is not None else before)
    assert port_text(made, "model.py", wish).after == made

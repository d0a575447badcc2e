"""Sources of Python 2 that become sources of Python 3."""

from __future__ import annotations

import ast
import contextlib
import io

import pytest

import theanodiag
from theanodiag.errors import UsageError
from theanodiag.porting import python2
from theanodiag.porting.model import PortOptions, Style
from theanodiag.porting.source_port import port_text


def translated(text: str, *, style: Style = Style.NATIVE, unsafe: bool = False) -> str:
    """The source in Python 3."""
    after = port_text(text, "model.py", PortOptions(style=style, unsafe=unsafe, python2to3=True)).after
    ast.parse(after)
    return after


def test_fixers_run_first() -> None:
    """Print, exceptions, iterators and what is no name of Theano's; then the names."""
    text = "import theano, cPickle\ntry:\n    print theano.config.floatX\nexcept IOError, e: pass\nfor k in d.iteritems(): pass\n"
    after = translated(text)
    assert after.startswith("import pytensor, pickle\n")
    assert "print(pytensor.config.floatX)\nexcept IOError as e: pass\nfor k in d.items(): pass\n" in after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("from sys import maxint\nprint maxint\n", "from sys import maxsize as maxint\nprint(maxint)\n"),
        (
            "from sys import stdout, maxint\nfor i in xrange(maxint): pass\n",
            "from sys import stdout, maxsize as maxint\nfor i in range(maxint): pass\n",
        ),
        ("from sys import (maxint as big,\n  path)\nprint big\n", "from sys import (maxsize as big,\n  path)\nprint(big)\n"),
        ("import sys\nprint sys.maxint\n", "import sys\nprint(sys.maxsize)\n"),
    ],
)
def test_the_largest_integer_keeps_its_name(before: str, after: str) -> None:
    """The rest of a source reads the name that it imports."""
    assert translated(before) == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.next()", "next(x)"),
        ("x.itervalues().next().shape[1]", "next(iter(x.values())).shape[1]"),
        ("f(a.next().next().b, a.next)", "f(next(next(a)).b, a.__next__)"),
        ("x.next(1).y", "x.next(1).y"),
    ],
)
def test_the_next_element(before: str, after: str) -> None:
    """Of an iterator, where more follows too."""
    assert translated(f"print 1\nimport theano\ny = {before}\n") == f"print(1)\nimport pytensor\ny = {after}\n"


@pytest.mark.parametrize("code", ["y = round(2.5)", "y = int(round(x)) + z"])
def test_halves_are_rounded_away_from_0(code: str) -> None:
    """By theanodiag's `round`; with Theano as target, by one that the source defines."""
    assert translated(f"print 1\n{code}\n") == f"from theanodiag.legacy import round\nprint(1)\n{code}\n"
    names: dict[str, list[float]] = {}
    source = "print 1\ny = [round(v) for v in (2.5, -0.5, 1e300)] + [round(2.675, 2)]\n"
    exec(port_text(source, "m.py", PortOptions(target="theano", python2to3=True)).after, names)
    assert names["y"] == [3.0, -1.0, 1e300, 2.67]


@pytest.mark.parametrize("code", ["y = x.round(2)", "from numpy import round\ny = round(2.5)", "from numpy import *\ny = round(2.5)"])
def test_other_functions_named_round(code: str) -> None:
    """A method, and NumPy's function."""
    assert translated(f"print 1\n{code}\n") == f"print(1)\n{code}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x.shape[0] / 2", "x.shape[0] // 2"),
        ("len(x) / n", "divide(len(x), n)"),
        ("a / b", "divide(a, b)"),
        ("a / b / c", "divide(divide(a, b), c)"),
        ("a / 2.", "a / 2."),
        ("1 / numpy.sqrt(n)", "1 / numpy.sqrt(n)"),
        ("x.shape[1:] / 2", "divide(x.shape[1:], 2)"),
        ("3 * 0.5 / 2", "3 * 0.5 / 2"),
        ("(len(x) - 1) / 2 / n", "divide((len(x) - 1) // 2, n)"),
        ("x.astype('int32') / 2", "divide(x.astype('int32'), 2)"),
        ("x.astype('float32') / 2", "x.astype('float32') / 2"),
        ("T.cast(x, 'int32') / 2", "divide(T.cast(x, 'int32'), 2)"),
        ("numpy.ones(16) / 16", "divide(numpy.ones(16), 16)"),
        ("(x * 2 / 3) ** 2", "(divide(x * 2, 3)) ** 2"),
    ],
)
def test_divisions(before: str, after: str) -> None:
    """Of integers downwards; of what may be some by compat's `divide`, which asks when it runs: with `--unsafe` too, in each style."""
    head = "from theanodiag.legacy import divide\n" if "divide" in after else ""
    for style in Style:
        for unsafe in (False, True):
            assert translated(f"print 1\ny = {before}\n", style=style, unsafe=unsafe) == f"{head}print(1)\ny = {after}\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("N = 100; K = 15\nb = N / K\n", "N // K"),
        ("lr = 0.5\nlr = lr / 2\n", "lr / 2"),
        ("lr = 0.5\nif x: lr = 1\nb = lr / 2\n", "divide(lr, 2)"),
        ("n = 3\ndef f(n):\n    return n / 2\n", "divide(n, 2)"),
        ("n = 3\ndef f():\n    return n / 2\n", "n // 2"),
        ("n = 3\ndef f():\n    global n\n    n = 0.5\nb = n / 2\n", "divide(n, 2)"),
        ("n = 3\ndef f():\n    n = 0.5\nb = n / 2\n", "n // 2"),
        ("for i in range(3):\n    b = i / 2\n", "i // 2"),
        ("for i, x in enumerate(y):\n    b = i / 2, x / 2\n", "i // 2, divide(x, 2)"),
        ("n, m = x.shape\nb = n / m\n", "n // m"),
        ("n, m = 3, 0.5\nb = n / 2, m / 2\n", "n // 2, m / 2"),
        ("n = 10\nwhile n: n = n / 2\n", "n // 2"),
        ("n = 10\nn /= 3\n", "n //= 3"),
        ("n = 10\nn /= a\n", "n = divide(n, a)"),
        ("n = 10\nn += 0.5\nb = n / 3\n", "divide(n, 3)"),
        ("n = m = 10\nb = n / m\n", "n // m"),
        ("class A:\n    n = 3\n    m = n / 2\n    def f(self): return n / 2\n", "divide(n, 2)"),
        ("from a import *\nn = 3\nb = n / 2\n", "n // 2"),
        ("n = 3\nfrom a import *\nb = n / 2\n", "divide(n, 2)"),
        ("n = 3\nexec s\nb = n / 2\n", "divide(n, 2)"),
        ("n = [i / 2 for i in range(3)]\n", "[i // 2 for i in range(3)]"),
        ("n = [i / 2 for i in y]\n", "divide(i, 2)"),
        ("with a as n: b = n / 2\n", "divide(n, 2)"),
        ("n = 2 ** 10\nb = n / 3\n", "n // 3"),
        ("n = 2 ** -1\nb = n / 3\n", "divide(n, 3)"),
        ("def log(x): return 3\nb = 7 / log(2)\n", "divide(7, log(2))"),
        ("def len(x): return 0.5\nb = len(x) / 2\n", "divide(len(x), 2)"),
        ("n = 3 if x else 4\nb = n / 2\n", "n // 2"),
        ("n = 3 if x else y\nb = n / 2\n", "divide(n, 2)"),
        ("f = lambda n: n / 2\nn = 3\n", "divide(n, 2)"),
        ("a = b\nb = a\nc = a / 2\nb = q\n", "divide(a, 2)"),
    ],
)
def test_names_are_integers_where_all_that_binds_them_is(before: str, after: str) -> None:
    """By what the scope shows."""
    assert after in translated(f"print 1\n{before}")


def test_a_script_computes_what_python_2_did() -> None:
    """The output of CPython 2.7 for it, with `--unsafe` as without."""
    text = (
        "import numpy as np\nlr = 0.5\nlr = lr / 2\nx = np.float64(200.) / 255\ns = (np.ones(5) * 3.).sum() / 2\nn = len([1, 2, 3]) / 2\n"
        "N = 100; K = 15\nprint lr, round(x, 3), s, n, N / K\n"
    )
    for unsafe in (False, True):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(translated(text, unsafe=unsafe), {})
        assert out.getvalue() == "0.25 0.784 7.5 1 6\n"


def test_python_2_alone_is_translated_for_theano() -> None:
    """Its names stay, a second port changes nothing, and it needs no theanodiag, which the Pythons of Theano cannot import."""
    text = '"""Doc."""\nimport theano.tensor as T\nx = T.sqr(T.matrix())\nprint 7 / n, 7 / m, -7 / n\n'
    options = PortOptions(target="theano", python2to3=True)
    after = port_text(text, "model.py", options).after
    assert "import theano.tensor as T\nx = T.sqr(T.matrix())\n" in after
    assert "theanodiag" not in after
    assert port_text(after, "model.py", options).after == after
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        exec(after.replace("import theano.tensor as T\nx = T.sqr(T.matrix())\n", ""), {"n": 2, "m": 2.0})
    assert out.getvalue() == "3 3.5 -4\n"


@pytest.mark.parametrize(("python2to3", "unsafe", "style"), [(False, False, "native"), (True, True, "native"), (True, False, "compat")])
def test_options_without_effect_for_theano_are_errors(python2to3: bool, unsafe: bool, style: str) -> None:
    """Nothing else of the source changes."""
    with pytest.raises(UsageError, match="a source for Theano stays one"):
        theanodiag.port("print 1\n", to="theano", python2to3=python2to3, unsafe=unsafe, style=style)


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
    options = PortOptions(python2to3=True)
    after = port_text(text, "model.py", options).after
    assert after == 'import pytensor\nif True:\n        a = 1\n        b = """\n\tx"""\n        print(a, repr(b))\n'
    assert port_text(after, "model.py", options).after == after


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
    options = PortOptions(python2to3=True)
    made = port_text(before, "model.py", options).after
    assert made == (after if after is not None else before)
    assert port_text(made, "model.py", options).after == made


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(xs):\n    y = [x + 1 for x in xs]\n    print x\n", "def f(xs):\n    y = [x + 1 for x_ in xs if [x := x_]]\n    print(x)\n"),
        ("q = [a for a, b in (z) if b]\nprint a, z_\n", "q = [a for a_, b in (z) if [a := a_] if b]\nprint(a, z_)\n"),
        ("é = [ä for ä in ü]; a_ = 1\nprint ä\n", "é = [ä for ä_ in ü if [ä := ä_]]; a_ = 1\nprint(ä)\n"),
        ("q = [x for x in y]\nfor x in y: print x\n", "q = [x for x in y]\nfor x in y: print(x)\n"),
        (
            "class A:\n    n = 2\n    q = [n for i in 'ab']\nprint A\n",
            "class A:\n    n = 2\n    q = (lambda n: [n for i in 'ab'])(n)\nprint(A)\n",
        ),
        ("q = map(lambda x: lambda: x, y)\nprint q\n", "q = list(map(lambda x: lambda: x, y))\nprint(q)\n"),
        ("q = [x for x in y]\nprint(x)\n", "q = [x for x_ in y if [x := x_]]\nprint(x)\n"),
        ("q = [x for x in y]\nx = 1\nprint(x)\n", "q = [x for x in y]\nx = 1\nprint(x)\n"),
    ],
)
def test_list_comprehensions_without_a_scope(before: str, after: str) -> None:
    """Their names outlive them where they are read, in a class they see its names; a name that nothing else binds is a sign of Python 2."""
    assert translated(f"import theano\n{before}") == f"import pytensor\n{after}"
    assert translated(f"import pytensor\n{after}") == f"import pytensor\n{after}"


def test_a_name_that_cannot_be_bound_is_left_to_do_by_hand() -> None:
    """In a class, and in what another comprehension iterates over; with its place in the old text."""
    text = "import theano\nprint 1\nclass A:\n    q = [x for x in y]\n    r = x\n"
    found = [change for change in port_text(text, "model.py", PortOptions(python2to3=True)).changes if change.name == "list comprehension"]
    assert [(change.safety.value, change.span.line, change.advice) for change in found] == [("by hand", 4, "write a loop")]


def test_generators_end_as_they_did() -> None:
    """`raise StopIteration` becomes `return`, but in a `try`, and in other functions; `next(x)` is left to do by hand."""
    text = "def g(i):\n    yield 1\n    {}raise StopIteration()\n"
    assert translated("import theano\nprint 1\n" + text.format("")).endswith("yield 1\n    return\n")
    for kept in (text.format("try: "), text.replace("yield 1", "print 1").format("")):
        kept += "    except StopIteration: pass\n" if "try" in kept else ""
        assert "raise StopIteration()" in translated("import theano\nprint 1\n" + kept)
    found = port_text("import theano\nprint 1\ndef g(i):\n    yield i.next()\n", "model.py", PortOptions(python2to3=True)).changes
    assert [(change.safety.value, change.span.line) for change in found if change.name == "next"] == [("by hand", 3)]


@pytest.mark.parametrize("text", ["", "# a package\n"])
def test_a_source_without_code_stays(text: str) -> None:
    """Also where another source makes its package Python 2."""
    assert python2.translated(text, "p/__init__.py", PortOptions(python2to3=True)) == (text, ())

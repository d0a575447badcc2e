"""What tells that a source is one of Python 2, and that `port` leaves it to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from theanodiag.porting.model import PortOptions, Safety
from theanodiag.porting.python2_marks import marks
from theanodiag.porting.source_port import port_text
from theanodiag.porting.syntax import Tree


def told(text: str) -> set[str]:
    """The signs that are found."""
    return {mark.what for mark in marks(Tree(text, "x.py"))}


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ("print 'a'\n", "a print statement"),
        ("print 'a', b,\n", "a print statement"),
        ("print >>f, 'a'\n", "print >> a file"),
        ("print 'b'\nprint >>f, 'a'\n", "a print statement"),
        ("x = lambda: (yield)\nprint('%d') % 3\n", "print of a value in parentheses with something after them"),
        ("print('a'), b\n", "print of a value in parentheses with something after them"),
        ("print (a, b); print c\n", "a print statement"),
        ("try: pass\nexcept IOError, e: pass\n", "except X, e"),
        ("try: pass\nexcept (IOError, OSError), e: pass\n", "except X, e"),
        ("raise ValueError, 'x'\n", "raise X, text"),
        ("exec 'a = 1'\n", "an exec statement"),
        ("exec 'a = 1' in d\n", "an exec statement"),
        ("x = `a`\n", "backquotes"),
        ("os.chmod(p, 0755)\n", "a number as Python 2 writes it (0777, 10L)"),
        ("x = 10L\n", "a number as Python 2 writes it (0777, 10L)"),
        ("x = 0xFFL\n", "a number as Python 2 writes it (0777, 10L)"),
        ("x = ur'\\d'\n", "a text ur'...'"),
        ("x = UR'''a'''\n", "a text ur'...'"),
        ("if a <> b: pass\n", "<>"),
        ("def f((a, b), c): pass\n", "a parameter that is a tuple"),
        ("x = lambda (a, b): a\n", "a parameter that is a tuple"),
        ("def f():\n    from a import *\n", "import * in a function"),
        ("f(async=True)\n", "async as a name"),
        ("if a:\n        b = 1\n\tc = 2\n", "tabs and spaces mixed in an indentation"),
        ("for i in xrange(3): pass\n", "xrange()"),
        ("x = raw_input()\n", "raw_input()"),
        ("isinstance(x, basestring)\n", "basestring"),
        ("x = unicode(y)\n", "unicode()"),
        ("x = reduce(f, y)\n", "reduce()"),
        ("import cPickle\n", "the module cPickle"),
        ("import os, cPickle as pickle\n", "the module cPickle"),
        ("from StringIO import StringIO\n", "the module StringIO"),
        ("for k, v in d.iteritems(): pass\n", "the method iteritems"),
        ("if d.has_key(1): pass\n", "the method has_key"),
        ("from itertools import izip\n", "itertools.izip"),
        ("import itertools\nitertools.imap(f, x)\n", "itertools.imap"),
        ("import sys\nx = sys.maxint\n", "sys.maxint"),
        ("import string\nx = string.letters\n", "string.letters"),
        ("x = zip(a, b)[0]\n", "zip() that is taken for a list"),
        ("x = map(f, a) + b\n", "map() that is taken for a list"),
        ("x = d.keys()[0]\n", ".keys() that is taken for a list"),
        ("d.keys().sort()\n", ".keys() that is taken for a list"),
    ],
)
def test_signs(text: str, what: str) -> None:
    """What Python 3 cannot read, has not, or takes otherwise."""
    assert what in told(text)


@pytest.mark.parametrize(
    "text",
    [
        "x = d.keys() - e.keys()\n", "def f(string): return string.replace('a', 'b')\n", "x = table.keys()[0], f'{a}'\n",
        "print('a')\n", "print('a', file=f)\n", "print(a, b)\n", "from __future__ import print_function\nprint('a') % 3\n", "exec('a')\n",
        "exec(code, d)\n", "x = 0o755, 0, 00, 0.5, 1e3, 0x0F, 10\n", "x = r'a', u'b'\n", "raise ValueError('x') from e\n",
        "try: pass\nexcept (A, B) as e: pass\n", "async def f(): await g()\n", "def f(a, b=(1, 2), *c): pass\n",
        "x = lambda a, b=(1, 2): a\n",
        "from functools import reduce\nx = reduce(f, y)\n", "xrange = range\nxrange(3)\n", "y = xrange**2, xrange.T\n",
        "def unicode(x): pass\nunicode(3)\n",
        "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\n", "from six.moves import xrange\nxrange(3)\n",
        "x = list(zip(a, b))[0]\n", "for a in zip(b, c): pass\n", "x = 'print a'  # print a\n", "self.unicode(x)\n", "f(file=x, long=3)\n",
        "x = d.keys()\n", "x.iteritems\n", "x = ','.join(y)\n", "x.string.join(y)\n", "from .cPickle import x\n",
        "from cPickle2 import x\n",
    ],
)  # fmt: skip
def test_sources_of_python_3_or_of_both(text: str) -> None:
    """In which nothing of Python 2 is."""
    assert told(text) == set()


def test_a_source_of_python_2_is_not_done(tmp_path: Path) -> None:
    """Beside moved names and alone: by hand, with the option that does it; with the option nothing is left."""
    (tmp_path / "model.py").write_text("import theano\nprint 'a'\nprint 'b'\n", encoding="utf-8")
    (tmp_path / "tools.py").write_text("for i in xrange(3): print i\n", encoding="utf-8")
    done = theanodiag("port", str(tmp_path))
    assert "model.py:2:1: by hand TD103: python2: a Python 2 source: a print statement, and 1 more such" in done.stderr
    assert "tools.py:1:10: by hand TD103: python2: a Python 2 source: xrange()" in done.stderr
    assert "needs --python2to3" in done.stderr
    assert theanodiag("port", str(tmp_path), "--check").returncode == 1
    assert theanodiag("port", str(tmp_path), "--python2to3", "--write").returncode == 0
    assert theanodiag("port", str(tmp_path), "--check").returncode == 0
    assert (tmp_path / "tools.py").read_text(encoding="utf-8") == "for i in range(3): print(i)\n"


def test_what_fissix_leaves_is_told() -> None:
    """A keyword of Python 3 that serves as a name."""
    report = port_text("import theano\nf(async=True)\n", "x.py", PortOptions(python2to3=True))
    assert [c.advice for c in report.changes if c.safety is Safety.BY_HAND] == ["translate it by hand: --python2to3 does not"]


def test_scan_counts_it(tmp_path: Path) -> None:
    """Not among those that need safe changes only."""
    (tmp_path / "model.py").write_text("import theano\nprint 'a'\n", encoding="utf-8")
    out = theanodiag("scan", str(tmp_path)).stdout
    assert "1 by hand" in out
    assert "0 files can be ported" in out


def test_fissix_makes_no_lists_that_nothing_needs() -> None:
    """Where all is taken at once; what is kept or indexed becomes a list."""
    text = (
        "print 1\na, b = zip(*x)\n[a, b] = map(f, x)\nf(*map(g, y))\nx.extend(map(g, y))\nz = max(map(g, y))\nc = k in d.keys()\n"
        "q = zip(a, b)\nr = zip(a, b)[0]\nfor k in d.keys(): pass\nx += map(g, y)\nw = map(None, y)\nu, v = d.values()\nx[0] = zip(a, b)\n"
    )
    after = port_text(text, "x.py", PortOptions(python2to3=True)).after
    assert after == (
        "print(1)\na, b = zip(*x)\n[a, b] = map(f, x)\nf(*map(g, y))\nx.extend(map(g, y))\nz = max(map(g, y))\nc = k in d.keys()\n"
        "q = list(zip(a, b))\nr = list(zip(a, b))[0]\nfor k in list(d.keys()): pass\nx += list(map(g, y))\nw = list(y)\n"
        "u, v = list(d.values())\nx[0] = list(zip(a, b))\n"
    )

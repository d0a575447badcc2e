"""What Python 3.8 to 3.13 added to the grammar: parsed back to the same text, and names in it are known for what they are."""

from __future__ import annotations

import ast
import sys

import pytest

from theanodiag.errors import UnreadableError
from theanodiag.porting import source_port
from theanodiag.porting.model import PortOptions
from theanodiag.porting.syntax import Tree

pytest.importorskip("fissix")

SOURCES = {
    "positional only": ((3, 8), "def f(a, /, b=1, *c, d, **e): pass\nlambda a, /: a\n"),
    "with in parentheses": ((3, 9), "with (a as b, c as (d, e),):\n    pass\nwith (a), b as c: pass\n"),
    "decorators": ((3, 9), "@a[0].b(c)\ndef f(): pass\n"),
    "match": (
        (3, 10),
        "match a, *b:  # c\n    # d\n    case E(f=0, g=h) | None as i if i: pass\n    case [j, *_] | (k.l() as m):\n"
        "        match = re.match(case)\n"
        "    case {'n': -1, **o}: pass\n    case _:\n        match (p):\n            case 'q' 'r', 1 + 2j: pass\n",
    ),
    "no match": ((3, 8), "match(x)\nmatch[x]: int = 3\nmatch: int\ncase = type(match.a)\ntype = case\nif type:\n    case: int = 1\n"),
    "except*": ((3, 11), "try: pass\nexcept* (A, B) as c: pass\n"),
    "stars": ((3, 11), "a[*b, c:d]\ndef f(*args: *T): pass\nfor a in *b, c: pass\nd: e = *f, g\na[b := 1]\n"),
    "type parameters": ((3, 12), "type A[T: int, *U, **V] = dict[T, U]\nclass B[T](C[T]): pass\ndef f[T = int](x: T) -> T: ...\n"),
}


@pytest.mark.parametrize("what", SOURCES)
def test_it_is_parsed(what: str) -> None:
    """To a tree that holds each byte of a text that Python takes too, where it is new enough."""
    since, text = SOURCES[what]
    if sys.version_info >= ((3, 13) if " = int]" in text else since):
        ast.parse(text)
    tree = Tree(text, "new.py")
    assert str(tree.root) == text
    assert tree.python == 3


@pytest.mark.parametrize(
    "text", ["match x\n", "case 1: pass\n", "match x:\n    pass\n", "match x:\n    case : pass\n", "type X\n", "def f[](): pass\n"]
)
def test_what_is_none_is_refused(text: str) -> None:
    """In no Python are these sources."""
    with pytest.raises(UnreadableError, match="syntax error"):
        Tree(text, "none.py")


MOVED = """
import theano
import theano.tensor as T
match theano.config.floatX:
    case T.sqr(x=a) if T.sgn(b): T.sgn(c)
with (theano.a as d, e as f):
    @T.g[0].h
    def i[U: T.j](k: T.sqr, /): return T.sgn(k)
"""


def test_names_in_it_are_found() -> None:
    """As uses, wherever they stand."""
    with source_port.open_session(MOVED, "new.py", PortOptions()) as session:
        found = [use.name for use in session.names.uses]
    tensor = ["sqr", "sgn", "sgn", "g", "sqr", "j", "sgn"]
    assert sorted(found) == sorted(["theano.config.floatX", "theano.a", *(f"theano.tensor.{name}" for name in tensor)])


@pytest.mark.parametrize(
    "text",
    [
        "match x:\n    case [T, *_]: T.sqr(x)\n",
        "match x:\n    case A(y=T): T.sqr(x)\n",
        "match x:\n    case A() as T: T.sqr(x)\n",
        "with (a as b, c as T):\n    T.sqr(x)\n",
        "with a as T:\n    T.sqr(x)\n",
        "def f[T](x: T.sqr): return T.sqr(x)\n",
        "class A[T](B[T.sqr]):\n    def f(self): return T.sqr(x)\n",
        "type T = int\nT.sqr(x)\n",
        "try: pass\nexcept* E as T: T.sqr(x)\n",
    ],
)
def test_names_that_it_binds_are_no_framework_s(text: str) -> None:
    """Although they are called as an import of one is."""
    whole = f"import theano.tensor as T\n{text}".replace("T.sqr", "\\\n    T.sqr")
    with source_port.open_session(whole, "new.py", PortOptions()) as session:
        assert [use.name for use in session.names.uses] == []

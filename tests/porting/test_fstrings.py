"""Expressions in f-strings are moved as all others, whatever Python reads them."""

from __future__ import annotations

import ast
import sys

import pytest

from theanodiag.porting.model import PortOptions
from theanodiag.porting.source_port import port_text
from theanodiag.porting.syntax import Tree

HEAD = "import theano, os\nimport theano.tensor as T\n"


def moved(text: str, head: str = HEAD) -> str:
    """What becomes of the source behind its imports."""
    after = port_text(head + text, "x.py", PortOptions(unsafe=True)).after
    return after.split("\n", head.count("\n"))[-1]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ('f"{T.sqr(x)!r:>{10}}"', 'f"{T.square(x)!r:>{10}}"'),
        ("f'{theano.__version__}'", "f'{pytensor.__version__}'"),
        ('F"{{T.sqr}} {T.sqr(x)}" "T.sqr" f\'{T.sqr}\'', 'F"{{T.sqr}} {T.square(x)}" "T.sqr" f\'{T.square}\''),
        ("f'''{\nT.sqr(x)\n} {T.sqr(y):{T.sqr(w)}.{p}}'''", "f'''{\nT.square(x)\n} {T.square(y):{T.square(w)}.{p}}'''"),
        ('rf"{T.sqr(a):%H:{T.sqr(b)}}\\{T.sqr(c)}"', 'rf"{T.square(a):%H:{T.square(b)}}\\{T.square(c)}"'),
        ('f"{T.sqr(a)=}" % f"{a != T.sqr(b)}{a == T.sqr(b)=!s}"', 'f"{T.square(a)=}" % f"{a != T.square(b)}{a == T.square(b)=!s}"'),
        ('f"\\N{DIGIT ONE}{T.sqr(a) if b else c}"', 'f"\\N{DIGIT ONE}{T.square(a) if b else c}"'),
        ("f'{T.stack(a, b, c)}{[T.sqr(q) for q in x]}'", "f'{T.stack([a, b, c])}{[T.square(q) for q in x]}'"),
        ("f'{(lambda T: T.sqr(1))(T.sqr)}'", "f'{(lambda T: T.sqr(1))(T.square)}'"),
        ("f'{theano.config.device}'", "f'{\"cpu\"}'"),
        ('f\'{"a" + f"{T.sqr(x)}"}\'', 'f\'{"a" + f"{T.square(x)}"}\''),
        ("'''f\"{T.sqr(x)}'''; y = '# f\"'  # f\"{T.sqr", "'''f\"{T.sqr(x)}'''; y = '# f\"'  # f\"{T.sqr"),
        ('f\'{d["f"]}{os.environ["THEANO_FLAGS"]}\'', 'f\'{d["f"]}{os.environ["PYTENSOR_FLAGS"]}\''),
    ],
)
def test_expressions_are_followed(before: str, after: str) -> None:
    """Names, calls, nested specifications; nothing of the text around them."""
    assert moved(f"x = {before}\n") == f"x = {after}\n"
    ast.parse(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("f'{a['b']} {T.sqr(d['k'])}'", "f'{a['b']} {T.square(d['k'])}'"),
        ("f'{f'{f'{T.sqr(x)}'}'}'", "f'{f'{f'{T.square(x)}'}'}'"),
        ("f\"{'\\n'.join(T.sqr(a))}\"", "f\"{'\\n'.join(T.square(a))}\""),
        ("f'{\n T.sqr(1)  # it's {\n}'", "f'{\n T.square(1)  # it's {\n}'"),
        ("t'{T.sqr(a)}'", "t'{T.square(a)}'"),
    ],
)
def test_f_strings_of_newer_pythons(before: str, after: str) -> None:
    """Quotes of their own kind, backslashes, line ends and comments inside, as Python 3.12 reads them, and 3.14's t-strings."""
    assert moved(f"x = {before}\ny = T.sqr(1)\n") == f"x = {after}\ny = T.square(1)\n"
    if sys.version_info >= (3, 12) and not before.startswith("t"):
        ast.parse(after)


def test_scopes_reach_into_them() -> None:
    """A parameter hides the module's name; a name that is used there only is used."""
    assert moved("def f(T):\n    return f'{T.sqr(1)}'\n") == "def f(T):\n    return f'{T.sqr(1)}'\n"
    assert moved("x = f'{relu(x)}'\n", "from theano.tensor.nnet import relu\n") == "x = f'{relu(x, 0)}'\n"


def test_from_pytensor_2_to_3() -> None:
    """By the same road."""
    text = "import pytensor.tensor as pt\nx = f'{pt.nlinalg.trace(x)} {pt.linspace(1, end=T)}'\n"
    after = port_text(text, "x.py", PortOptions()).after
    assert after == "import pytensor.tensor as pt\nx = f'{pt.trace(x)} {pt.linspace(1, stop=T)}'\n"


def test_the_tree_keeps_every_byte() -> None:
    """With f-strings that fissix alone takes for others."""
    text = "x = f'{a['b']}' + f\"{'\\n'}\"  # c\ny = f'''{\n1}'''\n"
    assert str(Tree(text, "x.py").root) == text

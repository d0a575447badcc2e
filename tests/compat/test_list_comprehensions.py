"""List comprehensions of Python 2: their names remain, and in a class they see its names. What they print is what CPython 2.7 prints."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests import interpreters
from tests.compat.python2_programs import printed_by
from theanodiag.compat.running import list_comprehensions, python2

PROGRAMS = {
    "read after it": ("def f(xs):\n    ys = [x * 2 for x in xs]\n    print x\nf([1, 3])", "3\n"),
    "of a loop around it": ("for i in [0, 1]:\n    ys = [i for i in [5, 6]]\n    print i", "6\n6\n"),
    "of the one around it": ("print [([x for x in row], x) for x, row in enumerate([[7, 8], [9]])]", "[([7, 8], 8), ([9], 9)]\n"),
    "one round later": ("print [('x' in locals() and x, [x for x in [y]])[0] for y in [1, 2]][0:1]", "[False]\n"),
    "of the same name within": ("q = [[x for x in x] + [x] for x in [[1, 2], [3]]]\nprint q, x", "[[1, 2, 2], [3, 3]] 3\n"),
    "of two loops": ("z = [y for row in [[1], [2, 0]] for y in row if y]\nprint row, y", "[2, 0] 0\n"),
    "of a function made in it": ("fs = [lambda: i for i in range(3)]\nfor i in range(7): pass\nprint fs[0]()", "6\n"),
    "of a function around it": ("def g(xs):\n    def h(): return x\n    q = [x for x in xs]\n    return h()\nprint g([4, 5])", "5\n"),
    "of a handler": (
        "def h(xs):\n    x = 0\n    try:\n        q = [x for x in xs]\n        1 / 0\n"
        "    except ZeroDivisionError, e:\n        print x\nh([9])",
        "9\n",
    ),
    "after break": ("def l(xs):\n    while True:\n        q = [v for v in xs]\n        break\n    print v\nl([3])", "3\n"),
    "without elements": ("x = 1\nq = [x for x in []]\nprint x", "1\n"),
    "by locals": ("def k():\n    q = [x for x in 'ab']\n    print '%(x)s' % locals()\nk()", "b\n"),
    "deleted": ("q = [t for t in 'ab']\ndel t\ntry: t\nexcept NameError: print 'gone'", "gone\n"),
    "global": ("def g():\n    global t\n    q = [t for t in 'ab']\ng()\nprint t", "b\n"),
    "not those of map": ("n = 0\nfs = map(lambda n: lambda: n, [1, 2])\nprint fs[0](), n", "1 0\n"),
    "not those of filter": ("n = 0\nprint filter(lambda n: n > 1, [1, 2])[0], n", "2 0\n"),
    "not those of generators": ("x = 0\nprint sum(x for x in [1, 2]), x", "3 0\n"),
    "class": (
        "class A:\n    x = [1, 2]; n = 2\n    def f(self): return 5\n    y = [x * n for x in x if callable(f)]\n"
        "    z = [[n + k for k in x] for x in [[1]]]\n"
        "print A.y, A.z",
        "[2, 4] [[3]]\n",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_print_what_python_2_prints(name: str) -> None:
    """Each program, translated."""
    text, printed = PROGRAMS[name]
    assert printed_by(text) == printed


def test_what_they_print_is_what_cpython_prints(tmp_path: Path) -> None:
    """CPython 2.7 itself."""
    for number, (text, printed) in enumerate(PROGRAMS.values()):
        script = tmp_path / f"{number}.py"
        script.write_text(text + "\n")
        done = interpreters.python("theano27", str(script))
        assert (done.stdout, done.stderr) == (printed, "")


@pytest.mark.parametrize(
    "text",
    [
        "q = [x for x in 'ab']\nfor x in 'cd': print(x)\n",
        "q = [x for x in 'ab']\nr = [x for x in 'cd']\n",
        "def f(x):\n    q = [i for i in x]\n    for i in x:\n        r = [i for i in q]\n    x = 0\n",
        "def f(x):\n    if x:\n        return [i for i in x]\n    else:\n        q = [i for i in x]\n        i = 0\n    return i\n",
        "q = [sorted(x, key=lambda y: y + x) for x in 'ab']\n",
        "class A:\n    q = [x for x in 'ab']\n    def f(self, x): return x\n",
    ],
)
def test_names_that_nobody_reads_stay(text: str) -> None:
    """Where the name is bound again before it is read, or not read."""
    assert list_comprehensions.find(ast.parse(text)) == []


@pytest.mark.parametrize("text", ["class A:\n    q = [x for x in 'ab']\n    print(x)\n", "q = [y for y in [x for x in 'ab']]\nprint(x)\n"])
def test_what_is_not_translated_is_said(text: str, capsys: pytest.CaptureFixture[str]) -> None:
    """With the file, the line and the name."""
    python2.translate(text, "program.py", False)
    line = 2 if text.startswith("class") else 1
    assert capsys.readouterr().err.startswith(f"theanodiag: program.py:{line}: Python 2 keeps x of this list comprehension")

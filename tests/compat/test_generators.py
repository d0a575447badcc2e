"""Generators of Python 2, which a StopIteration ends."""

from __future__ import annotations

import pytest

from tests.compat.python2_programs import printed_by

PROGRAMS = {
    "of an iterator in it": (
        "def g(i):\n    'text'\n    while True:\n        yield i.next() + 1\nprint list(g(iter([1, 2]))), g.__doc__",
        "[2, 3] text\n",
    ),
    "raised": ("def g():\n    yield 1\n    raise StopIteration\nprint list(g())", "[1]\n"),
    "in an expression": ("i = iter([1, 2, 3])\nprint list(next(i) for _ in range(9))", "[1, 2, 3]\n"),
    "in a block of a context": (
        "from contextlib import contextmanager\n@contextmanager\ndef g():\n    yield\n"
        "try:\n    with g():\n        raise StopIteration\nexcept StopIteration: print 'through'",
        "through\n",
    ),
    "in no generator": ("def f():\n    raise StopIteration\ntry: f()\nexcept StopIteration: print 'raised'", "raised\n"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_print_what_python_2_prints(name: str) -> None:
    """What CPython 2.7 printed for each."""
    text, printed = PROGRAMS[name]
    assert printed_by(text) == printed

"""Notebooks as `theanodiag run`, `check` and `compare --density` run them."""

from __future__ import annotations

import json
from typing import Any

import pytest

from theanodiag.compat.running import notebook


def text(*sources: str, **metadata: Any) -> str:
    """A notebook of format 4, with a cell of text in front."""
    cells = [{"cell_type": "markdown", "source": "# title"}]
    cells += [{"cell_type": "code", "source": source.splitlines(keepends=True)} for source in sources]
    return json.dumps({"cells": cells, "metadata": metadata, "nbformat": 4})


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = 1\n%matplotlib inline\nif x:\n    !ls\ny = x % 2", "x = 1\n# %matplotlib inline\nif x:\n    pass  # !ls\ny = x % 2"),
        ("%%time\nx = 1", "#time\nx = 1"),
        ("%%timeit x = 5\nx + 1", "x = 5\nx + 1"),
        ("%%timeit -n 10 -r3 x = 5\nx + 1", "x = 5\nx + 1"),
        ("%%timeit -n 10\nx + 1", "#timeit -n 10\nx + 1"),
        ("%%bash\nls\nrm x", "#%%bash\n#ls\n#rm x"),
        ("%time x = 1", "x = 1"),
        (
            "files = !ls\nx['a'] = %timeit -o f()\nif x:\n    y = !ls",
            "# files = !ls\n# x['a'] = %timeit -o f()\nif x:\n    pass  # y = !ls",
        ),
        ("x %= 5\ny = x != 3\nf(a=\n!ls)\ns = '%d'", "x %= 5\ny = x != 3\nf(a=\n!ls)\ns = '%d'"),
        ("pm.sample?", "# pm.sample?"),
        ("x = (17\n% 5)", "x = (17\n% 5)"),
        ("x = 17 \\\n% 5", "x = 17 \\\n% 5"),
        ("s = '''(\n%d items\n?\n''' % 3\n!ls it's (\n!ls", "s = '''(\n%d items\n?\n''' % 3\n# !ls it's (\n# !ls"),
        ("s = '\\'\\\n%s'  # it's (\n%matplotlib", "s = '\\'\\\n%s'  # it's (\n# %matplotlib"),
        ("!get \\\n    one \\\n    --to {x}\nx = 1", "# !get \\\n#     one \\\n#     --to {x}\nx = 1"),
        ("if x:\n    y = !get \\\n  (one\nz = 1", "if x:\n    pass  # y = !get \\\n#   (one\nz = 1"),
        ("%time f(1, \\\n  2)", "f(1, \\\n  2)"),
        ("%run tools.py \\\n  2\nx = 1", "exec(compile(open('tools.py').read(), 'tools.py', 'exec'))\n\nx = 1"),
        ("%run tools.py 2", "exec(compile(open('tools.py').read(), 'tools.py', 'exec'))"),
    ],
)
def test_lines_for_ipython_are_made_python(source: str, expected: str) -> None:
    """No line moves; cells count from 1, those of text too."""
    assert notebook.cells(text(source)) == [(2, expected)]
    assert notebook.cells(text(source, "z = 3"))[1] == (3, "z = 3")


def test_format_3_is_read() -> None:
    """Cells in worksheets, code as `input`."""
    old = json.dumps({"worksheets": [{"cells": [{"cell_type": "code", "input": ["x = 1\n", "y = 2"]}]}], "nbformat": 3})
    assert notebook.cells(old) == [(1, "x = 1\ny = 2")]


def test_what_a_notebook_says_of_its_surroundings() -> None:
    """Environment variables, and the Python that last ran it."""
    held = text("%env THEANO_FLAGS=device=cpu,floatX=float32\n%env  A b c\n%matplotlib inline", language_info={"version": "2.7.12"})
    assert notebook.settings(held) == {"THEANO_FLAGS": "device=cpu,floatX=float32", "A": "b c"}
    assert notebook.settings(text("s = '''\n%env A=1\n'''")) == {}
    assert notebook.is_python2(held)
    assert notebook.is_python2(text(kernelspec={"name": "python2"}))
    assert not notebook.is_python2(text(kernelspec={"name": "python2"}, language_info={"version": "3.6.1"}))


def test_the_language_of_its_cells() -> None:
    """That of the kernel; a kernel whose name has py in it runs Python, and a notebook without metadata is one of Python."""
    assert notebook.other_language(text(kernelspec={"name": "bash", "language": "bash"}, language_info={"name": "bash"})) == "bash"
    assert notebook.other_language(text(kernelspec={"name": "ir", "language": "R"})) == "R"
    for metadata in ({}, {"language_info": {"name": "python"}}, {"kernelspec": {"name": "k", "language": "python3"}}, {"kernelspec": None}):
        assert notebook.other_language(text(**metadata)) is None


def test_what_is_no_notebook() -> None:
    """An error that says so."""
    for wrong in ("{}", "[]", "x = 1", ""):
        with pytest.raises(ValueError, match=r"."):
            notebook.cells(wrong)

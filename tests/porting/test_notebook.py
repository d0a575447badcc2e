"""Code cells of notebooks."""

from __future__ import annotations

import json

import pytest

from theanodiag.errors import UnreadableError
from theanodiag.findings import Location
from theanodiag.porting.model import PortOptions, Safety
from theanodiag.porting.source_port import port_notebook

OUTPUT = {"output_type": "stream", "name": "stdout", "text": ["import theano\n"]}


def notebook(*sources: object) -> dict[str, object]:
    """A notebook with a text cell and these code cells."""
    cells = [{"cell_type": "code", "execution_count": 1, "metadata": {"a": 1.50}, "outputs": [OUTPUT], "source": s} for s in sources]
    return {"cells": [{"cell_type": "markdown", "source": ["import theano"]}, *cells], "metadata": {}, "nbformat": 4, "nbformat_minor": 2}


@pytest.mark.parametrize("indent", [None, 1, 2])
@pytest.mark.parametrize("plain", [True, False])
def test_only_code_changes(indent: int | None, plain: bool) -> None:
    """Names are followed from cell to cell; outputs, texts and lines for IPython stay, and so does each byte of other cells."""
    cells = (
        ["%matplotlib inline\n", "import theano.tensor as T  # é\n", "!ls\n", "T.dot??"],
        "y = T.inv(x)",
        ["print('é')\n", "'theano'"],
        ["%%bash\n", "theano-cache"],
    )
    text = json.dumps(notebook(*cells), indent=indent, ensure_ascii=plain)
    report = port_notebook(text, "a.ipynb", PortOptions())
    after = (["%matplotlib inline\n", "import pytensor.tensor as T  # é\n", "!ls\n", "T.dot??"], "y = T.reciprocal(x)", *cells[2:])
    assert report.after == json.dumps(notebook(*after), indent=indent, ensure_ascii=plain)
    assert port_notebook(report.after, "a.ipynb", PortOptions()).after == report.after


def test_a_notebook_of_format_3() -> None:
    """Its cells are in worksheets, their code is called input."""
    cell = {
        "cell_type": "code",
        "collapsed": False,
        "input": ["import theano.tensor as T\n", "T.inv(1)"],
        "language": "python",
        "outputs": [],
    }
    old = {
        "metadata": {},
        "nbformat": 3,
        "nbformat_minor": 0,
        "worksheets": [{"cells": [cell, {"cell_type": "heading", "source": "T.inv"}]}],
    }
    report = port_notebook(json.dumps(old, indent=1), "a.ipynb", PortOptions())
    assert report.after == json.dumps(old, indent=1).replace("theano.tensor", "pytensor.tensor").replace("T.inv(1)", "T.reciprocal(1)")


@pytest.mark.parametrize("old", [True, False])
def test_a_change_by_hand_is_placed_in_its_cell(old: bool) -> None:
    """Cells are counted as `run` and `check` count them, those of text and in other languages too; in Python 2 as well."""
    cells = (["%%bash\n", "ls"], ["%time import theano\n"], ["\n", "y = theano.sandbox.nothing(1)"], "print 1" if old else "")
    report = port_notebook(json.dumps(notebook(*cells)), "a.ipynb", PortOptions(python2to3=old))
    (span,) = {c.span for c in report.changes if c.safety is Safety.BY_HAND}
    assert (span.source, span.line, span.column, span.line_text) == ("a.ipynb, cell 4", 2, 5, "y = theano.sandbox.nothing(1)")
    (place,) = {Location.of(span).in_file()}
    assert place == Location("a.ipynb", detail="cell 4, line 2")


def test_cells_of_python_2_are_translated() -> None:
    """As one source; lines for IPython stay, and cells of another language."""
    cells = (
        ["%matplotlib inline\n", "import theano.tensor as T\n", "print 'a', 7 / 2"],
        ["for n in xrange(3):\n", "    !ls\n", "    print n, T.inv(n)\n"],
        ["%%bash\n", "print a"],
        ["m = {}\n", "m.has_key(1)"],
    )
    report = port_notebook(json.dumps(notebook(*cells)), "a.ipynb", PortOptions(python2to3=True, unsafe=True))
    after = json.loads(report.after)
    assert ["".join(c["source"]) for c in after["cells"][1:]] == [
        "%matplotlib inline\nimport pytensor.tensor as T\nprint('a', 7 // 2)",
        "for n in range(3):\n    !ls\n    print(n, T.reciprocal(n))\n",
        "%%bash\nprint a",
        "m = {}\n1 in m",
    ]
    assert port_notebook(report.after, "a.ipynb", PortOptions(python2to3=True, unsafe=True)).after == report.after


@pytest.mark.parametrize("text", ["{", "[]", "{}", '{"worksheets": 3}', '{"cells": [', '{"cells": 3}', "import theano"])
def test_what_is_no_notebook_is_named(text: str) -> None:
    """Also one of an older format."""
    with pytest.raises(UnreadableError, match="this is not a notebook"):
        port_notebook(text, "a.ipynb", PortOptions())


def test_a_new_import_stands_behind_the_first_one() -> None:
    """In the cell that has it."""
    text = json.dumps(notebook(["import theano.tensor as T\n", "x = 1"], ["y = T.nnet.relu(x)"]))
    after = json.loads(port_notebook(text, "a.ipynb", PortOptions()).after)
    assert after["cells"][1]["source"][1] == "from theanodiag.legacy.tensor import nnet as legacy_nnet\n"
    assert after["cells"][2]["source"] == ["y = legacy_nnet.relu(x)"]


def test_what_is_python_in_a_notebook_is_ported() -> None:
    """A cell that is only timed, and a line that begins with % but is the rest of a division: it is a comment for nobody."""
    timed, divided = "%%time\nimport theano.tensor as T\ny = T.inv(x)", "z = (T.inv(x)\n% T.inv(y))\ns = '''\n%s T.inv'''"
    for old in (True, False):
        cells = (timed, divided, "print 1") if old else (timed, divided)
        report = port_notebook(json.dumps(notebook(*cells)), "a.ipynb", PortOptions(python2to3=old))
        after = [cell["source"] for cell in json.loads(report.after)["cells"][1:]]
        wanted = [cell.replace("theano", "pytensor").replace("T.inv(", "T.reciprocal(") for cell in (timed, divided)]
        assert after == (wanted + ["print(1)"] if old else wanted)


@pytest.mark.parametrize("old", [True, False])
def test_lines_for_ipython_in_blocks_and_over_several_lines(old: bool) -> None:
    """Each is as it was: one that is alone in its block, and one with the lines that continue it."""
    cells = ["import theano.tensor as T\n", "if T:\n", "    !ls\n", "if T:\n", "    !\n", "!get \\\n", "    one (\\\n", "\n", "T.inv(1)"]
    if old:
        cells += ["\n", "print 1"]
    report = port_notebook(json.dumps(notebook(cells)), "a.ipynb", PortOptions(python2to3=True))
    (code,) = (cell["source"] for cell in json.loads(report.after)["cells"] if cell["cell_type"] == "code")
    assert code[0] == "import pytensor.tensor as T\n"
    assert code[1:8] == cells[1:8]
    assert code[8] == "T.reciprocal(1)" + "\n" * old


def test_a_notebook_in_another_language_is_skipped() -> None:
    """With the reason; it is not read as Python."""
    text = json.dumps({**notebook("function run {\n  ls\n}"), "metadata": {"kernelspec": {"name": "bash", "language": "bash"}}})
    assert port_notebook(text, "a.ipynb", PortOptions()).skipped == "its cells are bash, not Python"

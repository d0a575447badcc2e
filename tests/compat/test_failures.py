"""Whose fault it is that a script ends in an exception, from the exceptions that today's Python and NumPy raise."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.run import theanodiag
from tests.interpreters import find
from theanodiag.compat.errors import NoSuchAttribute
from theanodiag.compat.running import failures

GPU_REASON = "it belongs to the old GPU back-end"
SCRIPTS = [
    ("for i in xrange(3): pass", failures.PYTHON2, "--python2"),
    ("from collections import OrderedDict as O\nO(a=1).items() + O(b=2).items()", failures.PYTHON2, "--python2"),
    ("{}.iteritems()", failures.PYTHON2, "--python2"),
    ("x = [1, 2, 3]\nx[3 / 2]", failures.PYTHON2, "--python2"),
    ("import cPickle", failures.PYTHON2, "--python2"),
    ("import numpy as np\nnp.float(3)", failures.NUMPY, "--fix-numpy"),
    ("import numpy as np\nnp.array([[1], [2, 3]])", failures.NUMPY, "dtype=object"),
    ("import numpy as np\nnp.float_(3)", failures.NUMPY, "--fix-numpy"),
    ("import numpy as np\nnp.zeros(1).itemset(0, 1)", failures.NUMPY, "array[index] = value"),
    ("import numpy as np\nnp.histogram([1], normed=True)", failures.NUMPY, "--fix-numpy"),
    ("import numpy as np\nnp.zeros(3, shapes=1)", failures.NUMPY, "release notes of numpy"),
    ("import numpy.core.umath_tests", failures.NUMPY, "release notes of numpy"),
    ("from collections import Mapping", failures.PYTHON, "--fix-numpy"),
    ("import base64\nbase64.encodestring(b'')", failures.PYTHON, "release notes of CPython"),
    ("import pytest\npytest.collect_all", failures.LIBRARY, "release notes of pytest"),
    ("import string\nstring.letters", failures.PYTHON2, "--python2"),
    ("def g():\n    yield next(iter(''))\nlist(g())", failures.PYTHON, "return there, instead"),
    ("class A: pass\nA().name", failures.SCRIPT, ""),
    ("def f(): pass\nf(a=1)", failures.SCRIPT, ""),
    ("import sklearn_of_nobody", failures.PACKAGE, "pip install sklearn_of_nobody"),
    ("import umap", failures.PACKAGE, "pip install umap-learn"),
    ("import pymc3_of_nobody", failures.PACKAGE, "pip install pymc3_of_nobody"),
    ("raise ModuleNotFoundError(\"No module named 'imp'\", name='imp')", failures.PYTHON, "--fix-numpy"),
    ("raise ModuleNotFoundError('distutils', name='distutils.util')", failures.PYTHON, "pip install setuptools"),
    ("raise ModuleNotFoundError('pipes', name='pipes')", failures.PYTHON, "an older Python"),
    ("import pygpu", failures.GPU, "--mode jax"),
    ("open('data/mnist.pkl.gz')", failures.FILE, "put the data there"),
    ("raise MemoryError", failures.MEMORY, "theanodiag check"),
    ("raise ValueError('mine')", failures.SCRIPT, ""),
]


def error_of(path: Path, text: str) -> BaseException:
    """The exception in which a script ends."""
    path.write_text(text)
    with pytest.raises(Exception) as caught:
        exec(compile(text, str(path), "exec"), {})
    return caught.value


@pytest.mark.parametrize(("text", "whose", "advice"), SCRIPTS, ids=[text.partition("\n")[0] for text, _, _ in SCRIPTS])
def test_whose_fault(tmp_path: Path, text: str, whose: str, advice: str) -> None:
    """And what to do."""
    found = failures.explained(error_of(tmp_path / "script.py", text))
    assert found.whose == whose
    assert advice in found.advice


@pytest.mark.parametrize(
    ("name", "whose", "why"),
    [("script.py", failures.SCRIPT, "script.py, line 2, is not valid Python 3"), ("site-packages/p/a.py", failures.PYTHON, "a.py, line 2")],
)
def test_a_source_that_does_not_parse(tmp_path: Path, name: str, whose: str, why: str) -> None:
    """The script's own, or one of an installed package, which an older Python may parse."""
    with pytest.raises(SyntaxError) as caught:
        compile("def f():\n    async = [\n", str(tmp_path / name), "exec")
    found = failures.explained(caught.value)
    assert found.whose == whose
    assert why in found.why


def test_names_that_nothing_serves() -> None:
    """A name of Theano's is this layer's fault, one of its GPU back-end a GPU's, one that no release has the script's."""
    for why, whose in ((GPU_REASON, failures.GPU), ("no release of Theano has it", failures.SCRIPT), ("it is internal", failures.LAYER)):
        found = failures.explained(NoSuchAttribute("theano.a", "PyTensor 3.0.7", "b", why))
        assert (found.whose, found.advice) == (whose, "b")


def test_a_screen(tmp_path: Path) -> None:
    """Five lines, with the line of the script."""
    path = tmp_path / "script.py"
    assert failures.screen(error_of(path, "x = 1\nxrange(x)")) == (
        "theanodiag: why the script stopped\n"
        "  whose fault  Python 2's\n"
        "  why          xrange exists only in Python 2\n"
        f"  where        {path}:2  xrange(x)\n"
        "  what to do   the same command with --python2: the script's files are translated in memory\n"
    )


def test_a_script_of_pymc3_without_pymc_says_what_to_install(tmp_path: Path) -> None:
    """One line for the traceback, in an interpreter that has PyTensor; an import that the script expects to fail is its own affair."""
    script = tmp_path / "model.py"
    script.write_text("try:\n    import pymc3\nexcept ImportError:\n    print('none')\nimport pymc3.distributions as d\n")
    done = theanodiag("run", "--python", find("pytensor"), str(script))
    said = done.stderr.splitlines()
    assert (done.returncode, done.stdout, len(said)) == (1, "none\n", 2), done.stderr
    assert said[1].startswith(f"theanodiag: {script}:5: pymc3 is not installed, nor PyMC 5 or newer")
    assert "-m pip install pymc," in said[1]

"""Imports, aliases and names of a source, moved to PyTensor."""

from __future__ import annotations

import pytest

from theanodiag.porting.model import PortOptions, Safety, Style
from theanodiag.porting.source_port import port_text


def moved(text: str, options: PortOptions | None = None) -> str:
    """The source as it is to be; moving it once more changes nothing."""
    options = options or PortOptions()
    after = port_text(text, "model.py", options).after
    assert port_text(after, "model.py", options).after == after
    return after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import theano\nf = theano.function([], [])\n", "import pytensor\nf = pytensor.function([], [])\n"),
        ("import theano.tensor as T\ny = T.sqr(T.inv(x))\n", "import pytensor.tensor as T\ny = T.square(T.reciprocal(x))\n"),
        ("from theano import tensor as tt, function\n", "from pytensor import tensor as tt, function\n"),
        ("from theano.tensor import inv, exp\n", "from pytensor.tensor import reciprocal as inv, exp\n"),
        (
            "import theano\nimport theano.tensor\ntheano.tensor.sqr(x)\n",
            "import pytensor\nimport pytensor.tensor\npytensor.tensor.square(x)\n",
        ),
        (
            "from theano.tensor import *\ny = exp(sqr(x))\n",
            "from pytensor.tensor import *\nimport pytensor.tensor as pt\ny = exp(pt.square(x))\n",
        ),
        ("from theano import gof\nclass A(gof.Op): pass\n", "from pytensor import graph as gof\nclass A(gof.Op): pass\n"),
        (
            "def f():\n    import theano.tensor as T\n    return T.inv(x)\n",
            "def f():\n    import pytensor.tensor as T\n    return T.reciprocal(x)\n",
        ),
        ("import theano as th\nth.function([], th.tensor.inv(x))\n", "import pytensor as th\nth.function([], th.tensor.reciprocal(x))\n"),
        (
            "import theano.tensor as T, numpy as np\r\nx = T.inv(1) \r\n",
            "import pytensor.tensor as T, numpy as np\r\nx = T.reciprocal(1) \r\n",
        ),
        (
            "try:\n\timport theano\nexcept ImportError:\n\ttheano = None\n",
            "try:\n\timport pytensor\nexcept ImportError:\n\tpytensor = None\n",
        ),
        (
            "from theano.tensor.nnet import conv2d, sigmoid  # both\n",
            "from theanodiag.legacy.tensor.nnet import conv2d\nfrom pytensor.tensor import sigmoid  # both\n",
        ),
        (
            "from theano.tensor.signal import pool\nh = pool.pool_2d(x, (2, 2))\n",
            "from theanodiag.legacy.tensor.signal import pool\nh = pool.pool_2d(x, (2, 2))\n",
        ),
        (
            "import theano.tensor as T\ny = T.nnet.conv2d(x, w)\n",
            "import pytensor.tensor as T\nfrom theanodiag.legacy.tensor import nnet as legacy_nnet\ny = legacy_nnet.conv2d(x, w)\n",
        ),
        (
            "import theano\ndef f(x):\n    return T.sqr(x)\nT = theano.tensor\n",
            "import pytensor\ndef f(x):\n    return T.square(x)\nT = pytensor.tensor\n",
        ),
        (
            "import theano.tensor as T\nnn = T.nnet\ny = nn.softmax(x)\n",
            "import pytensor.tensor as T\nfrom theanodiag.legacy.tensor import nnet as legacy_nnet\nnn = legacy_nnet\ny = nn.softmax(x)\n",
        ),
    ],
)
def test_names_are_called_as_in_pytensor(before: str, after: str) -> None:
    """Each form of import, and what is used of it."""
    assert moved(before) == after


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("f(T.nnet)", 1),
        ("T.nnet if old else None", 1),
        ("{'a': T.nnet}", 1),
        ("[getattr(T.nnet, name) for name in names]", 1),
        ("print(T.nnet)", 0),
        ("T.nnet is None", 0),
    ],
)
def test_a_module_that_is_handed_on_is_told(value: str, told: int) -> None:
    """`T.nnet` was written as `T.special`, whose softmax is another one, and nothing was told; it stays as it is."""
    report = port_text(f"import theano.tensor as T\nmodule = {value}\n", "model.py", PortOptions())
    assert report.count(Safety.BY_HAND) == told
    assert ("special" in report.after) == (not told)


@pytest.mark.parametrize("second", ["nn = None", "def f():\n    global nn\n    nn = other", "class A:\n    nn = T.nnet"])
def test_names_that_are_bound_to_a_module_and_to_more_are_told(second: str) -> None:
    """What such a name stands for where it is used, the text does not say."""
    first = "" if second.startswith("class") else "nn = T.nnet\n"
    assert port_text(f"import theano.tensor as T\n{first}{second}\n", "model.py", PortOptions()).count(Safety.BY_HAND) == 1


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as np\nT = np.theano\n",
        '"""Written for theano.tensor.sqr."""\n# theano.function\n',
        "import theano.tensor as T  # theanodiag: ignore[TD101] later\n",
        "def f(theano):\n    return theano.tensor\n",
    ],
)
def test_what_is_no_name_of_theano_stays(text: str) -> None:
    """Strings, comments, parameters, and what a comment keeps."""
    assert moved(text) == text


def test_a_name_of_another_scope_is_another_name() -> None:
    """A parameter and a local variable hide the module's import; the module's own uses are written."""
    text = "import theano.tensor as T\nT.inv(1)\ndef f(T): return T.inv(1)\ndef g():\n    T = 3\n    return T.inv(1)\nh = lambda T: T.inv\n"
    assert moved(text) == text.replace("theano", "pytensor", 1).replace("T.inv", "T.reciprocal", 1)


def test_an_import_of_a_global_name_is_the_modules() -> None:
    """A use in another function is found."""
    text = "T = None\ndef f():\n    global T\n    import theano.tensor as T\ndef g():\n    return T.inv(1)\n"
    assert moved(text) == text.replace("theano", "pytensor").replace("T.inv", "T.reciprocal")


def test_the_root_keeps_its_alias_where_its_new_name_is_taken() -> None:
    """A variable called `pytensor` stays what it is."""
    assert (
        moved("import theano\npytensor = 1\ntheano.shared(pytensor)\n")
        == "import pytensor as theano\npytensor = 1\ntheano.shared(pytensor)\n"
    )


def test_what_has_no_counterpart_is_left_and_told() -> None:
    """The line stays as it is, with why and what to write."""
    text = "import theano\ntheano.sandbox.cuda.CudaNdarray(x)\n"
    report = port_text(text, "model.py", PortOptions())
    left = [c for c in report.changes if c.safety is Safety.BY_HAND]
    assert [(c.span.line, c.name) for c in left] == [(2, "theano.sandbox.cuda.CudaNdarray")]
    assert left[0].reason
    assert left[0].advice
    assert report.after == text.replace("import theano", "import pytensor")


@pytest.mark.parametrize("style", Style)
def test_python_2_is_moved_as_python_2(style: Style) -> None:
    """Its print statements and octal numbers stay."""
    text = "import theano\nprint theano.shared(0777), u'x'\nexec 'a'\n"
    assert moved(text, PortOptions(style=style)) == text.replace("theano", "pytensor")


def test_aesara_is_a_target_and_an_origin() -> None:
    """Both names of one function, from Theano to Aesara and from Aesara to PyTensor."""
    theano = "import theano.tensor as T\nT.true_div(T.nnet.relu(x), y)\n"
    aesara = moved(theano, PortOptions("aesara"))
    assert aesara == "import aesara.tensor as T\nT.true_divide(T.nnet.relu(x), y)\n"
    assert "T.true_div(" in moved(aesara)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("import pytensor\nx: pytensor.Variable\n", "import pytensor\nx: pytensor.graph.Variable\n"),
        (
            "from pytensor import clone_replace, function\n",
            "from pytensor.graph import clone_replace\nfrom pytensor import function\n",
        ),
        ("from pytensor.ifelse import ifelse\n", "from pytensor import ifelse\n"),
        ("import pytensor.tensor as pt\ny = pt.slinalg.kron(a, b)\n", "import pytensor.tensor as pt\ny = pt.linalg.kron(a, b)\n"),
        ("import pytensor.tensor as pt\ny = pt.clip(x, pt.inf, 2)\n", "import pytensor.tensor as pt\ny = pt.clip(x, pt.inf, 2)\n"),
    ],
)
def test_names_of_older_releases_of_pytensor(before: str, after: str) -> None:
    """From PyTensor 2 to 3.3; what is still there stays."""
    assert moved(before) == after


@pytest.mark.parametrize(
    ("text", "left"), [("getattr(T, name)", 1), ("getattr(theano.tensor.nnet, 'x', None)", 1), ("getattr(T.exp, name)", 0), ("f(T)", 1)]
)
def test_names_that_are_asked_for_at_run_time_are_left(text: str, left: int) -> None:
    """Of a module; of anything else they are no names of the framework."""
    report = port_text(f"import theano\nimport theano.tensor as T\n{text}\n", "model.py", PortOptions())
    assert report.count(Safety.BY_HAND) == left

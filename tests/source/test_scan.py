"""What a script uses, read from its text: names, places, counterparts, and errors with a place."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests import interpreters
from tests.interpreters import listed
from theanodiag.errors import UnreadableError
from theanodiag.source.scan import Change, counterparts, decode, scan

NAMES_HAVE_PLACES = pytest.mark.skipif(sys.version_info < (3, 10), reason="CPython 3.9 does not say where in an import a name stands")


def found(text: str) -> list[str]:
    """The names that a text uses, as `name@line:column`."""
    return [f"{use.name}@{use.span.line}:{use.span.column}" for use in scan(text, "a.py")]


def change(text: str, target: str = "pytensor", version: str | None = None) -> list[tuple[str, str | None]]:
    """What becomes of the last name in a text."""
    (last,) = counterparts(scan(text)[-1:], target, version)
    return [(last.change.value, last.replacement)]


@pytest.mark.parametrize(
    ("text", "last"),
    [
        ("import theano\ntheano.shared(1)", "theano.shared@2:1"),
        ("import theano.tensor as T\nT.nnet.relu(x)", "theano.tensor.nnet.relu@2:1"),
        ("import theano.tensor\ntheano.tensor.dot(a, b)", "theano.tensor.dot@2:1"),
        ("from theano import tensor as T, shared\nshared(T)", "theano.tensor@2:8"),
        ("from theano.tensor.nnet import conv\nz = conv.conv2d(x, y)", "theano.tensor.nnet.conv.conv2d@2:5"),
        ("from theano.tensor import *\ny = inv(x)", "theano.tensor.inv@2:5"),
        ("import aesara.tensor as at\ndef f(x):\n    return at.dot(x, x)", "aesara.tensor.dot@3:12"),
        ("import pytensor\nif True:\n\tpytensor.function", "pytensor.function@3:2"),
        ("é = 'é'; import theano; é = theano.config.floatX", "theano.config.floatX@1:29"),
        ("import theano\r\ntheano.scan", "theano.scan@2:1"),
    ],
)
def test_last_use(text: str, last: str) -> None:
    """Each way to import leads to the full name and its place."""
    assert found(text)[-1] == last


@pytest.mark.parametrize(
    "text",
    [
        "import numpy as T\nT.dot(x, y)",
        "from .theano import tensor as T\nT.dot(x, y)",
        "theano = 3\ntheano.shared",
        "x.theano.tensor.dot",
        "'import theano'",
    ],
)
def test_nothing_found(text: str) -> None:
    """Other libraries, relative imports, attributes and strings are no uses."""
    assert found(text) == []


@NAMES_HAVE_PLACES
@pytest.mark.parametrize(
    "text",
    [
        "def f(T):\n    return T.dot",
        "def f(x):\n    T = x.T\n    return T.dot",
        "f = lambda T: T.dot",
        "def f(*T):\n    return T.dot",
        "T = 5\nT.dot",
    ],
)
def test_a_name_bound_again_is_not_the_import(text: str) -> None:
    """What a function or the module assigns hides the import."""
    assert found("import theano.tensor as T\n" + text) == ["theano.tensor@1:8"]


@NAMES_HAVE_PLACES
def test_import_inside_a_function() -> None:
    """It holds inside of that function only."""
    text = "def f():\n    import theano.tensor as T\n    return T.dot\nT.dot"
    assert found(text) == ["theano.tensor@2:12", "theano.tensor.dot@3:12"]


def test_span_covers_the_name() -> None:
    """The span is exactly the text of the use."""
    (_, use) = scan("import theano.tensor as T\ny = T . nnet.relu(x)")
    assert use.span.text[use.span.start : use.span.end] == "T . nnet.relu"


def test_uses_come_in_the_order_of_the_text() -> None:
    """Arguments come after the function they are given to."""
    assert found("import theano\ntheano.a(theano.b)\ntheano.c")[1:] == ["theano.a@2:1", "theano.b@2:10", "theano.c@3:1"]


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("T.inv", ("renamed", "pytensor.tensor.reciprocal")),
        ("T.stack", ("adapted", "pytensor.tensor.stack([a, b], axis=0)")),
        ("T.tanh", ("same", None)),
        ("T.matrix", ("same", None)),
        ("theano.config.floatX", ("same", None)),
        ("T.isend", ("removed", "leave it out: code runs on one machine")),
    ],
)
def test_counterpart(name: str, expected: tuple[str, str | None]) -> None:
    """What becomes of a name, and what to write."""
    assert change("import theano\nimport theano.tensor as T\n" + name) == [expected]


def test_counterpart_of_a_gone_module() -> None:
    """The advice of the module serves all its names."""
    ((kind, advice),) = change("from theano.sandbox.cuda.dnn import dnn_conv", "aesara")
    assert kind == "removed"
    assert advice is not None
    assert "mode='JAX'" in advice


def test_counterpart_depends_on_the_version() -> None:
    """topk went with PyTensor 2.21."""
    text = "import theano.tensor as T\nT.topk"
    assert [change(text, version=v)[0][0] for v in ("2.18.6", "3.0.7")] == ["same", "adapted"]


def test_the_targets_own_names_have_no_counterpart() -> None:
    """A script that says `import aesara` is at home on Aesara."""
    uses = scan("import aesara\nimport pytensor\naesara.shared")
    assert [c.use.name for c in counterparts(uses, "aesara")] == []
    assert [c.use.name for c in counterparts(uses, "pytensor")] == ["aesara", "aesara.shared"]


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [
        ("x = 1\nprint x\n", 2, 1),
        ("try:\n    pass\nexcept IOError, e:\n    pass\n", 3, 8),
        ("raise ValueError, 'no'\n", 1, 17),
        ("exec 'x = 1'\n", 1, 1),
        ("a <> b\n", 1, 3),
        ("x = 0777\n", 1, 5),
        ("x = ur'a'\n", 1, 7),
        ("y = `x`\n", 1, 5),
    ],
)
def test_python2_is_told_as_such(text: str, line: int, column: int) -> None:
    """Syntax that only Python 2 knows is an error with its place and the option that helps."""
    with pytest.raises(UnreadableError) as caught:
        scan(text, "old.py")
    assert caught.value.span is not None
    assert caught.value.span.line == line
    # CPython's versions differ by a character, and 3.9 points at the end of what it does not understand.
    assert abs(caught.value.span.column - column) <= (2 if sys.version_info >= (3, 10) else 7)
    assert caught.value.help is not None
    assert "python2.7" in caught.value.help


def test_python2_really_is() -> None:
    """CPython 2.7 takes the lines that are called Python 2."""
    program = "x = 1\nprint x\ntry:\n    raise ValueError, 'no'\nexcept ValueError, e:\n    exec 'x = 0777'\nprint `x`, x <> 1, ur'a'\n"
    assert interpreters.python("theano27", "-c", program).stdout.split() == ["1", "511", "True", "a"]


@pytest.mark.parametrize("text", ["x = (\n", "def f(:\n", "if x:\npass\n", "x = 'a\n", "return = 3", "for\n"])
def test_other_syntax_errors(text: str) -> None:
    """Anything else is an error with a place, and not called Python 2."""
    with pytest.raises(UnreadableError, match=r"^a\.py:\d+:\d+: syntax error: ") as caught:
        scan(text, "a.py")
    assert caught.value.help is not None
    assert "another Python" in caught.value.help


def test_null_bytes() -> None:
    """A binary file is no script."""
    with pytest.raises(UnreadableError, match=r"not Python source|syntax error"):
        scan("a\0b", "a.py")


def test_decode_by_the_declaration() -> None:
    """A source file names its own encoding."""
    assert decode("# -*- coding: latin-1 -*-\nx = 'é'\n".encode("latin-1"), "a.py").endswith("'é'\n")


@pytest.mark.parametrize("data", [b"# coding: nonsense\n", b"x = '\xff\xfe'\n", b"\xef\xbb\xbf# coding: latin-1\n"])
def test_not_decodable(data: bytes) -> None:
    """Bytes that are no text are an error that names the file."""
    with pytest.raises(UnreadableError, match=r"^a\.py: this is not Python source"):
        decode(data, "a.py")


@NAMES_HAVE_PLACES
def test_byte_order_mark() -> None:
    """A mark at the start of the file does not move the places."""
    assert found(decode(b"\xef\xbb\xbfimport theano\n", "a.py")) == ["theano@1:8"]


EXAMPLES = listed(Path(__file__).resolve().parents[2] / "examples", "*.py")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_examples_have_counterparts(path: Path) -> None:
    """All that the examples use can be written for PyTensor."""
    uses = scan(decode(path.read_bytes(), str(path)), str(path))
    assert [c.use for c in counterparts(uses, "pytensor") if c.change is Change.REMOVED] == []
    assert "theano.config.floatX" in {use.name for use in uses}

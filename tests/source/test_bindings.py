"""Which names a syntax tree binds to a framework, scope by scope."""

from __future__ import annotations

import ast

import pytest

from theanodiag.source.bindings import NameCollector


def names(text: str) -> list[str]:
    """All names found, imports left out."""
    walker = NameCollector()
    walker.visit(ast.parse("import theano.tensor as T\nimport theano\n" + text))
    return [found.name for found in walker.found][2:]


@pytest.mark.parametrize(
    "text",
    [
        "class Layer:\n    def __init__(self):\n        self.y = T.tanh(self.x)",
        "y = [T.tanh(v) for v in values]",
        "y = f(lambda v: T.tanh(v))",
        "@T.tanh\ndef f(): pass",
        "def f(x=T.tanh): pass",
        "async def f():\n    return T.tanh",
        "def outer():\n    def inner():\n        return T.tanh",
        "with a as b:\n    b(T.tanh)",
        "x = {T.tanh: 1}",
        "f(*T.tanh)",
        "g(T.tanh)(1)",
    ],
)
def test_uses_wherever_they_stand(text: str) -> None:
    """Classes, comprehensions, decorators, defaults, nested functions."""
    assert names(text) == ["theano.tensor.tanh"]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("theano.config.floatX = 'float32'", ["theano.config.floatX"]),
        ("theano.shared(0).get_value().sum()", ["theano.shared"]),
        ("T.nnet.nnet.softmax(T.dot(x, W))", ["theano.tensor.nnet.nnet.softmax", "theano.tensor.dot"]),
        ("x[T.arange(3)].T.dot", ["theano.tensor.arange"]),
        ("t = T", ["theano.tensor"]),
    ],
)
def test_chains(text: str, found: list[str]) -> None:
    """A chain of attributes is one use, up to the first call or index."""
    assert names(text) == found


def test_hidden_in_one_function_only() -> None:
    """A parameter hides the import inside its function, not beside it."""
    assert names("def f(T):\n    return T.a\ndef g():\n    return T.b") == ["theano.tensor.b"]


def test_hidden_from_here_on() -> None:
    """An assignment of the module hides the import from there on."""
    assert names("T.a\nT = x.T\nT.b") == ["theano.tensor.a"]


def test_star_imports_know_the_table_only() -> None:
    """After `import *` a bare name counts where the table lists it: anything else could be anyone's."""
    assert names("from theano.tensor import *\ninv(x)\ntanh(x)")[1:] == ["theano.tensor.inv"]

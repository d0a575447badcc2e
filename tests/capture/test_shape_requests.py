"""The shapes that the user gives on the command line."""

from __future__ import annotations

import pytest

from theanodiag.capture.model import ShapeRequest
from theanodiag.errors import UsageError


@pytest.mark.parametrize(
    ("text", "function", "variable", "shape"),
    [
        ("train:x=128,784", "train", "x", (128, 784)),
        ("x=128", None, "x", (128,)),
        ("x=", None, "x", ()),
        ("x=(5,)", None, "x", (5,)),
        ("f g:x= 2 , 3", "f g", "x", (2, 3)),
    ],
)
def test_parses_what_the_help_describes(text: str, function: str | None, variable: str, shape: tuple[int, ...]) -> None:
    """Function, variable and dimensions are taken apart."""
    assert ShapeRequest.parse(text) == ShapeRequest(function, variable, shape)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("x", "--shape:1:1", "this is not a shape"),
        ("a:b:c=1", "--shape:1:1", "this is not a shape"),
        ("x=2,a,3", "--shape:1:5", "a dimension is a whole number, not 'a'"),
        ("x=-1", "--shape:1:3", "a dimension is a whole number, not '-1'"),
        ("x=2,,3", "--shape:1:5", "a dimension is a whole number, not ''"),
    ],
)
def test_says_what_is_wrong_and_where(text: str, place: str, message: str) -> None:
    """A malformed request is a usage error with its place and what to write instead."""
    with pytest.raises(UsageError) as caught:
        ShapeRequest.parse(text)
    assert str(caught.value).startswith(f"{place}: {message}\n{text}\n")
    assert "help: write FUNCTION:VARIABLE=N,N,..." in str(caught.value)


def test_prints_as_it_is_written() -> None:
    """The text of a request reads back to the same request."""
    request = ShapeRequest("train", "x", (128, 784))
    assert ShapeRequest.parse(str(request)) == request

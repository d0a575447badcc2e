"""Shapes that the user gives with `--shape` for functions that the script never calls: `train:x=128,784`, or `x=128,784` for every
function.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import prod

from ..errors import Span, UsageError
from ..ir.shape import MAX_LENGTH

_FORM = re.compile(r"(?:(?P<function>[^:=]+):)?(?P<variable>[^:=]+)=(?P<shape>.*)", re.DOTALL)
_DIGITS = len(str(MAX_LENGTH)) - 1
_HELP = "write FUNCTION:VARIABLE=N,N,... or VARIABLE=N,N,... (nothing after = for a scalar), such as train:x=128,784"


@dataclass(frozen=True)
class ShapeRequest:
    """The shape that the user gives one argument."""

    function: str | None
    """Name or number of the function; None: every never-called function that has an argument of this name."""
    variable: str
    """Name of the argument."""
    shape: tuple[int, ...]

    @staticmethod
    def parse(text: str, source: str = "--shape") -> ShapeRequest:
        """Parses `FUNCTION:VARIABLE=N,N,...` or `VARIABLE=N,N,...`; raises UsageError. `source` is named in the error.

        >>> ShapeRequest.parse("train:x=128,784")
        ShapeRequest(function='train', variable='x', shape=(128, 784))
        """
        match = _FORM.fullmatch(text)
        if match is None:
            raise UsageError("this is not a shape", span=Span(source, text, 0, len(text)), help=_HELP)
        start = match.start("shape")
        return ShapeRequest(match["function"], match["variable"], tuple(_dimensions(source, text, start)))

    def __str__(self) -> str:
        where = f"{self.function}:" if self.function else ""
        return f"{where}{self.variable}={','.join(map(str, self.shape))}"


def _dimensions(source: str, text: str, start: int) -> list[int]:
    body = text[start:].strip("()[] ")
    if not body:
        return []
    dims, at = [], text.index(body, start)
    for part in body.rstrip(",").split(","):
        if not part.strip().isdecimal():
            span = Span(source, text, at, at + max(1, len(part)))
            raise UsageError(f"a dimension is a whole number, not {part.strip()!r}", span=span, help=_HELP)
        if len(part.strip()) > _DIGITS:
            raise UsageError("no dimension is so long", span=Span(source, text, at, at + len(part)), help=_HELP)
        dims.append(int(part))
        at += len(part) + 1
    if prod(dims) > MAX_LENGTH:
        raise UsageError("no array can have so many elements", span=Span(source, text, start, len(text)), help=_HELP)
    return dims

"""Parses the text of a Composite, `Composite{(((i0 - i1) - i2) + i3)}`, into expressions, and evaluates them on numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Union

from .dtypes import Dtypes
from .scalars import FUNCTIONS, MONOTONE, Number, canonical, cast, scalar_dtype

MAX_DEPTH = 60
"""Deepest nesting of expressions that is parsed."""
_TOKEN = re.compile(r"\s*(?:(\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|\.\d+)|([A-Za-z_][\w.]*)|(//|\*\*|<=|>=|==|!=|[-+*/%(){},<>&|]))")
_BINARY = {
    "|": (1, "OR"), "&": (2, "AND"), "<": (3, "LT"), ">": (3, "GT"), "<=": (3, "LE"), ">=": (3, "GE"), "==": (3, "EQ"), "!=": (3, "NEQ"),
    "+": (4, "Add"), "-": (4, "Sub"), "*": (5, "Mul"), "/": (5, "TrueDiv"), "//": (5, "IntDiv"), "%": (5, "Mod"), "**": (7, "Pow"),
}  # fmt: skip
_ARGUMENT = re.compile(r"i(\d{1,4})$")


class NotFollowed(Exception):
    """Raised if the text of a Composite contains anything other than arithmetic."""


@dataclass(frozen=True)
class ScalarCall:
    """A scalar Op, or an inner Composite, applied to expressions."""

    function: Union[str, tuple[Expression, ...]]
    """Canonical name of the scalar Op, or the outputs of the inner Composite."""
    arguments: tuple[Expression, ...]
    dtype: str | None = None
    """The dtype to which the result is cast, where one is printed."""


@dataclass(frozen=True)
class InputRef:
    """A reference to input number `position` of the Composite."""

    position: int


Expression = Union[ScalarCall, InputRef, int, float]
"""A call, an input, or a number."""


@lru_cache(maxsize=4096)
def program(text: str, any_op: bool = False) -> tuple[Expression, ...] | None:
    """Parses `Composite{...}` to the expressions of its outputs; None if the text contains anything that cannot be parsed.

    With `any_op`, scalar Ops that cannot be evaluated are kept too, under the names that are printed.
    """
    start = text.find("Composite{")
    if start < 0 or len(text) > 20_000:
        return None
    try:
        parser = _ExpressionParser(text[start:], any_op)
        parser.take()
        return parser.body(0)
    except NotFollowed:
        return None


class _ExpressionParser:
    """A parser for the text of a Composite, by precedence climbing."""

    def __init__(self, text: str, any_op: bool) -> None:
        self._any_op = any_op
        self._tokens: list[str] = []
        at = 0
        while match := _TOKEN.match(text, at):
            self._tokens.append(match[1] or match[2] or match[3])
            at = match.end()
        self._at = 0

    def peek(self) -> str:
        """Returns the next token; empty at the end."""
        return self._tokens[self._at] if self._at < len(self._tokens) else ""

    def take(self, wanted: str = "") -> str:
        """Consumes and returns the next token; raises NotFollowed if `wanted` is given and the token is another."""
        token = self.peek()
        if not token or (wanted and token != wanted):
            raise NotFollowed(token)
        self._at += 1
        return token

    def body(self, depth: int) -> tuple[Expression, ...]:
        """Parses expressions in braces, `{a, b}`."""
        self.take("{")
        return self._listed("}", depth)

    def _listed(self, closing: str, depth: int) -> tuple[Expression, ...]:
        rows = [self.expression(0, depth + 1)]
        while self.peek() == ",":
            self.take()
            rows.append(self.expression(0, depth + 1))
        self.take(closing)
        return tuple(rows)

    def expression(self, power: int, depth: int) -> Expression:
        """Parses an expression whose operators bind more tightly than `power`."""
        if depth > MAX_DEPTH:
            raise NotFollowed("depth")
        left = self._operand(depth)
        while (operator := _BINARY.get(self.peek())) and operator[0] > power:
            self.take()
            left = ScalarCall(operator[1], (left, self.expression(operator[0], depth + 1)))
        return left

    def _operand(self, depth: int) -> Expression:
        token = self.take()
        if token == "(":
            inside = self.expression(0, depth + 1)
            self.take(")")
            return inside
        if token == "-":
            inside = self.expression(6, depth + 1)
            return -inside if isinstance(inside, (int, float)) else ScalarCall("Neg", (inside,))
        if token[0].isdigit() or token[0] == ".":
            return int(token) if token.isdigit() else float(token)
        return self._named(token, depth)

    def _named(self, name: str, depth: int) -> Expression:
        argument = _ARGUMENT.match(name)
        if argument and self.peek() != "(":
            return InputRef(int(argument[1]))
        if name in ("True", "False"):
            return int(name == "True")
        return self._call(name, depth)

    def _call(self, name: str, depth: int) -> Expression:
        dtype = None
        inside: tuple[Expression, ...] | None = None
        if name == "Composite":
            inside = self.body(depth)
        elif self.peek() == "{":
            self.take()
            dtype = self.take()
            self.take("}")
        self.take("(")
        arguments = self._listed(")", depth)
        known = inside or canonical(name) or (name if self._any_op else None)
        if known is None:
            raise NotFollowed(name)
        return ScalarCall(known, arguments, dtype)


@lru_cache(maxsize=1 << 14, typed=True)
def results(text: str, *values: Number) -> tuple[Number, ...]:
    """Returns the values of the outputs of `Composite{...}` for these inputs; raises like `evaluate`.

    Cached, because a search asks for the same loop of the same length again and again, and a printed expression repeats its parts.
    """
    return tuple(evaluate(e, values) for e in program(text) or ())


def evaluate(expression: Expression, values: Sequence[Number]) -> Number:
    """Returns the value of an expression for these inputs; raises ArithmeticError, LookupError or TypeError if it has none."""
    if isinstance(expression, InputRef):
        return values[expression.position]
    if not isinstance(expression, ScalarCall):
        return expression
    arguments = [evaluate(a, values) for a in expression.arguments]
    if isinstance(expression.function, tuple):
        return evaluate(expression.function[0], arguments)
    return cast(FUNCTIONS[expression.function](*arguments), expression.dtype)


def multiplies(expression: Expression) -> bool:
    """Returns whether the expression contains a product."""
    if not isinstance(expression, ScalarCall):
        return False
    own = any(map(multiplies, expression.function)) if isinstance(expression.function, tuple) else expression.function == "Mul"
    return own or any(map(multiplies, expression.arguments))


def has_negative(expression: Expression) -> bool:
    """Returns whether the expression contains a negative number."""
    if not isinstance(expression, ScalarCall):
        return not isinstance(expression, InputRef) and expression < 0
    inside = expression.function if isinstance(expression.function, tuple) else ()
    return any(map(has_negative, (*inside, *expression.arguments)))


def is_monotone(expression: Expression) -> bool:
    """Returns whether upper bounds of the inputs (all >= 0) give an upper bound of the expression's value, provided that no factor is
    negative.
    """
    if not isinstance(expression, ScalarCall):
        return True
    own = all(map(is_monotone, expression.function)) if isinstance(expression.function, tuple) else expression.function in MONOTONE
    return own and all(map(is_monotone, expression.arguments))


def expression_dtype(expression: Expression, dtypes: Dtypes, floatX: str) -> str | None:
    """Returns the dtype of an expression over inputs of these dtypes; None for a literal, which has no dtype of its own."""
    if isinstance(expression, InputRef):
        return dtypes[expression.position] if expression.position < len(dtypes) else None
    if not isinstance(expression, ScalarCall):
        return None
    inside = [expression_dtype(a, dtypes, floatX) for a in expression.arguments]
    if isinstance(expression.function, tuple):
        return expression_dtype(expression.function[0], inside, floatX)
    return scalar_dtype(expression.function, inside, floatX, expression.dtype)

"""Assumes types that a text does not print, from dtypes given by the user; rereads the text until nothing new can be inferred."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from ...errors import UsageError
from ...ir import FunctionGraph
from ...ir.dtype import is_dtype
from ...ir.shape import Value
from ...ir.traverse import graphs
from ...printed import DebugPrint
from ...printed.reader import read_again
from ...shapes.assumed import Types, assumed
from ...shapes.untyped import with_unprinted
from .shaping import called, tabled

ROUNDS = 6
"""Maximum number of rereadings: types of a Scan's outputs follow one round after its inputs, and Scans can be nested."""
FLOATS = ("float16", "float32", "float64")
"""Values of floatX."""


@dataclass(frozen=True)
class Dtypes:
    """Dtypes that the user gives for a text without types; raises UsageError for an unknown dtype."""

    floatX: str
    """The flag floatX of the function: the dtype of all inputs that are not used as integers."""
    named: Mapping[str, str] = field(default_factory=dict)
    """Dtypes of inputs that differ, by name."""

    def __post_init__(self) -> None:
        if self.floatX not in FLOATS:
            raise UsageError(f"floatX cannot be {self.floatX!r}", help=f"it is one of {', '.join(FLOATS)}")
        for name, dtype in self.named.items():
            if not is_dtype(dtype):
                raise UsageError(f"{name} cannot have the dtype {dtype!r}: there is none", help="write one such as int64 or float64")

    @property
    def options(self) -> str:
        """The equivalent command-line options."""
        return " ".join([f"--floatX {self.floatX}", *(f"--dtype {shlex.quote(f'{n}={d}')}" for n, d in self.named.items())])


def printed_floats(graph: FunctionGraph) -> tuple[str, ...]:
    """The float dtypes that parameters of Ops name, such as `AllocEmpty{dtype='float64'}`; floatX is likely one of them."""
    dtypes = {node.op.params.get("dtype") for inside, _ in graphs(graph) for node in inside.applies}
    return tuple(name for name in FLOATS if name in dtypes)


def dtypes_of(floatX: str | None, named: Mapping[str, str] | None = None) -> Dtypes | None:
    """The Dtypes; None where nothing is given. Raises UsageError for `named` without floatX."""
    if floatX is None and named:
        raise UsageError("dtypes of inputs require floatX, the dtype of all other inputs", help="give floatX (--floatX float32)")
    return None if floatX is None else Dtypes(floatX, dict(named or {}))


def with_types(
    text: DebugPrint, dtypes: Dtypes, shapes: Mapping[str, Sequence[int]], values: Mapping[str, Value] | None
) -> tuple[DebugPrint, int]:
    """The text with assumed types, and how many Variables of its main graph have one.

    Raises UsageError for a name that no input has, and for a dtype that contradicts the printed one.
    """
    for name, dtype in dtypes.named.items():
        printed = {v.type.dtype for v in called(text.graph, name) if v.id not in text.main.untyped}
        if printed and dtype not in printed and len(printed) == len(called(text.graph, name)):
            raise UsageError(f"{name} is no {dtype}: its type is printed, with {' and '.join(map(str, printed))}", help="leave out --dtype")
    if not text.main.untyped:
        return text, 0
    types: Types = {}
    typed = read_again(text, types)
    for _ in range(ROUNDS):
        graph = with_unprinted(typed.graph)
        table, _ = tabled(graph, shapes, typed.main.shapes, typed.main.static, values, text.dialect == "aesara")
        more = assumed(graph, table, dtypes.floatX, dtypes.named, lengths=text.dialect == "pytensor")
        new = {k: {**types.get(k, {}), **rows} for k, rows in more.items() if rows.keys() - types.get(k, {}).keys()}
        if not new:
            break
        types.update(new)
        typed = read_again(text, types)
    return typed, len(types.get(0, {}))

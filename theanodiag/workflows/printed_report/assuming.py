"""Types that a text does not print, assumed from what the user says of dtypes: the text is read again with them, until nothing follows."""

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
from ...shapes.unprinted import with_unprinted
from .shaping import called, tabled

ROUNDS = 6
"""At most so often a text is read again: what a Scan makes is known a round after what it is given, and Scans stand in each other."""
FLOATS = ("float16", "float32", "float64")


@dataclass(frozen=True)
class Dtypes:
    """What the user says of dtypes where a text prints no types. Raises UsageError for what is no dtype."""

    floatX: str
    """The flag floatX of the function: the dtype of all inputs that are not used as whole numbers."""
    named: Mapping[str, str] = field(default_factory=dict)
    """Dtypes of inputs that have another, by name."""

    def __post_init__(self) -> None:
        if self.floatX not in FLOATS:
            raise UsageError(f"floatX cannot be {self.floatX!r}", help=f"it is one of {', '.join(FLOATS)}")
        for name, dtype in self.named.items():
            if not is_dtype(dtype):
                raise UsageError(f"{name} cannot have the dtype {dtype!r}: there is none", help="write one such as int64 or float64")

    @property
    def options(self) -> str:
        """As the command line takes it."""
        return " ".join([f"--floatX {self.floatX}", *(f"--dtype {shlex.quote(f'{n}={d}')}" for n, d in self.named.items())])


def printed_floats(graph: FunctionGraph) -> tuple[str, ...]:
    """The floats that parameters of Ops name, such as `AllocEmpty{dtype='float64'}`: floatX is likely to be one of them."""
    said = {node.op.params.get("dtype") for inside, _ in graphs(graph) for node in inside.applies}
    return tuple(name for name in FLOATS if name in said)


def dtypes_of(floatX: str | None, named: Mapping[str, str] | None = None) -> Dtypes | None:
    """What is said; None for nothing. Raises UsageError for dtypes of inputs without floatX, of which all else follows."""
    if floatX is None and named:
        raise UsageError("dtypes of inputs say nothing without floatX, which all other inputs have", help="give floatX (--floatX float32)")
    return None if floatX is None else Dtypes(floatX, dict(named or {}))


def with_types(
    text: DebugPrint, dtypes: Dtypes, shapes: Mapping[str, Sequence[int]], values: Mapping[str, Value] | None
) -> tuple[DebugPrint, int]:
    """The text with types that are assumed, and how many Variables of its main graph have one.

    Raises UsageError for a name that no input has, and for a dtype that is not the printed one.
    """
    for name, dtype in dtypes.named.items():
        printed = {v.type.dtype for v in called(text.graph, name) if v.id not in text.main.untyped}
        if printed and dtype not in printed and len(printed) == len(called(text.graph, name)):
            raise UsageError(f"{name} is no {dtype}: its type is printed, with {' and '.join(map(str, printed))}", help="leave out --dtype")
    if not text.main.untyped:
        return text, 0
    types: Types = {}
    found = read_again(text, types)
    for _ in range(ROUNDS):
        graph = with_unprinted(found.graph)
        table, _ = tabled(graph, shapes, found.main.shapes, found.main.static, values, text.dialect == "aesara")
        more = assumed(graph, table, dtypes.floatX, dtypes.named, lengths=text.dialect == "pytensor")
        new = {k: {**types.get(k, {}), **rows} for k, rows in more.items() if rows.keys() - types.get(k, {}).keys()}
        if not new:
            break
        types.update(new)
        found = read_again(text, types)
    return found, len(types.get(0, {}))

"""What `theanodiag compare` says: for people, and as JSON (`theanodiag/compare/v1`)."""

from __future__ import annotations

from ..comparison.model import Comparison, Difference, FunctionPair, Side
from ..escaping import visible

SCHEMA = "theanodiag/compare/v1"


def text(c: Comparison) -> str:
    """The verdict, the first difference, and a line for each function."""
    lines = [f"{side.path}  {side.framework}" for side in (c.old, c.new)]
    lines += [f"{side.path} ended early: {side.ended}" for side in (c.old, c.new) if side.ended]
    lines += ["", _verdict(c), ""]
    if c.old.functions != c.new.functions:
        lines.append(f"the old run compiled {c.old.functions} functions, the new one {c.new.functions}; pairs are by order")
    lines += [_line(f) for f in c.functions]
    return "".join(visible(line) + "\n" for line in lines)


def _verdict(c: Comparison) -> str:
    found = c.first
    if found is None:
        return "equal" if c.equal else "not equal: the runs did not call the same functions as often, or nothing was compared"
    pair, first = found
    where = f", element {list(first.at)}" if first.at else ""
    return f"not equal: {pair.names[0]}, call {first.call + 1}, {first.value}{where}: {first.why}"


def _line(f: FunctionPair) -> str:
    name = f.names[0] if f.names[0] == f.names[1] else f"{f.names[0]} / {f.names[1]}"
    verdict = f"differs in call {f.first.call + 1}: {f.first.value}" if f.first else f"within {f.absolute:.2g}, relative {f.relative:.2g}"
    seconds = f"{f.seconds[0]:.3g} / {f.seconds[1]:.3g} s"
    return f"{name}: {f.calls[0]} / {f.calls[1]} calls, {f.values} values, {f.nodes[0]} / {f.nodes[1]} nodes, {seconds}: {verdict}"


def document(c: Comparison) -> dict[str, object]:
    """The comparison as plain data; of each pair of figures the old run's comes first."""
    return {
        "schema": SCHEMA,
        "equal": c.equal,
        "old": _side(c.old),
        "new": _side(c.new),
        "functions": [_function(f) for f in c.functions],
    }


def _side(side: Side) -> dict[str, object]:
    return {
        "path": side.path,
        "interpreter": side.interpreter,
        "framework": side.framework,
        "functions": side.functions,
        "ended": side.ended or None,
    }


def _function(f: FunctionPair) -> dict[str, object]:
    return {
        "index": f.index,
        "names": list(f.names),
        "nodes": list(f.nodes),
        "calls": list(f.calls),
        "seconds": list(f.seconds),
        "values": f.values,
        "largest_absolute": f.absolute,
        "largest_relative": f.relative,
        "first_difference": None if f.first is None else _difference(f.first),
    }


def _difference(d: Difference) -> dict[str, object]:
    return {
        "call": d.call,
        "value": d.value,
        "why": d.why,
        "absolute": d.absolute,
        "relative": d.relative,
        "at": None if d.at is None else list(d.at),
    }

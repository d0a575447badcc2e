"""What `theanodiag compare` says: for people."""

from __future__ import annotations

from ..comparison.model import KINDS, Comparison, FunctionPair, NodeShown
from ..escaping import visible
from ..units import format_bytes


def text(c: Comparison) -> str:
    """The verdict, the first difference, and a line for each function."""
    lines = [f"{side.path}  {side.framework}" for side in (c.old, c.new)]
    lines += [f"{side.path} ended early: {side.ended}" for side in (c.old, c.new) if side.ended]
    lines += ["", _verdict(c), *_node(c), ""]
    if c.old.functions != c.new.functions:
        lines.append(f"the old run compiled {c.old.functions} functions, the new one {c.new.functions}; pairs are by order")
    lines += [_line(f) for f in c.functions]
    lines += [line for f in c.functions for line in _other_draws(f, c)]
    if c.same_draws is not None:
        lines.append(f"{c.same_draws[0]} draws of the new run were those of the old one, {c.same_draws[1]} its own")
    return "".join(visible(line) + "\n" for line in lines)


def _verdict(c: Comparison) -> str:
    found = c.first
    if found is None:
        unread = "" if not any(f.unread for f in c.functions) else " but for elements that were not compared"
        return f"equal{unread}" if c.equal else "not equal: the runs did not call the same functions as often, or nothing was compared"
    pair, first = found
    where = f", element {list(first.at)}" if first.at else ""
    return f"not equal: {pair.names[0]}, call {first.call + 1}, {first.value}{where}: {first.why}"


def _other_draws(f: FunctionPair, c: Comparison) -> list[str]:
    """A line where a function draws other numbers by design."""
    if f.draws[0] == f.draws[1] or c.same_draws is not None:
        return []
    kinds = " / ".join(", ".join(KINDS[kind] for kind in side) or "none" for side in f.draws)
    return [f"{f.names[0]} draws from other generators, other numbers by design: {kinds}; --same-draws gives both the same"]


def _node(c: Comparison) -> list[str]:
    """The first node that differs, on both sides."""
    if c.node_unknown:
        return [f"the node from which on it differs was not found: {c.node_unknown}"]
    n = c.node
    if n is None:
        return []
    size = (
        ""
        if n.absolute is None
        else f", off by {n.absolute:.3g}" + (f", {n.relative:.3g} of the largest value" if n.relative is not None else "")
    )
    loops = "".join(f", in step {step + 1} of the loop" for step in n.steps)
    lines = [f"first node that differs, in call {n.call + 1} of {c.functions[n.function].names[0]}, behind {n.value}{loops}{size}:"]
    return lines + [line for name, side in (("old", n.old), ("new", n.new)) for line in _node_lines(name, side)]


def _node_lines(name: str, node: NodeShown | None) -> list[str]:
    if node is None:
        return [f"  {name}: no such node"]
    value = "" if node.dtype is None else f"  {node.dtype} {list(node.shape or ())}"
    lines = [f"  {name}: {node.text}{value}"]
    if node.site is not None:
        lines.append(f"       {node.site}" + (f": {node.site.code}" if node.site.code else ""))
    return lines


def _line(f: FunctionPair) -> str:
    name = f.names[0] if f.names[0] == f.names[1] else f"{f.names[0]} / {f.names[1]}"
    verdict = f"differs in call {f.first.call + 1}: {f.first.value}" if f.first else f"within {f.absolute:.2g}, relative {f.relative:.2g}"
    if f.rounding and not f.first:
        verdict += f"; rounding alone: {', '.join(f.rounding)}"
    if f.unread:
        verdict += f"; by dtype and shape alone: {', '.join(f.unread)}"
    seconds = f"{f.seconds[0]:.3g} / {f.seconds[1]:.3g} s"
    peaks = " / ".join("?" if peak is None else format_bytes(peak) for peak in f.peaks)
    counts = f"{f.calls[0]} / {f.calls[1]} calls, {f.values} values, {f.nodes[0]} / {f.nodes[1]} nodes"
    return f"{name}: {counts}, {seconds}, peak {peaks}: {verdict}"

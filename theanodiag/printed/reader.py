"""Reads the printed graphs of a text: `read_debugprint`."""

from __future__ import annotations

from dataclasses import replace

from ..collector import no_collections
from ..errors import Span, UnreadableError
from .failed import Facts, find, read_facts, shapes_of, typed
from .flattened import laid_out
from .lexer import read_lines
from .model import DebugPrint, Print, Types
from .print_section import Assembler
from .scope import Style
from .tree import TreeBuilder

_HELP = "paste what debugprint printed: lines such as `Elemwise{add,no_inplace} [id A] ''` and, below it, ` |x [id B]`"


def read_debugprint(text: str, source: str = "<text>") -> DebugPrint:
    """All printed graphs in a text, whatever else is in it.

    Args:
        text: What `debugprint` printed. A damaged line loses only its own sub-tree, which the field `damage` then lists.
        source: What the text is called in messages.

    Returns:
        The graphs; the field `graph` is the first one.

    Raises:
        UnreadableError: There is no graph in it.

    >>> read_debugprint("add [id A]\\n ├─ x [id B]\\n └─ x [id B]").graph.applies[0].inputs
    (0, 0)
    """
    with no_collections():
        return _read(laid_out(text, source), source)


def _read(text: str, source: str) -> DebugPrint:
    builder = TreeBuilder(source, text)
    builder.read(read_lines(text))
    style = _style(builder, text)
    facts = read_facts(text)
    prints = tuple(_with_facts(Assembler(s, style).build(), facts) for s in builder.printed())
    if not prints:
        first = text.find("\n")
        span = Span(source, text, 0, len(text) if first < 0 else first)
        raise UnreadableError("no printed graph in this text", span=span, help=_HELP)
    return DebugPrint(prints, _dialect(text, style), tuple(builder.damage), facts.by_name, facts.shared, text)


def _style(builder: TreeBuilder, text: str) -> Style:
    return Style(builder.quotes, "├─" in text or "└─" in text, builder.maps, builder.grouped)


def read_again(found: DebugPrint, types: Types) -> DebugPrint:
    """The same text read with assumed types for untyped Variables of its main graph, which may change how Ops are interpreted."""
    with no_collections():
        builder = TreeBuilder("", found.text)
        builder.read(read_lines(found.text))
        sections = builder.printed()
        at = next(k for k, p in enumerate(found.prints) if p is found.main)
        style = replace(_style(builder, found.text), arrays=True)
        made = _with_facts(Assembler(sections[at], style, types).build(), read_facts(found.text))
    return replace(found, prints=(*found.prints[:at], made, *found.prints[at + 1 :]))


def _with_facts(found: Print, facts: Facts) -> Print:
    """`found` with the types and shapes that stand elsewhere in the text."""
    node = find(found.graph, facts.failed) if facts.failed is not None else None
    if node is not None and facts.failed is not None and found.untyped:
        graph, untyped = typed(found.graph, found.untyped, node, facts.failed)
        variants = tuple(typed(v, found.untyped, v.applies[node.id], facts.failed)[0] for v in found.variants)
        found = replace(found, graph=graph, untyped=untyped, variants=variants)
    shapes = shapes_of(found.graph, facts)
    return replace(found, shapes=shapes) if shapes else found


def _dialect(text: str, style: Style) -> str:
    """The framework whose print format the text has; a guess where it could be two."""
    if "├─" in text or "└─" in text or "ytensor" in text[:100_000].lower():
        return "pytensor"
    if "ScalarConstant{" in text or "aesara" in text[:100_000].lower() or (not style.quotes and "[@" not in text):
        return "aesara"
    return "theano"

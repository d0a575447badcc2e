"""Builds trees of nodes from logical lines, for every generation: nesting from columns, repeated nodes from ids."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable

from .constants import read_constant
from .model import Damage, Label, Line, LineRole
from .nodes import InnerText, OpenNode, PrintedNode, Ref, Section, parse_label, split_output
from .op_names import looks_like_op

_NEAR = 64
"""Number of recent nodes that are searched, in texts in which each output of a node has its own id."""


class Unclear(Exception):
    """Raised if a line could refer to several nodes, or contradicts another line."""


def resolve(section: Section, entry: OpenNode) -> Ref:
    """Returns the output of a node that the printed line `entry` refers to; the node is updated with the fields of that line. Raises
    `Unclear`.
    """
    label, children = entry.label, entry.children
    node = _by_id(section, entry) if label.id else _by_text(section, entry)
    if not node.is_apply and (children or says_apply(entry)):
        node.become_apply()
    output = None
    if node.is_apply and label.text is not node.base:  # the interned text itself has no output number
        base, number = split_output(label.text)
        output = number if base == node.base else None
    node.note(label, output)
    if children and node.children is None:
        node.children = children
        if not node.id or node.n_outputs > 1:
            _remember(section, node)
    # tuple.__new__ takes half the time of Ref(...)
    return tuple.__new__(Ref, (node, output or 0))


def says_apply(entry: OpenNode) -> bool:
    """Returns whether the line itself shows that its node is an Apply, not a leaf."""
    label = entry.label
    return bool(entry.children or entry.dots or label.name is not None or label.order or label.destroy or label.view or entry.inner)


def agrees(node: PrintedNode, label: Label) -> bool:
    """Returns whether the label of a line shows the same Op or leaf as `node`, whose id it has."""
    if node.head == label.text or node.base == label.text:
        return True
    base = split_output(label.text)[0]
    return base == node.base or base == split_output(node.head)[0] or _squeezed(base) == _squeezed(node.base)


def _squeezed(text: str) -> str:
    """`text` without spaces, which wrapping adds and removes."""
    return "".join(text.split())


def _by_id(section: Section, entry: OpenNode) -> PrintedNode:
    label = entry.label
    node = section.by_id.get(label.id)
    if node is None:
        other = _other_output(section, entry) if label.id.isdigit() else None
        node = section.by_id[label.id] = other or PrintedNode(label, entry.line.number)
        if other is None:
            return node
    if not agrees(node, label):
        raise Unclear(f"id {label.id} already stands for {node.head[:60]!r} of line {node.line}")
    return node


def _other_output(section: Section, entry: OpenNode) -> PrintedNode | None:
    """The Apply of another output, found by text and order: up to Theano 0.5 each output had an id of its own (its Python id)."""
    label = entry.label
    if len(label.id) < 6 or entry.children:
        return None
    base, output = split_output(label.text)
    if output is None:
        return None
    near = list(section.by_text.get(base, ()))[-_NEAR:]
    nodes = [n for n in near if output not in n.seen and (not label.order or n.order == int(label.order))]
    return nodes[0] if len(nodes) == 1 else None


def _remember(section: Section, node: PrintedNode) -> None:
    """Registers a node whose inputs are known, so that later lines without ids can refer to it."""
    section.by_text.setdefault(node.base, deque(maxlen=None if not node.id else _NEAR)).append(node)
    for kind in {"", *(s.type for s in node.seen.values())}:
        section.local.setdefault((node.base, kind), []).append(node)
    if not node.id and node.order is not None:
        section.by_order[node.base, node.order] = node


def _by_text(section: Section, entry: OpenNode) -> PrintedNode:
    label = entry.label
    base = split_output(label.text)[0]
    if label.order and len(label.order) < 12:
        known = section.by_order.get((base, int(label.order)))
        return known if known is not None else PrintedNode(label, entry.line.number)
    if entry.children:
        return PrintedNode(label, entry.line.number)
    candidates = _candidates(section, entry, base)
    if len(candidates) > 1:
        raise Unclear(f"{len(candidates)} nodes are called {base[:60]!r}, and without ids it is unknown which one is meant")
    if candidates:
        return candidates[0]
    if says_apply(entry):
        return PrintedNode(label, entry.line.number)
    return section.leaves.setdefault((label.text, label.type), PrintedNode(label, entry.line.number))


def _candidates(section: Section, entry: OpenNode, base: str) -> list[PrintedNode]:
    """Nodes with this text and type to which a line may refer; for the head of an inner graph, the first of them that has no inner graph
    yet.
    """
    if not entry.inner:
        kind = "" if base != entry.label.text else entry.label.type  # for a node with several outputs, not every type is known yet
        return section.local.get((base, kind), [])
    heads = section.by_text.get(base, deque())
    while heads and heads[0].inner is not None:
        heads.popleft()
    return [heads[0]] if heads else []


_NOTHING = Label("", "")
_LEFT = -2
"""A column left of every line."""


def _label(line: Line) -> Label:
    """The parsed label of `line`."""
    return line.parsed or parse_label(line.label)


class TreeBuilder:
    """Builds the sections of a text from its lines, with a stack of open lines."""

    def __init__(self, source: str, text: str) -> None:
        self.sections = [Section()]
        self.damage: list[Damage] = []
        self.quotes = False
        """Whether nameless nodes are printed with an empty name, `''`."""
        self.maps = False
        """Whether destroy_map or view_map is printed anywhere."""
        self.grouped = False
        """Whether a head of an inner graph has the ids of several nodes."""
        self._source = source
        self._text = text
        self._stack: list[OpenNode] = []
        self._heads = False
        """Whether the lines are below `Inner graphs:`, where lines without branch marks are heads, not outputs."""
        self._aside = False
        """Whether the lines are below `Default updates:`, which lists graphs that the function does not compute."""

    def printed(self) -> list[Section]:
        """Returns the printed graphs that were read; the inner graphs if the text has no others."""
        return [s for s in self.sections if s.outputs] or [inner for s in self.sections for inner in s.outermost() if inner.outputs]

    @property
    def section(self) -> Section:
        """The printed graph that is being read now."""
        return self.sections[-1]

    def read(self, lines: Iterable[Line]) -> None:
        """Adds all `lines` to the tree."""
        take = {
            LineRole.ROOT: self._root, LineRole.CHILD: self._child, LineRole.INNER: self._inner,
            LineRole.INPUT: self._input, LineRole.DOTS: self._dots,
            LineRole.SECTION: self._section, LineRole.DAMAGED: self._damaged,
        }  # fmt: skip
        line = None
        for line in lines:
            take[line.kind](line)
        last = self._stack[-1] if self._stack and line is not None and line.end >= len(self._text.rstrip()) else None
        self._close(0)
        if last is not None and not last.lost:
            self._settle_last(last.label)

    def _settle_last(self, label: Label) -> None:
        """Takes the last line of the text for an Apply if it looks like one, since the name that would show it may be cut off."""
        node = self.section.by_id.get(label.id)
        if node is not None and agrees(node, label) and looks_like_op(label.text) and read_constant(label.text) is None:
            node.become_apply()

    def _section(self, line: Line) -> None:
        self._close(0)
        self._aside = line.label.lstrip().startswith("Default")
        self._heads = not self._aside

    def _root(self, line: Line) -> None:
        self._close(0)
        label = _label(line)
        if self._heads and "," in label.id:
            self.grouped = True
        known = self.sections[-1].by_id.get(label.id) if label.id else None
        if known is not None and not agrees(known, label):
            self._restart()
        self._stack.append(OpenNode(label, line.column, line, "root"))

    def _restart(self) -> None:
        """Starts a new printed graph, in which ids refer to other nodes."""
        self.sections.append(Section())
        self._heads = self._aside = False

    def _dots(self, line: Line) -> None:
        self._close(0, line.column)
        if self._stack:
            self._stack[-1].dots = True

    def _inner(self, line: Line) -> None:
        if not self._stack or self._stack[0].role != "root":
            self._report(line, "an inner graph without the line of its Op above it")
            return self._child(line)
        self._close(1)
        self._open_inner()
        self._stack.append(OpenNode(_label(line), line.column, line, "inner"))

    def _open_inner(self) -> InnerText:
        """The inner graph whose lines are being read, below the open head."""
        head = self._stack[0]
        if head.inner is None:
            head.inner = InnerText()
            self.section.local = {}
        return head.inner

    def _input(self, line: Line) -> None:
        in_head = self._heads and bool(self._stack)
        self._close(1 if in_head else 0)
        node = self._resolve(OpenNode(_label(line), line.column, line)).node
        if in_head:
            self._open_inner().inputs.append(node)
        else:
            self.section.inputs.append(node)

    def _child(self, line: Line, lost: bool = False) -> None:
        stack = self._stack
        if len(stack) == 1 and stack[0].role == "root" and not stack[0].children:
            self._first_child(line)
        if stack and stack[-1].column >= line.column:
            self._close(0, line.column)
        if not stack:
            self._report(line, "the text begins inside a graph: what uses this node is missing")
        elif line.mark > stack[-1].column + 2:  # a level is at least two columns, and editors may add one
            self._report(line, "a line is missing above this one")
            gap = OpenNode(_NOTHING, line.mark, line)
            gap.lost = True
            stack.append(gap)
        label = line.parsed or (Label(line.label, "") if lost else parse_label(line.label))
        entry = OpenNode(label, line.column, line, "" if stack else "root")
        entry.lost = lost
        stack.append(entry)

    def _first_child(self, line: Line) -> None:
        """Processes the first line below an output: determines the output's column, and starts a new graph if a known id occurs again."""
        root = self._stack[0]
        if line.single and not root.column <= line.mark <= root.column + 1:
            root.column = line.mark - 1
        known = self.section.by_id.get(root.label.id) if root.label.id else None
        if known is not None and known.children is not None and not root.dots:
            self._restart()

    def _damaged(self, line: Line) -> None:
        self._report(line, "this line has no id, and no line below completes it")
        self._child(line, lost=True)

    def _report(self, line: Line, message: str) -> None:
        self.damage.append(Damage(self._source, line.number, line.column + 1, message))

    def _close(self, depth: int, column: int = _LEFT) -> None:
        """Completes the open lines that are printed at `column` or further right, until only `depth` are open."""
        stack = self._stack
        while len(stack) > depth and stack[-1].column >= column:
            entry = stack.pop()
            ref = self._resolve(entry)
            if not stack:
                self._finish(entry, ref)
                continue
            above = stack[-1]
            if entry.role == "inner" and above.inner is not None:
                above.inner.outputs.append(ref)
            else:
                above.children.append(ref)

    def _resolve(self, entry: OpenNode) -> Ref:
        label = entry.label
        if entry.line.parsed is None or label.outer:  # each inner graph links its inputs anew
            return self._looked_up(entry)
        table = self.sections[-1].known
        if not (entry.children or entry.dots or entry.inner):
            known = table.get(id(label))
            if known is not None:
                return known[1]
        ref = self._looked_up(entry)
        node = ref.node
        if not node.lost and (node.is_apply or split_output(label.text)[1] is None):
            table[id(label)] = label, ref
        return ref

    def _looked_up(self, entry: OpenNode) -> Ref:
        label = entry.label
        if label.name == "":
            self.quotes = True
        if label.destroy or label.view:
            self.maps = True
        if not entry.lost:
            try:
                ref = resolve(self.sections[-1], entry)
                return self._linked(entry, ref) if label.outer else ref
            except Unclear as error:
                self._report(entry.line, str(error))
        node = PrintedNode(entry.label, entry.line.number)
        node.lost = True
        return Ref(node, 0)

    def _linked(self, entry: OpenNode, ref: Ref) -> Ref:
        """Records the outer id of an input of the open inner graph."""
        if self._stack and self._stack[0].inner is not None:
            self._stack[0].inner.links[id(ref.node)] = entry.label.outer
        return ref

    def _finish(self, entry: OpenNode, ref: Ref) -> None:
        """Adds a complete tree: an output, or the head of inner graphs."""
        if entry.inner is not None:
            for name in entry.label.id.split(", "):
                node = self.section.by_id.get(name, ref.node) if name else ref.node
                node.become_apply()
                node.inner = node.inner or entry.inner
            self.section.heads.append((node, entry.inner))
        elif not self._aside and not (self._heads and not entry.children):
            self.section.outputs.append(ref)

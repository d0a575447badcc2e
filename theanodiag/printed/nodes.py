"""Nodes of a printed graph before it becomes a FunctionGraph: mutable and linked by reference, so that lines may come in any order."""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache
from sys import intern
from typing import NamedTuple

from ..ir import Type, TypeKind
from ..ir.shape import Static
from .model import Label, Line

# Parses types as the frameworks print them.
#
# Examples: `TensorType(float32, matrix)`, `Matrix(float64, shape=(?, 3))`, `GpuArrayType<None>(float32, row)`.
# Sources: Theano 0.4.1 to 1.0.5 tensor/type.py and basic.py, gpuarray/type.py, sandbox/cuda/type.py; Aesara 2.9.4 and PyTensor 3.3.7
# tensor/type.py.

NOT_PRINTED = Type(TypeKind.OTHER, None, (), "")
"""The type of a Variable about which the text says nothing."""

_CALL = re.compile(r"(?P<kind>[A-Za-z]\w*)(?:<[^<>]*>)?\((?P<dtype>\w+)\s*(?:,\s*(?:shape\s*=\s*)?(?P<shape>.+?)\s*)?\)$", re.DOTALL)
_SPARSE = re.compile(r"Sparse(?:TensorType|Variable)?[\[(](?P<dtype>\w+)[^)\]]*[\])]$")
_SPARSE_PROPS = re.compile(r"SparseTensorType\{dtype='(?P<dtype>\w+)', format='\w+', shape=(?P<shape>\([^()]*\))\}$")
_NAMED = {"scalar": (), "vector": (None,), "matrix": (None, None), "row": (1, None), "col": (None, 1)}
_N_DIMENSIONS = re.compile(r"(\d{1,2})D$|tensor(\d{1,2})$")
_SCALARS = re.compile(r"(?:bool|u?int(?:8|16|32|64)|float(?:16|32|64)|complex(?:64|128))$")
_KINDS = {"GpuArrayType": TypeKind.GPUARRAY, "CudaNdarrayType": TypeKind.CUDANDARRAY, "SparseType": TypeKind.SPARSE}
_TENSORS = re.compile(r"(?:TensorType|Scalar|Vector|Matrix|Tensor\d+|DenseTensorType)$")
_ITEM = re.compile(r"[^,\s()]+")
_ITEMS: dict[str, int | None] = {"True": 1, "False": None, "None": None, "?": None}
MAX_NDIM = 64
"""Largest number of dimensions of a type, numpy's own limit."""


@lru_cache(maxsize=4096)
def read_type(text: str) -> Type:
    """Parses a printed type; a type of kind OTHER with this text if it is unknown."""
    match = _CALL.match(text)
    if match:
        shape = static_of(match["shape"] or "()")
        kind = _KINDS.get(match["kind"]) or (TypeKind.TENSOR if _TENSORS.match(match["kind"]) else None)
        if kind is not None and shape is not None:
            return Type(kind, match["dtype"], shape, text)
    if _SCALARS.match(text):
        return Type(TypeKind.SCALAR, text, (), text)
    if text.startswith("Scalar(") and text.endswith(")") and _SCALARS.match(text[7:-1]):
        return Type(TypeKind.SCALAR, text[7:-1], (), text)
    sparse = _SPARSE.match(text)
    if sparse:
        return Type(TypeKind.SPARSE, sparse["dtype"], (None, None), text)
    sparse = _SPARSE_PROPS.match(text)
    if sparse:  # Aesara 2.9.4 and PyTensor 3.0.7, sparse/type.py
        return Type(TypeKind.SPARSE, sparse["dtype"], static_of(sparse["shape"]) or (None, None), text)
    return Type(TypeKind.RANDOM if "Random" in text else TypeKind.OTHER, None, (), text)


def static_of(text: str) -> Static | None:
    """Parses a static shape: `matrix`, `3D`, `(True, False)`, `(?, 3)` or `(None, 3)`; None for other text."""
    if text in _NAMED:
        return _NAMED[text]
    match = _N_DIMENSIONS.match(text)
    if match:
        return (None,) * min(int(match[1] or match[2]), MAX_NDIM)
    if not (text.startswith("(") and text.endswith(")")):
        return None
    items = _ITEM.findall(text)
    if len(items) > MAX_NDIM or not all(i in _ITEMS or (i.isascii() and i.isdigit() and len(i) < 19) for i in items):
        return None
    return tuple(_ITEMS[i] if i in _ITEMS else int(i) for i in items)


_TYPE_NAME = re.compile(r"(?:\*\d+-)?<(?P<type>.*)>$", re.DOTALL)

_STATE_NAME = re.compile(r"(?:RNG|Random(?:State|Generator)SharedVariable)\(<")
"""How Aesara 2.9.4 and PyTensor 3.0.7 print the shared state of a generator without a name."""


def type_of_name(text: str) -> str | None:
    """Returns the type that the printed name of a Variable contains; None if it contains none.

    A nameless Variable is `<TensorType(float32, matrix)>` or `*0-<Vector(...)>`, the state of a generator `RNG(<Generator(PCG64) at
    0x7F>)`.
    """
    state = _STATE_NAME.match(text)
    if state:
        return "RandomStateType" if "State" in state[0] else "RandomGeneratorType"
    match = _TYPE_NAME.match(text)
    return match["type"] if match and " object at 0x" not in text else None


LONGEST_ID = 4_000_000
"""Longest id in characters: a list of ids in front of an inner graph that several hundred thousand nodes share."""
ID = re.compile(rf"\[\s?(?:id\s{{1,8}}|@\s?)([^\[\]\n]{{1,{LONGEST_ID}}})\]")
"""An id in any generation: `[id A]`, `[@A]`, `[@140234]`, `[id auto_12]`, `[id A, BC]` (heads of inner graphs)."""
_TYPE = r"<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>"
_FIELD = re.compile(
    rf"""\s*(?:(?P<type>{_TYPE})|shape=(?P<shape>\([^()]*\))|a=\{{[^{{}}]*\}}|'(?P<name>[^']*(?:'(?!\s|$)[^']*)*)'
    |d=(?P<d>\{{[^{{}}]*\}})|v=(?P<v>\{{[^{{}}]*\}})|\{{\}}|(?P<order>\d+)(?=\s|$)
    |->\s*(?:\[(?:id\s+|@)(?P<outer>[^\[\]]+)\]|(?=$|\())|<-\s*\[(?:id\s+|@)[^\[\]]+\]|\((?P<info>[\w-]+)\)(?=\s|$|\)|,))""",
    re.VERBOSE,
)
_BEHIND = (
    r"(?:<([^<>]*(?:<[^<>]*>[^<>]*)*)>(?:\s{1,8}|$))?(?:'([^']*)'(?:\s{1,8}|$))?(\d*)"
    r"(?:\s{0,8}->\s{0,8}\[(?:id\s{1,8}|@)([^\[\]]+)\])?\s{0,8}(?:\(([\w-]+)\))?$"
)
_USUAL = re.compile(_BEHIND)
"""The fields behind the id on nearly all lines: type, name, order number; outer id and role of an inner input.

Runs of spaces are limited, since without a limit each would be searched again and again.
"""
_INFO = re.compile(r"\(((?:n_steps|inner_|outer_)[\w-]*)\)\s*$")
_OUTER = re.compile(r"->\s*\[(?:id\s+|@)([^\[\]]+)\]")
_SPACES = re.compile(r"\s{2,}")
_TAIL_LIMIT = 600
_BARE = re.compile(
    rf"""(?P<rest>(?:\s+{_TYPE})?(?:\s+shape=\([^()]*\))?(?:\s+a=\{{[^{{}}]*\}})?(?:\s+'[^']*')?(?:\s+d=\{{[^{{}}]*\}})?(?:\s+v=\{{[^{{}}]*\}})?
    (?:\s+\d+)?(?:\s+->)?(?:\s+\((?:n_steps|inner_|outer_)[\w-]*\))?)\s*$""",
    re.VERBOSE,
)


def parse_label(text: str) -> Label:
    """Splits a printed label into its parts; unknown text behind the id is ignored."""
    id_match = ID.search(text)
    if id_match:
        head, ident, rest = text[: id_match.start()].rstrip(), id_match[1].strip(), text[id_match.end() :]
        return Label(head, ident) if not rest or rest.isspace() else _with_fields(head, ident, rest)
    text = _SPACES.sub(" ", text)  # runs of spaces would make the search below slow
    tail = text[-_TAIL_LIMIT:]
    match = _BARE.search(tail)
    rest = match["rest"] if match and match.start() + len(text) > len(tail) else ""
    return _with_fields(text[: len(text) - len(rest)].rstrip(), "", rest)


def usual_tail(tail: str) -> Label | None:
    """Splits the fields behind an id into the parts of a Label; None if there are fields other than the usual ones."""
    usual = _USUAL.match(tail.strip())
    if usual is None:
        return None
    kind, name, order, outer, info = usual.groups()
    return Label("", "", intern(kind or ""), "", name, "", "", order, (outer or "").strip(), info or "")


def _with_fields(head: str, ident: str, rest: str) -> Label:
    rest = rest.strip()
    usual = _USUAL.match(rest)
    if usual:
        kind, name, order, outer, info = usual.groups()
        return Label(head, ident, kind or "", "", name, "", "", order, (outer or "").strip(), info or "")
    fields: dict[str, str] = {}
    at = 0
    while at < len(rest):
        match = _FIELD.match(rest, at)
        if not match or match.end() == at:
            break
        if match.lastgroup:
            fields.setdefault(match.lastgroup, match[match.lastgroup])
        at = match.end()
    if at < len(rest):
        _after_storage(rest, fields)
    type_text = fields.get("type", "")[1:-1]
    return Label(
        head, ident, type_text, fields.get("shape", ""), fields.get("name"), fields.get("d", ""), fields.get("v", ""),
        fields.get("order", ""), fields.get("outer", "").strip(), fields.get("info", ""),
    )  # fmt: skip


def end_of_fields(text: str, at: int) -> int:
    """Returns the offset of the end of a label's fields; its id ends at `at`."""
    while (match := _FIELD.match(text, at)) and match.end() > at:
        at = match.end()
    return at


def _after_storage(rest: str, fields: dict[str, str]) -> None:
    """Reads the fields behind a storage column, whose form is free."""
    for key, pattern in (("outer", _OUTER), ("info", _INFO)):
        match = pattern.search(rest)
        if match:
            fields.setdefault(key, match[1])


@lru_cache(maxsize=8192)
def split_output(text: str) -> tuple[str, int | None]:
    """Splits printed text into Op and output number: `Scan{f}.1` -> (`Scan{f}`, 1). The number is None if none is printed."""
    base, dot, digits = text.rpartition(".")
    if dot and base and digits.isascii() and digits.isdigit() and len(digits) < 7:
        return base, int(digits)
    return text, None


def open_brackets(text: str) -> bool:
    """Returns whether `text` opens more brackets than it closes, so that the printed line continues on the next line."""
    count = text.count
    return count("(") > count(")") or count("<") > count(">") or count("[") > count("]") or count("{") > count("}")


def closes_more(text: str) -> bool:
    """Returns whether `text` closes brackets that it does not open, so that the printed line began on the line before."""
    return any(text.count(a) < text.count(b) for a, b in ("()", "[]", "{}"))


class PrintedFields(NamedTuple):
    """The fields that the text prints for one output of an Apply, or for a leaf; `''` for a field that it does not print."""

    type: str = ""
    name: str = ""
    """Printed name."""
    info: str = ""
    """Output of `print_op_info`."""
    shape: str = ""
    """Output of `print_shape`, with its parentheses."""


NOTHING_SEEN = PrintedFields()
"""The fields of an output about which the text contains nothing."""


@lru_cache(maxsize=4096)
def _seen(kind: str, name: str, info: str, shape: str) -> PrintedFields:
    """A PrintedFields; the same object for equal arguments, as nearly all nodes of a large graph have."""
    return PrintedFields(intern(kind), name, info, shape)


class PrintedNode:
    """An Apply or a leaf as printed."""

    __slots__ = ("base", "children", "head", "id", "inner", "is_apply", "line", "lost", "maps", "n_outputs", "order", "outer", "seen")

    def __init__(self, label: Label, line: int) -> None:
        self.id = label.id
        self.head = intern(label.text)
        """Text of the first line that shows the node."""
        self.base = self.head
        """That text without the output number, once the node is known to be an Apply."""
        self.is_apply = False
        self.children: list[Ref] | None = None
        """The inputs; None while they are not printed."""
        self.seen: dict[int, PrintedFields] = {}
        """Number of an output -> its printed fields."""
        self.n_outputs = 1
        self.order = int(label.order) if label.order and len(label.order) < 12 else None
        self.maps: tuple[str, str] | None = None
        """Texts of destroy_map and view_map, where they are printed."""
        self.outer = label.outer
        self.inner: InnerText | None = None
        self.lost = False
        """Whether it replaces a part of the text that could not be read."""
        self.line = line

    def note(self, label: Label, output: int | None) -> None:
        """Records the fields that a line prints for output number `output` (None: the number is not known)."""
        if output is not None:
            self.n_outputs = max(self.n_outputs, output + 1, 2)
        if label.destroy or label.view:
            self.maps = self.maps or (label.destroy, label.view)
        kind, shape = label.type, label.shape
        if kind or label.name or label.info or shape:
            old = self.seen.get(output or 0)
            if old is None:
                self.seen[output or 0] = _seen(kind, label.name or "", label.info, shape)
            elif (kind and not old.type) or (label.name and not old.name) or (label.info and not old.info) or (shape and not old.shape):
                name = old.name or label.name or ""
                self.seen[output or 0] = PrintedFields(old.type or intern(kind), name, old.info or label.info, old.shape or shape)

    def become_apply(self) -> None:
        """Marks the node as an Apply."""
        if not self.is_apply:
            self.is_apply = True
            base, output = split_output(self.head)
            self.base = intern(base)
            if output is not None:
                self.n_outputs = max(self.n_outputs, output + 1, 2)
                if output and 0 in self.seen and output not in self.seen:
                    self.seen[output] = self.seen.pop(0)


class Ref(NamedTuple):
    """A reference to one output of a printed node."""

    node: PrintedNode
    output: int


class InnerText:
    """The text of an inner graph that is printed below the head of its node."""

    __slots__ = ("inputs", "links", "outputs")

    def __init__(self) -> None:
        self.inputs: list[PrintedNode] = []
        self.links: dict[int, str] = {}
        """The outer id behind ` -> `, by `id()` of the node: a node may be in several inner graphs, with a different outer id in each."""
        self.outputs: list[Ref] = []


class OpenNode:
    """A printed line whose inputs are still being read (on the stack of `TreeBuilder`)."""

    __slots__ = ("children", "column", "dots", "inner", "label", "line", "lost", "role")

    def __init__(self, label: Label, column: int, line: Line, role: str = "") -> None:
        self.label = label
        self.column = column
        self.line = line
        self.role = role
        """`root`, `inner` (an output of an inner graph), or empty."""
        self.children: list[Ref] = []
        self.dots = False
        self.inner: InnerText | None = None
        self.lost = False


class Section:
    """One printed graph: its outputs, and its nodes by id and text."""

    __slots__ = ("by_id", "by_order", "by_text", "heads", "inputs", "inside", "known", "leaves", "local", "outputs")

    def __init__(self) -> None:
        self.outputs: list[Ref] = []
        self.heads: list[tuple[PrintedNode, InnerText]] = []
        """Ops whose inner graphs are printed, in order, with these graphs."""
        self.inside = ""
        """Text of the Op whose inner graph this is, where the text has only that."""
        self.inputs: list[PrintedNode] = []
        """Inputs that are listed on their own."""
        self.by_id: dict[str, PrintedNode] = {}
        self.by_order: dict[tuple[str, int], PrintedNode] = {}
        self.by_text: dict[str, deque[PrintedNode]] = {}
        """Nodes by text, in the order in which they were completed, for lines without ids."""
        self.local: dict[tuple[str, str], list[PrintedNode]] = {}
        """The same by text and type (or type "" for text alone), in the graph, outer or inner, that is being read."""
        self.leaves: dict[tuple[str, str], PrintedNode] = {}
        self.known: dict[int, tuple[Label, Ref]] = {}
        """`id()` of the label of a line without children -> (label, node referred to); storing the label keeps its id valid."""

    def inner(self, head: PrintedNode, text: InnerText) -> Section:
        """Makes the inner graph of `head` a separate printed graph."""
        section = Section()
        section.outputs, section.inputs, section.inside = text.outputs, text.inputs, head.base
        section.by_id, section.by_text, section.leaves = self.by_id, self.by_text, self.leaves
        return section

    def outermost(self) -> list[Section]:
        """Returns the inner graphs of this printed graph that are not nested in another inner graph."""
        heads = {id(text): (head, text) for head, text in reversed(self.heads)}
        nested = {id(node.inner) for _, text in heads.values() for node in below(text.outputs) if node.inner is not text}
        return [self.inner(head, text) for key, (head, text) in reversed(heads.items()) if key not in nested]


def below(roots: list[Ref]) -> set[PrintedNode]:
    """Returns the nodes that `roots` refer to, and all nodes from which they are computed."""
    nodes: set[PrintedNode] = set()
    todo = [ref.node for ref in roots]
    while todo:
        node = todo.pop()
        if node not in nodes:
            nodes.add(node)
            todo += [ref.node for ref in node.children or ()]
    return nodes

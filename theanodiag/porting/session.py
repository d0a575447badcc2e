"""The port of one source: collects the new form of each use and import as edits of its text."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar, cast

from ..compat.names import legacy
from .model import CODES, Change, PortEdit, PortOptions, Safety
from .scopes import Import, Names, Scope, Use
from .syntax import NAME, Node, Tree
from .targets import LEGACY, NOT_LOADED, Counterpart, CounterpartKind, PortTarget, target

# Names that PyTensor 3 keeps from PyTensor 2 but deprecates, and parameters that its functions renamed.
#
# Sources: the warnings in PyTensor 3.3.8, and the signatures of 2.18.6, 2.26.4, 2.38.2 and 3.3.8, compared.

_SPARSE = {
    **{f"Add{kind}": f"Add{long}" for kind, long in (("SS", "SparseSparse"), ("SD", "SparseDense"), ("SSData", "SparseSparseData"))},
    **{
        f"{name}{kind}": f"{name}{long}"
        for name in ("Equal", "NotEqual", "LessThan", "GreaterThan", "LessEqual", "GreaterEqual")
        for kind, long in (("SS", "SparseSparse"), ("SD", "SparseDense"))
    },
    "SparseSparseMultiply": "MultiplySparseSparse",
    "SparseDenseMultiply": "MultiplySparseDense",
    "SparseDenseVectorMultiply": "MultiplySparseDenseVector",
    "StructuredAddSV": "StructuredAddSparseDenseVector",
    "MulSS": "MultiplySparseSparse",
    "MulSD": "MultiplySparseDense",
    "MulSV": "MultiplySparseDenseVector",
}
"""Old names of sparse Ops, and those of 3.3."""

RENAMED: Mapping[str, str] = {
    "gradient.Rop": "pushforward",
    "gradient.Lop": "pullback",
    "compile.ops.as_op": "compile.ops.wrap_py",  # PyTensor 2 has it only there
    "tensor.linalg.summary.trace": "tensor.trace",
    "tensor.nlinalg.trace": "tensor.trace",
    "tensor.basic.extract_diag": "tensor.diagonal",
    "tensor.math.sgn": "tensor.sign",
    "tensor.xlogx.xlogy0": "tensor.special.xlogy",
    "tensor.subtensor.advanced_subtensor1": "tensor.subtensor.advanced_subtensor",
    "tensor.subtensor.advanced_inc_subtensor1": "tensor.subtensor.advanced_inc_subtensor",
    "tensor.subtensor.advanced_set_subtensor1": "tensor.subtensor.advanced_set_subtensor",
    "tensor.sharedvar.ScalarSharedVariable": "tensor.sharedvar.TensorSharedVariable",
    "scalar.get_underlying_scalar_constant": "tensor.get_underlying_scalar_constant_value",
    "get_underlying_scalar_constant": "tensor.get_underlying_scalar_constant_value",
    "graph.basic.io_connection_pattern": "graph.op.io_connection_pattern",
    "sparse.math.sub": "sparse.subtract",
    "sparse.math.mul": "sparse.multiply",
    **{f"sparse.{module}{old}": f"sparse.math.{new}" for module in ("", "basic.", "math.") for old, new in _SPARSE.items()},
}
"""Deprecated name -> its replacement, with the same arguments unless `calls.py` or ARGUMENTS says otherwise."""

_SPACED = {"end": "stop", "steps": "num"}
ARGUMENTS: Mapping[str, Mapping[str, str]] = {
    "compile.sharedvalue.shared": {"broadcastable": "shape"},
    "tensor.type.TensorType": {"broadcastable": "shape"},
    "tensor.type.tensor": {"broadcastable": "shape"},
    "tensor.extra_ops.linspace": _SPACED,
    "tensor.extra_ops.logspace": _SPACED,
    "tensor.extra_ops.geomspace": _SPACED,
    "tensor.extra_ops.repeat": {"x": "a"},
    "tensor.basic.tile": {"x": "A"},
    "tensor.basic.get_underlying_scalar_constant_value": {"orig_v": "v"},
    "tensor.linalg.decomposition.qr.qr": {"a": "A"},
    "compile.builders.OpFromGraph": {"lop_overrides": "pullback", "rop_overrides": "pushforward"},
}
"""Function of PyTensor 3.3 -> keyword arguments of PyTensor 2 that have another name."""

_WRITTEN = "RandomStream UPLO rate gamma infer_shape L_op grad config change_flags scan PYTENSOR_FLAGS"
WORDS = frozenset((*(name.rpartition(".")[2] for name in RENAMED), *(a for held in ARGUMENTS.values() for a in held), *_WRITTEN.split()))
"""A PyTensor source without any of these words uses no deprecated names, and nothing that `releases.py` rewrites."""


T = TypeVar("T")
KEPT = frozenset(("__version__", "__file__", "__name__", "__doc__", "__path__", "__package__", "__all__", "__dict__"))
"""Attributes that every module has."""


@dataclass(frozen=True)
class Binding:
    """What an import binds after porting."""

    module: str | None
    """The module of the target (without the root) or of compat (full name); None if it is not a module, or nothing remains."""
    local: str
    """Its name in the ported source."""
    compat: bool = False


class PortSession:
    """The syntax tree and the names of one source, with the decisions made so far."""

    def __init__(self, tree: Tree, options: PortOptions) -> None:
        self.tree, self.options = tree, options
        self.names = Names(tree)
        self.target: PortTarget = target(options.target)
        self.edits: list[PortEdit] = []
        self.changes: list[Change] = []
        self.bindings: dict[Import, Binding] = {}
        self.done: set[Use] = set()
        """Uses that a rewriter has fully handled."""
        self.named: dict[Use, str] = {}
        """Uses whose arguments a rewriter has changed -> new name (without the root)."""
        self.counterparts: dict[Use, Counterpart] = {}
        for use in self.names.uses:
            counterpart = self.counterpart(use.name)
            if counterpart is not None:
                self.counterparts[use] = counterpart
        self.added: dict[str, str] = {}
        """Imports to add: statement -> name that it binds."""
        self.on_top: list[str] = []
        """Imports to add before all others, for code that runs before the framework is imported."""
        self._taken = {leaf.value for leaf in tree.leaves if leaf.type == NAME}
        self._left: dict[int, int] = {}
        """Identity of a block -> number of its statements that remain."""
        self._first_bound: dict[tuple[int, str], tuple[int, str]] = {}
        """Scope and module -> the number and the name of the first import there that binds the module."""
        self._known: dict[Hashable, object] = {}
        self.root_name = self._root_name()

    def once(self, make: Callable[[PortSession], T]) -> T:
        """Returns the result of `make` for this session, which is computed at the first use."""
        if make not in self._known:
            self._known[make] = make(self)
        return cast("T", self._known[make])

    def bind(self, entry: Import, binding: Binding) -> None:
        """Records what an import binds after porting."""
        self.bindings[entry] = binding
        if binding.module is not None and not binding.compat:
            self._first_bound.setdefault((id(entry.scope), binding.module), (len(self.bindings), binding.local))

    def _root_name(self) -> str:
        """The target's name, as bound in the source; empty if the source uses that name for something else."""
        bound = any(self.options.target in scope.others for scope in self.names.scopes)
        return "" if bound else self.options.target

    def counterpart(self, name: str) -> Counterpart | None:
        """Returns the counterpart of a full dotted name; None if it stays the same."""
        origin, _, inside = name.partition(".")
        if origin == self.options.target:
            return self._without_warning(self.target.moved(inside), inside)
        if origin != "theano" and self.options.target == "aesara":
            return None
        if not inside:
            return Counterpart(CounterpartKind.MODULE, "", "")
        if inside.partition(".")[0] in KEPT:
            return Counterpart(CounterpartKind.NAME, inside.partition(".")[0], inside.partition(".")[0])
        return self._without_warning(self.target.find(origin, inside), inside)

    def _without_warning(self, counterpart: Counterpart | None, inside: str) -> Counterpart | None:
        """The counterpart, with the new name if the target deprecates the old one."""
        if self.options.target != "pytensor" or (counterpart is not None and counterpart.kind is CounterpartKind.ADAPTED):
            return counterpart
        name = counterpart.new if counterpart is not None and counterpart.new else inside
        new = next((RENAMED[n] for n in (name, *legacy.origin("pytensor", name)) if n in RENAMED), None)
        if new is None:
            return counterpart
        return (
            Counterpart(CounterpartKind.NAME, inside, new)
            if counterpart is None
            else replace(counterpart, kind=CounterpartKind.NAME, new=new)
        )

    def note(self, node: Node, last: Node | None, name: str, safety: Safety, reason: str, advice: str) -> None:
        """Records a change, to be listed in the report."""
        self.changes.append(Change(self.tree.span(node, last), name, safety, reason, advice, CODES[safety]))

    def replace(self, node: Node, last: Node | None, text: str) -> None:
        """Replaces everything from `node` to `last` by `text`."""
        start, end = self.tree.start(node), self.tree.end(node if last is None else last)
        if self.tree.text[start:end] != text:
            self.edits.append(PortEdit(start, end, text))

    def fitting(self) -> list[PortEdit]:
        """Returns the edits, with quotes changed so that they do not end an enclosing f-string."""
        if not self.tree.fields:
            return self.edits
        whole = [leaf for leaf in self.tree.leaves if id(leaf) in self.tree.fields]
        starts = [self.tree.start(leaf) for leaf in whole]

        def fitted(edit: PortEdit) -> PortEdit:
            at = bisect.bisect_right(starts, edit.start) - 1
            if at < 0 or edit.end > starts[at] + len(whole[at].value) or not {"'", '"'} & set(edit.replacement):
                return edit
            quote = next(c for c in whole[at].value if c in "'\"")
            other = "'" if quote == '"' else '"'
            return replace(edit, replacement=edit.replacement.replace(quote, other))

        return [fitted(edit) for edit in self.edits]

    def insert(self, at: int, text: str) -> None:
        """Inserts `text` at an offset."""
        self.edits.append(PortEdit(at, at, text))

    def shares_line(self, statement: Node) -> bool:
        """Returns whether another statement is on the same line."""
        return statement.parent is not None and len(statement.parent.children) > 2

    def remove(self, statement: Node) -> None:
        """Removes a statement with its line; `pass` replaces it if its block would become empty."""
        line = statement.parent
        block = line.parent if line is not None else None
        if block is not None and id(block) not in self._left:
            self._left[id(block)] = sum(bool(c.children) for c in block.children)
        text = self.tree.text
        start, end = self.tree.start(statement), self.tree.end(statement)
        begin = text.rfind("\n", 0, start) + 1
        stop = text.find("\n", end)
        alone = not text[begin:start].strip() and not text[end : len(text) if stop < 0 else stop].strip()
        if alone and block is not None and self._left[id(block)] > 1 and not self.shares_line(statement):
            self._left[id(block)] -= 1
            self.edits.append(PortEdit(begin, len(text) if stop < 0 else stop + 1, ""))
        else:
            self.replace(statement, None, "pass")

    def by_hand(self, use: Use, counterpart: Counterpart) -> None:
        """Leaves a use unchanged, to be ported by hand."""
        self.note(use.leaves[0], use.leaves[-1], use.name, Safety.BY_HAND, counterpart.why or "no counterpart", counterpart.advice)

    def last_leaf(self, use: Use, counterpart: Counterpart) -> int:
        """Returns the index of the leaf in a chain of attributes that decides on the counterpart."""
        return max(0, min(len(counterpart.old.split(".")) + 1 - use.known, len(use.leaves) - 1)) if counterpart.old else 0

    def express(self, full: str, use: Use, own: Import | None = None) -> str:
        """Returns how to write the target's name `full` (dotted, without the root) at a use: through an existing import, or through a new
        one.
        """
        parts = full.split(".")
        rests = {".".join(parts[:n]): ".".join(parts[n:]) for n in range(len(parts) + 1)}
        reached = {module: rest for module, rest in rests.items() if self._reachable(module, rest)}
        bound = self.bindings.get(own) if own is not None else None
        if own is not None and bound is not None and bound.module in reached and not bound.compat and own.scope in _readable(use.scope):
            return ".".join(filter(None, (bound.local, reached[bound.module])))
        best: tuple[int, int, str] | None = None
        for scope in _readable(use.scope):
            for module, rest in reached.items():
                number, local = self._first_bound.get((id(scope), module), (0, ""))
                written = ".".join(filter(None, (local, rest)))
                if number and (best is None or (written.count("."), number) < best[:2]):
                    best = (written.count("."), number, written)
        return best[2] if best else self._by_new_import(full)

    def _reachable(self, module: str, rest: str) -> bool:
        """Whether the modules between a bound module and a name are attributes once the root is imported."""
        parts = rest.split(".")[:-1]
        between = [".".join([*filter(None, [module]), *parts[: n + 1]]) for n in range(len(parts))]
        return not any(m in NOT_LOADED or self.target.hidden(m) for m in between)

    def _by_new_import(self, full: str) -> str:
        module, _, last = full.rpartition(".")
        root = self.options.target
        if module == "tensor" or (module.startswith("tensor.") and self._reachable("tensor", full[len("tensor.") :])):
            local = self.add(f"import {root}.tensor as {{}}", "pt")
            return f"{local}.{full[len('tensor.') :]}"
        if module == "":
            return f"{self.add(f'import {root}' if self.root_name else f'import {root} as {{}}', root)}.{last}"
        if self.target.hidden(module):
            return self.add(f"from {root}.{module} import {last} as {{}}", f"{root}_{last}")
        parent, _, name = module.rpartition(".")
        where = f"{root}.{parent}" if parent else root
        return f"{self.add(f'from {where} import {name} as {{}}', f'{root}_{name}')}.{last}"

    def add(self, statement: str, local: str) -> str:
        """Adds an import; `{}` in it is replaced by its local name, which is unused in the source. Returns the local name."""
        if statement not in self.added:
            while "{}" in statement and local in self._taken:
                local += "_"
            self._taken.add(local)
            self.added[statement] = local
        return self.added[statement]

    def piece(self, piece: tuple[str, str]) -> str:
        """Returns the text that refers to a name of compat; adds the import of its module, as `legacy`, or `legacy_signal` for
        `theanodiag.legacy.tensor.signal`.
        """
        module, name = piece
        parent, _, last = module.rpartition(".")
        local = last if module == LEGACY else f"legacy_{last}"
        return f"{self.add(f'from {parent} import {last} as {{}}', local)}.{name}"

    def rename(self, use: Use, counterpart: Counterpart, text: str) -> None:
        """Replaces the deciding part of a chain by `text`."""
        self.replace(use.leaves[0], use.leaves[self.last_leaf(use, counterpart)], text)


Rewriter = Callable[[PortSession, Use, Counterpart], None]
"""Rewrites one use if it can; the use is then in `done` or `named`."""


def _readable(here: Scope) -> list[Scope]:
    """The scopes whose names can be read in `here`, from the inside out."""
    scopes, at = [here], here.parent
    while at is not None:
        if at.kind != "class":
            scopes.append(at)
        at = at.parent
    return scopes

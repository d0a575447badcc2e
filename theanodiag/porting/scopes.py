"""Resolves which names of a source refer to a framework: bindings by scope, and all uses."""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from ..compat.names import ORIGINS, ROOTS, legacy
from .import_statements import from_names, import_names, imported_module
from .syntax import NAME, STRING, Node, Tree, assigned, assignments, statements, symbols


@dataclass(eq=False)
class Import:
    """One name that an import statement binds."""

    full: str
    """The full dotted name that it refers to, including the root: `theano.tensor`."""
    local: str
    """Its name in the source."""
    statement: Node
    alias: Node
    """The part of the statement that binds it."""
    imported: str
    """The dotted name in the statement: `import theano.tensor.nnet` binds only the root."""
    scope: Scope
    uses: list[Use] = field(default_factory=list)
    value: Use | None = None
    """The value, for a name that an assignment binds to a module (`T = theano.tensor`); None for an import."""


@dataclass(eq=False)
class Scope:
    """A module, function, class or comprehension, with the names bound in it."""

    kind: str
    parent: Scope | None
    imports: dict[str, list[Import]] = field(default_factory=dict)
    others: dict[str, list[Node]] = field(default_factory=dict)
    """Name -> leaves that bind it to anything but an import of a framework."""
    elsewhere: set[str] = field(default_factory=set)
    """Names of `global` and `nonlocal` statements."""
    _lines: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)

    def bind(self, leaf: Node) -> None:
        """Binds a name to something that does not belong to a framework."""
        self.others.setdefault(leaf.value, []).append(leaf)

    def forget(self, name: str) -> None:
        """Discards the cached lines of a name, because its binding changed."""
        self._lines.pop(name, None)

    def lines(self, name: str) -> tuple[list[int], list[int]]:
        """Returns (lines of the imports that bind a name, lines of its other bindings except `name = None`); valid once all bindings are
        known.
        """
        if name not in self._lines:
            imports = [int(entry.statement.get_lineno()) for entry in self.imports.get(name, ())]
            others = sorted(int(leaf.get_lineno()) for leaf in self.others.get(name, ()) if not is_none(leaf))
            self._lines[name] = imports, others
        return self._lines[name]


@dataclass(eq=False)
class Use:
    """A place where a bound name is used, with the attributes that follow it."""

    name: str
    """Full dotted name: `theano.tensor.nnet.softmax`."""
    leaves: tuple[Node, ...]
    """The leaves of the attribute chain: `T`, `nnet`, `softmax`."""
    scope: Scope
    bound: Import | None
    """The import that binds it; None for names from `import *`, and for an unbound root."""
    trailers: tuple[Node, ...] = ()
    """What follows the chain: calls and subscripts."""

    @property
    def known(self) -> int:
        """Returns how many parts of the full name the first leaf represents."""
        return self.name.count(".") + 2 - len(self.leaves)


def _exported(module: str) -> Iterable[str]:
    """The names that `from module import *` binds for a framework's module."""
    origin, _, inside = module.partition(".")
    return legacy.table(origin).get(inside, {})


class Names:
    """The imports and uses of a source, for the packages `roots`; `exported` gives the names of their star imports."""

    def __init__(self, tree: Tree, roots: Iterable[str] = ROOTS, exported: Callable[[str], Iterable[str]] = _exported) -> None:
        self._roots, self._exported = frozenset(roots), exported
        root, self._fields = tree.root, tree.fields
        self.module = Scope("module", None)
        self.scopes = [self.module]
        """Of the file itself."""
        self.imports: list[Import] = []
        self.aliases: list[Import] = []
        """Names bound exactly once, by assigning a module of a framework; they are ported like imports."""
        self.stars: list[tuple[str, Node]] = []
        """Modules of `from module import *`, and the statements."""
        self.uses: list[Use] = []
        self._sym = symbols()
        self._found: list[tuple[Node, tuple[Node, ...], tuple[Node, ...], Scope]] = []
        self._assigned: list[tuple[Node, int, Scope]] = []
        """Assignments of a dotted name to a name, and the number of the value in `_found`."""
        self._wanted = {*self._roots}
        self._starred: dict[str, str] = {}
        for statement in statements(root):
            self._announce(statement)
        for statement in assignments(root):
            if (value := assigned(statement)) is not None and value.value in self._wanted:
                self._wanted.add(statement.children[0].value)
        self._handlers = {
            self._sym.import_name: self._import, self._sym.import_from: self._import_from, self._sym.funcdef: self._function,
            self._sym.lambdef: self._lambda, self._sym.classdef: self._class, self._sym.expr_stmt: self._assignment,
            self._sym.for_stmt: self._for, self._sym.comp_for: self._for, self._sym.except_clause: self._except,
            self._sym.global_stmt: self._global, self._sym.power: self._power, self._sym.argument: self._argument,
            self._sym.namedexpr_test: self._named, self._sym.decorator: self._decorator, self._sym.asexpr_test: self._as,
            self._sym.case_block: self._case, self._sym.type_stmt: self._type,
        }  # fmt: skip
        elsewhere = {"old_comp_for": self._for, "with_item": self._as, "with_var": self._as, "old_lambdef": self._lambda}
        self._handlers.update({getattr(self._sym, name): handler for name, handler in elsewhere.items() if hasattr(self._sym, name)})
        self._walk(root, self.module)
        self._resolve()

    def is_framework(self, module: str) -> bool:
        """Returns whether the dotted name of a module belongs to one of the packages `roots` of this object."""
        return module.partition(".")[0] in self._roots

    def _inside(self, kind: str, parent: Scope) -> Scope:
        self.scopes.append(Scope(kind, parent))
        return self.scopes[-1]

    def _announce(self, statement: Node) -> None:
        """Records the names that an import of a framework binds, before uses are searched."""
        if statement.type == self._sym.import_from:
            module = imported_module(statement)
            if not self.is_framework(module):
                return
            for old, alias, _ in from_names(statement):
                if old == "*":
                    names = self._exported(module)
                    self._starred.update((name, f"{module}.{name}") for name in names)
                    self._wanted.update(names)
                else:
                    self._wanted.add(alias)
        else:
            for name, alias, _ in import_names(statement):
                if self.is_framework(name):
                    self._wanted.add(alias or name.partition(".")[0])

    def _walk(self, node: Node, scope: Scope) -> None:
        handlers, wanted = self._handlers, self._wanted
        for child in node.children:
            if child.children:
                handler = handlers.get(child.type)
                if handler is not None:
                    handler(child, scope)
                else:
                    inner = scope
                    last = child.children[-1]
                    if last.children and last.type == self._sym.comp_for:
                        inner = self._inside("comprehension", scope)
                        self._for(last, inner)
                        for part in child.children[:-1]:
                            self._visit(part, inner)
                        continue
                    self._walk(child, inner)
            elif child.type == NAME:
                if child.value in wanted:
                    self._found.append((child, (child,), (), scope))
            elif child.type == STRING and self._fields:
                self._string(child, scope)

    def _string(self, leaf: Node, scope: Scope) -> None:
        """Visits the expressions in an f-string; does nothing for other strings."""
        for field_ in self._fields.get(id(leaf), ()):
            self._visit(field_, scope)

    def _visit(self, node: Node, scope: Scope) -> None:
        """Collects the bindings and uses in a node."""
        if not node.children:
            if node.type == NAME and node.value in self._wanted:
                self._found.append((node, (node,), (), scope))
            elif node.type == STRING:
                self._string(node, scope)
            return
        handler = self._handlers.get(node.type)
        if handler is not None:
            handler(node, scope)
        else:
            self._walk(node, scope)

    def _import(self, node: Node, scope: Scope) -> None:
        for name, alias, part in import_names(node):
            root = name.partition(".")[0]
            if self.is_framework(name):
                self._bind(Import(name if alias else root, alias or root, node, part, name, scope))
            else:
                scope.others.setdefault(alias or root, []).append(part)

    def _import_from(self, node: Node, scope: Scope) -> None:
        module = imported_module(node)
        for old, alias, part in from_names(node):
            if not self.is_framework(module):
                if old != "*":
                    scope.others.setdefault(alias, []).append(part)
            elif old == "*":
                self.stars.append((module, node))
            else:
                self._bind(Import(f"{module}.{old}", alias, node, part, f"{module}.{old}", scope))

    def _bind(self, entry: Import) -> None:
        if entry.local in entry.scope.elsewhere:
            entry.scope = self.module
        self.imports.append(entry)
        entry.scope.imports.setdefault(entry.local, []).append(entry)

    def _function(self, node: Node, scope: Scope) -> None:
        scope.bind(node.children[1])
        scope, children = self._type_parameters(node.children[2:], scope)
        inner = self._inside("function", scope)
        self._parameters(children[0], scope, inner)
        for child in children[1:-1]:
            self._visit(child, scope)
        self._visit(children[-1], inner)

    def _type_parameters(self, children: list[Node], scope: Scope) -> tuple[Scope, list[Node]]:
        """(scope in which the type parameters are bound, or `scope` without any; the children after them)."""
        if not children[0].children or children[0].type != self._sym.typeparams:
            return scope, children
        inner = self._inside("function", scope)
        for variable in children[0].children[1:-1]:
            parts = variable.children or [variable]
            names = [n for n, part in enumerate(parts) if part.type == NAME]
            if names:
                inner.bind(parts[names[0]])
                for part in parts[names[0] + 1 :]:
                    self._visit(part, inner)
        return inner, children[1:]

    def _type(self, node: Node, scope: Scope) -> None:
        """Collects the bindings and uses in `type X[T] = ...`."""
        scope.bind(node.children[1])
        inner, rest = self._type_parameters(node.children[2:], scope)
        for child in rest:
            self._visit(child, inner)

    def _case(self, node: Node, scope: Scope) -> None:
        """Collects the bindings and uses in a case of a `match`."""
        self._pattern(node.children[1], scope)
        for child in node.children[2:]:
            self._visit(child, scope)

    def _pattern(self, node: Node, scope: Scope) -> None:
        """Binds the names that a pattern captures; classes and dotted names in it are uses."""
        if not node.children:
            if node.type == NAME:
                scope.bind(node)
        elif node.type == self._sym.power:
            self._power(node, scope, self._pattern)
        elif node.type == self._sym.argument and node.children[1].value == "=":
            self._pattern(node.children[2], scope)
        else:
            for child in node.children:
                self._pattern(child, scope)

    def _lambda(self, node: Node, scope: Scope) -> None:
        inner = self._inside("function", scope)
        for child in node.children[1:-2]:
            self._parameter_list(child, scope, inner)
        self._visit(node.children[-1], inner)

    def _parameters(self, node: Node, scope: Scope, inner: Scope) -> None:
        for child in node.children[1:-1]:
            self._parameter_list(child, scope, inner)

    def _parameter_list(self, node: Node, scope: Scope, inner: Scope) -> None:
        """Binds the parameters in `inner`; defaults and annotations are uses in `scope`."""
        sym = self._sym
        parts = node.children if node.type in (sym.typedargslist, sym.varargslist) else [node]
        default = False
        for part in parts:
            if not part.children:
                if default:
                    self._visit(part, scope)
                elif part.type == NAME:
                    inner.bind(part)
                default = part.value == "="
            elif default:
                self._visit(part, scope)
                default = False
            elif part.type == sym.tname:
                inner.bind(part.children[0])
                self._visit(part.children[2], scope)
            else:
                self._targets(part, inner)

    def _class(self, node: Node, scope: Scope) -> None:
        scope.bind(node.children[1])
        scope, children = self._type_parameters(node.children[2:], scope)
        for child in children[:-1]:
            self._visit(child, scope)
        self._visit(children[-1], self._inside("class", scope))

    def _assignment(self, node: Node, scope: Scope) -> None:
        children = node.children
        last = len(children) - 1
        plain = not children[1].children and children[1].value == "="
        for number, child in enumerate(children):
            if number < last and (plain or number == 0) and (child.children or child.type == NAME):
                self._targets(child, scope, augmented=not plain and children[1].type != self._sym.annassign)
            else:
                self._visit(child, scope)
        if self._found and self._found[-1][0] is children[last] and assigned(node) is not None:
            self._assigned.append((node, len(self._found) - 1, scope))

    def _targets(self, node: Node, scope: Scope, augmented: bool = False) -> None:
        """Binds the names in an assignment target; attributes and subscripts in it are uses."""
        if not node.children:
            if node.type == NAME and not augmented:
                scope.bind(node)
            elif augmented:
                self._visit(node, scope)
        elif node.type == self._sym.power:
            self._power(node, scope)
        else:
            for child in node.children:
                self._targets(child, scope, augmented)

    def _for(self, node: Node, scope: Scope) -> None:
        at = 1 + (not node.children[0].children and node.children[0].value == "async")
        self._targets(node.children[at], scope)
        for child in node.children[at + 1 :]:
            self._visit(child, scope)

    def _except(self, node: Node, scope: Scope) -> None:
        children = node.children
        between = children[-2].value if len(children) > 3 and not children[-2].children else ""
        bound = between == "as" or (between == "," and len(children) == 4)  # `except A, e` of Python 2
        for child in children[1 : -2 if bound else None]:
            self._visit(child, scope)
        if bound:
            self._targets(children[-1], scope)

    def _as(self, node: Node, scope: Scope) -> None:
        """Collects the bindings and uses in `a as b` of a `with`."""
        for child in node.children[:-1]:
            self._visit(child, scope)
        self._targets(node.children[-1], scope)

    def _global(self, node: Node, scope: Scope) -> None:
        scope.elsewhere.update(child.value for child in node.children[1:] if child.type == NAME)

    def _argument(self, node: Node, scope: Scope) -> None:
        children = node.children
        if len(children) == 3 and not children[1].children and children[1].value in ("=", ":="):
            if children[1].value == ":=":
                self._targets(children[0], scope)
            self._visit(children[2], scope)
        elif children[-1].children and children[-1].type == self._sym.comp_for:
            inner = self._inside("comprehension", scope)
            self._for(children[-1], inner)
            for part in children[:-1]:
                self._visit(part, inner)
        else:
            self._walk(node, scope)

    def _named(self, node: Node, scope: Scope) -> None:
        self._targets(node.children[0], scope)
        self._visit(node.children[2], scope)

    def _decorator(self, node: Node, scope: Scope) -> None:
        for child in node.children[1:]:
            if child.children and child.type == self._sym.dotted_name:
                leaves = tuple(child.children[::2])
                if leaves[0].value in self._wanted:
                    self._found.append((child, leaves, (), scope))
            else:
                self._visit(child, scope)

    def _power(self, node: Node, scope: Scope, inside: Callable[[Node, Scope], None] | None = None) -> None:
        """Collects the use of a name with the attributes, calls and subscripts after it. `inside` visits arguments and indices; None:
        `_visit`.
        """
        children = node.children
        at = 1 if not children[0].children and children[0].value == "await" else 0
        head = children[at]
        rest = children[at + 1 :]
        if not head.children and head.type == NAME:
            leaves = [head]
            for trailer in rest:
                if trailer.type != self._sym.trailer or trailer.children[0].value != ".":
                    break
                leaves.append(trailer.children[1])
            if head.value in self._wanted:
                self._found.append((node, tuple(leaves), tuple(rest[len(leaves) - 1 :]), scope))
            rest = rest[len(leaves) - 1 :]
        else:
            self._visit(head, scope)
        for trailer in rest:
            if trailer.type == self._sym.trailer and trailer.children[0].value == ".":
                continue
            (inside or self._visit)(trailer, scope)

    def _resolve(self) -> None:
        aliases = self._follow()
        for number, (_, leaves, trailers, scope) in enumerate(self._found):
            full, bound = self._stands_for(leaves, scope)
            if full is None:
                continue
            use = Use(".".join([full, *(leaf.value for leaf in leaves[1:])]), leaves, scope, bound, trailers)
            if bound is not None:
                bound.uses.append(use)
            if number in aliases:
                aliases[number].value = use
            self.uses.append(use)

    def _follow(self) -> dict[int, Import]:
        """Binds the names that are assigned a module, and nothing else: number of the value in `_found` -> binding."""
        aliases = {}
        elsewhere = {name for scope in self.scopes for name in scope.elsewhere}
        for statement, number, scope in self._assigned:
            name = statement.children[0].value
            leaves = self._found[number][1]
            full, _ = self._stands_for(leaves, scope)
            whole = ".".join([full, *(leaf.value for leaf in leaves[1:])]) if full else ""
            once = len(scope.others.get(name, ())) == 1 and name not in scope.imports and name not in elsewhere
            if once and scope.kind != "class" and _is_module(whole):
                aliases[number] = Import(whole, name, statement, statement, whole, scope)
                self.aliases.append(aliases[number])
                scope.imports[name] = [aliases[number]]
                del scope.others[name]
                scope.forget(name)
        return aliases

    def _stands_for(self, leaves: tuple[Node, ...], scope: Scope) -> tuple[str | None, Import | None]:
        """(dotted name that the first leaf of a chain refers to, import that binds it); None for each that does not exist."""
        head = leaves[0]
        bound, hidden = _lookup(head, scope)
        if bound is not None:
            return bound.full, bound
        if hidden:
            return None, None
        if head.value in self._starred:
            return self._starred[head.value], None
        return (head.value if head.value in ORIGINS and head.value in self._roots and len(leaves) > 1 else None), None


def _is_module(full: str) -> bool:
    """Whether a dotted name is a module of Theano, Aesara or PyTensor that no function of the same name hides (`theano.scan`)."""
    origin, _, inside = full.partition(".")
    if origin not in ROOTS or inside not in legacy.table(origin):
        return False
    row = legacy.known(origin, inside) if inside else None
    return row is None or not row.origin


def _lookup(head: Node, scope: Scope) -> tuple[Import | None, bool]:
    """(import that binds a name where it is used, or None; whether another binding hides the framework's name, if there is no import)."""
    name, here = head.value, scope
    at: Scope | None = scope
    while at is not None:
        if name in at.elsewhere:
            at = _outermost(at)
        elif at.kind == "class" and at is not here:
            at = at.parent
            continue
        imports, others = at.imports.get(name), at.others.get(name)
        if imports:
            starts, hiding = at.lines(name)
            number = max(bisect.bisect_right(starts, head.lineno) - 1, 0)
            between = bisect.bisect_left(hiding, head.lineno) - bisect.bisect_left(hiding, starts[number])
            if others and at is here and between > 0:  # the name was given another value between its import and its use
                return None, True
            return imports[number], False
        if others:
            return None, True
        at = at.parent
    return None, False


def is_none(leaf: Node) -> bool:
    """Returns whether a leaf is the target of `name = None`."""
    parent = leaf.parent
    value = parent.children[-1] if parent is not None and parent.type == symbols().expr_stmt else None
    return value is not None and not value.children and value.value == "None"


def _outermost(scope: Scope) -> Scope:
    while scope.parent is not None:
        scope = scope.parent
    return scope

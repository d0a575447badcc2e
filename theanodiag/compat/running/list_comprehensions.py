"""List comprehensions of Python 2, which have no scope of their own (CPython 2.7, compiler_listcomp in Python/compile.c; those of sets,
dictionaries and generators have): after `[x for x in xs]`, `x` is the last element, and in the body of a class they see its names.

Both are searched for in a source translated to Python 3. Of the names left behind, each read that one may reach by any path through the
statements counts: too many may be found (a loop may end anywhere), never too few within a scope. Another module that reads the name is not
seen.
"""

import ast
from typing import Any, Dict, FrozenSet, List, NamedTuple, Set, Tuple

from .generators import within

_State = Dict[str, FrozenSet[ast.ListComp]]
"""Name -> the comprehensions that may have bound it last."""
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_OWN_SCOPES = (ast.GeneratorExp, ast.SetComp, ast.DictComp)
_INNER = (*_FUNCTIONS, ast.ClassDef, *_OWN_SCOPES)
"""Scopes of Python 2."""
_LOOKERS = ("locals", "vars", "eval", "exec")
"""Functions that may read any name of the scope which calls them."""


class LeakedNames(NamedTuple):
    """A list comprehension whose names are read outside of it."""

    comprehension: ast.ListComp
    names: FrozenSet[str]
    writable: bool
    """Whether Python 3 can bind them there with `:=`: not in the body of a class, and not in what a comprehension iterates over."""

    @property
    def warning(self) -> str:
        """Returns what is lost if the list comprehension stays as it is."""
        names = ", ".join(sorted(self.names))
        return "Python 2 keeps {} of this list comprehension for what follows, which is not translated: write a loop".format(names)


def names_of(target: ast.AST) -> Set[str]:
    """Returns the names that the target of a loop or an assignment binds."""
    return {node.id for node in ast.walk(target) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def _bound_by(comprehension: Any) -> Set[str]:
    """The names over which a comprehension loops."""
    return set().union(*(names_of(generator.target) for generator in comprehension.generators))


def _arguments(function: Any) -> Set[str]:
    arguments = function.args
    given = [*getattr(arguments, "posonlyargs", ()), *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
    return {argument.arg for argument in given if argument is not None}


def _free(scope: Any) -> Set[str]:
    """The names that a function, a class or a comprehension reads from around it, at least."""
    inside = list(within(scope, _INNER))
    names = [node for node in inside if isinstance(node, ast.Name)]
    bound = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    read = {node.id for node in names if not isinstance(node.ctx, ast.Store)}
    for node in inside:
        if isinstance(node, _INNER):
            read |= _free(node)
    read -= bound | (_arguments(scope) if isinstance(scope, _FUNCTIONS) else set())
    if isinstance(scope, _OWN_SCOPES):  # the first iterable is computed outside
        read |= {node.id for node in ast.walk(scope.generators[0].iter) if isinstance(node, ast.Name)}
    return read


class _Scope(ast.NodeVisitor):
    """Follows the statements of one scope of Python 2; `needed` are its list comprehensions with the names that must outlive them."""

    def __init__(self, scope: Any, iterated: int) -> None:
        self.scope = scope
        self.iterated = iterated
        """How many comprehensions iterate over what is being visited."""
        self.state: _State = {}
        self.seen: List[_State] = []
        """For each loop and `try` around the statement: what may hold where it is left."""
        self.around: List[Tuple[Any, Set[str]]] = []
        """The comprehensions around the expression, each with the names that Python 3 takes from it."""
        self.needed: Dict[ast.ListComp, Set[str]] = {}
        self.parents: Dict[ast.ListComp, List[Any]] = {}
        self.writable: Dict[ast.ListComp, bool] = {}
        self.nested: Dict[Any, int] = {}
        self.everywhere, self.stored = _of_scope(scope)
        for part in scope.body if isinstance(scope.body, list) else [scope.body]:
            self.visit(part)

    # What may hold

    def _join(self, *states: _State) -> None:
        joined: _State = {}
        for state in states:
            for name, comprehensions in state.items():
                joined[name] = joined.get(name, frozenset()) | comprehensions
        self.state = joined

    def _leave(self) -> None:
        """Notes that the loops and `try` around this place may be left here."""
        now = self.state
        for number, before in enumerate(self.seen):
            self._join(before, now)
            self.seen[number] = self.state
        self.state = now

    def _block(self, statements: List[ast.stmt]) -> None:
        for statement in statements:
            self.visit(statement)
            self._leave()

    def _ended(self, node: ast.AST) -> None:
        """A statement after which the next one does not follow."""
        self.generic_visit(node)
        self._leave()
        self.state = {}

    visit_Return = visit_Raise = visit_Break = visit_Continue = _ended

    # Names

    def _read(self, name: str) -> None:
        binder = next((node for node, names in reversed(self.around) if name in names), None)
        for comprehension in self.state.get(name, ()):
            if comprehension is not binder:
                self._need(comprehension, name)

    def _need(self, comprehension: ast.ListComp, name: str) -> None:
        self.needed.setdefault(comprehension, set()).add(name)
        for outer in self.parents[comprehension]:
            if isinstance(outer, ast.ListComp) and name in _bound_by(outer) and name not in self.needed.get(outer, ()):
                self._need(outer, name)

    def visit_Name(self, node: ast.Name) -> None:
        """Reads, binds or deletes a name."""
        if not isinstance(node.ctx, ast.Store):
            self._read(node.id)
        if not isinstance(node.ctx, ast.Load):
            self.state.pop(node.id, None)

    def visit_Call(self, node: ast.Call) -> None:
        """Visits a call; some read any name."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _LOOKERS and (node.func.id in ("eval", "exec") or not node.args):
            for name in list(self.state):
                self._read(name)

    # Scopes in this one

    def _function(self, node: Any) -> None:
        for part in (*node.args.defaults, *node.args.kw_defaults, *getattr(node, "decorator_list", ())):
            if part is not None:
                self.visit(part)
        self.nested[node] = self.iterated
        free = _free(node)
        for comprehension, names in self.around:
            if isinstance(comprehension, ast.ListComp):
                for name in free & names:
                    if self.stored.get(name, 0) > 1:  # the function sees what is bound later
                        self._need(comprehension, name)
        if not isinstance(node, ast.Lambda):
            self.state.pop(node.name, None)

    visit_FunctionDef = visit_AsyncFunctionDef = visit_Lambda = _function

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        """Visits a class; its body runs at once."""
        for part in (*node.bases, *node.keywords, *node.decorator_list):
            self.visit(part)
        self.nested[node] = self.iterated
        for name in _free(node):
            self._read(name)
        self.state.pop(node.name, None)

    # Comprehensions

    def _comprehension(self, node: Any) -> None:
        leaks = isinstance(node, ast.ListComp) and not any(isinstance(outer, _OWN_SCOPES) for outer, _ in self.around)
        self._iterable(node.generators[0])
        if leaks:
            self.parents[node] = [outer for outer, _ in self.around]
            self.writable[node] = not self.iterated and not isinstance(self.scope, ast.ClassDef)
        before = dict(self.state)
        taken: Set[str] = set()
        self.around.append((node, taken))
        for _ in range(2):
            for number, generator in enumerate(node.generators):
                if number:
                    self._iterable(generator)
                names = names_of(generator.target)
                taken |= names
                self.state.update((name, frozenset((node,) if leaks else ())) for name in names)
                for condition in generator.ifs:
                    self.visit(condition)
            for part in (node.key, node.value) if isinstance(node, ast.DictComp) else (node.elt,):
                self.visit(part)
        self.around.pop()
        if leaks:
            for name in taken & self.everywhere:
                self._need(node, name)
            self._join(before, self.state)
        else:
            self.state.update((name, before.get(name, frozenset())) for name in taken)

    def _iterable(self, generator: ast.comprehension) -> None:
        self.iterated += 1
        self.visit(generator.iter)
        self.iterated -= 1

    visit_ListComp = visit_GeneratorExp = visit_SetComp = visit_DictComp = _comprehension

    # Statements

    def visit_Assign(self, node: ast.Assign) -> None:
        """Visits an assignment: the value comes before the targets."""
        for part in (node.value, *node.targets):
            self.visit(part)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """Visits an augmented assignment: the target is read too."""
        if isinstance(node.target, ast.Name):
            self._read(node.target.id)
        for part in (node.target, node.value, node.target):
            self.visit(part)

    def _imported(self, node: Any) -> None:
        for alias in node.names:
            self.state.pop(alias.asname or alias.name.partition(".")[0], None)

    visit_Import = visit_ImportFrom = _imported

    def visit_If(self, node: ast.If) -> None:
        """Visits both blocks of an `if`."""
        self.visit(node.test)
        before = dict(self.state)
        self._block(node.body)
        after, self.state = self.state, before
        self._block(node.orelse)
        self._join(after, self.state)

    def _loop(self, node: Any) -> None:
        target = getattr(node, "target", None)
        self.visit(node.test if target is None else node.iter)
        self.seen.append({})
        for _ in range(2):  # what the first round leaves behind, the second reads
            before = dict(self.state)
            if target is not None:
                self.visit(target)
            self._block(node.body)
            if target is None:
                self.visit(node.test)
            self._join(before, self.state, self.seen[-1])
        left = self.seen.pop()
        self._block(node.orelse)
        self._join(self.state, left)

    visit_For = visit_AsyncFor = visit_While = _loop

    def visit_With(self, node: Any) -> None:
        """Visits what a `with` opens, then its block."""
        for item in node.items:
            self.visit(item)
        self._block(node.body)

    visit_AsyncWith = visit_With

    def visit_Try(self, node: Any) -> None:
        """Visits a `try`: a handler begins wherever the block may have stopped."""
        self.seen.append(dict(self.state))
        self._block(node.body)
        stopped = self.seen.pop()
        self._block(node.orelse)
        ends = [self.state]
        for handler in node.handlers:
            self.state = dict(stopped)
            if handler.type is not None:
                self.visit(handler.type)
            if handler.name:
                self.state.pop(handler.name, None)
            self._block(handler.body)
            ends.append(self.state)
        self._join(*ends, *([stopped] if node.finalbody else []))
        self._block(node.finalbody)

    visit_TryStar = visit_Try


def _captured(node: ast.AST, taken: Set[str], in_class: bool) -> Set[str]:
    """The names that functions, classes and generators in a node of a scope read from it at any time; `taken` are those of comprehensions
    around it, which the visit of the functions in them checks."""
    found: Set[str] = set()
    for child in ast.iter_child_nodes(node):
        later = isinstance(child, ast.GeneratorExp) and not isinstance(node, ast.Call)
        if isinstance(child, ast.ClassDef) or ((isinstance(child, _FUNCTIONS) or later) and not in_class):
            found |= _free(child) - taken
        elif isinstance(child, ast.Global):
            found.update(child.names)
        if not isinstance(child, (*_FUNCTIONS, ast.ClassDef)):
            inner = taken | _bound_by(child) if isinstance(child, (ast.ListComp, *_OWN_SCOPES)) else taken
            found |= _captured(child, inner, in_class)
    return found


def _of_scope(scope: Any) -> Tuple[Set[str], Dict[str, int]]:
    """(the names of a scope that anything may read at any time, name -> how often it is bound there)."""
    stored: Dict[str, int] = {}
    for node in within(scope, _INNER):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            stored[node.id] = stored.get(node.id, 0) + 1
    return _captured(scope, set(), isinstance(scope, ast.ClassDef)), stored


def find(tree: ast.Module) -> List[LeakedNames]:
    """Returns the list comprehensions whose names are read outside of them, in order of their places."""
    found: List[LeakedNames] = []
    waiting: List[Tuple[Any, int]] = [(tree, 0)]
    while waiting:
        scope = _Scope(*waiting.pop())
        waiting.extend(scope.nested.items())
        for comprehension, names in scope.needed.items():
            found.append(LeakedNames(comprehension, frozenset(names), scope.writable[comprehension]))
    return sorted(found, key=lambda leak: (leak.comprehension.lineno, leak.comprehension.col_offset))


def in_classes(tree: ast.Module) -> List[Tuple[ast.ListComp, List[str]]]:
    """Returns the list comprehensions in bodies of classes that read names of the class, with these names. Python 3 does not find such
    names.
    """
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            inside = list(within(node, _INNER))
            comprehensions = [part for part in inside if isinstance(part, ast.ListComp)]
            inner = {id(part) for whole in comprehensions for part in ast.walk(whole) if part is not whole}
            own = [part for part in inside if id(part) not in inner]
            names = {part.id for part in own if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
            names |= {part.name for part in own if isinstance(part, (*_FUNCTIONS[:2], ast.ClassDef))}
            for whole in comprehensions:
                first = {part.id for part in ast.walk(whole.generators[0].iter) if isinstance(part, ast.Name)}
                used = (_free(whole) | first) & names
                if used and id(whole) not in inner:
                    found.append((whole, sorted(used)))
    return found


class _Given(ast.NodeTransformer):
    """Gives comprehensions the names of the class as arguments of a function."""

    def __init__(self, names: Dict[ast.ListComp, List[str]]) -> None:
        self.names = names

    def visit_ListComp(self, node: ast.ListComp) -> ast.AST:
        """`[n * i for i in xs]` becomes `(lambda n: [n * i for i in xs])(n)`."""
        self.generic_visit(node)
        names = self.names.get(node)
        if names is None:
            return node
        given = ast.arguments([], [ast.arg(name) for name in names], None, [], [], None, [])
        call = ast.Call(ast.Lambda(given, node), [ast.Name(name, ast.Load()) for name in names], [])
        return ast.fix_missing_locations(ast.copy_location(call, node))


def translate(tree: ast.Module, prefix: str) -> List[LeakedNames]:
    """Makes the list comprehensions of a tree behave as in Python 2. Returns those that cannot be changed although their names are read
    later.

    `[f(x) for x in xs]` becomes `[f(x) for _x in xs if [x := _x]]`, whose condition is true; `prefix` begins the new names.
    """
    left = []
    classes = dict(in_classes(tree))
    for leak in find(tree):
        if not leak.writable:
            left.append(leak)
            continue
        for generator in leak.comprehension.generators:
            bound = []
            for node in ast.walk(generator.target):
                if isinstance(node, ast.Name) and node.id in leak.names:
                    taken, node.id = node.id, prefix + node.id
                    bound.append(ast.NamedExpr(ast.Name(taken, ast.Store()), ast.Name(node.id, ast.Load())))
            if bound:
                condition = ast.copy_location(ast.List(list(bound), ast.Load()), generator.target)
                generator.ifs.insert(0, ast.fix_missing_locations(condition))
    _Given(classes).visit(tree)
    return left

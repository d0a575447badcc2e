"""Writes a script's training in parts of a batch, with its own updates of sums of gradients, in its own names."""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..ir import Site
from .compiling import Compiling, find_compiling
from .source_changes import DIFFERENTIATE, parsed

Function = ast.FunctionDef
COST, BY = "cost", "wrt"
"""Names of the arguments of `grad`."""


@dataclass(frozen=True)
class Training:
    """Facts about the function that trains that do not come from the text of the script."""

    site: Site | None
    """The line that compiles it."""
    arguments: Mapping[str, int | None]
    """Its arguments, in order; for those with rows of the batch, the axis of these."""
    single: frozenset[str]
    """Expressions of shared variables, by which one gradient is taken, and not a list of them."""
    weighted: bool
    """Whether cost and gradients are means over the rows; sums otherwise."""
    returned: int
    """Number of results, all of them numbers."""


def lines_in_parts(text: str, library: str, name: str, training: Training, part: int) -> list[str] | None:
    """Returns the statements to put in place of those of a script, each with its line, to compute batches in parts of `part` rows.

    None if the text does not show in one scope what is differentiated and where the function is compiled. In the new statements `name` is a
    Python function. It calls one compiled function that adds gradients to the sums, and one that updates.
    """
    compiling = find_compiling(text, training.site)
    tree = parsed(text)
    if compiling is None or tree is None or not any(axis is not None for axis in training.arguments.values()):
        return None
    script = _Differentiating(text, tree, compiling, training.single)
    if not script.read() or len(compiling.inputs) != len(training.arguments):
        return None
    lines = _Lines(text, library, name, training, part, compiling, script)
    return list(lines.written())


class _Differentiating:
    """Where a script takes the gradients that a function updates with, and the same statements with sums in their place."""

    def __init__(self, text: str, tree: ast.Module, compiling: Compiling, single: frozenset[str]) -> None:
        self.tree, self.compiling, self.single = tree, compiling, single
        self.sums, self.total = _free(text, "sums"), _free(text, "total")
        self.parents = {child: node for node in ast.walk(tree) for child in ast.iter_child_nodes(node)}
        self.cost = self.parameters = ""
        """Expressions of the cost, and of the list by which it is differentiated."""
        self.replaced: dict[ast.AST, ast.expr] = {}
        """Node -> what comes in its place."""

    def read(self) -> bool:
        """Finds the gradients. Returns False if the text does not show them, or shows them in another scope than the function."""
        own = {n.name for n in ast.walk(self.tree) if isinstance(n, Function)}
        calls = [c for c in ast.walk(self.tree) if isinstance(c, ast.Call) and _name(c) in DIFFERENTIATE and _name(c) not in own]
        pairs = [(c, _given(c, 0, COST), _given(c, 1, BY)) for c in calls]
        if not pairs or any(cost is None or by is None for _, cost, by in pairs):
            return False
        if len(pairs) > 1:
            return self._several(pairs)
        call, cost, by = pairs[0]
        around = self._function(call)
        if around is self._function(self.compiling.statement):
            return self._of_call(call, cost, by, ast.Name(self.sums))
        if around is None or cost is None or by is None or _name(call) != "grad":
            return False
        return any(read(around, call, cost, by) for read in (self._in_helper, self._in_method, self._in_attribute))

    def changed(self, node: ast.stmt) -> ast.stmt:
        """Returns a statement with sums in place of gradients."""
        return _with(node, self.replaced)  # type: ignore[no-any-return]

    def statements(self) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Returns the statements with gradients: those in another function, and those before the statement that compiles the function, in
        order.
        """
        found = sorted({self._statement(node) for node in self.replaced} - {self.compiling.statement}, key=lambda s: s.lineno)
        here = self._function(self.compiling.statement)
        helpers = [s for s in found if isinstance(s, Function) or self._function(s) is not here]
        return helpers, [s for s in found if s not in helpers]

    def _several(self, pairs: Sequence[tuple[ast.Call, ast.expr | None, ast.expr | None]]) -> bool:
        """Gradients by one shared variable each."""
        costs = {ast.unparse(cost) for _, cost, _ in pairs if cost}
        names = [ast.unparse(by) for _, _, by in pairs if by]
        here = self._function(self.compiling.statement)
        if len(costs) > 1 or not self.single.issuperset(names) or any(self._function(c) is not here for c, _, _ in pairs):
            return False
        self.cost, self.parameters = costs.pop(), f"[{', '.join(dict.fromkeys(names))}]"
        order = list(dict.fromkeys(names))
        self.replaced = {c: _expression(f"{self.sums}[{order.index(name)}]") for (c, _, _), name in zip(pairs, names)}
        return True

    def _of_call(self, call: ast.Call, cost: ast.expr | None, by: ast.expr | None, sums: ast.expr) -> bool:
        """One call: a list of gradients, one for each element of a comprehension, or updates made of the cost."""
        if cost is None or by is None:
            return False
        loops = [n for n in self._above(call) if isinstance(n, (ast.ListComp, ast.GeneratorExp, ast.For, ast.DictComp, ast.SetComp))]
        self.cost, self.parameters = ast.unparse(cost), ast.unparse(by)
        if loops:
            return self._in_comprehension(call, by, loops, sums)
        if self.parameters in self.single:
            self.parameters, sums = f"[{self.parameters}]", _expression(f"{self.sums}[0]")
        self.replaced = {call if _name(call) == "grad" else cost: sums}
        return True

    def _in_comprehension(self, call: ast.Call, by: ast.expr, loops: Sequence[ast.AST], sums: ast.expr) -> bool:
        """`grad(cost, p)` for each p of one list."""
        loop = loops[0]
        own = loop.generators[0] if isinstance(loop, (ast.ListComp, ast.GeneratorExp)) else loop
        if len(loops) > 1 or not isinstance(own, (ast.comprehension, ast.For)) or not isinstance(own.target, ast.Name):
            return False
        if ast.unparse(own.target) != ast.unparse(by) or len(getattr(loop, "generators", [own])) != 1 or _name(call) != "grad":
            return False
        self.parameters = ast.unparse(own.iter)
        self.replaced = self._of_each(own, call, sums)
        return True

    def _in_helper(self, around: Function, call: ast.Call, cost: ast.expr, by: ast.expr) -> bool:
        """A function or method of the script that is called once, where the function is compiled, and gets the cost as an argument."""
        callers = [c for c in ast.walk(self.tree) if isinstance(c, ast.Call) and _name(c) == around.name]
        arguments = [a.arg for a in around.args.args]
        uses = [n for n in ast.walk(around) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n.id == ast.unparse(cost)]
        if len(callers) != 1 or not isinstance(cost, ast.Name) or cost.id not in arguments or len(uses) > 1:
            return False
        caller = callers[0]
        if isinstance(caller.func, ast.Attribute) and arguments[:1] == ["self"]:
            del arguments[0]
        loop, whole, names = self._gradients(call, by)
        given = [_given(caller, arguments.index(n), n) if n in arguments else _expression(n) for n in (cost.id, names)]
        if self._function(caller) is not self._function(self.compiling.statement) or None in given:
            return False
        loops = [n for n in self._above(whole) if isinstance(n, (ast.For, ast.comprehension))]
        if loops != ([] if loop is None else [loop]) or names in self.single or names.startswith("self."):
            return False
        self.cost, self.parameters = (ast.unparse(g) for g in given if g is not None)
        at_once = ast.unparse(whole) if loop is None else f"{ast.unparse(call.func)}({cost.id}, {names})"
        either = _expression(f"{cost.id} if isinstance({cost.id}, list) else {at_once}")
        self.replaced = {whole: either} if loop is None else self._of_each(loop, call, either)
        self.replaced.update({given[0]: ast.Name(self.sums)} if given[0] is not None else {})
        return True

    def _in_method(self, around: Function, call: ast.Call, cost: ast.expr, by: ast.expr) -> bool:
        """A method that is called once, where the function is compiled, and takes cost and parameters from its object: it gets the sums as
        one more argument.
        """
        callers = [c for c in ast.walk(self.tree) if isinstance(c, ast.Call) and _name(c) == around.name]
        same = [n for n in ast.walk(self.tree) if isinstance(n, Function) and n.name == around.name]
        loop, whole, names = self._gradients(call, by)
        own, parameters = self._of_object(around, ast.unparse(cost)), self._of_object(around, names)
        func = callers[0].func if len(callers) == len(same) == 1 else None
        if own is None or parameters is None or not isinstance(func, ast.Attribute) or around.decorator_list or names in self.single:
            return False
        if self._function(callers[0]) is not self._function(self.compiling.statement):
            return False
        if [n for n in self._above(whole) if isinstance(n, (ast.For, ast.comprehension))] != ([] if loop is None else [loop]):
            return False
        self.cost, self.parameters = f"{ast.unparse(func.value)}{own}", f"{ast.unparse(func.value)}{parameters}"
        at_once = ast.unparse(whole) if loop is None else f"{ast.unparse(call.func)}({ast.unparse(cost)}, {names})"
        either = _expression(f"{at_once} if {self.sums} is None else {self.sums}")
        self.replaced = {whole: either} if loop is None else self._of_each(loop, call, either)
        arguments, caller = copy.deepcopy(around.args), copy.copy(callers[0])
        arguments.args.append(ast.arg(self.sums))
        arguments.defaults.append(ast.Constant(None))
        caller.keywords = [*caller.keywords, ast.keyword(self.sums, ast.Name(self.sums))]
        self.replaced.update({around.args: arguments, callers[0]: caller})  # type: ignore[dict-item]
        return True

    def _in_attribute(self, around: Function, call: ast.Call, cost: ast.expr, by: ast.expr) -> bool:
        """Gradients that a method keeps as an attribute of its object, which is read only where the function is compiled."""
        loop, whole, names = self._gradients(call, by)
        kept, own, parameters = self.parents[whole], self._of_object(around, ast.unparse(cost)), self._of_object(around, names)
        target = kept.targets[0] if isinstance(kept, ast.Assign) else None
        if loop is not None or own is None or parameters is None or names in self.single or not isinstance(target, ast.Attribute):
            return False
        found = [n for n in ast.walk(self.tree) if isinstance(n, ast.Attribute) and n.attr == target.attr and n is not target]
        owners = {ast.unparse(n.value) for n in found}
        here = self._function(self.compiling.statement)
        if len(owners) != 1 or any(self._function(n) is not here or not isinstance(n.ctx, ast.Load) for n in found):
            return False
        owner = owners.pop()
        self.cost, self.parameters = f"{owner}{own}", f"{owner}{parameters}"
        self.replaced = {n: ast.Name(self.sums) for n in found}
        return True

    def _of_object(self, method: Function, expression: str) -> str | None:
        """The attribute of a method's object that an expression is, or to which the method assigns it: `.cost`; None if there is none."""
        assigned = [n for n in ast.walk(method) if isinstance(n, ast.Assign) and ast.unparse(n.value) == expression]
        names = [expression, *(ast.unparse(t) for n in assigned for t in n.targets)]
        return next((name[len("self") :] for name in names if name.startswith("self.")), None)

    def _gradients(self, call: ast.Call, by: ast.expr) -> tuple[ast.For | None, ast.expr, str]:
        """The loop that takes one gradient for each parameter, the expression of all gradients, and the expression of the parameters."""
        parent = self.parents[call]
        if isinstance(parent, ast.ListComp) and parent.elt is call and isinstance(by, ast.Name):
            return None, parent, ast.unparse(parent.generators[0].iter)
        loop = next((n for n in self._above(call) if isinstance(n, ast.For)), None)
        if loop is not None and isinstance(loop.target, ast.Name) and ast.unparse(loop.target) == ast.unparse(by):
            return loop, call, ast.unparse(loop.iter)
        return None, call, ast.unparse(by)

    def _of_each(self, loop: ast.For | ast.comprehension, call: ast.Call, sums: ast.expr) -> dict[ast.AST, ast.expr]:
        """The loop over the parameters together with their gradients, and each gradient by its name there."""
        pair = ast.Tuple([ast.Name(ast.unparse(loop.target)), ast.Name(self.total)], ast.Store())
        return {call: ast.Name(self.total), loop.target: pair, loop.iter: ast.Call(ast.Name("zip"), [loop.iter, sums], [])}

    def _above(self, node: ast.AST) -> Iterator[ast.AST]:
        """The nodes around one, up to the function."""
        while node in self.parents and not isinstance(node := self.parents[node], Function):
            yield node

    def _function(self, node: ast.AST) -> Function | None:
        while node in self.parents and not isinstance(node := self.parents[node], Function):
            pass
        return node if isinstance(node, Function) else None

    def _statement(self, node: ast.AST) -> ast.stmt:
        while not isinstance(node, ast.stmt):
            node = self.parents[node]
        return node


@dataclass(frozen=True)
class _Lines:
    """The lines to paste."""

    text: str
    library: str
    name: str
    training: Training
    part: int
    compiling: Compiling
    script: _Differentiating

    def written(self) -> Iterator[str]:
        """Yields the statements. A statement that replaces another ends in its line; statements before it come before that line."""
        share, add, step, whole = (_free(self.text, n) for n in ("share", "add_part", "apply_sums", f"{self.name}_in_parts"))
        lib, script, weighted = self.library, self.script, self.training.weighted
        helpers, others = script.statements()
        yield from map(self._changed, helpers)
        yield f"{script.sums} = [{lib}.shared(p.get_value() * 0) for p in {script.parameters}]"
        yield from map(self._changed, others)
        if weighted:
            yield f'{share} = {lib}.tensor.scalar("{share}")  # of the rows of a batch'
        gradient = f"{lib}.{'tensor.' * (lib == 'pytensor')}grad({script.cost}, {script.parameters})"
        more = f"[(s, s + {f'{share} * ' * weighted}g) for s, g in zip({script.sums}, {gradient})]"
        inputs, given = self.compiling.inputs, self.training.arguments.values()
        own = [i for i, axis in zip(inputs, given) if axis is None]
        compiling = Compiling(script.changed(self.compiling.statement), self.compiling.in_method)  # type: ignore[arg-type]
        zero = f"[(s, s * 0) for s in {script.sums}]"
        yield f"{add} = {self.compiling.call([*inputs, *[share] * weighted], more, 'ignore' if own else None)}"
        yield f"{step} = {compiling.call(own, f'{compiling.listed_updates} + {zero}', 'ignore' if own else None, returns=False)}"
        yield from self._python(whole, add, step)
        yield f"{self.compiling.replaced(whole)}  # line {self.compiling.statement.lineno}"

    def _changed(self, statement: ast.stmt) -> str:
        return f"{_header(self.script.changed(statement))}  # line {statement.lineno}"

    def _python(self, whole: str, add: str, step: str) -> Iterator[str]:
        """Yields the function in Python, with the arguments of the compiled one."""
        given, weighted = self.training.arguments, self.training.weighted
        rows = {n: f"{n}[{':, ' * axis}k:k + {self.part}]" if axis is not None else n for n, axis in given.items()}
        first, axis = next((n, axis) for n, axis in given.items() if axis is not None)
        length = f"len({first})" if axis == 0 else f"{first}.shape[{axis}]"
        call = f"{add}({', '.join([*rows.values(), *['part'] * weighted])})"
        value = f"numpy.array({call})" if self.training.returned > 1 else call
        yield f"def {whole}({', '.join(given)}):"
        if self.training.returned:
            yield "    result = 0"
        yield f"    for k in range(0, {length}, {self.part}):"
        if weighted:
            yield f"        part = min({self.part}, {length} - k) / float({length})"
        yield f"        result = result + {'part * ' * weighted}{value}" if self.training.returned else f"        {call}"
        yield f"    {step}({', '.join(n for n, axis in given.items() if axis is None)})"
        if self.training.returned:
            yield "    return result"


def _free(text: str, name: str) -> str:
    """The name, or one like it that a text does not have."""
    while re.search(rf"\b{name}\b", text):
        name += "_"
    return name


def _with(node: Any, replaced: Mapping[ast.AST, ast.expr]) -> Any:
    """A node, or a list of nodes, with others in place of those of which it is made."""
    if isinstance(node, list):
        return [_with(part, replaced) for part in node]
    if not isinstance(node, ast.AST) or node in replaced:
        return replaced[node] if isinstance(node, ast.AST) else node
    new = copy.copy(node)
    for field, value in ast.iter_fields(node):
        setattr(new, field, _with(value, replaced))
    return new


def _header(node: ast.AST) -> str:
    """The text of a statement; of a loop or function, its first line."""
    text = ast.unparse(ast.fix_missing_locations(node))
    return text.splitlines()[0] if isinstance(node, (ast.For, Function)) else text


def _name(call: ast.Call) -> str:
    return ast.unparse(call.func).rpartition(".")[2]


def _given(call: ast.Call, position: int, name: str) -> ast.expr | None:
    by_name = next((k.value for k in call.keywords if k.arg == name), None)
    return by_name or (call.args[position] if position < len(call.args) else None)


def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body

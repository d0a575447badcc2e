"""Where a script defines and gives one-hot rows, written with the numbers of their ones instead."""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator
from typing import TYPE_CHECKING

from .expressions import filled, is_call_of
from .graphs.identities import NeedlessMatrix

if TYPE_CHECKING:
    from .identity_code import ScriptText

WHOLE = {
    "matrix": "ivector",
    "fmatrix": "ivector",
    "dmatrix": "ivector",
    "tensor3": "imatrix",
    "ftensor3": "imatrix",
    "dtensor3": "imatrix",
}
"""Kind of Variable for one-hot rows -> the kind for their numbers."""


class NumberedRows:
    """The places in a script that define and pass one-hot rows, rewritten with class numbers."""

    def __init__(self, script: ScriptText, identity: NeedlessMatrix) -> None:
        self.script, self.given = script, identity.given
        self.line = identity.sites[0].line if identity.made else None
        self.names = set(self._targets(self.line))
        """Names of the rows in the script."""
        for call in self._compiled():
            for key, value in zip(*next(((d.keys, d.values) for d in (self._givens(call),) if d is not None), ((), ()))):
                if key is not None and not self.names.isdisjoint(ast.unparse(n) for n in ast.walk(value) if isinstance(n, ast.expr)):
                    self.names.add(ast.unparse(key))

    def change(self) -> None:
        """Rewrites the definition of the rows, and what is passed or stored."""
        for statement in self.script.scopes:
            new = copy.deepcopy(self.script.changed.get(statement, statement))
            if any([self._defined(new), self._passed(new)]):
                self.script.changed[statement] = ast.fix_missing_locations(new)

    def _targets(self, line: int | None) -> Iterator[str]:
        """The names that a line binds."""
        for statement in self.script.scopes:
            if isinstance(statement, ast.Assign) and line is not None and statement.lineno <= line <= (statement.end_lineno or line):
                yield from (ast.unparse(t) for t in statement.targets if isinstance(t, (ast.Name, ast.Attribute)))

    def _compiled(self) -> Iterator[ast.Call]:
        """The call that compiles the function."""
        line = self.given.compiled if self.given is not None else None
        for statement in self.script.scopes:
            if line is not None and statement.lineno <= line <= (statement.end_lineno or statement.lineno):
                yield from (n for n in ast.walk(statement) if isinstance(n, ast.Call) and is_call_of(n, "function"))

    def _givens(self, call: ast.Call) -> ast.Dict | None:
        return next((k.value for k in call.keywords if k.arg == "givens" and isinstance(k.value, ast.Dict)), None)

    def _defined(self, new: ast.stmt) -> bool:
        """Makes the definition of the rows one of their numbers."""
        if (
            not isinstance(new, ast.Assign)
            or not any(ast.unparse(t) in self.names for t in new.targets)
            or not isinstance(new.value, ast.Call)
        ):
            return False
        call, func = new.value, new.value.func
        kind = next((k for k in WHOLE if is_call_of(call, k)), None)
        if kind is not None and isinstance(func, ast.Attribute):
            func.attr = WHOLE[kind]
        elif kind is not None and isinstance(func, ast.Name):
            func.id = WHOLE[kind]
        elif is_call_of(call, "shared") and call.args:
            call.args[0] = _numbers_of(call.args[0])
        else:
            return False
        return True

    def _passed(self, new: ast.stmt) -> bool:
        """Makes what is passed to the function numbers."""
        position = self.given.position if self.given is not None else None
        functions = set(self._targets(self.given.compiled if self.given is not None else None))
        calls = [n for n in ast.walk(new) if isinstance(n, ast.Call) and ast.unparse(n.func) in functions]
        done = [c for c in calls if position is not None and position < len(c.args) and not any(isinstance(a, ast.Starred) for a in c.args)]
        for call in done:
            call.args[position or 0] = _numbers_of(call.args[position or 0])
        return bool(done)


def _numbers_of(rows: ast.expr) -> ast.expr:
    """The places of the ones in one-hot rows."""
    return filled('rows.argmax(-1).astype("int32")', rows=rows)

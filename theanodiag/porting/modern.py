"""Grammar additions of Python 3.8 to 3.13 that fissix does not know.

These are `/` between parameters, `with` in parentheses, `match`, `except*`, type parameters, stars in subscripts and annotations, and any
expression as a decorator.

The grammar is fissix's own with some rules written anew and some added. Kinds of nodes that fissix knows keep their numbers.
"""

from __future__ import annotations

import functools
import io
import re
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

_PARAMETER = "tfpdef ['=' test] | '*' [tname] | '**' tname | '/'"
_UNTYPED = "vfpdef ['=' test] | '*' [vname] | '**' vname | '/'"
_CHANGED = {
    "decorator": "'@' namedexpr_test NEWLINE",
    "funcdef": "'def' NAME [typeparams] parameters ['->' test] ':' suite",
    "classdef": "'class' NAME [typeparams] ['(' [arglist] ')'] ':' suite",
    "typedargslist": f"({_PARAMETER}) (',' ({_PARAMETER}))* [',']",
    "varargslist": f"({_UNTYPED}) (',' ({_UNTYPED}))* [',']",
    "tname": "NAME [':' (test|star_expr)]",
    "small_stmt": "(expr_stmt | del_stmt | pass_stmt | flow_stmt | import_stmt | global_stmt | assert_stmt | type_stmt)",
    "annassign": "':' test ['=' (yield_expr|testlist_star_expr)]",
    "compound_stmt": "if_stmt | while_stmt | for_stmt | try_stmt | with_stmt | funcdef | classdef | decorated | async_stmt | match_stmt",
    "for_stmt": "'for' exprlist 'in' testlist_star_expr ':' suite ['else' ':' suite]",
    "except_clause": "'except' ['*'] [test (',' test)* ['as' test]]",
    "listmaker": "(asexpr_test|star_expr) ( comp_for | (',' (asexpr_test|star_expr))* [','] )",
    "testlist_gexp": "(asexpr_test|star_expr) ( comp_for | (',' (asexpr_test|star_expr))* [','] )",
    "dictsetmaker": "( ((test ':' asexpr_test | '**' expr) (comp_for | (',' (test ':' asexpr_test | '**' expr))* [','])) |"
    " ((test [':=' test] | star_expr) (comp_for | (',' (test [':=' test] | star_expr))* [','])) )",
    "subscript": "test [':=' test] | star_expr | [test] ':' [test] [sliceop]",
    "argument": "( test [comp_for] | test ':=' test | test 'as' expr | test '=' asexpr_test | '**' test | '*' test )",
}
"""Rules that replace those of fissix's grammar, which has fewer forms. Forms of Python 2 that would conflict are left out."""
_ADDED = {
    "asexpr_test": "namedexpr_test ['as' expr]",
    "typeparams": "'[' typevar (',' typevar)* [','] ']'",
    "typevar": "['*' | '**'] NAME [':' test] ['=' (test|star_expr)]",
    "type_stmt": "'type' NAME [typeparams] '=' test",
    "match_stmt": "'match' subject ':' NEWLINE INDENT case_block+ DEDENT",
    "subject": "(namedexpr_test|star_expr) (',' (namedexpr_test|star_expr))* [',']",
    "case_block": "'case' patterns [guard] ':' suite",
    "guard": "'if' namedexpr_test",
    "patterns": "pattern (',' pattern)* [',']",
    "pattern": "(expr|star_expr) ['as' expr]",
}
SOFT = {"match": 1001, "case": 1002, "type": 1003}
"""Soft keyword -> number of its token where it is a keyword; elsewhere it is a name."""
_RULE = re.compile(r"^(\w+):((?:.|\n(?!\w+:))*)", re.MULTILINE)


class _Kinds:
    """The numbers of all kinds of nodes, as attributes."""


@functools.cache
def kinds(known: Any) -> Any:
    """fissix's numbers of node kinds (`pygram.python_symbols`), and those of the added kinds."""
    extended = _Kinds()
    extended.__dict__.update(vars(known))
    last = max(vars(known).values())
    for name in _ADDED:
        if name not in extended.__dict__:
            last += 1
            extended.__dict__[name] = last
    return extended


def grammar(fissix: Callable[[str], Any]) -> Any:
    """The grammar tables. `fissix` returns a fissix module by name."""
    pygram = fissix("pygram")
    with open(pygram._GRAMMAR_FILE, encoding="utf-8") as file:
        text = "\n".join(line for line in file.read().splitlines() if not line.startswith("#"))
    rules = {**dict(_RULE.findall(text)), **_CHANGED, **_ADDED}
    source = io.StringIO("".join(f"{name}: {' '.join(rule.split())}\n" for name, rule in rules.items()))
    tables = fissix("pgen2.pgen").ParserGenerator("the grammar of Python 3", source).make_grammar()
    numbers = vars(kinds(pygram.python_symbols))
    moved = {number: numbers[name] for number, name in tables.number2symbol.items()}
    tables.labels = [(moved.get(kind, kind), value) for kind, value in tables.labels]
    tables.dfas = {moved[number]: dfa for number, dfa in tables.dfas.items()}
    tables.number2symbol = {moved[number]: name for number, name in tables.number2symbol.items()}
    tables.symbol2number = {name: number for number, name in tables.number2symbol.items()}
    tables.start = moved[tables.start]
    for word in ("print", "exec"):
        tables.keywords.pop(word, None)
    for word, kind in SOFT.items():
        tables.tokens[kind] = tables.keywords.pop(word)
    return tables


class _Token(NamedTuple):
    """A token of fissix, with its kind and value."""

    kind: int
    value: str
    start: tuple[int, int]
    end: tuple[int, int]
    line: str


class SoftKeywords:
    """fissix's tokens, with `match`, `case` and `type` marked where they are keywords."""

    def __init__(self, fissix: Callable[[str], Any]) -> None:
        """`fissix` returns a fissix module by name."""
        token, tokenize = fissix("pgen2.token"), fissix("pgen2.tokenize")
        self._generate, self._name = tokenize.generate_tokens, token.NAME
        self._indent, self._dedent, self._newline = token.INDENT, token.DEDENT, token.NEWLINE
        self._between = (tokenize.COMMENT, tokenize.NL)

    def __call__(self, readline: Callable[[], str]) -> Iterator[tuple[Any, ...]]:
        """Yields the tokens of a source."""
        depth, cases, opens = 0, list[int](), False
        line: list[_Token] = []
        try:
            for fields in self._generate(readline):
                token = _Token(*fields)
                if token.kind in (self._indent, self._dedent):
                    depth += 1 if token.kind == self._indent else -1
                    if opens and token.kind == self._indent:
                        cases.append(depth)
                    while cases and cases[-1] > depth:
                        cases.pop()
                    opens = False
                    yield token
                elif not line and token.kind in self._between:
                    yield token
                else:
                    line.append(token)
                    if token.kind == self._newline:
                        statement = [t for t in line if t.kind not in self._between]
                        word = self._keyword(statement, bool(cases) and cases[-1] == depth)
                        opens = word == "match"
                        yield from (t._replace(kind=SOFT[word]) if word and t is statement[0] else t for t in line)
                        line = []
        except Exception:  # fissix has no class of its own for these
            yield from line  # first: the parser may meet the error in them
            raise
        yield from line

    def _keyword(self, statement: list[_Token], among_cases: bool) -> str:
        """The soft keyword with which a statement begins, `''` if none. `statement` includes the line's end."""
        first, second = statement[0], statement[1]
        if first.kind != self._name or first.value not in SOFT or len(statement) < 4:
            return ""
        if first.value == "match":
            return "match" if statement[-2].value == ":" and second.value not in (":", ".", "=") else ""
        if first.value == "case":
            return "case" if among_cases else ""
        return "type" if second.kind == self._name and statement[2].value in ("=", "[") else ""

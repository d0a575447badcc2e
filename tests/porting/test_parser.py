"""The parser makes the trees that fissix's own makes, and stops where it stops: both beside each other."""

from __future__ import annotations

import gc
import random
import re
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from theanodiag.porting.parser import Parser
from theanodiag.porting.syntax import Tree, fissix

pytest.importorskip("fissix")

GRAMMARS = ("python_grammar_no_print_statement", "python_grammar", "python_grammar_no_print_and_exec_statement")
SOURCES = {
    "names": "a\nb.c[d](e, *f, g=h, **i)\n",
    "operators": "x = a + b * -c ** d if not e in f else (g, h) or i and j\nx //= ~y << 2 & 3 | 4 ^ 5\n",
    "one element": "(a,)\n[a]\n{a}\n{a: b}\n()\nx = a,\n",
    "comprehensions": "[a for b in c if d for e in f]\n{a: b for a, b in c}\nsum(a for a in b)\n",
    "lambdas": "f = lambda x, y=1, *z: (yield)\n",
    "blocks": "if a:\n  b\nelif c: d; e\nelse:\n\tf\nfor i in j:\n    while k: break\n    else:\n        continue\n",
    "definitions": "@a.b(c)\nclass D(E, metaclass=F):\n    '''G'''\n    def h(self, i: int = 1) -> j:\n        return k\n",
    "exceptions": "try:\n    a\nexcept (B, C) as d:\n    raise E from f\nfinally:\n    with g as h, i: pass\n",
    "Python 2": "print >>a, b,\nexec c in d\nraise E, f, g\ntry: pass\nexcept H, i: print `j`\nk <> 0777L\n",
    "prints": "print 'a', b\nprint('c')\n",
    "strings": "a = u'b' r'''c\nd''' \"\"\"e\n\n\"\"\" b'\\\nf'\n",
    "comments": "# a\n\n  # b\nif c:  # d\n    # e\n\n    f\n  # g\n# h\n\ni # j\n# k\n",
    "continued": "a = \\\n  b + \\\n    c\nd(\n  e, # f\n\n  g)\n",
    "line ends": "a\r\nif b:\r\n    c\r\n\r\n# d\r\n",
    "form feed": "a\n\x0cb\n",
    "async": "async def a():\n    await b\n    async with c: pass\n    return [d async for d in e]\nasync = await = 1\n",
    "walrus": "if (a := b) > 1: pass\ndef f(a, /, b): pass\n",
    "empty": "\n",
    "nothing but a comment": "# a\n",
    "no token": "a = $\n",
    "bad input": "a = = b\n",
    "too much input": "a b\n",
    "no end": "a = (b\n",
    "open string": "a = '''b\n",
    "bad dedent": "if a:\n        b\n    c\n",
    "keyword": "class = 1\n",
}


def both(name: str) -> tuple[Any, Parser]:
    """fissix's parser of a grammar, and ours."""
    grammar, pytree = getattr(fissix("pygram"), name), fissix("pytree")
    return fissix("pgen2.driver").Driver(grammar, convert=pytree.convert), Parser(grammar, fissix)


def told(parser: Any, text: str) -> object:
    """All that a tree has, its links looked at; or the error."""
    try:
        root = parser.parse_string(text)
    except Exception as error:
        return type(error), str(error)
    found: list[object] = [sorted(root.used_names)]
    stack: list[tuple[Any, Any]] = [(root, None)]
    while stack:
        node, parent = stack.pop()
        assert node.parent is parent
        place = () if node.children else (node.value, node.prefix, node.lineno, node.column)
        found.append((type(node).__name__, node.type, len(node.children), node.fixers_applied, *place))
        stack.extend((child, node) for child in node.children)
    return found


@pytest.mark.parametrize("grammar", GRAMMARS)
@pytest.mark.parametrize("text", SOURCES.values(), ids=SOURCES.keys())
def test_same_trees_and_errors(text: str, grammar: str) -> None:
    """The same nodes, links, prefixes and places; the same errors at the same tokens."""
    theirs, ours = both(grammar)
    assert told(ours, text) == told(theirs, text)


def test_same_trees_of_the_standard_library() -> None:
    """Twenty of its modules, drawn with a fixed seed."""
    paths = sorted(Path(sysconfig.get_paths()["stdlib"]).glob("*.py"))
    theirs, ours = both(GRAMMARS[0])
    trees = 0
    for path in random.Random(8).sample(paths, 20):
        text = path.read_text(encoding="utf-8", errors="replace")
        expected = told(theirs, text)
        trees += isinstance(expected, list)
        assert told(ours, text) == expected, path.name
    assert trees >= 10


def test_same_ends_of_damaged_sources() -> None:
    """Tokens taken out at random: most of what is left does not parse."""
    whole = "".join(SOURCES[name] for name in ("operators", "blocks", "definitions", "exceptions", "comprehensions"))
    tokens = re.findall(r"\s+|\w+|.", whole)
    theirs, ours = both(GRAMMARS[0])
    draw, errors = random.Random(3), 0
    for _ in range(150):
        gone = {draw.randrange(len(tokens)) for _ in range(2)}
        text = "".join(token for n, token in enumerate(tokens) if n not in gone)
        expected = told(theirs, text)
        errors += isinstance(expected, tuple)
        assert told(ours, text) == expected
    assert errors > 50


@pytest.mark.parametrize("text", ["a = 1\n", "a = = 1\n"])
@pytest.mark.parametrize("wanted", [True, False])
def test_search_for_garbage_is_as_it_was(text: str, wanted: bool) -> None:
    """Whether a source parses or not, and whoever had switched it off."""
    before = gc.isenabled()
    try:
        (gc.enable if wanted else gc.disable)()
        told(both(GRAMMARS[0])[1], text)
        assert gc.isenabled() is wanted
    finally:
        (gc.enable if before else gc.disable)()


def test_leaves_are_the_text() -> None:
    """What the leaves and their prefixes are is the source, byte for byte."""
    for name in ("blocks", "comments", "continued", "line ends", "strings", "Python 2"):
        tree = Tree(SOURCES[name], "model.py")
        assert "".join(leaf.prefix + leaf.value for leaf in tree.leaves) == SOURCES[name]


def test_released_tree_needs_no_search_for_garbage() -> None:
    """Its nodes go as soon as the last name for the tree does."""
    Tree(SOURCES["definitions"], "model.py").release()  # what is made once for all trees
    gc.collect()
    gc.disable()
    try:
        tree = Tree(SOURCES["definitions"], "model.py")
        _ = tree.leaves
        tree.release()
        del tree
        assert gc.collect() == 0
    finally:
        gc.enable()

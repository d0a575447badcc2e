"""What is changed in fissix's fixers, for `run` and `port`."""

import importlib
from typing import Any, Dict, Sequence

_BUILT_IN = {"imap": "map", "izip": "zip", "ifilter": "filter"}
"""Functions of itertools in Python 2 -> the builtins of Python 3 that do the same."""


def corrected(refactor: Any, names: Sequence[str], options: Dict[str, Any]) -> Any:
    """Returns the RefactoringTool of the module `fissix.refactor` with the fixers `names`, some of which are corrected.

    `map(lambda x: ..., xs)` and `filter(lambda ...)` keep their function: fissix writes a list comprehension, whose variable is one for
    all elements: functions made in it would all see the last element. `from itertools import izip as pairs` stays an import: fissix drops
    it, and with it the name `pairs`; and it overlooks names in parentheses, `from itertools import (izip, imap)`. `from sys import
    maxint, path` imports `maxsize as maxint`: fissix overlooks it among several names, and else leaves the name `maxint` in the rest of
    the source.
    """
    renames = importlib.import_module("fissix.fixes.fix_renames").FixRenames
    renames.PATTERN = (
        "import_from< 'from' module_name='sys' 'import' any* > | power< module_name='sys' trailer< '.' attr_name='maxint' > any* >"
    )
    renames.BM_compatible = False
    imports = importlib.import_module("fissix.fixes.fix_itertools_imports")
    imports.FixItertoolsImports.PATTERN = "import_from< 'from' 'itertools' 'import' ['('] imports=any [')'] >"
    tool = refactor.RefactoringTool(names, options)
    for fixer in (*tool.pre_order, *tool.post_order):
        if type(fixer).__name__ in ("FixMap", "FixFilter"):
            fixer.transform = _keeping(fixer.transform)
        if type(fixer).__name__ == "FixItertoolsImports":
            fixer.transform = _importing(fixer.transform)
        if type(fixer).__name__ == "FixRenames":
            fixer.transform = _keeping_name(fixer.transform)
    return tool


def _keeping(transform: Any) -> Any:
    def keep(node: Any, results: Dict[str, Any]) -> Any:
        if "map_lambda" in results or "filter_lambda" in results:
            results = {name: value for name, value in results.items() if name in ("node", "extra_trailers")}
            results["args"] = node.children[1]
        return transform(node, results)

    return keep


def _keeping_name(transform: Any) -> Any:
    def write(node: Any, results: Dict[str, Any]) -> Any:
        if "attr_name" in results:
            return transform(node, results)
        for leaf in list(node.leaves()):
            alias = len(leaf.parent.children) == 3 and str(leaf.parent.children[1]).strip() == "as"
            if leaf.value == "maxint" and not (alias and leaf.parent.children[0] is not leaf):
                leaf.value = "maxsize" if alias else "maxsize as maxint"
                leaf.changed()
        return None

    return write


def _importing(transform: Any) -> Any:
    def write(node: Any, results: Dict[str, Any]) -> Any:
        imports = results["imports"]
        aliased = [imports] if len(imports.children) == 3 and str(imports.children[1]).strip() == "as" else imports.children[::2]
        pairs = [[str(part).strip() for part in one.children[::2]] for one in aliased if len(one.children) == 3]
        names = ["{} as {}".format(_BUILT_IN[old], new) for old, new in pairs if old in _BUILT_IN]
        kept = transform(node, results)
        if not names:
            return kept
        whole = node if kept is None else kept
        text = "" if kept is not None else str(node).strip() + "; "
        leaf = whole.leaves().__next__().clone()
        leaf.type, leaf.value, leaf.prefix = 1, text + "from builtins import " + ", ".join(names), whole.prefix
        return leaf

    return write

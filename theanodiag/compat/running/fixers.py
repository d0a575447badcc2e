"""What is changed in fissix's fixers, for `run` and `port`."""

from typing import Any, Dict


def keep_lambdas(tool: Any) -> Any:
    """The refactoring tool `tool`, changed so that `map(lambda x: ..., xs)` and `filter(lambda ...)` keep their function.

    fissix writes a list comprehension, whose variable is one for all elements: functions made in it would all see the last element.
    """
    for fixer in (*tool.pre_order, *tool.post_order):
        if type(fixer).__name__ in ("FixMap", "FixFilter"):
            fixer.transform = _keeping(fixer.transform)
    return tool


def _keeping(transform: Any) -> Any:
    def keep(node: Any, results: Dict[str, Any]) -> Any:
        if "map_lambda" in results or "filter_lambda" in results:
            results = {name: value for name, value in results.items() if name in ("node", "extra_trailers")}
            results["args"] = node.children[1]
        return transform(node, results)

    return keep

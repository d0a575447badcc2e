"""Where in the user's script a node of a graph was made."""

from typing import Any, Iterator, Tuple

_OURS = ("/theanodiag/compat/", "/pytensor/", "/aesara/")


def is_users(file: str) -> bool:
    """Whether a file is neither the framework's nor of this layer."""
    return not any(part in file.replace("\\", "/") for part in _OURS)


def _frames(node: Any) -> Iterator[Tuple[str, int]]:
    """(file, line) of what was called when the node was made, the innermost last; not what an Op of the user's does to make it."""
    for variable in node.outputs:
        for stack in getattr(variable.tag, "trace", None) or ():
            yield from ((frame[0], frame[1]) for frame in stack if frame[2] != "make_node")


def line(node: Any) -> str:
    """`file:line` of the user's that made a node; empty where that is not known."""
    found = [frame for frame in _frames(node) if is_users(str(frame[0]))]
    return "%s:%s" % found[-1] if found else ""


def at(node: Any) -> str:
    """`file:line: ` to begin a message with, or nothing."""
    place = line(node)
    return place + ": " if place else ""

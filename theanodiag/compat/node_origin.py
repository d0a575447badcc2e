"""Where in the user's script a node of a graph was made, from the stack that the framework keeps in `variable.tag.trace`."""

from typing import Any, Iterator, Tuple

_OURS = ("/theanodiag/compat/", "/pytensor/", "/aesara/")


def is_users(file: str) -> bool:
    """Whether `file` belongs to the user: it lies neither in a framework's folder nor in this layer's."""
    return not any(part in file.replace("\\", "/") for part in _OURS)


def _frames(node: Any) -> Iterator[Tuple[str, int]]:
    """(file, line) of the calls that were open when `node` was made, the innermost last, without calls of an Op's `make_node`."""
    for variable in node.outputs:
        for stack in getattr(variable.tag, "trace", None) or ():
            yield from ((frame[0], frame[1]) for frame in stack if frame[2] != "make_node")


def line(node: Any) -> str:
    """`file:line` of the user's innermost call that made `node`; empty where no such call is known."""
    found = [frame for frame in _frames(node) if is_users(str(frame[0]))]
    return "%s:%s" % found[-1] if found else ""


def prefix(node: Any) -> str:
    """`file:line: ` of `line(node)`, to begin a message with; empty where the line is not known."""
    place = line(node)
    return place + ": " if place else ""

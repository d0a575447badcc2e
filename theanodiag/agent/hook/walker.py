"""The graph walker, `walk/graph.py`, as the hook uses it: shared variables are numbered once for the whole script."""

from ..walk.graph import SharedIds, Walk
from ..walk.values import describe_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live


class Walker(object):
    """Converts live graphs to JSON."""

    def __init__(self) -> None:
        self.registry = SharedIds()

    def when_constants_end(self, tell: "Callable[[int], None]") -> None:
        """Makes `tell` be called with the number of each constant's device memory that is freed."""
        self.registry.memories.ended = tell

    def type(self, kind: "Live") -> object:
        """The JSON form of a Type, as `readers/fgraph.py` documents it."""
        return describe_type(kind)

    def shared(self, container: "Live") -> int:
        """The number of the shared variable whose value `container` holds."""
        return int(self.registry.identify(container))

    def walk(self, maker: "Live", name: str) -> "Live":
        """The walk over a function's graph, which has its JSON and the ids of its Variables."""
        return Walk(maker, name, self.registry)

"""Shared variables: records when each is created, set, read and freed. The script's view of them does not change."""

import functools
import threading
import weakref

from ..walk.graph import SharedIds, Walk, role_of
from ..walk.values import describe_type
from .array_identity import digest, is_one_hot, levels, shape_of
from .builtin_names import own_builtins
from .garbage import SEARCHES
from .results import adopted, is_on_device, keep, number_of
from .sites import names_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .array_identity import Buffers
    from .input_values import Invented
    from .sites import Sites
    from .stream import Stream

RECORDED = 8
"""Maximum number of recorded reads and writes of one shared variable while its shape stays the same."""


class SharedRecord(object):
    """What the hook knows about one shared variable."""

    def __init__(self, number: int, reference: "Live", shape: "list[int] | None") -> None:
        self.number = number
        self.reference = reference  # keeps the callback alive
        self.shape = shape
        self.events = 0


class SharedVariables(object):
    """Numbers the container of each shared variable and writes its events."""

    def __init__(self, stream: "Stream", sites: "Sites", walker: "Walker", buffers: "Buffers", invented: "Invented") -> None:
        self.stream = stream
        self.invented = invented
        self.sites = sites
        self.walker = walker
        self.buffers = buffers
        self.known = {}  # type: dict[int, SharedRecord]
        self.local = threading.local()

    def containers(self) -> "list[Live]":
        """Returns the containers of all shared variables that still exist."""
        containers = [known.reference() for known in self.known.values()]
        return [container for container in containers if container is not None]

    def created(self, variable: "Live") -> None:
        """Records a new shared variable. A clone shares the container and is not new."""
        if id(variable.container) not in self.known:
            self._record(variable.container, variable, self.sites.here())

    def _record(self, container: "Live", variable: "Live", site: "Live") -> None:
        number, key = self.walker.shared(container), id(container)
        self.invented.was_set(container.storage)
        value = container.storage[0]
        shape = shape_of(value)
        self.known[key] = SharedRecord(number, weakref.ref(container, lambda _: self._forgotten(key)), shape)
        self.stream.emit(
            "shared", id=number, name=variable.name, type=self.walker.type(variable.type), shape=shape, digest=digest(value),
            levels=levels(value), one_hot=is_one_hot(value), site=site,
        )  # fmt: skip

    def record_unseen(self, maker: "Live") -> None:
        """Records the shared variables among a function's inputs that were created by a pickle or a copy, not by a constructor."""
        for spec in maker.inputs:
            if role_of(spec) == "shared" and id(spec.value) not in self.known:
                self._record(spec.value, spec.variable, None)

    def expressions(self, maker: "Live") -> "dict[str, str]":
        """Finds the expressions by which the script refers to the shared variables of a function. Returns number of the variable ->
        expression; variables without one are left out.

        Returns an empty table if the search fails, because a missing name must not prevent the record of a function.
        """
        try:
            return self._expressions(maker)
        except Exception:
            return {}

    def _expressions(self, maker: "Live") -> "dict[str, str]":
        variables = [spec.variable for spec in maker.inputs if role_of(spec) == "shared"]
        names = names_of(variables, self.sites.skip)
        found = [v for v in variables if id(v) in names and hasattr(v, "container")]
        return dict((str(self.walker.shared(v.container)), names[id(v)]) for v in found)

    def _forgotten(self, key: int) -> None:
        known = self.known.pop(key, None)
        if known is not None:
            SEARCHES.ended(self.stream, "delete", shared=known.number)

    def _due(self, variable: "Live", shape: "list[int] | None") -> "SharedRecord | None":
        known = self.known.get(id(variable.container))
        if known is None:
            return None
        known.events += 1
        due = known.events <= RECORDED or shape != known.shape
        known.shape = shape
        return known if due else None

    def was_set(self, variable: "Live", value: "Live", borrow: bool) -> None:
        """Records that the script called `set_value` of a shared variable."""
        self.invented.was_set(variable.container.storage)
        number = number_of(value)
        shape = shape_of(variable.container.storage[0])
        known = self._due(variable, shape)
        if known is not None:
            self.stream.emit(
                "set_value", id=known.number, shape=shape, borrow=bool(borrow), buffer=self.buffers.identify(value), digest=digest(value),
                levels=levels(value), one_hot=is_one_hot(value), site=self.sites.here(), on_device=is_on_device(value), result=number,
            )  # fmt: skip
        if borrow and number is not None:
            adopted(self.stream, number)

    def was_read(self, variable: "Live", result: "Live", borrow: bool, internal: bool) -> None:
        """Records that the script called `get_value` of a shared variable, which returned `result`; `internal` is its argument
        return_internal_type.
        """
        self.invented.was_read(variable.container.storage)
        known = self._due(variable, shape_of(variable.container.storage[0]))
        if known is not None:
            number = keep(self.stream, result) if internal and not borrow else None
            self.stream.emit(
                "get_value", id=known.number, borrow=bool(borrow), internal=bool(internal), result=number, site=self.sites.here()
            )  # fmt: skip

    def quietly(self, note: "Callable[..., None]", *args: object) -> None:
        """Calls `note(*args)`. If it fails, writes the reason and lets the script continue."""
        with own_builtins():
            try:
                note(*args)
            except Exception as error:
                self.stream.emit("skipped", what="a shared variable", reason="%s: %s" % (type(error).__name__, error), lost=True)

    def wrap(self, cls: "Live") -> None:
        """Wraps those methods of the class `cls` that it defines itself."""
        for name, wrapper in (("__init__", self._init), ("set_value", self._set_value), ("get_value", self._get_value)):
            original = cls.__dict__.get(name)
            if original is not None:
                setattr(cls, name, functools.wraps(original)(wrapper(original)))

    def _init(self, original: "Live") -> "Live":
        def __init__(variable: "Live", *args: object, **kwargs: object) -> None:
            original(variable, *args, **kwargs)
            self.quietly(self.created, variable)

        return __init__

    def _outermost(self, original: "Live", note: "Callable[..., None]") -> "Live":
        """Wraps a method so that `note` is called after it, but not when another wrapped method calls it."""

        def method(variable: "Live", *args: "Live", **kwargs: "Live") -> "Live":
            outer, self.local.inside = not getattr(self.local, "inside", False), True
            try:
                result = original(variable, *args, **kwargs)
            finally:
                self.local.inside = not outer
            if outer:
                self.quietly(note, variable, result, args, kwargs)
            return result

        return method

    def _set_value(self, original: "Live") -> "Live":
        def note(variable: "Live", result: "Live", args: "tuple[Live, ...]", kwargs: "dict[str, Live]") -> None:
            value = args[0] if args else kwargs.get("new_value", kwargs.get("value"))
            self.was_set(variable, value, args[1] if len(args) > 1 else kwargs.get("borrow", False))

        return self._outermost(original, note)

    def _get_value(self, original: "Live") -> "Live":
        def note(variable: "Live", result: "Live", args: "tuple[Live, ...]", kwargs: "dict[str, Live]") -> None:
            given = dict(zip(("borrow", "return_internal_type"), args), **kwargs)
            self.was_read(variable, result, given.get("borrow", False), given.get("return_internal_type", False))

        return self._outermost(original, note)


class Walker(object):
    """Converts live graphs to JSON."""

    def __init__(self) -> None:
        self.registry = SharedIds()

    def when_constants_end(self, tell: "Callable[[int], None]") -> None:
        """Sets the function that is called with the number of each device buffer of a constant that is freed."""
        self.registry.memories.ended = tell

    def type(self, kind: "Live") -> object:
        """Returns the JSON form of a Type, as `readers.py` documents it."""
        return describe_type(kind)

    def shared(self, container: "Live") -> int:
        """Returns the number of the shared variable whose value is in `container`."""
        return int(self.registry.identify(container))

    def walk(self, maker: "Live", name: str) -> "Live":
        """Returns the Walk over a function's graph, with its JSON and the ids of its Variables."""
        return Walk(maker, name, self.registry)

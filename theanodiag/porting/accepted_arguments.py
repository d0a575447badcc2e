"""Checks whether the target function accepts the arguments of a call."""

from __future__ import annotations

from ..compat.names import legacy, signatures
from .calls import call, whole
from .deprecated import ARGUMENTS
from .model import PortEdit, Safety
from .scopes import Use
from .session import PortSession
from .syntax import Node, arguments, keyword
from .targets import CounterpartKind

_ADVICE = "remove it, or write equivalent code"


def write(session: PortSession) -> None:
    """Passes arguments by name if their position differs in the target; leaves calls that the target rejects to be ported by hand."""
    for use, counterpart in session.counterparts.items():
        own = counterpart.kind is CounterpartKind.NAME and counterpart.new and use not in session.done and use not in session.named
        trailer = call(use) if own and whole(session, use, counterpart) else None
        new = _signature(session.options.target, str(counterpart.new)) if trailer is not None else None
        if trailer is not None and new is not None:
            old = _signature(use.name.partition(".")[0], counterpart.old)
            _checked(session, use, _Call(arguments(trailer), f"{session.options.target}.{counterpart.new}", old, new))


class _Call:
    """The arguments of a call, with the signatures of the old and the new function."""

    def __init__(self, given: list[Node], name: str, old: signatures.Signature | None, new: signatures.Signature) -> None:
        self.given, self.name, self.old, self.new = given, name, old, new
        self.names = [keyword(argument) for argument in given]

    def moved_places(self) -> dict[int, str]:
        """Index -> name of the positional arguments whose position in the new function differs or does not exist, and of all after the
        first of them.
        """
        moved: dict[int, str] = {}
        for number, name in enumerate(self.old.by_place[: self.names.count(None)] if self.old is not None else ()):
            here = self.new.by_place[number : number + 1]
            elsewhere = here != (name,) and any(p.name == name for p in self.new.parameters)
            if moved or elsewhere:
                moved[number] = name
        return moved


def _checked(session: PortSession, use: Use, call: _Call) -> None:
    """Passes arguments by name where their position changed, or leaves the call to be ported by hand if the new function rejects it."""
    renamed = ARGUMENTS.get(_defined(session.options.target, call.name.partition(".")[2]), {}) if use.name.startswith("pytensor.") else {}
    names = [renamed.get(name, name) for name in call.names if name not in (None, "*", "**")]
    refused: str | None
    if "*" in call.names or "**" in call.names:  # how many there are is not in the text
        unknown = [name for name in names if not call.new.takes(name)]
        refused = f"takes no {', '.join(unknown)}" if unknown else None
    else:
        places, moved = call.names.count(None), call.moved_places()
        refused = call.new.misfit(places, names)
        if moved and call.new.misfit(places - len(moved), [*names, *moved.values()]) is None:
            for number, name in moved.items():
                start = session.tree.start(call.given[number])
                session.edits.append(PortEdit(start, start, f"{name}="))
            reason = f"{call.name} takes {', '.join(moved.values())} by name"
            session.note(use.leaves[0], use.leaves[-1], use.name, Safety.SAFE, reason, ", ".join(f"{name}=" for name in moved.values()))
            return
        if moved and refused is None:
            refused = f"has {', '.join(moved.values())} in another position"
    if refused is not None:
        session.note(use.leaves[0], use.leaves[-1], use.name, Safety.BY_HAND, f"{call.name} {refused}", _ADVICE)


def _signature(root: str, name: str) -> signatures.Signature | None:
    """The signature of a framework's function; None if the tables have none."""
    return signatures.table(root).get(_defined(root, name))


def _defined(root: str, name: str) -> str:
    """The full name under which a framework defines the object called `name`."""
    return (name, *legacy.origin(root, name))[-1]

"""An instrument that the runner was given: it measures while functions really run. What it emits is passed on, and not read here."""

import importlib
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from . import Live

PACKAGE = "_theanodiag_instrument"


class NoInstrument(object):
    """Where nothing is measured."""

    @staticmethod
    def actions() -> "dict[str, Callable[[Live], None]]":
        """Nothing to do after imports."""
        return {}

    def making(self, fgraph: "Live") -> None:
        """A function is about to be made."""

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """A function was made, with number `index`; `vm` is what it calls to compute, and goes when it goes."""

    def entered(self, vm: "Live", recorded: bool) -> None:
        """A vm is about to compute; whether it is a call that is recorded."""

    def recorded(self, program: "Live", values: "Live") -> None:
        """A call of `program` with these values of all inputs was written to the stream."""

    def finish(self) -> None:
        """The script is over."""


def load(asked: "dict[str, Live] | None", emit: "Callable[..., None]", shared: "Callable[[], Live]") -> "Live":
    """The instrument in the file `asked["path"]`, whose folder becomes a package; it has the methods of `NoInstrument`."""
    if not asked:
        return NoInstrument()
    folder, name = os.path.split(str(asked["path"]))
    module = types.ModuleType(PACKAGE)
    module.__path__ = [folder]
    sys.modules[PACKAGE] = module
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        found = importlib.import_module(PACKAGE + "." + os.path.splitext(name)[0])
    finally:
        sys.dont_write_bytecode = keep
    return found.Instrument(emit, asked.get("options") or {}, shared)

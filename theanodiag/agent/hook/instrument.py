"""Loads the instrument, a module that measures while functions really run. Its events are passed on unread."""

import importlib
import os
import sys
import types

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

PACKAGE = "_theanodiag_instrument"


class NoInstrument(object):
    """The instrument where nothing is measured: its methods are the interface, and do nothing."""

    to_the_end = False
    """Whether the script runs to its end, however often its functions were called."""

    @staticmethod
    def actions() -> "dict[str, Callable[[Live], None]]":
        """Module name -> what to do after it was imported: nothing."""
        return {}

    def making(self, fgraph: "Live") -> None:
        """Called before a function with the graph `fgraph` is compiled."""

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """Called after a function was compiled: `index` is its number, `vm` what it calls to compute, which is freed with it."""

    def entered(self, vm: "Live", recorded: bool) -> None:
        """Called before a vm computes; `recorded`: whether this call is recorded."""

    def recorded(self, program: "Live", values: "Live") -> None:
        """Called after a call of `program` was written to the stream; `values` are those of all its inputs."""

    def finish(self) -> None:
        """Called when the script has ended."""


def load(asked: "dict[str, Live] | None", emit: "Callable[..., None]", shared: "Callable[[], Live]") -> "Live":
    """The instrument from the file `asked["path"]`, whose folder becomes a package; NoInstrument for None.

    `emit` writes an event, `shared()` lists the containers of shared variables.
    """
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

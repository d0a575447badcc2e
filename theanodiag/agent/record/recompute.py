"""Records the value of every Variable of one function's unoptimized graph in one call, then ends the process: an instrument for the hook.

Options: those of `record.py`, and {"function": number of the function, "call": number of the call, from 0}.
"""

import json
import os
import sys

from .graph_values import Graph, Writer, copied
from .record import ROOTS, RecordingInstrument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

MAKERS = ("compile.function_module", "compile.function.types", "compile.maker")
"""Modules that define `FunctionMaker`: Theano; Theano-PyMC, Aesara and PyTensor 2; PyTensor 3."""
FRAMES = 40
"""Stack frames kept for each Variable: enough to include the user's line if a library creates the Variable."""


class RecomputingInstrument(RecordingInstrument):
    """Records the graph of the requested call, and nothing else."""

    def __init__(self, emit: "Callable[..., None]", options: "dict[str, Live]", shared: "Callable[[], Live]") -> None:
        RecordingInstrument.__init__(self, emit, options, shared)
        self.wanted, self.call = int(options["function"]), int(options["call"])
        self.graphs = {}  # type: dict[int, Graph]  # by the identity of the maker
        self.graph = None  # type: Graph | None
        self.known_now = None  # type: Live
        self.seen = 0

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Module name -> function to call after that module was imported."""
        table = RecordingInstrument.actions(self)
        for root in ROOTS:
            for name in MAKERS:
                first = table.get(root + "." + name)
                table[root + "." + name] = self._both(first)
            table[root] = keep_stacks
        return table

    def _both(self, first: "Callable[[Live], None] | None") -> "Callable[[Live], None]":
        def action(module: "Live") -> None:
            if first is not None:
                first(module)
            cls = getattr(module, "FunctionMaker", None)
            if cls is not None and cls.__module__ == module.__name__:
                cls.__init__ = self._copying(cls.__init__)

        return action

    def _copying(self, original: "Live") -> "Live":
        def __init__(maker: "Live", inputs: "Live", outputs: "Live", *args: object, **kwargs: object) -> None:
            try:
                graph = as_written(inputs, outputs)
            except Exception:  # inputs in a form that only the framework interprets: no graph is kept
                graph = None
            original(maker, inputs, outputs, *args, **kwargs)
            if graph is not None:
                self.graphs[id(maker)] = graph

        return __init__

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """Keeps the unoptimized graph of the requested function."""
        graph = self.graphs.get(id(function.maker))
        self.graphs.clear()
        if index == self.wanted:
            self.graph, self.known_now = graph, (vm, function)

    def entered(self, vm: "Live", recorded: bool) -> None:
        """At the requested call: computes the graph, writes it to `graph.json` and ends the process."""
        if self.known_now is None or vm is not self.known_now[0]:
            return
        call, self.seen = self.seen, self.seen + 1
        if call == self.call:
            self._tell(self.known_now[1])

    def _tell(self, function: "Live") -> None:
        document = {"table": None, "roles": []}  # type: dict[str, Live]
        if self.graph is not None and len(function.input_storage) == len(self.graph.inputs):
            values = [container.storage[0] for container in function.input_storage]
            document["table"] = Writer(self.folder, self.draws).table(self.graph, values)
            document["roles"] = [role(spec) for spec in function.maker.expanded_inputs]
        with open(os.path.join(self.folder, "graph.json"), "w") as file:
            json.dump(document, file)
        sys.stdout.flush()
        os._exit(0)

    def _record(self, known: "Live", result: "Live", seconds: float) -> None:
        pass


def as_written(inputs: "Live", outputs: "Live") -> Graph:
    """Copies the graph that a FunctionMaker gets: its outputs are the function's outputs, then the updates of the inputs."""
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    updates = [i.update for i in inputs if getattr(i, "update", None) is not None]
    return copied([getattr(i, "variable", i) for i in inputs], [getattr(o, "variable", o) for o in outputs] + updates)


def role(spec: "Live") -> str:
    """The role of an input: "shared" or "argument"."""
    return "shared" if getattr(spec, "shared", False) or getattr(spec, "implicit", False) else "argument"


def keep_stacks(module: "Live") -> None:
    """Raises the number of stack frames that the framework keeps for each Variable (default 8) to `FRAMES`."""
    flags = getattr(module, "config", None)
    if flags is None:
        return
    try:
        if hasattr(flags, "traceback__limit"):
            flags.traceback__limit = max(flags.traceback__limit, FRAMES)
        else:
            flags.traceback.limit = max(flags.traceback.limit, FRAMES)
    except Exception:  # a release without the flag
        pass


Instrument = RecomputingInstrument
"""The name under which the hook looks the class up."""

"""Records the value of every Variable of one function's unoptimized graph in one call, then ends the process: an instrument for the hook.
The graph is computed node by node, and described with its values as JSON.

Options: those of `record.py`, and {"function": number of the function, "call": number of the call, from 0}.
"""

import contextlib
import hashlib
import importlib
import json
import os
import sys

from .record import ROOTS, RecordingInstrument

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live


STEPS = 3
"""Number of steps of a Scan whose inner values are recorded."""
DEPTH = 2
"""Number of levels of nested Scans whose inner values are recorded."""
ALL = 1 << 30
"""Maximum number of bytes written for one call; beyond it only shapes and dtypes are recorded."""
TEXT = 200
"""Maximum number of characters of a node's text."""


class Graph(object):
    """A graph from inputs to outputs, with its nodes in topological order."""

    def __init__(self, inputs: "list[Live]", outputs: "list[Live]") -> None:
        self.inputs, self.outputs = list(inputs), list(outputs)
        self.nodes = sorted_nodes(self.inputs, self.outputs)


def sorted_nodes(inputs: "list[Live]", outputs: "list[Live]") -> "list[Live]":
    """Returns the nodes between `inputs` and `outputs` in topological order."""
    given, done, rows = set(inputs), set(), []
    stack = [(v.owner, False) for v in reversed(outputs) if v not in given]
    while stack:
        node, ready = stack.pop()
        if node is None or node in done:
            continue
        if ready:
            done.add(node)
            rows.append(node)
            continue
        stack.append((node, True))
        stack.extend((v.owner, False) for v in reversed(node.inputs) if v not in given and v.owner is not None and v.owner not in done)
    return rows


def copied(inputs: "list[Live]", outputs: "list[Live]") -> Graph:
    """Copies the nodes of a graph, so that the optimizer cannot change them; inputs and constants are shared with the original."""
    memo = dict((v, v) for v in inputs)  # type: dict[Live, Live]
    for node in sorted_nodes(inputs, outputs):
        new = node.clone()
        new.inputs = [memo.get(v, v) for v in node.inputs]
        memo.update(zip(node.outputs, new.outputs))
    return Graph(inputs, [memo.get(v, v) for v in outputs])


class Writer(object):
    """Computes a graph and writes its values to files in a folder."""

    def __init__(self, folder: str, draws: "Live" = None) -> None:
        self.draws = draws
        self.folder, self.left, self.files = folder, ALL, 0
        self.describing = importlib.import_module("_theanodiag_agent.walk.values")
        self.ops = importlib.import_module("_theanodiag_agent.walk.ops")
        self.roots = self.describing.framework_roots()

    def table(self, graph: Graph, values: "list[Live]", depth: int = 0) -> "dict[str, Live]":
        """Computes the graph from the values of its inputs. Returns nodes and Variables as rows, and the row numbers of inputs and
        outputs.
        """
        cells = {}  # type: dict[Live, list[Live]]
        ids = {}  # type: dict[Live, int]
        rows = []  # type: list[dict[str, Live]]
        last = dict((v, n) for n, node in enumerate(graph.nodes) for v in node.inputs)
        for variable, value in zip(graph.inputs, values):
            cells[variable] = [value]
            self._row(variable, cells, ids, rows)
        nodes = [self._node(node, n, cells, ids, rows, last, depth) for n, node in enumerate(graph.nodes)]
        for variable in graph.outputs:
            self._known(variable, cells, ids, rows)
        return {"nodes": nodes, "variables": rows, "inputs": [ids[v] for v in graph.inputs], "outputs": [ids[v] for v in graph.outputs]}

    def _node(
        self, node: "Live", number: int, cells: "Live", ids: "Live", rows: "Live", last: "dict[Live, int]", depth: int
    ) -> "dict[str, Live]":
        for variable in node.inputs:
            self._known(variable, cells, ids, rows)
        reads = [ids[v] for v in node.inputs]
        for variable in node.outputs:
            cells[variable] = [None]
        watched = Steps(self, node, depth) if depth < DEPTH and type(node.op).__name__ == "Scan" else None
        try:
            run(node, cells, watched)
            failure = None
        except Exception as error:
            failure = "%s: %s" % (type(error).__name__, str(error).strip().split("\n")[0][:TEXT])
        scalar = getattr(node.op, "scalar_op", None)
        row = {
            "op": type(node.op).__name__ if scalar is None else type(scalar).__name__,
            "text": text_of(node),
            "params": hashlib.sha1(repr(sorted(self.ops.params_of(node.op).items())).encode("utf-8")).hexdigest(),
            "reads": reads,
            "site": self._site(node.outputs[0]),
            "failure": failure,
            "inner": watched.tables if watched is not None else [],
        }  # type: dict[str, Live]
        row["makes"] = [self._row(v, cells, ids, rows) for v in node.outputs]
        for variable in set(node.inputs + node.outputs):
            if last.get(variable, -1) <= number:
                cells[variable] = [None]  # nothing reads it any more
        return row

    def _known(self, variable: "Live", cells: "Live", ids: "Live", rows: "Live") -> None:
        """Adds a row for a constant, or for an input without a value, unless it has one already."""
        if variable not in ids:
            cells[variable] = [getattr(variable, "data", None)]
            self._row(variable, cells, ids, rows)

    def _row(self, variable: "Live", cells: "Live", ids: "Live", rows: "Live") -> int:
        number = ids[variable] = len(rows)
        value = cells[variable][0]
        row = {
            "name": None if variable.name is None else str(variable.name)[:TEXT],
            "constant": bool(self.describing.is_constant(variable)),
            "site": None if variable.owner is not None else self._site(variable),
        }  # type: dict[str, Live]
        empty = variable.owner is not None and type(variable.owner.op).__name__ == "AllocEmpty"
        row.update(self._written(value))
        if empty:
            row["file"] = None  # it says nothing about what others hold
        rows.append(row)
        return number

    def _site(self, variable: "Live") -> "Live":
        try:
            return self.describing.find_site(variable, self.roots)
        except Exception:  # a trace that somebody else wrote
            return None

    def _written(self, value: "Live") -> "dict[str, Live]":
        import numpy

        state = state_of(value)
        if state is not None:
            return {"state": state, "shape": None, "dtype": None, "file": None}
        if value is None or isinstance(value, slice):
            return {"state": None, "shape": None, "dtype": None, "file": None}
        try:
            array = numpy.asarray(value)
        except Exception:
            return {"state": None, "shape": None, "dtype": None, "file": None}
        if array.dtype.kind not in "biufc":
            return {"state": None, "shape": None, "dtype": None, "file": None}
        file = None
        if array.nbytes <= self.left:
            self.left -= array.nbytes
            file, self.files = "v%d.npy" % self.files, self.files + 1
            numpy.save(os.path.join(self.folder, file), array)
        return {"state": None, "shape": list(array.shape), "dtype": str(array.dtype), "file": file}


class Steps(object):
    """Wraps the compiled inner function of a Scan, to record the values of its first `STEPS` steps."""

    def __init__(self, writer: Writer, node: "Live", depth: int) -> None:
        self.writer, self.depth, self.tables = writer, depth, []  # type: Writer, int, list[Live]
        op = node.op
        graph = getattr(op, "fgraph", None)
        inputs = graph.inputs if graph is not None else op.inputs
        outputs = graph.outputs if graph is not None else op.outputs
        self.graph = Graph(list(inputs), list(outputs))

    def watch(self, op: "Live") -> None:
        """Wraps the virtual machine of the inner function that the Scan `op` compiled, so that `step` is called before each run."""
        function = getattr(op, "fn", None)
        if function is None:
            return
        attribute = "vm" if hasattr(function, "vm") else "fn"
        setattr(function, attribute, Before(getattr(function, attribute), lambda: self.step(function)))

    def step(self, function: "Live") -> None:
        """Records the values of one step, unless `STEPS` steps are recorded."""
        if len(self.tables) < STEPS and len(function.input_storage) == len(self.graph.inputs):
            values = [container.storage[0] for container in function.input_storage]
            with peeking(self.writer.draws):
                self.tables.append(self.writer.table(self.graph, values, self.depth + 1))


@contextlib.contextmanager
def peeking(draws: "Live") -> "Live":
    """Context manager in which random draws are not counted, because the recorder computes them a second time, after the script."""
    before = draws is not None and draws.peeking
    if draws is not None:
        draws.peeking = True
    try:
        yield
    finally:
        if draws is not None:
            draws.peeking = before


class Before(object):
    """A vm that calls `action` before each run; all attributes are those of the wrapped vm."""

    def __init__(self, vm: "Live", action: "Live") -> None:
        self.__dict__["_vm"], self.__dict__["_action"] = vm, action

    def __call__(self, *args: object, **kwargs: object) -> "Live":
        """Calls the action, then runs the vm."""
        self._action()
        return self._vm(*args, **kwargs)

    def __getattr__(self, name: str) -> "Live":
        return getattr(self.__dict__["_vm"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.__dict__["_vm"], name, value)


def run(node: "Live", cells: "dict[Live, list[Live]]", watched: "Steps | None") -> None:
    """Computes one node with its Python implementation, or compiles it if it has none. Raises ValueError if an input has no value."""
    mine = [v for v in list(node.inputs) + list(node.outputs)]
    storage = dict((v, cells[v]) for v in mine)
    computed = dict((v, [v not in node.outputs]) for v in mine)
    missing = [v for v in node.inputs if storage[v][0] is None and not is_none(v)]
    if missing:
        raise ValueError("an input of it is not known")
    try:
        thunk = node.op.make_thunk(node, storage, computed, [], impl="py")
        if watched is not None:
            watched.watch(node.op)
        thunk()
    except Exception:  # no form in Python, or one that this numpy or scipy is too new for
        compute_compiled(node, storage)
    if type(node.op).__name__ == "AllocEmpty":
        storage[node.outputs[0]][0].fill(0)  # what it happens to hold is no value


def compute_compiled(node: "Live", storage: "dict[Live, list[Live]]") -> None:
    """Compiles one node as a function of its framework and stores its outputs."""
    given = [v for v in dict.fromkeys(node.inputs) if not hasattr(v, "data")]
    fresh = dict((v, v.type()) for v in given)
    new = node.clone_with_new_inputs([fresh.get(v, v) for v in node.inputs])
    framework = sys.modules[type(node).__module__.split(".")[0]]
    function = framework.function([fresh[v] for v in given], list(new.outputs), on_unused_input="ignore")
    for variable, value in zip(node.outputs, function(*[storage[v][0] for v in given])):
        storage[variable][0] = value


def is_none(variable: "Live") -> bool:
    """Returns whether None is a valid value of a Variable, as for `NoneConst` and slices."""
    return type(variable.type).__name__.startswith("None") or "slice" in type(variable.type).__name__.lower()


def text_of(node: "Live") -> str:
    """Returns the text of a node as its framework prints it, at most `TEXT` characters; the Op's class name if printing fails."""
    try:
        return str(node)[:TEXT]
    except Exception:  # users write Ops too
        return type(node.op).__name__


def state_of(value: "Live") -> "str | None":
    """Returns a text that identifies the state of a random generator: its class name and the state's SHA-1; None for other values."""
    if hasattr(value, "bit_generator"):
        state = value.bit_generator.state
    elif hasattr(value, "get_state") and hasattr(value, "random_sample"):
        state = value.get_state()
    else:
        return None
    return type(value).__name__ + ":" + hashlib.sha1(json.dumps(plain(state)).encode("utf-8")).hexdigest()


def plain(state: "Live") -> "Live":
    """Returns a generator's state as nested lists, sorted by key so that every interpreter gives the same order."""
    if isinstance(state, dict):
        return [(str(key), plain(state[key])) for key in sorted(state)]
    if isinstance(state, (list, tuple)):
        return [plain(part) for part in state]
    return state.tolist() if hasattr(state, "tolist") else str(state)


MAKERS = ("compile.function_module", "compile.function.types", "compile.maker")
"""Modules that define `FunctionMaker`: Theano; Theano-PyMC, Aesara and PyTensor 2; PyTensor 3."""
FRAMES = 40
"""Number of stack frames kept for each Variable: enough to include the user's line if a library creates the Variable."""


class RecomputingInstrument(RecordingInstrument):
    """Records the graph of the one call that was requested."""

    def __init__(self, emit: "Callable[..., None]", options: "dict[str, Live]", shared: "Callable[[], Live]") -> None:
        RecordingInstrument.__init__(self, emit, options, shared)
        self.wanted, self.call = int(options["function"]), int(options["call"])
        self.graphs = {}  # type: dict[int, Graph]  # by the identity of the maker
        self.graph = None  # type: Graph | None
        self.known_now = None  # type: Live
        self.seen = 0

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Returns a mapping: module name -> function to call after that module was imported."""
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
        """Computes the graph if this is the requested call, writes it to `graph.json` and ends the process."""
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
    """Copies the graph that a FunctionMaker gets. The outputs of the copy are the function's outputs, followed by the updates of the
    inputs.
    """
    outputs = outputs if isinstance(outputs, (list, tuple)) else [outputs]
    updates = [i.update for i in inputs if getattr(i, "update", None) is not None]
    return copied([getattr(i, "variable", i) for i in inputs], [getattr(o, "variable", o) for o in outputs] + updates)


def role(spec: "Live") -> str:
    """Returns the role of a function's input: "shared" or "argument"."""
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

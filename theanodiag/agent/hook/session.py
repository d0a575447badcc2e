"""Runs a script under the hook: reads the options, loads the instrument, installs the recorders, runs the script, closes the stream."""

import atexit
import functools
import importlib
import json
import os
import sys
import types

from ..simulated_gpu import gpu_flags
from . import script
from .array_identity import Buffers
from .builtin_names import own_builtins
from .call_limits import CallLimits, Stopper
from .flags import TRANSLATED, describe, flags_variables
from .framework_modules import ROOTS, AfterImport, Folding, FrameworkNames, actions
from .functions import Functions
from .garbage import SEARCHES
from .input_values import Invented
from .kept_files import KeptFiles
from .program import ShapeRecorder, dense, kind_of
from .pymc_sampling import PymcSampling
from .shared import SharedVariables, Walker
from .sites import Sites, is_library
from .stream import Stream

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live
    from .program import Program

    Actions = dict[str, Callable[[Live], None]]


class Options(object):
    """The options that the runner passes to the hook, parsed from JSON."""

    def __init__(self, text: str) -> None:
        data = json.loads(text)
        self.stream = dict(data["stream"])  # what the Stream takes: {"fd": descriptor, "key": its seal, "again": path | null}
        self.calls = str(data.get("calls", "dry"))  # "dry" or "real"
        self.max_calls = int(data.get("max_calls", 3))
        self.counted = data.get("counted")  # {"most": calls of all functions or null}: stop by counts, never by time; null: by both
        self.shapes = list(data.get("shapes", []))  # [{"function": name or null, "variable": name, "shape": [..]}]
        self.instrument = data.get("instrument")  # {"path": file, "options": {..}}; null: nothing is measured
        self.gpu = data.get("gpu")  # the device to stand in for: see simulated_gpu/gpu_flags.py; null: none
        self.compat = bool(data.get("compat", True))  # whether legacy names may be served by a newer framework
        self.kept = data.get("kept")  # folder for copies of the files that the script changes; null: none are made
        self.parts = list(data.get("parts", []))  # [[what follows the path in its name, text]] to run in the file's place: see `script.run`

    @property
    def dry(self) -> bool:
        """Whether the run is dry: functions are neither compiled nor executed."""
        return self.calls == "dry"


SCHEMA = "theanodiag/capture/v1"
"""Name and version of the event format, as in `capture/protocol.py`."""


class HookSession(object):
    """The hook's state while one script runs, shared by its modules."""

    def __init__(self, options: Options) -> None:
        self.options = options
        self.stream = Stream(**options.stream)
        self.sites = Sites()
        self.walker = Walker()
        self.buffers = Buffers()
        self.call_limits = CallLimits(options.calls, options.max_calls, options.counted)
        self.stopper = Stopper(self.stream, self.finish)
        self.invented = Invented()
        self.shared = SharedVariables(self.stream, self.sites, self.walker, self.buffers, self.invented)
        self.shapes = ShapeRecorder(self.stream, self.invented)
        self.functions = Functions(self)
        self.folding = Folding(self.functions.depths)
        self.sampling = PymcSampling(self)
        self.simulated_gpu = gpu_flags.activation_of(options, self.stream)
        self.instrument = NoInstrument()  # type: Live
        self.frameworks = {}  # type: dict[str, FrameworkNames]
        self.flags_variables = {}  # type: dict[str, dict[str, str]]  # framework -> the variables at its import
        self.ready = set()  # type: set[str]
        self.ending = None  # type: script.Ending | None
        self.served = {}  # type: dict[str, str]  # name that is not installed -> the framework that serves it

    def load_instrument(self) -> None:
        """Loads the instrument. The stream must be open, because the instrument may emit events at once."""
        self.instrument = load(self.options.instrument, functools.partial(self.stream.emit, "measured"), self.shared.containers)
        if hasattr(self.instrument, "computing"):
            self.instrument.computing = self.folding.counting
        if hasattr(self.instrument, "is_library"):
            self.instrument.is_library = is_library

    def legacy_names(self) -> None:
        """Installs the compat layer, which maps the names of frameworks that are not installed to a framework that is."""
        if not self.options.compat:
            return
        try:
            done = importlib.import_module("_theanodiag_compat.install").install()
            if done["aliases"]:  # report what PyTensor itself chooses, not the C implementation that `theanodiag run` prefers
                importlib.import_module("_theanodiag_compat.framework").current.prefers_c = False
        except Exception as error:
            self.stream.emit("skipped", what="legacy names", reason="%s: %s" % (type(error).__name__, error))
            return
        self.served = dict(done["aliases"])
        TRANSLATED.update(done["flags"])

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Returns the actions after imports: module name -> function to call. The alias modules of the compat layer are left out."""
        table = both(actions(self), both(self.simulated_gpu.actions(), both(self.instrument.actions(), self.sampling.actions())))
        return dict((name, action) for name, action in table.items() if name.split(".")[0] not in self.served)

    def imported(self, module: "Live") -> None:
        """Registers an imported framework; frames in its files are no longer the user's."""
        self.sites.add(os.path.dirname(os.path.abspath(module.__file__)))
        self.frameworks[module.__name__] = FrameworkNames(module.__name__)
        self.flags_variables[module.__name__] = flags_variables()

    def framework_of(self, maker: "Live") -> FrameworkNames:
        """Returns the framework that defines the FunctionMaker `maker`, and the maker's graph, if it has one already."""
        root = type(getattr(maker, "fgraph", maker)).__module__.split(".")[0]
        return self.frameworks.setdefault(root, FrameworkNames(root))

    def framework_ready(self, root: str) -> None:
        """Writes the event `framework` once, before the first event that depends on it."""
        if root not in self.ready:
            self.ready.add(root)
            legacy = [name for name, target in self.served.items() if target == root and name in sys.modules]
            alias = legacy[0] if legacy else None
            variables = self.flags_variables.get(root, flags_variables())
            self.stream.emit("framework", assumed=self.simulated_gpu.assumed, **describe(sys.modules[root], alias, variables))

    def finish(self) -> None:
        """Writes the last events and closes the stream; later calls do nothing."""
        if not self.stream.closed:
            with own_builtins():
                self._finish()

    def _finish(self) -> None:
        for root in ROOTS:
            if root in sys.modules and root in self.frameworks:
                self.framework_ready(root)
        if not self.stream.forked:
            steps = (self.instrument.finish, functools.partial(assume, self))
            for step in reversed(steps) if self.options.dry else steps:  # what is measured ends before calls are made up
                step()
        ending = self.ending or script.Ending("stopped" if self.stopper.reason else "exited", None)
        status = "stopped" if self.stopper.reason else ending.status
        self.stream.emit("end", status=status, exit_code=ending.exit_code, reason=self.stopper.reason, **ending.more)
        self.stream.closed = True


def both(first: "Actions", second: "Actions") -> "Actions":
    """Merges two tables of actions; for a module in both, the action of `first` runs first."""
    table = dict(second, **first)
    for name in set(first) & set(second):
        table[name] = functools.partial(one_after_the_other, first[name], second[name])
    return table


def one_after_the_other(first: "Callable[[Live], None]", second: "Callable[[Live], None]", module: "Live") -> None:
    """Runs two actions on one module."""
    first(module)
    second(module)


def run(options: str, path: str, args: "list[str]", safe_path: bool) -> int:
    """Runs the script under the hook and returns the exit code of the process. `options` is the runner's JSON."""
    session = HookSession(Options(options))
    kept.extend([sys.modules["__main__"], session])
    session.stream.emit(
        "header", schema=SCHEMA, python=sys.version.split()[0], executable=sys.executable, pid=os.getpid(), argv=[path] + args
    )
    atexit.register(session.finish)
    session.stopper.listen()
    if session.options.dry:  # a real run is compared with what it does itself, when it does it
        SEARCHES.install()
        session.walker.when_constants_end(lambda number: SEARCHES.ended(session.stream, "delete", constant=number))
    session.ending = script.Ending("failed")
    session.load_instrument()
    main = script.prepare(path, args, safe_path)
    session.legacy_names()
    if getattr(session.instrument, "lends", False) and sys.version_info >= (3, 9):  # which can read it
        lending = importlib.import_module("_theanodiag_compat.running.lending")
        lending.Lender(functools.partial(session.stream.emit, "measured", what="lent")).install()
    AfterImport(session.actions()).install()
    # CPython 3.12 cannot fork once atexit functions run; their calls are not recorded then. Checked before the script
    # runs, which may replace getattr.
    early = sys.version_info[:2] == (3, 12) and getattr(session.instrument, "forks", False)
    session.ending = None
    if session.options.kept:
        KeptFiles(session.options.kept).install()
    ending = script.run(path, main, session.options.parts, getattr(session.instrument, "failed", None))
    ending.more.update(after=session.sampling.after.finish(ending.status == "raised"))
    session.ending = ending
    if early:
        session.finish()
    return session.ending.exit_code or 0


kept = []  # type: list[object]
"""References to the replaced `__main__` and the session, which keep them from being freed."""


PACKAGE = "_theanodiag_instrument"


class NoInstrument(object):
    """The instrument used if nothing is measured. Its methods define the interface and do nothing."""

    to_the_end = False
    """Whether the script runs until it finishes, however often its functions are called."""
    lends = False
    """Whether a script can import theanodiag where it is not installed (then an event `measured` has `what` "lent")."""
    needs_functions = True
    """Whether the functions that the script compiles are recorded. If not, those that it calls itself are computed, in Python, and those of
    PyMC are rewritten only as far as shapes need it.
    """

    @staticmethod
    def actions() -> "dict[str, Callable[[Live], None]]":
        """Returns an empty table of actions: nothing is called after imports."""
        return {}

    def making(self, fgraph: "Live") -> None:
        """Called before a function with the graph `fgraph` is compiled."""

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """Called after a function was compiled: `index` is its number, `vm` its virtual machine, which is freed with it."""

    def entered(self, vm: "Live", recorded: bool) -> None:
        """Called before a vm computes; `recorded` says whether this call is recorded."""

    def recorded(self, program: "Live", values: "Live") -> None:
        """Called after a call of `program` was written to the stream; `values` are those of all inputs."""

    def finish(self) -> None:
        """Called when the script has ended."""


def load(spec: "dict[str, Live] | None", emit: "Callable[..., None]", shared: "Callable[[], Live]") -> "Live":
    """Loads the instrument from the file `spec["path"]`, whose folder becomes a package; NoInstrument if `spec` is None.

    `emit` writes an event; `shared()` returns the containers of the shared variables.
    """
    if not spec:
        return NoInstrument()
    folder, name = os.path.split(str(spec["path"]))
    module = types.ModuleType(PACKAGE)
    module.__path__ = [folder]
    sys.modules[PACKAGE] = module
    keep, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    try:
        instrument = importlib.import_module(PACKAGE + "." + os.path.splitext(name)[0]).Instrument
    finally:
        sys.dont_write_bytecode = keep
    return instrument(emit, spec.get("options") or {}, shared)


# Assumed calls of functions that the script never called, with shapes that the user gave or that the graph states.
#
# The shape of an argument is the first one available of: the user's (`--shape`), that of its default value, that of its test value
# (`tag.test_value`), its static shape. If an argument's shape stays unknown, a note says which shape to give.


class RefusedRequest(Exception):
    """Raised for a shape given by the user that the argument cannot have."""


class Requests(object):
    """The shapes given by the user (`--shape`), and which of them were used."""

    def __init__(self, rows: "list[Live]") -> None:
        self.rows = rows  # {"function": name or None, "variable": name, "shape": [..]}
        self.used = set()  # type: set[int]

    def shapes(self, program: "Program", called: bool) -> "dict[str, tuple[int, ...]]":
        """Returns argument name -> the shape that the user gave for it, for this function. A shape given without a function's name applies
        to functions that were never called.
        """
        shapes = {}
        for i, row in enumerate(self.rows):
            fits = row["function"] in (program.name, str(program.index)) or (row["function"] is None and not called)
            if fits and row["variable"] in names(program):
                shapes[row["variable"]] = tuple(row["shape"])
                self.used.add(i)
        return shapes

    def unmet(self, programs: "list[Program]") -> "Iterator[str]":
        """Yields the reason for each shape of the user that could not be used. A shape for a function that the script calls itself is not
        reported.
        """
        for i, row in enumerate(self.rows):
            if i in self.used:
                continue
            of = [p for p in programs if row["function"] in (None, p.name, str(p.index))]
            if not programs:
                yield "no compiled function of the script can have an argument %r" % str(row["variable"])
            elif not of:
                compiled = ", ".join(p.name for p in programs)
                yield "there is no function %r; the script compiled: %s" % (str(row["function"]), compiled)
            elif not any(row["variable"] in names(p) for p in of):
                known = sorted(set(n for p in of for n in names(p)))
                where = "the function %s" % of[0].name if row["function"] else "every function"
                yield "%s has no argument %r; named arguments: %s" % (where, str(row["variable"]), ", ".join(known) or "none")


def names(program: "Program") -> "list[str]":
    """Returns the names of a function's arguments."""
    return [str(program.fgraph.inputs[i].name) for i in program.arguments if program.fgraph.inputs[i].name]


def assume(session: "HookSession") -> None:
    """Writes an assumed call for each function that was never called, and for each function for which the user gave shapes."""
    requests = Requests(session.options.shapes)
    programs = session.functions.alive()
    for program in programs:
        called = bool(session.call_limits.counts.get(program.index))
        given = requests.shapes(program, called)
        if given or not called:
            assumed_call(session, program, given)
    for reason in requests.unmet(programs):
        session.stream.emit("refused", reason=reason)


def assumed_call(session: "HookSession", program: "Program", given: "dict[str, tuple[int, ...]]") -> None:
    """Writes one assumed call, or the reason why it is impossible."""
    try:
        values = [value_of(program, i, given) for i in range(len(program.fgraph.inputs))]
    except RefusedRequest as refused:
        session.stream.emit("refused", reason=str(refused))
        return
    unknown = [label(program, i) for i in program.arguments if values[i] is None]
    if unknown:
        reason = "never called, and the shape of %s is not known: give --shape %s:%s=N,..." % (", ".join(unknown), program.name, unknown[0])
        session.stream.emit("skipped", what="function %s" % program.name, reason=reason)
        return
    session.functions.write_call(program, session.shapes.learn(program, values), values, assumed=True)


def label(program: "Program", i: int) -> str:
    """Returns the name of argument `i` for messages; its position if it has no name."""
    return str(program.fgraph.inputs[i].name or "argument %d" % i)


def value_of(program: "Program", i: int, given: "dict[str, tuple[int, ...]]") -> "Live":
    """Returns a value for input `i`: zeros of the first available shape; None if no shape is known."""
    variable, spec = program.fgraph.inputs[i], program.specs[i]
    if i not in program.arguments:
        return spec.value.storage[0] if hasattr(spec.value, "storage") else spec.value
    if variable.name in given:
        return zeros(variable, fitting(program, variable, given[variable.name]))
    for known in (getattr(spec.value, "storage", [spec.value])[0], getattr(spec.variable.tag, "test_value", None)):
        if known is not None:
            return known
    static = [n for n in static_shape(variable.type) or (None,) if n is not None]
    return zeros(variable, tuple(static)) if len(static) == getattr(variable.type, "ndim", None) else None


def zeros(variable: "Live", shape: "tuple[int, ...]") -> "Live":
    """Returns a numpy array of zeros for a Variable, whose pages are never touched; None if the Variable is not a tensor."""
    return dense(variable.type, shape, None) if kind_of(variable.type) == "tensor" else None


def static_shape(kind: "Live") -> "tuple[int | None, ...] | None":
    """Returns the static shape of a Type, with None for each unknown length; None if it has no shape."""
    shape = getattr(kind, "shape", None)
    if isinstance(shape, tuple):
        return shape
    broadcastable = getattr(kind, "broadcastable", None)
    return None if broadcastable is None else tuple(1 if b else None for b in broadcastable)


def fitting(program: "Program", variable: "Live", shape: "tuple[int, ...]") -> "tuple[int, ...]":
    """Checks the user's shape against the Variable's static shape, and returns it. Raises RefusedRequest if they disagree."""
    static = static_shape(variable.type)
    where = "%s:%s=%s" % (program.name, variable.name, ",".join(str(n) for n in shape))
    if static is None:
        raise RefusedRequest("%s: %s is not a tensor (%s)" % (where, variable.name, variable.type))
    if len(static) != len(shape):
        raise RefusedRequest("%s: %s has %d dimensions, not %d (%s)" % (where, variable.name, len(static), len(shape), variable.type))
    for i, (fixed, n) in enumerate(zip(static, shape)):
        if fixed is not None and fixed != n:
            raise RefusedRequest("%s: dimension %d of %s is always %d, not %d (%s)" % (where, i, variable.name, fixed, n, variable.type))
    return shape

"""Compiled functions: substitutes the dry linker in each FunctionMaker and records the graph and the calls of each function."""

import copy
import functools
import os
import re
import sys
import threading
import time
import weakref

from .array_identity import digest, is_one_hot, shape_of
from .builtin_names import own_builtins
from .call_limits import PATIENT
from .flags import linker_name
from .garbage import SEARCHES
from .program import CallShapes, Program, fill, keeps, kind_of, small_integer
from .results import is_on_device, number_of, to_record, watch
from .sites import OURS, name_of, thrown_away

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live
    from .program import Program
    from .session import HookSession


# Replacements for a function's virtual machine: one that computes nothing, or a wrapper that observes the real one (`--calls real`).
#
# The dry linker keeps the real Function object with its checks, defaults and updates: FunctionMaker.create calls
# `linker.make_thunk(...)` for (vm, input containers, output containers). Source: Theano 1.0.5 theano/compile/function_module.py, Aesara
# 2.9 and Theano-PyMC compile/function/types.py, PyTensor 3 compile/maker.py. The dry vm reads the input containers, which
# Function.__call__ has filled and checked, and writes outputs and updates of the right shapes.


def out_of_sight(things: "Live") -> "Live":
    """Holds `things` where CPython's cyclic garbage collector does not see them: in an object array, which it does not traverse. Theano's C
    vm holds its nodes in the same way.

    A collection that finds a dropped function therefore frees only the vm; the shared variables and constants of its graph are freed by the
    next one. Source: Theano 1.0.5, gof/c_code/lazylinker_c.c (`lazylinker_ext_CLazyLinkerType` lacks Py_TPFLAGS_HAVE_GC). Observed with
    Keras 2.3.1: the second `gc.collect()` frees half of the shared variables of 32 functions.
    """
    import numpy

    held = numpy.empty(len(things), dtype=object)  # type: Live
    for i, thing in enumerate(things):
        held[i] = thing
    return held


class DryLinker(object):
    """Replaces a maker's own linker while FunctionMaker.create runs."""

    def __init__(self, program: "Program", linker: "Live", container: "Live") -> None:
        self.program = program
        self.in_c = linker_name(linker) == "cvm"
        self.container = container  # the framework's class Container

    def make_thunk(self, input_storage: "Live" = None, output_storage: "Live" = None, storage_map: "Live" = None) -> "Live":
        """Makes the vm of a dry function. Returns (vm, input containers, output containers). `storage_map`, which shares intermediates, is
        ignored: a dry vm has none.
        """
        fgraph = self.program.fgraph
        cells = dict(zip(fgraph.inputs, input_storage or [[None] for _ in fgraph.inputs]))
        inputs = [cells[v] for v in fgraph.inputs]
        for variable in fgraph.outputs:
            if variable not in cells:
                cells[variable] = [getattr(variable, "data", None)]
        vm = DryVM(self.program, inputs, [cells[v] for v in fgraph.outputs], cells)
        vm.held = out_of_sight(list(fgraph.apply_nodes)) if self.in_c else None
        return (
            vm,
            [self.container(v, s) for v, s in zip(fgraph.inputs, inputs)],
            [self.container(v, s) for v, s in zip(fgraph.outputs, vm.outputs)],
        )


class DryVM(object):
    """The vm that a Function calls: records the call and fills the outputs according to their shapes.

    It has the attributes that Function and Function.copy read.
    """

    need_update_inputs = False
    allow_gc = True  # always: outputs that only the function's storage holds must not count as held by the script
    nodes = ()  # type: tuple[object, ...]
    thunks = ()  # type: tuple[object, ...]
    held = None  # type: Live

    def __init__(self, program: "Program", inputs: "Live", outputs: "Live", storage_map: "Live") -> None:
        self.program = program
        self.inputs = inputs
        self.outputs = outputs
        self.storage_map = storage_map
        self.time_thunks = False

    def __call__(self, output_subset: "Live" = None) -> "Live":
        """Records one call, then fills the outputs and updates."""
        with own_builtins():
            return self._called()

    def _called(self) -> "Live":
        values = [cell[0] for cell in self.inputs]
        invented = self.program.shapes.invented
        shapes = self.program.called(values, invented.believed(self.program, self.inputs))
        counted = self.program.counters.counted(self.program, values)
        results = [self._result(i, shapes.outputs[i], values, counted) for i in range(len(self.outputs))]
        for cell, result in zip(self.outputs, results):
            cell[0] = result
        for output, position in self.program.updates:
            self.inputs[position][0] = results[output]
            if output not in counted:
                invented.updates(self.inputs[position])
        watch(self.program, results)
        return results

    def _result(self, i: int, spec: "Live", values: "Live", counted: "dict[int, Live]") -> "Live":
        variable = self.program.fgraph.outputs[i]
        if variable.owner is None:
            value = self.outputs[i][0]
            # The old value of a shared variable is an array of its own once there is a new one.
            return fill(variable.type, value.shape, None, value) if kind_of(variable.type) == "gpu" and value is not None else value
        shape, known = spec
        position = self.program.updated.get(i)
        old = None if position is None else values[position]
        if position is not None and keeps(old, variable.type, shape):
            return counted.get(i, old)
        return fill(variable.type, shape or (), known, old)


class ObservedVM(object):
    """Wraps a vm; all attributes except calls are those of the wrapped vm."""

    def __init__(self, vm: "Live", program: "Program", function: "Live", instrument: "Live") -> None:
        self.__dict__["_vm"] = vm
        self.__dict__["_program"] = program
        self.__dict__["_instrument"] = instrument
        self.__dict__["_cells"] = [container.storage for container in function.input_storage]

    def __call__(self, *args: object, **kwargs: object) -> "Live":
        """Records the call, then runs the vm."""
        with own_builtins():
            self._program.called([cell[0] for cell in self._cells], tuple(self._program.deciding))
            self._instrument.entered(self, self._program.recorded)
        return self._vm(*args, **kwargs)

    def __getattr__(self, name: str) -> "Live":
        return getattr(self.__dict__["_vm"], name)

    def __setattr__(self, name: str, value: object) -> None:
        setattr(self.__dict__["_vm"], name, value)


DEFAULT_NAME = re.compile(r"(\.py|\.ipynb, cell \d+|<\w+>):\d+$")
"""Matches the name that the framework makes up for a function: file:line of the call (theano/compile/function.py 1.0.5)."""


SAMPLING = ("pymc", "pymc3", "pymc_extras")
"""Packages that compile functions to sample from a model and to draw from it."""
MODELLING = SAMPLING + ("bambi", "pymc_marketing", "pymc_bart")
"""Packages that evaluate expressions while a model is built, such as the bounds of an HSGP."""
COMPILERS = ("jax", "pytorch")
"""Linkers that need a library in addition to the framework."""


class Depths(threading.local):
    """How deeply the current thread is nested in two activities of the framework."""

    rewriting = 0
    """Nesting of FunctionMaker.__init__: functions made meanwhile serve constant folding and really compute."""
    inner = 0
    """Nesting of the preparation of inner functions (Scan): these are dry, and not listed as functions of the script."""


class Functions(object):
    """All functions that the script compiles, numbered in the order of compilation."""

    def __init__(self, session: "HookSession") -> None:
        self.session = session
        self.depths = Depths()
        self.count = 0
        self.label = None  # type: str | None  # name for functions being compiled, set while a library compiles them
        self.seconds = {}  # type: dict[int, float]
        self.programs = {}  # type: dict[int, Live]  # weak references to the programs, by index
        self.waiting = {}  # type: dict[int, Program]  # never called: kept for the end, though the script may have dropped them

    def wrap(self, cls: "Live") -> None:
        """Wraps `__init__` and `create` of a FunctionMaker class if the class itself defines them."""
        if "__init__" in cls.__dict__:
            cls.__init__ = functools.wraps(cls.__init__)(self._timed(cls.__dict__["__init__"]))
        if "create" in cls.__dict__:
            cls.create = functools.wraps(cls.create)(self._created(cls.__dict__["create"]))

    def _timed(self, original: "Live") -> "Live":
        def __init__(maker: "Live", *args: object, **kwargs: object) -> None:
            if self.unused or is_for_a_model(self.session.framework_of(maker).folder):
                args, kwargs = self._hardly_rewritten(maker, args, kwargs)
            self.depths.rewriting += 1
            started = time.time()
            try:
                original(maker, *args, **kwargs)
            finally:
                self.depths.rewriting -= 1
            self.seconds[id(maker)] = time.time() - started

        return __init__

    @property
    def unused(self) -> bool:
        """Whether the function being compiled is neither computed nor recorded, because the run is dry and its instrument needs no
        functions.
        """
        needed = getattr(self.session.instrument, "needs_functions", True)
        return self.session.options.dry and not (needed or self.depths.rewriting)

    def _hardly_rewritten(self, maker: "Live", args: "Live", kwargs: "dict[str, Live]") -> "tuple[Live, dict[str, Live]]":
        """The arguments of a FunctionMaker with its mode replaced by one that rewrites little, which is enough to infer shapes. Rewriting
        takes most of the time of compiling, and each call of PyMC's samplers compiles functions.
        """
        framework = self.session.framework_of(maker)
        if made_by_framework(framework.folder) or type(maker).__name__ == "_Maker":  # DebugMode's, which reads more of its mode
            return args, kwargs
        if rewrites_nothing(args[2] if len(args) > 2 else kwargs.get("mode")):
            return args, kwargs
        mode_class = sys.modules[framework.root + ".compile.mode"].Mode
        # without fusion, so that NumPy computes an array at a time
        if is_for_a_model(framework.folder) or self._for_the_script(framework.folder):
            mode = mode_class(linker="py", optimizer="fast_run").excluding("composite_elemwise_fusion", "local_careduce_fusion")
        else:
            mode = mode_class(linker="py", optimizer="fast_compile")
        return (args[:2] + (mode,) + args[3:], kwargs) if len(args) > 2 else (args, dict(kwargs, mode=mode))

    def _created(self, original: "Live") -> "Live":
        def create(maker: "Live", *args: object, **kwargs: object) -> "Live":
            if isinstance(maker.linker, DryLinker):
                return original(maker, *args, **kwargs)
            return self.make(maker, lambda: original(maker, *args, **kwargs))

        return create

    def make(self, maker: "Live", create: "Callable[[], Live]") -> "Live":
        """Creates the Function for a maker: a Python function for constant folding, a dry one in a dry run, or one with an observed vm if
        calls are real.
        """
        seconds = self.seconds.pop(id(maker), None)
        if not self.session.options.dry:
            inside = self.depths.rewriting or self.depths.inner or made_by_framework(self.session.framework_of(maker).folder)
            return create() if inside else self._real(maker, create, seconds)
        folder = self.session.framework_of(maker).folder
        if self.depths.rewriting or made_by_framework(folder) or (self.unused and self._for_the_script(folder)):
            return with_linker(maker, in_python(maker.linker), create)
        if is_for_a_model(folder) and not draws(maker.fgraph):
            return create()
        return self._dry(maker, create, seconds)

    def _for_the_script(self, folder: str) -> bool:
        """Whether the script itself compiles a function, so that its results may become data of a model; False if PyMC compiles it, to
        sample or to draw.
        """
        return not self.session.sampling.calls and caller(folder) not in SAMPLING

    def _dry(self, maker: "Live", create: "Callable[[], Live]", seconds: "float | None") -> "Live":
        unused = self.unused
        listed = not (unused or self.depths.inner)
        program = Program(maker, self.session.shapes, self.called if listed else None)
        self.depths.inner += 1
        try:
            function = with_linker(maker, DryLinker(program, maker.linker, self.session.framework_of(maker).container), create)
        finally:
            self.depths.inner -= 1
        if listed:
            self.record(function, maker, program, seconds)
        elif unused and not self.depths.inner:
            self._walk(program, maker)
        return function

    def _real(self, maker: "Live", create: "Callable[[], Live]", seconds: "float | None") -> "Live":
        program = Program(maker, self.session.shapes, self.called)
        instrument = self.session.instrument
        self.depths.inner += 1
        instrument.making(maker.fgraph)
        try:
            function = create()
        finally:
            self.depths.inner -= 1
        attribute = "vm" if hasattr(function, "vm") else "fn"
        vm = ObservedVM(getattr(function, attribute), program, function, instrument)
        setattr(function, attribute, vm)
        self.record(function, maker, program, seconds)
        instrument.made(program.index, function, vm, maker.fgraph)
        return function

    def record(self, function: "Live", maker: "Live", program: Program, seconds: "float | None") -> None:
        """Numbers and names a function and writes the event `function`. If this fails, the reason is written, and the function
        still works.
        """
        with own_builtins():
            self._record(function, maker, program, seconds)

    def _record(self, function: "Live", maker: "Live", program: Program, seconds: "float | None") -> None:
        index = program.index = self.count
        self.count += 1
        self.programs[index] = weakref.ref(program, lambda _: self._dropped(index))
        self.waiting[index] = program
        self.session.call_limits.compiled(index)
        try:
            self.session.framework_ready(self.session.framework_of(maker).root)
            site = self.session.sites.here()
            program.name = self.label or self._name(function, maker, site, index)
            self._write(maker, program, site, seconds)
        except Exception as error:
            self.session.stream.emit("skipped", what="function %d" % index, reason="it was not recorded: %r" % (error,), lost=True)

    @staticmethod
    def _name(function: "Live", maker: "Live", site: "Live", index: int) -> str:
        given = getattr(function, "name", None) or getattr(maker.fgraph, "name", None)
        return str(given if given and not DEFAULT_NAME.search(given) else name_of(site) or given or "function %d" % index)

    def _write(self, maker: "Live", program: Program, site: "Live", seconds: "float | None") -> None:
        self.session.stream.emit(
            "function", index=program.index, name=program.name, linker=linker_name(maker.linker), allow_gc=program.allow_gc,
            mode=mode_name(maker.mode), site=site, graph=self._walk(program, maker), seconds=seconds,
            borrowed=[i for i, output in enumerate(maker.outputs) if getattr(output, "borrow", False)],
            expressions=self.session.shared.expressions(maker),
        )  # fmt: skip

    def _walk(self, program: Program, maker: "Live") -> "Live":
        try:
            self.session.shared.record_unseen(maker)
            program.walk = self.session.walker.walk(maker, program.name)
            return program.walk.graph()
        except Exception as error:
            self.session.stream.emit(
                "skipped", what="function %s" % program.name, reason="its graph was not read: %r" % (error,), lost=True
            )
            return None

    def _dropped(self, index: int) -> None:
        self.session.call_limits.dropped(index)
        SEARCHES.ended(self.session.stream, "delete", function=index)

    def called(self, program: Program, shapes: CallShapes, values: "Live") -> None:
        """Records a call if `CallLimits` says so, and stops the script when enough calls were recorded."""
        self.waiting.pop(program.index, None)
        if self.session.options.dry:
            self.session.invented.returns(program, shapes, lambda: thrown_away(self.session.sites.skip))
        program.recorded = self.session.call_limits.called(program.index, shapes.new, shapes.signature, to_record(program))
        if program.recorded:
            self.write_call(program, shapes, values)
        elif self.session.call_limits.enough and not getattr(self.session.instrument, "to_the_end", False):
            limits = self.session.call_limits
            seen = "every function was called often enough (--max-calls %d)" % limits.max_calls
            if limits.short is PATIENT:
                reason = "it was stopped after %d calls: what later calls of samplers need is not in the figures" % limits.total
                self.session.stream.emit("skipped", what="the rest of the script", reason=reason, lost=True)
            self.session.stopper.stop("%d calls were made (--stop-after)" % (limits.most or 0) if limits.too_many else seen)

    def write_call(self, program: Program, shapes: CallShapes, values: "Live", **more: object) -> None:
        """Writes the event `call` for a call of `program`; `more` are additional fields."""
        try:
            self.session.stream.emit(
                "call", function=program.index, signature=shapes.signature, site=self.session.sites.here(),
                inputs=[self._argument(program, i, values[i]) for i in program.arguments],
                dropped=thrown_away(self.session.sites.skip), **more
            )  # fmt: skip
        except Exception as error:
            self.session.stream.emit("skipped", what="a call of %s" % program.name, reason="it was not recorded: %r" % (error,), lost=True)
            return
        try:
            self.session.instrument.recorded(program, values)
        except Exception as error:
            self.session.stream.emit("skipped", what="the compiler's figures of %s" % program.name, reason="%r" % (error,))

    def alive(self) -> "list[Program]":
        """Returns the functions that still exist, in the order of compilation."""
        programs = [reference() for _, reference in sorted(self.programs.items())]
        return [program for program in programs if program is not None]

    def _argument(self, program: Program, i: int, value: "Live") -> "dict[str, object]":
        variable = program.fgraph.inputs[i]
        return {
            "variable": program.ids().get(variable),
            "name": variable.name,
            "dtype": str(getattr(value, "dtype", None) or getattr(variable.type, "dtype", None) or "") or None,
            "shape": shape_of(value) if value is None or hasattr(value, "shape") else [],
            "value": small_integer(value),
            "buffer": self.session.buffers.identify(value),
            "part_of": self.session.buffers.cut_from(value),
            "digest": digest(value),
            "one_hot": is_one_hot(value),
            "on_device": is_on_device(value),
            "result": number_of(value),
        }


def caller(folder: str) -> str:
    """Returns the first part of the name of the module that compiles a function: of the innermost module outside theanodiag and the
    framework.
    """
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((OURS, folder + os.sep)):
        frame = frame.f_back  # type: ignore[assignment]
    return "" if frame is None else str(frame.f_globals.get("__name__", "")).partition(".")[0]


def made_by_framework(folder: str) -> bool:
    """Returns whether the framework itself compiles a function (to seed random streams, inside Scan) and needs its results.

    The innermost frame outside theanodiag and the framework's `compile` package decides; `Variable.eval` counts as a call of the script.
    """
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((OURS, os.path.join(folder, "compile") + os.sep)):
        frame = frame.f_back  # type: ignore[assignment]
    if frame is None or not frame.f_code.co_filename.startswith(folder + os.sep):
        return False
    return frame.f_code.co_name != "eval"


def is_for_a_model(folder: str) -> bool:
    """Returns whether a library evaluates an expression (`Variable.eval`) that it needs to build a model."""
    frame = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith((OURS, os.path.join(folder, "compile") + os.sep)):
        frame = frame.f_back  # type: ignore[assignment]
    return frame is not None and frame.f_code.co_name == "eval" and caller(folder) in MODELLING


def draws(fgraph: "Live") -> bool:
    """Returns whether a graph contains Ops that draw random numbers."""
    return any(hasattr(node.op, "rng_param") or type(node.op).__name__ == "RandomFunction" for node in fgraph.apply_nodes)


def rewrites_nothing(mode: "Live") -> bool:
    """Returns whether a mode only links, without rewriting, like the mode of an inner graph that was already rewritten. Rewriting such a
    graph again would nest a Softmax in itself endlessly. Source: PyTensor 3.3.8 compile/inner_function.py, `link_only_mode`.
    """
    rewriter = getattr(mode, "_optimizer", None)  # type: Live
    return type(rewriter).__name__ == "SequentialGraphRewriter" and not len(rewriter)


def with_linker(maker: "Live", linker: "Live", create: "Callable[[], Live]") -> "Live":
    """Runs `create` with `maker.linker` set to `linker`, then restores the maker's own linker."""
    own, maker.linker = maker.linker, linker
    try:
        return create()
    finally:
        maker.linker = own


def in_python(linker: "Live") -> "Live":
    """Returns a copy of a linker that uses no C, to compute values that are needed while a graph is optimized."""
    if hasattr(linker, "use_cloop"):
        linker = copy.copy(linker)
        linker.use_cloop = linker.c_thunks = False
    if linker_name(linker) in COMPILERS:
        return sys.modules[type(linker).__module__.split(".")[0] + ".link.basic"].PerformLinker(allow_gc=linker.allow_gc)
    return linker


def mode_name(mode: "Live") -> "str | None":
    """Returns the name of the mode that the script gave the function; None if it gave none, so that the flag `mode` applies."""
    if mode is None or (sys.version_info[0] == 3 and isinstance(mode, str)):
        return mode
    return type(mode).__name__

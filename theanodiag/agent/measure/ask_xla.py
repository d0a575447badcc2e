"""Asks XLA, before anything runs, for the memory of the functions that PyTensor compiles with JAX: on this host, or on a GPU that need not
exist.

While the script runs dry, a copy of each function's graph is kept with the shapes of its calls. At the end a child process converts the
graphs as PyTensor's linker does and compiles them for the device. It answers line by line, so a compiler crash loses only one function's
answer.

Options: {"target": description of the GPU (text of a GpuTargetConfigProto), null for this host; "card": its name; "without_gpu": why the
requested GPU has no description; "plugins": folder with JAX's CUDA plugin in a subfolder for each JAX release; "mode": mode of functions
compiled without one, null for the framework's default; "patience": seconds to wait for one function}.
"""

import importlib
import json
import os
import sys
import threading
import time
from copy import copy as copied

from .jax_constants import REFUSALS, for_values, integers, missing, module, statement
from .xla_program import MOST_NODES, OPTION, DumpFolder, Owners, XlaProgram, at_peak

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from .. import Live


# Follows the dtypes of shared variables from call to call if an update returns another dtype than its graph declares.
#
# PyTensor's linker keeps what JAX returns. The mean of a float32 matrix is summed, and returned, in float64 (PyTensor 3.3.8,
# link/jax/dispatch/elemwise.py), so a float32 shared variable updated with it is float64 from then on. XLA also compiles these later calls,
# until the dtypes repeat.


class CallSequence(object):
    """The calls of all functions, in the script's order."""

    def __init__(self) -> None:
        self.calls = []  # type: list[tuple[Live, Live, int, list[tuple[int, int, int]]]]

    def add(self, kept: "Live", key: "Live", number: int, cells: "list[tuple[int, int, int]]") -> None:
        """Records a call of the kind `key`; `cells` has, for each shared variable, its position, the id of its cell, and how often the
        script set it.
        """
        self.calls.append((kept, key, number, cells))

    def moved(self, answers: "dict[Live, dict[str, Live]]") -> "Iterator[tuple[Live, Live, int]]":
        """Yields (function, kind, number) of each call whose dtypes differ from those that its graph declares.

        `answers` maps (index of the function, kind) to XLA's answer; `updates` in the answer lists [position, dtype] of the inputs whose
        new value has another dtype. If a call has no answer yet, later calls are undecided and not yielded.
        """
        now = {}  # type: dict[int, tuple[Live, int]]  # id of a cell -> (dtype that an update gave it, how often it was set before)
        for kept, key, number, cells in self.calls:
            dtypes = dict((i, now[cell][0]) for i, cell, times in cells if cell in now and now[cell][1] == times)
            actual = kept.with_dtypes(key, dtypes)
            if actual != key:
                yield kept, actual, number
            new = dict(answers.get((kept.index, actual), {}).get("updates") or ())
            now.update((cell, (new[i], times)) for i, cell, times in cells if i in new)


ROOTS = ("pytensor", "aesara")
"""Names of the frameworks' packages."""
OTHER_COMPILERS = ("PYTORCH", "MLX")
"""Modes that name a compiler other than JAX, which the script then keeps."""
CONFIG = (("jax_traceback_in_locations_limit", 64), ("jax_enable_compilation_cache", False))
"""JAX settings in the child: enough stack frames per instruction for nested loops; no disk cache, because cached programs have no texts."""
NEAR = 5
"""Maximum number of nodes between a Variable without a source line and the one whose line is used instead."""
KINDS = 16
"""Maximum number of kinds of calls compiled for one function: those with the largest arguments."""


class KeptFunction(object):
    """One function to compile later: a copy of its graph without the script's values, and its calls by shapes and dtypes."""

    def __init__(self, program: "Live") -> None:
        fgraph = program.fgraph
        self.root = str(type(fgraph).__module__.split(".")[0])
        self.index = program.index
        copies = dict((v, v.type(v.name)) for v in fgraph.inputs)
        for variable, copy in copies.items():
            if hasattr(variable.tag, "trace"):
                copy.tag.trace = variable.tag.trace
        basic = module(self.root, "graph.basic")
        known = basic.clone_get_equiv(list(fgraph.inputs), list(fgraph.outputs), copy_inputs=False, memo=dict(copies))
        self.inputs = [copies[v] for v in fgraph.inputs]
        self.outputs = [known[v] for v in fgraph.outputs]
        self.linker = program.linker
        ids = program.ids()
        self.ids = dict((copy, ids[v]) for v, copy in known.items() if v in ids)  # Variables of the copy -> their ids in the graph's JSON
        self.kinds = {}  # type: dict[Live, list[Live]]  # kind of call (keys of its arguments) -> the arguments
        self.calls = {}  # type: dict[Live, list[int]]  # kind of call -> numbers of its calls
        self.count = 0
        self.updates = list(program.updates)  # (position of an output, that of the input whose new value it is)
        self.shared = [(i, spec.value.storage) for i, spec in enumerate(program.specs) if hasattr(spec.value, "storage")]

    def graph(self) -> "Live":
        """Returns the copied graph as a FunctionGraph."""
        return module(self.root, "graph.fg").FunctionGraph(list(self.inputs), list(self.outputs), clone=False)

    def called(self, values: "Live") -> "Live":
        """Records a call; `values` are those of all inputs. Returns the key of its kind (shapes, dtypes and integer values)."""
        key = self._kind([ArgumentSpec(value) for value in values])
        self.calls.setdefault(key, []).append(self.count)
        self.count += 1
        return key

    def _kind(self, arguments: "list[ArgumentSpec]") -> "Live":
        key = tuple(argument.key for argument in arguments)
        self.kinds.setdefault(key, arguments)
        return key

    def with_dtypes(self, key: "Live", dtypes: "dict[int, str]") -> "Live":
        """Returns the key of the same kind of call with other dtypes for some inputs, by position."""
        return self._kind([a.of_dtype(dtypes[i]) if i in dtypes else a for i, a in enumerate(self.kinds[key])]) if dtypes else key

    def worth(self) -> "list[Live]":
        """Returns the keys of the kinds of calls to compile: the `KINDS` kinds with the largest arguments, largest first."""
        return sorted(self.kinds, key=lambda key: -sum(a.nbytes for a in self.kinds[key]))[:KINDS]


class ArgumentSpec(object):
    """The properties of an input's value that are needed to compile: dtype and shape of an array; also the value of an integer scalar or a
    generator.
    """

    def __init__(self, value: "Live") -> None:
        self.shape = tuple(value.shape) if hasattr(value, "shape") else None
        self.dtype = str(value.dtype) if hasattr(value, "dtype") else None
        self.nbytes = int(getattr(value, "nbytes", 0)) if self.shape is not None else 0
        single = self.shape == () and str(self.dtype).startswith(("int", "uint"))
        self.value = int(value) if single else value if self.dtype is None else None
        self.key = (self.shape, self.dtype, self.value if single else type(value).__name__)

    def of_dtype(self, dtype: str) -> "ArgumentSpec":
        """Returns a copy of the description with another dtype."""
        import numpy

        other = copied(self)
        other.dtype, other.key = dtype, (self.shape, dtype, self.key[2])
        other.nbytes = self.nbytes // numpy.dtype(self.dtype).itemsize * numpy.dtype(dtype).itemsize
        return other


class AheadOfTimeInstrument(object):
    """Keeps the graphs and calls of functions that JAX compiles. `finish` compiles them in child processes and emits XLA's figures.

    `emit(**fields)` writes an event.
    """

    forks = True

    def __init__(self, emit: "Callable[..., None]", options: "dict[str, Live]", shared: "Callable[[], Live]") -> None:
        self.emit = emit
        self.options = options
        self.kept = {}  # type: dict[int, KeptFunction]
        self.sequence = CallSequence()
        self.answers = {}  # type: dict[Live, dict[str, Live]]  # (index of a function, kind of call) -> XLA's answer
        self.missing = None  # type: str | None  # why no mode was chosen

    def actions(self) -> "dict[str, Callable[[Live], None]]":
        """Returns a mapping: module name -> function to call after its import."""
        return dict.fromkeys(ROOTS, self.choose_mode) if self.options.get("mode") else {}

    def choose_mode(self, framework: "Live") -> None:
        """Sets the framework's mode to the option `mode`; mode JAX does not replace a mode that names another compiler."""
        wanted = str(self.options["mode"])
        if wanted == "JAX" and not installed("jax"):  # the rewriting of graphs for it may import it
            self.missing = "there is no JAX in the script's interpreter"
        elif wanted != "JAX" or str(framework.config.mode).upper() not in OTHER_COMPILERS:
            framework.config.mode = wanted

    def recorded(self, program: "Live", values: "Live") -> None:
        """Keeps a recorded call if its function is compiled by JAX or by the linker named in the options."""
        wanted = self.options.get("linker") or "jax"
        if type(program.fgraph).__module__.split(".")[0] not in ROOTS or program.linker not in ("jax", wanted):
            return
        if program.index not in self.kept:
            self.kept[program.index] = KeptFunction(program)
        kept, given = self.kept[program.index], program.shapes.invented.given
        number, key = kept.count, kept.called(values)
        self.sequence.add(kept, key, number, [(i, id(cell), given.get(id(cell), 0)) for i, cell in kept.shared])

    def making(self, fgraph: "Live") -> None:
        """Does nothing: this instrument does not run functions."""

    def made(self, index: int, function: "Live", vm: "Live", fgraph: "Live") -> None:
        """Does nothing: this instrument does not run functions."""

    def entered(self, vm: "Live", recorded: bool) -> None:
        """Does nothing: this instrument does not run functions."""

    def finish(self) -> None:
        """Compiles all kept functions in a child process; after a crash a new child continues with the next function."""
        if self.missing is not None and not self.kept:
            self.emit(what="xla", function=None, error=self.missing, everything=True)
        if self.kept and jax_is_initialized():
            why = "JAX runs in the script's process, as under pymc.sample: a fork of it would wait for threads that it does not have"
            self.emit(what="xla", function=None, error=why, everything=True)
            for kept in self.kept.values():
                self.emit(**unconverted_nodes(kept))
            return
        left = [(kept, None) for kept in self.kept.values()]  # type: list[Live]
        left += [(kept, key) for kept in self.kept.values() if kept.linker == "jax" for key in kept.worth()]
        self.ask(left)
        for _ in range(KINDS):  # each may have updates of yet other dtypes
            self.ask([(kept, key) for kept, key in self._moved() if (kept.index, key) not in self.answers])
        for (kept, key), calls in self._moved().items():
            unasked = {"what": "xla", "function": kept.index, "error": "the dtypes of its updates did not repeat within %d calls" % KINDS}
            answer = dict(self.answers.get((kept.index, key), unasked), calls=calls)
            if kept.calls.get(key):  # it was emitted for others, with its time
                answer.pop("seconds", None)
            self.emit(**answer)

    def _moved(self) -> "dict[Live, list[int]]":
        """(function, kind) -> the calls that are of this kind because an update returned another dtype than its graph declares."""
        calls = {}  # type: dict[Live, list[int]]
        for kept, key, number in self.sequence.moved(self.answers):
            calls.setdefault((kept, key), []).append(number)
        return calls

    def ask(self, left: "list[Live]") -> None:
        """Compiles each (function, kind of call) in `left`, in as many child processes as necessary."""
        while left:
            done = self.in_child(left)
            left = left[max(1, done) :]

    def in_child(self, work: "list[Live]") -> int:
        """Compiles `work` in a child process and emits the answers. Returns how many items of `work` were answered."""
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            quiet(reader)
            try:
                for line in lines(work, self.options):
                    os.write(writer, json.dumps(line).encode("ascii") + b"\n")
            finally:
                os._exit(0)
        os.close(writer)
        done, why = 0, None  # type: tuple[int, str | None]
        for text in PipeLines(reader, float(self.options.get("patience", 300.0))):
            if text is None:
                why = "the compiler took longer than %g s" % float(self.options.get("patience", 300.0))
                os.kill(child, 9)
                break
            self._take(work[done], json.loads(text))
            done += 1
        os.close(reader)
        _, status = os.waitpid(child, 0)
        if done < len(work):
            kept, key = work[done]
            ending = "signal %d" % (status & 127) if status & 127 else "code %d" % (status >> 8)
            why = why or "the compiler ended its process with " + ending
            if key is not None:
                self._take(work[done], {"what": "xla", "function": kept.index, "calls": kept.calls.get(key, []), "error": why})
            done += 1
        return done

    def _take(self, item: "Live", line: "dict[str, Live]") -> None:
        """Emits the answer for (function, kind of call), unless no call is known to be of that kind yet."""
        kept, key = item
        if key is not None:
            self.answers[kept.index, key] = line
        if key is None or line["calls"] or line.get("everything"):
            self.emit(**line)


def jax_is_initialized() -> bool:
    """Returns whether JAX has opened its devices in this process, and therefore runs threads."""
    initialized = getattr(sys.modules.get("jax._src.xla_bridge"), "backends_are_initialized", None)
    return initialized is not None and bool(initialized())


def installed(name: str) -> bool:
    """Returns whether a package can be imported; does not import it."""
    import importlib.util

    return name in sys.modules or importlib.util.find_spec(name) is not None


def release(name: str) -> str:
    """Returns the version of an installed package, without importing it; empty if unknown."""
    try:
        from importlib.metadata import version

        return str(version(name))
    except Exception:
        return ""


class PipeLines(object):
    """Iterates over the lines from a pipe; yields None and ends if no line arrives for `patience` seconds."""

    def __init__(self, reader: int, patience: float) -> None:
        self.reader = reader
        self.patience = patience

    def __iter__(self) -> "Iterator[bytes | None]":
        import select

        rest = b""
        while True:
            if not select.select([self.reader], [], [], self.patience)[0]:
                yield None
                return
            more = os.read(self.reader, 1 << 16)
            if not more:
                return
            rest += more
            whole = rest.split(b"\n")
            rest = whole.pop()
            for line in whole:
                yield line


def quiet(reader: int) -> None:
    """In the child: closes the reading end, discards output and restricts JAX to the CPU, so that no device is opened."""
    import warnings

    os.close(reader)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for fd in (0, 1, 2):
        os.dup2(nowhere, fd)
    warnings.simplefilter("ignore")
    if hasattr(threading, "_SHUTTING_DOWN"):  # Python is shutting down already, and would refuse torch's exit handlers
        threading._SHUTTING_DOWN = False
    os.environ["JAX_PLATFORMS"] = "cpu"
    os.environ["JAX_SKIP_CUDA_CONSTRAINTS_CHECK"] = "1"


def lines(work: "list[Live]", options: "dict[str, Live]") -> "Iterator[dict[str, Live]]":
    """Yields the answers for `work`: for (function, None) the nodes that the linker cannot convert, for (function, key) XLA's figures of
    that kind of call.
    """
    device = None  # type: Live
    programs = {}  # type: dict[Live, Program]  # by function, shapes and dtypes
    for kept, key in work:
        if key is None:
            yield unconverted_nodes(kept)
            continue
        arguments = kept.kinds[key]
        same = (kept.index,) + tuple((a.shape, a.dtype) for a in arguments)
        line = {"what": "xla", "function": kept.index, "calls": kept.calls.get(key, [])}  # type: dict[str, Live]
        if same in programs and programs[same].is_for(arguments):
            line.update(device.facts)
            line.update(programs[same].figures)
            yield line
            continue
        started = time.time()
        try:
            if device is None:
                device = CompileTarget(options)
                started = time.time()  # JAX itself is loaded once
            line.update(device.facts)
            program = compiled(kept, arguments, device)
            programs.setdefault(same, program)
            line.update(program.figures)
        except Exception as error:
            line["error"] = message_of(error)
            if device is None:
                line["everything"] = True
        line["seconds"] = time.time() - started
        yield line


def unconverted_nodes(kept: KeptFunction) -> "dict[str, Live]":
    """Returns the event with the nodes that the linker cannot convert, by the ids of their Variables."""
    line = {"what": "coverage", "function": kept.index, "linker": kept.linker, "missing": []}  # type: dict[str, Live]
    try:
        for variable, op, why in missing(kept.graph(), kept.linker):
            line["missing"].append([kept.ids.get(variable), op[:200], why])
    except Exception as error:  # there is no such compiler
        line["error"] = message_of(error)
    return line


def message_of(error: BaseException) -> str:
    """Returns the first line of an exception's message, preceded by its class unless that is NotImplementedError."""
    text = str(error).strip().split("\n")[0][:500]
    return text if isinstance(error, NotImplementedError) and text else "%s: %s" % (type(error).__name__, text)


class CompileTarget(object):
    """The device that XLA compiles for: a described GPU if JAX's CUDA plugin is installed, else this host's CPU."""

    def __init__(self, options: "dict[str, Live]") -> None:
        plugin = os.path.join(str(options.get("plugins") or ""), release("jax"))
        if os.path.isdir(plugin):  # before JAX is imported, which then looks for NVIDIA's assembler
            sys.path.append(plugin)
            assembler = os.path.join(plugin, "nvidia", "cuda_nvcc")
            os.environ["PATH"] = os.path.join(assembler, "bin") + os.pathsep + os.environ.get("PATH", "")
            os.environ.setdefault("CUDA_ROOT", assembler)
        import jax

        for name, value in CONFIG:
            if hasattr(jax.config, name):
                jax.config.update(name, value)
        self.sharding = None  # type: Live
        self.platforms = None  # type: tuple[str, ...] | None
        self.facts = {"backend": "cpu", "jax": str(jax.__version__)}  # type: dict[str, Live]
        if not options.get("target"):
            if options.get("without_gpu"):
                self.facts["without_gpu"] = options["without_gpu"]
            return
        try:
            from jax.experimental import topologies

            topology = topologies.get_topology_desc(
                platform="cuda", topology_name="", target_config=str(options["target"]), topology="1x1x1"
            )
            self.sharding = jax.sharding.SingleDeviceSharding(topology.devices[0])
        except Exception as error:
            self.facts["without_gpu"] = message_of(error)
            return
        self.platforms = ("cuda",)
        self.facts.update(backend="cuda", card=options.get("card"))

    def spec(self, shape: "Live", dtype: "Live") -> "Live":
        """Returns an abstract argument with this shape and dtype, on the device that XLA compiles for."""
        import jax

        kind = jax.dtypes.canonicalize_dtype(dtype)
        return jax.ShapeDtypeStruct(shape, kind, sharding=self.sharding)

    def compile(self, jitted: "Live", arguments: "list[Live]", folder: "DumpFolder | None") -> "Live":
        """Lowers and compiles a jitted function for the target. XLA writes its texts to `folder`. Returns the executable."""
        traced = jitted.trace(*arguments)
        lowered = traced.lower(lowering_platforms=self.platforms) if self.platforms else traced.lower()
        if folder is not None:
            try:
                return lowered.compile(compiler_options={OPTION: folder.path})
            except Exception:  # a release without that option; what else is wrong is raised again below
                pass
        return lowered.compile()


class Program(object):
    """XLA's figures of a compiled program, and for which arguments of the same shapes and dtypes it is used."""

    def __init__(self, figures: "dict[str, Live]", constant: bool, guarded: "Live") -> None:
        self.figures = figures
        self.constant = constant  # whether integers are constants of it
        self.guarded = guarded

    def is_for(self, arguments: "list[ArgumentSpec]") -> bool:
        """Returns whether JAX runs this program for arguments of the same shapes and dtypes, whatever their integers are."""
        return not self.constant and is_inside(self.guarded, arguments)


def is_inside(guarded: "Live", arguments: "list[ArgumentSpec]") -> bool:
    """Returns whether the slices that the compat layer makes dynamic are inside their arrays (compat/backends/jax/slices.py)."""
    return guarded is None or bool(guarded.is_inside(integers_of(arguments)))


def integers_of(arguments: "list[ArgumentSpec]") -> "list[Live]":
    """Returns the values of the arguments, of which only those of integers are known."""
    return [a.value for a in arguments]


def compiled(kept: KeptFunction, arguments: "list[ArgumentSpec]", device: CompileTarget) -> Program:
    """Compiles one kind of call.

    If JAX rejects the graph, the function is compiled with integer inputs as constants, and the reason is added to the figures.
    """
    import jax

    linker = module(kept.root, "link.jax.linker").JAXLinker()
    graph = linker.fgraph = kept.graph()
    nodes = graph.toposort()
    typify = module(kept.root, "link.jax.dispatch").jax_typify
    given = [specification(argument, device, typify) for argument in arguments]
    more = {}  # type: dict[str, Live]
    guarded, constant = None, False  # type: tuple[Live, bool]
    with DumpFolder() as folder:
        room = folder if len(nodes) <= MOST_NODES else None
        try:
            function = converted(linker, graph, nodes, arguments)
            static = tuple(linker.scalar_shape_inputs) if hasattr(linker, "scalar_shape_inputs") else ()
            values = [arguments[i].value if i in static else g for i, g in enumerate(given)]
            guarded = linker.guarded(function) if hasattr(linker, "guarded") else None
            executable = device.compile(jax.jit(guarded or function, static_argnums=static), values, room)
            passed, constant = [i for i in range(len(given)) if i not in static], bool(static)
            if guarded is not None:
                guarded.require_inside(integers_of(arguments))
        except REFUSALS as error:
            positions = integers(graph.inputs)
            known = [arguments[i].value if i in positions else g for i, g in enumerate(given)]
            try:
                function, nodes = for_values(linker, known)
            except REFUSALS:
                raise error
            passed = [i for i in range(len(given)) if i not in positions]
            executable, constant = device.compile(jax.jit(function), [given[i] for i in passed], room), True
            if is_inside(guarded, arguments):  # else the compat layer compiles it so as well
                more["refused"] = message_of(error)
                more["variable"] = kept.ids.get(statement(error, graph))
        more.update(figures(executable, [given[i] for i in passed], passed))
        more["updates"] = changed_dtypes(kept, given, executable.out_info)
        try:
            more["temporaries"] = temporaries(kept, folder, function, nodes, [position for position, _ in more["arguments"]])
        except Exception as error:  # a text of another form than known: the figures stand without it
            more["untold"] = message_of(error)
    return Program(more, constant, guarded)


def temporaries(kept: KeptFunction, folder: DumpFolder, function: "Live", nodes: "list[Live]", taken: "list[int]") -> "Live":
    """Returns the contents of XLA's block of temporaries when it is fullest; None if XLA wrote no readable text.

    `taken` has the input position of each parameter of XLA's program.
    """
    texts = folder.texts()
    if texts is None:
        return None
    describing = importlib.import_module("_theanodiag_agent.walk.values")
    roots = describing.framework_roots()
    readers = {}  # type: dict[Live, list[Live]]
    for node in nodes:
        for variable in node.inputs:
            readers.setdefault(variable, []).extend(node.outputs)

    def site(variable: "Live") -> "Live":
        """Returns the source line of a Variable. If the framework has lost it: the line of the nearest Variable computed from it, or else
        of the nearest ancestor.
        """
        for follow in (readers.get, lambda v: v.owner and v.owner.inputs):
            near, seen = [variable], set()  # type: tuple[list[Live], set[Live]]
            for _ in range(NEAR):
                nearest = next((place for place in [describing.find_site(v, roots) for v in near] if place), None)
                if nearest:
                    return nearest
                seen.update(near)
                near = [v for n in near for v in follow(n) or () if v not in seen][:64]
        return None

    def described(variable: "Live", outer: "Live") -> "dict[str, Live]":
        op = None if variable.owner is None else str(variable.owner.op)[:200]
        place = site(variable) or (site(outer.outputs[0]) if outer is not None else None)
        return {"variable": kept.ids.get(variable), "name": variable.name, "op": op, "site": place}

    arguments = [kept.inputs[position] for position in taken]
    return at_peak(texts, Owners(XlaProgram(texts.program), function, nodes, arguments, described))


def specification(argument: ArgumentSpec, device: CompileTarget, typify: "Live") -> "Live":
    """Returns the abstract argument for JAX; the state of a generator becomes a tree of abstract arrays."""
    import jax

    if argument.shape is not None:
        return device.spec(argument.shape, argument.dtype)
    leaves, tree = jax.tree_util.tree_flatten(typify(argument.value))
    arrays = [jax.numpy.asarray(leaf) for leaf in leaves]
    return jax.tree_util.tree_unflatten(tree, [device.spec(a.shape, a.dtype) for a in arrays])


def converted(linker: "Live", graph: "Live", nodes: "list[Live]", arguments: "list[ArgumentSpec]") -> "Callable[..., Live]":
    """Converts the graph to a Python function for JAX, as the linker does; `nodes` gives the order of the nodes."""
    storage = [[argument.value] for argument in arguments]
    root = type(graph).__module__.split(".")[0]
    inputs, outputs, cells = module(root, "link.basic").map_storage(graph, nodes, storage, None, None)
    function = linker.fgraph_convert(graph, order=nodes, input_storage=inputs, output_storage=outputs, storage_map=cells)
    return function  # type: ignore[no-any-return]


def figures(executable: "Live", given: "list[Live]", passed: "list[int]") -> "dict[str, Live]":
    """Returns XLA's figures for an executable: its buffer assignment in bytes, [input position, bytes] of each argument that XLA did not
    drop, and bytes and dtype of each result.
    """
    import jax

    memory = executable.memory_analysis()
    if memory is None:
        raise ValueError("this version of JAX gives no analysis on this device")
    index = getattr(getattr(executable, "_executable", None), "_kept_var_idx", None)
    taken, number = [], 0  # type: tuple[list[list[int]], int]
    for position, argument in zip(passed, given):
        for leaf in jax.tree_util.tree_leaves(argument):
            if index is None or number in index:
                taken.append([position, size(leaf)])
            number += 1
    results = [[size(leaf) for leaf in jax.tree_util.tree_leaves(result)] for result in executable.out_info]
    table = dict(
        (name, int(getattr(memory, name + "_size_in_bytes"))) for name in ("argument", "output", "temp", "alias", "generated_code")
    )
    dtypes = [str(result.dtype) if hasattr(result, "dtype") else None for result in executable.out_info]
    return {"analysis": table, "arguments": taken, "results": [sum(sizes) for sizes in results], "dtypes": dtypes}


def changed_dtypes(kept: KeptFunction, given: "list[Live]", results: "Live") -> "list[list[Live]]":
    """Returns [position, dtype] of each input whose update has another dtype than the input."""
    changed = []
    for output, position in kept.updates:
        old, new = (getattr(values[i], "dtype", None) for values, i in ((given, position), (results, output)))
        if old is not None and new is not None and old != new:
            changed.append([position, str(new)])
    return changed


def size(leaf: "Live") -> int:
    """Returns the size of an abstract array in bytes."""
    total = int(leaf.dtype.itemsize)
    for n in leaf.shape:
        total *= int(n)
    return total


Instrument = AheadOfTimeInstrument

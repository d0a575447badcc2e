"""Converts a compiled function of Theano, Theano-PyMC, Aesara or PyTensor to the JSON form that `readers.py` documents.

All traversals are iterative and take time linear in the size of the graph.
"""

import copy
import importlib
import weakref

from .ops import describe_op, is_a, plain
from .values import describe_constant, describe_type, find_site, framework_roots, is_constant

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live


# The inner graphs of Scan and OpFromGraph, optimized as the framework does before it runs them, but not compiled.
#
# Each framework wraps inner inputs and outputs in its own way before it compiles them (Theano 1.0.5 scan_module/scan_op.py
# Scan.make_thunk, Aesara and PyTensor scan/op.py Scan.fn). So the framework's own code runs on a copy of the Op until the optimized
# FunctionMaker is about to be linked; an exception then carries the maker out, and linking never starts.

MAKERS = ("compile.function_module", "compile.function.types", "compile.maker")
"""Modules that define FunctionMaker, below the framework's package: Theano; Theano-PyMC, Aesara, PyTensor 2; PyTensor 3."""


class MakerFound(BaseException):
    """Raised to carry an optimized FunctionMaker out of the framework. A BaseException, so that no `except Exception` catches it."""

    def __init__(self, maker: "Live") -> None:
        BaseException.__init__(self)
        self.maker = maker


class MakerOfGraph(object):
    """Stands in for a FunctionMaker, for a graph that runs unchanged."""

    class Spec(object):
        """An input specification without default value and update."""

        update = None

    def __init__(self, fgraph: "Live") -> None:
        self.fgraph = fgraph
        self.inputs = [MakerOfGraph.Spec() for _ in fgraph.inputs]


class Inner(object):
    """Finds the FunctionMakers of inner graphs. Each Op object is prepared only once."""

    def __init__(self) -> None:
        self.walks = {}  # type: dict[int, Live]  # by Op: its Walk
        self.counted = set()  # type: set[tuple[str, int]]  # memory of the constants that were described
        self._makers = {}  # type: dict[int, tuple[Live, Live, str]]  # by Op: (Op that was prepared, maker, failure)
        self._ops = []  # type: list[Live]  # keeps the ids of `_makers` in use

    def maker(self, node: "Live") -> "Live":
        """Returns the FunctionMaker of the node's inner graph; None if it has no inner graph or the graph cannot be optimized."""
        return self._find(node)[1]

    def failure(self, node: "Live") -> str:
        """Returns the reason why a node's inner graph could not be optimized; empty if it could, or if there is none."""
        return self._find(node)[2]

    def _find(self, node: "Live") -> "tuple[Live, Live, str]":
        entry = self._makers.get(id(node.op))
        if entry is None:
            entry = (node.op, None, "")
            if is_a(node.op, "Scan") or is_a(node.op, "OpFromGraph"):
                try:
                    entry = inner_maker(node) + ("",)
                except Exception as error:
                    entry = (node.op, None, "%s: %s" % (type(error).__name__, error))
            self._ops.append(node.op)
            self._makers[id(node.op)] = entry
        return entry

    def info(self, node: "Live") -> "dict[str, object]":
        """Returns the entries that describe how a node uses its inner graph: counts, taps and flags of a Scan; number and copying behaviour
        of an OpFromGraph.
        """
        if is_a(node.op, "Scan"):
            return scan_info(self._find(node)[0], node)
        return {"kind": "opfromgraph", "number": number_of(node.op), "copies": hasattr(node.op, "local_inputs")}


OPS = []  # type: list[Live]
"""Weak references to the OpFromGraphs seen so far, whose positions are their numbers: nodes with the same Op object share its function."""


def number_of(op: "Live") -> int:
    """Returns the number of an OpFromGraph object, which is the same in all graphs of a process."""
    for number, known in enumerate(OPS):
        if known() is op:
            return number
    OPS.append(weakref.ref(op))
    return len(OPS) - 1


def inner_maker(node: "Live") -> "tuple[Live, Live]":
    """Returns the Scan or OpFromGraph of a node (or a copy of it), and the optimized FunctionMaker of its inner function."""
    op = node.op
    if is_a(op, "Scan") and rewritten_in_place(getattr(op, "fgraph", None)):
        return op, MakerOfGraph(op.fgraph)
    if is_a(op, "OpWithCoreShape"):
        # Numba calls the one node inside; rewritten again, that would be wrapped again, without an end.
        # Source: PyTensor 3.0.7 link/numba/dispatch/blockwise.py, random.py; tensor/rewriting/numba.py.
        return op, MakerOfGraph(op.fgraph)
    function = op.__dict__.get("_fn") or op.__dict__.get("fn")  # type: Live
    if hasattr(function, "maker"):
        return op, function.maker
    op = op.clone() if hasattr(type(op), "fn") else copy.copy(op)  # so that the user's graph does not change
    classes = maker_classes(type(node).__module__.split(".")[0])
    saved = [(c, c.__dict__["create"]) for c in classes]
    for c in classes:
        c.create = intercept
    try:
        start(op, node)
    except MakerFound as signal:
        return op, signal.maker
    except TypeError:  # PyTensor 3.0 with Numba has rewritten the Op's own graph, in place (link/numba/dispatch/scan.py)
        if not hasattr(node.op, "fgraph"):
            raise
        return node.op, MakerOfGraph(node.op.fgraph)
    finally:
        for c, create in saved:
            c.create = create
    raise ValueError("the framework compiled no inner function")


def rewritten_in_place(fgraph: "Live") -> bool:
    """Returns whether `fgraph`, the graph stored in a Scan, is already the optimized one. PyTensor 3 with Numba optimizes it when it
    compiles the outer function.

    Source: PyTensor 3.0.7 link/numba/dispatch/scan.py attaches a DestroyHandler; PyTensor 3.3.7 freezes the optimized graph.
    """
    return hasattr(fgraph, "destroyers") or (type(fgraph).__name__.startswith("Frozen") and numba_is_default(type(fgraph).__module__))


def numba_is_default(module: str) -> bool:
    """Returns whether Numba is the default linker of the framework to which `module` belongs."""
    try:
        mode = importlib.import_module(module.split(".")[0] + ".compile.mode")
        return "Numba" in type(mode.get_default_mode().linker).__name__
    except Exception:
        return False


def intercept(self: "Live", *args: object, **kwargs: object) -> None:
    """Replaces FunctionMaker.create: raises MakerFound with the maker."""
    raise MakerFound(self)


def maker_classes(package: str) -> "list[Live]":
    """Returns the class FunctionMaker of a framework, and those of its subclasses that define `create`."""
    for name in MAKERS:
        try:
            classes = [importlib.import_module(package + "." + name).FunctionMaker]
        except (ImportError, AttributeError):
            continue
        for c in classes:
            classes.extend(c.__subclasses__())
        return [c for c in classes if "create" in c.__dict__]
    raise ValueError("%s has no FunctionMaker" % package)


def start(op: "Live", node: "Live") -> None:
    """Makes the framework start compiling the inner function of `op`."""
    if hasattr(type(op), "fn"):
        op.fn  # noqa: B018
    elif hasattr(op, "local_inputs"):
        op.prepare_node(node, None, None, "py")
    else:
        cells = dict((v, [None]) for v in list(node.inputs) + list(node.outputs))
        op.make_thunk(node, cells, dict((v, [False]) for v in cells), [])


def scan_info(op: "Live", node: "Live") -> "dict[str, object]":
    """Returns the counts, taps and flags of a Scan, named as in Aesara's ScanInfo for all frameworks."""
    row = taps_of(op)
    row["kind"] = "scan"
    row["n_non_seqs"] = len(node.inputs) - 1 - sum(int(row[k]) for k in COUNTS)
    row["as_while"] = bool(getattr(getattr(op, "info", None), "as_while", getattr(op, "as_while", False)))
    for name in ("allow_gc", "truncate_gradient"):
        row[name] = plain(getattr(op, name, None))
    row["gpu"] = bool(getattr(op, "gpua", False) or getattr(op, "gpu", False))
    for name in ("mitmots_preallocated", "vector_seqs", "vector_outs", "mintaps"):
        row[name] = plain(getattr(op, name, None))
    return row


COUNTS = ("n_seqs", "n_mit_mot", "n_mit_sot", "n_sit_sot", "n_nit_sot", "n_shared_outs")

TAPS = ("mit_mot_in_slices", "mit_mot_out_slices", "mit_sot_in_slices", "sit_sot_in_slices")


def taps_of(op: "Live") -> "dict[str, Live]":
    """Returns the counts and taps of a Scan: from `op.info` if it has them as attributes (Aesara, PyTensor), else from the Op (Theano)."""
    info = op.info  # type: Live
    if hasattr(info, "mit_mot_in_slices"):
        names = [k for k in ("n_untraced_sit_sot", "n_untraced_sit_sot_outs", "n_shared_outs") if k in dir(info)]
        shared = getattr(info, names[0])
        taps = dict((k, plain(getattr(info, k))) for k in TAPS)
        counts = {"n_seqs": info.n_seqs, "n_nit_sot": info.n_nit_sot, "n_shared_outs": shared}
        counts.update((k, len(taps[k[2:] + "_in_slices"])) for k in ("n_mit_mot", "n_mit_sot", "n_sit_sot"))
    else:
        counts = dict((k, int(getattr(op, k))) for k in COUNTS)
        a, b = op.n_mit_mot, op.n_mit_mot + op.n_mit_sot
        taps = {"mit_mot_in_slices": plain(op.tap_array[:a]), "mit_mot_out_slices": plain(op.mit_mot_out_slices)}
        taps.update(mit_sot_in_slices=plain(op.tap_array[a:b]), sit_sot_in_slices=plain(op.tap_array[b : b + op.n_sit_sot]))
    return dict(counts, n_mit_mot_outs=sum(len(s) for s in taps["mit_mot_out_slices"]), **taps)


SCHEMA = "theanodiag/graph/v1"


class SharedIds(object):
    """Numbers shared variables in the order of their first occurrence: one number for each storage cell of the process.

    A cell is identified by its Container (Theano 1.0.5 gof/link.py, PyTensor link/basic.py); a clone of a shared variable has the same one.
    """

    def __init__(self) -> None:
        self._ids = {}  # type: dict[int, tuple[int, Live]]
        self.count = 0
        self.memories = Memories()  # of constants

    def identify(self, container: "Live") -> int:
        """Returns the number of the shared variable whose value `container` holds; assigned at its first occurrence."""
        cell = container.storage
        known = self._ids.get(id(cell))
        if known is None or known[1]() is None:
            import weakref

            known = (self.count, weakref.ref(container))
            self.count += 1
            self._ids[id(cell)] = known
        return known[0]


class Walk(object):
    """A live graph: its nodes in the framework's topological order, and the ids of its Variables in the JSON form."""

    def __init__(self, maker: "Live", name: str = "", registry: "SharedIds | None" = None, inner: "Inner | None" = None) -> None:
        self.name = name or str(getattr(maker, "name", None) or "")
        self.maker = maker
        self.fgraph = maker.fgraph
        self.specs = list(maker.inputs)
        self.order = list(self.fgraph.toposort())
        self.positions = dict((node, i) for i, node in enumerate(self.order))
        self.variables = number(self.fgraph, self.order)
        self.ids = dict((v, i) for i, v in enumerate(self.variables))
        self.registry = SharedIds() if registry is None else registry
        self._inner = Inner() if inner is None else inner

    def inner(self, node: "Live") -> "Walk | None":
        """Returns the Walk over the inner graph of a Scan or an OpFromGraph, optimized as the framework does before running it.

        None if the Op has no inner graph or the graph cannot be optimized.
        """
        maker = self._inner.maker(node)
        if maker is None:
            return None
        walk = self._inner.walks.get(id(node.op))
        if walk is None:
            walk = self._inner.walks[id(node.op)] = Walk(maker, registry=self.registry, inner=self._inner)
        return walk

    def inner_info(self, node: "Live") -> "dict[str, Live]":
        """Returns the entries that describe how a Scan or an OpFromGraph uses its inner graph: counts, taps and flags."""
        return self._inner.info(node)

    def graph(self, info: "dict[str, object] | None" = None) -> "dict[str, object]":
        """Converts the graph and its inner graphs to JSON values."""
        n_updates = sum(1 for spec in self.specs if spec.update is not None)
        counted = self._inner.counted
        counted.update(memory_of(v.data) for v in self.variables if is_constant(v))
        kept = kept_constants(self.fgraph, counted, self.registry.memories)
        return {
            "schema": SCHEMA,
            "name": self.name,
            "variables": self._describe_variables(),
            "applies": self._describe_applies(),
            "inputs": self._describe_inputs(len(self.fgraph.outputs) - n_updates),
            "outputs": [self.ids[v] for v in self.returned_first()],
            "returned": len(self.fgraph.outputs) - n_updates,
            "info": dict(info or {}, **({"kept_constants": kept} if kept else {})),
        }

    def returned_first(self) -> "list[Live]":
        """Returns the outputs of the graph in another order: outputs that are updates come last, in the order of the inputs that they
        update.

        Aesara and PyTensor do not reorder the outputs of a Scan's inner graph. Source: Aesara 2.9.4 scan/op.py `Scan.prepare_fgraph`.
        """
        outputs, mapping = list(self.fgraph.outputs), getattr(self.fgraph, "update_mapping", None) or {}
        updated = dict((position, output) for output, position in mapping.items())
        positions = [i for i, spec in enumerate(self.specs) if spec.update is not None]
        if sorted(updated) != positions or any(k >= len(outputs) for k in mapping):
            return outputs
        return [v for k, v in enumerate(outputs) if k not in mapping] + [outputs[updated[i]] for i in positions]

    def _describe_variables(self) -> "list[dict[str, object]]":
        roots = framework_roots()
        types = {}  # type: dict[Live, dict[str, object]]
        rows = []
        for i, variable in enumerate(self.variables):
            if variable.type not in types:
                types[variable.type] = describe_type(variable.type)
            name = None if variable.name is None else str(variable.name)
            if name is None and isinstance(getattr(variable, "data", None), slice):
                name = str(variable.data)  # shows start, stop and step
            row = {"id": i, "name": name, "type": types[variable.type]}  # type: dict[str, object]
            if is_constant(variable):
                row["constant"] = constant_row(variable, self.registry.memories)
            site = find_site(variable, roots)
            if site is not None:
                row["site"] = site
            rows.append(row)
        return rows

    def _describe_applies(self) -> "list[dict[str, object]]":
        # PyTensor's frozen graphs (pytensor 3.3, graph/fg.py) destroy nothing and have no orderings.
        before = self.fgraph.orderings() if hasattr(self.fgraph, "orderings") else {}
        ops = {}  # type: dict[int, dict[str, object]]
        rows = []
        for node in self.order:
            if id(node.op) not in ops:
                ops[id(node.op)] = self._describe_op(node)
            reads, makes = [self.ids[v] for v in node.inputs], [self.ids[v] for v in node.outputs]
            row = {"op": ops[id(node.op)], "inputs": reads, "outputs": makes}  # type: dict[str, object]
            # The virtual machine numbers Variables in the order of the nodes and sorts the prerequisites' outputs by that number:
            # Theano 1.0.5 gof/vm.py VM_Linker.make_vm, PyTensor link/vm.py. So they run by position.
            after = sorted(set(self.positions[p] for p in before.get(node, ())))
            if after:
                row["after"] = after
            rows.append(row)
        return rows

    def _describe_op(self, node: "Live") -> "dict[str, object]":
        row = describe_op(node)
        inner = self.inner(node)
        if inner is not None:
            row["inner"] = inner.graph(self._inner.info(node))
        elif self._inner.failure(node):
            params = row["params"]
            assert isinstance(params, dict)
            params["inner_failure"] = self._inner.failure(node)
        return row

    def _describe_inputs(self, n_returned: int) -> "list[dict[str, object]]":
        rows, updates = [], n_returned
        for variable, spec in zip(self.fgraph.inputs, self.specs):
            row = {"variable": self.ids[variable], "role": role_of(spec)}
            if row["role"] == "shared":
                row["shared"] = self.registry.identify(spec.value)
            if spec.update is not None:
                row["update"] = updates
                updates += 1
            for flag in ("borrow", "mutable"):
                if getattr(spec, flag, False):
                    row[flag] = True
            rows.append(row)
        return rows


def role_of(spec: "Live") -> str:
    """Returns the role of an input specification (`In`): "shared", "default" or "argument"."""
    if getattr(spec, "shared", False) and hasattr(spec.value, "storage"):
        return "shared"
    if getattr(spec, "value", None) is not None or getattr(spec, "implicit", False):
        return "default"
    return "argument"


def number(fgraph: "Live", order: "list[Live]") -> "list[Live]":
    """Lists the Variables of a graph in the order of their ids: inputs, then the inputs and outputs of each node, then the
    graph's outputs.
    """
    known = dict.fromkeys(fgraph.inputs)  # type: dict[Live, None]
    rows = list(fgraph.inputs)
    for group in [v for node in order for v in (node.inputs, node.outputs)] + [fgraph.outputs]:
        for variable in group:
            if variable not in known:
                known[variable] = None
                rows.append(variable)
    return rows


def memory_of(value: "Live") -> "tuple[str, int]":
    """Returns a key for the memory that holds a value: ("device", buffer address) or ("object", id).

    A view may start inside its buffer (`[::-1]`), so the offset is subtracted. Source: pygpu 0.7.6, gpuarray.pyx: `gpudata` is the address
    plus the offset and raises TypeError on OpenCL, where `base_data` is available.
    """
    for name, shift in (("gpudata", "offset"), ("base_data", "")):
        try:
            return "device", int(getattr(value, name)) - int(getattr(value, shift, 0))
        except (AttributeError, TypeError):
            pass
    return "object", id(value)


class Memories(object):
    """Numbers the device buffers of constants in the order of first occurrence; one instance serves all functions of a script."""

    def __init__(self) -> None:
        self._known = {}  # type: dict[tuple[str, int], tuple[int, Live]]
        self.count = 0
        self.ended = lambda number: None  # type: Callable[[int], None]  # called with the number of each memory that is freed

    def number(self, value: "Live") -> "int | None":
        """Returns the number of the buffer that holds a device array; None for values on the host."""
        if not hasattr(type(value), "gpudata"):
            return None
        key = memory_of(value)
        known = self._known.get(key)
        if known is None or known[1]() is None:  # the address may have been reused
            number = self.count
            known = self._known[key] = (number, reference(value, lambda _: self.ended(number)))
            self.count += 1
        return known[0]


def reference(value: "Live", ended: "Callable[[Live], None]") -> "Live":
    """Returns a weak reference to the array that owns the memory of `value`; `ended` is called when it dies.

    If no weak reference is possible, a function that returns None.
    """
    while hasattr(type(getattr(value, "base", None)), "gpudata"):
        value = value.base
    try:
        return weakref.ref(value, ended)
    except TypeError:
        return lambda: None


def constant_row(variable: "Live", memories: Memories) -> "dict[str, object]":
    """Converts a Constant to JSON values, with the number of its device buffer."""
    row, number = describe_constant(variable), memories.number(variable.data)
    if number is not None:
        row["memory"] = number
    return row


def kept_constants(fgraph: "Live", counted: "set[tuple[str, int]]", memories: Memories) -> "list[dict[str, object]]":
    """Returns dtype and shape of each device constant to which only the ShapeFeature of `fgraph` still refers.

    `counted` has the memory keys of all constants described so far; the keys of the constants returned are added to it.
    """
    seen = set()
    rows = []  # type: list[dict[str, object]]
    # PyTensor 3.3 keeps no such table; its attribute of that name warns.
    todo = list(getattr(getattr(fgraph, "shape_feature", None), "__dict__", {}).get("shape_of", ()))
    while todo:
        variable = todo.pop()
        if variable in seen:
            continue
        seen.add(variable)
        if is_constant(variable):
            if hasattr(type(variable.data), "gpudata") and memory_of(variable.data) not in counted:
                counted.add(memory_of(variable.data))
                rows.append({"type": describe_type(variable.type), "constant": constant_row(variable, memories)})
        elif getattr(variable, "owner", None) is not None:
            todo.extend(variable.owner.inputs)
    return rows

"""The inner graphs of Scan and OpFromGraph, optimized as the framework does before it runs them, but not compiled.

Each framework wraps inner inputs and outputs in its own way before it compiles them (Theano 1.0.5 scan_module/scan_op.py Scan.make_thunk,
Aesara and PyTensor scan/op.py Scan.fn). So the framework's own code runs on a copy of the Op until the optimized FunctionMaker is about to
be linked; an exception then carries the maker out, and linking never starts.
"""

import copy
import importlib
import weakref

from .ops import is_a, plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .. import Live

MAKERS = ("compile.function_module", "compile.function.types", "compile.maker")
"""Modules that define FunctionMaker, below the framework's package: Theano; Theano-PyMC, Aesara, PyTensor 2; PyTensor 3."""


class MakerFound(BaseException):
    """Carries an optimized FunctionMaker out of the framework. A BaseException, so that no `except Exception` catches it."""

    def __init__(self, maker: "Live") -> None:
        BaseException.__init__(self)
        self.maker = maker


class MakerOfGraph(object):
    """A substitute for a FunctionMaker, for a graph that runs unchanged."""

    class Spec(object):
        """An input specification without default value and update."""

        update = None

    def __init__(self, fgraph: "Live") -> None:
        self.fgraph = fgraph
        self.inputs = [MakerOfGraph.Spec() for _ in fgraph.inputs]


class Inner(object):
    """The FunctionMakers of inner graphs; each Op object is prepared once."""

    def __init__(self) -> None:
        self.walks = {}  # type: dict[int, Live]  # by Op: its Walk
        self.counted = set()  # type: set[tuple[str, int]]  # memory of the constants that were described
        self._makers = {}  # type: dict[int, tuple[Live, Live, str]]  # by Op: (Op that was prepared, maker, failure)
        self._ops = []  # type: list[Live]  # keeps the ids of `_makers` in use

    def maker(self, node: "Live") -> "Live":
        """The FunctionMaker of the node's inner graph; None if it has no inner graph or the graph cannot be optimized."""
        return self._find(node)[1]

    def failure(self, node: "Live") -> str:
        """Why the inner graph could not be optimized; empty if it could, or if there is none."""
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
        """Counts, taps and flags of a Scan; number and copying behaviour of an OpFromGraph."""
        if is_a(node.op, "Scan"):
            return scan_info(self._find(node)[0], node)
        return {"kind": "opfromgraph", "number": number_of(node.op), "copies": hasattr(node.op, "local_inputs")}


OPS = []  # type: list[Live]
"""Weak references to the OpFromGraphs seen so far, whose positions are their numbers: nodes with the same Op object share its function."""


def number_of(op: "Live") -> int:
    """The number of an OpFromGraph object, the same in all graphs of a process."""
    for number, known in enumerate(OPS):
        if known() is op:
            return number
    OPS.append(weakref.ref(op))
    return len(OPS) - 1


def inner_maker(node: "Live") -> "tuple[Live, Live]":
    """(Op, FunctionMaker): the Scan or OpFromGraph, or a copy of it, and the optimized maker of its inner function."""
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
    """Whether the graph stored in the Op is already the optimized one: PyTensor 3 with Numba optimizes it when the outer function is
    compiled.

    Source: PyTensor 3.0.7 link/numba/dispatch/scan.py attaches a DestroyHandler; PyTensor 3.3.7 freezes the optimized graph.
    """
    return hasattr(fgraph, "destroyers") or (type(fgraph).__name__.startswith("Frozen") and numba_is_default(type(fgraph).__module__))


def numba_is_default(module: str) -> bool:
    """Whether Numba is the default linker of the framework to which `module` belongs."""
    try:
        mode = importlib.import_module(module.split(".")[0] + ".compile.mode")
        return "Numba" in type(mode.get_default_mode().linker).__name__
    except Exception:
        return False


def intercept(self: "Live", *args: object, **kwargs: object) -> None:
    """Replaces FunctionMaker.create: raises MakerFound with the maker."""
    raise MakerFound(self)


def maker_classes(package: str) -> "list[Live]":
    """FunctionMaker and those of its subclasses that define `create`."""
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
    """Counts, taps and flags of a Scan, named as in Aesara's ScanInfo for all frameworks."""
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
    """Counts and taps of a Scan: from `op.info` where that has them as attributes (Aesara, PyTensor), else from the Op (Theano)."""
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

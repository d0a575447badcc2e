"""Measures functions compiled by JAX: XLA's memory analysis before they run, and the memory really used.

XLA assigns every buffer during compilation; `memory_analysis()` of the compiled function reports that assignment. The analysed function is
the one that runs. If JAX cannot compile one function for all lengths and integers, one is compiled for each set of them.
"""

import atexit

from .compiled import CompiledInstrument, Piece, no_room, size_of
from .jax_constants import REFUSALS, for_values, integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live

FIELDS = ("argument", "output", "temp", "alias", "generated_code")
"""Figures of XLA's analysis, without their suffix `_size_in_bytes`."""
STATISTICS = ("bytes_in_use", "peak_bytes_in_use", "bytes_limit", "largest_free_block_bytes", "pool_bytes")
"""Counters of XLA's allocator that are reported."""


class XlaPiece(Piece):
    """One compiled function of the script, as JAX runs it.

    `jitted` is the result of `jax.jit`, `static` the positions of the arguments that are compiled in as constants. `whole(function)` turns
    a function made from the graph into the form that the linker passes to JAX.
    """

    def __init__(
        self, instrument: "JaxInstrument", linker: "Live", run: "Callable[..., Live]", whole: "Callable[..., Live]", jitted: "Live",
        static: "Live",
    ) -> None:  # fmt: skip
        Piece.__init__(self, instrument, run)
        self.xla = instrument
        self.linker = linker
        self.whole = whole
        self.jitted = jitted
        self.static = frozenset(static)
        self.anew = False  # whether a graph with constants is compiled for each set of lengths and integers
        self.constants = []  # type: list[int]  # positions of integers that are constants of such a graph
        self.table = {}  # type: dict[Live, Live]
        self.guarded = {}  # type: dict[Live, Live]  # what the compat layer knows of the slices of each (compat/backends/jax/slices.py)

    def compiled(self, args: "tuple[Live, ...]") -> "tuple[Live, list[Live]]":
        """Compiles the function for arguments of these types and shapes, unless that was done before. Returns the compiled function and the
        arguments that it takes.

        Raises JAX's error for the unchanged graph if compiling with integers as constants does not help.
        """
        try:
            return self._known(args)
        except REFUSALS as error:
            if self.anew:
                raise
            refusal = error
        own, self.anew, self.constants = self.static, True, integers(self.linker.fgraph.inputs)
        self.static = own.union(self.constants)
        try:
            return self._known(args)
        except Exception as error:
            self.static, self.anew, self.constants = own, False, []
            raise error if no_room(error) else refusal

    def _known(self, args: "tuple[Live, ...]") -> "tuple[Live, list[Live]]":
        given = [int(a) if i in self.static else a for i, a in enumerate(args)]  # static arguments are passed as Python integers
        dynamic = [a for i, a in enumerate(given) if i not in self.static]
        key = tuple(described(a, i in self.static) for i, a in enumerate(given))
        if key not in self.table:
            if self.anew:
                lowered = self.xla.jit(self.whole(for_values(self.linker, given)[0])).lower(*dynamic)
            else:
                lower = self.jitted.lower
                if hasattr(self.linker, "guarded"):
                    lower = self.guarded[key] = self.linker.guarded(lower)
                lowered = lower(*given)
            self.table[key] = lowered.compile()
        if not self.anew and key in self.guarded:
            self.guarded[key].require_inside(given)
        return self.table[key], dynamic

    def _types(self, dynamic: "list[Live]") -> "list[str | None]":
        """The dtype of each argument on the device, by input position; None for static ones."""
        rest = iter(dynamic)
        return [None if i in self.static else dtype_of(next(rest)) for i in range(len(dynamic) + len(self.static))]

    def plain(self, *args: "Live") -> "Live":
        """Computes the outputs without measuring."""
        if not self.anew:
            return self.run(*args)
        compiled, dynamic = self.compiled(args)
        return compiled(*dynamic)

    def measured(self, *args: "Live") -> "Live":
        """Analyses the program compiled for these arguments, then runs it and emits the measurements."""
        compiled, dynamic = self.compiled(args)
        before = self.xla.statistics()
        there = self.xla.put(dynamic)
        outputs, seconds = self.timed(compiled, *there)
        taken = used_arguments(compiled, self.xla.leaves(there))
        results, conditions = parted(outputs)
        own, conditions = self.xla.leaves(results), self.xla.leaves(conditions)
        moved = size_of(b for a, b in zip(self.xla.leaves(dynamic), self.xla.leaves(there)) if a is not b)
        self.emit(
            taken, own, seconds, analysis=analysis(compiled), before=before, after=self.xla.statistics(), moved=moved,
            pieces=len(self.xla.leaves([there, outputs])), constants=self.constants,
            argument_types=self._types(there), result_types=[dtype_of(value) for value in results],
            results=len(own), conditions=len(conditions), conditions_bytes=size_of(conditions),
        )  # fmt: skip
        return outputs


class UnconvertedGraph(object):
    """Stands in for a graph that PyTensor could not convert to a function for JAX."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, *args: "Live") -> "Live":
        """Raises the error of the conversion."""
        raise self.error


class JaxInstrument(CompiledInstrument):
    """The instrument for functions compiled by a `JAXLinker`."""

    linker = ("link.jax.linker", "JAXLinker")
    watched = False
    """Whether it was arranged that the counters are read before JAX drops its client."""
    last = None  # type: dict[str, int] | None
    """The allocator's counters when the script had ended."""

    def take_over(self, module: "Live") -> None:
        """Wraps the linker's `jit_compile` and its conversion of graphs. (A graph that JAX rejects at first may be convertible at the first
        call, when its lengths are known.)
        """
        CompiledInstrument.take_over(self, module)
        cls = module.JAXLinker
        original = cls.fgraph_convert

        def fgraph_convert(linker: "Live", fgraph: "Live", *args: object, **kwargs: object) -> "Live":
            try:
                return original(linker, fgraph, *args, **kwargs)
            except REFUSALS as error:
                if id(fgraph) not in self.announced:
                    raise
                return UnconvertedGraph(error)

        cls.fgraph_convert = fgraph_convert

    def piece(self, linker: "Live", original: "Callable[..., Live]", function: "Live") -> Piece:
        """Makes the XlaPiece for a function.

        `jax.jit` is wrapped while the linker calls it, because only its result can be lowered and analysed.
        """
        import jax

        self.watch()
        seen = []  # type: list[Live]
        own = jax.jit

        def jit(what: "Live", *args: object, **options: "Live") -> "Live":
            jitted = own(what, *args, **options)
            seen.append((jitted, tuple(options.get("static_argnums") or ())))
            return jitted

        jax.jit = jit
        """`jax.jit(function)`."""
        try:
            run = original(linker, function)
        finally:
            jax.jit = own
        whole = getattr(function, "whole", lambda outputs: outputs)
        return XlaPiece(self, linker, run, whole, *seen[0]) if seen else Piece(self, run)

    def jit(self, function: "Live") -> "Live":
        """Calls `jax.jit` for a function and returns the result."""
        import jax

        return jax.jit(function)

    def wait(self, outputs: "Live") -> "Live":
        """Waits until the outputs are computed: JAX computes asynchronously."""
        import jax

        return jax.block_until_ready(outputs)

    def put(self, values: "Live") -> "Live":
        """Copies the arguments to the device as a call would, with 64-bit types narrowed, and returns the copies."""
        import jax

        return [a if hasattr(a, "addressable_shards") else jax.device_put(a) for a in values]

    def leaves(self, values: "Live") -> "list[Live]":
        """Returns the arrays in a tree of values; the state of a random generator is a dictionary of arrays."""
        import jax

        return list(jax.tree_util.tree_leaves(values))

    def statistics(self) -> "dict[str, int] | None":
        """Returns the counters of the device's allocator; None on the CPU, where XLA does not count."""
        import jax

        counters = jax.devices()[0].memory_stats()
        return None if not counters else dict((k, int(counters[k])) for k in STATISTICS if k in counters)

    def in_use(self) -> int:
        """Returns the bytes in use on the device now."""
        return (self.statistics() or {}).get("bytes_in_use", 0)

    def watch(self) -> None:
        """Arranges that the counters are read when the script ends, before JAX's own exit function drops its client, since a new client
        counts from 0.
        """
        if not self.watched:
            self.watched = True
            atexit.register(self.read_last)  # functions at exit run in reverse order: JAX registered its own when it was imported

    def read_last(self) -> None:
        """Stores the allocator's counters as they are now."""
        self.last = self.statistics()

    def finish(self) -> None:
        """Writes the allocator's counters when the script has ended."""
        unread = self.last is None and self.watched  # it ends early, and the client is still there
        self.emit(what="end", after=self.statistics() if unread else self.last)


def parted(returned: "Live") -> "Live":
    """Splits the values that a function returned into outputs and conditions. Functions of the compat layer return both
    (compat/backends/jax/conditions.py), other functions only outputs.
    """
    checked = hasattr(returned, "conditions")
    return (returned.outputs, (returned.conditions, returned.loops)) if checked else (returned, ())


def dtype_of(value: "Live") -> "str | None":
    """Returns the dtype of an array; None for the state of a random generator."""
    return str(value.dtype) if hasattr(value, "dtype") else None


def described(value: "Live", static: bool) -> "Live":
    """Returns the properties of an argument that select the compiled function: dtype and shape, or the value if it is static."""
    if static or not hasattr(value, "dtype"):
        return repr(value) if static else type(value).__name__
    return str(value.dtype), tuple(value.shape), bool(getattr(value, "weak_type", False))


def used_arguments(compiled: "Live", values: "list[Live]") -> "list[Live]":
    """Returns the arguments that XLA did not drop as unused, if JAX reports them (jax/_src/interpreters/pxla.py, MeshExecutable);
    else all.
    """
    index = getattr(getattr(compiled, "_executable", None), "_kept_var_idx", None)
    return values if index is None else [v for i, v in enumerate(values) if i in index]


def analysis(compiled: "Live") -> "dict[str, int] | None":
    """Returns the figures of XLA's analysis in bytes; None if the backend has none."""
    memory = compiled.memory_analysis()
    if memory is None:
        return None
    table = dict((name, int(getattr(memory, name + "_size_in_bytes"))) for name in FIELDS)
    if hasattr(memory, "peak_memory_in_bytes"):
        table["peak"] = int(memory.peak_memory_in_bytes)
    return table


Instrument = JaxInstrument

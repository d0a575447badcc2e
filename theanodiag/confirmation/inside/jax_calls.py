"""Measures functions that JAX compiles: what XLA says of them before they run, and what they took.

XLA assigns every buffer when it compiles; `memory_analysis()` of the compiled function is that assignment. The very function that was
analysed is the one that runs. Where JAX cannot compile one function for all lengths and integers, it compiles one for each.
"""

from .compiled import CompiledInstrument, Piece, no_room, size_of
from .jax_constants import REFUSALS, for_values, integers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from . import Live

FIELDS = ("argument", "output", "temp", "alias", "generated_code")
STATISTICS = ("bytes_in_use", "peak_bytes_in_use", "bytes_limit", "largest_free_block_bytes", "pool_bytes")


class XlaPiece(Piece):
    """One function; `jitted` is what `jax.jit` gave, `static` the positions of arguments that are compiled in."""

    def __init__(self, instrument: "JaxInstrument", linker: "Live", run: "Callable[..., Live]", jitted: "Live", static: "Live") -> None:
        Piece.__init__(self, instrument, run)
        self.xla = instrument
        self.linker = linker
        self.jitted = jitted
        self.static = frozenset(static)
        self.anew = False  # whether the graph is made anew for the arguments of each call
        self.constants = []  # type: list[int]  # positions of integers that are constants of such a graph
        self.table = {}  # type: dict[Live, Live]

    def compiled(self, args: "tuple[Live, ...]") -> "tuple[Live, list[Live]]":
        """What is compiled for arguments of this kind, and those that it takes; a refusal is JAX's own, of the graph as it is."""
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
        given = [int(a) if i in self.static else a for i, a in enumerate(args)]  # lengths that are compiled in are integers
        dynamic = [a for i, a in enumerate(given) if i not in self.static]
        key = tuple(described(a, i in self.static) for i, a in enumerate(given))
        if key not in self.table:
            lowered = self.xla.jit(for_values(self.linker, given)).lower(*dynamic) if self.anew else self.jitted.lower(*given)
            self.table[key] = lowered.compile()
        return self.table[key], dynamic

    def _types(self, dynamic: "list[Live]") -> "list[str | None]":
        """Dtypes of the arguments as they lie there, by the positions of the inputs."""
        rest = iter(dynamic)
        return [None if i in self.static else dtype_of(next(rest)) for i in range(len(dynamic) + len(self.static))]

    def plain(self, *args: "Live") -> "Live":
        """Computes it unwatched."""
        if not self.anew:
            return self.run(*args)
        compiled, dynamic = self.compiled(args)
        return compiled(*dynamic)

    def measured(self, *args: "Live") -> "Live":
        """Analyses the first call of its kind, then runs what was analysed."""
        compiled, dynamic = self.compiled(args)
        before = self.xla.statistics()
        there = self.xla.put(dynamic)
        outputs, seconds = self.timed(compiled, *there)
        taken = kept(compiled, self.xla.leaves(there))
        moved = size_of(b for a, b in zip(self.xla.leaves(dynamic), self.xla.leaves(there)) if a is not b)
        self.emit(
            taken, self.xla.leaves(outputs), seconds, analysis=analysis(compiled), before=before, after=self.xla.statistics(), moved=moved,
            pieces=len(self.xla.leaves([there, outputs])), constants=self.constants,
            argument_types=self._types(there), result_types=[dtype_of(value) for value in outputs],
        )  # fmt: skip
        return outputs


class UnconvertedGraph(object):
    """A graph that was not converted, as a function."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, *args: "Live") -> "Live":
        """Raises what the linker raised."""
        raise self.error


class JaxInstrument(CompiledInstrument):
    """The functions that a `JAXLinker` compiles."""

    linker = ("link.jax.linker", "JAXLinker")

    def take_over(self, module: "Live") -> None:
        """A graph that is not converted as it is may be one with known lengths: that is seen when it is called."""
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
        """`jax.jit` is looked at while the linker calls it, since what it gives is all that can be lowered."""
        import jax

        seen = []  # type: list[Live]
        own = jax.jit

        def jit(what: "Live", *args: object, **options: "Live") -> "Live":
            jitted = own(what, *args, **options)
            seen.append((jitted, tuple(options.get("static_argnums") or ())))
            return jitted

        jax.jit = jit
        try:
            run = original(linker, function)
        finally:
            jax.jit = own
        return XlaPiece(self, linker, run, *seen[0]) if seen else Piece(self, run)

    def jit(self, function: "Live") -> "Live":
        """JAX's own."""
        import jax

        return jax.jit(function)

    def wait(self, outputs: "Live") -> "Live":
        """JAX computes in the background."""
        import jax

        return jax.block_until_ready(outputs)

    def put(self, values: "Live") -> "Live":
        """The arguments on the device, as a call would put them there; 64-bit types are narrowed by it."""
        import jax

        return [a if hasattr(a, "addressable_shards") else jax.device_put(a) for a in values]

    def leaves(self, values: "Live") -> "list[Live]":
        """The arrays among arguments; the state of a random generator is a dictionary of some."""
        import jax

        return list(jax.tree_util.tree_leaves(values))

    def statistics(self) -> "dict[str, int] | None":
        """What the allocator of the device counts; None on the CPU, where XLA has none that counts."""
        import jax

        found = jax.devices()[0].memory_stats()
        return None if not found else dict((k, int(found[k])) for k in STATISTICS if k in found)

    def in_use(self) -> int:
        """Bytes in use on the device now."""
        return (self.statistics() or {}).get("bytes_in_use", 0)

    def finish(self) -> None:
        """The script is over."""
        self.emit(what="end", after=self.statistics())


def dtype_of(value: "Live") -> "str | None":
    """The dtype of an array; None for the state of a random generator."""
    return str(value.dtype) if hasattr(value, "dtype") else None


def described(value: "Live", static: bool) -> "Live":
    """What of an argument decides what is compiled."""
    if static or not hasattr(value, "dtype"):
        return repr(value) if static else type(value).__name__
    return str(value.dtype), tuple(value.shape), bool(getattr(value, "weak_type", False))


def kept(compiled: "Live", values: "list[Live]") -> "list[Live]":
    """The arguments that XLA did not drop, where JAX tells (jax/_src/interpreters/pxla.py, MeshExecutable)."""
    index = getattr(getattr(compiled, "_executable", None), "_kept_var_idx", None)
    return values if index is None else [v for i, v in enumerate(values) if i in index]


def analysis(compiled: "Live") -> "dict[str, int] | None":
    """XLA's own figures; None where the backend has none."""
    found = compiled.memory_analysis()
    if found is None:
        return None
    table = dict((name, int(getattr(found, name + "_size_in_bytes"))) for name in FIELDS)
    if hasattr(found, "peak_memory_in_bytes"):
        table["peak"] = int(found.peak_memory_in_bytes)
    return table


Instrument = JaxInstrument  # the name by which the hook asks for it

"""Measures functions that JAX compiles: what XLA says of them before they run, and what they took.

XLA assigns every buffer when it compiles; `memory_analysis()` of the compiled function is that assignment. The very function that was
analysed is the one that runs.
"""

from .compiled import CompiledInstrument, Piece, size_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from . import Live

FIELDS = ("argument", "output", "temp", "alias", "generated_code")
STATISTICS = ("bytes_in_use", "peak_bytes_in_use", "bytes_limit", "largest_free_block_bytes", "pool_bytes")


class XlaPiece(Piece):
    """One function; `jitted` is what `jax.jit` gave, `static` the positions of arguments that are compiled in."""

    def __init__(self, instrument: "Instrument", run: "Callable[..., Live]", jitted: "Live", static: "tuple[int, ...]") -> None:
        Piece.__init__(self, instrument, run)
        self.xla = instrument
        self.jitted = jitted
        self.static = frozenset(static)
        self.table = {}  # type: dict[Live, Live]

    def given(self, args: "tuple[Live, ...]") -> "list[Live]":
        """The arguments as `jax.jit` gets them: lengths that are compiled in as integers."""
        return [int(a) if i in self.static else a for i, a in enumerate(args)]

    def measured(self, *args: "Live") -> "Live":
        """Analyses the first call of its kind, then runs what was analysed."""
        given = self.given(args)
        key = tuple(described(a, i in self.static) for i, a in enumerate(given))
        if key not in self.table:
            self.table[key] = self.jitted.lower(*given).compile()
        compiled, dynamic = self.table[key], [a for i, a in enumerate(given) if i not in self.static]
        before = self.xla.statistics()
        there = self.xla.put(dynamic)
        outputs, seconds = self.timed(compiled, *there)
        taken = kept(compiled, self.xla.leaves(there))
        moved = size_of(b for a, b in zip(self.xla.leaves(dynamic), self.xla.leaves(there)) if a is not b)
        self.emit(
            taken, self.xla.leaves(outputs), seconds, analysis=analysis(compiled), before=before, after=self.xla.statistics(), moved=moved,
            pieces=len(self.xla.leaves([there, outputs])),
        )  # fmt: skip
        return outputs


class Instrument(CompiledInstrument):
    """The functions that a `JAXLinker` compiles."""

    linker = ("link.jax.linker", "JAXLinker")

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
        return XlaPiece(self, run, *seen[0]) if seen else Piece(self, run)

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

"""Measures functions that torch compiles (PyTensor, mode PYTORCH) by the counters of its caching allocator on CUDA."""

from .compiled import CompiledInstrument, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from .. import Live


class TorchPiece(Piece):
    """One function of the script, compiled by torch."""

    def __init__(self, instrument: "TorchInstrument", run: "Callable[..., Live]") -> None:
        Piece.__init__(self, instrument, run)
        self.torch = instrument

    def measured(self, *args: "Live") -> "Live":
        """Resets the allocator's peak, computes, and emits the counters."""
        before = self.torch.reset()
        outputs, seconds = self.timed(self.run, *args)
        self.emit(args, outputs, seconds, before=before, after=self.torch.counted())
        return outputs


class TorchInstrument(CompiledInstrument):
    """The instrument for functions compiled by a `PytorchLinker`."""

    linker = ("link.pytorch.linker", "PytorchLinker")

    def piece(self, linker: "Live", original: "Callable[..., Live]", function: "Live") -> Piece:
        """Makes the TorchPiece for the function that the linker's own `jit_compile` returns."""
        return TorchPiece(self, original(linker, function))

    def making(self, fgraph: "Live") -> None:
        """Makes CUDA the default device before a function is compiled, so that its constants are placed on it."""
        self.prepare()
        CompiledInstrument.making(self, fgraph)

    def prepare(self) -> None:
        """Makes CUDA torch's default device, if there is one, and limits torch to the option `fraction` of it."""
        import torch

        if torch.cuda.is_available() and torch.get_default_device().type != "cuda":
            torch.set_default_device("cuda")
            if self.options.get("fraction"):
                torch.cuda.set_per_process_memory_fraction(float(self.options["fraction"]))

    def wait(self, outputs: "Live") -> "Live":
        """Returns the outputs. Nothing is pending: the linker's wrapper returns numpy arrays."""
        return outputs

    def reset(self) -> "dict[str, int] | None":
        """Resets the peaks of the caching allocator. Returns its counters."""
        import torch

        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        return self.counted()

    def counted(self) -> "dict[str, int] | None":
        """Returns the counters of the caching allocator in bytes; None without CUDA."""
        import torch

        if not torch.cuda.is_available():
            return None
        counters = torch.cuda.memory_stats()
        return {
            "allocated": int(torch.cuda.memory_allocated()),
            "peak": int(torch.cuda.max_memory_allocated()),
            "reserved": int(torch.cuda.max_memory_reserved()),
            "segments": int(counters.get("segment.all.current", 0)),
        }

    def in_use(self) -> int:
        """Returns the bytes in use on the device now."""
        return (self.counted() or {}).get("allocated", 0)

    def finish(self) -> None:
        """Writes the counters when the script has ended; torch is imported only if it compiled a function."""
        self.emit(what="end", after=self.counted() if self.known else None)


Instrument = TorchInstrument

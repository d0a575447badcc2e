"""Measures functions that torch compiles (PyTensor, mode PYTORCH): what its caching allocator counts on CUDA."""

from .compiled import CompiledInstrument, Piece

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from . import Live


class TorchPiece(Piece):
    """One function."""

    def __init__(self, instrument: "TorchInstrument", run: "Callable[..., Live]") -> None:
        Piece.__init__(self, instrument, run)
        self.torch = instrument

    def measured(self, *args: "Live") -> "Live":
        """Sets the peak back, computes, and asks the allocator."""
        before = self.torch.reset()
        outputs, seconds = self.timed(self.run, *args)
        self.emit(args, outputs, seconds, before=before, after=self.torch.counted())
        return outputs


class TorchInstrument(CompiledInstrument):
    """The functions that a `PytorchLinker` compiles."""

    linker = ("link.pytorch.linker", "PytorchLinker")

    def piece(self, linker: "Live", original: "Callable[..., Live]", function: "Live") -> Piece:
        """The linker's own wrapper is called."""
        return TorchPiece(self, original(linker, function))

    def making(self, fgraph: "Live") -> None:
        """A function is about to be compiled: its constants must lie where its arguments will."""
        self.prepare()
        CompiledInstrument.making(self, fgraph)

    def prepare(self) -> None:
        """On CUDA new tensors go to the device, and a fraction of it is all there is where the options say so."""
        import torch

        if torch.cuda.is_available() and torch.get_default_device().type != "cuda":
            torch.set_default_device("cuda")
            if self.options.get("fraction"):
                torch.cuda.set_per_process_memory_fraction(float(self.options["fraction"]))

    def wait(self, outputs: "Live") -> "Live":
        """The wrapper gives numpy arrays: they are there."""
        return outputs

    def reset(self) -> "dict[str, int] | None":
        """Sets the peaks back; what is in use now."""
        import torch

        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        return self.counted()

    def counted(self) -> "dict[str, int] | None":
        """What the caching allocator counts; None without CUDA."""
        import torch

        if not torch.cuda.is_available():
            return None
        found = torch.cuda.memory_stats()
        return {
            "allocated": int(torch.cuda.memory_allocated()),
            "peak": int(torch.cuda.max_memory_allocated()),
            "reserved": int(torch.cuda.max_memory_reserved()),
            "segments": int(found.get("segment.all.current", 0)),
        }

    def in_use(self) -> int:
        """Bytes in use on the device now."""
        return (self.counted() or {}).get("allocated", 0)

    def finish(self) -> None:
        """The script is over; torch was imported only where it compiled something."""
        self.emit(what="end", after=self.counted() if self.known else None)


Instrument = TorchInstrument  # the name by which the hook asks for it

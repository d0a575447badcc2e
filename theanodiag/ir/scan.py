"""The parts of a Scan: what each of its outer inputs and outputs, and each input and output of its inner graph, is for.

    outer inputs    number of steps, sequences, recurrences (mit-mot, mit-sot, sit-sot), shared, lengths of the nit-sot outputs, the rest
    outer outputs   recurrences, nit-sot, shared
    inner inputs    one entry of each sequence, one of each tap of each recurrence, shared, the rest
    inner outputs   mit-mot taps that are not written in place, mit-sot, sit-sot, nit-sot, shared, the condition of a while

Sources: Theano 1.0.5 scan_module/scan_op.py, Aesara 2.9.4 and PyTensor 3.3.7 scan/op.py, `ScanMethodsMixin`. This file also runs in the
user's interpreter (CPython 2.7 and 3.5+): no dataclass, no f-string.
"""

from typing import Any, Mapping, Optional, Sequence, Tuple

COUNTS = ("n_seqs", "n_nit_sot", "n_shared_outs")
TAPS = ("mit_mot_in_slices", "mit_mot_out_slices", "mit_sot_in_slices", "sit_sot_in_slices")
"""Keys that the `info` of an inner graph has, named as in Aesara's ScanInfo, if the parts of its Scan are known."""
FLAGS = ("mitmots_preallocated", "vector_outs")
"""Keys that `info` may have in addition, each with a list of booleans."""


def has_scan_layout(info: "Mapping[str, object]") -> bool:
    """Returns whether the `info` of an inner graph describes the whole layout of its Scan. The `info` of a printed graph may be
    incomplete.
    """
    counts = all(isinstance(n, int) and n >= 0 for n in map(info.get, COUNTS))
    flags = all(isinstance(info.get(name) or (), (list, tuple)) for name in FLAGS)
    return counts and flags and all(_is_taps(info.get(name)) for name in TAPS)


def _is_taps(rows: "object") -> bool:
    if not isinstance(rows, (list, tuple)):
        return False
    return all(isinstance(row, (list, tuple)) and all(isinstance(tap, int) for tap in row) for row in rows)


def scan_counts(**given: "object") -> "dict[str, object]":
    """Makes the `info` of a Scan from the given parts; all other counts are 0, and all other taps are empty."""
    return dict(dict.fromkeys(COUNTS, 0), **dict(dict.fromkeys(TAPS, ()), **given))


class ScanInfo:
    """Counts and taps of a Scan, and the positions that follow from them; immutable by convention."""

    def __init__(self, info: "Mapping[str, Any]") -> None:
        self.n_seqs = int(info["n_seqs"])
        self.mit_mot = _rows(info["mit_mot_in_slices"])
        """Input taps of each recurrence with several input and several output taps (mit-mot: gradients)."""
        self.mit_mot_out = _rows(info["mit_mot_out_slices"])
        """Output taps of each mit-mot recurrence."""
        self.mit_sot = _rows(info["mit_sot_in_slices"])
        """Input taps of each recurrence that reads several earlier steps and writes one (mit-sot)."""
        self.sit_sot = _rows(info["sit_sot_in_slices"])
        """Input taps of each recurrence that reads the last step and writes one (sit-sot)."""
        self.n_nit_sot = int(info["n_nit_sot"])
        """Number of outputs without a recurrence, whose steps are stacked (nit-sot)."""
        self.n_shared = int(info["n_shared_outs"])
        """Number of shared values that are updated at each step."""
        self.as_while = bool(info.get("as_while"))
        self.n_written = sum(bool(p) for p in info.get("mitmots_preallocated") or ())
        """Number of mit-mot taps that are written in place, according to the framework, and are therefore no outputs of the inner graph."""
        self.vector_outs = tuple(bool(v) for v in info.get("vector_outs") or ())
        """For each stored output whether it is one host number per step; such outputs are never preallocated."""

    @property
    def taps(self) -> "Tuple[Tuple[int, ...], ...]":
        """Returns the input taps of each recurrence: first of mit-mot, then of mit-sot, then of sit-sot recurrences."""
        return self.mit_mot + self.mit_sot + self.sit_sot

    @property
    def n_mit_mot(self) -> int:
        """Number of the Scan's mit-mot recurrences (several input taps, several output taps)."""
        return len(self.mit_mot)

    @property
    def n_recurrences(self) -> int:
        """Number of recurrences of all kinds."""
        return len(self.mit_mot) + len(self.mit_sot) + len(self.sit_sot)

    @property
    def n_stored(self) -> int:
        """Number of outputs whose steps are stored: recurrences and nit-sot."""
        return self.n_recurrences + self.n_nit_sot

    # Outer inputs.

    @property
    def sequences(self) -> "range":
        """Positions of the sequences among the outer inputs."""
        return range(1, 1 + self.n_seqs)

    @property
    def recurrences(self) -> "range":
        """Returns the positions, among the outer inputs, of the buffers into which recurrences are written, in the order of the outputs."""
        return range(1 + self.n_seqs, 1 + self.n_seqs + self.n_recurrences)

    @property
    def shared_at(self) -> int:
        """Position of the first shared value among the outer inputs."""
        return 1 + self.n_seqs + self.n_recurrences

    @property
    def shared(self) -> "range":
        """Positions of the shared values among the outer inputs."""
        return range(self.shared_at, self.lengths_at)

    @property
    def lengths_at(self) -> int:
        """Position of the length of the first nit-sot output among the outer inputs."""
        return self.shared_at + self.n_shared

    @property
    def others_at(self) -> int:
        """Position of the first outer input that is the same at every step (non-sequence)."""
        return self.lengths_at + self.n_nit_sot

    # Inner inputs.

    def inner_inputs(self, n_outer: int) -> "Tuple[Tuple[int, bool], ...]":
        """Returns for each inner input, in order: (position of the outer input that feeds it, whether it gets one step of that input)."""
        rows = [(p, True) for p in self.sequences]
        rows += [(p, True) for p, taps in zip(self.recurrences, self.taps) for _ in taps]
        rows += [(p, False) for p in self.shared]
        rows += [(p, False) for p in range(self.others_at, n_outer)]
        return tuple(rows)

    # Inner outputs.

    @property
    def written_by_tap(self) -> "Tuple[Tuple[bool, ...], ...]":
        """Returns for each output tap of each mit-mot recurrence whether it is an input tap too. A compiled graph writes such a tap in
        place.
        """
        return tuple(tuple(tap in taps for tap in out) for taps, out in zip(self.mit_mot, self.mit_mot_out))

    @property
    def n_mit_mot_results(self) -> int:
        """Number of mit-mot output taps that a compiled inner graph still returns."""
        return sum(not written for row in self.written_by_tap for written in row)

    def first_nit_sot(self) -> int:
        """Returns the position of the first nit-sot output among the inner outputs that are not written in place."""
        return sum(map(len, self.mit_mot_out)) - self.n_written + len(self.mit_sot) + len(self.sit_sot)


def scan_info(info: "Mapping[str, Any]") -> "Optional[ScanInfo]":
    """Makes the ScanInfo from the `info` of an inner graph; None if the `info` does not describe all parts."""
    return ScanInfo(info) if has_scan_layout(info) else None


def _rows(taps: "Sequence[Sequence[int]]") -> "Tuple[Tuple[int, ...], ...]":
    return tuple(tuple(row) for row in taps)

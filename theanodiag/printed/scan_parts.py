"""Infers the roles of a printed Scan's outer inputs: sequences, recurrences, shared values, lengths and non-sequences.

No text states them. They follow from the order of the outer inputs (number of steps, sequences, recurrences, shared, lengths of the outputs
without a recurrence, non-sequences), the outer Variable that each inner input is linked to (`-> [id C]`), and the types: an inner input
that is one step of its outer Variable has one dimension less.
Sources: Theano 1.0.5 scan_module/scan_op.py, PyTensor 3.0.7 scan/op.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..ir import Type


@dataclass(frozen=True)
class Outer:
    """A Scan as its line and the lines of its inputs show it."""

    ids: tuple[str, ...]
    """Printed id of each outer input."""
    types: tuple[Type, ...]
    """Type of each outer input."""
    buffers: tuple[bool, ...]
    """Whether each outer input was created as a buffer to write into."""
    made: tuple[Type, ...]
    """Types of the outputs, as far as they are printed."""
    as_while: bool
    """Whether a stopping condition may end the loop earlier."""
    gradient: bool
    """Whether it is the gradient of another Scan, whose recurrences write where they read."""


@dataclass(frozen=True)
class Parts:
    """Roles of a Scan's outer inputs, by number of each kind."""

    links: Mapping[int, tuple[int, ...]]
    """Position of an outer input -> numbers of the inner inputs that it feeds."""
    n_seqs: int
    """Number of sequences."""
    n_mapped: int
    """Number of sequences and recurrences together."""
    n_shared: int
    """Number of shared values."""
    n_lengths: int
    """Number of outputs without a recurrence, each of which has a length input."""
    n_written: int
    """Number of inner outputs that mit-mot recurrences write (gradients only)."""

    @property
    def n_recurrences(self) -> int:
        """Number of recurrences."""
        return self.n_mapped - self.n_seqs

    @property
    def n_outputs(self) -> int:
        """Number of outputs of the Scan."""
        return self.n_recurrences + self.n_lengths + self.n_shared

    def buffer_of(self, output: int) -> int | None:
        """Position of the outer input into which output number `output` is written; None where it has none."""
        if output < self.n_recurrences:
            return 1 + self.n_seqs + output
        shared = output - self.n_recurrences - self.n_lengths
        return 1 + self.n_mapped + shared if shared >= 0 else None


def parts_of(outer: Outer, inner: Sequence[tuple[str, Type]], results: Sequence[Type]) -> Parts | None:
    """The roles, from (outer id, type) of the inner inputs and the types of the inner outputs; None where they are not clear."""
    found = _links(outer, inner)
    if found is None:
        return None
    links, mapped = found
    n = len(outer.types)
    end = 1
    while end < n and (end in mapped or (end not in links and outer.types[end].ndim > 0)):
        end += 1
    lengths = [p for p in range(end, n) if p not in links and _is_count(outer.types[p])]
    if any(p in mapped for p in range(end, n)) or lengths != list(range(lengths[0], lengths[0] + len(lengths)) if lengths else []):
        return None
    if lengths:  # some or all of the last may be scalars that no step reads
        fewer = (_split(outer, links, end - 1, lengths[0] - end, k, results) for k in range(len(lengths), 0, -1))
        fit = next((p for p in fewer if p is not None), None)
        if fit is not None:
            return fit
    ways = [(e, s) for e in _ends(links, end) for s in range(min(n - e, len(results)) + 1)]
    made = [p for e, s in ways if (p := _split(outer, links, e - 1, s, 0, results)) is not None]
    return max(made, key=lambda p: _as_buffers(outer, p), default=None)


def _ends(links: Mapping[int, tuple[int, ...]], end: int) -> Iterator[int]:
    """Yields the positions at which sequences and recurrences may end: trailing inputs that feed nothing may be other values."""
    yield end
    while end > 1 and end - 1 not in links:
        end -= 1
        yield end


def _links(outer: Outer, inner: Sequence[tuple[str, Type]]) -> tuple[dict[int, tuple[int, ...]], set[int]] | None:
    """For each outer input the inner inputs that it feeds, and the outer inputs that are read step by step; None where not clear.

    An inner input may carry the link of another Scan (PyTensor 3.3 prints what both have once): then the next outer input feeds it that no
    other inner input names.
    """
    links: dict[int, tuple[int, ...]] = {}
    mapped: set[int] = set()
    named, last = {ident for ident, _ in inner}, 0
    for number, (ident, kind) in enumerate(inner):
        fits = [p for p in range(1, len(outer.ids)) if outer.types[p].is_printed and outer.types[p].ndim - kind.ndim in (0, 1)]
        here = [p for p in fits if outer.ids[p] == ident] or [p for p in fits if p > last and outer.ids[p] not in named and p not in links]
        if not kind.text or not ident or not here:
            return None
        # Lengths, which no step reads, come before the non-sequences, and may be the same Variable.
        late = _is_count(kind) and not any(outer.types[p].ndim for p in here)
        last = next((p for p in (reversed(here) if late else here) if p not in links), here[-1])
        links[last] = (*links.get(last, ()), number)
        if outer.types[last].ndim > kind.ndim:
            mapped.add(last)
    return links, mapped


def _is_count(kind: Type) -> bool:
    return kind.ndim == 0 and (kind.dtype or "").startswith(("int", "uint"))


def _split(
    outer: Outer, links: Mapping[int, tuple[int, ...]], n_mapped: int, n_shared: int, n_lengths: int, results: Sequence[Type]
) -> Parts | None:
    """The roles with these counts, if they fit the inner outputs; else None."""
    n_results = len(results) - outer.as_while
    several = [p for p in range(1, n_mapped + 1) if len(links.get(p, ())) > 1]
    if outer.gradient and several:
        n_seqs = several[0] - 1
        written = n_results - (n_mapped - n_seqs - len(several)) - n_lengths - n_shared
        made = Parts(links, n_seqs, n_mapped, n_shared, n_lengths, written)
        return made if written >= len(several) and made.n_outputs >= len(outer.made) else None
    n_seqs = n_mapped - (n_results - n_lengths - n_shared)
    made = Parts(links, n_seqs, n_mapped, n_shared, n_lengths, 0)
    return made if 0 <= n_seqs <= n_mapped and _typed_alike(outer, made, results) else None


def _typed_alike(outer: Outer, parts: Parts, results: Sequence[Type]) -> bool:
    """Whether each inner output can be written into its buffer, by type."""
    for output in range(parts.n_outputs):
        at = parts.buffer_of(output)
        if at is None:
            continue
        if at >= len(outer.types) or results[output].dtype != outer.types[at].dtype:
            return False
        if results[output].ndim != outer.types[at].ndim - (output < parts.n_recurrences):
            return False
        if output < len(outer.made) and outer.made[output].text and outer.made[output].ndim != outer.types[at].ndim:
            return False
    return parts.n_outputs >= len(outer.made)


def _as_buffers(outer: Outer, parts: Parts) -> tuple[int, int]:
    """Sort key: how many recurrences were created as buffers, then how few shared values there are."""
    made = outer.buffers[1 + parts.n_seqs : 1 + parts.n_mapped]
    return sum(made) - sum(not b for b in made), -parts.n_shared

"""What stands around a compiled function: it tells of recorded calls, and changes nothing."""

from __future__ import annotations

from typing import Any

import numpy
import pytest

from theanodiag.agent.measure.compiled import CompiledInstrument, Piece, size_of
from theanodiag.agent.measure.jax_calls import described, used_arguments


class Adding(Piece):
    """Adds one to its argument."""

    def measured(self, *args: Any) -> Any:
        """As any piece does it."""
        outputs, seconds = self.timed(self.run, *args)
        self.emit(args, outputs, seconds)
        return outputs


def piece(run: Any = lambda x: [x + 1]) -> tuple[Adding, list[dict[str, Any]]]:
    """One with the events that it wrote."""
    events: list[dict[str, Any]] = []
    return Adding(CompiledInstrument(lambda **fields: events.append(fields), {}, list), run), events


def test_only_recorded_calls_are_told() -> None:
    """Once each, with their numbers; the result is the function's own."""
    found, events = piece()
    for recorded in (False, True, False, True):
        found.recorded = recorded
        assert found(numpy.zeros(4))[0].tolist() == [1, 1, 1, 1]
    assert [(e["what"], e["call"], e["arguments"], e["outputs"]) for e in events] == [("piece", 0, 32, 32), ("piece", 1, 32, 32)]
    assert all(e["seconds"] >= 0 for e in events)


@pytest.mark.parametrize(
    ("error", "asked"),
    [(MemoryError("no"), None), (RuntimeError("RESOURCE_EXHAUSTED: Out of memory allocating 64 bytes."), 64)],
)
def test_no_room_is_told_and_raised(error: Exception, asked: int | None) -> None:
    """The script sees the exception that it would see."""

    def run(x: Any) -> Any:
        raise error

    found, events = piece(run)
    found.recorded = True
    with pytest.raises(type(error)):
        found(1)
    assert [(e["what"], e["asked"], e["call"]) for e in events] == [("oom", asked, 0)]


def test_other_errors_are_only_raised() -> None:
    """They are the script's own affair."""

    def run(x: Any) -> Any:
        raise ValueError(x)

    found, events = piece(run)
    found.recorded = True
    with pytest.raises(ValueError, match="7"):
        found(7)
    assert not events


def test_sizes_of_what_is_no_array() -> None:
    """They count nothing."""
    assert size_of([numpy.zeros(3), 5, None, numpy.float32(1)]) == 28


def test_what_decides_what_is_compiled() -> None:
    """Types and lengths of arrays, values of lengths that are compiled in."""
    assert described(numpy.zeros((2, 3), "float32"), False) == ("float32", (2, 3), False)
    assert described(numpy.zeros((2, 3), "float32"), False) != described(numpy.zeros((3, 2), "float32"), False)
    assert described(5, True) != described(6, True)
    assert described(5, False) == described(6, False)


def test_without_word_of_what_was_dropped_all_is_kept() -> None:
    """JAX may put it elsewhere one day."""
    assert used_arguments(object(), [1, 2, 3]) == [1, 2, 3]

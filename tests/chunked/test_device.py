"""On the real Theano, which keeps its shared variables on the (simulated) device: the peak is that of one chunk, as predicted."""

from __future__ import annotations

from pathlib import Path

from tests.interpreters import THOROUGH
from tests.memory.stand.predict import predicted
from tests.memory.stand.run import calls_of, traced
from theanodiag.chunked.group import cut
from theanodiag.confirmation.simulated_cuda import ClientAlloc
from theanodiag.units import MIB

SCRIPT = Path(__file__).parent / "scripts" / "epochs.py"
RUNNER = Path(__file__).parents[1] / "memory" / "stand" / "marked.py"


@THOROUGH
def test_peak_on_the_device_is_one_chunk(tmp_path: Path) -> None:
    """Between calls only the chunk lives there; it fills its budget but for less than a batch; the prediction has the same peaks."""
    events = list(traced(RUNNER, str(SCRIPT), "--compare", folder=tmp_path))
    real = calls_of(iter(events))
    size = cut(20000, [400, 4], MIB, 128)
    chunk = size.chunk * 404
    assert {call.before for call in real} == {chunk}
    assert MIB - 128 * 404 < chunk <= MIB
    assert len(real) == 2 * (20000 // size.chunk * (size.chunk // 128) + -(-(20000 % size.chunk) // 128))
    slices = 128 * 100 * 4 + 128 * 4
    assert max(e.live for e in events if isinstance(e, ClientAlloc)) <= MIB + slices
    foretold = {(f.live_before_bytes, f.live_peak_bytes, f.reserved_bytes) for f in predicted(SCRIPT).calls[0]}
    assert foretold == {(c.before, c.peak, c.reserved) for c in real}

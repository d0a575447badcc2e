"""How much memory this machine has for a script."""

from __future__ import annotations

from pathlib import Path

import pytest

from theanodiag.confirmation.memory import memory_bytes, this_host
from theanodiag.units import MIB


@pytest.mark.parametrize(
    ("text", "limited"),
    [(f"{64 * MIB}\n", True), ("max\n", False), (f"{1 << 62}\n", False), ("", False), ("\xff", False)],
    ids=["a limit", "none", "more than there is", "an empty file", "no text"],
)
def test_a_container_may_have_less(tmp_path: Path, text: str, limited: bool) -> None:
    """The least of what the machine has and what its control group may have; a file that says nothing is none."""
    whole = memory_bytes(())
    assert whole is not None
    assert whole > 64 * MIB
    (tmp_path / "max").write_text(text, encoding="latin-1")
    assert memory_bytes([str(tmp_path / "max"), str(tmp_path / "missing")]) == (64 * MIB if limited else whole)


def test_the_host_has_that_much() -> None:
    """And is no device."""
    host = this_host()
    assert host.is_host
    assert host.available_bytes == memory_bytes()

"""The file of measured overheads: what is written is read, other lines stay, and a device takes its own entry."""

from __future__ import annotations

import dataclasses
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from theanodiag.devices import CARDS, HOST, by_name
from theanodiag.devices.measured import Calibration, edited, find, parse, plain_tables, with_measured
from theanodiag.errors import UnreadableError
from theanodiag.units import MIB

H200 = Calibration("NVIDIA H200", 500 * MIB, 100 * MIB, 60 * MIB, "driver 570, 2026-01-01")
K520 = Calibration("GRID K520", 70 * MIB, 10 * MIB)
NAMES = st.text(st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_characters="\x7f"), min_size=1, max_size=30)
SIZES = st.integers(0, 1 << 40)
CALIBRATIONS = st.builds(Calibration, NAMES, SIZES, SIZES, st.none() | SIZES, NAMES)


@given(st.lists(CALIBRATIONS, max_size=5))
def test_what_is_written_is_read(entries: list[Calibration]) -> None:
    """Whatever a device is called; the last entry of a name counts."""
    text = ""
    for entry in entries:
        text = edited(text, entry)
    assert parse(text, "devices.toml") == {e.name: e for e in entries}


@pytest.mark.skipif(sys.version_info < (3, 11), reason="needs Python's own reader of TOML")
@given(st.lists(CALIBRATIONS, max_size=5))
def test_our_reader_is_pythons(entries: list[Calibration]) -> None:
    """On the part of TOML that we write."""
    import tomllib

    text = ""
    for entry in entries:
        text = edited(text, entry)
    assert plain_tables(text, "devices.toml") == tomllib.loads(text).get("devices", {})


def test_other_lines_stay() -> None:
    """Comments and other entries, also those with keys that we do not know."""
    first = '# mine\n[devices."A"]\ncontext_bytes = 1\nblas_bytes = 2\nowner = "me"\n\n'
    before = first + "[devices.B]\ncontext_bytes = 3 # old\nblas_bytes = 4\n"
    after = edited(before, Calibration("B", 5, 6))
    assert after.startswith(first)
    assert {k: (v.context_bytes, v.blas_bytes) for k, v in parse(after, "f").items()} == {"A": (1, 2), "B": (5, 6)}
    assert edited(after, Calibration("B", 5, 6)) == after


@pytest.mark.parametrize("text", ["[devices.A]\ncontext_bytes = 1\n", '[devices.A]\ncontext_bytes = "1"\nblas_bytes = 2\n', "no [toml\n"])
def test_a_file_that_is_none_of_ours(text: str) -> None:
    """Its name is in the message."""
    with pytest.raises(UnreadableError, match=r"devices\.toml"):
        parse(text, "devices.toml")


@pytest.mark.parametrize("line", ["what = is this", r'[devices."\q"]'])
def test_a_line_that_our_reader_does_not_know(line: str) -> None:
    """Its place is told."""
    with pytest.raises(UnreadableError, match=r"devices\.toml:2:1"):
        plain_tables(f"# x\n{line}\n", "devices.toml")


def test_a_device_takes_its_entry() -> None:
    """All parts together, and the origin says so."""
    table = {H200.name: H200, K520.name: K520}
    card = with_measured(by_name("k520"), table)
    assert (card.context.bytes, card.context.origin) == (80 * MIB, "measured")
    assert card.available_bytes == (card.total_bytes or 0) - 80 * MIB
    assert with_measured(by_name("4GiB"), table) == by_name("4GiB")
    assert with_measured(HOST, table) is HOST


def test_memory_that_is_free_now_is_free_before_the_context() -> None:
    """The old context is given back before the measured one is taken."""
    base = by_name("h100-80")
    seen = dataclasses.replace(base, name="NVIDIA H200", free_bytes=1000 * MIB - base.context.bytes)
    assert with_measured(seen, {H200.name: H200}).free_bytes == (1000 - 660) * MIB


@pytest.mark.parametrize(
    ("ours", "theirs", "same"),
    [
        ("a100-80", "NVIDIA A100 80GB PCIe", True),
        ("t4", "Tesla T4", True),
        ("k520", "GRID K520", True),
        ("gtx-980", "NVIDIA GeForce GTX 980", True),
        ("gtx-980", "NVIDIA GeForce GTX 1080 Ti", False),
        ("gtx-1080", "NVIDIA GeForce GTX 1080 Ti", False),
        ("a100-40", "NVIDIA A100 80GB PCIe", False),
        ("k80", "Tesla K80", True),
    ],
)
def test_cards_are_found_by_the_drivers_names(ours: str, theirs: str, same: bool) -> None:
    """Who makes them, and how gigabytes are written, plays no part."""
    assert (find(CARDS[ours].name, {theirs: Calibration(theirs, 1, 1)}) is not None) == same

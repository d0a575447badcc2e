"""The table of truth: what counts as exact, and what is printed of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from tests.memory.stand.catalogue import Model
from tools.truth.measure import FunctionRow, ScriptRow
from tools.truth.rows import load, merged, save
from tools.truth.table import page

EQUAL = FunctionRow(0, "train", (100, 100), (4096, 4096))
LOW = FunctionRow(1, "valid", (90, 100), (2048, 4096))
HIGH = FunctionRow(2, "test", (100, 100), (8192, 4096))
LIVE_LOW = FunctionRow(5, "kept", (90, 100), (4096, 4096))
NEVER = FunctionRow(3, "other", (None, 100), (None, 4096))
CHANCE = FunctionRow(4, "drawn", (164, 100), (4096, 4096), (36, 4096))


def script(*functions: FunctionRow, least: int | None = 4096) -> ScriptRow:
    """A script with these functions under one set of flags."""
    return ScriptRow("mlp", "a net", "allow_gc=False", functions, (2, 3), (8192, least))


def cells(text: str, start: str) -> list[str]:
    """The cells of the first row of a table that begins with `start`."""
    row = next(line for line in text.splitlines() if line.startswith(start))
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_exact_is_live_and_reserved() -> None:
    """One of the two is not enough, and neither is nothing."""
    assert [f.exact for f in (EQUAL, LOW, HIGH, NEVER)] == [True, False, False, False]


def test_the_summary_counts_exact_rows_and_what_is_too_low() -> None:
    """What was not predicted at all counts as too low; what is up to chance is no error of ours, and not exact."""
    text = page([script(EQUAL, LOW, LIVE_LOW, HIGH, NEVER, CHANCE)], "")
    assert cells(text, "| all") == ["all", "1", "6", "1 (16.7 %)", "1", "1", "3"]


def test_differences_are_signed() -> None:
    """Predicted less real, figure by figure."""
    text = page([script(EQUAL, LOW, HIGH, NEVER)], "")
    rows = [cells(text, f"| mlp | `allow_gc=False` | {k} ")[-1] for k in range(4)]
    assert rows == ["0", "live -10, reserved -2048", "reserved +4096", "not predicted"]


def test_what_is_up_to_chance_is_one_row() -> None:
    """Keras drops hundreds of functions."""
    text = page([script(EQUAL, CHANCE, replace(CHANCE, reserved=(8192, 4096)))], "")
    assert cells(text, "| mlp | `allow_gc=False` | 2 of 3")[-1] == "up to chance: live +64, reserved +4096 at most"
    assert "drawn" not in text


def test_of_many_functions_only_those_that_differ_are_listed() -> None:
    """Two hundred lines of equal numbers help nobody."""
    text = page([script(*[EQUAL] * 20, LOW)], "")
    assert "| 0 train |" not in text
    assert "| 1 valid |" in text


def test_the_smallest_device_is_compared_where_it_was_sought() -> None:
    """Else the table says that it was not."""
    sought, not_sought = page([script(EQUAL)], ""), page([script(EQUAL, least=None)], "")
    assert cells(sought, "| mlp | `allow_gc=False` | 1 |")[-3:] == ["8192", "4096", "4096"]
    assert cells(not_sought, "| mlp | `allow_gc=False` | 1 |")[-2:] == ["not sought", ""]


MODELS_IN_ORDER = (Model("mlp", "a net"), Model("conv", "another"))


def test_a_part_of_the_rows_is_measured_anew(tmp_path: Path) -> None:
    """Others stay as they were, in the order of the lists; a smallest device that was found before is not forgotten."""
    mlp, conv = script(EQUAL, CHANCE), replace(script(LOW), title="conv")
    rows = merged([conv, replace(mlp, flags="gone")], mlp, MODELS_IN_ORDER, ("", "allow_gc=False"))
    assert [row.title for row in rows] == ["mlp", "conv"]
    again = merged(rows, script(LOW, least=None), MODELS_IN_ORDER, ("allow_gc=False",))
    assert [(row.functions, row.smallest) for row in again] == [((LOW,), (8192, 4096)), ((LOW,), (8192, 4096))]
    for written in (rows, again):
        save(written, tmp_path / "rows")
        assert load(tmp_path / "rows") == written
    assert load(tmp_path / "none") == []

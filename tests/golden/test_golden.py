"""What a move must not change: a part of what `make same` compares, and that it names what is different."""

from __future__ import annotations

import pytest

from tests.memory.stand.catalogue import MODELS
from tools.truth.rows import load

from .compare import differences, kept, name_of, parse, replayed, write
from .recordings import FRAMEWORKS, RECORDED, read, texts_file, truth_name
from .replay import TRUTH, Rows, of_texts, truth_key

QUICK = ("truth-mlp", "truth-lstm", "truth-branches", "truth-held", "example-mlp_sgd-pytensor_new")
FEW = ("advanced", "ifelse", "lstm_train", "mlp_momentum", "penalised", "swapped")
MOST_BYTES = 3_000_000
CHANCE = "keras_net VGG16 SGD 2 64 chance"
"""What its searches for garbage find is not the same twice."""


@pytest.mark.parametrize("name", QUICK)
def test_scripts_give_the_same_report(name: str) -> None:
    """Every figure, finding and part of the report is as it was."""
    now = replayed(RECORDED / f"{name}.stream.xz")
    assert len(now) >= 4
    assert list(differences(parse(kept(name).read_text()), now)) == []


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_texts_give_the_same_figures(name: str) -> None:
    """Of a few functions, in each form of text and by the live graph."""
    file = texts_file(name)
    now = of_texts(read(file), FEW)
    before = parse(kept(name_of(file)).read_text())
    assert len(now) >= 18
    assert list(differences({key: before[key] for key in now if key in before}, now)) == []


def test_every_recording_has_figures() -> None:
    """And all recordings together are small."""
    files = list(RECORDED.iterdir())
    assert len(files) > 50
    assert [name_of(f) for f in files if not parse(kept(name_of(f)).read_text())] == []
    assert sum(f.stat().st_size for f in files) + sum(kept(name_of(f)).stat().st_size for f in files) < MOST_BYTES


def test_predictions_of_the_table_of_truth_are_held() -> None:
    """Each function that docs/accuracy/truth.md lists, where a recording has the graphs that ran, stands here with the same figures."""
    models = {m.title: m for m in MODELS if m.title != CHANCE}
    compared = 0
    for row in load():
        if row.title in models and row.flags in TRUTH and kept(truth_name(models[row.title])).exists():
            rows = parse(kept(truth_name(models[row.title])).read_text())
            for f in row.functions:
                figures = {"live": str(f.live[0]), "reserved": str(f.reserved[0])}
                assert rows[truth_key(row.flags, f.function, f.name)] == figures, (row.title, row.flags, f.name)
                compared += 1
    assert compared > 2000


ROWS: Rows = {"host 0:train": {"live": "100", "origin": "derived", "TD301#1": "12ab"}, "host process": {"fits": "True"}}


def test_rows_can_be_read_again() -> None:
    """What is kept is what was written."""
    assert parse(write(ROWS)) == ROWS


def test_differences_are_named() -> None:
    """By the function and each of its fields; rows that come or go too."""
    now = {"host 0:train": {"live": "101", "origin": "derived"}, "host findings": {}}
    assert list(differences(ROWS, now)) == [
        "host 0:train: live 100 -> 101, TD301#1 12ab -> nothing",
        "host process: is gone",
        "host findings: is new",
    ]
    assert list(differences(ROWS, ROWS)) == []

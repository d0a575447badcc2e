"""The scorer counts what the labels say."""

from __future__ import annotations

from pathlib import Path

import pytest

from .score import label, scores, table

HEAD = "id\tsource\tcause\tbytes\tsolution\tadvice\n"


def folder(path: Path, *rows: tuple[str, str]) -> Path:
    """A folder of logs with labels."""
    for number, (_, text) in enumerate(rows):
        (path / f"{number}.txt").write_text(text, "utf-8")
    (path / "labels.tsv").write_text(HEAD + "".join(f"{number}\t{row}\n" for number, (row, _) in enumerate(rows)), "utf-8")
    return path


def test_scores(tmp_path: Path) -> None:
    """Right, wrong and unknown causes, sizes, and advice that fits or does not."""
    asked = "Error allocating 26214400 bytes of device memory (out of memory). Driver report 1 bytes free and 1073414144 bytes total\n"
    found = list(
        scores(
            folder(
                tmp_path,
                ("x\tcapacity\t26214400\tsmaller batch\tbatch", asked),
                ("x\tshapes (a remark)/MODEL:nan\t\tx\tno such words", asked),
                ("x\tshapes\t\tx", "FooError: mine\n"),
                ("x\tshapes\t\tx", "nothing failed\n"),
                ("x\tno error\t\tx", "nothing failed\n"),
            )
        )
    )
    assert [(s.cause, s.bytes, s.advice) for s in found] == [
        ("right", "right", "fits"), ("wrong", "wrong", "other"), ("unknown", "right", "?"), ("unknown", "right", "none"),
        ("right", "right", "fits"),
    ]  # fmt: skip
    assert list(table(found))[-3] == "cause   right 2 (40 %), unknown 2 (40 %), wrong 1 (20 %)"


def test_a_cause_that_there_is_not() -> None:
    """Is a mistake in the labels."""
    with pytest.raises(ValueError, match="no such cause: shape"):
        label("1\tx\tshape\t\tx")

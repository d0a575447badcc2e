"""What is inferred of in-place work pays for itself."""

from __future__ import annotations

import pytest

from tests.interpreters import ROOT

from .ranges import FRAMEWORKS, WORTH, measured, row_of


@pytest.mark.parametrize("name", FRAMEWORKS)
def test_inference_narrows_the_range(name: str) -> None:
    """By more than 10 % of the peak for more than a quarter of the functions, and the page has the figures."""
    rows = list(measured(name))
    assert len(rows) >= 90
    assert sum(r.narrower > WORTH for r in rows) > len(rows) / 4
    assert row_of(FRAMEWORKS[name], rows) in (ROOT / "docs" / "accuracy" / "printed-graphs.md").read_text(encoding="utf-8")

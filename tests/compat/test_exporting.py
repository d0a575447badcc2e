"""What an exported file gives is held against what the script's function gave."""

from __future__ import annotations

import numpy as np
import pytest

from theanodiag.compat.running.exporting import _difference

INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(
    ("ours", "theirs", "difference"),
    [
        ([1.0, 200.0], [1.0, 202.0], 0.01),
        ([0.5], [0.25], 0.25),
        ([NAN, INF, 3.0], [NAN, INF, 3.0], 0.0),
        ([NAN, INF, 3.0], [NAN, -INF, 3.0], INF),
        ([NAN, 3.0], [3.0, NAN], INF),
        ([1.0], [NAN], INF),
        ([1.0], [INF], INF),
        ([], [], 0.0),
        ([1, 2], [1, 2], 0.0),
        ([1, 2], [1, 3], 1.0),
        ([1, 2], [1.0, 2.0], INF),
        ([1.0], [[1.0]], INF),
    ],
)
def test_difference(ours: list[float], theirs: list[float], difference: float) -> None:
    """Relative to the largest value where that is above 1; numbers that are not finite have to be the same ones."""
    assert _difference([ours], [np.asarray(theirs)]) == pytest.approx(difference)


def test_fewer_results() -> None:
    """Are another function's."""
    assert _difference([np.zeros(2)], []) == INF

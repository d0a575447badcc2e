"""Calls of seaborn's functions as before 0.9 and 0.12, with a module of the same signatures in place of seaborn."""

from __future__ import annotations

from types import ModuleType
from typing import Any

from theanodiag.compat.libraries.old_libraries import SEABORN, SIZED, _seaborn


class Grid:
    """A grid of plots, which takes `height`."""

    def __init__(self, data: Any, *, height: float = 3) -> None:
        self.height = height


def stand_in() -> ModuleType:
    """A module whose functions return their arguments."""
    module = ModuleType("seaborn")
    for name in (*SEABORN, *SIZED):

        def plot(data: Any = None, **kwargs: Any) -> dict[str, Any]:
            return dict(kwargs, data=data)

        plot.__name__ = name
        setattr(module, name, plot)
    for name in ("FacetGrid", "JointGrid", "PairGrid"):
        setattr(module, name, type(name, (Grid,), {"__init__": lambda self, data, *, height=3: Grid.__init__(self, data, height=height)}))
    _seaborn(module)
    return module


def test_size_is_height() -> None:
    """Where seaborn 0.9 renamed it; `size` of a scatter plot is the size of its points."""
    seaborn = stand_in()
    assert seaborn.lmplot(data=1, size=2.5) == {"data": 1, "height": 2.5}
    assert seaborn.pairplot(1, size=2) == {"data": 1, "height": 2}
    assert seaborn.FacetGrid(1, size=4).height == 4
    assert seaborn.factorplot(data=1, size=4) == {"data": 1, "height": 4, "kind": "point"}  # catplot since 0.9
    assert seaborn.scatterplot(data=1, size="a") == {"data": 1, "size": "a"}


def test_x_and_y_are_known_by_position() -> None:
    """`data` alone is positional since 0.12."""
    assert stand_in().kdeplot([1], [2]) == {"data": None, "x": [1], "y": [2]}

"""Runs rules and plans so that one that fails because of a bug loses its own result only."""

from __future__ import annotations

import os
import traceback
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from .errors import TheanodiagError
from .findings import Skipped

T = TypeVar("T")


class Attempts:
    """Calls rules and plans, and lists those that failed. With THEANODIAG_DEBUG in the environment a failure is raised."""

    def __init__(self) -> None:
        self.failed: list[Skipped] = []
        """What failed, each with the exception and its place."""

    def result(self, what: str, compute: Callable[[], T], otherwise: T) -> T:
        """Returns the result of `compute`, or `otherwise` if it fails; `what` names it in the report.

        Raises TheanodiagError if `compute` does: that is an error of the user's, not a bug.
        """
        return next(iter(self.results(what, lambda: (compute(),))), otherwise)

    def results(self, what: str, compute: Callable[[], Iterable[T]]) -> list[T]:
        """Returns the items that `compute` yields, up to the first that fails."""
        found: list[T] = []
        try:
            found.extend(compute())
        except TheanodiagError:
            raise
        except Exception as error:
            if os.environ.get("THEANODIAG_DEBUG"):
                raise
            self.failed.append(Skipped(what, _reason(error)))
        return found


def _reason(error: Exception) -> str:
    """The exception, the line of theanodiag that raised it, and what to do."""
    here = Path(__file__).parent
    frames = traceback.extract_tb(error.__traceback__)
    own = next((f for f in reversed(frames) if here in Path(f.filename).parents), frames[-1])
    place = f"{Path(own.filename).name}:{own.lineno}"
    return f"{type(error).__name__} in {place}; please report this bug"

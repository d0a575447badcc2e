"""Runs inside the user's interpreter while a prediction is confirmed: CPython 2.7 and 3.5+, standard library only."""

from typing import Any as Live

__all__ = ["Live"]

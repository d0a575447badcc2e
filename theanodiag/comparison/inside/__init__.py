"""Runs inside the user's interpreters while two runs are compared: CPython 2.7 and 3.5+, the standard library and numpy only."""

from typing import Any as Live

__all__ = ["Live"]

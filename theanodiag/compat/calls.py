"""Tells others of each call of a compiled function: exporting needs the shapes with which a script calls its functions."""

from typing import Any, Callable, List

listeners: List[Callable[[Any, Any, Any], None]] = []
"""Called as `listener(function, args, kwargs)` before each call."""

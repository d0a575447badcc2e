"""Tells code of installed packages from a script's own."""

from typing import Any


def is_of_a_package(path: str) -> bool:
    """Returns whether the source file `path` belongs to an installed package."""
    return "site-packages" in path or "dist-packages" in path


def by_a_package(frame: Any) -> bool:
    """Returns whether the caller `frame` executes code of an installed package."""
    return is_of_a_package(frame.f_code.co_filename)

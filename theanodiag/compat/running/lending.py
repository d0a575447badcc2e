"""Lends theanodiag to a script that imports it, as ported scripts do, in an interpreter in which it is not installed."""

import importlib.util
import os
import sys
from importlib.machinery import ModuleSpec
from typing import Callable, Optional

PACKAGE = "theanodiag"
FOLDER = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
"""The folder of the package."""


class Lender:
    """Finds theanodiag's own package. `tell()` is called when that is done."""

    def __init__(self, tell: Callable[[], object]) -> None:
        self.tell = tell

    def install(self) -> None:
        """Installs itself as the last finder, so that an installed theanodiag takes precedence."""
        sys.meta_path.append(self)

    def find_spec(self, name: str, path: object = None, target: object = None) -> Optional[ModuleSpec]:
        """Returns the spec of the package itself; its modules are found by its path."""
        if name != PACKAGE:
            return None
        self.tell()
        return importlib.util.spec_from_file_location(name, os.path.join(FOLDER, "__init__.py"), submodule_search_locations=[FOLDER])


def told() -> None:
    """Prints on standard error that theanodiag's own copy was made importable, and how the script runs without `theanodiag run`."""
    sys.stderr.write("theanodiag: the script imports theanodiag, which is lent to it; to run it without this command: {} -m pip install "
                     "theanodiag\n".format(sys.executable))  # fmt: skip

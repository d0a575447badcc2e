"""Imported by Python at start-up, before the script: installs the layer, then runs the user's own sitecustomize.

Any Python started by the script imports this file, including CPython 2.7, in which it changes nothing.
"""

import os
import sys

_HERE = os.path.dirname(os.path.abspath(__file__))


def _layer():
    # type: () -> None
    """Loads `running/start.py` by its path and starts the layer as THEANODIAG_RUN specifies."""
    import importlib.util

    name, folder = "_theanodiag_compat", os.path.dirname(os.path.dirname(_HERE))
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, os.path.join(folder, "__init__.py"), submodule_search_locations=[folder])
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
    importlib.import_module(name + ".running.start").start()


def _theirs():
    # type: () -> None
    """Runs the next sitecustomize module on sys.path."""
    from importlib.machinery import PathFinder
    from importlib.util import module_from_spec

    spec = PathFinder.find_spec("sitecustomize", sys.path)
    if spec is not None and spec.loader is not None:
        module = module_from_spec(spec)
        sys.modules["sitecustomize"] = module
        spec.loader.exec_module(module)


sys.path[:] = [folder for folder in sys.path if os.path.abspath(folder or ".") != _HERE]
if sys.version_info >= (3, 6):
    if os.environ.get("THEANODIAG_RUN"):
        _layer()
    _theirs()
